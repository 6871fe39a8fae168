/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readings of time: one thread of the GPU loads from physical addresses, through TLBs, caches and DRAM like
 * any other. For that, an instance of all slices has an address space that maps one contiguous block of
 * memory to its own addresses; the page tables and the lists of addresses are above the block.
 */
#ifndef FW_PROBER_H
#define FW_PROBER_H

#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct prober {
    uint64_t base, bytes; /* the block */
    uint64_t page_bytes;
    uint64_t list, next; /* addresses: the list, and where the next page table comes */
};

/* Takes instance 0 and address space 0, and overwrites memory above the block. The block is 80 % of the
 * memory, from 16 MB on. Returns FW_EBUSY if an instance or the address space exists, FW_ENOMEM if the memory
 * is too small. */
enum fw_error prober_open(struct prober *p);
enum fw_error prober_close(void);

/* One thread loads 4 bytes at each of n addresses of the block after the answer to the load before. *all
 * receives the cycles of all, cycles[i], unless NULL, those of load i. */
enum fw_error prober_chase(const struct prober *p, const uint64_t *address, uint32_t n, uint32_t *cycles,
                           uint64_t *all);
/* Two loads without waiting between them. */
enum fw_error prober_pair(const struct prober *p, uint64_t a, uint64_t b, uint64_t *cycles);

#ifdef __cplusplus
}
#endif
#endif
