/* SPDX-License-Identifier: Apache-2.0 */
/* FreeRTOS on the management core: a task sends numbers by a queue, another one prints them. The drivers'
 * interrupts work as always, since FreeRTOS passes to them what is not its tick. */
#include <inttypes.h>
#include <stddef.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

#include "fw/boot.h"
#include "fw/cpu.h"
#include "fw/print.h"
#include "fw/trap.h"
#include "soc/regs.h"

enum { ITEMS = 10, LENGTH = 4 };

static QueueHandle_t queue;

static void send(void *unused)
{
    TickType_t last = xTaskGetTickCount();
    (void)unused;
    for (uint32_t item = 0;; item++) {
        xTaskDelayUntil(&last, pdMS_TO_TICKS(10));
        xQueueSend(queue, &item, portMAX_DELAY);
    }
}

static void receive(void *unused)
{
    uint32_t item = 0;
    (void)unused;
    while (item + 1 < ITEMS)
        if (xQueueReceive(queue, &item, portMAX_DELAY) == pdTRUE)
            print("tick %" PRIu64 ": item %" PRIu32 "\n", (uint64_t)xTaskGetTickCount(), item);
    print("done\n");
    cpu_finish(0);
}

/* --- what FreeRTOS calls ---------------------------------------------------------------------------- */

void failed_assertion(const char *file, int line)
{
    cpu_lock();
    print("%s:%d: an assertion of FreeRTOS failed\n", file, line);
    cpu_finish(1);
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name)
{
    (void)task;
    cpu_lock();
    print("task %s: its stack was too small\n", name);
    cpu_finish(1);
}

void vApplicationIdleHook(void)
{
    __asm__ volatile("wfi");
}

/* The drivers' handlers, by the PLIC. The timer is FreeRTOS', so clint.h is for reading the time only. */
void freertos_risc_v_application_interrupt_handler(uint64_t cause);
void freertos_risc_v_application_interrupt_handler(uint64_t cause)
{
    struct trap_frame frame = {.cause = cause};
    trap_handle(&frame);
}

void freertos_risc_v_application_exception_handler(uint64_t cause);
void freertos_risc_v_application_exception_handler(uint64_t cause)
{
    uint64_t pc, value;
    __asm__ volatile("csrr %0, mepc\n csrr %1, mtval" : "=r"(pc), "=r"(value));
    print("exception %" PRIu64 " at pc 0x%" PRIx64 ", value 0x%" PRIx64 "\n", cause, pc, value);
    cpu_finish(1);
}

/* --- start ---------------------------------------------------------------------------------------- */

extern void freertos_risc_v_trap_handler(void);

int main(void)
{
    boot();     /* also without a GPU */
    cpu_lock(); /* until the first task runs */
    __asm__ volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler));
    configASSERT(configMTIME_BASE_ADDRESS == MP_CLINT_BASE + MP_CLINT_MTIME);
    configASSERT(configMTIMECMP_BASE_ADDRESS == MP_CLINT_BASE + MP_CLINT_MTIMECMP);
    queue = xQueueCreate(LENGTH, sizeof(uint32_t));
    configASSERT(queue);
    configASSERT(xTaskCreate(send, "send", configMINIMAL_STACK_SIZE, NULL, 1, NULL) == pdPASS);
    configASSERT(xTaskCreate(receive, "receive", configMINIMAL_STACK_SIZE, NULL, 2, NULL) == pdPASS);
    vTaskStartScheduler();
    return 1; /* there was no memory for the idle task */
}
