/* SPDX-License-Identifier: Apache-2.0 */
#include "FreeRTOS.h"

static _Alignas(16) unsigned char heap[configTOTAL_HEAP_SIZE];

void *pvPortMalloc(size_t bytes)
{
    static size_t used;
    const size_t at = used, more = (bytes + 15) & ~(size_t)15;
    if (more > sizeof heap - used)
        return NULL;
    used += more;
    return heap + at;
}
