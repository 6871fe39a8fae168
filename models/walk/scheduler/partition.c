/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/scheduler/partition.h"

const struct mp_dws_state *mp_dws_state(const void *state)
{
    return &((const struct mp_partition *)state)->t;
}

void mp_dws_own(void *state, uint32_t walker, uint8_t tenant)
{
    struct mp_partition *p = state;
    const uint64_t bit = 1ull << walker;
    for (uint32_t t = 0; t < p->g.tenants; t++)
        p->t.twm_walkers[t] = t == tenant ? p->t.twm_walkers[t] | bit : p->t.twm_walkers[t] & ~bit;
    p->t.wtm_tenant[walker] = tenant;
}

/* Bits that hold a number from 0 to most. */
static uint32_t bits_for(uint32_t most)
{
    return most ? 32u - (uint32_t)__builtin_clz(most) : 0;
}

struct mp_dws_bits mp_dws_bits(const struct mp_walk_geometry *g)
{
    return (struct mp_dws_bits){.fwa = g->walkers * (bits_for(g->queue / g->walkers) + 1),
                                .twm = g->tenants * (g->walkers + 2 * MP_DWS_COUNTERS),
                                .wtm = g->walkers * bits_for(g->tenants)};
}

size_t mp_partition_bytes(const struct mp_walk_geometry *g)
{
    (void)g;
    return sizeof(struct mp_partition);
}

void mp_partition_init(void *state, const struct mp_walk_geometry *g, const struct mp_walk_rules *r)
{
    struct mp_partition *p = state;
    p->g = *g;
    p->r = *r;
    p->capacity = g->queue / g->walkers;
    p->t.idle = ~0ull >> (MP_DWS_WALKERS - g->walkers);
    p->t.diff_thres = MP_WALK_NEVER;
    for (uint32_t w = 0; w < g->walkers; w++)
        p->t.fwa_free[w] = (uint16_t)p->capacity;
    if (r->compat == MP_WALK_HPCA21)
        p->t.fwa_is_stolen = p->t.idle;
    mp_partition_set_tenants(p, (1u << g->tenants) - 1);
}

void mp_partition_set_tenants(void *state, uint32_t tenants)
{
    struct mp_partition *p = state;
    uint8_t here[MP_TENANTS];
    uint32_t n = 0;
    for (uint32_t t = 0; t < p->g.tenants; t++)
        if (tenants >> t & 1)
            here[n++] = (uint8_t)t;
    if (!n)
        return; /* no tenant of the mask exists: the owners stay */
    for (uint32_t t = 0; t < p->g.tenants; t++)
        p->t.twm_walkers[t] = 0;
    for (uint32_t w = 0; w < p->g.walkers; w++) {
        uint32_t i = p->r.owners == MP_WALK_BLOCKED ? w * n / p->g.walkers : w % n;
        p->t.wtm_tenant[w] = here[i];
        p->t.twm_walkers[here[i]] |= 1ull << w;
    }
}

void mp_partition_set_owners(void *state, const uint64_t walkers[MP_TENANTS])
{
    struct mp_partition *p = state;
    for (uint32_t t = 0; t < p->g.tenants; t++) {
        p->t.twm_walkers[t] = walkers[t];
        for (uint32_t w = 0; w < p->g.walkers; w++)
            if (walkers[t] >> w & 1)
                p->t.wtm_tenant[w] = (uint8_t)t;
    }
}

uint8_t mp_partition_owner(const void *state, uint32_t walker)
{
    return ((const struct mp_partition *)state)->t.wtm_tenant[walker];
}

const struct mp_req_queue *mp_partition_queue(const void *state, uint32_t walker)
{
    return &((const struct mp_partition *)state)->queue[walker];
}

static int lowest(uint64_t walkers)
{
    return walkers ? __builtin_ctzll(walkers) : MP_NO_WALKER;
}

int mp_partition_longest(const struct mp_partition *p, uint64_t walkers)
{
    int best = MP_NO_WALKER;
    uint32_t length = 0;
    for (; walkers; walkers &= walkers - 1) {
        int w = lowest(walkers);
        if (p->queue[w].length > length) {
            best = w;
            length = p->queue[w].length;
        }
    }
    return best;
}

/* The walker whose queue has the most free places; MP_NO_WALKER if all are full. */
static int shortest(const struct mp_partition *p, uint64_t walkers)
{
    int best = MP_NO_WALKER;
    uint32_t most = 0;
    for (; walkers; walkers &= walkers - 1) {
        int w = lowest(walkers);
        if (p->t.fwa_free[w] > most) {
            best = w;
            most = p->t.fwa_free[w];
        }
    }
    return best;
}

bool mp_partition_queues_have_room(const struct mp_partition *p, uint64_t walkers)
{
    return shortest(p, walkers) != MP_NO_WALKER;
}

/* The walker takes a walk. Whether it counts as stolen depends on the walk's tenant, not on the queue. */
static void take(struct mp_partition *p, uint32_t walker, const struct mp_req *walk)
{
    uint64_t bit = 1ull << walker;
    p->t.idle &= ~bit;
    if (p->r.compat == MP_WALK_HPCA21)
        return;
    if (walk->tenant == p->t.wtm_tenant[walker])
        p->t.fwa_is_stolen &= ~bit;
    else
        p->t.fwa_is_stolen |= bit;
}

int mp_partition_arrive(struct mp_partition *p, struct mp_req *walk, uint64_t idle)
{
    int w = lowest(idle);
    if (w != MP_NO_WALKER) {
        take(p, (uint32_t)w, walk);
        return w;
    }
    w = shortest(p, mp_partition_walkers(p, walk->tenant));
    if (w == MP_NO_WALKER)
        return MP_WALK_NO_ROOM;
    mp_queue_push(&p->queue[w], walk);
    p->t.fwa_free[w]--;
    p->t.twm_pend_walks[walk->tenant]++;
    return MP_WALK_QUEUED;
}

int mp_partition_own(const struct mp_partition *p, uint32_t walker)
{
    if (p->queue[walker].length)
        return (int)walker;
    return mp_partition_longest(p, p->t.twm_walkers[p->t.wtm_tenant[walker]]);
}

int mp_partition_foreign(const struct mp_partition *p, uint32_t walker)
{
    return mp_partition_longest(p, ~p->t.twm_walkers[p->t.wtm_tenant[walker]] &
                                       ~0ull >> (MP_DWS_WALKERS - p->g.walkers));
}

/* The walk has left this walker's queue. */
static struct mp_req *left(struct mp_partition *p, uint32_t walker, struct mp_req *walk)
{
    p->t.fwa_free[walker]++;
    p->t.twm_pend_walks[walk->tenant]--;
    return walk;
}

struct mp_req *mp_partition_take(void *state, uint32_t walker, uint32_t at)
{
    struct mp_partition *p = state;
    return left(p, walker, mp_queue_take(&p->queue[walker], at));
}

struct mp_req *mp_partition_start(struct mp_partition *p, uint32_t walker, int from)
{
    if (from == MP_NO_WALKER) {
        p->t.idle |= 1ull << walker;
        return NULL;
    }
    struct mp_req *walk = left(p, (uint32_t)from, mp_queue_pop(&p->queue[from]));
    take(p, walker, walk);
    return walk;
}
