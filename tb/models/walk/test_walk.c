/* SPDX-License-Identifier: Apache-2.0 */
/* The page-walk system: the cost of walks, and that every walk is answered. */
#include "walk_bench.h"

static uint64_t walk_alone(uint16_t asid, uint64_t va)
{
    uint64_t start = b.wheel.now;
    struct fake_request *r = ask(0, asid, va);
    run_dry(&b.wheel);
    return r->answered - start;
}

static void levels_cost_as_many_as_are_left(void **state)
{
    (void)state;
    const struct mp_walk_params p = base();
    set_up(&p);
    const uint64_t va = 0x123456780000ull;
    const uint64_t more[] = {va ^ 1ull << 16, va ^ 1ull << 21, va ^ 1ull << 30, va ^ 1ull << 39};
    map(0, va);
    map(1, va);
    for (unsigned i = 0; i < 4; i++)
        map(0, more[i]);
    assert_int_equal(walk_alone(0, va), PWC + 4 * LEVEL);
    assert_int_equal(walk_alone(0, va), PWC + LEVEL);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(walk_alone(0, more[i]), PWC + (i + 1) * LEVEL);
    assert_int_equal(walk_alone(1, va), PWC + 4 * LEVEL); /* another address space shares nothing */
    const struct mp_walk_stats *s = b.walk.stats;
    assert_int_equal(s[0].walks, 6);
    assert_int_equal(s[0].levels_read, 4 + 1 + 1 + 2 + 3 + 4);
    assert_int_equal(s[0].pwc_lookups, 6);
    assert_int_equal(s[0].pwc_hits, 4);
    assert_int_equal(s[0].walk_cycles, 6 * PWC + 15 * LEVEL);
    assert_int_equal(s[0].queue_cycles, 0);
    assert_int_equal(s[1].walks, 1);
    assert_int_equal(s[1].levels_read, 4);
}

static void each_page_size_without_a_cache(void **state)
{
    static const struct {
        uint64_t bytes;
        unsigned levels;
    } size[] = {{4096, 4}, {65536, 4}, {2 * MB, 3}};
    for (unsigned i = 0; i < 3; i++) {
        struct mp_walk_params p = base();
        p.format = mp_page_format(size[i].bytes);
        p.pwc_entries = 0;
        set_up(&p);
        map(0, 0x40000000);
        assert_int_equal(walk_alone(0, 0x40000123), size[i].levels * LEVEL);
        assert_int_equal(walk_alone(0, 0x40000000), size[i].levels * LEVEL);
        assert_int_equal(b.walk.stats[0].pwc_lookups, 0);
        if (i < 2)
            tear_down(state);
    }
}

/* One latency, however many levels a walk reads, and also for a walk that faults. */
static void a_flat_walk_has_one_latency(void **state)
{
    static const uint64_t bytes[] = {4096, 2 * MB};
    for (unsigned i = 0; i < 2; i++) {
        struct mp_walk_params p = base();
        p.format = mp_page_format(bytes[i]);
        p.pwc_entries = 0;
        p.flat = true;
        set_up(&p);
        map(0, 0x40000000);
        assert_int_equal(walk_alone(0, 0x40000123), LEVEL);
        assert_int_equal(walk_alone(0, 0x40000123), LEVEL);
        assert_int_equal(b.walk.stats[0].levels_read, i ? 2 * 3 : 2 * 4);
        assert_int_equal(walk_alone(0, 1ull << 40), LEVEL);
        assert_int_equal(b.walk.stats[0].faults, 1);
        if (i < 1)
            tear_down(state);
    }
}

static void a_missing_entry_ends_the_walk_with_a_fault(void **state)
{
    (void)state;
    const struct mp_walk_params p = base();
    set_up(&p);
    map(0, 0x10000);
    assert_int_equal(walk_alone(0, 1ull << 40), PWC + LEVEL); /* nothing at the root */
    assert_int_equal(b.walk.stats[0].faults, 1);
    assert_int_equal(walk_alone(0, 0x20000), PWC + 4 * LEVEL); /* no leaf next to the mapped one */
    assert_int_equal(b.walk.stats[0].faults, 2);
    assert_int_equal(walk_alone(0, 0x10000), PWC + LEVEL); /* the upper levels were good */
    assert_int_equal(b.walk.stats[0].faults, 2);
    assert_int_equal(b.walk.stats[0].walks, 3);
}

/* Two walkers, a queue of four: six walks go in, the others are held at their ports. All cost 400 cycles. */
static void first_come_first_served(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    p.pwc_entries = 0;
    set_up(&p);
    struct fake_request *r[9];
    for (uint32_t i = 0; i < 9; i++)
        map(0, (uint64_t)(i + 1) << 16);
    for (uint32_t i = 0; i < 9; i++) {
        at_cycle(1 + i);
        r[i] = ask(i < 6 ? 0 : i - 6, 0, (uint64_t)(i + 1) << 16);
    }
    assert_int_equal(b.walk.stats[0].stalls, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(b.port[i].out.held);
    run_dry(&b.wheel);
    uint64_t queued = 0;
    for (uint32_t i = 0; i < 9; i++) {
        uint64_t start = 1 + i % 2 + i / 2 * 4 * LEVEL; /* one after the other on each walker */
        assert_int_equal(r[i]->answered, start + 4 * LEVEL);
        queued += start - r[i]->asked;
    }
    assert_int_equal(b.walk.stats[0].queue_cycles, queued);
    assert_int_equal(b.walk.stats[0].walk_cycles, 9 * 4 * LEVEL);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(b.port[i].resumes, 1);
}

static uint32_t greedy_left;

static void ask_again(struct fake_initiator *i, struct fake_request *r)
{
    right_translation(i, r);
    if (greedy_left && greedy_left--)
        ask(0, 0, 0x10000);
}

static void a_greedy_port_does_not_starve_a_held_one(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    p.pwc_entries = 0;
    p.geometry = (struct mp_walk_geometry){.walkers = 1, .queue = 0, .tenants = 2};
    set_up(&p);
    map(0, 0x10000);
    map(0, 0x20000);
    b.port[0].check = ask_again;
    greedy_left = 30;
    ask(0, 0, 0x10000);
    at_cycle(1);
    struct fake_request *patient = ask(1, 0, 0x20000);
    run_dry(&b.wheel);
    assert_int_equal(patient->answered, 8 * LEVEL);
    assert_int_equal(b.port[0].answered, 31);
}

static void entries_are_read_through_the_memory_path(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    p.level_latency = 0;
    set_up(&p);
    const uint64_t va = 0x123456780000ull;
    map(0, va);
    at_cycle(10);
    struct fake_request *r = ask(0, 0, va + 5);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, 10 + PWC + 4 * 30);
    uint64_t table = b.table[0].root;
    assert_int_equal(b.memory.seen, 4);
    for (unsigned level = 0; level < 4; level++) { /* the addresses of the tables */
        const struct fake_seen *seen = &b.memory.log[level];
        assert_int_equal(seen->op, MP_PTE_READ);
        assert_int_equal(seen->pa, mp_pte_address(p.format, level, table, va));
        assert_int_equal(seen->when, 10 + PWC + level * 30);
        table = mp_physmem_read64(&b.physmem, seen->pa) & MP_PTE_ADDRESS;
    }
    /* a memory that holds reads delays walks */
    b.memory.stop = true;
    uint64_t start = b.wheel.now;
    r = ask(0, 0, va);
    struct fake_request *other = ask(1, 0, va);
    run_dry(&b.wheel);
    assert_int_equal(b.memory.seen, 5);
    mp_wheel_advance(&b.wheel, start + 1000);
    b.memory.stop = false;
    fake_target_go(&b.memory, NULL);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, start + 1000 + 30);
    assert_int_equal(other->answered, start + 1000 + 30);
}

/* ---- the request remains the initiator's ---- */

#define BURST 100u

static struct mp_req burst[BURST];
static uint32_t burst_answers;

static void burst_answered(void *unused, struct mp_req *req)
{
    (void)unused;
    (void)req;
    burst_answers++;
}

static void burst_resumed(void *unused, unsigned port)
{
    (void)unused;
    (void)port;
}

/* An initiator that does not wait while its requests are held. Latencies count from the arrival, whenever a
 * request was sent. */
static void a_walk_changes_the_result_alone(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    p.geometry = (struct mp_walk_geometry){.walkers = 1, .queue = 1, .tenants = 2};
    p.pwc_entries = 0;
    set_up(&p);
    map(0, 0x10000);
    b.walk.ports.up[0] = mp_initiator_of(burst_answered, burst_resumed, NULL, 0);
    burst_answers = 0;
    at_cycle(1000);
    for (uint32_t i = 0; i < BURST; i++) {
        uint32_t delay;
        burst[i] = (struct mp_req){
            .owner = &burst[i], .more = &burst[0], .va = 0x10000, .pa = 7, .sent = i, .op = MP_TRANSLATE};
        assert_int_equal(mp_walk_request(&b.walk, 0, &burst[i], &delay), i < 2 ? MP_TAKEN : MP_HELD);
        assert_int_equal(burst[i].pa, 7); /* until the answer */
    }
    run_dry(&b.wheel);
    assert_int_equal(burst_answers, BURST);
    for (uint32_t i = 0; i < BURST; i++) {
        assert_int_equal(burst[i].sent, i);
        assert_ptr_equal(burst[i].owner, &burst[i]);
        assert_ptr_equal(burst[i].more, &burst[0]);
    }
    assert_int_equal(b.walk.stats[0].walk_cycles, BURST * 4 * LEVEL);
    assert_int_equal(b.walk.stats[0].queue_cycles, BURST * (BURST - 1) / 2 * 4 * LEVEL);
    assert_int_equal(b.walk.records.spares, b.walk.records.size); /* all were given back */
}

/* --- random traffic ---------------------------------------------------------------------------------------
 */

struct client {
    uint32_t port, left, gap;
};

static uint64_t random_page(uint16_t *asid)
{
    *asid = (uint16_t)rng_below(&b.rng, 2);
    return (uint64_t)rng_below(&b.rng, 2) << 39 | (uint64_t)rng_below(&b.rng, 2) << 30 |
           (uint64_t)rng_below(&b.rng, 4) << 21 | (uint64_t)rng_below(&b.rng, 32) << 16;
}

static uint64_t least_latency; /* of a walk */
static uint64_t total[2], order_of_walks;

static void check_random(struct fake_initiator *i, struct fake_request *r)
{
    right_translation(i, r);
    assert_true(r->answered - r->req.sent >= least_latency);
    total[r->req.tenant] += r->answered - r->req.sent;
    order_of_walks++;
}

static void client_asks(void *client, void *unused)
{
    struct client *c = client;
    uint16_t asid;
    (void)unused;
    uint64_t va = random_page(&asid) | rng_below(&b.rng, 1u << 16);
    ask(c->port, asid, va);
    if (--c->left)
        mp_at(&b.wheel, rng_below(&b.rng, c->gap), client_asks, c, NULL);
}

static void random_run(uint32_t each)
{
    struct mp_walk_params p = base();
    p.geometry.walkers = rng_between(&b.rng, 1, 9);
    p.geometry.queue = rng_between(&b.rng, 0, 30);
    p.scheduler = mp_walk_schedulers[rng_below(&b.rng, 5)];
    p.rules.epoch = rng_between(&b.rng, 1, 100);
    if (p.scheduler->published && rng_percent(&b.rng, 30))
        p.rules.compat = MP_WALK_HPCA21;
    p.level_latency = rng_percent(&b.rng, 50) ? rng_between(&b.rng, 1, 120) : 0;
    p.pwc_ways = rng_between(&b.rng, 1, 8);
    p.pwc_entries = p.pwc_ways * rng_below(&b.rng, 5);
    p.pwc_latency = rng_below(&b.rng, 12);
    struct rng rng = b.rng;
    set_up(&p);
    b.rng = rng;
    for (uint32_t i = 0; i < 300; i++) {
        uint16_t asid;
        uint64_t va = random_page(&asid);
        map(asid, va);
    }
    b.memory.rng = &b.rng;
    b.memory.least = 1;
    b.memory.most = rng_between(&b.rng, 1, 300);
    b.memory.done = rng_below(&b.rng, 50);
    b.memory.hold = rng_below(&b.rng, 50);
    least_latency = (p.pwc_entries ? p.pwc_latency : 0) + (p.level_latency ? p.level_latency : 1);
    total[0] = total[1] = 0;
    struct client client[PORTS];
    uint32_t gap = rng_between(&b.rng, 1, 200);
    for (uint32_t i = 0; i < PORTS; i++) {
        b.port[i].check = check_random;
        client[i] = (struct client){i, each, gap};
        mp_at(&b.wheel, i, client_asks, &client[i], NULL);
    }
    run_dry(&b.wheel);
    uint64_t walks = 0, levels = 0;
    for (uint32_t t = 0; t < 2; t++) {
        const struct mp_walk_stats *s = &b.walk.stats[t];
        uint64_t binned = 0;
        assert_int_equal(s->queue_cycles + s->walk_cycles, total[t]);
        for (unsigned i = 0; i < MP_LATENCY_BINS; i++)
            binned += s->walk_latency.bin[i];
        assert_int_equal(binned, s->walks);
        assert_int_equal(s->pwc_lookups, p.pwc_entries ? s->walks : 0);
        assert_true(s->pwc_hits <= s->pwc_lookups);
        assert_true(s->levels_read >= s->walks && s->levels_read <= 4 * s->walks);
        if (p.level_latency)
            assert_int_equal(s->walk_cycles,
                             s->levels_read * p.level_latency + s->pwc_lookups * p.pwc_latency);
        if (!p.scheduler->owner)
            assert_int_equal(s->stolen, 0);
        if (p.scheduler == &mp_walk_dws && p.geometry.walkers > 1) /* of each tenant */
            assert_true(s->waited_for <= s->walks);
        if (p.scheduler == &mp_walk_static && p.geometry.walkers > 1)
            assert_int_equal(s->stolen + s->waited_for, 0);
        assert_true(s->stolen <= s->walks);
        walks += s->walks;
        levels += s->levels_read;
    }
    assert_int_equal(walks, PORTS * each);
    assert_int_equal(b.memory.seen, p.level_latency ? 0 : levels);
    for (uint32_t i = 0; i < PORTS; i++) {
        assert_int_equal(b.port[i].answered, each);
        assert_false(b.port[i].out.held);
    }
    assert_int_equal(b.walk.intake.outside.length, 0);
    assert_int_equal(b.walk.records.spares, b.walk.records.size);
    assert_int_equal(b.walk.records.size, p.geometry.walkers + p.geometry.queue + PORTS); /* never grew */
    for (uint32_t i = 0; i < p.geometry.walkers; i++)
        assert_null(b.walk.walker[i].walk);
}

static void every_walk_is_answered_once(void **state)
{
    struct rng rng = rng_start("walk", 91);
    for (uint32_t i = 0; i < 40; i++) {
        b.rng = rng;
        random_run(600);
        rng = b.rng;
        tear_down(state);
    }
    b.rng = rng;
    random_run(50); /* for the teardown */
}

static void more_than_64_walkers(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    p.geometry.walkers = 130;
    p.pwc_entries = 0;
    set_up(&p);
    map(0, 0x10000);
    struct fake_request *r[131];
    for (uint32_t i = 0; i < 131; i++)
        r[i] = ask(0, 0, 0x10000);
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 131; i++)
        assert_int_equal(r[i]->answered, i < 130 ? 4 * LEVEL : 8 * LEVEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(levels_cost_as_many_as_are_left, tear_down),
        cmocka_unit_test_teardown(each_page_size_without_a_cache, tear_down),
        cmocka_unit_test_teardown(a_flat_walk_has_one_latency, tear_down),
        cmocka_unit_test_teardown(a_missing_entry_ends_the_walk_with_a_fault, tear_down),
        cmocka_unit_test_teardown(first_come_first_served, tear_down),
        cmocka_unit_test_teardown(a_greedy_port_does_not_starve_a_held_one, tear_down),
        cmocka_unit_test_teardown(entries_are_read_through_the_memory_path, tear_down),
        cmocka_unit_test_teardown(a_walk_changes_the_result_alone, tear_down),
        cmocka_unit_test_teardown(every_walk_is_answered_once, tear_down),
        cmocka_unit_test_teardown(more_than_64_walkers, tear_down),
    };
    return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
