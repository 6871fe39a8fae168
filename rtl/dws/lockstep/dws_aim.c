/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/dws/lockstep/dws_aim.h"

#include <stdlib.h>
#include <string.h>

#include "rtl/dws/lockstep/dws_state.h"
#include "rtl/lockstep/random.h"

#define DRAWS 64u /* states that are drawn to find one with open points */

static const struct mp_partition *model_of(const struct dws_aim *a)
{
    return dws_lockstep_model(a->lockstep);
}

static uint32_t some(struct dws_aim *a, uint32_t bound)
{
    return below(a->random, bound);
}

/* Small numbers and large ones alike: any number of bits, then any number of them, up to `most`. */
static uint32_t any_size(struct dws_aim *a, uint32_t most)
{
    uint32_t bits = 0, n;
    while (most >> bits)
        bits++;
    n = some(a, 1u << some(a, bits + 1));
    return n < most ? n : most;
}

static bool open_point(const struct dws_aim *a, enum dws_table table, unsigned row, unsigned column)
{
    return dws_cover_open(dws_lockstep_cover(a->lockstep), dws_lockstep_base(a->lockstep)->met, table, row,
                          column);
}

static unsigned left(const struct dws_aim *a, enum dws_table first, enum dws_table last)
{
    return dws_cover_left(dws_lockstep_cover(a->lockstep), dws_lockstep_base(a->lockstep)->met, first, last);
}

/* Draws states and keeps the one with most open points for its cost: once() returns their ratio, 0 if there
 * are none. */
static bool draw_best(struct dws_aim *a, unsigned (*once)(struct dws_aim *a))
{
    struct dws_aim best;
    unsigned most = 0;
    for (unsigned n = 0; n < DRAWS; n++) {
        unsigned worth = once(a);
        if (worth > most) {
            most = worth;
            best = *a;
        }
    }
    if (most)
        *a = best;
    return most;
}

/* ---- rules and events on the way ---- */

static void set_rules(struct dws_aim *a, uint32_t epoch, uint8_t queue)
{
    if (!dws_lockstep_varies(a->lockstep))
        return;
    a->thresholds.queue = queue;
    dws_lockstep_rules(a->lockstep, epoch, &a->thresholds);
}

static bool arrive(struct dws_rtl_event *e, uint8_t tenant)
{
    *e = (struct dws_rtl_event){.kind = DWS_RTL_ENQ, .tenant = tenant};
    return true;
}

static bool complete(struct dws_rtl_event *e, uint8_t walker)
{
    *e = (struct dws_rtl_event){.kind = DWS_RTL_DONE, .walker = walker};
    return true;
}

static bool own(struct dws_rtl_event *e, uint8_t walker, uint8_t tenant)
{
    *e = (struct dws_rtl_event){.kind = DWS_RTL_OWN, .walker = walker, .tenant = tenant};
    return true;
}

static bool room(const struct mp_partition *m, uint8_t tenant)
{
    return m->t.idle || mp_partition_queues_have_room(m, mp_partition_walkers(m, tenant));
}

/* The next walker that has not the wanted owner. */
static bool deal(struct dws_aim *a, struct dws_rtl_event *e)
{
    const struct mp_partition *m = model_of(a);
    for (uint8_t w = 0; w < m->g.walkers; w++)
        if (m->t.wtm_tenant[w] != a->owner[w])
            return own(e, w, a->owner[w]);
    return false;
}

/* As long as a walker is idle, no walk waits. */
static bool occupy(struct dws_aim *a, struct dws_rtl_event *e)
{
    return model_of(a)->t.idle && arrive(e, (uint8_t)some(a, model_of(a)->g.tenants));
}

/* Lets the first walk leave a queue that is not empty: by its own walker, which does not steal if it has
 * walks and QUEUE_THRES is 0. */
static bool pop(struct dws_aim *a, uint8_t walker, struct dws_rtl_event *e)
{
    set_rules(a, 1, 0);
    return complete(e, walker);
}

/* A queue, from any on, whose first walk is (or is not) of this tenant. */
static int queue_of(struct dws_aim *a, uint8_t tenant, bool is)
{
    const struct mp_partition *m = model_of(a);
    uint32_t from = some(a, m->g.walkers);
    for (uint32_t i = 0; i < m->g.walkers; i++) {
        uint32_t w = (from + i) % m->g.walkers;
        if (m->queue[w].length && (m->queue[w].head->tenant == tenant) == is)
            return (int)w;
    }
    return MP_NO_WALKER;
}

static int any_queue(const struct mp_partition *m)
{
    return mp_partition_longest(m, ~0ull >> (MP_DWS_WALKERS - m->g.walkers));
}

/* ---- numbers of waiting walks, thresholds by one more or less, ties ---- */

static unsigned open_bits(const struct dws_aim *a, enum dws_border border, uint32_t number)
{
    unsigned n = 0;
    for (; number; number &= number - 1)
        n += open_point(a, DWS_BORDER, border, (unsigned)__builtin_ctz(number));
    return n;
}

/* How many open points the completion of a walker of tenant a meets, if tenant b has the most of the others.
 */
static unsigned worth_of_levels(const struct dws_aim *a)
{
    const struct mp_partition *m = model_of(a);
    uint32_t mine = a->want[a->a], most = a->want[a->b];
    uint32_t thres = dws_state_walks(a->thresholds.diff[0], m->g.queue);
    unsigned n = 0, equal = 0, second = a->b;
    if (a->above)
        return most > mine + thres && mine <= m->capacity && open_point(a, DWS_QUEUE_NO, mine, 0);
    if (most == mine + thres)
        return open_bits(a, DWS_AT, thres) + open_bits(a, DWS_AT_OWN, mine);
    if (most == mine + thres + 1)
        n += open_bits(a, DWS_MORE, most - mine) + open_bits(a, DWS_MORE_OTHER, most);
    for (uint8_t t = 0; t < m->g.tenants; t++) {
        uint32_t bit = a->want[t] ^ most;
        if (t == a->a)
            continue;
        if (!bit) {
            equal++;
            second = t;
        } else if (t < a->b && !(bit & (bit - 1))) {
            n += open_point(a, DWS_OTHER_BIT, (unsigned)__builtin_ctz(bit), 0);
        }
    }
    n += equal == 2  ? open_point(a, DWS_TIE, a->b, second)
         : equal > 2 ? open_point(a, DWS_TIES, equal, 0)
                     : 0;
    n += mine <= m->capacity && open_point(a, DWS_QUEUE_YES, mine, 0);
    return n + open_point(a, DWS_ROLE, a->a, a->b);
}

/* Gives the tenants the walkers that they need, the rest to any or none. Returns false if there are too few.
 */
static bool share_walkers(struct dws_aim *a)
{
    const struct mp_walk_geometry *g = &model_of(a)->g;
    uint32_t places = model_of(a)->capacity, walker = some(a, g->walkers), dealt = 0;
    for (uint8_t t = 0; t <= g->tenants; t++) {
        uint32_t n = (a->want[t] + places - 1) / places;
        n = t == a->a && !n ? 1 : n;
        for (; n; n--) {
            if (dealt++ == g->walkers)
                return false;
            a->owner[walker] = t;
            walker = (walker + 1) % g->walkers;
        }
    }
    for (; dealt < g->walkers; dealt++) {
        a->owner[walker] = a->b;
        walker = (walker + 1) % g->walkers;
    }
    return true;
}

static bool draw_state(struct dws_aim *a)
{
    const struct mp_walk_geometry *g = &model_of(a)->g;
    const struct dws_cover *c = dws_lockstep_cover(a->lockstep);
    uint32_t percent = any_size(a, 99), mine = 0, more, sum, equal;
    memset(a->want, 0, sizeof a->want);
    memset(a->thresholds.diff, (int)percent, sizeof a->thresholds.diff);
    a->a = (uint8_t)(some(a, 4) ? some(a, g->tenants) : g->tenants);
    do
        a->b = (uint8_t)some(a, g->tenants);
    while (a->b == a->a);
    if (a->a < g->tenants)
        mine = some(a, 2) ? some(a, model_of(a)->capacity + 1) : any_size(a, g->queue);
    a->above = mine && !some(a, 3);
    more = dws_state_walks(percent, g->queue) + (a->above || some(a, 3) ? 1 : 0);
    if (!more || !dws_cover_fits(c, mine, mine + more))
        return false;
    /* Which higher tenants have as many waiting walks: none, one, or any. */
    equal = some(a, 3) ? 1u << some(a, g->tenants) : 0;
    equal = some(a, 2) ? equal : some(a, 1u << g->tenants);
    a->want[a->a] = (uint16_t)mine;
    a->want[a->b] = (uint16_t)(mine + more);
    sum = 2 * mine + more;
    for (uint8_t t = 0; t < g->tenants; t++) {
        uint32_t most = mine + more, bit = 1u << some(a, 9);
        if (t == a->a || t == a->b)
            continue;
        a->want[t] = (uint16_t)(t > a->b && equal >> t & 1 ? most
                                : some(a, 2)               ? (most & bit ? most - bit : 0)
                                                           : some(a, 2) * any_size(a, most - 1));
        sum += a->want[t];
    }
    return sum <= g->queue && share_walkers(a);
}

/* The cost is about that of the events on the way. */
static unsigned draw_levels_once(struct dws_aim *a)
{
    const struct mp_partition *m = model_of(a);
    unsigned worth = draw_state(a) ? worth_of_levels(a) : 0, cost = 10;
    if (!worth)
        return 0;
    for (uint32_t t = 0; t < m->g.tenants; t++)
        cost += (unsigned)abs(m->t.twm_pend_walks[t] - a->want[t]);
    for (uint32_t w = 0; w < m->g.walkers; w++)
        cost += m->t.wtm_tenant[w] != a->owner[w];
    return worth * 10000 / cost;
}

static bool draw_levels(struct dws_aim *a)
{
    return draw_best(a, draw_levels_once);
}

/* A walker of the tenant, or of none, whose last walk was not stolen; one with a queue of the wanted length
 * first. */
static int walker_of(const struct dws_aim *a)
{
    const struct mp_partition *m = model_of(a);
    int found = MP_NO_WALKER;
    for (uint32_t w = 0; w < m->g.walkers; w++)
        if (m->t.wtm_tenant[w] == a->a && !(m->t.fwa_is_stolen >> w & 1) &&
            (found == MP_NO_WALKER || m->queue[w].length == a->want[a->a]))
            found = (int)w;
    return found;
}

/* Exchanges the owners of a stolen walker of the tenant and of one that is not stolen. */
static bool exchange(struct dws_aim *a, struct dws_rtl_event *e)
{
    const struct mp_partition *m = model_of(a);
    for (uint8_t i = 0; i < m->g.walkers; i++)
        for (uint8_t j = 0; j < m->g.walkers; j++)
            if (a->owner[i] == a->a && a->owner[j] != a->a && !(m->t.fwa_is_stolen >> j & 1)) {
                a->owner[i] = a->owner[j];
                a->owner[j] = a->a;
                return deal(a, e);
            }
    return false;
}

static bool decide(struct dws_aim *a, struct dws_rtl_event *e)
{
    const struct mp_partition *m = model_of(a);
    int walker = walker_of(a);
    if (walker == MP_NO_WALKER)
        return exchange(a, e);
    uint32_t length = m->queue[walker].length;
    if (dws_state_walks(m->t.diff_thres, m->g.queue) != dws_state_walks(a->thresholds.diff[0], m->g.queue)) {
        int from = queue_of(a, a->b, true); /* the arrival that replaces the walk ends an epoch */
        return from != MP_NO_WALKER && pop(a, (uint8_t)from, e);
    }
    length -= a->above && length;
    set_rules(a, 1 + some(a, 255), (uint8_t)((100 * length + m->capacity - 1) / m->capacity));
    complete(e, (uint8_t)walker);
    if (!draw_levels(a))
        a->left = 1;
    return true;
}

static bool next_level(struct dws_aim *a, struct dws_rtl_event *e)
{
    const struct mp_partition *m = model_of(a);
    int over = -1, from;
    if (deal(a, e) || occupy(a, e))
        return true;
    uint32_t first = some(a, m->g.tenants);
    for (uint32_t i = 0; i < m->g.tenants; i++) {
        uint8_t t = (uint8_t)((first + i) % m->g.tenants);
        if (m->t.twm_pend_walks[t] < a->want[t] && room(m, t)) {
            set_rules(a, 1, 0);
            return arrive(e, t);
        }
        if (m->t.twm_pend_walks[t] > a->want[t] && (over < 0 || queue_of(a, t, true) != MP_NO_WALKER))
            over = t;
    }
    bool reached = over < 0;
    for (uint32_t t = 0; t < m->g.tenants; t++)
        reached &= m->t.twm_pend_walks[t] == a->want[t];
    if (reached)
        return decide(a, e);
    from = over < 0 ? MP_NO_WALKER : queue_of(a, (uint8_t)over, true);
    from = from == MP_NO_WALKER ? any_queue(m) : from;
    return pop(a, (uint8_t)from, e);
}

/* ---- arrivals of an epoch ---- */

static unsigned draw_epoch_once(struct dws_aim *a)
{
    const struct mp_walk_geometry *g = &model_of(a)->g;
    uint32_t fewest = any_size(a, 127), most, limit = some(a, MP_WALK_RATIOS - 1);
    enum dws_limit kind = (enum dws_limit)some(a, DWS_LIMITS);
    memset(a->want, 0, sizeof a->want);
    a->a = (uint8_t)some(a, g->tenants);
    a->b = (uint8_t)((a->a + 1 + some(a, g->tenants - 1)) % g->tenants);
    most = fewest ? dws_cover_most(limit, kind, fewest) : any_size(a, 255);
    if (most < fewest || most + fewest > 255 || !most)
        return 0;
    a->want[a->a] = (uint16_t)most;
    a->want[a->b] = (uint16_t)fewest;
    a->total = most + fewest;
    for (uint32_t w = 0; w < g->walkers; w++)
        a->owner[w] = some(a, 2) ? a->a : a->b;
    a->owner[some(a, g->walkers)] = a->a;
    for (uint8_t t = 0; t < g->tenants; t++) {
        uint32_t n = fewest + some(a, most - fewest + 1);
        if (t == a->a || t == a->b || some(a, 2) || a->total + n > 255)
            continue;
        a->owner[some(a, g->walkers)] = t;
        a->want[t] = (uint16_t)n;
        a->total += n;
    }
    uint64_t owners = 0;
    bool all = true;
    for (uint32_t w = 0; w < g->walkers; w++)
        owners |= 1ull << a->owner[w];
    for (uint8_t t = 0; t < g->tenants; t++) {
        all &= a->want[t] != 0;
        if ((t == a->a || t == a->b || a->want[t]) && !(owners >> t & 1))
            return 0;
    }
    uint32_t bits = 31u - (uint32_t)__builtin_clz(a->total), of_most = 31u - (uint32_t)__builtin_clz(most);
    unsigned n = fewest && of_most < DWS_EPOCH_BITS &&
                 open_point(a, DWS_LIMIT, limit, kind * DWS_EPOCH_BITS + of_most);
    n += open_point(a, DWS_RATIO, a->a, a->b);
    n += !(a->total & (a->total - 1)) && open_point(a, DWS_COUNT, bits, 0);
    n += !(a->total & (a->total + 1)) && open_point(a, DWS_COUNT, bits, 1);
    n += open_point(a, DWS_EVENT, DWS_EPOCH_SHRUNK, 0);
    n += all && open_point(a, DWS_EVENT, DWS_RESET_EPOCH, 0);
    return n * 10000 / (10 + a->total);
}

static bool draw_epoch(struct dws_aim *a)
{
    static const uint8_t diff[MP_WALK_RATIOS] = {3, 9, 20, 35, 60};
    for (unsigned i = 0; i < MP_WALK_RATIOS; i++)
        a->thresholds.diff[i] = (uint8_t)(diff[i] + some(a, 5));
    a->begun = false;
    return draw_best(a, draw_epoch_once);
}

/* An epoch of one arrival ends the one before. */
static bool next_arrival(struct dws_aim *a, struct dws_rtl_event *e)
{
    const struct mp_partition *m = model_of(a);
    uint8_t t = (uint8_t)some(a, m->g.tenants);
    bool last = a->begun && m->t.epoch + 1u == a->total;
    if (deal(a, e))
        return true;
    while (a->begun && m->t.twm_enq_epoch[t] >= a->want[t])
        t = (uint8_t)((t + 1) % m->g.tenants);
    if (!room(m, t)) {
        int from = mp_partition_longest(m, mp_partition_walkers(m, t));
        return pop(a, (uint8_t)from, e);
    }
    set_rules(a, !a->begun ? 1 : !last ? 255 : some(a, 2) ? a->total : 1 + some(a, a->total), 0);
    a->reset =
        a->begun && m->t.epoch + 2u == a->total && open_point(a, DWS_EVENT, DWS_RESET_EPOCH, 0) && some(a, 2);
    a->begun = !last && !a->reset;
    if (last && !draw_epoch(a))
        a->left = 1;
    return arrive(e, t);
}

/* ---- all places for one tenant ---- */

static bool draw_fill(struct dws_aim *a)
{
    const struct mp_walk_geometry *g = &model_of(a)->g;
    uint8_t kind = (uint8_t)some(a, 3);
    a->a = (uint8_t)some(a, g->tenants);
    unsigned all = dws_lockstep_cover(a->lockstep)->values - 1;
    for (uint8_t n = 0; n < g->tenants && !open_point(a, DWS_WAITING, a->a, all); n++)
        a->a = (uint8_t)((a->a + 1) % g->tenants);
    a->b = (uint8_t)((a->a + 1 + some(a, g->tenants - 1)) % g->tenants);
    for (uint32_t w = 0; w < g->walkers; w++)
        a->owner[w] = kind == 0 ? a->a : kind == 1 ? (uint8_t)g->tenants : a->b;
    memset(a->thresholds.diff, 0, sizeof a->thresholds.diff);
    a->turn = 0;
    return true;
}

/* When the places are full, every walker completes once. */
static bool next_fill(struct dws_aim *a, struct dws_rtl_event *e)
{
    const struct mp_partition *m = model_of(a);
    if (deal(a, e))
        return true;
    if (room(m, a->a)) {
        set_rules(a, 1, 0);
        return arrive(e, a->a);
    }
    int from = queue_of(a, a->a, false);
    if (from != MP_NO_WALKER)
        return pop(a, (uint8_t)from, e);
    if (a->turn < m->g.walkers)
        return pop(a, (uint8_t)a->turn++, e);
    a->left = 1;
    a->reset = some(a, 2);
    return arrive(e, a->a);
}

/* ---- lengths of two queues that differ in one bit ---- */

static bool draw_queues_once(struct dws_aim *a)
{
    const struct mp_partition *m = model_of(a);
    uint32_t d = m->capacity, bit, free;
    a->choice = (uint8_t)some(a, DWS_CHOICES);
    bit = some(a, 6);
    if (!open_point(a, DWS_BIT, a->choice, bit))
        return false;
    bit = 1u << bit;
    free = some(a, d + 1) & ~bit;
    if (free + bit > d - (a->choice != DWS_SHORTEST) || (a->choice == DWS_SHORTEST && !free))
        return false;
    a->w = (uint8_t)(1 + some(a, m->g.walkers - 1));
    a->v = (uint8_t)some(a, a->w);
    do
        a->x = (uint8_t)some(a, m->g.walkers);
    while (a->x == a->v || a->x == a->w);
    a->a = (uint8_t)some(a, m->g.tenants);
    a->b = (uint8_t)((a->a + 1 + some(a, m->g.tenants - 1)) % m->g.tenants);
    /* The chosen one is w. */
    a->long_w = (uint8_t)(d - free - (a->choice == DWS_SHORTEST ? bit : 0));
    a->long_v = (uint8_t)(d - free - (a->choice == DWS_SHORTEST ? 0 : bit));
    return true;
}

static bool draw_queues(struct dws_aim *a)
{
    memset(a->thresholds.diff, 0, sizeof a->thresholds.diff);
    for (unsigned n = 0; n < 2 * DRAWS; n++)
        if (model_of(a)->g.walkers > 2 && draw_queues_once(a))
            return true;
    return false;
}

static uint32_t length_of(const struct dws_aim *a, uint32_t walker)
{
    uint32_t others = a->choice == DWS_SHORTEST ? model_of(a)->capacity : 0;
    return walker == a->w ? a->long_w : walker == a->v ? a->long_v : others;
}

/* Tenant a owns the walkers of the mask, tenant b the others. */
static bool owned(struct dws_aim *a, uint64_t walkers, struct dws_rtl_event *e)
{
    for (uint32_t w = 0; w < model_of(a)->g.walkers; w++)
        a->owner[w] = walkers >> w & 1 ? a->a : a->b;
    return deal(a, e);
}

static bool next_length(struct dws_aim *a, struct dws_rtl_event *e)
{
    const struct mp_partition *m = model_of(a);
    const uint8_t two[] = {a->v, a->w};
    uint64_t both = 1ull << a->v | 1ull << a->w;
    if (occupy(a, e))
        return true;
    for (uint8_t w = 0; w < m->g.walkers; w++)
        if (m->queue[w].length > length_of(a, w))
            return pop(a, w, e);
    for (unsigned i = 0; i < 2; i++)
        if (m->queue[two[i]].length < length_of(a, two[i])) {
            set_rules(a, 1, 0);
            return owned(a, 1ull << two[i], e) || arrive(e, a->a);
        }
    if (owned(a, a->choice == DWS_OF_OWNER ? both | 1ull << a->x : both, e))
        return true;
    set_rules(a, 1, 0);
    uint8_t x = a->x;
    bool arrives = a->choice == DWS_SHORTEST;
    if (!draw_queues(a))
        a->left = 1;
    return arrives ? arrive(e, a->owner[two[0]]) : complete(e, x);
}

/* ---- owners ---- */

static bool next_owner(struct dws_aim *a, struct dws_rtl_event *e)
{
    const struct mp_walk_geometry *g = &model_of(a)->g;
    uint32_t n = g->walkers * (g->tenants + 1);
    for (; a->turn < n; a->turn++)
        if (open_point(a, DWS_OWNER, a->turn / (g->tenants + 1), a->turn % (g->tenants + 1)))
            return own(e, (uint8_t)(a->turn / (g->tenants + 1)), (uint8_t)(a->turn % (g->tenants + 1)));
    /* Nobody has walkers: an epoch ends, and then comes a reset. */
    memset(a->owner, (int)g->tenants, sizeof a->owner);
    if (deal(a, e))
        return true;
    set_rules(a, 1, 100);
    a->reset = a->begun;
    a->left = a->begun ? 1 : a->left;
    a->begun = true;
    return arrive(e, (uint8_t)some(a, g->tenants));
}

/* ---- which aim ---- */

static bool draw_owners(struct dws_aim *a)
{
    a->turn = 0;
    a->begun = false;
    return true;
}

static const struct {
    enum dws_table first, last;
    uint32_t events; /* at most */
    bool (*begin)(struct dws_aim *a);
    bool (*next)(struct dws_aim *a, struct dws_rtl_event *e);
} aims[DWS_AIM_KINDS] = {
    [DWS_AIM_LEVELS] = {DWS_TIE, DWS_OTHER_BIT, 2000, draw_levels, next_level},
    [DWS_AIM_EPOCH] = {DWS_RATIO, DWS_COUNT, 2000, draw_epoch, next_arrival},
    [DWS_AIM_FILL] = {DWS_WAITING, DWS_WAITING, 3000, draw_fill, next_fill},
    [DWS_AIM_QUEUES] = {DWS_BIT, DWS_BIT, 1000, draw_queues, next_length},
    [DWS_AIM_OWNERS] = {DWS_OWNER, DWS_OWNER, 1000, draw_owners, next_owner},
};

/* The aims that fill all places and change all owners also reach other points. */
static bool has_open(const struct dws_aim *a, enum dws_aim_kind kind)
{
    if (left(a, aims[kind].first, aims[kind].last))
        return true;
    return kind == DWS_AIM_FILL
               ? open_point(a, DWS_EVENT, DWS_RESET_FULL, 0) || open_point(a, DWS_EVENT, DWS_RESET_STOLEN, 0)
           : kind == DWS_AIM_OWNERS ? open_point(a, DWS_EVENT, DWS_EPOCH_NOBODY, 0) ||
                                          open_point(a, DWS_EVENT, DWS_RESET_OWNERS, 0)
                                    : false;
}

bool dws_aim_begin(struct dws_aim *a, struct dws_lockstep *l, uint64_t *random)
{
    enum dws_aim_kind open[DWS_AIM_KINDS];
    unsigned n = 0;
    a->lockstep = l;
    a->random = random;
    for (enum dws_aim_kind kind = 0; kind < DWS_AIM_KINDS; kind++)
        if (has_open(a, kind))
            open[n++] = kind;
    if (!n)
        return false;
    a->kind = open[some(a, n)];
    a->left = aims[a->kind].events;
    a->reset = false;
    return aims[a->kind].begin(a);
}

bool dws_aim_next(struct dws_aim *a, struct dws_rtl_event *e)
{
    a->reset = false;
    return a->left && a->left-- && aims[a->kind].next(a, e);
}
