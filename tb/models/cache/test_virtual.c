/* SPDX-License-Identifier: Apache-2.0 */
/* The data cache that is looked up before translation, between fake initiators, a TLB and a fake level below.
 */
#include "../engine/fakes.h"

#include "cache/virtual.h"
#include "tlb/tlb.h"

#define PORTS   2u
#define LATENCY 20u
#define BELOW   100u
#define TLB     5u
#define LINE    64ull
#define PAGE    0x1000ull
#define FRAMES  (1ull << 30) /* where the frames of address space 0 begin; each space has as much */

struct bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct mp_virtual_cache cache;
    struct fake_initiator port[PORTS];
    struct fake_target tlb, below;
};

static struct bench b;

static bool absent, read_only;

static uint64_t frame_of(uint16_t asid, uint64_t va)
{
    return (asid + 1) * FRAMES + va;
}

static void translate(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    req->source = MP_FROM_TLB;
    req->span = (struct mp_span){.read_only = read_only};
    req->fault = absent ? MP_FAULT_NOT_VALID : MP_FAULT_NONE;
    req->pa = absent ? 0xdead : frame_of(req->asid, req->va);
}

static void set_up_with(struct mp_cache_params p)
{
    memset(&b, 0, sizeof b);
    absent = read_only = false;
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_virtual_cache_init(&b.cache, &b.wheel, &p), 0);
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_join(&b.port[i], &b.wheel, mp_target_of(mp_virtual_cache_request, &b.cache, i),
                            &b.cache.up[i]);
    b.tlb = fake_target_make(&b.wheel, &b.rng, TLB, TLB);
    b.tlb.answer = translate;
    b.tlb.up = mp_initiator_of(mp_virtual_cache_translated, mp_virtual_cache_resume, &b.cache, 1);
    mp_virtual_cache_join(&b.cache, 1, fake_target_end(&b.tlb));
    b.below = fake_target_make(&b.wheel, &b.rng, BELOW, BELOW);
    b.below.up = mp_initiator_of(mp_virtual_cache_response, mp_virtual_cache_resume, &b.cache, 0);
    mp_virtual_cache_join(&b.cache, 0, fake_target_end(&b.below));
}

static const struct mp_cache_params base = {.banks = 1,
                                            .sets = 4,
                                            .ways = 2,
                                            .line_shift = 6,
                                            .page_shift = 12,
                                            .latency = LATENCY,
                                            .mshrs = 2,
                                            .merges = 3,
                                            .ports = PORTS,
                                            .tenants = 1,
                                            .links = 1};

static void set_up(void)
{
    set_up_with(base);
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_free(&b.port[i]);
    free(b.tlb.log);
    free(b.below.log);
    mp_virtual_cache_free(&b.cache);
    mp_wheel_free(&b.wheel);
    return 0;
}

/* As an SM sends it: with the virtual address as the physical one. */
static struct fake_request *ask_as(uint8_t asid, uint32_t port, enum mp_op op, uint64_t va)
{
    return fake_initiator_send(&b.port[port],
                               (struct mp_req){.va = va, .pa = va, .op = (uint8_t)op, .asid = asid});
}

static struct fake_request *ask(uint32_t port, enum mp_op op, uint64_t va)
{
    return ask_as(0, port, op, va);
}

static uint64_t alone(enum mp_op op, uint64_t va)
{
    uint64_t start = b.wheel.now;
    struct fake_request *r = ask(0, op, va);
    run_dry(&b.wheel);
    return r->answered - start;
}

static void at_cycle(uint64_t cycle)
{
    run_until(&b.wheel, cycle - 1);
    mp_wheel_advance(&b.wheel, cycle);
}

#define MISS (1 + TLB + LATENCY + BELOW)

static void a_hit_needs_no_translation(void **state)
{
    (void)state;
    set_up();
    assert_int_equal(alone(MP_LOAD, 5 * LINE + 8), MISS);
    assert_int_equal(b.tlb.seen, 1);
    assert_int_equal(b.tlb.log[0].when, 1);
    assert_int_equal(b.tlb.log[0].va, 5 * LINE + 8);
    assert_int_equal(b.below.log[0].when, 1 + TLB + LATENCY);
    assert_int_equal(b.below.log[0].pa, frame_of(0, 5 * LINE));
    absent = true; /* a hit does not ask the TLB */
    assert_int_equal(alone(MP_LOAD, 5 * LINE), LATENCY);
    assert_int_equal(b.tlb.seen, 1);
    assert_int_equal(b.below.seen, 1);
    assert_int_equal(b.cache.stats[0].hits, 1);
    assert_int_equal(b.cache.stats[0].fills, 1);
}

/* Write-through, no allocation: each store needs a translation, on a hit too. */
static void stores_and_atomics_are_translated(void **state)
{
    (void)state;
    set_up();
    alone(MP_LOAD, 0);
    assert_int_equal(alone(MP_STORE, 4), MISS);
    assert_int_equal(b.tlb.seen, 2);
    assert_int_equal(b.below.log[1].op, MP_STORE);
    assert_int_equal(b.below.log[1].pa, frame_of(0, 4));
    assert_int_equal(alone(MP_LOAD, 8), LATENCY); /* the copy stays */
    assert_int_equal(alone(MP_ATOMIC, 0), MISS);
    assert_int_equal(alone(MP_LOAD, 8), MISS); /* the atomic has dropped it */
    assert_int_equal(alone(MP_STORE, 3 * LINE), MISS);
    assert_int_equal(alone(MP_LOAD, 3 * LINE), MISS);
    assert_int_equal(b.cache.stats[0].stores, 2);
    assert_int_equal(b.cache.stats[0].atomics, 1);
}

static void address_spaces_have_different_lines(void **state)
{
    (void)state;
    set_up();
    alone(MP_LOAD, 0);
    struct fake_request *other = ask_as(1, 0, MP_LOAD, 0);
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.seen, 2);
    assert_int_equal(other->answered - other->asked, MISS);
    assert_int_equal(b.below.log[1].pa, frame_of(1, 0));
}

static void lines_that_are_fetched_merge(void **state)
{
    (void)state;
    set_up();
    struct fake_request *r[4];
    for (uint32_t i = 0; i < 4; i++)
        r[i] = ask(i % 2, MP_LOAD, 8 * i); /* one waits at its port: an MSHR takes three */
    assert_int_equal(b.cache.stats[0].mshr_merges, 2);
    assert_int_equal(b.cache.stats[0].stalls, 1);
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.seen, 1);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(r[i]->answered, MISS);
    assert_int_equal(r[3]->answered, MISS + LATENCY);
}

static void a_miss_waits_for_an_mshr(void **state)
{
    (void)state;
    set_up();
    struct fake_request *first = ask(0, MP_LOAD, 0), *second = ask(0, MP_LOAD, LINE),
                        *third = ask(0, MP_LOAD, 2 * LINE);
    run_dry(&b.wheel);
    assert_int_equal(first->answered, MISS);
    assert_int_equal(second->answered, MISS + 1); /* the port takes one request in a cycle */
    assert_int_equal(third->answered, 2 * MISS);
}

/* Sets are those of the virtual line: lines 4 sets apart share one. */
static void the_least_recent_line_of_a_set_leaves(void **state)
{
    (void)state;
    set_up();
    alone(MP_LOAD, 0);
    alone(MP_LOAD, 4 * LINE);
    alone(MP_LOAD, 0);
    alone(MP_LOAD, 8 * LINE);
    assert_int_equal(alone(MP_LOAD, 0), LATENCY);
    assert_int_equal(alone(MP_LOAD, 4 * LINE), MISS);
}

static void invalidated_lines_are_gone(void **state)
{
    (void)state;
    set_up();
    alone(MP_LOAD, 0);
    alone(MP_LOAD, PAGE + LINE);
    ask_as(1, 0, MP_LOAD, 2 * LINE);
    run_dry(&b.wheel);
    const struct mp_scope page = {.asid = 0, .va = 0x10}, space = {.asid = 1, .every_page = true};
    assert_int_equal(mp_virtual_cache_invalidate(&b.cache, &page), 1);
    assert_int_equal(alone(MP_LOAD, 0), MISS);
    assert_int_equal(alone(MP_LOAD, PAGE + LINE), LATENCY);
    assert_int_equal(mp_virtual_cache_invalidate(&b.cache, &space), 1);
    assert_int_equal(mp_virtual_cache_invalidate(&b.cache, &space), 0);
    assert_int_equal(alone(MP_LOAD, 0), LATENCY);
}

/* A request that comes after an invalidation does not get a line by the translation from before. */
static void a_line_in_flight_is_not_kept_after_an_invalidation(void **state)
{
    (void)state;
    set_up();
    struct fake_request *before = ask(0, MP_LOAD, 0);
    at_cycle(50);
    const struct mp_scope page = {.asid = 0, .va = 0};
    assert_int_equal(mp_virtual_cache_invalidate(&b.cache, &page), 0);
    struct fake_request *after = ask(1, MP_LOAD, 0);
    run_dry(&b.wheel);
    assert_int_equal(before->answered, MISS);
    assert_int_equal(after->answered, 2 * MISS);
    assert_int_equal(b.tlb.seen, 2);
    assert_int_equal(alone(MP_LOAD, 0), LATENCY); /* the second is kept */
}

static void a_fault_reaches_all_that_wait(void **state)
{
    (void)state;
    set_up();
    absent = true;
    struct fake_request *r[3] = {ask(0, MP_LOAD, 0), ask(1, MP_LOAD, 8), ask(0, MP_STORE, 16)};
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(r[i]->req.fault, MP_FAULT_NOT_VALID);
        assert_int_equal(r[i]->req.pa, 0xdead);
    }
    assert_int_equal(b.below.seen, 0);
    absent = false;
    assert_int_equal(alone(MP_LOAD, 0), MISS); /* nothing was kept */
}

static void stores_to_read_only_pages_fault(void **state)
{
    (void)state;
    set_up();
    read_only = true;
    struct fake_request *load = ask(0, MP_LOAD, 0), *store = ask(0, MP_STORE, LINE);
    run_dry(&b.wheel);
    assert_int_equal(load->req.fault, MP_FAULT_NONE);
    assert_int_equal(store->req.fault, MP_FAULT_READ_ONLY);
    assert_int_equal(b.below.seen, 1);
}

/* --- with a TLB ------------------------------------------------------------------------------------ */

/* The lines of an instruction ask in lane order; those of a page merge in the TLB, which asks once for each
 * page, in the order in which lanes first touch them. */
static void lines_merge_per_page_in_lane_order(void **state)
{
    static const uint64_t line[] = {8 * PAGE, 8 * PAGE + LINE, 3 * PAGE, 8 * PAGE + 2 * LINE, 5 * PAGE};
    const struct mp_tlb_params p = {
        .policy = &mp_tlb_subentry,
        .geometry = {.sets = 1, .ways = 16, .sub_entries = 1, .latency = 1, .tenants = 1},
        .page_shift = 12,
        .mshrs = 4,
        .merges = UINT16_MAX,
        .lookups = 4,
        .blocks = true,
        .ports = 1,
        .tenants = 1};
    struct mp_tlb tlb;
    struct mp_cache_params wide = base;
    (void)state;
    wide.mshrs = 16;
    set_up_with(wide);
    assert_int_equal(mp_tlb_init(&tlb, &b.wheel, &p), 0);
    mp_virtual_cache_join(&b.cache, 1, mp_target_of(mp_tlb_request_in_order, &tlb, 0));
    tlb.ports.up[0] = mp_initiator_of(mp_virtual_cache_translated, mp_virtual_cache_resume, &b.cache, 1);
    b.tlb.up = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &tlb, 0);
    mp_tlb_join(&tlb, 0, fake_target_end(&b.tlb));
    for (uint32_t i = 0; i < 5; i++)
        ask(0, MP_LOAD, line[i]);
    run_dry(&b.wheel);
    assert_int_equal(tlb.stats[0].lookups, 5);
    assert_int_equal(tlb.stats[0].mshr_merges, 2);
    assert_int_equal(b.tlb.seen, 3);
    assert_int_equal(b.tlb.log[0].va, 8 * PAGE);
    assert_int_equal(b.tlb.log[1].va, 3 * PAGE);
    assert_int_equal(b.tlb.log[2].va, 5 * PAGE);
    assert_int_equal(b.below.seen, 5);
    mp_tlb_free(&tlb);
}

/* --- random traffic -------------------------------------------------------------------------------- */

struct client {
    uint32_t port, left;
};

static void right_answer(struct fake_initiator *i, struct fake_request *r)
{
    (void)i;
    assert_int_equal(r->req.fault, MP_FAULT_NONE);
    assert_int_equal(r->req.port, r->req.asid); /* see below: each port has an address space */
}

static void client_asks(void *client, void *unused)
{
    static const enum mp_op ops[] = {MP_LOAD, MP_LOAD, MP_STORE, MP_ATOMIC};
    struct client *c = client;
    (void)unused;
    ask_as((uint8_t)c->port, c->port, ops[rng_below(&b.rng, 4)], rng_below(&b.rng, 64) * LINE);
    if (rng_percent(&b.rng, 2)) {
        const struct mp_scope scope = {.asid = (uint16_t)rng_below(&b.rng, 2), .va = 0};
        mp_virtual_cache_invalidate(&b.cache, &scope);
    }
    if (--c->left)
        mp_at(&b.wheel, rng_below(&b.rng, 30), client_asks, c, NULL);
}

static void every_request_is_answered_once(void **state)
{
    enum { EACH = 2000 };
    struct rng rng = rng_start("virtual cache", 54);
    for (uint32_t round = 0; round < 20; round++) {
        if (round)
            tear_down(state);
        set_up();
        b.rng = rng;
        b.tlb.done = b.below.done = rng_below(&b.rng, 50);
        b.tlb.hold = b.below.hold = rng_below(&b.rng, 50);
        b.tlb.most = TLB + rng_below(&b.rng, 100);
        b.below.most = BELOW + rng_below(&b.rng, 100);
        struct client client[PORTS];
        for (uint32_t i = 0; i < PORTS; i++) {
            b.port[i].check = right_answer;
            client[i] = (struct client){i, EACH};
            mp_at(&b.wheel, i, client_asks, &client[i], NULL);
        }
        run_dry(&b.wheel);
        rng = b.rng;
        const struct mp_cache_stats *s = &b.cache.stats[0];
        for (uint32_t i = 0; i < PORTS; i++)
            assert_int_equal(b.port[i].answered, EACH);
        assert_int_equal(s->lookups, PORTS * EACH);
        assert_int_equal(s->hits + s->misses, s->lookups);
        assert_int_equal(b.tlb.seen, b.below.seen);
        assert_int_equal(b.below.seen, s->fills + s->stores + s->atomics);
        assert_int_equal(b.cache.mshr.used, 0);
        assert_int_equal(b.cache.held.length, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_hit_needs_no_translation, tear_down),
        cmocka_unit_test_teardown(stores_and_atomics_are_translated, tear_down),
        cmocka_unit_test_teardown(address_spaces_have_different_lines, tear_down),
        cmocka_unit_test_teardown(lines_that_are_fetched_merge, tear_down),
        cmocka_unit_test_teardown(a_miss_waits_for_an_mshr, tear_down),
        cmocka_unit_test_teardown(the_least_recent_line_of_a_set_leaves, tear_down),
        cmocka_unit_test_teardown(invalidated_lines_are_gone, tear_down),
        cmocka_unit_test_teardown(a_line_in_flight_is_not_kept_after_an_invalidation, tear_down),
        cmocka_unit_test_teardown(a_fault_reaches_all_that_wait, tear_down),
        cmocka_unit_test_teardown(stores_to_read_only_pages_fault, tear_down),
        cmocka_unit_test_teardown(lines_merge_per_page_in_lane_order, tear_down),
        cmocka_unit_test_teardown(every_request_is_answered_once, tear_down),
    };
    return cmocka_run_group_tests_name("virtual cache", tests, NULL, NULL);
}
