/* SPDX-License-Identifier: Apache-2.0 */
/* A task that finds no item, or no room, looks again when something has changed, or at the next tick. */
#include <string.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

struct queue {
    UBaseType_t length, bytes, first, items;
    unsigned char item[];
};

QueueHandle_t xQueueCreate(UBaseType_t length, UBaseType_t bytes)
{
    QueueHandle_t q = pvPortMalloc(sizeof *q + length * bytes);
    if (q)
        *q = (struct queue){length, bytes, 0, 0};
    return q;
}

static void wait_a_tick(TickType_t *wait)
{
    stub_wait(xTaskGetTickCount() + 1);
    *wait -= *wait != portMAX_DELAY;
}

BaseType_t xQueueSend(QueueHandle_t q, const void *item, TickType_t wait)
{
    while (q->items == q->length && wait)
        wait_a_tick(&wait);
    portDISABLE_INTERRUPTS();
    BaseType_t room = q->items < q->length;
    if (room)
        memcpy(q->item + (q->first + q->items++) % q->length * q->bytes, item, q->bytes);
    portENABLE_INTERRUPTS();
    stub_wake_all();
    return room;
}

BaseType_t xQueueReceive(QueueHandle_t q, void *item, TickType_t wait)
{
    while (!q->items && wait)
        wait_a_tick(&wait);
    portDISABLE_INTERRUPTS();
    BaseType_t some = q->items != 0;
    if (some) {
        memcpy(item, q->item + q->first * q->bytes, q->bytes);
        q->first = (q->first + 1) % q->length;
        q->items--;
    }
    portENABLE_INTERRUPTS();
    stub_wake_all();
    return some;
}
