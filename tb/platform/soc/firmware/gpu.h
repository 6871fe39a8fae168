/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the images that manage a GPU share: its registers, and page tables in its memory. */
#ifndef GPU_H
#define GPU_H

#include "fw.h"
#include "soc/mgmt.h"

#define GPU(reg)     (MP_GPU_BASE + MP_GPU_##reg)
#define GPU4(reg)    READ32(GPU(reg))
#define GPU8(reg)    READ64(GPU(reg))
#define SET4(reg, v) WRITE32(GPU(reg), v)
#define SET8(reg, v) WRITE64(GPU(reg), v)

#define PAGE_BYTES 65536ull /* of the machine */
#define PTE_VALID  1ull
#define PTE_LEAF   2ull

/* The page table of an address space, and the addresses of the instance's next table and next page. */
struct space {
    unsigned asid, instance;
    uint64_t root, tables, pages, end;
};

uint64_t gpu_create(unsigned instance, unsigned slices);
uint64_t gpu_destroy(unsigned instance);
/* Creates and commits an empty table at the start of the instance's memory. */
void gpu_space(struct space *s, unsigned asid, unsigned instance);
uint64_t gpu_commit(unsigned asid, unsigned instance, uint64_t root);
/* Maps va's page to an unused page unless it is already mapped. Returns the address of its entry. */
uint64_t gpu_map(struct space *s, uint64_t va);
uint64_t gpu_launch(unsigned instance, unsigned asid, unsigned workload, uint32_t tag);
/* Waits for the end of the invalidation and returns INV_STATUS. */
uint64_t gpu_invalidate(unsigned command, unsigned asid, uint64_t va);
uint64_t gpu_replay(unsigned asid, bool give_up);
/* Gives up the accesses to the page of va that wait for a replay. */
uint64_t gpu_cancel(unsigned asid, uint64_t va);
/* Takes interrupts of the GPU: executes WFI until INT_STATUS has one of the bits, and clears them. */
void gpu_interrupts(void);
void gpu_wait(uint32_t bits);
/* Latches the counters of the address space and returns this one. */
uint64_t gpu_count(unsigned asid, enum mp_mgmt_counter counter);

#endif
