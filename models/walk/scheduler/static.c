/* SPDX-License-Identifier: Apache-2.0 */
/* Static partition: the walkers are divided among the tenants, and a walker serves its owner only (DWS Sec. V
 * and VII-D). */
#include "walk/scheduler/partition.h"

static uint64_t idle_for(const struct mp_partition *p, uint8_t tenant)
{
    return p->t.idle & mp_partition_walkers(p, tenant);
}

static int arrive(void *state, struct mp_req *walk)
{
    return mp_partition_arrive(state, walk, idle_for(state, walk->tenant));
}

static bool room(const void *state, uint8_t tenant)
{
    return idle_for(state, tenant) ||
           mp_partition_queues_have_room(state, mp_partition_walkers(state, tenant));
}

static struct mp_req *complete(void *state, uint32_t walker)
{
    return mp_partition_start(state, walker, mp_partition_own(state, walker));
}

static const struct mp_design_param params[] = {MP_WALK_OWNERS_PARAM, MP_WALK_COMPAT_PARAM, {0}};

const struct mp_walk_scheduler mp_walk_static = {
    .design = {.name = "static", .title = "walkers divided among the tenants", .params = params},
    .most_walkers = MP_DWS_WALKERS,
    .most_queue = MP_DWS_COUNT,
    .bytes = mp_partition_bytes,
    .init = mp_partition_init,
    .arrive = arrive,
    .room = room,
    .complete = complete,
    .take = mp_partition_take,
    .queue = mp_partition_queue,
    .owner = mp_partition_owner,
    .set_tenants = mp_partition_set_tenants,
    .set_owners = mp_partition_set_owners,
    .wake = complete, /* its new owner's walks may have waited for other walkers */
};
