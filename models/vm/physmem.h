/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated physical memory. Frames of 4 KB are allocated when they are first written, since only page tables
 * and command buffers have contents. A frame that was never written reads as zero. Addresses are in bytes. */
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
    uint64_t present; /* frames that are allocated */
};

int mp_physmem_init(struct mp_physmem *m, uint64_t bytes);
void mp_physmem_free(struct mp_physmem *m);

/* Aligned 64-bit words, the unit of page table entries. A read outside the memory returns zero. A write
 * returns -1 if the address is outside the memory or the host's memory is used up. */
uint64_t mp_physmem_read64(const struct mp_physmem *m, uint64_t address);
int mp_physmem_write64(struct mp_physmem *m, uint64_t address, uint64_t value);

/* Any number of bytes, for debug access; errors as above. */
void mp_physmem_read(const struct mp_physmem *m, uint64_t address, void *to, size_t bytes);
int mp_physmem_write(struct mp_physmem *m, uint64_t address, const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
