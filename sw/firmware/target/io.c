/* SPDX-License-Identifier: Apache-2.0 */
#include "io.h"

#define ACCESS(bits)                                                                                         \
    uint##bits##_t io_read##bits(uint64_t address)                                                           \
    {                                                                                                        \
        return *(volatile uint##bits##_t *)(uintptr_t)address;                                               \
    }                                                                                                        \
    void io_write##bits(uint64_t address, uint##bits##_t value)                                              \
    {                                                                                                        \
        *(volatile uint##bits##_t *)(uintptr_t)address = value;                                              \
    }
ACCESS(8)
ACCESS(16)
ACCESS(32)
ACCESS(64)

uint64_t io_address(const void *p)
{
    return (uintptr_t)p;
}
