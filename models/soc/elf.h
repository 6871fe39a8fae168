/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a 64-bit little-endian RISC-V executable: its PT_LOAD segments to their physical addresses. */
#ifndef MP_SOC_ELF_H
#define MP_SOC_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Receives a segment: bytes of the file, then zeros up to `size`. Returns -1 with err if it does not fit
 * in memory. */
struct mp_elf_memory {
    void *self;
    int (*load)(void *self, uint64_t address, const void *bytes, uint64_t filled, uint64_t size,
                struct mp_error *err);
};

/* `name` begins the error: "NAME: WHAT; WHAT IS ALLOWED". */
int mp_elf_load(const char *name, const uint8_t *file, size_t bytes, const struct mp_elf_memory *memory,
                uint64_t *entry, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
