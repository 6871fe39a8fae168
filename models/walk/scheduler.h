/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which walker takes which walk. One scheduler is one file here and one line in schedulers.c. A scheduler
 * only queues and chooses; the page-walk system (walk.h) does the walking.
 */
#ifndef MP_WALK_SCHEDULER_H
#define MP_WALK_SCHEDULER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/link.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_walk_geometry {
    uint32_t walkers, queue, tenants;
};

#define MP_WALK_QUEUED  (-1)
#define MP_WALK_NO_ROOM (-2)

struct mp_walk_scheduler {
    const char *name;
    const char *title;
    size_t (*bytes)(const struct mp_walk_geometry *g);
    void (*init)(void *state, const struct mp_walk_geometry *g); /* state: zeroed */
    /* A walk comes: the idle walker that starts it now, MP_WALK_QUEUED, or MP_WALK_NO_ROOM (it was not kept).
     */
    int (*arrive)(void *state, struct mp_req *walk);
    /* A walker is done: the walk it starts in the same cycle, or NULL and it is idle. */
    struct mp_req *(*complete)(void *state, uint32_t walker);
};

extern const struct mp_walk_scheduler mp_walk_fcfs;

extern const struct mp_walk_scheduler *const mp_walk_schedulers[]; /* NULL-terminated */
const struct mp_walk_scheduler *mp_walk_scheduler_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
