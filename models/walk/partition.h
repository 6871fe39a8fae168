/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walkers that belong to tenants and have queues of their own: what static partitions, DWS and DWS++ have in
 * common (DWS Sec. VI-B). Each walker's queue takes queue / walkers walks. A tenant that owns no walker (it
 * has left) may use all.
 *
 * Longest and shortest count walks that wait, not the one under way; of equal queues the lowest walker's.
 */
#ifndef MP_WALK_PARTITION_H
#define MP_WALK_PARTITION_H

#include "walk/dws_state.h"

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
const struct mp_req_queue *mp_partition_queue(const void *state, uint32_t walker);

/* Where this tenant's walks go. */
static inline uint64_t mp_partition_walkers(const struct mp_partition *p, uint8_t tenant)
{
    uint64_t all = ~0ull >> (MP_DWS_WALKERS - p->g.walkers);
    return p->t.twm_walkers[tenant] ? p->t.twm_walkers[tenant] : all;
}

/* Among these walkers: the one whose queue is longest, MP_NO_WALKER when nothing waits. */
int mp_partition_longest(const struct mp_partition *p, uint64_t walkers);
bool mp_partition_queues_have_room(const struct mp_partition *p, uint64_t walkers);

/* The walk comes to one of these idle walkers, else into its tenant's shortest queue; as
 * mp_walk_scheduler.arrive. */
int mp_partition_arrive(struct mp_partition *p, struct mp_req *walk, uint64_t idle);

/* Whose queue the walker serves next without regard to other tenants: its own, else the longest of its
 * owner's; MP_NO_WALKER when nothing waits in them. */
int mp_partition_own(const struct mp_partition *p, uint32_t walker);
/* The longest queue of walkers that belong to others. */
int mp_partition_foreign(const struct mp_partition *p, uint32_t walker);

/* The walker starts the head of that walker's queue, or is idle when there is none. */
struct mp_req *mp_partition_start(struct mp_partition *p, uint32_t walker, int from);

#endif
