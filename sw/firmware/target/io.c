/* SPDX-License-Identifier: Apache-2.0 */
#include "io.h"

void io_fill64(uint64_t address, uint64_t value, uint64_t step, uint64_t n)
{
    volatile uint64_t *word = (volatile uint64_t *)(uintptr_t)address;
    enum { AT_ONCE = 4 };
    for (; n >= AT_ONCE; n -= AT_ONCE, word += AT_ONCE, value += step) {
        word[0] = value;
        word[1] = value += step;
        word[2] = value += step;
        word[3] = value += step;
    }
    for (; n; n--, value += step)
        *word++ = value;
}

uint64_t io_clear64(uint64_t address, uint64_t n)
{
    volatile uint64_t *word = (volatile uint64_t *)(uintptr_t)address, *const end = word + n;
    uint64_t cleared = 0;
    for (; word < end; word++)
        if (*word) {
            *word = 0;
            cleared++;
        }
    return cleared;
}

uint64_t io_address(const void *p)
{
    return (uintptr_t)p;
}
