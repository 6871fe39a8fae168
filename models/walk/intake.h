/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entrance of a page-walk system, in front of its scheduler. A request for which the scheduler has no
 * room waits outside, in order of arrival. It holds back later requests of its tenant, or those of all
 * tenants if the scheduler has one line for all.
 *
 * The published simulator (MP_WALK_HPCA21) differs, except under a scheduler with one line: at most one
 * request a cycle comes in from outside, and a new arrival takes free room even if earlier requests of its
 * tenant still wait outside.
 *
 * Walks may answer others. What answers what is up to the caller: here is what becomes of a walk that waits.
 * One that the scheduler has chosen for a walker joins a walk in flight if that will answer it; it leaves its
 * place, and the walker takes the next. One that waits in a queue leaves it when it is answered.
 *
 * Nothing here limits how many requests wait: what an initiator may send while one of its requests is held is
 * decided by the link (walk.h).
 */
#ifndef MP_WALK_INTAKE_H
#define MP_WALK_INTAKE_H

#include "walk/scheduler/scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which walks answer others. */
struct mp_intake_sharing {
    void *self;
    /* The scheduler has chosen the walk. Returns whether one in flight will answer it. */
    bool (*joins)(void *self, const struct mp_req *req);
    /* Returns whether this walker's walk, which ends, answers that one. */
    bool (*answers)(void *self, uint32_t walker, struct mp_req *req);
};

struct mp_intake {
    const struct mp_walk_scheduler *scheduler;
    void *state;                  /* the scheduler's */
    bool published;               /* follow the rules of the published simulator */
    struct mp_req_queue outside;  /* in order of arrival */
    uint32_t waiting[MP_TENANTS]; /* requests outside, by tenant */
    uint32_t walkers;
    const struct mp_intake_sharing *sharing; /* or NULL: each walk is walked; set it after init */
    struct mp_req_queue joined;              /* walks that one in flight will answer */
};

/* view: for schedulers that look at walks, or NULL. Returns -1 if memory runs out. */
int mp_intake_init(struct mp_intake *in, const struct mp_walk_scheduler *scheduler,
                   const struct mp_walk_geometry *g, const struct mp_walk_rules *r,
                   const struct mp_walk_view *view);
void mp_intake_free(struct mp_intake *in);

/* A request arrives. Returns the idle walker that starts it now, MP_WALK_QUEUED, or MP_WALK_NO_ROOM if it
 * waits outside. */
int mp_intake_arrive(struct mp_intake *in, struct mp_req *req);

/* Takes in the request that has waited outside longest among those for which there is room. Returns NULL if
 * there is none; *walker is as the result of mp_intake_arrive. Call it after a cycle's completions: until it
 * returns NULL, or only once if `published`. */
struct mp_req *mp_intake_retry(struct mp_intake *in, int *walker);

/* The scheduler has chosen `req` for this walker, by arrive(), complete() or wake(), or NULL. Returns the
 * walk that the walker starts: this one, or the next that does not join one in flight; NULL if there is none,
 * and then the walker is idle. */
static inline struct mp_req *mp_intake_start(struct mp_intake *in, uint32_t walker, struct mp_req *req)
{
    const struct mp_intake_sharing *s = in->sharing;
    while (__builtin_expect(s != NULL, 0) && req && s->joins(s->self, req)) {
        mp_queue_push(&in->joined, req);
        req = in->scheduler->complete(in->state, walker);
    }
    return req;
}

/* This walker's walk ends. Moves the walks that it answers to `done`: first those that have joined, then
 * those in queues, each in order of arrival there. With `sharing` only. */
void mp_intake_answer(struct mp_intake *in, uint32_t walker, struct mp_req_queue *done);

/* The queues of walks that wait inside: one per walker, or one for all. */
static inline uint32_t mp_intake_queues(const struct mp_intake *in)
{
    return in->scheduler->one_line ? 1 : in->walkers;
}

static inline const struct mp_req_queue *mp_intake_queue(const struct mp_intake *in, uint32_t i)
{
    return in->scheduler->queue(in->state, i);
}

#ifdef __cplusplus
}
#endif
#endif
