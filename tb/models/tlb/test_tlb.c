/* SPDX-License-Identifier: Apache-2.0 */
/* The TLB between fake initiators and a fake next level. */
#include "../engine/fakes.h"

#include "tlb/tlb.h"

#define PORTS   4u
#define LINKS   2u
#define LATENCY 10u
#define NEXT    40u
#define PAGE    0x10000ull

struct bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct mp_tlb tlb;
    struct fake_initiator port[PORTS];
    struct fake_target next[LINKS];
};

static struct bench b;

/* Each page has a different frame; page numbers that end in 0xf are not mapped. */
static uint64_t frame_of(uint16_t asid, uint64_t va)
{
    return (va / PAGE * 7 + asid * 1000003u + 5) % (1u << 30) * PAGE;
}

static bool mapped(uint64_t va)
{
    return va / PAGE % 16 != 15;
}

static void next_answers(struct fake_target *next, struct mp_req *req)
{
    (void)next;
    assert_int_equal(req->op, MP_TRANSLATE);
    assert_int_equal(req->va % PAGE, 0);
    req->fault = !mapped(req->va);
    req->pa = req->fault ? 0 : frame_of(req->asid, req->va);
}

static void right_translation(struct fake_initiator *i, struct fake_request *r)
{
    (void)i;
    assert_int_equal(r->req.fault, !mapped(r->req.va));
    if (!r->req.fault)
        assert_int_equal(r->req.pa, frame_of(r->req.asid, r->req.va) + r->req.va % PAGE);
}

static void set_up_policy(const struct mp_tlb_policy *policy, uint32_t mshrs, uint32_t merges,
                          struct mp_tlb_geometry g)
{
    const struct mp_tlb_params p = {.policy = policy,
                                    .geometry = g,
                                    .page_shift = 16,
                                    .mshrs = mshrs,
                                    .merges = merges,
                                    .ports = PORTS,
                                    .tenants = 2,
                                    .reuse_sample = 1,
                                    .counts_lines = true};
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_tlb_init(&b.tlb, &b.wheel, &p), 0);
    for (uint32_t i = 0; i < PORTS; i++) {
        fake_initiator_join(&b.port[i], &b.wheel, mp_target_of(mp_tlb_request, &b.tlb, i),
                            &b.tlb.ports.up[i]);
        b.port[i].check = right_translation;
    }
    for (uint32_t i = 0; i < LINKS; i++) {
        b.next[i] = fake_target_make(&b.wheel, NULL, NEXT, NEXT);
        b.next[i].answer = next_answers;
        b.next[i].up = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &b.tlb, i);
        mp_tlb_join(&b.tlb, i, fake_target_end(&b.next[i]));
    }
}

static void set_up(uint32_t mshrs, uint32_t merges, struct mp_tlb_geometry g)
{
    set_up_policy(&mp_tlb_subentry, mshrs, merges, g);
}

static const struct mp_tlb_geometry small = {.sets = 4, .ways = 4, .sub_entries = 4, .latency = LATENCY};

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_free(&b.port[i]);
    for (uint32_t i = 0; i < LINKS; i++)
        free(b.next[i].log);
    mp_tlb_free(&b.tlb);
    mp_wheel_free(&b.wheel);
    return 0;
}

static struct fake_request *ask(uint32_t port, uint64_t va)
{
    return fake_initiator_send(&b.port[port], (struct mp_req){.va = va, .op = MP_TRANSLATE, .sm = port});
}

static void at_cycle(uint64_t cycle)
{
    run_until(&b.wheel, cycle - 1);
    mp_wheel_advance(&b.wheel, cycle);
}

static void latency_of_hit_and_miss(void **state)
{
    (void)state;
    set_up(4, 4, small);
    at_cycle(100);
    struct fake_request *miss = ask(0, 0x123456);
    run_dry(&b.wheel);
    assert_int_equal(b.next[0].log[0].when, 100 + LATENCY);
    assert_int_equal(b.next[0].log[0].va, 0x120000);
    assert_int_equal(miss->answered, 100 + LATENCY + NEXT);
    at_cycle(1000);
    struct fake_request *hit = ask(1, 0x12ffff), *neighbour = ask(2, 0x130000);
    run_dry(&b.wheel);
    assert_int_equal(hit->answered, 1000 + LATENCY);
    assert_int_equal(neighbour->answered, 1000 + LATENCY + NEXT); /* a page of the entry, but not valid yet */
    assert_int_equal(b.next[0].seen, 2);
    const struct mp_tlb_stats *s = &b.tlb.stats[0];
    assert_int_equal(s->lookups, 3);
    assert_int_equal(s->hits, 1);
    assert_int_equal(s->misses, 2);
    assert_int_equal(s->fills, 2);
    assert_int_equal(s->miss_cycles, 2 * (LATENCY + NEXT));
    assert_int_equal(s->reuse_distance[0], 1);
    assert_int_equal(mp_tlb_subentry.occupancy(b.tlb.state, 0), 2);
}

static void misses_for_one_page_merge(void **state)
{
    (void)state;
    set_up(4, 4, small);
    struct fake_request *r[3] = {ask(0, 0x50010), ask(1, 0x50020)};
    at_cycle(30);
    r[2] = ask(2, 0x5ffff);
    run_dry(&b.wheel);
    assert_int_equal(b.next[0].seen, 1);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(r[i]->answered, LATENCY + NEXT);
    assert_int_equal(b.tlb.stats[0].mshr_merges, 2);
    assert_int_equal(b.tlb.stats[0].fills, 1);
    assert_int_equal(b.tlb.stats[0].misses, 3);
}

static void lines_of_requests_are_counted(void **state)
{
    (void)state;
    set_up(4, 4, small);
    struct mp_req third = {.va = 0x50100}, second = {.va = 0x50080, .more = &third};
    fake_initiator_send(&b.port[0], (struct mp_req){.va = 0x50010, .more = &second});
    ask(1, 0x50020); /* joins it */
    run_dry(&b.wheel);
    fake_initiator_send(&b.port[0], (struct mp_req){.va = 0x50000, .more = &second});
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.lines[0].lookups, 3 + 1 + 3);
    assert_int_equal(b.tlb.lines[0].misses, 3 + 1);
    assert_int_equal(b.tlb.stats[0].lookups, 3);
}

static void an_address_space_of_its_own_does_not_merge_or_hit(void **state)
{
    (void)state;
    set_up(4, 4, small);
    b.tlb.next_of[1] = 1;
    struct fake_request *mine = ask(0, 0x50010);
    struct fake_request *other =
        fake_initiator_send(&b.port[1], (struct mp_req){.va = 0x50010, .asid = 1, .tenant = 1});
    run_dry(&b.wheel);
    assert_int_equal(b.next[0].seen, 1);
    assert_int_equal(b.next[1].seen, 1); /* a tenant's misses take its own link */
    assert_int_not_equal(mine->req.pa, other->req.pa);
    assert_int_equal(b.tlb.stats[0].lookups, 1);
    assert_int_equal(b.tlb.stats[1].lookups, 1);
}

static void a_full_mshr_file_holds_and_resumes_in_order(void **state)
{
    (void)state;
    set_up(1, 4, small);
    struct fake_request *hit = ask(3, 0x70000);
    run_dry(&b.wheel);
    at_cycle(100);
    struct fake_request *first = ask(0, 0x100000);
    struct fake_request *second = ask(0, 0x200000); /* held */
    struct fake_request *behind = ask(0, 0x70008);  /* would hit, but its port is stopped */
    at_cycle(101);
    struct fake_request *third = ask(1, 0x300000); /* held behind it */
    struct fake_request *passes = ask(3, 0x70010); /* another port is not stopped */
    struct fake_request *joins = ask(2, 0x100010); /* nor is one that merges */
    assert_int_equal(b.tlb.stats[0].stalls, 2);
    run_dry(&b.wheel);
    const uint64_t fill = 100 + LATENCY + NEXT;
    assert_int_equal(hit->answered, LATENCY + NEXT);
    assert_int_equal(first->answered, fill);
    assert_int_equal(joins->answered, fill);
    assert_int_equal(passes->answered, 101 + LATENCY);
    assert_int_equal(second->answered, fill + LATENCY + NEXT);
    assert_int_equal(behind->answered, fill + LATENCY); /* resumed when the request before it was accepted */
    assert_int_equal(third->answered, fill + 2 * (LATENCY + NEXT));
    assert_int_equal(b.port[0].resumes, 1);
    assert_int_equal(b.port[1].resumes, 1);
    assert_int_equal(b.port[3].resumes, 0);
    static const uint64_t order[] = {0x70000, 0x100000, 0x200000, 0x300000};
    assert_int_equal(b.next[0].seen, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(b.next[0].log[i].va, order[i]);
}

static void a_full_mshr_holds_what_would_merge(void **state)
{
    (void)state;
    set_up(4, 2, small);
    struct fake_request *r[4];
    for (uint32_t i = 0; i < 4; i++)
        r[i] = ask(i, 0x90000 + i);
    assert_int_equal(b.tlb.stats[0].stalls, 2);
    run_dry(&b.wheel);
    assert_int_equal(b.next[0].seen, 1); /* the translation came while they were held */
    assert_int_equal(r[0]->answered, LATENCY + NEXT);
    assert_int_equal(r[1]->answered, LATENCY + NEXT);
    assert_int_equal(r[2]->answered, 2 * LATENCY + NEXT);
    assert_int_equal(r[3]->answered, 2 * LATENCY + NEXT);
}

static void a_held_next_level_delays_and_loses_nothing(void **state)
{
    (void)state;
    set_up(4, 4, small);
    b.next[0].stop = true;
    struct fake_request *r[3] = {ask(0, 0x100000), ask(1, 0x200000), ask(2, 0x300000)};
    at_cycle(500);
    assert_int_equal(b.next[0].seen, 1);
    b.next[0].stop = false;
    fake_target_go(&b.next[0], NULL);
    run_dry(&b.wheel);
    assert_int_equal(b.next[0].seen, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(r[i]->answered, 500 + NEXT);
}

static void a_fault_reaches_everyone_and_fills_nothing(void **state)
{
    (void)state;
    set_up(4, 4, small);
    struct fake_request *one = ask(0, 0xf0000), *two = ask(1, 0xf0004);
    run_dry(&b.wheel);
    assert_int_equal(one->req.fault, 1);
    assert_int_equal(two->req.fault, 1);
    assert_int_equal(b.tlb.stats[0].fills, 0);
    assert_int_equal(mp_tlb_subentry.occupancy(b.tlb.state, 0), 0);
    ask(0, 0xf0000);
    run_dry(&b.wheel);
    assert_int_equal(b.next[0].seen, 2);
}

/* An eviction counts for the tenant that owned the entry. */
static void evictions_are_counted_for_who_suffers(void **state)
{
    (void)state;
    set_up(4, 4, (struct mp_tlb_geometry){.sets = 1, .ways = 1, .sub_entries = 4, .latency = LATENCY});
    for (uint32_t page = 0; page < 3; page++) {
        ask(0, page * PAGE);
        run_dry(&b.wheel);
    }
    fake_initiator_send(&b.port[1], (struct mp_req){.va = 0x100000, .asid = 1, .tenant = 1});
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.stats[0].evictions, 1);
    assert_int_equal(b.tlb.stats[0].translations_lost, 3);
    assert_int_equal(b.tlb.stats[0].sub_entries_at_eviction[3], 1);
    assert_int_equal(b.tlb.stats[1].evictions, 0);
    assert_int_equal(b.tlb.stats[1].fills, 1);
}

static void ask_as(uint8_t tenant, uint64_t va)
{
    fake_initiator_send(&b.port[tenant], (struct mp_req){.va = va, .asid = tenant, .tenant = tenant});
    run_dry(&b.wheel);
}

/* Tenants that share an entry each lose their own translations. The eviction counts once, for the tenant that
 * had the entry first. Further bases delay the answer. */
static void tenants_share_an_entry(void **state)
{
    (void)state;
    set_up_policy(
        &mp_tlb_star, 4, 4,
        (struct mp_tlb_geometry){.sets = 1, .ways = 1, .sub_entries = 16, .latency = 10, .own = {{3, 1}}});
    ask_as(0, 0x000000);
    ask_as(0, 0x010000);
    ask_as(1, 0x100000);
    at_cycle(1000);
    struct fake_request *first = ask(0, 0x010000);
    struct fake_request *second =
        fake_initiator_send(&b.port[1], (struct mp_req){.va = 0x100000, .asid = 1, .tenant = 1});
    run_dry(&b.wheel);
    assert_int_equal(first->answered, 1000 + 10);
    assert_int_equal(second->answered, 1000 + 13);
    at_cycle(2000);
    first = ask(0, 0x200000); /* both leave */
    run_dry(&b.wheel);
    assert_int_equal(first->answered, 2000 + 13 + NEXT);
    const struct mp_tlb_stats *s = b.tlb.stats;
    assert_int_equal(s[0].translations_lost, 2);
    assert_int_equal(s[1].translations_lost, 1);
    assert_int_equal(s[0].evictions, 1);
    assert_int_equal(s[1].evictions, 0);
    assert_int_equal(s[0].sub_entries_at_eviction[3], 1);
    ask_as(1, 0x300000);
    ask_as(0, 0x210000); /* takes the slot of 0x200000, a loss without an eviction */
    assert_int_equal(s[0].translations_lost, 3);
    assert_int_equal(s[0].evictions, 1);
}

/* ---- no port starves ---- */

static uint64_t greedy_page;

static void ask_again(struct fake_initiator *i, struct fake_request *r)
{
    right_translation(i, r);
    if (i->asked < 50)
        ask(0, ++greedy_page * 16 * PAGE);
}

static void a_port_that_asks_at_once_again_does_not_starve_a_held_one(void **state)
{
    (void)state;
    set_up(1, 4, small);
    b.port[0].check = ask_again;
    greedy_page = 0;
    ask(0, 0);
    at_cycle(5);
    struct fake_request *patient = ask(1, 0x80000);
    run_dry(&b.wheel);
    assert_int_equal(b.port[0].answered, 50);
    assert_true(patient->answered <= 2 * (LATENCY + NEXT)); /* the first MSHR that comes free is its own */
}

/* ---- random traffic ---- */

struct client {
    uint32_t port, left, pages, gap;
};

static void client_asks(void *client, void *unused)
{
    struct client *c = client;
    (void)unused;
    uint16_t asid = (uint16_t)rng_below(&b.rng, 2);
    fake_initiator_send(&b.port[c->port],
                        (struct mp_req){.va = rng_below(&b.rng, c->pages) * PAGE + rng_below(&b.rng, PAGE),
                                        .asid = asid,
                                        .tenant = (uint8_t)asid,
                                        .op = MP_TRANSLATE});
    if (--c->left)
        mp_at(&b.wheel, rng_below(&b.rng, c->gap), client_asks, c, NULL);
}

static void random_run(uint32_t each)
{
    uint32_t mshrs = rng_between(&b.rng, 1, 12), merges = rng_between(&b.rng, 1, 5);
    struct rng rng = b.rng;
    static const struct mp_tlb_policy *const policies[] = {&mp_tlb_subentry, &mp_tlb_star, &mp_tlb_star4};
    const struct mp_tlb_policy *policy = policies[rng_below(&rng, 3)];
    uint32_t sub_entries = policy == &mp_tlb_subentry ? 1u << rng_below(&rng, 5) : 16;
    set_up_policy(policy, mshrs, merges,
                  (struct mp_tlb_geometry){.sets = rng_between(&rng, 1, 9),
                                           .ways = rng_between(&rng, 1, 6),
                                           .sub_entries = sub_entries,
                                           .latency = rng_below(&rng, 12),
                                           .own = {{rng_below(&rng, 5), 1}}});
    b.rng = rng;
    b.tlb.next_of[1] = rng_below(&b.rng, 2);
    for (uint32_t i = 0; i < LINKS; i++) {
        b.next[i].rng = &b.rng;
        b.next[i].least = rng_below(&b.rng, 10);
        b.next[i].most = b.next[i].least + rng_below(&b.rng, 300);
        b.next[i].done = rng_below(&b.rng, 50);
        b.next[i].hold = rng_below(&b.rng, 50);
    }
    struct client client[PORTS];
    uint32_t pages = rng_between(&b.rng, 1, 400), gap = rng_between(&b.rng, 1, 60);
    for (uint32_t i = 0; i < PORTS; i++) {
        client[i] = (struct client){i, each, pages, gap};
        mp_at(&b.wheel, i, client_asks, &client[i], NULL);
    }
    run_dry(&b.wheel);
    uint32_t sent = b.next[0].seen + b.next[1].seen;
    struct mp_tlb_stats sum = {0};
    for (uint32_t t = 0; t < 2; t++) {
        const struct mp_tlb_stats *s = &b.tlb.stats[t];
        assert_int_equal(s->hits + s->misses, s->lookups);
        assert_int_equal(policy->occupancy(b.tlb.state, (uint16_t)t),
                         s->fills - s->translations_lost); /* no page is filled while it is valid */
        sum.lookups += s->lookups;
        sum.misses += s->misses;
        sum.fills += s->fills;
        sum.mshr_merges += s->mshr_merges;
        sum.stalls += s->stalls;
    }
    for (uint32_t i = 0; i < PORTS; i++) {
        assert_int_equal(b.port[i].asked, each);
        assert_int_equal(b.port[i].answered, each);
        assert_false(b.port[i].out.held);
    }
    assert_int_equal(sum.lookups, PORTS * each);
    assert_true(sum.fills <= sent);
    assert_true(sent + sum.mshr_merges <= sum.misses); /* a held one may find its translation filled */
    assert_true(sent + sum.mshr_merges + sum.stalls >= sum.misses);
    assert_true(b.next[0].most_under_way <= mshrs && b.next[1].most_under_way <= mshrs);
    assert_int_equal(b.tlb.mshr.used, 0);
    assert_int_equal(b.tlb.ports.held.length, 0);
}

static void every_request_is_answered_once(void **state)
{
    struct rng rng = rng_start("tlb", 51);
    for (uint32_t i = 0; i < 60; i++) {
        b.rng = rng;
        random_run(1500);
        rng = b.rng;
        tear_down(state);
    }
    b.rng = rng;
    random_run(100); /* for the teardown */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(latency_of_hit_and_miss, tear_down),
        cmocka_unit_test_teardown(misses_for_one_page_merge, tear_down),
        cmocka_unit_test_teardown(lines_of_requests_are_counted, tear_down),
        cmocka_unit_test_teardown(an_address_space_of_its_own_does_not_merge_or_hit, tear_down),
        cmocka_unit_test_teardown(a_full_mshr_file_holds_and_resumes_in_order, tear_down),
        cmocka_unit_test_teardown(a_full_mshr_holds_what_would_merge, tear_down),
        cmocka_unit_test_teardown(a_held_next_level_delays_and_loses_nothing, tear_down),
        cmocka_unit_test_teardown(a_fault_reaches_everyone_and_fills_nothing, tear_down),
        cmocka_unit_test_teardown(evictions_are_counted_for_who_suffers, tear_down),
        cmocka_unit_test_teardown(tenants_share_an_entry, tear_down),
        cmocka_unit_test_teardown(a_port_that_asks_at_once_again_does_not_starve_a_held_one, tear_down),
        cmocka_unit_test_teardown(every_request_is_answered_once, tear_down),
    };
    return cmocka_run_group_tests_name("tlb", tests, NULL, NULL);
}
