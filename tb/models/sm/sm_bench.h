/* SPDX-License-Identifier: Apache-2.0 */
/* An SM that runs small traces between a fake L1 TLB and a fake L1 data cache. */
#ifndef MP_TB_SM_BENCH_H
#define MP_TB_SM_BENCH_H

#include "../engine/fakes.h"

#include "sm/sm.h"

#define HEAP  (1ull << 32) /* address of the traces' only buffer */
#define PAGE  0x10000ull
#define LINE  128ull
#define TLB   3u  /* cycles of a translation */
#define CACHE 20u /* cycles of a line */
#define MOST  256u

struct bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct mp_coalescer coalescer;
    struct mp_sm sm;
    struct mp_sm_owner owner;
    struct fake_target tlb, cache;
    char path[64];
    struct gwt_writer *writer;
    struct gwt_reader *reader;
    struct gwt_cta *cta[MOST];
    uint32_t ctas, started, local_bytes;
    uint64_t done[MOST]; /* cycles in which work-groups ended, in order */
    uint64_t accesses;
    uint32_t ended, faults;
};

extern struct bench b;

struct mp_sm_params base(void);
void set_up(const struct mp_sm_params *p);
int tear_down(void **state);

/* Three instructions load, of which the last needs the value of the first. */
void begin_trace(uint32_t ctas, uint32_t warps, uint32_t local_bytes);
void end_trace(void);
/* Begins a trace of one work-group. */
void one_cta(uint32_t warps);
void warp(uint32_t index);
struct gwt_event strided(uint32_t gap, uint32_t lanes, uint64_t offset, uint64_t stride);
void load(uint32_t gap, uint32_t lanes, uint64_t offset, uint64_t stride);
void point(enum gwt_event_kind kind, uint32_t gap);

/* Ends the trace and runs it. */
void run(void);
void start_what_fits(void);
/* Checks that the target has seen `count` requests, the first in cycle `first`, then one every `step` cycles.
 */
void cycles_of(const struct fake_target *t, uint32_t count, uint64_t first, uint64_t step);

#endif
