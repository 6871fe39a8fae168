/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated physical memory as far as anything reads it: 4 KB frames that come into being when first written
 * (page tables, command buffers). What was never written reads as zero. Addresses in bytes. */
#ifndef MP_VM_PHYSMEM_H
#define MP_VM_PHYSMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_FRAME_BYTES 4096u

struct mp_physmem {
    uint64_t bytes;   /* size of the address space */
    uint8_t ***chunk; /* 2 MB directories of 4 KB frames */
    uint64_t chunks;
    uint64_t present; /* frames that exist */
};

int mp_physmem_init(struct mp_physmem *m, uint64_t bytes);
void mp_physmem_free(struct mp_physmem *m);

/* Aligned 64-bit words, the unit of page table entries. An address outside the memory reads as zero and is
 * not written; write returns -1 then, or when the host's memory runs out. */
uint64_t mp_physmem_read64(const struct mp_physmem *m, uint64_t address);
int mp_physmem_write64(struct mp_physmem *m, uint64_t address, uint64_t value);

/* Any bytes, for debug access. */
void mp_physmem_read(const struct mp_physmem *m, uint64_t address, void *to, size_t bytes);
int mp_physmem_write(struct mp_physmem *m, uint64_t address, const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
