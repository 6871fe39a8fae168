/* SPDX-License-Identifier: Apache-2.0 */
/* SMs whose translations and lines take a fixed time, and traces of kernels for the applications that run on
 * them. */
#ifndef MP_TB_APP_BENCH_H
#define MP_TB_APP_BENCH_H

#include "../engine/fakes.h"

#include "sm/app.h"

#define HEAP   (1ull << 32)
#define PAGE   0x10000ull
#define LINE   128ull
#define TLB    3u  /* cycles of a translation */
#define CACHE  20u /* cycles of a line */
#define LAUNCH 100u
#define SMS    3u

struct app_bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct mp_coalescer coalescer;
    struct mp_sm sm[SMS];
    struct mp_sm *sms[SMS]; /* the same, as applications take them */
    struct fake_target tlb[SMS], cache[SMS];
    char path[64];
    struct gwt_writer *writer;
};

extern struct app_bench b;

/* SMs of 8 warps and 1000 bytes, each with room for that many work-groups; b.rng stays as it is. */
void set_up_sms(uint32_t ctas, void (*translate)(struct fake_target *t, struct mp_req *req));
void tear_down_sms(void);

/* Tenants that share the SMs. Both use the same virtual addresses. */
struct tenant {
    struct mp_app app;
    struct gwt_reader *reader;
    uint32_t completed; /* how often */
    uint64_t end;       /* the cycle in which it completed last */
    uint32_t preempted; /* how often */
    bool keeps_faults;
    struct mp_req_queue kept; /* pages that faulted */
    uint32_t faults;
};

#define TENANTS 2u

extern struct tenant tenants[TENANTS];

static inline uint32_t tenant_of(uint32_t i)
{
    return 3 - 2 * i; /* 3 and 1 */
}

static inline uint16_t asid_of(uint32_t i)
{
    return (uint16_t)(2 + 4 * i); /* 2 and 6 */
}

/* Reads the trace that was begun, and starts it on SMs first to first + own - 1 of the three. */
void start_tenant(uint32_t i, const struct mp_dispatch_policy *policy, uint64_t value, uint32_t first,
                  uint32_t own);
void tear_down_tenants(void); /* and the SMs */
/* Returns the sum of the SMs' counters for the tenant. */
struct mp_sm_stats counted(uint32_t i);

/* A trace: begin_trace, then kernels, then end_trace, which opens it. */
void begin_trace(void);
struct gwt_reader *end_trace(void);
void kernel(uint32_t ctas, uint32_t warps, uint32_t local_bytes);
void load(uint32_t gap, uint64_t va);
void barrier(uint32_t gap);
void leave(uint32_t gap);
/* A work-group whose warps all issue `gap` instructions and end. */
void idle_cta(uint32_t id, uint32_t warps, uint32_t gap);
/* A kernel of one such work-group of one warp. */
void idle_kernel(uint32_t gap);
/* A kernel of random loads in four pages; all warps of a work-group pass the same barrier. */
void kernel_of_random_loads(uint32_t ctas, uint32_t warps, uint32_t local_bytes);

#endif
