/* SPDX-License-Identifier: Apache-2.0 */
/* What a load or store instruction of RV64IMAC does, from its bits. */
#ifndef MP_SOC_RV_ACCESS_H
#define MP_SOC_RV_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

struct mp_rv_access {
    bool write, atomic;
    uint8_t width; /* bytes */
    uint8_t base;  /* register */
    uint8_t data;  /* register read into or written from */
    int32_t offset;
};

/* False when it is no load or store. */
bool mp_rv_access(uint32_t instruction, struct mp_rv_access *access);

static inline unsigned mp_rv_length(uint32_t instruction)
{
    return (instruction & 3) == 3 ? 4 : 2;
}

#endif
