/* SPDX-License-Identifier: Apache-2.0 */
/* MASK's tokens, epochs and bypass cache, alone and behind a TLB's merged misses. */
#include "state.h"

#include "tlb/tlb.h"

#define SMS   4u
#define WARPS 8u
#define EPOCH 100u

static const struct mp_tlb_geometry machine = {.sets = 4,
                                               .ways = 4,
                                               .sub_entries = 4,
                                               .latency = 40,
                                               .tenants = 2,
                                               .own = {{EPOCH, 80, 10, 2, 10, 4}}, /* as params[] of mask.c */
                                               .sms = SMS,
                                               .warps = WARPS};

static const struct mp_tlb_policy *const mask = &mp_tlb_mask;

/* An epoch in which the first `warps` warps of an order take turns and the given number of lookups misses.
 * The order is that of the tokens: SM by SM within a warp number. */
static void epoch(void *tlb, uint16_t asid, uint32_t warps, uint32_t misses)
{
    for (uint32_t i = 0; i < EPOCH; i++)
        mask->asked(tlb, asid, i % warps % SMS, i % warps / SMS, i >= misses);
}

/* How many warps may fill; they must be the first ones of the order. */
static uint32_t tokens(const void *tlb, uint16_t asid)
{
    uint32_t n = 0;
    while (n < SMS * WARPS && mask->may_fill(tlb, asid, n % SMS, n / SMS))
        n++;
    for (uint32_t i = n; i < SMS * WARPS; i++)
        assert_false(mask->may_fill(tlb, asid, i % SMS, i / SMS));
    return n;
}

#define ALL (SMS * WARPS)

static void the_first_epoch_limits_nobody(void **state)
{
    (void)state;
    void *tlb = new_state(mask, &machine);
    assert_int_equal(tokens(tlb, 0), ALL);
    for (uint32_t i = 0; i < EPOCH - 1; i++)
        mask->asked(tlb, 0, 0, 0, false);
    assert_int_equal(tokens(tlb, 0), ALL);
    mask->asked(tlb, 0, 1, 0, false); /* the epoch's last lookup: two warps seen */
    assert_int_equal(tokens(tlb, 0), 1);
    assert_int_equal(tokens(tlb, 1), ALL); /* another's epochs are its own */
    free(tlb);
}

/* The share follows the miss rate: 80 % at first, down a step when it rises, up when it falls, and not at all
 * when it moves by two points or less. */
static void the_share_follows_the_miss_rate(void **state)
{
    (void)state;
    static const struct {
        uint32_t misses, tokens; /* of 20 warps */
    } table[] = {{50, 16}, {52, 16}, {55, 14}, {60, 12}, {58, 12}, {55, 14}, {50, 16}, {45, 18},
                 {40, 20}, {35, 20}, {36, 20}, {40, 18}, {45, 16}, {50, 14}, {55, 12}, {60, 10},
                 {65, 8},  {70, 6},  {75, 4},  {80, 2},  {85, 2},  {90, 2},  {95, 2},  {90, 4}};
    void *tlb = new_state(mask, &machine);
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        epoch(tlb, 0, 20, table[i].misses);
        assert_int_equal(tokens(tlb, 0), table[i].tokens);
    }
    free(tlb);
}

static void a_low_miss_rate_needs_no_tokens(void **state)
{
    (void)state;
    void *tlb = new_state(mask, &machine);
    epoch(tlb, 0, 20, 10);
    assert_int_equal(tokens(tlb, 0), ALL); /* 10 % is not above 10 % */
    epoch(tlb, 0, 20, 11);
    assert_int_equal(tokens(tlb, 0), 16);
    epoch(tlb, 0, 20, 5);
    assert_int_equal(tokens(tlb, 0), ALL);
    free(tlb);
}

/* A share of a number of warps is rounded down; a warp not seen in an epoch has none after it. */
static void tokens_go_to_the_warps_that_were_seen(void **state)
{
    (void)state;
    void *tlb = new_state(mask, &machine);
    epoch(tlb, 0, 9, 50);
    assert_int_equal(tokens(tlb, 0), 7);
    epoch(tlb, 0, 1, 50);
    assert_int_equal(tokens(tlb, 0), 0);
    for (uint32_t i = 0; i < EPOCH; i++) /* two warps that are not the first of the order */
        mask->asked(tlb, 0, 2, i % 2 ? 3 : 1, i >= 50);
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint32_t warp = 0; warp < WARPS; warp++)
            assert_int_equal(mask->may_fill(tlb, 0, sm, warp), sm == 2 && warp == 1);
    free(tlb);
}

static void a_step_larger_than_the_share_does_not_raise_it(void **state)
{
    (void)state;
    struct mp_tlb_geometry g = machine;
    g.own.v[1] = 30;
    g.own.v[2] = 50;
    void *tlb = new_state(mask, &g);
    epoch(tlb, 0, 20, 50);
    assert_int_equal(tokens(tlb, 0), 6);
    epoch(tlb, 0, 20, 60);
    assert_int_equal(tokens(tlb, 0), 6);
    epoch(tlb, 0, 20, 50);
    assert_int_equal(tokens(tlb, 0), 16);
    free(tlb);
    g.own.v[1] = 70; /* nor does it lower it below the step */
    tlb = new_state(mask, &g);
    epoch(tlb, 0, 20, 50);
    epoch(tlb, 0, 20, 60);
    assert_int_equal(tokens(tlb, 0), 10);
    free(tlb);
}

static void the_bypass_cache(void **state)
{
    (void)state;
    void *tlb = new_state(mask, &machine);
    for (uint64_t page = 0; page < 4; page++) {
        struct inserted done = insert_by(mask->bypass, tlb, (uint16_t)(page % 2), page, page + 10);
        assert_string_equal(done.in.action, "bypass");
        assert_int_equal(done.left.pages, 0);
    }
    assert_true(is_there(mask, tlb, 0, 0, 10)); /* now the most recent; nothing else of its entry is there */
    assert_false(is_there(mask, tlb, 0, 1, 11));
    struct inserted done = insert_by(mask->bypass, tlb, 0, 100, 110);
    assert_int_equal(done.left.pages, 1);
    assert_true(has_left(&done.left, 1, 1)); /* the least recent one */
    assert_false(done.in.entry_evicted);
    assert_false(is_there(mask, tlb, 1, 1, 11));
    assert_true(is_there(mask, tlb, 0, 0, 10));
    assert_int_equal(mask->occupancy(tlb, 0), 3);
    assert_int_equal(mask->occupancy(tlb, 1), 1);
    done = insert_page(mask, tlb, 0, 0, 20); /* moves into the array */
    assert_int_equal(done.left.pages, 0);
    assert_true(is_there(mask, tlb, 0, 0, 20));
    assert_int_equal(mask->occupancy(tlb, 0), 3);
    insert_by(mask->bypass, tlb, 0, 0, 30); /* stays there */
    assert_true(is_there(mask, tlb, 0, 0, 30));
    assert_int_equal(mask->occupancy(tlb, 0), 3);
    assert_int_equal(mask->invalidate_page(tlb, 0, 100, NULL), 1);
    assert_int_equal(mask->invalidate_page(tlb, 0, 100, NULL), 0);
    assert_int_equal(mask->invalidate_asid(tlb, 0), 2);
    assert_int_equal(mask->invalidate_all(tlb), 1);
    free(tlb);
}

/* A hit gives the frame that was written last, and occupancy is what was written less what is gone. */
static void random_against_a_map(void **state)
{
    (void)state;
    enum { PAGES = 300 };
    struct rng rng = rng_start("mask", 81);
    static uint64_t frame[2][PAGES];
    int64_t held[2] = {0, 0};
    uint32_t hits = 0, bypass_hits = 0;
    void *tlb = new_state(mask, &machine);
    for (uint32_t step = 0; step < 200000; step++) {
        uint16_t asid = (uint16_t)rng_below(&rng, 2);
        uint64_t vpn = rng_below(&rng, rng_percent(&rng, 60) ? 40 : PAGES);
        uint32_t sm = rng_below(&rng, SMS), warp = rng_below(&rng, WARPS);
        bool found = is_there(mask, tlb, asid, vpn, frame[asid][vpn]);
        assert_int_equal(mask->lookup(tlb, asid, vpn).cycles, 40);
        mask->asked(tlb, asid, sm, warp, found);
        hits += found;
        if (!found || rng_percent(&rng, 5)) {
            bool may = mask->may_fill(tlb, asid, sm, warp);
            frame[asid][vpn] = rng_next(&rng) >> 28;
            struct inserted done =
                insert_by(may ? mask->insert : mask->bypass, tlb, asid, vpn, frame[asid][vpn]);
            held[asid] += !found;
            for (uint16_t a = 0; a < 2; a++)
                held[a] -= left_of(&done.left, a);
            bypass_hits += !may;
        } else if (rng_percent(&rng, 1)) {
            assert_int_equal(mask->invalidate_page(tlb, asid, vpn, NULL), 1);
            held[asid]--;
        } else if (!rng_below(&rng, 10000)) {
            assert_int_equal(mask->invalidate_asid(tlb, asid), held[asid]);
            held[asid] = 0;
        }
        if (step % 16 == 0)
            assert_int_equal(mask->occupancy(tlb, asid), held[asid]);
    }
    assert_true(hits > 10000);
    assert_true(bypass_hits > 10000);
    free(tlb);
}

/* --- behind merged misses --------------------------------------------------------------------------------
 */

#define PAGE 0x10000ull

struct bench {
    struct mp_wheel wheel;
    struct mp_tlb tlb;
    struct fake_initiator port[2];
    struct fake_target next;
};

static struct bench b;

static void walked(struct fake_target *next, struct mp_req *req)
{
    (void)next;
    req->pa = req->va + (1ull << 40);
}

static void ask(uint32_t port, uint64_t page, uint32_t warp)
{
    fake_initiator_send(&b.port[port],
                        (struct mp_req){.va = page * PAGE, .op = MP_TRANSLATE, .warp = (uint8_t)warp});
}

/* After an epoch of ten warps of SM 0 that missed: warps 0 to 7 have tokens, 8 and 9 none. */
static int set_up(void **state)
{
    (void)state;
    struct mp_tlb_params p = {.policy = mask,
                              .geometry = machine,
                              .page_shift = 16,
                              .mshrs = 4,
                              .merges = 4,
                              .ports = 2,
                              .tenants = 2};
    p.geometry.sms = 1;
    p.geometry.warps = 10;
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_tlb_init(&b.tlb, &b.wheel, &p), 0);
    for (uint32_t i = 0; i < 2; i++)
        fake_initiator_join(&b.port[i], &b.wheel, mp_target_of(mp_tlb_request, &b.tlb, i),
                            &b.tlb.ports.up[i]);
    b.next = fake_target_make(&b.wheel, NULL, 100, 100);
    b.next.answer = walked;
    b.next.up = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &b.tlb, 0);
    mp_tlb_join(&b.tlb, 0, fake_target_end(&b.next));
    for (uint32_t i = 0; i < EPOCH; i++) {
        ask(0, 1000 + i, i % 10);
        run_dry(&b.wheel);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++)
        fake_initiator_free(&b.port[i]);
    free(b.next.log);
    mp_tlb_free(&b.tlb);
    mp_wheel_free(&b.wheel);
    return 0;
}

static uint64_t bypassed(uint64_t page, uint32_t first, uint32_t second)
{
    uint64_t before = b.tlb.stats[0].bypasses, fills = b.tlb.stats[0].fills;
    ask(0, page, first);
    ask(1, page, second);
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.stats[0].fills, fills + 1);
    assert_true(is_there(mask, b.tlb.state, 0, page, page + (1ull << 40) / PAGE));
    return b.tlb.stats[0].bypasses - before;
}

static void any_warp_that_waits_may_fill(void **state)
{
    (void)state;
    assert_int_equal(b.tlb.stats[0].bypasses, 1); /* the first epoch's last walk ends after it, warp 9's */
    assert_int_equal(bypassed(1, 0, 1), 0);
    assert_int_equal(bypassed(2, 8, 7), 0);
    assert_int_equal(bypassed(3, 7, 8), 0);
    assert_int_equal(bypassed(4, 8, 9), 1);
    assert_int_equal(bypassed(5, 9, 9), 1);
    assert_int_equal(b.tlb.stats[0].mshr_merges, 5);
}

/* A request that is held and looks up again is one lookup of the epoch. */
static void a_held_request_counts_once(void **state)
{
    (void)state;
    uint64_t lookups = b.tlb.stats[0].lookups;
    for (uint32_t i = 0; i < EPOCH - 5; i++)
        ask(0, 5000 + i, 9); /* one warp seen: after this epoch no warp has a token */
    run_dry(&b.wheel);
    assert_true(b.tlb.stats[0].stalls > 0);
    assert_int_equal(b.tlb.stats[0].lookups, lookups + EPOCH - 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(mask->may_fill(b.tlb.state, 0, 0, 0));
        ask(0, 6000 + i, 9);
        run_dry(&b.wheel);
    }
    assert_false(mask->may_fill(b.tlb.state, 0, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_epoch_limits_nobody),
        cmocka_unit_test(the_share_follows_the_miss_rate),
        cmocka_unit_test(a_low_miss_rate_needs_no_tokens),
        cmocka_unit_test(tokens_go_to_the_warps_that_were_seen),
        cmocka_unit_test(a_step_larger_than_the_share_does_not_raise_it),
        cmocka_unit_test(the_bypass_cache),
        cmocka_unit_test(random_against_a_map),
        cmocka_unit_test_setup_teardown(any_warp_that_waits_may_fill, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_held_request_counts_once, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
