/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic page walk stealing: a walker whose owner has no walks waiting takes a walk of another tenant, so
 * that no walker is idle while a walk waits (DWS Sec. V, VI-B). */
#include "walk/scheduler/dws.h"

/* The published simulator gives the walk to the lowest idle walker, whichever tenant owns it. */
static uint64_t idle_for(const struct mp_partition *p, uint8_t tenant)
{
    uint64_t own = p->t.idle & mp_partition_walkers(p, tenant);
    return own && p->r.compat == MP_WALK_PAPER ? own : p->t.idle;
}

int mp_dws_arrive(void *state, struct mp_req *walk)
{
    return mp_partition_arrive(state, walk, idle_for(state, walk->tenant));
}

bool mp_dws_room(const void *state, uint8_t tenant)
{
    const struct mp_partition *p = state;
    return p->t.idle || mp_partition_queues_have_room(p, mp_partition_walkers(p, tenant));
}

struct mp_req *mp_dws_complete(void *state, uint32_t walker)
{
    int from = mp_partition_own(state, walker);
    if (from == MP_NO_WALKER)
        from = mp_partition_foreign(state, walker);
    return mp_partition_start(state, walker, from);
}

static const struct mp_design_param params[] = {MP_WALK_OWNERS_PARAM, MP_WALK_COMPAT_PARAM, {0}};

const struct mp_walk_scheduler mp_walk_dws = {
    .design = {.name = "dws",
               .title = "dynamic page walk stealing if the owner has no waiting walks",
               .params = params},
    .most_walkers = MP_DWS_WALKERS,
    .most_queue = MP_DWS_COUNT,
    .published = MP_TENANTS,
    .bytes = mp_partition_bytes,
    .init = mp_partition_init,
    .arrive = mp_dws_arrive,
    .room = mp_dws_room,
    .complete = mp_dws_complete,
    .take = mp_partition_take,
    .queue = mp_partition_queue,
    .owner = mp_partition_owner,
    .set_tenants = mp_partition_set_tenants,
    .set_owners = mp_partition_set_owners,
};
