/* SPDX-License-Identifier: Apache-2.0 */
/* A TLB that makes a limited number of look-ups in a cycle, in order of arrival, or that blocks when a miss
 * finds no MSHR: akita's TLB, against cycles worked out by hand, and random traffic whose look-ups are
 * observed. */
#include "../engine/fakes.h"

#include "tlb/tlb.h"

#define PORTS   4u
#define LATENCY 10u
#define NEXT    40u
#define PAGE    0x1000ull
#define NONE    UINT64_MAX

static struct bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct mp_tlb tlb;
    struct fake_initiator port[PORTS];
    struct fake_target next;
    /* The requests in order of arrival, and the number of those that have been looked up. */
    struct mp_req *came[8192];
    uint32_t arrived, looked_up, in_cycle, lookups;
    uint64_t cycle;
    bool blocks;
} b;

static void next_answers(struct fake_target *next, struct mp_req *req)
{
    (void)next;
    req->fault = 0;
    req->pa = req->va + 0x100 * PAGE;
}

static enum mp_answer arrives(void *tlb, unsigned port, struct mp_req *req, uint32_t *delay)
{
    b.came[b.arrived++] = req;
    return mp_tlb_request_in_order(tlb, port, req, delay);
}

/* Look-ups are in the order of arrival, at most `lookups` in a cycle, and a TLB that blocks makes none while
 * a request waits for an MSHR. */
static void asked(void *self, const struct mp_req *req, bool hit)
{
    (void)self, (void)hit;
    assert_ptr_equal(req, b.came[b.looked_up++]);
    b.in_cycle = b.cycle == b.wheel.now ? b.in_cycle + 1 : 1;
    b.cycle = b.wheel.now;
    assert_true(!b.lookups || b.in_cycle <= b.lookups);
    assert_true(!b.blocks || !b.tlb.ports.held.head);
}

static const struct mp_tlb_hooks hooks = {.asked = asked};

static void set_up(uint32_t mshrs, uint32_t lookups, bool blocks)
{
    const struct mp_tlb_params p = {
        .policy = &mp_tlb_subentry,
        .geometry = {.sets = 4, .ways = 4, .sub_entries = 1, .latency = LATENCY, .tenants = 1},
        .page_shift = 12,
        .mshrs = mshrs,
        .merges = UINT16_MAX,
        .lookups = lookups,
        .blocks = blocks,
        .ports = PORTS,
        .tenants = 1};
    memset(&b, 0, sizeof b);
    b.lookups = lookups;
    b.blocks = blocks;
    b.cycle = NONE;
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_tlb_init(&b.tlb, &b.wheel, &p), 0);
    mp_tlb_hook(&b.tlb, &hooks);
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_join(&b.port[i], &b.wheel, mp_target_of(arrives, &b.tlb, i), &b.tlb.ports.up[i]);
    b.next = fake_target_make(&b.wheel, NULL, NEXT, NEXT);
    b.next.answer = next_answers;
    b.next.up = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &b.tlb, 0);
    mp_tlb_join(&b.tlb, 0, fake_target_end(&b.next));
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_free(&b.port[i]);
    free(b.next.log);
    mp_tlb_free(&b.tlb);
    mp_wheel_free(&b.wheel);
    return 0;
}

static struct fake_request *ask(uint32_t port, uint64_t page)
{
    return fake_initiator_send(&b.port[port], (struct mp_req){.va = page * PAGE, .op = MP_TRANSLATE});
}

static void at_cycle(uint64_t cycle)
{
    run_until(&b.wheel, cycle - 1);
    mp_wheel_advance(&b.wheel, cycle);
}

#define FILL (100 + LATENCY + NEXT) /* of a miss in cycle 100 */

/* One MSHR: page 1 is in the array, page 2 is fetched, page 3 finds no MSHR. */
static struct {
    struct fake_request *second, *merged, *third, *hit, *also_second;
} r;

static void ask_behind_a_miss_without_mshr(bool blocks)
{
    set_up(1, 0, blocks);
    ask(0, 1);
    run_dry(&b.wheel);
    at_cycle(100);
    r.second = ask(0, 2);
    r.merged = ask(0, 2);
    r.third = ask(1, 3);
    at_cycle(101);
    r.hit = ask(2, 1);
    r.also_second = ask(3, 2);
    run_dry(&b.wheel);
    assert_int_equal(r.second->answered, FILL);
    assert_int_equal(r.merged->answered, FILL); /* a pending miss takes more requests without limit */
    assert_int_equal(r.third->answered, FILL + LATENCY + NEXT);
    assert_int_equal(b.next.seen, 3);
}

static void hold_lets_hits_pass(void **state)
{
    (void)state;
    ask_behind_a_miss_without_mshr(false);
    assert_int_equal(r.hit->answered, 101 + LATENCY);
    assert_int_equal(r.also_second->answered, FILL);
    assert_int_equal(b.tlb.stats[0].stalls, 1);
}

static void block_holds_up_hits_and_merges(void **state)
{
    (void)state;
    ask_behind_a_miss_without_mshr(true);
    assert_int_equal(r.hit->answered, FILL + LATENCY);
    assert_int_equal(r.also_second->answered, FILL + LATENCY); /* its page has come meanwhile, a hit */
    assert_int_equal(b.tlb.stats[0].stalls, 3);
    assert_int_equal(b.tlb.stats[0].hits, 2);
    assert_int_equal(b.tlb.stats[0].misses, 4);
    assert_int_equal(b.tlb.stats[0].mshr_merges, 1);
}

static void a_cycle_has_so_many_look_ups(void **state)
{
    (void)state;
    set_up(4, 2, false);
    ask(0, 1);
    run_dry(&b.wheel);
    at_cycle(100);
    struct fake_request *hit[5];
    for (uint32_t i = 0; i < 5; i++)
        hit[i] = ask(i % PORTS, 1);
    run_dry(&b.wheel);
    static const uint64_t wait[] = {0, 0, 1, 1, 2};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(hit[i]->answered, 100 + wait[i] + LATENCY);
    assert_int_equal(b.tlb.stats[0].stalls, 0); /* no MSHR was missing */
}

/* Requests that wait for a look-up pass one that waits for an MSHR, unless the TLB blocks. */
static void look_ups_go_on_while_a_miss_is_held(void **state)
{
    (void)state;
    set_up(1, 1, false);
    ask(0, 1);
    run_dry(&b.wheel);
    at_cycle(100);
    ask(0, 2);
    ask(1, 3);
    struct fake_request *hit = ask(2, 1);
    run_dry(&b.wheel);
    assert_int_equal(hit->answered, 102 + LATENCY);
}

static uint32_t policy_lookups;

static struct mp_tlb_hit counted_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    policy_lookups++;
    return mp_tlb_subentry.lookup(state, asid, vpn);
}

static void pending_misses_are_looked_up_first(void **state)
{
    (void)state;
    set_up(2, 0, true);
    struct mp_tlb_policy counting = mp_tlb_subentry;
    counting.lookup = counted_lookup;
    b.tlb.policy = &counting;
    policy_lookups = 0;
    ask(0, 1);
    assert_int_equal(policy_lookups, 1);
    ask(1, 1);
    assert_int_equal(policy_lookups, 1);
    assert_int_equal(b.tlb.stats[0].mshr_merges, 1);
    run_dry(&b.wheel);
    b.tlb.policy = &mp_tlb_subentry;
}

static void hits_and_fills_make_a_way_the_most_recent(void **state)
{
    (void)state;
    set_up(4, 0, true);
    for (uint64_t page = 0; page < 16; page += 4) { /* fills a set */
        ask(0, page);
        run_dry(&b.wheel);
    }
    ask(0, 0);  /* a hit: page 4 is now the least recent one */
    ask(0, 16); /* takes its place */
    run_dry(&b.wheel);
    assert_true(mp_tlb_peek(&b.tlb, 0, 0).found);
    assert_false(mp_tlb_peek(&b.tlb, 0, 4 * PAGE).found);
    assert_true(mp_tlb_peek(&b.tlb, 0, 16 * PAGE).found);
}

/* --- random traffic -------------------------------------------------------------------------------- */

struct client {
    uint32_t port, left, pages, gap;
};

static void client_asks(void *client, void *unused)
{
    struct client *c = client;
    (void)unused;
    ask(c->port, rng_below(&b.rng, c->pages));
    if (--c->left)
        mp_at(&b.wheel, rng_below(&b.rng, c->gap), client_asks, c, NULL);
}

static void random_run(void)
{
    enum { EACH = 1000 };
    struct rng rng = b.rng;
    uint32_t mshrs = rng_between(&rng, 1, 8), lookups = rng_below(&rng, 4);
    bool blocks = rng_percent(&rng, 50);
    set_up(mshrs, lookups, blocks);
    b.rng = rng;
    b.next.rng = &b.rng;
    b.next.most = NEXT + rng_below(&b.rng, 200);
    b.next.done = rng_below(&b.rng, 50);
    b.next.hold = rng_below(&b.rng, 50);
    struct client client[PORTS];
    uint32_t pages = rng_between(&b.rng, 1, 60), gap = rng_between(&b.rng, 1, 40);
    for (uint32_t i = 0; i < PORTS; i++) {
        client[i] = (struct client){i, EACH, pages, gap};
        mp_at(&b.wheel, i, client_asks, &client[i], NULL);
    }
    run_dry(&b.wheel);
    const struct mp_tlb_stats *s = &b.tlb.stats[0];
    for (uint32_t i = 0; i < PORTS; i++) {
        assert_int_equal(b.port[i].answered, EACH);
        assert_false(b.port[i].out.held);
    }
    assert_int_equal(b.looked_up, PORTS * EACH);
    assert_int_equal(s->lookups, PORTS * EACH);
    assert_int_equal(s->hits + s->misses, s->lookups);
    assert_int_equal(b.tlb.mshr.used, 0);
    assert_int_equal(b.tlb.intake.length, 0);
    assert_true(b.next.most_under_way <= mshrs);
}

static void every_request_is_looked_up_in_its_turn(void **state)
{
    struct rng rng = rng_start("tlb order", 53);
    for (uint32_t i = 0; i < 60; i++) {
        b.rng = rng;
        random_run();
        rng = b.rng;
        tear_down(state);
    }
    set_up(1, 0, true); /* for the teardown */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(hold_lets_hits_pass, tear_down),
        cmocka_unit_test_teardown(block_holds_up_hits_and_merges, tear_down),
        cmocka_unit_test_teardown(a_cycle_has_so_many_look_ups, tear_down),
        cmocka_unit_test_teardown(look_ups_go_on_while_a_miss_is_held, tear_down),
        cmocka_unit_test_teardown(pending_misses_are_looked_up_first, tear_down),
        cmocka_unit_test_teardown(hits_and_fills_make_a_way_the_most_recent, tear_down),
        cmocka_unit_test_teardown(every_request_is_looked_up_in_its_turn, tear_down),
    };
    return cmocka_run_group_tests_name("tlb order", tests, NULL, NULL);
}
