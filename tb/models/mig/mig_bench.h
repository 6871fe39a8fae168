/* SPDX-License-Identifier: Apache-2.0 */
/* A small GPU behind its management registers, driven as firmware drives it: page tables are written into
 * its memory, and all other commands are register accesses. */
#ifndef MP_TB_MIG_BENCH_H
#define MP_TB_MIG_BENCH_H

#include "../gpu/small_machine.h"

#include "mig/mig.h"

#define HEAP  (1ull << 32) /* address of the workloads' buffer */
#define MB    (1ull << 20)
#define PAGES 64u /* of the buffer */

struct bench {
    struct mp_wheel wheel;
    struct mp_mig gpu;
    struct mp_mgmt mgmt;
    struct mp_mgmt_gpu operations;
    char path[64];
    struct gwt_reader *spare[4];
    unsigned spares, opened;
    bool line[4];  /* levels of the interrupts, by number */
    char why[512]; /* the last command or launch was refused */
};

extern struct bench b;

/* Two workloads: 0 reads and writes all pages of the buffer; 1 is one warp that accesses one page, and a
 * range behind the buffer that is mapped before and partly unmapped after it. There
 * are no others. */
void set_up(unsigned tlb_levels);
/* The same, with a dispatch policy. */
void set_up_dispatch(unsigned tlb_levels, const struct mp_dispatch_policy *dispatch);
void set_up_short(uint32_t short_slices); /* three levels of TLBs */
void set_up_host(void);                   /* likewise, with the host's memory and copies */
int tear_down(void **state);

void w4(uint64_t offset, uint32_t value);
void w8(uint64_t offset, uint64_t value);
uint32_t r4(uint64_t offset);
uint64_t r8(uint64_t offset);
#define W4(reg, value) w4(MP_GPU_##reg, value)
#define W8(reg, value) w8(MP_GPU_##reg, value)
#define R4(reg)        r4(MP_GPU_##reg)
#define R8(reg)        r8(MP_GPU_##reg)

uint32_t create(unsigned instance, unsigned slices);
uint32_t destroy(unsigned instance);
uint32_t commit(unsigned asid, unsigned instance, uint64_t root);
uint32_t launch(unsigned instance, unsigned asid, unsigned workload, uint32_t tag);
uint32_t preempt(unsigned instance);
uint32_t resume(unsigned context);
uint32_t drop(unsigned context);
/* Begins an invalidation. It ends only when time advances. */
void invalidate(uint32_t command, unsigned asid, uint64_t va);
uint32_t replay(unsigned asid, bool give_up);
uint64_t count(unsigned asid, enum mp_mgmt_counter counter);

/* A page table in the instance's memory. All tables are in its first megabyte. */
struct table {
    uint64_t root, next;
};
void table_make(struct table *t, unsigned instance);
/* Returns the leaf entry of va, and creates missing tables. */
uint64_t table_entry(struct table *t, uint64_t va);
void table_map(struct table *t, uint64_t va, uint64_t pa);

void go_on(uint64_t cycles);
/* Runs until there are no more events: everything has completed, or waits for firmware. */
void settle(void);

#endif
