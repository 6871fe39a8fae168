/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as an estimate. Most of the time the SMs are in functional mode (mp_sm_run_ahead): they execute at
 * the rate that was measured last for the kernel. Shortly before a window their accesses also warm TLBs, page
 * walk caches and data caches. In between are windows in detail, each after a warm-up that fills queues and
 * MSHRs. What is counted in the windows of a tenant's kernel, per instruction, is taken for the whole kernel
 * (gpu/interval.h).
 *
 *   pilot     a kernel without a rate begins: detail, until a window has measured its rate
 *   period    about equal distances between windows, as many as the error asks for, within a share of the
 * time
 */
#ifndef MP_GPU_ESTIMATE_H
#define MP_GPU_ESTIMATE_H

#include "gpu/interval.h"
#include "sm/app.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is counted for a tenant in a window. */
enum mp_estimate_count {
    MP_COUNT_INSTRUCTIONS, /* of warps */
    MP_COUNT_CYCLES,       /* of the window */
    MP_COUNT_L1_LOOKUPS,
    MP_COUNT_L1_HITS,
    MP_COUNT_L2_LOOKUPS,
    MP_COUNT_L2_HITS,
    MP_COUNT_L3_LOOKUPS,
    MP_COUNT_L3_HITS,
    MP_COUNT_WALKS,
    MP_COUNT_WALK_CYCLES, /* from arrival to end */
    MP_ESTIMATE_COUNTS
};

enum { MP_ESTIMATE_VALUES = 5 };

/* A value that is estimated: the ratio of two counts. */
struct mp_estimate_value {
    const char *name, *unit; /* unit: NULL for a ratio */
    enum mp_estimate_count above, below;
    double relative_bias,
        bias; /* bound of what is wrong besides sampling, relative to the value and absolute */
};

extern const struct mp_estimate_value mp_estimate_values[MP_ESTIMATE_VALUES];

struct mp_estimate_params {
    double error; /* of the IPC: half width of its interval, relative */
    unsigned tenants;
    struct mp_app *app[MP_TENANTS];
    uint64_t instructions[MP_TENANTS]; /* of each application's trace */
    /* Sums of the tenant's counters; MP_COUNT_CYCLES is not asked for. */
    uint64_t (*count)(void *self, unsigned tenant, enum mp_estimate_count count);
    void *self;
};

struct mp_estimated {
    struct mp_interval value[MP_ESTIMATE_VALUES];
    uint32_t windows; /* measured */
    bool exact;       /* nothing of the tenant was executed in functional mode */
};

struct mp_estimate;

/* NULL: out of memory. The applications must not have started. */
struct mp_estimate *mp_estimate_new(struct mp_wheel *wheel, const struct mp_estimate_params *params);
void mp_estimate_free(struct mp_estimate *e);
/* The tenant's application begins a kernel (mp_app_host.begins). */
void mp_estimate_begins(struct mp_estimate *e, unsigned tenant);
/* The tenant's application has ended: what its runs up to now were like. */
struct mp_estimated mp_estimate_of(struct mp_estimate *e, unsigned tenant);
/* Share of the cycles up to now that were simulated in detail. */
double mp_estimate_detail(const struct mp_estimate *e);

#ifdef __cplusplus
}
#endif
#endif
