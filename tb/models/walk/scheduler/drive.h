/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives a walk scheduler with its intake through events, and the reference model, if there is one, through
 * the same events. Checks all invariants after each event. Walks are numbered as they arrive.
 */
#ifndef MP_TB_WALK_DRIVE_H
#define MP_TB_WALK_DRIVE_H

#include "../../engine/fakes.h"

#include "walk/intake.h"
#include "walk/scheduler/dws_state.h"
#include "walk/scheduler/partition.h"
#include "walk_reference.h"

enum driven_where { DRIVEN_OUTSIDE, DRIVEN_WAITS, DRIVEN_SERVED, DRIVEN_DONE };

struct driven {
    struct mp_req req;
    enum driven_where where;
    int walker;
    bool stolen;
    /* number of other tenants' walks that walkers of its tenant started while it waited in a queue, or that
     * the walker that took it was busy with when it arrived, if this walker is its tenant's */
    uint32_t behind;
};

struct drive {
    struct mp_intake intake;
    const struct ref_policy *policy; /* what the reference knows of the scheduler */
    struct mp_walk_geometry g;
    struct mp_walk_rules r;
    uint32_t arrived, done, steals, steals_by_threshold;
    int serves[MP_DWS_WALKERS];     /* a walk; -1: idle */
    uint32_t began[MP_DWS_WALKERS]; /* arrivals before its walk began */
    bool reconfigured;              /* walks may wait in queues of other tenants */
    struct reference *reference;    /* or NULL */
    struct driven walk[REF_WALKS];  /* the first `arrived` */
};

void drive_init(struct drive *d, const struct mp_walk_scheduler *scheduler, const struct mp_walk_geometry *g,
                const struct mp_walk_rules *r, struct reference *reference);
void drive_free(struct drive *d);

/* Returns what mp_intake_arrive does. */
int drive_arrive(struct drive *d, uint8_t tenant);
/* Returns the walk that the walker starts now, or -1. */
int drive_complete(struct drive *d, uint32_t walker);
/* Takes in the requests outside for which there is room: all, or one if that is the rule. */
void drive_retry(struct drive *d);
/* The walk at this position of a queue is answered without a walker. */
void drive_take(struct drive *d, uint32_t queue, uint32_t at);
void drive_set_tenants(struct drive *d, uint32_t mask);

/* Rules with the defaults of the paper. */
struct mp_walk_rules drive_rules(enum mp_walk_compat compat);

#endif
