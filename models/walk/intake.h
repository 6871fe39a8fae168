/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In front of a walk scheduler: requests that find no room wait outside in the order they came, each holding
 * back its own tenant, or everybody where a scheduler has one line for all.
 *
 * What an initiator of a held request may send meanwhile is the link's matter (walk.h); nothing here limits
 * how many wait.
 */
#ifndef MP_WALK_INTAKE_H
#define MP_WALK_INTAKE_H

#include "walk/scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_intake {
    const struct mp_walk_scheduler *scheduler;
    void *state;                       /* the scheduler's */
    bool one_retry;                    /* a cycle: the published simulator */
    struct mp_req_queue outside;       /* in order of arrival */
    uint32_t waiting[MP_WALK_TENANTS]; /* of them, by tenant */
};

/* -1: out of memory. */
int mp_intake_init(struct mp_intake *in, const struct mp_walk_scheduler *scheduler,
                   const struct mp_walk_geometry *g, const struct mp_walk_rules *r);
void mp_intake_free(struct mp_intake *in);

/* A request arrives: the idle walker that starts it now, MP_WALK_QUEUED, or MP_WALK_NO_ROOM: it waits
 * outside. */
int mp_intake_arrive(struct mp_intake *in, struct mp_req *req);

/* Takes in the request that has waited outside longest of those that there is room for, and tells in *walker
 * where it went, as mp_intake_arrive does; NULL: none. Whoever calls this after a cycle's completions calls
 * it until it returns NULL, or once when one_retry. */
struct mp_req *mp_intake_retry(struct mp_intake *in, int *walker);

#ifdef __cplusplus
}
#endif
#endif
