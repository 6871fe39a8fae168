/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which walker takes which walk. One scheduler is one file here and one line in schedulers.c. A scheduler
 * only queues and chooses; who waits for room in front of it is intake.h's, the walking walk.h's.
 */
#ifndef MP_WALK_SCHEDULER_H
#define MP_WALK_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/design.h"
#include "engine/link.h"
#include "engine/tenant.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_walk_geometry {
    uint32_t walkers, queue;
    uint32_t tenants; /* 1 to MP_TENANTS; a request's tenant is below it */
};

enum mp_walk_owners { MP_WALK_INTERLEAVED, MP_WALK_BLOCKED };

/* What the paper says, or what the simulator does that its authors published. */
enum mp_walk_compat { MP_WALK_PAPER, MP_WALK_HPCA21 };

/* Thresholds of DWS++ in percent (DWS Tables IV and VII). DIFF_THRES is diff[i] when the ratio of the
 * tenants' arrivals in an epoch is at most 1.5, 2, 3, 4, or beyond. */
#define MP_WALK_RATIOS 5u
#define MP_WALK_NEVER  127u /* as DIFF_THRES: no difference is that large */

struct mp_walk_thresholds {
    const char *name;
    uint8_t diff[MP_WALK_RATIOS];
    uint8_t queue; /* QUEUE_THRES */
};

extern const struct mp_walk_thresholds mp_walk_thresholds[]; /* ends with a NULL name; the first: default */
const struct mp_walk_thresholds *mp_walk_thresholds_find(const char *name);

/* How a scheduler decides beyond its sizes; fcfs reads none of it, only DWS++ epoch and thresholds. */
struct mp_walk_rules {
    enum mp_walk_owners owners;
    enum mp_walk_compat compat;
    uint32_t epoch; /* arrivals, 1 to 4095 */
    struct mp_walk_thresholds thresholds;
    struct mp_design_values own; /* in the order of scheduler->design.params */
};

#define MP_WALK_QUEUED  (-1)
#define MP_WALK_NO_ROOM (-2)

struct mp_walk_scheduler {
    struct mp_design design;
    /* What a geometry may be for it; 0: anything. */
    uint32_t most_walkers, most_queue;
    bool published; /* the authors' simulator has it: MP_WALK_HPCA21 is possible */
    bool one_line;  /* of all tenants: who finds no room holds back everybody, not his own tenant alone */
    /* What else it demands; NULL: nothing. -1: err is "NAME: ..." with what is allowed, where NAME is a field
     * of the geometry or the rules, or one of the design's own parameters. */
    int (*check)(const struct mp_walk_geometry *g, const struct mp_walk_rules *r, struct mp_error *err);
    /* Counters of its own, one structure of design.counters for each tenant; NULL: it has none. */
    void *(*counters)(void *state);

    size_t (*bytes)(const struct mp_walk_geometry *g);
    void (*init)(void *state, const struct mp_walk_geometry *g, const struct mp_walk_rules *r); /* zeroed */
    /* A walk comes: the idle walker that starts it now, MP_WALK_QUEUED, or MP_WALK_NO_ROOM (it was not
     * kept). */
    int (*arrive)(void *state, struct mp_req *walk);
    bool (*room)(const void *state, uint8_t tenant); /* a walk of this tenant would be kept */
    /* A walker is done: the walk it starts in the same cycle, or NULL and it is idle. */
    struct mp_req *(*complete)(void *state, uint32_t walker);

    /* For those who compare it with hardware: where walks wait for this walker; under one_line all wait
     * there. */
    const struct mp_req_queue *(*queue)(const void *state, uint32_t walker);

    /* Of schedulers that give walkers to tenants, NULL in others. */
    uint8_t (*owner)(const void *state, uint32_t walker);
    /* Tenants come and go: the walkers are divided anew among those of the mask (bit t: tenant t), of which
     * there is at least one. Walks that wait stay where they are. */
    void (*set_tenants)(void *state, uint32_t tenants);
    /* The same with the walkers of each tenant given, a bit per walker; each belongs to one. */
    void (*set_owners)(void *state, const uint64_t walkers[MP_TENANTS]);
    /* Of schedulers under which a walker may be idle while walks wait, NULL in others: what an idle walker
     * may start now that the tenants have changed, or NULL. */
    struct mp_req *(*wake)(void *state, uint32_t walker);
};

extern const struct mp_walk_scheduler mp_walk_fcfs, mp_walk_static, mp_walk_dws, mp_walk_dwspp;

extern const struct mp_walk_scheduler *const mp_walk_schedulers[]; /* NULL-terminated */
extern const struct mp_design *const mp_walk_scheduler_designs[];
const struct mp_walk_scheduler *mp_walk_scheduler_find(const char *name);

/* Whether the scheduler can have this geometry and these rules. -1: err is "NAME: ..." with what is allowed,
 * where NAME is "walkers", "queue", "compat" or one of the scheduler's own parameters. */
int mp_walk_check(const struct mp_walk_scheduler *s, const struct mp_walk_geometry *g,
                  const struct mp_walk_rules *r, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
