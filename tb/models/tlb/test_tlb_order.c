/* SPDX-License-Identifier: Apache-2.0 */
/* A TLB that makes a limited number of look-ups at a time, in order of arrival, or that blocks when a miss
 * finds no MSHR: akita's TLB, against cycles worked out by hand, and random traffic whose look-ups are
 * observed. */
#include "../engine/fakes.h"

#include "tlb/parts.h"

#define PORTS   4u
#define LATENCY 10u
#define NEXT    40u
#define PAGE    0x1000ull
#define NONE    UINT64_MAX
#define LOOKUPS 4u /* at most */
#define STEP    7u /* cycles of STAR's further base */

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
    uint32_t pipeline;
    uint64_t free_from[LOOKUPS]; /* of a TLB that is not pipelined: each place for a look-up */
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

/* A look-up takes a place that is free, until the part that is not pipelined has ended. */
static void take_place(const struct mp_req *req, bool hit)
{
    const bool pending = !hit && mp_mshr_find(&b.tlb.mshr, mp_tlb_key(req->asid, req->va / PAGE));
    const uint32_t cycles = mp_tlb_peek(&b.tlb, req->asid, req->va).cycles;
    const uint32_t steps = b.pipeline == MP_TLB_PIPELINE_NONE ? cycles : 1 + cycles - LATENCY;
    uint32_t place = 0;
    while (place < b.lookups && b.free_from[place] > b.wheel.now)
        place++;
    assert_true(place < b.lookups);
    b.free_from[place] = b.wheel.now + (pending ? 1 : steps);
}

/* Look-ups are in the order of arrival, at most `lookups` at a time, and a TLB that blocks makes none while a
 * request waits for an MSHR. */
static void asked(void *self, const struct mp_req *req, bool hit)
{
    (void)self;
    assert_ptr_equal(req, b.came[b.looked_up++]);
    if (b.pipeline != MP_TLB_PIPELINE_ALL)
        take_place(req, hit);
    b.in_cycle = b.cycle == b.wheel.now ? b.in_cycle + 1 : 1;
    b.cycle = b.wheel.now;
    assert_true(!b.lookups || b.in_cycle <= b.lookups);
    assert_true(!b.blocks || !b.tlb.ports.held.head);
}

static const struct mp_tlb_hooks hooks = {.asked = asked};

static struct mp_tlb_params params_of(uint32_t mshrs, uint32_t lookups, bool blocks)
{
    return (struct mp_tlb_params){
        .policy = &mp_tlb_subentry,
        .geometry = {.sets = 4, .ways = 4, .sub_entries = 1, .latency = LATENCY, .tenants = 1},
        .page_shift = 12,
        .mshrs = mshrs,
        .merges = UINT16_MAX,
        .lookups = lookups,
        .blocks = blocks,
        .ports = PORTS,
        .tenants = 1};
}

static void set_up_with(struct mp_tlb_params p)
{
    memset(&b, 0, sizeof b);
    b.lookups = p.lookups;
    b.blocks = p.blocks;
    b.pipeline = p.pipeline;
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

static void set_up(uint32_t mshrs, uint32_t lookups, bool blocks)
{
    set_up_with(params_of(mshrs, lookups, blocks));
}

/* STAR's array: a set of one way, which two bases share. */
static void set_up_star(uint32_t mshrs, uint32_t lookups, bool blocks, enum mp_tlb_pipeline pipeline)
{
    struct mp_tlb_params p = params_of(mshrs, lookups, blocks);
    p.policy = &mp_tlb_star;
    p.geometry = (struct mp_tlb_geometry){
        .sets = 1, .ways = 1, .sub_entries = 16, .latency = LATENCY, .own = {{STEP, 1, 0}}, .tenants = 1};
    p.pipeline = pipeline;
    set_up_with(p);
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

/* Pages 1 and 16 are in an entry that two bases share; the look-up of page 16 takes a step more. */
static void answers_are(enum mp_tlb_pipeline pipeline, const uint64_t *after)
{
    static const uint64_t page[] = {16, 16, 1, 1};
    struct fake_request *hit[4];
    set_up_star(4, 1, false, pipeline);
    ask(0, 1);
    run_dry(&b.wheel);
    ask(0, 16);
    run_dry(&b.wheel);
    at_cycle(200);
    for (uint32_t i = 0; i < 4; i++)
        hit[i] = ask(i, page[i]);
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(hit[i]->answered, 200 + after[i]);
    assert_int_equal(b.tlb.stats[0].hits, 4);
    assert_int_equal(b.tlb.stats[0].stalls, 0); /* no MSHR was missing */
}

static void a_look_up_occupies_what_is_not_pipelined(void **state)
{
    enum { LONG = LATENCY + STEP };
    (void)state;
    answers_are(MP_TLB_PIPELINE_ALL, (const uint64_t[]){LONG, 1 + LONG, 2 + LATENCY, 3 + LATENCY});
    tear_down(state);
    answers_are(MP_TLB_PIPELINE_FIRST, (const uint64_t[]){LONG, 1 + STEP + LONG, 2 * (1 + STEP) + LATENCY,
                                                          2 * (1 + STEP) + 1 + LATENCY});
    tear_down(state);
    answers_are(MP_TLB_PIPELINE_NONE,
                (const uint64_t[]){LONG, 2 * LONG, 2 * LONG + LATENCY, 2 * LONG + 2 * LATENCY});
}

/* A request that joins a pending miss does not use the array. */
static void joining_a_miss_takes_a_cycle(void **state)
{
    (void)state;
    set_up_star(4, 1, false, MP_TLB_PIPELINE_NONE);
    at_cycle(100);
    struct fake_request *joins[] = {ask(0, 1), ask(1, 1), ask(2, 1)}, *other = ask(3, 2);
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(joins[i]->answered, FILL);
    assert_int_equal(b.tlb.stats[0].mshr_merges, 2);
    assert_int_equal(other->answered, FILL + LATENCY + 2);
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
    uint32_t mshrs = rng_between(&rng, 1, 8), lookups = rng_below(&rng, LOOKUPS);
    bool blocks = rng_percent(&rng, 50);
    if (lookups && rng_percent(&rng, 50))
        set_up_star(mshrs, lookups, blocks, (enum mp_tlb_pipeline)rng_below(&rng, 3));
    else
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
        cmocka_unit_test_teardown(a_look_up_occupies_what_is_not_pipelined, tear_down),
        cmocka_unit_test_teardown(joining_a_miss_takes_a_cycle, tear_down),
        cmocka_unit_test_teardown(pending_misses_are_looked_up_first, tear_down),
        cmocka_unit_test_teardown(hits_and_fills_make_a_way_the_most_recent, tear_down),
        cmocka_unit_test_teardown(every_request_is_looked_up_in_its_turn, tear_down),
    };
    return cmocka_run_group_tests_name("tlb order", tests, NULL, NULL);
}
