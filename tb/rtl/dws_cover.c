/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/dws_cover.h"

#include <stdio.h>

#include "rtl/dws_state.h"

static void met(struct dws_cover *c, struct mp_rtl_point *point, bool is_met)
{
    mp_rtl_met(point, is_met, *c->now);
}

enum has { ALWAYS, PLUS, PLUS_OF_SEVERAL }; /* several: more than two tenants */

static const struct {
    const char *name;
    enum has has;
} points[DWS_POINTS] = {
    [DWS_ENQ_OWN_IDLE] = {"arrival: the idle walker of its tenant", ALWAYS},
    [DWS_ENQ_OWN_IDLES] = {"arrival: the lowest of its tenant's idle walkers", ALWAYS},
    [DWS_ENQ_STEAL] = {"arrival: stolen by an idle walker", ALWAYS},
    [DWS_ENQ_HOMELESS_IDLE] = {"arrival: its tenant has no walkers, one is idle", ALWAYS},
    [DWS_ENQ_EMPTY] = {"arrival: waits, an empty queue", ALWAYS},
    [DWS_ENQ_LAST_PLACE] = {"arrival: waits, the last place of a queue", ALWAYS},
    [DWS_ENQ_EQUAL] = {"arrival: waits, the lowest of equal queues", ALWAYS},
    [DWS_ENQ_NOT_LOWEST] = {"arrival: waits, a queue that is not the first", ALWAYS},
    [DWS_ENQ_HOMELESS] = {"arrival: waits, its tenant has no walkers", ALWAYS},
    [DWS_ENQ_NO_ROOM] = {"arrival: no room", ALWAYS},
    [DWS_ENQ_NO_ROOM_OTHERS] = {"arrival: no room, other tenants have", ALWAYS},
    [DWS_DONE_OWN] = {"completion: its own queue", ALWAYS},
    [DWS_DONE_OWN_FULL] = {"completion: its own queue, which is full", ALWAYS},
    [DWS_DONE_OWN_LAST] = {"completion: its own queue's last walk", ALWAYS},
    [DWS_DONE_OWN_OTHERS_WALK] = {"completion: another tenant's walk in its queue", ALWAYS},
    [DWS_DONE_OWNERS] = {"completion: its owner's longest queue", ALWAYS},
    [DWS_DONE_OWNERS_EQUAL] = {"completion: the lowest of its owner's longest", ALWAYS},
    [DWS_DONE_STEAL] = {"completion: steals from the longest queue", ALWAYS},
    [DWS_DONE_STEAL_EQUAL] = {"completion: steals from the lowest of the longest", ALWAYS},
    [DWS_DONE_STEAL_OWNERS_WALK] = {"completion: its owner's walk in a foreign queue", ALWAYS},
    [DWS_DONE_IDLE] = {"completion: nothing waits", ALWAYS},
    [DWS_DONE_NOBODYS] = {"completion: a walker without an owner", ALWAYS},
    [DWS_OWN_OTHER] = {"owner: another tenant", ALWAYS},
    [DWS_OWN_NOBODY] = {"owner: none", ALWAYS},
    [DWS_OWN_LAST] = {"owner: a tenant loses its last walker", ALWAYS},
    [DWS_PLUS_STEAL] = {"threshold: steals", PLUS},
    [DWS_PLUS_STEAL_EQUAL] = {"threshold: steals from the lowest of the longest", PLUS},
    [DWS_PLUS_STEAL_BUSY] = {"threshold: steals, and walks wait in its own queue", PLUS},
    [DWS_PLUS_DIFF_AT] = {"threshold: the difference is DIFF_THRES, no", PLUS},
    [DWS_PLUS_DIFF_ABOVE] = {"threshold: the difference is one more, yes", PLUS},
    [DWS_PLUS_QUEUE_AT] = {"threshold: its queue is at QUEUE_THRES, yes", PLUS},
    [DWS_PLUS_QUEUE_ABOVE] = {"threshold: its queue is one longer, no", PLUS},
    [DWS_PLUS_IS_STOLEN] = {"threshold: its last walk was stolen, no", PLUS},
    [DWS_PLUS_NOTHING] = {"threshold: yes, but the other's queues are empty", PLUS},
    [DWS_PLUS_MOST_OF_OTHERS] = {"threshold: the other is not the first of several", PLUS_OF_SEVERAL},
    [DWS_PLUS_OTHERS_EQUAL] = {"threshold: the first of several others", PLUS_OF_SEVERAL},
    [DWS_EPOCH_ZERO] = {"epoch: no arrival of a tenant", PLUS},
    [DWS_EPOCH_ABSENT] = {"epoch: a tenant without walkers does not count", PLUS},
    [DWS_EPOCH_AT_3_2] = {"epoch: ratio 1.5 exactly", PLUS},
    [DWS_EPOCH_AT_2] = {"epoch: ratio 2 exactly", PLUS},
    [DWS_EPOCH_AT_3] = {"epoch: ratio 3 exactly", PLUS},
    [DWS_EPOCH_AT_4] = {"epoch: ratio 4 exactly", PLUS},
    [DWS_EPOCH_RATIO + 0] = {"epoch: ratio up to 1.5", PLUS},
    [DWS_EPOCH_RATIO + 1] = {"epoch: ratio up to 2", PLUS},
    [DWS_EPOCH_RATIO + 2] = {"epoch: ratio up to 3", PLUS},
    [DWS_EPOCH_RATIO + 3] = {"epoch: ratio up to 4", PLUS},
    [DWS_EPOCH_RATIO + 4] = {"epoch: ratio beyond 4", PLUS},
    [DWS_STEAL_AT + 0] = {"threshold: steals after ratio up to 1.5", PLUS},
    [DWS_STEAL_AT + 1] = {"threshold: steals after ratio up to 2", PLUS},
    [DWS_STEAL_AT + 2] = {"threshold: steals after ratio up to 3", PLUS},
    [DWS_STEAL_AT + 3] = {"threshold: steals after ratio up to 4", PLUS},
    [DWS_STEAL_AT + 4] = {"threshold: steals after ratio beyond 4", PLUS},
};

void dws_cover_init(struct dws_cover *c, const struct mp_walk_geometry *g, bool plus,
                    const struct mp_walk_rules *r)
{
    *c = (struct dws_cover){.now = c->now, .g = *g, .plus = plus, .epoch = r->epoch, .ratio = MP_WALK_RATIOS};
    for (uint32_t i = 0; i < MP_WALK_RATIOS; i++)
        c->reach |= (uint32_t)(dws_state_walks(r->thresholds.diff[i], g->queue) < g->queue) << i;
}

/* ---- queues ---- */

static uint64_t all(const struct mp_partition *p)
{
    return ~0ull >> (MP_DWS_WALKERS - p->g.walkers);
}

/* Returns the number of these queues with this length. */
static uint32_t equal(const struct mp_partition *p, uint64_t walkers, uint32_t length)
{
    uint32_t n = 0;
    for (; walkers; walkers &= walkers - 1)
        n += p->queue[__builtin_ctzll(walkers)].length == length;
    return n;
}

static int shortest(const struct mp_partition *p, uint64_t walkers)
{
    int best = __builtin_ctzll(walkers);
    for (; walkers; walkers &= walkers - 1)
        if (p->queue[__builtin_ctzll(walkers)].length < p->queue[best].length)
            best = __builtin_ctzll(walkers);
    return best;
}

/* ---- arrivals ---- */

static void cover_queued(struct dws_cover *c, const struct mp_partition *p, uint64_t home, bool homeless)
{
    int w = shortest(p, home);
    uint32_t length = p->queue[w].length;
    if (length == p->capacity) {
        met(c, &c->taken[DWS_ENQ_NO_ROOM], true);
        met(c, &c->taken[DWS_ENQ_NO_ROOM_OTHERS], equal(p, all(p), length) < p->g.walkers);
        return;
    }
    met(c, &c->taken[DWS_ENQ_EMPTY], !length);
    met(c, &c->taken[DWS_ENQ_LAST_PLACE], length + 1 == p->capacity);
    met(c, &c->taken[DWS_ENQ_EQUAL], equal(p, home, length) > 1);
    met(c, &c->taken[DWS_ENQ_NOT_LOWEST], w != __builtin_ctzll(home));
    met(c, &c->taken[DWS_ENQ_HOMELESS], homeless);
}

static uint8_t ratio_of(uint32_t most, uint32_t least)
{
    return most * 2 <= least * 3 ? 0
           : most <= least * 2   ? 1
           : most <= least * 3   ? 2
           : most <= least * 4   ? 3
                                 : 4;
}

static void cover_epoch(struct dws_cover *c, const struct mp_partition *p, uint8_t tenant)
{
    uint32_t most = 0, least = MP_DWS_COUNT;
    for (uint32_t t = 0; t < p->g.tenants; t++) {
        uint32_t n = p->t.twm_enq_epoch[t] + (t == tenant);
        met(c, &c->taken[DWS_EPOCH_ABSENT], !p->t.twm_walkers[t] && n);
        if (!p->t.twm_walkers[t])
            continue;
        most = n > most ? n : most;
        least = n < least ? n : least;
    }
    met(c, &c->taken[DWS_EPOCH_ZERO], !least);
    least = least ? least : 1;
    met(c, &c->taken[DWS_EPOCH_AT_3_2], most * 2 == least * 3);
    met(c, &c->taken[DWS_EPOCH_AT_2], most == least * 2);
    met(c, &c->taken[DWS_EPOCH_AT_3], most == least * 3);
    met(c, &c->taken[DWS_EPOCH_AT_4], most == least * 4);
    c->ratio = ratio_of(most, least);
    met(c, &c->taken[DWS_EPOCH_RATIO + c->ratio], true);
}

void dws_cover_arrival(struct dws_cover *c, const struct mp_partition *before, uint8_t tenant)
{
    const struct mp_partition *p = before;
    uint64_t home = mp_partition_walkers(p, tenant), idle = p->t.idle & home;
    bool homeless = !p->t.twm_walkers[tenant];
    bool kept = p->t.idle || p->queue[shortest(p, home)].length < p->capacity;
    met(c, &c->taken[DWS_ENQ_OWN_IDLE], idle && !homeless);
    met(c, &c->taken[DWS_ENQ_OWN_IDLES], idle & (idle - 1) && !homeless);
    met(c, &c->taken[DWS_ENQ_STEAL], p->t.idle && !idle);
    met(c, &c->taken[DWS_ENQ_HOMELESS_IDLE], p->t.idle && homeless);
    if (!p->t.idle)
        cover_queued(c, p, home, homeless);
    if (c->plus && kept && p->t.epoch + 1u >= p->r.epoch)
        cover_epoch(c, p, tenant);
}

/* ---- completions ---- */

static bool cover_longest(struct dws_cover *c, const struct mp_partition *p, uint64_t walkers,
                          enum dws_point point, enum dws_point several, int *from)
{
    *from = mp_partition_longest(p, walkers);
    if (*from == MP_NO_WALKER)
        return false;
    met(c, &c->taken[point], true);
    met(c, &c->taken[several], equal(p, walkers, p->queue[*from].length) > 1);
    return true;
}

static void cover_several(struct dws_cover *c, const struct mp_partition *p, uint8_t owner, uint8_t other)
{
    uint8_t first = owner == 0;
    uint32_t as_much = 0;
    for (uint8_t t = 0; t < p->g.tenants; t++)
        as_much += t != owner && p->t.twm_pend_walks[t] == p->t.twm_pend_walks[other];
    met(c, &c->taken[DWS_PLUS_MOST_OF_OTHERS], other != first);
    met(c, &c->taken[DWS_PLUS_OTHERS_EQUAL], as_much > 1);
}

/* Whether the walker steals. Walks and places are numbers here, not percentages. */
static bool cover_threshold(struct dws_cover *c, const struct mp_partition *p, uint32_t walker)
{
    uint8_t owner = p->t.wtm_tenant[walker], other = owner;
    uint32_t length = p->queue[walker].length, own = p->t.twm_pend_walks[owner];
    uint32_t queue_thres = p->r.thresholds.queue * p->capacity / 100;
    uint32_t diff_thres = dws_state_walks(p->t.diff_thres, p->g.queue);
    int from;
    for (uint8_t t = 0; t < p->g.tenants; t++)
        if (t != owner && (other == owner || p->t.twm_pend_walks[t] > p->t.twm_pend_walks[other]))
            other = t;
    bool apart = p->t.twm_pend_walks[other] > own + diff_thres;
    bool stolen = p->t.fwa_is_stolen >> walker & 1, room = length <= queue_thres;
    met(c, &c->taken[DWS_PLUS_DIFF_AT], !stolen && room && p->t.twm_pend_walks[other] == own + diff_thres);
    met(c, &c->taken[DWS_PLUS_QUEUE_ABOVE], !stolen && apart && length == queue_thres + 1);
    met(c, &c->taken[DWS_PLUS_IS_STOLEN], stolen && apart && room);
    if (stolen || !room || !apart)
        return false;
    if (mp_partition_longest(p, p->t.twm_walkers[other]) == MP_NO_WALKER) {
        met(c, &c->taken[DWS_PLUS_NOTHING], true);
        return false;
    }
    met(c, &c->taken[DWS_PLUS_DIFF_ABOVE], p->t.twm_pend_walks[other] == own + diff_thres + 1);
    met(c, &c->taken[DWS_PLUS_QUEUE_AT], length == queue_thres);
    met(c, &c->taken[DWS_PLUS_STEAL_BUSY], length > 0);
    met(c, &c->taken[DWS_STEAL_AT + c->ratio], true);
    cover_several(c, p, owner, other);
    return cover_longest(c, p, p->t.twm_walkers[other], DWS_PLUS_STEAL, DWS_PLUS_STEAL_EQUAL, &from);
}

void dws_cover_completion(struct dws_cover *c, const struct mp_partition *before, uint32_t walker)
{
    const struct mp_partition *p = before;
    uint8_t owner = p->t.wtm_tenant[walker];
    const struct mp_req_queue *own = &p->queue[walker];
    uint64_t owners = p->t.twm_walkers[owner];
    int from;
    met(c, &c->taken[DWS_DONE_NOBODYS], owner >= p->g.tenants);
    if (c->plus && cover_threshold(c, p, walker))
        return;
    if (own->length) {
        met(c, &c->taken[DWS_DONE_OWN], true);
        met(c, &c->taken[DWS_DONE_OWN_FULL], own->length == p->capacity);
        met(c, &c->taken[DWS_DONE_OWN_LAST], own->length == 1);
        met(c, &c->taken[DWS_DONE_OWN_OTHERS_WALK], own->head->tenant != owner);
    } else if (cover_longest(c, p, owners, DWS_DONE_OWNERS, DWS_DONE_OWNERS_EQUAL, &from)) {
        return;
    } else if (cover_longest(c, p, all(p) & ~owners, DWS_DONE_STEAL, DWS_DONE_STEAL_EQUAL, &from)) {
        met(c, &c->taken[DWS_DONE_STEAL_OWNERS_WALK], p->queue[from].head->tenant == owner);
    } else {
        met(c, &c->taken[DWS_DONE_IDLE], true);
    }
}

/* ---- owners ---- */

void dws_cover_owner(struct dws_cover *c, const struct mp_partition *before, uint32_t walker, uint8_t tenant)
{
    uint8_t was = before->t.wtm_tenant[walker];
    bool other = tenant != was && tenant < before->g.tenants;
    met(c, &c->taken[DWS_OWN_OTHER], other);
    met(c, &c->taken[DWS_OWN_NOBODY], tenant >= before->g.tenants);
    met(c, &c->taken[DWS_OWN_LAST], tenant != was && before->t.twm_walkers[was] == 1ull << walker);
}

/* ---- the list ---- */

/* Whether an epoch with this ratio between two tenants exists. */
static bool divides(const struct dws_cover *c, uint32_t most, uint32_t least)
{
    return c->g.tenants > 2 || c->epoch % (most + least) == 0;
}

static bool has(const struct dws_cover *c, unsigned point)
{
    if (points[point].has != ALWAYS && !c->plus)
        return false;
    switch (point) {
    case DWS_EPOCH_AT_3_2:
        return divides(c, 3, 2);
    case DWS_EPOCH_AT_2:
        return divides(c, 2, 1);
    case DWS_EPOCH_AT_3:
        return divides(c, 3, 1);
    case DWS_EPOCH_AT_4:
        return divides(c, 4, 1);
    default:
        if (point >= DWS_STEAL_AT)
            return c->reach >> (point - DWS_STEAL_AT) & 1;
        return points[point].has != PLUS_OF_SEVERAL || c->g.tenants > 2;
    }
}

bool dws_cover_point(const struct dws_cover *c, unsigned number, char name[DWS_POINT_NAME],
                     struct mp_rtl_point *point)
{
    uint32_t lengths = c->g.queue / c->g.walkers + 1;
    for (unsigned i = 0; i < DWS_POINTS; i++) {
        if (!has(c, i))
            continue;
        if (!number--) {
            snprintf(name, DWS_POINT_NAME, "%s", points[i].name);
            *point = c->taken[i];
            return true;
        }
    }
    if (number >= c->g.walkers * lengths)
        return false;
    snprintf(name, DWS_POINT_NAME, "queue %u: %u long", number / lengths, number % lengths);
    *point = c->length[number / lengths][number % lengths];
    return true;
}
