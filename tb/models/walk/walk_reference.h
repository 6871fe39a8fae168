/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk schedulers again, for comparison: lists of walk numbers, everything searched for and counted when
 * it is needed, fractions as fractions. Walks are numbered by the caller.
 */
#ifndef MP_TB_WALK_REFERENCE_H
#define MP_TB_WALK_REFERENCE_H

#include "walk/scheduler/scheduler.h"

#define REF_WALKERS 8
#define REF_WALKS   4096

struct ref_list {
    int walk[REF_WALKS], length;
};

struct reference {
    const char *policy;
    bool hpca21;
    int walkers, tenants;
    struct mp_walk_geometry g;
    struct mp_walk_rules r;
    int tenant_of[REF_WALKS];
    int owner[REF_WALKERS], serves[REF_WALKERS]; /* serves: a walk, -1: idle */
    bool memory[REF_WALKERS]; /* its last walk was stolen; hpca21: its last choice was by threshold */
    struct ref_list queue[REF_WALKERS]; /* fcfs has the first alone */
    struct ref_list outside;            /* all tenants, in order of arrival */
    int counted[MP_TENANTS], epoch;
    int diff; /* percent; -1: never */
};

void ref_init(struct reference *r, const char *policy, const struct mp_walk_geometry *g,
              const struct mp_walk_rules *rules);
void ref_set_tenants(struct reference *r, unsigned mask);

/* Where a walk went: a walker, MP_WALK_QUEUED or MP_WALK_NO_ROOM for outside. */
int ref_arrive(struct reference *r, int walk, int tenant);
/* The walk that is taken in, -1 without one; *where as above. */
int ref_retry(struct reference *r, int *where);
/* The walk that the walker starts, -1 when it is idle then. */
int ref_complete(struct reference *r, int walker);

#endif
