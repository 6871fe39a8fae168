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
 * Nothing here limits how many requests wait: what an initiator may send while one of its requests is held is
 * decided by the link (walk.h).
 */
#ifndef MP_WALK_INTAKE_H
#define MP_WALK_INTAKE_H

#include "walk/scheduler/scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_intake {
    const struct mp_walk_scheduler *scheduler;
    void *state;                  /* the scheduler's */
    bool published;               /* follow the rules of the published simulator */
    struct mp_req_queue outside;  /* in order of arrival */
    uint32_t waiting[MP_TENANTS]; /* requests outside, by tenant */
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

#ifdef __cplusplus
}
#endif
#endif
