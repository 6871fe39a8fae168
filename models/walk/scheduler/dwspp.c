/* SPDX-License-Identifier: Apache-2.0 */
/* DWS++: as DWS, but a walker may also steal if another tenant has many more walks waiting than its owner.
 * How many more, DIFF_THRES, depends on the tenants' arrivals in the last epoch (DWS Sec. V, VI-B, Tables IV
 * and VII). */
#include <string.h>

#include "walk/scheduler/dws.h"

const struct mp_walk_thresholds mp_walk_thresholds[] = {
    {"default", {40, 60, 80, 90, MP_WALK_NEVER}, 51},
    {"conservative", {40, 60, 80, 90, MP_WALK_NEVER}, 17},
    {"aggressive", {30, 30, 30, 30, 30}, 51},
    {0},
};

const struct mp_walk_thresholds *mp_walk_thresholds_find(const char *name)
{
    for (const struct mp_walk_thresholds *t = mp_walk_thresholds; t->name; t++)
        if (!strcmp(t->name, name))
            return t;
    return NULL;
}

/* ---- epochs ---- */

/* The position of large / small in the table: at most 1.5, 2, 3, 4, or larger. strict, as in the published
 * simulator: less than 1.5, 2, 3, 4, or at least 4. */
static unsigned ratio_of(uint32_t large, uint32_t small, bool strict)
{
    static const uint32_t halves[] = {3, 4, 6, 8};
    unsigned i = 0;
    while (i < MP_WALK_RATIOS - 1 &&
           (strict ? 2 * large >= halves[i] * small : 2 * large > halves[i] * small))
        i++;
    return i;
}

static void end_epoch(struct mp_partition *p)
{
    bool published = p->r.compat == MP_WALK_HPCA21;
    uint32_t large = 0, small = MP_DWS_COUNT;
    for (uint32_t t = 0; t < p->g.tenants; t++) {
        uint32_t n = p->t.twm_enq_epoch[t];
        p->t.twm_enq_epoch[t] = 0;
        if (!p->t.twm_walkers[t])
            continue; /* the tenant has left */
        large = n > large ? n : large;
        small = n < small ? n : small;
    }
    p->t.epoch = 0;
    if (published && !small)
        p->t.diff_thres = p->r.thresholds.diff[ratio_of(200, 1, true)];
    else
        p->t.diff_thres = p->r.thresholds.diff[ratio_of(large, small ? small : 1, published)];
}

static void count_arrival(struct mp_partition *p, uint8_t tenant)
{
    p->t.twm_enq_epoch[tenant]++;
    if (++p->t.epoch >= p->r.epoch)
        end_epoch(p);
}

/* The published simulator counts attempts: those that are rejected, and each time they are tried again. */
static int arrive(void *state, struct mp_req *walk)
{
    struct mp_partition *p = state;
    int walker = mp_dws_arrive(p, walk);
    if (walker != MP_WALK_NO_ROOM || p->r.compat == MP_WALK_HPCA21)
        count_arrival(p, walk->tenant);
    return walker;
}

/* ---- stealing by threshold ---- */

/* The tenant with the most waiting walks, other than the owner; the owner if there is no other. */
static uint8_t other_of(const struct mp_partition *p, uint8_t owner)
{
    uint8_t best = owner;
    for (uint8_t t = 0; t < p->g.tenants; t++)
        if (t != owner && (best == owner || p->t.twm_pend_walks[t] > p->t.twm_pend_walks[best]))
            best = t;
    return best;
}

/* Whether the tenants' waiting walks differ by more than `percent` of the places: of the places in all
 * queues, or for hpca21 each tenant's walks as a share of that tenant's places (a/b - c/d > x/100, without
 * fractions). */
static bool far_apart(const struct mp_partition *p, uint8_t other, uint8_t owner, int64_t percent)
{
    int64_t more = p->t.twm_pend_walks[other], less = p->t.twm_pend_walks[owner];
    if (p->r.compat == MP_WALK_PAPER)
        return (more - less) * 100 > percent * p->g.queue;
    int64_t theirs = (int64_t)__builtin_popcountll(p->t.twm_walkers[other]) * p->capacity;
    int64_t mine = (int64_t)__builtin_popcountll(p->t.twm_walkers[owner]) * p->capacity;
    return (more * mine - less * theirs) * 100 > percent * theirs * mine;
}

/* Returns the queue from which the walker steals although its owner's walks may wait, or MP_NO_WALKER. */
static int by_threshold(const struct mp_partition *p, uint32_t walker)
{
    uint8_t owner = p->t.wtm_tenant[walker], other = other_of(p, owner);
    if (p->t.diff_thres == MP_WALK_NEVER || other == owner || p->t.fwa_is_stolen >> walker & 1 ||
        p->queue[walker].length * 100 > p->r.thresholds.queue * p->capacity ||
        !far_apart(p, other, owner, p->t.diff_thres))
        return MP_NO_WALKER;
    return mp_partition_longest(p, p->t.twm_walkers[other]);
}

static struct mp_req *complete(void *state, uint32_t walker)
{
    struct mp_partition *p = state;
    int from = by_threshold(p, walker);
    bool stolen = from != MP_NO_WALKER;
    if (p->r.compat == MP_WALK_HPCA21) {
        p->t.fwa_is_stolen &= ~(1ull << walker);
        p->t.fwa_is_stolen |= (uint64_t)stolen << walker;
    }
    return stolen ? mp_partition_start(p, walker, from) : mp_dws_complete(p, walker);
}

static const struct mp_design_param params[] = {
    MP_WALK_OWNERS_PARAM,
    MP_WALK_COMPAT_PARAM,
    {"thresholds", NULL, "default|conservative|aggressive", 0, 0, 0, "DWS Table VII",
     "how readily a walker steals while its owner has waiting walks", 0},
    {"queue_threshold", "%", NULL, 0, 0, 100, "DWS Table VII",
     "QUEUE_THRES: a walker steals only if its own queue is at most this full; "
     "0: the value of thresholds (51, conservative 17)",
     0},
    {"epoch", "walks", NULL, 200, 1, 4095, "DWS VI-A",
     "number of arrivals after which the tenants' shares of them are compared", 0},
    {0},
};

const struct mp_walk_scheduler mp_walk_dwspp = {
    .design = {.name = "dws++",
               .title = "DWS, and stealing by threshold if another tenant has many more waiting walks",
               .params = params},
    .most_walkers = MP_DWS_WALKERS,
    .most_queue = MP_DWS_COUNT,
    .published = 2,
    .bytes = mp_partition_bytes,
    .init = mp_partition_init,
    .arrive = arrive,
    .room = mp_dws_room,
    .complete = complete,
    .take = mp_partition_take,
    .queue = mp_partition_queue,
    .owner = mp_partition_owner,
    .set_tenants = mp_partition_set_tenants,
    .set_owners = mp_partition_set_owners,
};
