/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/dws/lockstep/dws_cover.h"

#include <stdio.h>

#include "rtl/dws/lockstep/dws_state.h"

static void met(struct dws_cover *c, enum dws_table table, unsigned row, unsigned column, bool is_met)
{
    mp_rtl_met(dws_cover_at(c, table, row, column), is_met, *c->now);
}

static void event(struct dws_cover *c, enum dws_point point, bool is_met)
{
    met(c, DWS_EVENT, point, 0, is_met);
}

enum has {
    ALWAYS,
    PLUS,
    PLUS_OF_SEVERAL, /* more than two tenants */
    PLUS_VARIES      /* with changing rules */
};

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
    [DWS_CLOCK_DONE_OWN] = {"clock: completion and owner", ALWAYS},
    [DWS_CLOCK_DONE_ENQ] = {"clock: completion and arrival", ALWAYS},
    [DWS_CLOCK_OWN_ENQ] = {"clock: owner and arrival", ALWAYS},
    [DWS_CLOCK_ALL] = {"clock: completion, owner and arrival", ALWAYS},
    [DWS_CLOCK_ITS_OWNER] = {"clock: the completing walker gets another owner", ALWAYS},
    [DWS_CLOCK_FIRST_WALKER] = {"clock: the arrival's tenant gets its first walker", ALWAYS},
    [DWS_CLOCK_LAST_WALKER] = {"clock: the arrival's tenant loses its last walker", ALWAYS},
    [DWS_CLOCK_FULL] = {"clock: a completion makes room for the arrival", ALWAYS},
    [DWS_RESET_FULL] = {"reset: every queue is full", ALWAYS},
    [DWS_RESET_STOLEN] = {"reset: every walker's last walk was stolen", ALWAYS},
    [DWS_RESET_OWNERS] = {"reset: no walker has its first owner", ALWAYS},
    [DWS_RESET_EPOCH] = {"reset: arrivals of every tenant have counted", PLUS},
    [DWS_RESET_DIFF] = {"reset: DIFF_THRES is a number", PLUS},
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
    [DWS_EPOCH_NOBODY] = {"epoch: no tenant has walkers", PLUS},
    [DWS_EPOCH_SHRUNK] = {"epoch: has become shorter than its arrivals", PLUS_VARIES},
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

/* ---- the tables of points ---- */

static unsigned bits_for(unsigned most)
{
    return most ? 1 + bits_for(most / 2) : 0;
}

static bool is_power(unsigned n)
{
    return n && !(n & (n - 1));
}

static void list_values(struct dws_cover *c)
{
    for (unsigned n = 1; n <= c->g.queue; n++)
        if (is_power(n) || is_power(n + 1) || n == c->g.queue) {
            c->value[c->values++] = (uint16_t)n;
            c->place[n] = (uint8_t)c->values;
        }
}

static unsigned places(const struct dws_cover *c)
{
    return c->g.queue / c->g.walkers;
}

/* Whether an epoch with this ratio between two tenants exists. */
static bool divides(const struct dws_cover *c, uint32_t most, uint32_t least)
{
    return c->varies || c->g.tenants > 2 || c->epoch % (most + least) == 0;
}

static bool has_event(const struct dws_cover *c, unsigned point)
{
    enum has has = points[point].has;
    if ((has != ALWAYS && !c->plus) || (has == PLUS_VARIES && !c->varies) ||
        (has == PLUS_OF_SEVERAL && c->g.tenants < 3))
        return false;
    switch (point) {
    case DWS_RESET_EPOCH:
        return c->varies || c->epoch > c->g.tenants;
    case DWS_EPOCH_AT_3_2:
        return divides(c, 3, 2);
    case DWS_EPOCH_AT_2:
        return divides(c, 2, 1);
    case DWS_EPOCH_AT_3:
        return divides(c, 3, 1);
    case DWS_EPOCH_AT_4:
        return divides(c, 4, 1);
    default:
        return point < DWS_STEAL_AT || c->reach >> (point - DWS_STEAL_AT) & 1;
    }
}

/* Whether two queues can differ in this bit of their free places alone. */
static bool has_bit(const struct dws_cover *c, unsigned choice, unsigned bit)
{
    unsigned free = choice == DWS_SHORTEST ? (bit ? 1 : 2) : 0;
    return c->g.walkers > 2 && free + (1u << bit) <= places(c) - (choice != DWS_SHORTEST);
}

bool dws_cover_fits(const struct dws_cover *c, unsigned own, unsigned other)
{
    unsigned d = places(c), walkers = own ? (own + d - 1) / d : 1;
    return walkers + (other + d - 1) / d <= c->g.walkers;
}

static bool is_border(unsigned border, unsigned bit, unsigned own, unsigned difference)
{
    const unsigned of[DWS_BORDERS] = {[DWS_MORE] = difference,
                                      [DWS_MORE_OTHER] = own + difference,
                                      [DWS_AT] = difference,
                                      [DWS_AT_OWN] = own};
    return of[border] >> bit & 1;
}

static bool has_border(const struct dws_cover *c, unsigned border, unsigned bit)
{
    for (unsigned percent = 0; percent < 100; percent++) {
        unsigned difference = dws_state_walks(percent, c->g.queue) + (border < DWS_AT);
        for (unsigned own = 0; difference && own + difference <= c->g.queue; own++)
            if (is_border(border, bit, own, difference) && dws_cover_fits(c, own, own + difference))
                return true;
    }
    return false;
}

/* A limit of the ratio, in halves. */
static const uint8_t halves[MP_WALK_RATIOS - 1] = {3, 4, 6, 8};

unsigned dws_cover_most(unsigned limit, enum dws_limit kind, unsigned fewest)
{
    unsigned twice = halves[limit] * fewest;
    return kind == DWS_EXACTLY    ? (twice & 1 ? 0 : twice / 2)
           : kind == DWS_ONE_MORE ? twice / 2 + 1
                                  : (twice + 1) / 2 - 1;
}

static bool has_limit(unsigned limit, unsigned column)
{
    for (unsigned fewest = 1; fewest < 128; fewest++) {
        unsigned most = dws_cover_most(limit, column / DWS_EPOCH_BITS, fewest);
        if (most >= fewest && most + fewest < 1u << DWS_EPOCH_BITS &&
            bits_for(most) == column % DWS_EPOCH_BITS + 1)
            return true;
    }
    return false;
}

static bool has(const struct dws_cover *c, enum dws_table table, unsigned row, unsigned column)
{
    unsigned d = places(c), t = c->g.tenants;
    switch (table) {
    case DWS_EVENT:
        return has_event(c, row);
    case DWS_SERVES:
        return column != DWS_BY_THRESHOLD || (c->plus && c->reach);
    case DWS_BIT:
        return has_bit(c, row, column) && (row != DWS_OF_VICTIM || (c->plus && c->varies));
    case DWS_TIE:
        return row < column;
    case DWS_TIES:
        return row > 2 && row < c->g.walkers;
    case DWS_ROLE:
    case DWS_RATIO:
        return row != column;
    case DWS_BORDER:
        return has_border(c, row, column);
    case DWS_QUEUE_NO:
        return row > 0;
    case DWS_OTHER_BIT:
        return t > 2 && 1u << row <= c->g.queue - d;
    case DWS_LIMIT:
        return has_limit(row, column);
    default:
        return true;
    }
}

static void list(struct dws_cover *c)
{
    const unsigned w = c->g.walkers, t = c->g.tenants, d = places(c), bits = bits_for(c->g.queue);
    const unsigned sizes[DWS_TABLES][2] = {[DWS_EVENT] = {DWS_POINTS, 1},
                                           [DWS_LENGTH] = {w, d + 1},
                                           [DWS_ARRIVAL] = {t, DWS_ARRIVALS},
                                           [DWS_START] = {w, 2},
                                           [DWS_SERVES] = {w, DWS_SERVED},
                                           [DWS_OWNER] = {w, t + 1},
                                           [DWS_WAITING] = {t, c->values},
                                           [DWS_BIT] = {DWS_CHOICES, bits_for(d)},
                                           [DWS_TIE] = {t, t},
                                           [DWS_TIES] = {t + 1, 1},
                                           [DWS_ROLE] = {t + 1, t},
                                           [DWS_BORDER] = {DWS_BORDERS, bits},
                                           [DWS_QUEUE_YES] = {d + 1, 1},
                                           [DWS_QUEUE_NO] = {d + 1, 1},
                                           [DWS_OTHER_BIT] = {bits, 1},
                                           [DWS_RATIO] = {t, t},
                                           [DWS_LIMIT] = {MP_WALK_RATIOS - 1, DWS_LIMITS * DWS_EPOCH_BITS},
                                           [DWS_COUNT] = {DWS_EPOCH_BITS, 2}};
    unsigned place = 0;
    for (enum dws_table table = 0; table < DWS_TABLES; table++) {
        bool there = table < DWS_TIE || (c->plus && c->varies);
        c->table[table].begin = place;
        c->table[table].rows = sizes[table][0];
        c->table[table].columns = sizes[table][1];
        for (unsigned i = 0; i < sizes[table][0] * sizes[table][1]; i++, place++)
            if (there && has(c, table, i / sizes[table][1], i % sizes[table][1]))
                c->listed[c->count++] = (uint16_t)place;
    }
}

void dws_cover_init(struct dws_cover *c, const struct mp_walk_geometry *g, bool plus, bool varies,
                    const struct mp_walk_rules *r)
{
    *c = (struct dws_cover){
        .now = c->now, .g = *g, .plus = plus, .varies = varies, .epoch = r->epoch, .ratio = MP_WALK_RATIOS};
    for (uint32_t i = 0; i < MP_WALK_RATIOS; i++)
        c->reach |= (uint32_t)(varies || dws_state_walks(r->thresholds.diff[i], g->queue) < g->queue) << i;
    list_values(c);
    list(c);
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

/* A queue was chosen among these; which of the lower ones differ from it in one bit? */
static void cover_bits(struct dws_cover *c, const struct mp_partition *p, enum dws_choice choice,
                       uint64_t walkers, int chosen)
{
    for (walkers &= (1ull << chosen) - 1; walkers; walkers &= walkers - 1) {
        int w = __builtin_ctzll(walkers);
        unsigned bit = p->t.fwa_free[w] ^ p->t.fwa_free[chosen];
        if (is_power(bit) && (choice == DWS_SHORTEST ? p->t.fwa_free[w] : p->queue[w].length))
            met(c, DWS_BIT, choice, (unsigned)__builtin_ctz(bit), true);
    }
}

/* ---- arrivals ---- */

static void cover_queued(struct dws_cover *c, const struct mp_partition *p, uint8_t tenant, uint64_t home,
                         bool homeless)
{
    int w = shortest(p, home);
    uint32_t length = p->queue[w].length;
    if (length == p->capacity) {
        event(c, DWS_ENQ_NO_ROOM, true);
        event(c, DWS_ENQ_NO_ROOM_OTHERS, equal(p, all(p), length) < p->g.walkers);
        met(c, DWS_ARRIVAL, tenant, DWS_NO_ROOM, true);
        return;
    }
    met(c, DWS_ARRIVAL, tenant, DWS_WAITS, true);
    event(c, DWS_ENQ_EMPTY, !length);
    event(c, DWS_ENQ_LAST_PLACE, length + 1 == p->capacity);
    event(c, DWS_ENQ_EQUAL, equal(p, home, length) > 1);
    event(c, DWS_ENQ_NOT_LOWEST, w != __builtin_ctzll(home));
    event(c, DWS_ENQ_HOMELESS, homeless);
    cover_bits(c, p, DWS_SHORTEST, home, w);
    uint8_t place = c->place[p->t.twm_pend_walks[tenant] + 1];
    if (place)
        met(c, DWS_WAITING, tenant, place - 1u, true);
}

static uint8_t ratio_of(uint32_t most, uint32_t least)
{
    uint8_t i = 0;
    while (i < MP_WALK_RATIOS - 1 && 2 * most > halves[i] * least)
        i++;
    return i;
}

/* Where the counts are, compared with the limits of the ratio. */
static void cover_limits(struct dws_cover *c, uint32_t most, uint32_t least)
{
    if (most >> DWS_EPOCH_BITS || !least || most < least)
        return;
    unsigned bits = bits_for(most) - 1;
    for (unsigned i = 0; i < MP_WALK_RATIOS - 1; i++)
        for (enum dws_limit kind = 0; kind < DWS_LIMITS; kind++)
            met(c, DWS_LIMIT, i, kind * DWS_EPOCH_BITS + bits, most == dws_cover_most(i, kind, least));
}

static void cover_epoch(struct dws_cover *c, const struct mp_partition *p, uint8_t tenant)
{
    uint32_t most = 0, least = MP_DWS_COUNT, count = p->t.epoch + 1u;
    uint8_t first = 0, last = 0;
    for (uint8_t t = 0; t < p->g.tenants; t++) {
        uint32_t n = p->t.twm_enq_epoch[t] + (t == tenant);
        event(c, DWS_EPOCH_ABSENT, !p->t.twm_walkers[t] && n);
        if (!p->t.twm_walkers[t])
            continue;
        first = n > most ? t : first;
        last = n < least ? t : last;
        most = n > most ? n : most;
        least = n < least ? n : least;
    }
    event(c, DWS_EPOCH_ZERO, !least);
    event(c, DWS_EPOCH_NOBODY, least == MP_DWS_COUNT);
    event(c, DWS_EPOCH_SHRUNK, count > p->r.epoch);
    met(c, DWS_RATIO, first, last, most > least);
    met(c, DWS_COUNT, bits_for(count) - 1, 0, is_power(count));
    met(c, DWS_COUNT, bits_for(count) - 1, 1, is_power(count + 1));
    cover_limits(c, most, least);
    least = least ? least : 1;
    event(c, DWS_EPOCH_AT_3_2, most * 2 == least * 3);
    event(c, DWS_EPOCH_AT_2, most == least * 2);
    event(c, DWS_EPOCH_AT_3, most == least * 3);
    event(c, DWS_EPOCH_AT_4, most == least * 4);
    c->ratio = ratio_of(most, least);
    event(c, DWS_EPOCH_RATIO + c->ratio, true);
}

void dws_cover_arrival(struct dws_cover *c, const struct mp_partition *before, uint8_t tenant)
{
    const struct mp_partition *p = before;
    uint64_t home = mp_partition_walkers(p, tenant), idle = p->t.idle & home;
    bool homeless = !p->t.twm_walkers[tenant];
    bool kept = p->t.idle || p->queue[shortest(p, home)].length < p->capacity;
    event(c, DWS_ENQ_OWN_IDLE, idle && !homeless);
    event(c, DWS_ENQ_OWN_IDLES, idle & (idle - 1) && !homeless);
    event(c, DWS_ENQ_STEAL, p->t.idle && !idle);
    event(c, DWS_ENQ_HOMELESS_IDLE, p->t.idle && homeless);
    met(c, DWS_ARRIVAL, tenant, DWS_WITHOUT_WALKERS, homeless);
    if (p->t.idle) {
        bool its = idle && !homeless;
        met(c, DWS_ARRIVAL, tenant, its ? DWS_ITS : DWS_STEALS, true);
        met(c, DWS_START, (unsigned)__builtin_ctzll(idle ? idle : p->t.idle), !its, true);
    } else {
        cover_queued(c, p, tenant, home, homeless);
    }
    if (c->plus && kept && p->t.epoch + 1u >= p->r.epoch)
        cover_epoch(c, p, tenant);
}

/* ---- completions ---- */

static bool cover_longest(struct dws_cover *c, const struct mp_partition *p, uint64_t walkers,
                          enum dws_point point, enum dws_point several, enum dws_choice choice, int *from)
{
    *from = mp_partition_longest(p, walkers);
    if (*from == MP_NO_WALKER)
        return false;
    event(c, point, true);
    event(c, several, equal(p, walkers, p->queue[*from].length) > 1);
    cover_bits(c, p, choice, walkers, *from);
    return true;
}

/* Who has the most waiting walks, and how nearly others have as many. */
static void cover_several(struct dws_cover *c, const struct mp_partition *p, uint8_t owner, uint8_t other)
{
    uint8_t first = owner == 0, second = other;
    uint32_t as_much = 0;
    for (uint8_t t = 0; t < p->g.tenants; t++) {
        unsigned bit = p->t.twm_pend_walks[t] ^ p->t.twm_pend_walks[other];
        if (t == owner)
            continue;
        if (!bit) {
            as_much++;
            second = t;
        }
        if (t < other && is_power(bit))
            met(c, DWS_OTHER_BIT, (unsigned)__builtin_ctz(bit), 0, true);
    }
    event(c, DWS_PLUS_MOST_OF_OTHERS, other != first);
    event(c, DWS_PLUS_OTHERS_EQUAL, as_much > 1);
    met(c, DWS_TIE, other, second, as_much == 2);
    met(c, DWS_TIES, as_much, 0, as_much > 2);
    met(c, DWS_ROLE, owner, other, true);
}

static void cover_border(struct dws_cover *c, enum dws_border of, uint32_t number)
{
    for (; number; number &= number - 1)
        met(c, DWS_BORDER, of, (unsigned)__builtin_ctz(number), true);
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
    uint32_t most = p->t.twm_pend_walks[other];
    bool apart = most > own + diff_thres,
         waits = mp_partition_longest(p, p->t.twm_walkers[other]) != MP_NO_WALKER;
    bool stolen = p->t.fwa_is_stolen >> walker & 1, room = length <= queue_thres;
    event(c, DWS_PLUS_DIFF_AT, !stolen && room && most == own + diff_thres);
    event(c, DWS_PLUS_QUEUE_ABOVE, !stolen && apart && length == queue_thres + 1);
    event(c, DWS_PLUS_IS_STOLEN, stolen && apart && room);
    if (!stolen && waits && room && most == own + diff_thres) {
        cover_border(c, DWS_AT, diff_thres);
        cover_border(c, DWS_AT_OWN, own);
    }
    met(c, DWS_QUEUE_NO, length, 0, !stolen && waits && apart && length == queue_thres + 1);
    if (stolen || !room || !apart)
        return false;
    if (!waits) {
        event(c, DWS_PLUS_NOTHING, true);
        return false;
    }
    if (most == own + diff_thres + 1) {
        event(c, DWS_PLUS_DIFF_ABOVE, true);
        cover_border(c, DWS_MORE, most - own);
        cover_border(c, DWS_MORE_OTHER, most);
    }
    event(c, DWS_PLUS_QUEUE_AT, length == queue_thres);
    met(c, DWS_QUEUE_YES, length, 0, length == queue_thres);
    event(c, DWS_PLUS_STEAL_BUSY, length > 0);
    event(c, DWS_STEAL_AT + c->ratio, true);
    cover_several(c, p, owner, other);
    met(c, DWS_SERVES, walker, DWS_BY_THRESHOLD, true);
    return cover_longest(c, p, p->t.twm_walkers[other], DWS_PLUS_STEAL, DWS_PLUS_STEAL_EQUAL, DWS_OF_VICTIM,
                         &from);
}

void dws_cover_completion(struct dws_cover *c, const struct mp_partition *before, uint32_t walker)
{
    const struct mp_partition *p = before;
    uint8_t owner = p->t.wtm_tenant[walker];
    const struct mp_req_queue *own = &p->queue[walker];
    uint64_t owners = p->t.twm_walkers[owner];
    enum dws_serves serves = DWS_NO_QUEUE;
    int from;
    event(c, DWS_DONE_NOBODYS, owner >= p->g.tenants);
    if (c->plus && cover_threshold(c, p, walker))
        return;
    if (own->length) {
        event(c, DWS_DONE_OWN, true);
        event(c, DWS_DONE_OWN_FULL, own->length == p->capacity);
        event(c, DWS_DONE_OWN_LAST, own->length == 1);
        event(c, DWS_DONE_OWN_OTHERS_WALK, own->head->tenant != owner);
        serves = DWS_OWN_QUEUE;
    } else if (cover_longest(c, p, owners, DWS_DONE_OWNERS, DWS_DONE_OWNERS_EQUAL, DWS_OF_OWNER, &from)) {
        serves = DWS_OWNERS_QUEUE;
    } else if (cover_longest(c, p, all(p) & ~owners, DWS_DONE_STEAL, DWS_DONE_STEAL_EQUAL, DWS_OF_OTHERS,
                             &from)) {
        event(c, DWS_DONE_STEAL_OWNERS_WALK, p->queue[from].head->tenant == owner);
        serves = DWS_OTHERS_QUEUE;
    } else {
        event(c, DWS_DONE_IDLE, true);
    }
    met(c, DWS_SERVES, walker, serves, true);
}

/* ---- owners, clocks, resets ---- */

void dws_cover_owner(struct dws_cover *c, const struct mp_partition *before, uint32_t walker, uint8_t tenant)
{
    uint8_t was = before->t.wtm_tenant[walker];
    bool other = tenant != was && tenant < before->g.tenants;
    event(c, DWS_OWN_OTHER, other);
    event(c, DWS_OWN_NOBODY, tenant >= before->g.tenants);
    event(c, DWS_OWN_LAST, tenant != was && before->t.twm_walkers[was] == 1ull << walker);
    met(c, DWS_OWNER, walker, tenant, true);
}

void dws_cover_clock(struct dws_cover *c, const struct mp_partition *before, int done, int own,
                     int own_tenant, int enq)
{
    const struct mp_partition *p = before;
    event(c, DWS_CLOCK_DONE_OWN, done >= 0 && own >= 0 && enq < 0);
    event(c, DWS_CLOCK_DONE_ENQ, done >= 0 && own < 0 && enq >= 0);
    event(c, DWS_CLOCK_OWN_ENQ, done < 0 && own >= 0 && enq >= 0);
    event(c, DWS_CLOCK_ALL, done >= 0 && own >= 0 && enq >= 0);
    event(c, DWS_CLOCK_ITS_OWNER, done >= 0 && own == done && own_tenant != p->t.wtm_tenant[done]);
    if (enq >= 0 && own >= 0) {
        uint64_t walkers = p->t.twm_walkers[enq];
        event(c, DWS_CLOCK_FIRST_WALKER, own_tenant == enq && !walkers);
        event(c, DWS_CLOCK_LAST_WALKER, own_tenant != enq && walkers == 1ull << own);
    }
    if (enq >= 0 && done >= 0 && own < 0)
        event(c, DWS_CLOCK_FULL,
              !p->t.idle && !mp_partition_queues_have_room(p, mp_partition_walkers(p, (uint8_t)enq)));
}

void dws_cover_interrupted(struct dws_cover *c, const struct mp_partition *after)
{
    const struct mp_partition *p = after;
    bool first = false, counted = true;
    for (uint32_t w = 0; w < p->g.walkers; w++)
        first |= p->t.wtm_tenant[w] == w % p->g.tenants;
    for (uint32_t t = 0; t < p->g.tenants; t++)
        counted &= p->t.twm_enq_epoch[t] != 0;
    event(c, DWS_RESET_FULL, equal(p, all(p), p->capacity) == p->g.walkers);
    event(c, DWS_RESET_STOLEN, p->t.fwa_is_stolen == all(p));
    event(c, DWS_RESET_OWNERS, !first);
    event(c, DWS_RESET_EPOCH, counted);
    event(c, DWS_RESET_DIFF, p->t.diff_thres != MP_WALK_NEVER);
}

/* ---- the list ---- */

static const char *tenant_or(const struct dws_cover *c, unsigned tenant, char text[12])
{
    if (tenant == c->g.tenants)
        return "none";
    snprintf(text, 12, "%u", tenant);
    return text;
}

static void name_of(const struct dws_cover *c, enum dws_table table, unsigned row, unsigned column,
                    char name[DWS_POINT_NAME])
{
    static const char *const arrivals[] = {"its idle walker", "another's idle walker", "waits", "no room",
                                           "it has no walkers"};
    static const char *const serves[] = {"its own queue", "its owner's queue", "another's queue", "nothing",
                                         "another's queue, by threshold"};
    static const char *const choices[] = {"arrival: the shortest queue",
                                          "completion: its owner's longest queue",
                                          "completion: the longest queue", "threshold: the longest queue"};
    static const char *const borders[] = {"one more, yes: bit %u of it", "one more, yes: bit %u of the most",
                                          "DIFF_THRES, no: bit %u of it",
                                          "DIFF_THRES, no: bit %u of the owner's"};
    static const char *const limits[] = {"1.5", "2", "3", "4"};
    static const char *const kinds[] = {"exactly", "one arrival more", "one arrival less"};
    char text[12], border[48];
    switch (table) {
    case DWS_EVENT:
        snprintf(name, DWS_POINT_NAME, "%s", points[row].name);
        break;
    case DWS_LENGTH:
        snprintf(name, DWS_POINT_NAME, "queue %u: %u long", row, column);
        break;
    case DWS_ARRIVAL:
        snprintf(name, DWS_POINT_NAME, "arrival of tenant %u: %s", row, arrivals[column]);
        break;
    case DWS_START:
        snprintf(name, DWS_POINT_NAME, "idle walker %u: starts %s walk", row,
                 column ? "another tenant's" : "its owner's");
        break;
    case DWS_SERVES:
        snprintf(name, DWS_POINT_NAME, "walker %u: completes, %s", row, serves[column]);
        break;
    case DWS_OWNER:
        snprintf(name, DWS_POINT_NAME, "walker %u: new owner %s", row, tenant_or(c, column, text));
        break;
    case DWS_WAITING:
        snprintf(name, DWS_POINT_NAME, "tenant %u: %u waiting walks", row, c->value[column]);
        break;
    case DWS_BIT:
        snprintf(name, DWS_POINT_NAME, "%s, by bit %u alone", choices[row], column);
        break;
    case DWS_TIE:
        snprintf(name, DWS_POINT_NAME, "threshold: tenants %u and %u have the most", row, column);
        break;
    case DWS_TIES:
        snprintf(name, DWS_POINT_NAME, "threshold: %u others have the most", row);
        break;
    case DWS_ROLE:
        snprintf(name, DWS_POINT_NAME, "threshold: owner %s, from tenant %u", tenant_or(c, row, text),
                 column);
        break;
    case DWS_BORDER:
        snprintf(border, sizeof border, borders[row], column);
        snprintf(name, DWS_POINT_NAME, "difference: %s", border);
        break;
    case DWS_QUEUE_YES:
        snprintf(name, DWS_POINT_NAME, "threshold: its queue is at QUEUE_THRES of %u, yes", row);
        break;
    case DWS_QUEUE_NO:
        snprintf(name, DWS_POINT_NAME, "threshold: its queue is above QUEUE_THRES of %u, no", row - 1);
        break;
    case DWS_OTHER_BIT:
        snprintf(name, DWS_POINT_NAME, "threshold: the most, by bit %u alone", row);
        break;
    case DWS_RATIO:
        snprintf(name, DWS_POINT_NAME, "epoch: most arrivals of tenant %u, fewest of %u", row, column);
        break;
    case DWS_LIMIT:
        snprintf(name, DWS_POINT_NAME, "epoch: ratio %s, %s, up to %u", limits[row],
                 kinds[column / DWS_EPOCH_BITS], (2u << column % DWS_EPOCH_BITS) - 1);
        break;
    default:
        snprintf(name, DWS_POINT_NAME, "epoch: ends with arrival %u", column ? (2u << row) - 1 : 1u << row);
        break;
    }
}

static enum dws_table table_of(const struct dws_cover *c, unsigned place)
{
    enum dws_table table = DWS_TABLES - 1;
    while (c->table[table].begin > place)
        table--;
    return table;
}

bool dws_cover_point(const struct dws_cover *c, unsigned number, char name[DWS_POINT_NAME],
                     struct mp_rtl_point *point)
{
    if (number >= c->count)
        return false;
    unsigned place = c->listed[number];
    enum dws_table table = table_of(c, place);
    unsigned of = place - c->table[table].begin;
    name_of(c, table, of / c->table[table].columns, of % c->table[table].columns, name);
    *point = c->point[place];
    return true;
}

/* Numbers have the order of places. */
int dws_cover_number(const struct dws_cover *c, unsigned place)
{
    unsigned low = 0, high = c->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (c->listed[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->count && c->listed[low] == place ? (int)low : -1;
}

bool dws_cover_open(const struct dws_cover *c, const bool *known, enum dws_table table, unsigned row,
                    unsigned column)
{
    unsigned place = c->table[table].begin + row * c->table[table].columns + column;
    int number = c->point[place].taken ? -1 : dws_cover_number(c, place);
    return number >= 0 && !(known && known[number]);
}

unsigned dws_cover_left(const struct dws_cover *c, const bool *known, enum dws_table first,
                        enum dws_table last)
{
    unsigned left = 0, begin = c->table[first].begin;
    unsigned end = c->table[last].begin + c->table[last].rows * c->table[last].columns;
    for (unsigned number = 0; number < c->count; number++) {
        unsigned place = c->listed[number];
        left += place >= begin && place < end && !c->point[place].taken && !(known && known[number]);
    }
    return left;
}
