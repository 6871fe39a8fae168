/* SPDX-License-Identifier: Apache-2.0 */
/* The task of the highest priority that does not wait for a tick runs; the first one is idle. */
#include "FreeRTOS.h"
#include "task.h"

enum { TASKS = 4, MARK = 0x5a };

struct task {
    StackType_t *top; /* first, as the port has it */
    StackType_t *stack;
    char *name;
    UBaseType_t priority;
    TickType_t wakes;
};

StackType_t **volatile pxCurrentTCB;
static struct task task[TASKS];
static unsigned tasks, running;
static volatile TickType_t now;

BaseType_t xTaskCreate(void (*code)(void *), const char *name, size_t depth, void *argument,
                       UBaseType_t priority, TaskHandle_t *created)
{
    StackType_t *stack = tasks < TASKS ? pvPortMalloc(depth * sizeof *stack) : NULL;
    if (!stack || priority >= configMAX_PRIORITIES)
        return pdFALSE;
    *stack = MARK;
    task[tasks] =
        (struct task){pxPortInitialiseStack(stack + depth, code, argument), stack, (char *)name, priority, 0};
    if (created)
        *created = &task[tasks];
    tasks++;
    return pdPASS;
}

static void idle(void *unused)
{
    (void)unused;
    for (;;)
        vApplicationIdleHook();
}

void vTaskStartScheduler(void)
{
    if (xTaskCreate(idle, "idle", configMINIMAL_STACK_SIZE, NULL, 0, NULL) != pdPASS)
        return;
    vTaskSwitchContext();
    xPortStartScheduler();
}

void vTaskSwitchContext(void)
{
    unsigned best = tasks - 1; /* idle */
    if (pxCurrentTCB && *task[running].stack != MARK)
        vApplicationStackOverflowHook(&task[running], task[running].name);
    for (unsigned i = 0; i < tasks; i++)
        if (task[i].wakes <= now && task[i].priority > task[best].priority)
            best = i;
    running = best;
    pxCurrentTCB = &task[best].top;
}

BaseType_t xTaskIncrementTick(void)
{
    now++;
    return pdTRUE;
}

TickType_t xTaskGetTickCount(void)
{
    return now;
}

void stub_wait(TickType_t until)
{
    task[running].wakes = until;
    portYIELD();
}

void stub_wake_all(void)
{
    for (unsigned i = 0; i < tasks; i++)
        task[i].wakes = 0;
    portYIELD();
}

void vTaskDelay(TickType_t ticks)
{
    const TickType_t until = now + ticks;
    while (now < until)
        stub_wait(until);
}

BaseType_t xTaskDelayUntil(TickType_t *last, TickType_t ticks)
{
    *last += ticks;
    if (*last > now)
        vTaskDelay(*last - now);
    return pdTRUE;
}
