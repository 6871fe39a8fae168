/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assignment of walks to walkers. One scheduler is one file here and one word in the list of
 * ../CMakeLists.txt. A scheduler only queues and chooses: requests that wait for room are the intake's
 * (intake.h), walks the system's (walk.h). ../README.md has the rules.
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

/* As in the paper, or as in the simulator that its authors published. */
enum mp_walk_compat { MP_WALK_PAPER, MP_WALK_HPCA21 };

/* Thresholds of DWS++ in percent (DWS Tables IV and VII). DIFF_THRES is diff[0] to diff[3] if the ratio of
 * the tenants' arrivals in an epoch is at most 1.5, 2, 3 or 4, and diff[4] if it is larger. */
#define MP_WALK_RATIOS 5u
#define MP_WALK_NEVER  127u /* as DIFF_THRES: larger than any difference */

struct mp_walk_thresholds {
    const char *name;
    uint8_t diff[MP_WALK_RATIOS];
    uint8_t queue; /* QUEUE_THRES */
};

extern const struct mp_walk_thresholds
    mp_walk_thresholds[]; /* ends with a NULL name; the first is the default */
const struct mp_walk_thresholds *mp_walk_thresholds_find(const char *name);

/* The rules of a scheduler's decisions, which its parameters select, without its sizes. A scheduler uses
 * those of which it has the parameter. */
struct mp_walk_rules {
    enum mp_walk_owners owners;
    enum mp_walk_compat compat;
    uint32_t epoch; /* arrivals, 1 to 4095 */
    struct mp_walk_thresholds thresholds;
    struct mp_design_values own; /* in the order of scheduler->design.params */
};

/* What a scheduler may ask of the page-walk system around it. */
struct mp_walk_view {
    const void *self;
    /* The number of page table reads that the page walk cache would leave for this walk if it started now, at
     * least 1. It is exact for a walk that ends at its page's leaf and reads nothing after its answer, unless
     * method `optimistic` evicts what it looks up next. Asking changes nothing. */
    uint32_t (*work)(const void *self, const struct mp_req *walk);
};

#define MP_WALK_QUEUED  (-1)
#define MP_WALK_NO_ROOM (-2)

struct mp_walk_scheduler {
    struct mp_design design;
    uint32_t most_walkers, most_queue; /* limits of its geometry; 0 if none */
    uint32_t published; /* tenants that the authors' simulator supports under it, with MP_WALK_HPCA21; 0: it
                           does not have it */
    bool one_line;      /* all tenants wait in one line: a request for which there is no room holds back all
                           tenants */
    /* Further conditions; NULL if none. Returns -1 and in err "NAME: ..." with what is allowed, where NAME is
     * a field of the geometry or the rules, or one of the design's own parameters. */
    int (*check)(const struct mp_walk_geometry *g, const struct mp_walk_rules *r, struct mp_error *err);
    /* Returns its counters, one structure of design.counters per tenant; NULL if it has none. */
    void *(*counters)(void *state);

    size_t (*bytes)(const struct mp_walk_geometry *g);
    void (*init)(void *state, const struct mp_walk_geometry *g, const struct mp_walk_rules *r); /* zeroed */
    /* Called after init by a system that has something to say; the view lives as long as the state. NULL in
     * schedulers that ask nothing. */
    void (*watch)(void *state, const struct mp_walk_view *view);
    /* A walk arrives. Its request names the SM, warp and instruction (engine/link.h), if it comes from an SM:
     * of requests for one page that a TLB has merged, those of the first. Returns the idle walker that starts
     * it now, MP_WALK_QUEUED, or MP_WALK_NO_ROOM if it was not kept. */
    int (*arrive)(void *state, struct mp_req *walk);
    /* Returns whether a walk of this tenant would be kept. */
    bool (*room)(const void *state, uint8_t tenant);
    /* A walker is done. Returns the walk that it starts in the same cycle, or NULL, and then it is idle. */
    struct mp_req *(*complete)(void *state, uint32_t walker);
    /* Takes a walk out of queue(state, walker), at this position counted from the head: it has been answered
     * without a walker (walk/method/method.h). */
    struct mp_req *(*take)(void *state, uint32_t walker, uint32_t at);

    /* The walks that wait for this walker, or all that wait if `one_line`. */
    const struct mp_req_queue *(*queue)(const void *state, uint32_t walker);

    /* The rest is for schedulers whose walkers belong to tenants, and NULL in others. */
    uint8_t (*owner)(const void *state, uint32_t walker);
    /* Divides the walkers among these tenants, a bit each, at least one. Walks that wait stay where they are.
     */
    void (*set_tenants)(void *state, uint32_t tenants);
    /* The same with the walkers of each tenant given, a bit per walker; each walker belongs to one tenant. */
    void (*set_owners)(void *state, const uint64_t walkers[MP_TENANTS]);
    /* Returns the walk that an idle walker starts after owners have changed, or NULL. Needed only if a walker
     * may be idle while walks wait. */
    struct mp_req *(*wake)(void *state, uint32_t walker);
};

#define MP_WALK_SCHEDULER_NEEDS(EACH, WITH)                                                                  \
    EACH(bytes), EACH(init), EACH(arrive), EACH(room), EACH(complete), EACH(take), EACH(queue),              \
        WITH(owner, set_tenants), WITH(set_tenants, set_owners), WITH(set_owners, owner)

extern const struct mp_walk_scheduler mp_walk_fcfs, mp_walk_static, mp_walk_dws, mp_walk_dwspp, mp_walk_sjf;

extern const struct mp_walk_scheduler *mp_walk_schedulers[]; /* NULL-terminated */
extern const struct mp_design *mp_walk_scheduler_designs[];
const struct mp_walk_scheduler *mp_walk_scheduler_find(const char *name);

/* Parameters that several schedulers bring. */
#define MP_WALK_OWNERS_PARAM                                                                                 \
    {                                                                                                        \
        ".owners", NULL, "interleaved|blocked", MP_WALK_INTERLEAVED, 0, 0, "DWS artifact",                   \
            "where tenants own walkers: in turn or in equal blocks", 0                                       \
    }
#define MP_WALK_COMPAT_PARAM                                                                                 \
    {                                                                                                        \
        ".compat", NULL, "paper|hpca21", MP_WALK_PAPER, 0, 0, "DWS",                                         \
            "where the paper and the authors' published simulator of these schedulers differ: follow the "   \
            "paper or the simulator",                                                                        \
            0                                                                                                \
    }

/* The rules that these values of the scheduler's parameters mean. */
struct mp_walk_rules mp_walk_rules_of(const struct mp_walk_scheduler *s,
                                      const struct mp_design_values *values);

/* Returns -1 if the scheduler cannot have this geometry and these rules; err is then "NAME: ..." with what is
 * allowed, where NAME is "walkers", "queue", "compat" or one of the scheduler's own parameters. */
int mp_walk_check(const struct mp_walk_scheduler *s, const struct mp_walk_geometry *g,
                  const struct mp_walk_rules *r, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
