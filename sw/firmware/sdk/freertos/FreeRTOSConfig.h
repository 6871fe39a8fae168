/* SPDX-License-Identifier: Apache-2.0 */
/* FreeRTOS on mempath's management core: RV64IMAC, of which FreeRTOS uses M-mode alone, a CLINT whose MTIME
 * counts at 10 MHz. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

/* The hardware. The port takes the tick from MTIME, so what it calls the processor's clock is MTIME's. */
#define configMTIME_BASE_ADDRESS    0x0200bff8UL
#define configMTIMECMP_BASE_ADDRESS 0x02004000UL
#define configCPU_CLOCK_HZ          10000000UL
#define configTICK_RATE_HZ          1000

/* Traps have a stack for themselves; the drivers' handlers run on it. Words are of 8 bytes. */
#define configISR_STACK_SIZE_WORDS 1024

/* Tasks. */
#define configUSE_PREEMPTION                    1
#define configUSE_TIME_SLICING                  1
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#define configUSE_16_BIT_TICKS                  0
#define configMAX_PRIORITIES                    8
#define configMINIMAL_STACK_SIZE                512 /* words; a driver that prints needs about 150 */
#define configMAX_TASK_NAME_LEN                 16
#define configIDLE_SHOULD_YIELD                 1
#define configUSE_MUTEXES                       1
#define configUSE_RECURSIVE_MUTEXES             1
#define configUSE_COUNTING_SEMAPHORES           1
#define configUSE_TASK_NOTIFICATIONS            1
#define configUSE_TIMERS                        0
#define configUSE_CO_ROUTINES                   0
#define configUSE_TRACE_FACILITY                0

/* Memory: RAM has 64 MB, and the heap is a part of .bss (heap_4.c). */
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configSUPPORT_STATIC_ALLOCATION  0
#define configTOTAL_HEAP_SIZE            (1024 * 1024)

/* Hooks. */
#define configUSE_IDLE_HOOK            1 /* sleeps, so that idle time costs no host time */
#define configUSE_TICK_HOOK            0
#define configUSE_MALLOC_FAILED_HOOK   0 /* functions that create return NULL or pdFAIL */
#define configCHECK_FOR_STACK_OVERFLOW 2

#define INCLUDE_vTaskDelay       1
#define INCLUDE_xTaskDelayUntil  1
#define INCLUDE_vTaskDelete      1
#define INCLUDE_vTaskSuspend     1
#define INCLUDE_vTaskPrioritySet 1

#ifndef __ASSEMBLER__
void failed_assertion(const char *file, int line); /* ends the run */
#define configASSERT(condition)                                                                              \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            failed_assertion(__FILE__, __LINE__);                                                            \
    } while (0)
#endif

#endif
