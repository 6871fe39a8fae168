/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine that a program with one thread measures: a prober (sm/prober.h) on its first SM, whose loads take
 * the way of any other through TLBs, caches and DRAM. Nothing else runs, except other threads that read in a
 * loop, if asked for. The blocks are joined directly; what
 * is not on the way is not built.
 *
 * One block of physical memory is mapped, each page at the virtual address that equals its physical one, as
 * for a program that knows where its driver has put it.
 */
#ifndef MP_GPU_PROBE_H
#define MP_GPU_PROBE_H

#include "gpu/direct.h"
#include "sm/prober.h"
#include "vm/page_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A thread that reads n addresses in turn, over and over, on an SM. */
struct mp_probe_other {
    uint32_t sm;
    const uint64_t *address;
    size_t n;
};

/* A thread on an SM of its number that loads from random addresses of the block, over and over. */
struct mp_probe_noise {
    struct mp_probe *probe;
    struct mp_prober prober;
    uint64_t random; /* state of a generator */
    uint64_t address;
};

struct mp_probe {
    struct mp_machine machine;
    struct mp_map map;
    struct mp_coalescer coalescer;
    struct mp_wheel wheel;
    struct mp_physmem memory;
    struct mp_frames frames; /* of page tables */
    struct mp_page_table table;
    struct mp_plan plan;
    struct mp_direct direct;
    struct mp_prober prober;
    uint64_t cycles; /* of the probe that has ended */
    bool ended;
    uint64_t first, bytes; /* the block */
    struct mp_probe_noise *noise;
    uint32_t gap; /* cycles from a load of the noise to the next, at most */
};

/* sms: SMs of the machine that are built, the first of them for the program. The machine must be configured
 * but not divided among tenants. first and bytes are multiples of its pages' size; page tables are above the
 * block. -1 with a message: the block is not in the memory, or the host's memory is used up; nothing needs to
 * be freed then. The structure must stay where it is. */
int mp_probe_init(struct mp_probe *p, const struct mp_machine *machine, uint32_t sms, uint64_t first,
                  uint64_t bytes, struct mp_error *err);
void mp_probe_free(struct mp_probe *p); /* also of a structure that is all zero */

/* From now on the other SMs disturb all probes: each has a thread that loads 4 bytes at a random address of
 * the block, waits for 1 to `gap` cycles, and loads again. Between probes, time does not pass. -1: out of
 * memory. */
int mp_probe_disturb(struct mp_probe *p, uint32_t others, uint32_t gap, uint64_t seed);

/* As mp_prober_chase and mp_prober_pair: return the cycles from the first issue to the last answer. Addresses
 * are in the block. The next probe begins in the cycle after. */
uint64_t mp_probe_chase(struct mp_probe *p, const uint64_t *address, size_t n, uint64_t *cycles);
uint64_t mp_probe_pair(struct mp_probe *p, uint64_t a, uint64_t b);
/* As mp_probe_chase, next to `others` that read from the same cycle on, and end with the round in which the
 * chase ends. Returns 0 if memory is used up. */
uint64_t mp_probe_chase_among(struct mp_probe *p, const uint64_t *address, size_t n, uint64_t *cycles,
                              const struct mp_probe_other *other, uint32_t others);

/* The address functions on which the times of loads depend. Returns NULL if the machine's map has none. */
static inline const struct mp_gf2 *mp_probe_hash(const struct mp_probe *p)
{
    return mp_map_hash(&p->map);
}

#ifdef __cplusplus
}
#endif
#endif
