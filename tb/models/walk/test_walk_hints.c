/* SPDX-License-Identifier: Apache-2.0 */
/* Hints that come to a page-walk system: when they are taken, what they count, and what they leave to
 * demands. */
#include "walk_bench.h"

#include "vm/contiguity.h"

#define PAGE 0x10000ull
#define WALK (4 * LEVEL)

/* An answer of nothing says nothing about the page. */
static void right_unless_dropped(struct fake_initiator *i, struct fake_request *r)
{
    if (r->op != MP_HINT || r->req.source != MP_FROM_NOTHING)
        right_translation(i, r);
}

static void begin(const struct mp_walk_scheduler *s, uint32_t walkers, uint32_t queue)
{
    struct mp_walk_params p = base();
    p.scheduler = s;
    p.geometry.walkers = walkers;
    p.geometry.queue = queue;
    p.pwc_entries = 0; /* every walk takes WALK */
    set_up(&p);
    for (uint32_t i = 0; i < PORTS; i++)
        b.port[i].check = right_unless_dropped;
    for (uint16_t a = 0; a < 2; a++)
        for (uint64_t page = 1; page <= 4; page++)
            map(a, page * PAGE);
}

static struct fake_request *hint(uint32_t port, uint16_t asid, uint64_t va)
{
    return fake_initiator_send(
        &b.port[port], (struct mp_req){.va = va, .asid = asid, .tenant = (uint8_t)asid, .op = MP_HINT});
}

static bool dropped(const struct fake_request *r)
{
    return r->answered == r->asked && r->req.source == MP_FROM_NOTHING;
}

static void a_hint_takes_an_idle_walker(void **state)
{
    (void)state;
    begin(&mp_walk_fcfs, 2, 4);
    struct fake_request *r = hint(0, 1, PAGE);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, WALK);
    assert_int_equal(r->req.source, MP_FROM_WALK);
    assert_int_equal(b.walk.hints[1].walks, 1);
    assert_int_equal(b.walk.hints[1].levels_read, 4);
    assert_int_equal(b.walk.hints[1].walk_cycles, WALK);
    struct mp_walk_stats none = {0};
    assert_memory_equal(&b.walk.stats[1], &none, sizeof none);
}

static void a_hint_does_not_wait_for_a_walker(void **state)
{
    (void)state;
    begin(&mp_walk_fcfs, 2, 4);
    ask(0, 0, PAGE);
    ask(0, 0, 2 * PAGE);
    struct fake_request *r = hint(1, 1, PAGE); /* the queue has room */
    assert_false(b.port[1].out.held);
    run_until(&b.wheel, 0);
    assert_true(dropped(r));
    assert_int_equal(b.walk.hints[1].stalls, 1);
    assert_int_equal(b.walk.hints[1].walks, 0);
    run_until(&b.wheel, WALK); /* both are idle again */
    r = hint(1, 1, PAGE);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, 2 * WALK);
    assert_int_equal(b.walk.stats[0].walks, 2);
}

/* Walkers that belong to another tenant are not for hints, though DWS would steal for a demand. */
static void a_hint_takes_a_walker_of_its_tenant(void **state)
{
    static const struct mp_walk_scheduler *const schedulers[] = {&mp_walk_static, &mp_walk_dws,
                                                                 &mp_walk_dwspp};
    for (unsigned i = 0; i < 3; i++) {
        begin(schedulers[i], 2, 4);
        ask(0, 0, PAGE);
        struct fake_request *first = hint(0, 0, 2 * PAGE), *second = hint(1, 1, PAGE);
        run_dry(&b.wheel);
        assert_true(dropped(first));
        assert_int_equal(second->answered, WALK);
        if (i < 2)
            tear_down(state);
    }
}

static void a_request_outside_comes_first(void **state)
{
    (void)state;
    begin(&mp_walk_static, 2, 2);
    for (uint32_t k = 0; k < 3; k++)
        ask(0, 0, PAGE); /* a walker, a place of the queue, outside */
    assert_int_equal(b.walk.intake.outside.length, 1);
    struct fake_request *r = hint(1, 1, PAGE); /* a walker of tenant 1 is idle */
    run_until(&b.wheel, 0);
    assert_true(dropped(r));
    run_dry(&b.wheel);
}

static void a_fault_of_a_hint_is_its_own(void **state)
{
    (void)state;
    begin(&mp_walk_fcfs, 2, 4);
    struct fake_request *r = hint(0, 0, 99 * PAGE);
    run_dry(&b.wheel);
    assert_int_equal(r->req.fault & MP_FAULT_CAUSE, MP_FAULT_NOT_VALID);
    assert_int_equal(b.walk.hints[0].faults, 1);
    assert_int_equal(b.walk.stats[0].faults, 0);
}

/* As a demand: the walk begins again at the root, and the answer is of the table as it is then. */
static void a_hint_in_flight_begins_again(void **state)
{
    const struct mp_scope page = {.va = PAGE, .tables = true};
    (void)state;
    begin(&mp_walk_fcfs, 1, 4);
    struct fake_request *r = hint(0, 0, PAGE);
    at_cycle(LEVEL + 10);
    mp_walk_invalidate(&b.walk, &page);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, WALK + LEVEL);
    assert_int_equal(r->req.source, MP_FROM_WALK);
}

/* A walk that reads on answers a demand early, and a hint only at its end. */
static void a_hint_is_answered_once(void **state)
{
    struct mp_walk_params p = base();
    static struct mp_contiguity scans;
    (void)state;
    p.method = &mp_walk_mesc;
    p.values = mp_design_defaults(&mp_walk_mesc.design);
    p.format = mp_page_format(4096);
    set_up(&p);
    for (uint64_t i = 0; i < 512; i++) /* two runs: no frame that is contiguous as a whole */
        assert_int_equal(
            mp_page_table_map(&b.table[0], 2 * MB + 4096 * i, 8 * MB + 4096 * (i + 100 * (i > 255)), 0, NULL),
            0);
    mp_contiguity_scan_frame(&scans, &b.table[0], 2 * MB);
    struct fake_request *r = hint(0, 0, 2 * MB), *again;
    run_dry(&b.wheel);
    assert_int_equal(b.port[0].answered, 1); /* fake_initiator_response fails at a second one */
    assert_int_equal(r->req.source, MP_FROM_WALK);
    assert_true(r->req.span.after > 0);
    again = hint(0, 0, 2 * MB);
    run_dry(&b.wheel);
    assert_int_equal(again->req.pa, r->req.pa);
}

/* Demands and hints at random under every scheduler: a hint gets nothing in the call or a walker in the call,
 * none is ever in a queue, no link is held because of one, and demands count as if they were alone. */
static void no_hint_ever_waits(void **state)
{
    struct rng rng = rng_start("walk hints", 23);
    uint64_t taken = 0, in_vain = 0;
    for (unsigned s = 0; mp_walk_schedulers[s]; s++)
        for (uint32_t walkers = 2; walkers <= 8; walkers *= 2) {
            uint64_t demands[2] = {0}, hints[2] = {0};
            begin(mp_walk_schedulers[s], walkers, 8);
            for (uint32_t step = 0; step < 2000; step++) {
                uint16_t asid = (uint16_t)rng_below(&rng, 2);
                uint32_t port = rng_below(&rng, PORTS);
                uint64_t va = rng_between(&rng, 1, 5) * PAGE;
                bool held = b.port[port].out.held;
                if (rng_percent(&rng, 50)) {
                    struct fake_request *r = hint(port, asid, va);
                    assert_int_equal(b.port[port].out.held, held);
                    hints[asid] += !held;
                    uint32_t on = 0;
                    while (on < walkers && b.walk.walker[on].walk != &r->req)
                        on++;
                    run_until(&b.wheel, b.wheel.now);
                    assert_true(held ? dropped(r) : dropped(r) != (on < walkers));
                    taken += on < walkers;
                    in_vain += dropped(r);
                } else {
                    ask(port, asid, va);
                    demands[asid]++;
                }
                for (uint32_t w = 0; w < walkers; w++) {
                    const struct mp_req_queue *q = b.walk.p.scheduler->queue(b.walk.intake.state, w);
                    const struct mp_req *req = q->head;
                    for (uint32_t i = 0; i < q->length; i++, req = req->next)
                        assert_int_equal(req->op, MP_TRANSLATE);
                }
                uint64_t next = b.wheel.now + rng_below(&rng, 300);
                run_until(&b.wheel, next);
                mp_wheel_advance(&b.wheel, next);
            }
            run_dry(&b.wheel);
            assert_true(mp_walk_idle(&b.walk));
            for (uint32_t t = 0; t < 2; t++) {
                assert_int_equal(b.walk.stats[t].walks, demands[t]);
                assert_int_equal(b.walk.hints[t].walks + b.walk.hints[t].stalls, hints[t]);
            }
            tear_down(state);
        }
    assert_true(taken > 1000 && in_vain > 1000);
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_hint_takes_an_idle_walker),
        TEST(a_hint_does_not_wait_for_a_walker),
        TEST(a_hint_takes_a_walker_of_its_tenant),
        TEST(a_request_outside_comes_first),
        TEST(a_fault_of_a_hint_is_its_own),
        TEST(a_hint_in_flight_begins_again),
        TEST(a_hint_is_answered_once),
        cmocka_unit_test(no_hint_ever_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
