/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slow second model of the walk schedulers, for comparison: it keeps lists of walk numbers, searches and
 * counts whenever it needs to, and computes with fractions. The caller numbers the walks.
 */
#ifndef MP_TB_WALK_REFERENCE_H
#define MP_TB_WALK_REFERENCE_H

#include "walk/scheduler/scheduler.h"

#define REF_WALKERS 8
#define REF_WALKS   4096

/* What the reference knows of a scheduler: one row for each in walk_reference.c. */
struct ref_policy {
    const char *name;
    bool one_line;     /* else walkers belong to tenants and have queues */
    bool steals;       /* a walker takes a walk of another tenant if its owner has none */
    bool by_threshold; /* and sometimes although its owner has some: counts arrivals in epochs */
};

/* Fails the test if the scheduler has no row. */
const struct ref_policy *ref_policy_of(const struct mp_walk_scheduler *s);

struct ref_list {
    int walk[REF_WALKS], length;
};

struct reference {
    const struct ref_policy *policy;
    bool hpca21;
    int walkers, tenants;
    struct mp_walk_geometry g;
    struct mp_walk_rules r;
    int tenant_of[REF_WALKS];
    int owner[REF_WALKERS], serves[REF_WALKERS]; /* serves: a walk, or -1 if idle */
    bool memory[REF_WALKERS]; /* its last walk was stolen; hpca21: its last choice was a steal by threshold */
    struct ref_list queue[REF_WALKERS]; /* one line: the first one only */
    struct ref_list outside;            /* all tenants, in order of arrival */
    int counted[MP_TENANTS], epoch;
    int diff; /* percent, or -1: never */
};

void ref_init(struct reference *r, const struct mp_walk_scheduler *s, const struct mp_walk_geometry *g,
              const struct mp_walk_rules *rules);
void ref_set_tenants(struct reference *r, unsigned mask);

/* Returns the walker that starts the walk, MP_WALK_QUEUED, or MP_WALK_NO_ROOM if it waits outside. */
int ref_arrive(struct reference *r, int walk, int tenant);
/* Returns the walk that comes in from outside, or -1; *where as above. */
int ref_retry(struct reference *r, int *where);
/* Returns the walk at this position of a queue, which leaves. */
int ref_take(struct reference *r, int queue, int at);
/* Returns the walk that the walker starts, or -1 if it becomes idle. */
int ref_complete(struct reference *r, int walker);

#endif
