/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One tenant's application: reads its trace record by record, has its buffers mapped, and hands its
 * work-groups to the instance's SMs, breadth first and as room permits. A kernel starts when the one before
 * has ended and the launch latency is over.
 */
#ifndef MP_SM_APP_H
#define MP_SM_APP_H

#include "engine/error.h"
#include "sm/sm.h"
#include "trace/gwt.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_app_stats {
    uint64_t cycles, instructions, accesses, kernels, completions;
};

extern const struct mp_metric_table mp_app_metrics;

/* What the application needs of whoever assembled the GPU. */
struct mp_app_host {
    void *self;
    int (*map)(void *self, uint32_t tenant, uint64_t va, uint64_t bytes, struct mp_error *err);
    void (*unmap)(void *self, uint32_t tenant, uint64_t va, uint64_t bytes);
    void (*completed)(void *self, uint32_t tenant); /* the trace has ended; may call mp_app_start again */
    void (*failed)(void *self, uint32_t tenant, const char *why);
    /* As mp_sm_owner.fault; NULL: a page that nobody mapped fails the application. */
    bool (*fault)(void *self, struct mp_sm *sm, struct mp_req *page);
};

struct mp_app_params {
    uint32_t tenant;
    uint32_t launch_latency;
    struct gwt_reader *reader;
    struct mp_sm **sm; /* of the instance */
    uint32_t sms;
    struct mp_app_host host;
};

struct mp_app_buffer {
    uint64_t id, va, bytes;
};

struct mp_app {
    struct mp_wheel *wheel;
    struct mp_app_params p;
    struct mp_app_stats stats;
    uint64_t started;
    const struct gwt_kernel *kernel; /* running, or NULL */
    struct gwt_cta *next_cta;        /* read but not placed */
    bool all_read;                   /* of the kernel */
    uint32_t running, next_sm;
    struct mp_app_buffer *buffer;
    uint32_t buffers, room;
    bool stopped, aborted;
};

int mp_app_init(struct mp_app *a, struct mp_wheel *wheel, const struct mp_app_params *params);
void mp_app_free(struct mp_app *a);

/* Starts the trace from its beginning, in this cycle. The reader must stand there. */
void mp_app_start(struct mp_app *a);
/* Nothing more of it begins; it has completed when what it has under way is done. A kernel is running. */
void mp_app_abort(struct mp_app *a);

#ifdef __cplusplus
}
#endif
#endif
