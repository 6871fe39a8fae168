/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coalesced walks: each rule by hand; random walks, invalidations and changes of pages compared, response by
 * response, with a slow second model; and what holds for all schedulers.
 */
#include "../walk_bench.h"
#include "walk/method/entry.h"
#include "walk/scheduler/dws_state.h"

#define VA   0x123456600000ull
#define PAGE 4096ull
#define MOST 400u

enum { LINE, LEVELS };

struct neighborhood_stats {
    uint64_t answered, joined, resumed, saved;
};

struct answer {
    uint32_t walk;
    uint64_t when, pa;
    uint8_t fault, source;
};

static struct mp_req request[MOST];
static struct answer answer[MOST];
static uint32_t requests, answers;

static void responded(void *unused, struct mp_req *req)
{
    (void)unused;
    answer[answers++] =
        (struct answer){(uint32_t)(req - request), b.wheel.now, req->pa, req->fault, req->source};
}

static void resumed(void *unused, unsigned port)
{
    (void)unused;
    (void)port;
}

static struct mp_walk_params with(uint32_t walkers)
{
    struct mp_walk_params p = base();
    p.method = &mp_walk_neighborhood;
    p.values = mp_design_defaults(&p.method->design);
    p.format = mp_page_format(4096);
    p.geometry.walkers = walkers;
    p.geometry.queue = 8 * walkers;
    p.pwc_entries = 0;
    return p;
}

static void begin(const struct mp_walk_params *p)
{
    set_up(p);
    requests = answers = 0;
    b.walk.ports.up[0] = mp_initiator_of(responded, resumed, NULL, 0);
}

static enum mp_answer send(uint16_t asid, uint64_t va)
{
    uint32_t delay;
    struct mp_req *req = &request[requests++];
    *req = (struct mp_req){.va = va, .asid = (uint8_t)asid, .tenant = (uint8_t)asid, .op = MP_TRANSLATE};
    return mp_walk_request(&b.walk, 0, req, &delay);
}

static uint64_t counted(size_t offset)
{
    uint64_t sum = 0, value;
    for (uint32_t t = 0; t < b.walk.p.geometry.tenants; t++) {
        memcpy(&value, (char *)b.walk.method_stats + t * sizeof(struct neighborhood_stats) + offset,
               sizeof value);
        sum += value;
    }
    return sum;
}

#define COUNTED(field) counted(offsetof(struct neighborhood_stats, field))

static void came(uint32_t i, uint32_t walk, uint64_t when)
{
    uint64_t pa;
    const struct mp_req *req = &request[walk];
    assert_true(i < answers);
    assert_int_equal(answer[i].walk, walk);
    assert_int_equal(answer[i].when, when);
    assert_int_equal(answer[i].source, MP_FROM_WALK);
    if (mp_page_table_find(&b.table[req->asid], req->va, &pa)) {
        assert_int_equal(answer[i].fault, MP_FAULT_NONE);
        assert_int_equal(answer[i].pa, pa);
    } else {
        assert_int_equal(answer[i].fault & MP_FAULT_CAUSE, MP_FAULT_NOT_VALID);
    }
}

/* ---- by hand ---- */

static void a_line_answers_the_walks_that_wait_for_its_pages(void **state)
{
    (void)state;
    const struct mp_walk_params p = with(1);
    begin(&p);
    for (uint64_t i = 0; i < 9; i++)
        map(0, VA + i * PAGE);
    send(0, VA + 3 * PAGE);
    send(0, VA + 8 * PAGE); /* the next line */
    send(0, VA + 7 * PAGE + 0x123);
    send(0, VA);
    run_dry(&b.wheel);
    assert_int_equal(answers, 4);
    came(0, 0, 4 * LEVEL);
    came(1, 2, 4 * LEVEL);
    came(2, 3, 4 * LEVEL);
    came(3, 1, 5 * LEVEL); /* the first walk gave it the way down to its leaf */
    const struct mp_walk_stats *s = b.walk.stats;
    assert_int_equal(s->walks, 4);
    assert_int_equal(s->levels_read, 5);
    assert_int_equal(s->walk_cycles, 5 * LEVEL);
    assert_int_equal(s->queue_cycles, 3 * 4 * LEVEL);
    assert_int_equal(s->walk_latency.most, 5 * LEVEL);
    assert_int_equal(COUNTED(answered), 2);
    assert_int_equal(COUNTED(joined), 0);
    assert_int_equal(COUNTED(resumed), 1);
    assert_int_equal(COUNTED(saved), 4 + 4 + 3);
    assert_int_equal(b.walk.records.spares, b.walk.records.size);
}

static void the_line_is_as_long_as_configured(void **state)
{
    static const uint32_t lines[] = {8, 16, 64, 128, 4096};
    for (unsigned i = 0; i < 5; i++) {
        struct mp_walk_params p = with(1);
        p.values.v[LINE] = lines[i];
        p.values.v[LEVELS] = 1;
        begin(&p);
        for (uint64_t page = 0; page < 9; page++)
            map(0, VA + page * PAGE);
        send(0, VA);
        send(0, VA);
        send(0, VA + PAGE);
        send(0, VA + 8 * PAGE);
        run_dry(&b.wheel);
        assert_int_equal(COUNTED(answered), 1 + (lines[i] > 8) + (lines[i] > 64));
        assert_int_equal(COUNTED(resumed), 0);
        if (i < 4)
            tear_down(state);
    }
}

static void address_spaces_are_separate(void **state)
{
    (void)state;
    const struct mp_walk_params p = with(1);
    begin(&p);
    map(0, VA);
    map(1, VA);
    send(0, VA);
    send(1, VA);
    run_dry(&b.wheel);
    came(0, 0, 4 * LEVEL);
    came(1, 1, 8 * LEVEL);
    assert_int_equal(COUNTED(answered) + COUNTED(resumed), 0);
}

/* The second walker is free for a walk that no other answers. */
static void a_walk_joins_one_in_flight(void **state)
{
    (void)state;
    const struct mp_walk_params p = with(2);
    begin(&p);
    for (uint64_t i = 0; i < 5; i++)
        map(0, VA + i * PAGE);
    map(0, VA + (1ull << 40));
    send(0, VA);
    at_cycle(50);
    send(0, VA + PAGE);
    assert_int_equal(b.walk.intake.joined.length, 1);
    assert_null(b.walk.walker[1].walk);
    send(0, VA + (1ull << 40));
    assert_non_null(b.walk.walker[1].walk);
    send(0, VA + 2 * PAGE); /* waits in the queue */
    run_dry(&b.wheel);
    came(0, 0, 4 * LEVEL);
    came(1, 1, 4 * LEVEL);
    came(2, 3, 4 * LEVEL);
    came(3, 2, 50 + 4 * LEVEL);
    assert_int_equal(COUNTED(joined), 1);
    assert_int_equal(COUNTED(answered), 2);
    assert_int_equal(b.walk.intake.joined.length, 0);
}

/* A walker that becomes free passes over walks that are answered already, or will be. */
static void a_walker_passes_over_walks_that_join(void **state)
{
    (void)state;
    const struct mp_walk_params p = with(2);
    begin(&p);
    for (uint64_t i = 0; i < 3; i++)
        map(0, VA + i * PAGE);
    map(0, VA + (1ull << 30));
    map(1, VA);
    send(1, VA);
    at_cycle(10);
    send(0, VA);
    send(0, VA + PAGE);
    send(0, VA + (1ull << 30));
    send(0, VA + 2 * PAGE);
    run_until(&b.wheel, 4 * LEVEL);
    assert_int_equal(b.walk.intake.joined.length, 1);
    assert_ptr_equal(b.walk.intake.joined.head, &request[2]);
    assert_ptr_equal(b.walk.walker[0].walk, &request[3]);
    run_dry(&b.wheel);
    came(1, 1, 10 + 4 * LEVEL);
    came(2, 2, 10 + 4 * LEVEL);
    came(3, 4, 10 + 4 * LEVEL);
    came(4, 3, 6 * LEVEL); /* level 2 and 3: the walk of VA gave it the table of level 2 */
    assert_int_equal(COUNTED(joined), 1);
}

/* Walks whose entries are in the same line as those of page 0 at one level, and are others below it. */
static void a_line_of_an_upper_level_spares_reads(void **state)
{
    static const uint64_t near[] = {1ull << 39, 1ull << 30, 1ull << 21, 8ull << 12};
    for (uint32_t levels = 1; levels <= 4; levels++) {
        struct mp_walk_params p = with(1);
        p.values.v[LEVELS] = levels;
        begin(&p);
        map(0, 0);
        send(0, 0);
        uint64_t when = 4 * LEVEL;
        for (uint32_t i = 0; i < 4; i++) {
            map(0, near[i]);
            send(0, near[i]);
        }
        run_dry(&b.wheel);
        came(0, 0, when);
        for (uint32_t i = 0; i < 4; i++) {
            /* the last one has the same entry as page 0 at level 2, in the same line */
            uint32_t spared = i == 3 ? 3 : i + 1, shared = i == 3 ? 2 : i;
            when += (shared + levels >= 4 ? 4 - spared : 4) * LEVEL;
            came(i + 1, i + 1, when);
        }
        assert_int_equal(b.walk.stats[0].levels_read * LEVEL, when);
        assert_int_equal(COUNTED(saved), 20 - when / LEVEL);
        if (levels < 4)
            tear_down(state);
    }
}

/* A walk that begins later is spared less. */
static void the_page_walk_cache_may_know_more(void **state)
{
    (void)state;
    struct mp_walk_params p = with(1);
    p.pwc_entries = 256;
    begin(&p);
    map(0, VA);
    map(0, VA + (1ull << 21));
    map(0, VA + (1ull << 21) + 8 * PAGE);
    send(0, VA + (1ull << 21));
    run_dry(&b.wheel);
    uint64_t start = b.wheel.now;
    send(0, VA);
    send(0, VA + (1ull << 21) + 8 * PAGE);
    run_dry(&b.wheel);
    came(1, 1, start + PWC + 2 * LEVEL); /* reads level 2, which both have in one line */
    came(2, 2, start + 2 * PWC + 3 * LEVEL);
    assert_int_equal(COUNTED(resumed) + COUNTED(saved), 0);
}

static void each_page_has_its_own_fault(void **state)
{
    (void)state;
    const struct mp_walk_params p = with(1);
    begin(&p);
    uint64_t at[MP_MAX_LEVELS];
    map(0, VA);
    map(0, VA + 2 * PAGE);
    send(0, VA + PAGE); /* not mapped */
    send(0, VA + 2 * PAGE);
    send(0, VA + 3 * PAGE);
    run_dry(&b.wheel);
    assert_int_equal(b.walk.stats[0].levels_read, 4);
    assert_int_equal(b.walk.stats[0].faults, 2);
    for (uint32_t i = 0; i < 3; i++) {
        came(i, i, 4 * LEVEL);
        if (i == 1)
            continue;
        assert_int_equal(mp_page_table_walk(&b.table[0], request[i].va, at), 4);
        assert_int_equal(answer[i].pa, at[3]);
        assert_int_equal(answer[i].fault >> MP_FAULT_LEVEL_SHIFT, 3);
    }
}

static void a_fault_above_the_leaves_is_that_of_all_in_the_line(void **state)
{
    (void)state;
    const struct mp_walk_params p = with(1);
    begin(&p);
    uint64_t at[MP_MAX_LEVELS];
    map(0, VA + (1ull << 30)); /* the root's entry only */
    send(0, VA);
    send(0, VA + 7 * PAGE);
    send(0, VA + 8 * PAGE);
    run_dry(&b.wheel);
    came(0, 0, 2 * LEVEL);
    came(1, 1, 2 * LEVEL);
    came(2, 2, 3 * LEVEL);
    assert_int_equal(mp_page_table_walk(&b.table[0], VA, at), 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(answer[i].pa, at[1]);
        assert_int_equal(answer[i].fault, MP_FAULT_NOT_VALID | 1 << MP_FAULT_LEVEL_SHIFT);
    }
}

/* The page of a walk that has joined changes while the line is read: it may be the old one. */
static void a_change_in_the_line_concerns_the_walk(void **state)
{
    const struct mp_scope near = {.va = VA + 7 * PAGE}, far = {.va = VA + 8 * PAGE};
    for (int changes = 0; changes < 2; changes++) {
        const struct mp_walk_params p = with(2);
        begin(&p);
        map(0, VA);
        map(0, VA + 7 * PAGE);
        send(0, VA);
        send(0, VA + 7 * PAGE);
        at_cycle(350);
        assert_int_equal(b.walk.intake.joined.length, 1);
        mp_page_table_change(&b.table[0], VA + 7 * PAGE,
                             changes ? 0 : mp_page_table_entry(&b.table[0], VA + 7 * PAGE));
        mp_walk_invalidate(&b.walk, changes ? &near : &far);
        run_dry(&b.wheel);
        for (uint32_t i = 0; i < 2; i++)
            came(i, i, changes ? 7 * LEVEL : 4 * LEVEL);
        if (!changes)
            tear_down(state);
    }
}

/* A walk waits, and the table that it would begin in is replaced. */
static void what_was_found_for_a_waiting_walk_is_forgotten(void **state)
{
    static const struct mp_scope scope[] = {{.tables = true, .va = VA + (9ull << 30)},
                                            {.tables = true, .va = VA + (8ull << 21)},
                                            {.tables = true, .every_page = true, .asid = 1},
                                            {.tables = true, .every_page = true}};
    for (unsigned i = 0; i < 4; i++) {
        const struct mp_walk_params p = with(1);
        bool forgotten = i % 2;
        begin(&p);
        map(0, VA);
        map(0, VA + (8ull << 21)); /* another line of level 2, in the same table */
        map(1, VA);
        send(0, VA);
        send(1, VA);
        send(0, VA + (8ull << 21));
        at_cycle(6 * LEVEL);
        mp_walk_invalidate(&b.walk, &scope[i]);
        run_dry(&b.wheel);
        came(0, 0, 4 * LEVEL);
        uint64_t again = i == 2 ? 9 * LEVEL : 8 * LEVEL; /* the second walk begins again, too */
        came(1, 1, again);
        came(2, 2, again + (forgotten ? 4 : 2) * LEVEL);
        assert_int_equal(COUNTED(resumed), !forgotten);
        if (i < 3)
            tear_down(state);
    }
}

static void a_request_without_room_is_not_served(void **state)
{
    (void)state;
    struct mp_walk_params p = with(1);
    p.geometry.queue = 1;
    begin(&p);
    map(0, VA);
    map(0, VA + PAGE);
    map(1, VA);
    send(0, VA);
    send(1, VA);
    assert_int_equal(send(0, VA + PAGE), MP_HELD);
    run_dry(&b.wheel);
    came(0, 0, 4 * LEVEL);
    came(1, 1, 8 * LEVEL);
    came(2, 2, 12 * LEVEL);
    assert_int_equal(COUNTED(answered), 0);
}

/* The room of a walk that another answers is that of one outside, in the same cycle. */
static void an_answered_walk_leaves_room(void **state)
{
    (void)state;
    struct mp_walk_params p = with(1);
    p.geometry.queue = 2;
    begin(&p);
    map(0, VA);
    map(0, VA + PAGE);
    map(0, VA + 8 * PAGE);
    map(0, VA + 16 * PAGE);
    map(0, VA + 17 * PAGE);
    send(0, VA);
    send(0, VA + PAGE);
    send(0, VA + 8 * PAGE);
    assert_int_equal(send(0, VA + 16 * PAGE), MP_HELD);
    assert_int_equal(send(0, VA + 17 * PAGE), MP_HELD);
    run_until(&b.wheel, 4 * LEVEL);
    assert_int_equal(b.walk.intake.outside.length, 0);
    run_dry(&b.wheel);
    came(1, 1, 4 * LEVEL);
    came(2, 2, 5 * LEVEL);
    came(3, 3, 9 * LEVEL); /* was outside when the tables were read */
    came(4, 4, 9 * LEVEL);
}

static void an_answered_walk_has_waited_for_others(void **state)
{
    (void)state;
    const struct mp_walk_params p = with(1);
    begin(&p);
    map(0, VA);
    map(0, VA + (1ull << 40));
    map(1, VA);
    map(1, VA + PAGE);
    send(0, VA);
    send(0, VA + (1ull << 40)); /* starts while those of tenant 1 wait */
    send(1, VA);
    send(1, VA + PAGE);
    run_dry(&b.wheel);
    came(3, 3, 11 * LEVEL); /* the second walk began in a table that the first had found */
    assert_int_equal(COUNTED(answered), 1);
    assert_int_equal(b.walk.stats[1].waited_for, 2);
    assert_int_equal(b.walk.stats[0].waited_for, 0);
}

/* An idle walker gets an owner whose first walk in the queue is that of a line in flight. */
static void a_walker_with_a_new_owner_passes_over_walks_that_join(void **state)
{
    (void)state;
    struct mp_walk_params p = with(2);
    p.scheduler = &mp_walk_static;
    begin(&p);
    map(0, VA);
    map(0, VA + PAGE);
    map(0, VA + (1ull << 40));
    send(0, VA);
    send(0, VA + PAGE);
    send(0, VA + (1ull << 40));
    at_cycle(50);
    mp_walk_set_tenants(&b.walk, 1);
    run_dry(&b.wheel);
    came(0, 0, 4 * LEVEL);
    came(1, 1, 4 * LEVEL);
    came(2, 2, 50 + 4 * LEVEL);
    assert_int_equal(COUNTED(joined), 1);
}

static uint32_t shown; /* joined walks that an X-ray shows */

static void show_wait(void *self, const struct mp_xray_wait *wait)
{
    (void)self;
    shown += !strcmp(wait->where, "joined a walk in flight") && wait->outside;
}

static void show_room(void *self, const char *name, uint64_t used, uint64_t room)
{
    (void)self;
    (void)name;
    (void)used;
    (void)room;
}

static void an_x_ray_shows_walks_that_have_joined(void **state)
{
    (void)state;
    const struct mp_walk_params p = with(2);
    const struct mp_xray x = {.wait = show_wait, .room = show_room};
    begin(&p);
    map(0, VA);
    map(0, VA + PAGE);
    send(0, VA);
    send(0, VA + PAGE);
    send(0, VA + 7 * PAGE);
    at_cycle(50);
    shown = 0;
    mp_walk_xray(&b.walk, &x);
    assert_int_equal(shown, 2);
    run_dry(&b.wheel);
    mp_walk_xray(&b.walk, &x);
    assert_int_equal(shown, 2);
}

/* ---- a second model: lists of walks, searched for each event; first come, first served ---- */

enum o_where { O_OUTSIDE, O_WAITS, O_JOINED, O_SERVED, O_DONE };

#define O_PAGES   48
#define O_WALKERS 4

static struct {
    int low[MP_MAX_LEVELS], bits[MP_MAX_LEVELS]; /* of the index, by level */
    int levels, walkers, queue, entries, first, pwc;
    struct {
        uint64_t va, pa;
        bool mapped, reached; /* reached: its tables are there */
    } page[2][O_PAGES];
    struct {
        uint16_t asid;
        uint64_t va, arrived;
        enum o_where where;
        int found;
    } walk[MOST];
    int walks;
    struct {
        int walk, level; /* walk: or -1 */
        uint64_t due, order, started;
        bool reads;
    } walker[O_WALKERS];
    bool cached[2][3][O_PAGES]; /* the entry of this level for this page */
    struct answer answer[MOST];
    uint32_t answers;
    uint64_t order, reads, faults, queue_cycles, walk_cycles;
    struct neighborhood_stats stats;
} o;

static bool o_same(int level, int a, int c)
{
    uint64_t x = o.walk[a].va >> o.low[level], y = o.walk[c].va >> o.low[level];
    uint64_t size = 1ull << o.bits[level];
    return o.walk[a].asid == o.walk[c].asid && x / size == y / size &&
           x % size / (uint64_t)o.entries == y % size / (uint64_t)o.entries;
}

static int o_page(uint16_t asid, uint64_t va)
{
    int i = 0;
    while (o.page[asid][i].va != va)
        i++;
    return i;
}

/* Whether the entry of this level for the walk is valid. */
static bool o_valid(int level, int walk)
{
    uint16_t asid = o.walk[walk].asid;
    uint64_t va = o.walk[walk].va;
    if (level == o.levels - 1)
        return o.page[asid][o_page(asid, va)].mapped;
    for (int i = 0; i < O_PAGES; i++)
        if (o.page[asid][i].reached && o.page[asid][i].va >> o.low[level] == va >> o.low[level])
            return true;
    return false;
}

/* Where the page walk cache lets the walk begin. */
static int o_cached(int walk)
{
    uint16_t asid = o.walk[walk].asid;
    for (int level = o.levels - 1; level-- > 0;)
        for (int i = 0; i < O_PAGES && o.pwc; i++)
            if (o.cached[asid][level][i] &&
                o.page[asid][i].va >> o.low[level] == o.walk[walk].va >> o.low[level])
                return level + 1;
    return 0;
}

static int o_first(enum o_where where, int from)
{
    while (from < o.walks && o.walk[from].where != where)
        from++;
    return from < o.walks ? from : -1;
}

static int o_count(enum o_where where)
{
    int n = 0;
    for (int i = 0; i < o.walks; i++)
        n += o.walk[i].where == where;
    return n;
}

static bool o_joins(int walk)
{
    for (int w = 0; w < o.walkers; w++)
        if (o.walker[w].walk >= 0 && o_same(o.levels - 1, o.walker[w].walk, walk)) {
            o.walk[walk].where = O_JOINED;
            o.stats.joined++;
            return true;
        }
    return false;
}

static void o_plan(int w, uint64_t due)
{
    o.walker[w].due = due;
    o.walker[w].order = o.order++;
}

static void o_read(int w, uint64_t now)
{
    o.reads++;
    o.walker[w].reads = true;
    o_plan(w, now + LEVEL);
}

static void o_start(int w, int walk, uint64_t now)
{
    int cached = o_cached(walk), found = o.walk[walk].found;
    o.walk[walk].where = O_SERVED;
    o.walker[w].walk = walk;
    o.walker[w].started = now;
    o.walker[w].level = found > cached ? found : cached;
    o.queue_cycles += now - o.walk[walk].arrived;
    o.stats.resumed += found > cached;
    o.stats.saved += found > cached ? (uint64_t)(found - cached) : 0;
    if (!o.pwc) {
        o_read(w, now);
        return;
    }
    o.walker[w].reads = false;
    o_plan(w, now + PWC);
}

/* Returns false if there is no room. */
static bool o_comes(int walk, uint64_t now)
{
    for (int w = 0; w < o.walkers; w++)
        if (o.walker[w].walk < 0) {
            if (!o_joins(walk))
                o_start(w, walk, now);
            return true;
        }
    if (o_count(O_WAITS) == o.queue)
        return false;
    o.walk[walk].where = O_WAITS;
    return true;
}

static void o_arrive(uint16_t asid, uint64_t va, uint64_t now)
{
    int i = o.walks++;
    o.walk[i].asid = asid;
    o.walk[i].va = va;
    o.walk[i].arrived = now;
    o.walk[i].found = 0;
    o.walk[i].where = O_DONE; /* so that it is not counted */
    if (o_count(O_OUTSIDE) || !o_comes(i, now))
        o.walk[i].where = O_OUTSIDE;
}

static void o_answer(int walk, int level, uint64_t now)
{
    uint16_t asid = o.walk[walk].asid;
    bool good = level == o.levels - 1 && o_valid(level, walk);
    o.answer[o.answers++] = (struct answer){
        .walk = (uint32_t)walk,
        .when = now,
        .pa = good ? o.page[asid][o_page(asid, o.walk[walk].va)].pa : 0,
        .fault = good ? 0 : (uint8_t)(MP_FAULT_NOT_VALID | (unsigned)level << MP_FAULT_LEVEL_SHIFT)};
    o.faults += !good;
    o.walk[walk].where = O_DONE;
}

static void o_answer_others(int leader, enum o_where where, int level, uint64_t now)
{
    for (int i = o_first(where, 0); i >= 0; i = o_first(where, i + 1))
        if (o_same(o.levels - 1, leader, i)) {
            o.stats.answered++;
            o.stats.saved += (uint64_t)(o.levels - o_cached(i));
            o.queue_cycles += now - o.walk[i].arrived;
            o_answer(i, level, now);
        }
}

static void o_end(int w, uint64_t now)
{
    int walk = o.walker[w].walk, level = o.walker[w].level, next;
    o.walk_cycles += now - o.walker[w].started;
    o_answer(walk, level, now);
    o_answer_others(walk, O_JOINED, level, now);
    o_answer_others(walk, O_WAITS, level, now);
    o.walker[w].walk = -1;
    while ((next = o_first(O_WAITS, 0)) >= 0 && o_joins(next)) {}
    if (next >= 0)
        o_start(w, next, now);
    while ((next = o_first(O_OUTSIDE, 0)) >= 0) {
        o.walk[next].where = O_DONE;
        if (!o_comes(next, now)) {
            o.walk[next].where = O_OUTSIDE;
            break;
        }
    }
}

static void o_event(int w, uint64_t now)
{
    int walk = o.walker[w].walk, level = o.walker[w].level;
    if (!o.walker[w].reads) {
        o_read(w, now);
        return;
    }
    if (level == o.levels - 1 || !o_valid(level, walk)) {
        o_end(w, now);
        return;
    }
    for (int i = o_first(O_WAITS, 0); i >= 0 && level >= o.first; i = o_first(O_WAITS, i + 1))
        if (o_same(level, walk, i) && o_valid(level, i) && o.walk[i].found < level + 1)
            o.walk[i].found = level + 1;
    o.cached[o.walk[walk].asid][level][o_page(o.walk[walk].asid, o.walk[walk].va)] = true;
    o.walker[w].level++;
    o_read(w, now);
}

/* All events before this cycle. */
static void o_run(uint64_t cycle)
{
    for (;;) {
        int next = -1;
        for (int w = 0; w < o.walkers; w++)
            if (o.walker[w].walk >= 0 && o.walker[w].due < cycle &&
                (next < 0 || o.walker[w].due < o.walker[next].due ||
                 (o.walker[w].due == o.walker[next].due && o.walker[w].order < o.walker[next].order)))
                next = w;
        if (next < 0)
            return;
        o_event(next, o.walker[next].due);
    }
}

static bool o_in(const struct mp_scope *s, uint16_t asid, uint64_t va, int shift)
{
    return s->asid == asid && (s->every_page || s->va >> shift == va >> shift);
}

static void o_invalidate(const struct mp_scope *s)
{
    for (int w = 0; w < o.walkers; w++) {
        int walk = o.walker[w].walk, level = o.walker[w].level, shift = 0;
        level = level < o.first ? o.levels - 1 : level;
        while (2 << shift <= o.entries && shift < o.bits[level])
            shift++;
        if (walk >= 0 && o_in(s, o.walk[walk].asid, o.walk[walk].va, o.low[level] + shift))
            o.walker[w].level = 0;
    }
    for (int i = 0; i < o.walks; i++)
        if (o.walk[i].found && o_in(s, o.walk[i].asid, o.walk[i].va, o.low[o.walk[i].found - 1]))
            o.walk[i].found = 0;
    for (int level = 0; level + 1 < o.levels; level++)
        for (int i = 0; i < O_PAGES; i++)
            if (o_in(s, s->asid, o.page[s->asid][i].va, o.low[level]))
                o.cached[s->asid][level][i] = false;
}

/* ---- random runs ---- */

/* Pages that share tables and lines: each is a neighbour, at a random level, of an earlier one. */
static void choose_pages(struct rng *r, uint16_t asid)
{
    for (int i = 0; i < O_PAGES; i++) {
        uint64_t va;
        bool again;
        do {
            int level = (int)rng_below(r, (uint32_t)o.levels + 2);
            level = level < o.levels ? level : o.levels - 1;
            va = i ? o.page[asid][rng_below(r, (uint32_t)i)].va
                   : VA >> o.low[o.levels - 1] << o.low[o.levels - 1];
            va ^= (uint64_t)rng_below(r, 12) << o.low[level];
            again = false;
            for (int k = 0; k < i; k++)
                again |= o.page[asid][k].va == va;
        } while (again);
        o.page[asid][i].va = va;
    }
}

static void map_page(uint16_t asid, int i)
{
    uint64_t va = o.page[asid][i].va;
    map(asid, va);
    assert_true(mp_page_table_find(&b.table[asid], va, &o.page[asid][i].pa));
    o.page[asid][i].mapped = o.page[asid][i].reached = true;
}

/* A page is mapped, or no longer; then walks are told, as software does. */
static void change_page(struct rng *r)
{
    uint16_t asid = (uint16_t)rng_below(r, 2);
    int i = (int)rng_below(r, O_PAGES);
    struct mp_scope scope = {.tables = true, .asid = asid, .va = o.page[asid][i].va};
    scope.every_page = rng_percent(r, 10);
    if (!o.page[asid][i].mapped) {
        map_page(asid, i);
    } else {
        assert_true(mp_page_table_unmap(&b.table[asid], scope.va, &o.page[asid][i].pa));
        o.page[asid][i].mapped = false;
    }
    mp_walk_invalidate(&b.walk, &scope);
    o_invalidate(&scope);
}

static struct mp_walk_params random_params(struct rng *r)
{
    struct mp_walk_params p = with(rng_between(r, 1, O_WALKERS));
    static const uint64_t lines[] = {8, 16, 32, 64, 64, 64, 128, 4096};
    p.format = mp_page_format(rng_percent(r, 60) ? 4096 : 65536);
    p.geometry.queue = rng_between(r, 1, 24);
    p.values.v[LINE] = lines[rng_below(r, 8)];
    p.values.v[LEVELS] = rng_between(r, 1, 4);
    p.pwc_entries = rng_percent(r, 50) ? 8192 : 0; /* enough for all */
    p.pwc_ways = 64;
    return p;
}

static void o_begin(const struct mp_walk_params *p)
{
    memset(&o, 0, sizeof o);
    o.levels = (int)p->format->levels;
    for (int i = 0; i < o.levels; i++) {
        o.low[i] = p->format->low_bit[i];
        o.bits[i] = p->format->bits[i];
    }
    o.walkers = (int)p->geometry.walkers;
    o.queue = (int)p->geometry.queue;
    o.entries = (int)p->values.v[LINE] / 8;
    o.first = o.levels - (int)p->values.v[LEVELS];
    o.pwc = (int)p->pwc_entries;
    for (int w = 0; w < o.walkers; w++)
        o.walker[w].walk = -1;
}

static void compare(void)
{
    uint64_t reads = 0, faults = 0, queue_cycles = 0, walk_cycles = 0;
    assert_int_equal(answers, o.answers);
    for (uint32_t i = 0; i < answers; i++) {
        assert_int_equal(answer[i].walk, o.answer[i].walk);
        assert_int_equal(answer[i].when, o.answer[i].when);
        assert_int_equal(answer[i].fault, o.answer[i].fault);
        if (!answer[i].fault)
            assert_int_equal(answer[i].pa, o.answer[i].pa);
    }
    for (uint32_t t = 0; t < 2; t++) {
        reads += b.walk.stats[t].levels_read;
        faults += b.walk.stats[t].faults;
        queue_cycles += b.walk.stats[t].queue_cycles;
        walk_cycles += b.walk.stats[t].walk_cycles;
    }
    assert_int_equal(reads, o.reads);
    assert_int_equal(faults, o.faults);
    assert_int_equal(queue_cycles, o.queue_cycles);
    assert_int_equal(walk_cycles, o.walk_cycles);
    assert_int_equal(COUNTED(answered), o.stats.answered);
    assert_int_equal(COUNTED(joined), o.stats.joined);
    assert_int_equal(COUNTED(resumed), o.stats.resumed);
    assert_int_equal(COUNTED(saved), o.stats.saved);
}

static void random_run(struct rng *r, struct neighborhood_stats *sum)
{
    const struct mp_walk_params p = random_params(r);
    uint32_t changes = rng_percent(r, 50) ? rng_below(r, 20) : 0, pause = rng_between(r, 1, 150);
    begin(&p);
    o_begin(&p);
    for (uint16_t asid = 0; asid < 2; asid++) {
        choose_pages(r, asid);
        for (int i = 0; i < O_PAGES; i++)
            if (rng_percent(r, 80))
                map_page(asid, i);
    }
    for (uint64_t now = 0; requests < MOST; now += rng_below(r, pause)) {
        if (now > b.wheel.now)
            at_cycle(now);
        o_run(now);
        if (rng_percent(r, changes))
            change_page(r);
        uint16_t asid = (uint16_t)(rng_below(r, 4) == 0);
        uint64_t va = o.page[asid][rng_below(r, O_PAGES)].va;
        send(asid, va);
        o_arrive(asid, va, now);
    }
    run_dry(&b.wheel);
    o_run(UINT64_MAX);
    assert_int_equal(answers, MOST);
    compare();
    assert_true(mp_walk_idle(&b.walk) && !b.walk.intake.joined.length);
    assert_int_equal(b.walk.records.spares, b.walk.records.size);
    sum->answered += o.stats.answered;
    sum->joined += o.stats.joined;
    sum->resumed += o.stats.resumed;
}

static void against_a_second_model(void **state)
{
    struct rng r = rng_start("neighborhood", 121);
    struct neighborhood_stats sum = {0};
    for (int i = 0; i < 200; i++) {
        random_run(&r, &sum);
        if (i < 199)
            tear_down(state);
    }
    assert_true(sum.answered > 8000 && sum.joined > 2000 && sum.resumed > 4000);
}

/* ---- all schedulers ---- */

static void nothing_is_left(const struct mp_walk *w)
{
    const struct mp_walk_geometry *g = &w->p.geometry;
    assert_true(mp_walk_idle(w) && !w->intake.joined.length);
    assert_int_equal(w->records.spares, w->records.size);
    for (uint32_t i = 0; i < mp_intake_queues(&w->intake); i++)
        assert_int_equal(mp_intake_queue(&w->intake, i)->length, 0);
    if (!w->p.scheduler->owner)
        return;
    const struct mp_dws_state *t = mp_dws_state(w->intake.state);
    for (uint32_t i = 0; i < g->walkers; i++)
        assert_int_equal(t->fwa_free[i], g->queue / g->walkers);
    for (uint32_t i = 0; i < g->tenants; i++)
        assert_int_equal(t->twm_pend_walks[i], 0);
    assert_int_equal(t->idle, (1ull << g->walkers) - 1);
}

static void with_scheduler(struct rng *r, const struct mp_walk_scheduler *s, struct neighborhood_stats *sum)
{
    struct mp_walk_params p = with(rng_between(r, 2, 8));
    p.scheduler = s;
    p.rules.own = mp_design_defaults(&s->design);
    begin(&p);
    for (uint64_t now = 0; requests < MOST; now += rng_below(r, 100)) {
        uint16_t asid = (uint16_t)rng_below(r, 2);
        uint64_t va = VA + rng_below(r, 3) * (3ull << 21) + rng_below(r, 48) * PAGE, pa;
        if (now > b.wheel.now)
            at_cycle(now);
        if (!mp_page_table_find(&b.table[asid], va, &pa))
            map(asid, va);
        send(asid, va);
    }
    run_dry(&b.wheel);
    assert_int_equal(answers, MOST);
    bool once[MOST] = {false};
    for (uint32_t i = 0; i < answers; i++) {
        came(i, answer[i].walk, answer[i].when);
        assert_false(once[answer[i].walk]);
        once[answer[i].walk] = true;
    }
    nothing_is_left(&b.walk);
    assert_int_equal(b.walk.stats[0].walks + b.walk.stats[1].walks, MOST);
    assert_int_equal(b.walk.stats[0].levels_read + b.walk.stats[1].levels_read + COUNTED(saved), 4 * MOST);
    sum->answered += COUNTED(answered);
    sum->joined += COUNTED(joined);
    sum->resumed += COUNTED(resumed);
}

static void with_every_scheduler(void **state)
{
    struct rng r = rng_start("neighborhood and schedulers", 122);
    for (unsigned i = 0; mp_walk_schedulers[i]; i++) {
        struct neighborhood_stats sum = {0};
        for (int n = 0; n < 20; n++) {
            with_scheduler(&r, mp_walk_schedulers[i], &sum);
            if (mp_walk_schedulers[i + 1] || n < 19)
                tear_down(state);
        }
        assert_true(sum.answered > 1000 && sum.joined > 100 && sum.resumed > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_line_answers_the_walks_that_wait_for_its_pages, tear_down),
        cmocka_unit_test_teardown(the_line_is_as_long_as_configured, tear_down),
        cmocka_unit_test_teardown(address_spaces_are_separate, tear_down),
        cmocka_unit_test_teardown(a_walk_joins_one_in_flight, tear_down),
        cmocka_unit_test_teardown(a_walker_passes_over_walks_that_join, tear_down),
        cmocka_unit_test_teardown(a_line_of_an_upper_level_spares_reads, tear_down),
        cmocka_unit_test_teardown(the_page_walk_cache_may_know_more, tear_down),
        cmocka_unit_test_teardown(each_page_has_its_own_fault, tear_down),
        cmocka_unit_test_teardown(a_fault_above_the_leaves_is_that_of_all_in_the_line, tear_down),
        cmocka_unit_test_teardown(a_change_in_the_line_concerns_the_walk, tear_down),
        cmocka_unit_test_teardown(what_was_found_for_a_waiting_walk_is_forgotten, tear_down),
        cmocka_unit_test_teardown(a_request_without_room_is_not_served, tear_down),
        cmocka_unit_test_teardown(an_answered_walk_leaves_room, tear_down),
        cmocka_unit_test_teardown(an_answered_walk_has_waited_for_others, tear_down),
        cmocka_unit_test_teardown(a_walker_with_a_new_owner_passes_over_walks_that_join, tear_down),
        cmocka_unit_test_teardown(an_x_ray_shows_walks_that_have_joined, tear_down),
        cmocka_unit_test_teardown(against_a_second_model, tear_down),
        cmocka_unit_test_teardown(with_every_scheduler, tear_down),
    };
    return cmocka_run_group_tests_name("neighborhood", tests, NULL, NULL);
}
