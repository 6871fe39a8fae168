/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One tenant's application: reads its trace record by record, has its buffers mapped, and launches its
 * kernels one after the other. A dispatch policy (dispatch/dispatch.h) places the work-groups of the kernel
 * on SMs. A kernel starts when the one before it has ended and the launch latency is over. A time in the
 * trace (GWT_TIME) keeps what follows it from happening before that time from the run's start.
 */
#ifndef MP_SM_APP_H
#define MP_SM_APP_H

#include "engine/error.h"
#include "sm/dispatch/dispatch.h"
#include "sm/sm.h"
#include "trace/gwt.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_app_stats {
    uint64_t cycles, instructions, accesses, kernels, completions;
};

extern const struct mp_metric_table mp_app_metrics;

#define MP_APP_NO_BUFFER UINT64_MAX /* memory of a dispatch policy */

/* Calls from an application to the GPU on which it runs. */
struct mp_app_host {
    void *self;
    /* number: of the buffer in the trace, or MP_APP_NO_BUFFER. */
    int (*map)(void *self, uint32_t tenant, uint64_t number, uint64_t va, uint64_t bytes,
               struct mp_error *err);
    /* A buffer, or what is mapped of a range. */
    void (*unmap)(void *self, uint32_t tenant, uint64_t va, uint64_t bytes);
    /* The trace maps or unmaps a range (GWT_MAP, GWT_UNMAP), which map and unmap have been called for, or the
     * host reads or writes one (GWT_HOST_READ, GWT_HOST_WRITE). Returns whether the application waits until
     * mp_app_resume(). NULL: it does not. */
    bool (*waits)(void *self, uint32_t tenant, const struct gwt_record *record);
    void (*completed)(void *self, uint32_t tenant); /* the trace has ended; may call mp_app_start again */
    void (*failed)(void *self, uint32_t tenant, const char *why);
    /* As mp_sm_owner.fault. False, or NULL: an access to a page that is not mapped fails the application. */
    bool (*fault)(void *self, struct mp_sm *sm, struct mp_req *page);
    /* The first kernel after an allocation is next, and its buffers are mapped: the time for software to look
     * at the whole address space. Returns the cycles after which the kernel begins. NULL: it begins at once.
     */
    uint32_t (*prepare)(void *self, uint32_t tenant);
    /* The kernel that began in cycle `began` ends in this one. NULL: it is not reported. */
    void (*ended)(void *self, uint32_t tenant, const struct gwt_kernel *kernel, uint64_t began);
    /* The application has stopped (mp_app_preempt). NULL if it is not preempted. */
    void (*preempted)(void *self, uint32_t tenant);
};

struct mp_app_params {
    uint32_t tenant;
    uint16_t asid;      /* of its address space */
    uint32_t clock_mhz; /* of the machine, for times in the trace */
    uint32_t launch_latency;
    uint32_t host_sync; /* cycles from the end of the last kernel until the host knows, and the run ends */
    struct gwt_reader *reader;
    const struct mp_dispatch_policy *dispatch; /* NULL: the first of the list */
    struct mp_design_values values;            /* of the policy's parameters */
    /* The SMs that the policy may use, and those of them that are the application's own partition; own_sms =
     * 0: all are. */
    struct mp_sm **sm;
    uint32_t sms, first_sm, own_sms;
    uint32_t most_warps;                /* resident at a time; 0: no limit */
    bool takes_turns;                   /* its kernels do not overlap with those of peers */
    const struct mp_colours_part *part; /* of each frame; NULL: its buffers have whole frames */
    bool keeps_buffers; /* its runs use the same buffers: none is unmapped when it is freed or the run ends */
    struct mp_app *peer; /* an application that uses some of the same SMs, or NULL */
    struct mp_app_host host;
};

/* A buffer, or a part of a range that is mapped, which has no id. */
struct mp_app_buffer {
    uint64_t id, va, bytes;
    bool mapped;
};

struct mp_app {
    struct mp_wheel *wheel;
    struct mp_app_params p;
    struct mp_app_stats stats;
    uint64_t started;
    uint64_t run_began;              /* cycle in which the trace began */
    uint64_t accesses_before;        /* of its tenant on its SMs, by applications that ran there before */
    const struct gwt_kernel *kernel; /* running, or NULL */
    uint64_t kernel_began;
    const struct gwt_kernel *ready; /* read, and begins next */
    bool allocated;                 /* since the last kernel began */
    struct gwt_cta *next_cta;       /* read but not taken */
    bool all_read;                  /* of the kernel */
    uint32_t running, warps;        /* blocks on SMs, and their warps */
    uint64_t added; /* instructions that its own SMs count as issued, but that are the dispatch policy's or
                       forgotten */
    struct mp_app_buffer *buffer;
    uint32_t buffers, room;
    bool stopped, aborted;
    bool restores;     /* mp_app_restore was called, and it has not gone on yet */
    uint64_t wakes_at; /* cycle of a time of the trace for which it waits; 0: it does not */
    uint64_t idle;     /* cycles in which it has waited so, and since when it does */
    uint64_t idle_since;
    bool preempting;          /* it will stop before its next work-group or kernel */
    bool hangs;               /* begins no work-group: a fault on purpose */
    bool waits_turn;          /* a kernel is ready, but a peer's runs */
    struct mp_sm_owner owner; /* of its blocks */
    void *state;              /* the dispatch policy's */
    void *counters;           /* the policy's, as its design describes them, or NULL */
    struct mp_app *peer;      /* ring of the applications that use the same SMs */
};

/* Returns -1 if memory runs out. */
int mp_app_init(struct mp_app *a, struct mp_wheel *wheel, const struct mp_app_params *params);
void mp_app_free(struct mp_app *a);

/* Starts the trace from its beginning, in this cycle. The reader must be there. */
void mp_app_start(struct mp_app *a);
/* Goes on after a change for which it waits. */
void mp_app_resume(struct mp_app *a);
/* When it has completed and before it starts again: counts from that start on. Counters of SMs and other
 * blocks go on. */
void mp_app_forget(struct mp_app *a);
/* While it runs: its counts are of what follows. issued: the instructions that its SMs count up to now. */
void mp_app_begin_count(struct mp_app *a, uint64_t issued);
/* Begins nothing more. The application has completed when its blocks have ended. A kernel must be running, or
 * the application must have been preempted, which does not complete. */
void mp_app_abort(struct mp_app *a);
/* As mp_app_abort, but at any time. An application that waits without blocks on SMs completes in this call.
 */
void mp_app_stop(struct mp_app *a);
/* Stops an application that does not take turns before its next work-group, or before its next kernel if none
 * runs: its blocks end, and host.preempted is called once. What is between kernels is done before. If nothing
 * is left to begin, it completes instead. While it is stopped, other applications may use its SMs, and stats
 * has its counts. */
void mp_app_preempt(struct mp_app *a);
/* It goes on after the launch latency, and begins something before it stops again. It must be stopped. */
void mp_app_restore(struct mp_app *a);

/* The cycles in which it has waited for times of its trace. */
uint64_t mp_app_idle(const struct mp_app *a);

/* The accesses that are done, from the SMs' counters; stats.accesses has them when the application completes.
 */
uint64_t mp_app_accesses(const struct mp_app *a);

/* Instructions issued and accesses done by the tenant on its SMs: it grows when anything of it moves. */
uint64_t mp_app_progress(const struct mp_app *a);
/* Whether the application has blocks on SMs, and all their warps wait. */
bool mp_app_blocked(const struct mp_app *a);

/* For dispatch policies. */

/* The kernel's next work-group; NULL: none is left, or the trace cannot be read and the application has
 * stopped. */
struct gwt_cta *mp_app_peek(struct mp_app *a);
/* The same, and the policy has it until mp_app_release. */
struct gwt_cta *mp_app_take(struct mp_app *a);
void mp_app_release(struct mp_app *a, struct gwt_cta *cta);
/* Whether a block has room on the SM, and the application may have as many resident warps. */
static inline bool mp_app_has_room(const struct mp_app *a, const struct mp_sm *sm, uint32_t warps,
                                   uint32_t local_bytes)
{
    return (!a->p.most_warps || a->warps + warps <= a->p.most_warps) &&
           mp_sm_has_room(sm, warps, local_bytes);
}
/* Starts a block in this cycle, on an SM that has room. */
void mp_app_run_on(struct mp_app *a, struct mp_sm *sm, void *work, uint32_t warps, uint32_t local_bytes);
/* ended() and next() of policies whose blocks are the trace's work-groups. */
uint32_t mp_app_end_group(struct mp_app *a, struct mp_sm *sm, void *work);
uint32_t mp_app_next_of_group(void *app, void *work, uint32_t warp, struct gwt_step *step, uint32_t room);
/* An event: calls the policy's place() if a kernel is running. For policies that start some blocks later. */
void mp_app_place(void *app, void *unused);
/* The run cannot go on. */
void mp_app_fail(struct mp_app *a, const char *why);

#ifdef __cplusplus
}
#endif
#endif
