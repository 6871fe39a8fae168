/* SPDX-License-Identifier: Apache-2.0 */
/* FreeRTOS on the management core: a task sends numbers by a queue, another one of a higher priority prints
 * them. */
#include <inttypes.h>
#include <stddef.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "rtos.h"
#include "task.h"

#include "fw/boot.h"
#include "fw/cpu.h"
#include "fw/print.h"

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

int main(void)
{
    boot(); /* also without a GPU */
    queue = xQueueCreate(LENGTH, sizeof(uint32_t));
    configASSERT(queue);
    configASSERT(xTaskCreate(send, "send", configMINIMAL_STACK_SIZE, NULL, 1, NULL) == pdPASS);
    configASSERT(xTaskCreate(receive, "receive", configMINIMAL_STACK_SIZE, NULL, 2, NULL) == pdPASS);
    rtos_start();
    return 1; /* there was no memory for the idle task */
}
