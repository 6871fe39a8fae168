/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the access of an RV64IMAC load or store instruction. */
#ifndef MP_SOC_RV_ACCESS_H
#define MP_SOC_RV_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mp_rv_access {
    bool write, atomic;
    uint8_t width; /* bytes */
    uint8_t base;  /* register */
    uint8_t data;  /* destination or source register */
    int32_t offset;
};

/* Returns false if it is not a load or store. */
bool mp_rv_access(uint32_t instruction, struct mp_rv_access *access);

static inline unsigned mp_rv_length(uint32_t instruction)
{
    return (instruction & 3) == 3 ? 4 : 2;
}

#ifdef __cplusplus
}
#endif
#endif
