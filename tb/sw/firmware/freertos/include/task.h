/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TASK_H
#define TASK_H

typedef struct task *TaskHandle_t;

BaseType_t xTaskCreate(void (*code)(void *), const char *name, size_t depth, void *argument,
                       UBaseType_t priority, TaskHandle_t *created);
void vTaskStartScheduler(void);
TickType_t xTaskGetTickCount(void);
void vTaskDelay(TickType_t ticks);
BaseType_t xTaskDelayUntil(TickType_t *last, TickType_t ticks);

/* For queues: the task waits until that tick or until all are woken. */
void stub_wait(TickType_t until);
void stub_wake_all(void);

/* For the port. */
BaseType_t xTaskIncrementTick(void);
void vTaskSwitchContext(void);
BaseType_t xPortStartScheduler(void);
StackType_t *pxPortInitialiseStack(StackType_t *top, void (*code)(void *), void *argument);

void vApplicationIdleHook(void);
void vApplicationStackOverflowHook(TaskHandle_t task, char *name);

#endif
