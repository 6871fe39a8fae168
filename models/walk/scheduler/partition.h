/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walkers that belong to tenants, each with a separate queue: what static partitions, DWS and DWS++ have in
 * common (DWS Sec. VI-B). Each queue has queue / walkers places. A tenant that owns no walker, since it has
 * left, may use all.
 *
 * A queue's length is the number of walks that wait, without the one in flight. Of queues of equal length,
 * the lowest walker's is chosen.
 */
#ifndef MP_WALK_PARTITION_H
#define MP_WALK_PARTITION_H

#include "walk/scheduler/dws_state.h"

struct mp_partition {
    struct mp_dws_state t; /* first: mp_dws_state() */
    struct mp_walk_geometry g;
    struct mp_walk_rules r;
    uint32_t capacity; /* of a queue */
    struct mp_req_queue queue[MP_DWS_WALKERS];
};

#define MP_NO_WALKER (-1)

size_t mp_partition_bytes(const struct mp_walk_geometry *g);
void mp_partition_init(void *state, const struct mp_walk_geometry *g, const struct mp_walk_rules *r);
void mp_partition_set_tenants(void *state, uint32_t tenants);
void mp_partition_set_owners(void *state, const uint64_t walkers[MP_TENANTS]);
uint8_t mp_partition_owner(const void *state, uint32_t walker);
struct mp_req *mp_partition_take(void *state, uint32_t walker, uint32_t at);
const struct mp_req_queue *mp_partition_queue(const void *state, uint32_t walker);

/* The walkers that this tenant's walks may use. */
static inline uint64_t mp_partition_walkers(const struct mp_partition *p, uint8_t tenant)
{
    uint64_t all = ~0ull >> (MP_DWS_WALKERS - p->g.walkers);
    return p->t.twm_walkers[tenant] ? p->t.twm_walkers[tenant] : all;
}

/* The walker whose queue is longest among these; MP_NO_WALKER if all are empty. */
int mp_partition_longest(const struct mp_partition *p, uint64_t walkers);
bool mp_partition_queues_have_room(const struct mp_partition *p, uint64_t walkers);

/* The walk goes to the lowest of these idle walkers, else to its tenant's shortest queue. Returns what
 * mp_walk_scheduler.arrive does. */
int mp_partition_arrive(struct mp_partition *p, struct mp_req *walk, uint64_t idle);

/* The walker whose queue this walker serves next, within its owner's: its own, else the longest; MP_NO_WALKER
 * if all are empty. */
int mp_partition_own(const struct mp_partition *p, uint32_t walker);
/* The same for the longest queue of other tenants' walkers. */
int mp_partition_foreign(const struct mp_partition *p, uint32_t walker);

/* Returns the head of that walker's queue, which the walker starts, or NULL if `from` is MP_NO_WALKER: it is
 * idle then. */
struct mp_req *mp_partition_start(struct mp_partition *p, uint32_t walker, int from);

#endif
