/* SPDX-License-Identifier: Apache-2.0 */
/* The walks that a window records: a session by hand, then random traffic compared with the system's counts.
 */
#include "walk_bench.h"

#include "walk/window.h"

#define WALK (4 * LEVEL)

static struct mp_walk_window o;

static struct mp_walk_params shared(const struct mp_walk_scheduler *s, uint32_t walkers, uint32_t queue)
{
    struct mp_walk_params p = base();
    p.scheduler = s;
    p.geometry.walkers = walkers;
    p.geometry.queue = queue;
    return p;
}

static int end(void **state)
{
    mp_walk_window_free(&o);
    return tear_down(state);
}

static void span_is(size_t i, uint32_t walker, uint16_t tenant, int owner, uint64_t arrived, uint64_t started,
                    uint64_t ended)
{
    const struct mp_walk_span *s = &o.span[i];
    assert_true(i < o.spans);
    assert_int_equal(s->walker, walker);
    assert_int_equal(s->tenant, tenant);
    assert_int_equal(s->asid, tenant);
    assert_int_equal(s->owner, owner);
    assert_int_equal(s->arrived, arrived);
    assert_int_equal(s->started, started);
    assert_int_equal(s->ended, ended);
    assert_int_equal(s->page, 0x10000);
    assert_int_equal(s->levels, ended == MP_NEVER ? 3 : 4);
}

static void waits_are(const struct mp_walk_waiting *expected, size_t n)
{
    assert_int_equal(o.waits, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(o.wait[i].cycle, expected[i].cycle);
        assert_int_equal(o.wait[i].tenant, expected[i].tenant);
        assert_int_equal(o.wait[i].walks, expected[i].walks);
    }
}

/* Tenant 0 owns walker 0 and also uses walker 1 of tenant 1, whose walks arrive at 150; at 500 tenant 0
 * leaves. */
static void session(uint64_t first, uint64_t last, uint64_t over)
{
    struct mp_walk_params p = shared(&mp_walk_dws, 2, 4);
    p.pwc_entries = 0;
    set_up(&p);
    for (uint16_t t = 0; t < 2; t++)
        map(t, 0x10000);
    assert_int_equal(mp_walk_window_init(&o, &b.walk, first, last, 3), 0);
    for (int i = 0; i < 3; i++)
        ask(0, 0, 0x12340);
    at_cycle(150);
    ask(1, 1, 0x10000);
    run_until(&b.wheel, WALK);
    at_cycle(500);
    mp_walk_set_tenants(&b.walk, 2);
    run_until(&b.wheel, over);
    if (over < 2 * WALK)
        mp_wheel_advance(&b.wheel, over);
    assert_int_equal(mp_walk_window_close(&o), 0);
}

static void a_session_by_hand(void **state)
{
    static const struct mp_walk_waiting waits[] = {
        {100, 0, 1}, {100, 1, 0}, {150, 1, 1}, {400, 0, 0}, {400, 1, 0}};
    static const uint32_t owned[][3] = {{100, 0, 0}, {100, 1, 1}, {500, 0, 1}};
    (void)state;
    session(100, 700, 2 * WALK);
    assert_int_equal(o.first, 100);
    assert_int_equal(o.last, 700);
    assert_int_equal(o.spans, 4);
    span_is(0, 0, 0, 0, 0, 0, 400);
    span_is(1, 1, 0, 1, 0, 0, 400); /* stolen */
    span_is(2, 0, 0, 0, 0, 400, 800);
    span_is(3, 1, 1, 1, 150, 400, 800);
    waits_are(waits, 5);
    assert_int_equal(o.owners, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(o.owned[i].cycle, owned[i][0]);
        assert_int_equal(o.owned[i].walker, owned[i][1]);
        assert_int_equal(o.owned[i].tenant, owned[i][2]);
    }
}

static void both_ends_are_sharp(void **state)
{
    static const struct mp_walk_waiting waits[] = {{400, 0, 0}, {400, 1, 0}};
    (void)state;
    session(400, 401, 2 * WALK); /* a walk that ended at 400 is not in it, one that started is */
    assert_int_equal(o.spans, 2);
    span_is(0, 0, 0, 0, 0, 400, 800);
    waits_are(waits, 2);
    end(state);
    session(300, 400, 2 * WALK);
    assert_int_equal(o.spans, 2);
    span_is(1, 1, 0, 1, 0, 0, 400);
    assert_int_equal(o.waits, 2);
}

static void the_run_ends_in_the_window(void **state)
{
    (void)state;
    session(100, 700, 600);
    assert_int_equal(o.last, 600);
    assert_int_equal(o.spans, 4);
    span_is(2, 0, 0, 0, 0, 400, MP_NEVER);
    span_is(3, 1, 1, 1, 150, 400, MP_NEVER);
}

/* ---- random traffic ---- */

#define PAGES 24u

static uint64_t traffic(const struct mp_walk_params *p, uint64_t seed, uint64_t first, uint64_t last)
{
    struct rng r = {seed};
    uint64_t when = 1;
    set_up(p);
    for (uint32_t i = 0; i < PAGES; i++)
        for (uint16_t t = 0; t < 2; t++)
            map(t, (uint64_t)rng_below(&r, 1 << 20) << 28 | (uint64_t)(i + 1) << 16);
    r.state = seed;
    if (first < last)
        assert_int_equal(mp_walk_window_init(&o, &b.walk, first, last, 3), 0);
    for (int i = 0; i < 400; i++) {
        at_cycle(when);
        for (uint32_t k = rng_below(&r, 4); k > 0; k--) {
            uint16_t t = rng_percent(&r, 70);
            ask(t, t, (uint64_t)rng_below(&r, 1 << 20) << 28 | (uint64_t)(rng_below(&r, PAGES) + 1) << 16);
        }
        if (i % 100 == 99)
            mp_walk_set_tenants(&b.walk, 1 + i / 100 % 3);
        when += rng_between(&r, 1, 300);
    }
    run_dry(&b.wheel);
    if (first < last)
        assert_int_equal(mp_walk_window_close(&o), 0);
    return b.wheel.now;
}

/* The spans of the whole run add up to the system's counts, and no walker has two walks at once. */
static void adds_up(void)
{
    struct mp_walk_stats sum = {0}, counted = {0};
    uint64_t *busy = calloc(b.walk.p.geometry.walkers, sizeof *busy);
    assert_non_null(busy);
    for (size_t i = 0; i < o.spans; i++) {
        const struct mp_walk_span *s = &o.span[i];
        assert_true(s->arrived <= s->started && s->started < s->ended && s->ended != MP_NEVER);
        assert_true(s->started >= busy[s->walker]);
        busy[s->walker] = s->ended;
        sum.walks++;
        sum.queue_cycles += s->started - s->arrived;
        sum.walk_cycles += s->ended - s->started;
        sum.levels_read += s->levels;
        sum.stolen += s->owner != MP_WALK_NOBODY && s->owner != s->tenant;
    }
    free(busy);
    for (unsigned t = 0; t < 2; t++) {
        const struct mp_walk_stats *s = &b.walk.stats[t];
        counted.walks += s->walks;
        counted.queue_cycles += s->queue_cycles;
        counted.walk_cycles += s->walk_cycles;
        counted.levels_read += s->levels_read;
        counted.stolen += s->stolen;
    }
    assert_int_equal(sum.walks, counted.walks);
    assert_int_equal(sum.queue_cycles, counted.queue_cycles);
    assert_int_equal(sum.walk_cycles, counted.walk_cycles);
    assert_int_equal(sum.levels_read, counted.levels_read);
    assert_int_equal(sum.stolen, counted.stolen);
}

/* At each change, the walks that wait are those that have arrived and not started. */
static void waiting_is_arrivals_minus_starts(void)
{
    for (size_t i = 0; i < o.waits; i++) {
        uint32_t waiting = 0;
        for (size_t k = 0; k < o.spans; k++)
            waiting += o.span[k].tenant == o.wait[i].tenant && o.span[k].arrived <= o.wait[i].cycle &&
                       o.span[k].started > o.wait[i].cycle;
        assert_int_equal(o.wait[i].walks, waiting);
    }
}

/* The same traffic in a narrower window gives exactly the spans of the whole run that reach into it. */
static void part_of(const struct mp_walk_window *whole, uint64_t first, uint64_t last)
{
    size_t n = 0;
    for (size_t i = 0; i < whole->spans; i++) {
        const struct mp_walk_span *s = &whole->span[i];
        if (s->started >= last || s->ended <= first)
            continue;
        assert_true(n < o.spans);
        assert_memory_equal(s, &o.span[n++], offsetof(struct mp_walk_span, owner) + sizeof s->owner);
    }
    assert_int_equal(o.spans, n);
    for (size_t i = 0; i < o.waits; i++)
        assert_true(o.wait[i].cycle >= first && o.wait[i].cycle < last);
    for (size_t i = 0; i < o.owners; i++)
        assert_true(o.owned[i].cycle >= first && o.owned[i].cycle < last);
}

static void random_traffic(void **state)
{
    struct rng r = rng_start("window", 7);
    uint64_t stolen = 0, waited = 0;
    for (int i = 0; i < 24; i++) {
        const struct mp_walk_scheduler *s = mp_walk_schedulers[i % 5];
        struct mp_walk_params p = shared(s, rng_between(&r, 2, 6), 12);
        p.pwc_entries = i % 3 ? 16 : 0;
        p.pwc_ways = 4;
        p.method = i % 3 == 2 ? &mp_walk_hpca21 : &mp_walk_radix;
        uint64_t seed = rng_next(&r), plain = traffic(&p, seed, 0, 0);
        end(state);
        uint64_t length = traffic(&p, seed, 0, MP_NEVER - 1);
        assert_int_equal(length, plain); /* the observer changes nothing */
        adds_up();
        waiting_is_arrivals_minus_starts();
        stolen += b.walk.stats[0].stolen + b.walk.stats[1].stolen;
        waited += b.walk.stats[0].queue_cycles;
        struct mp_walk_window whole = o;
        o = (struct mp_walk_window){0};
        tear_down(state);
        uint64_t first = rng_below(&r, (uint32_t)length), last = first + 1 + rng_below(&r, (uint32_t)length);
        traffic(&p, seed, first, last);
        part_of(&whole, first, last < length ? last : length);
        whole.walk = NULL; /* freed already */
        mp_walk_window_free(&whole);
        if (i < 23)
            end(state);
    }
    assert_true(stolen > 100 && waited > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_session_by_hand, end),
        cmocka_unit_test_teardown(both_ends_are_sharp, end),
        cmocka_unit_test_teardown(the_run_ends_in_the_window, end),
        cmocka_unit_test_teardown(random_traffic, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
