/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between a TLB, its links and its policy: whole translations in both directions, walks that
 * respond twice, probes, and address spaces. */
#include "contract.h"

/* ---- translations ---- */

/* A miss gets the span from below as it is; a hit in the entry that was made of it gets what the policy
 * stored. */
static void a_span_goes_up_and_is_stored(void **state)
{
    (void)state;
    b.span = (struct mp_span){.unit = 2, .before = 1, .after = 1, .read_only = 1}; /* of page 21: 16 to 27 */
    const struct mp_req *r = ask(21);
    assert_int_equal(r->source, MP_FROM_WALK);
    assert_int_equal(r->pa, frame_of(21 * PAGE + 8));
    span_is(r, 2, 1, 1, 1);
    assert_int_equal(b.tlb.stats[0].fills, 1);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 12);
    for (uint64_t page = 16; page < 28; page++) {
        r = ask(page);
        assert_int_equal(r->source, MP_FROM_TLB);
        assert_int_equal(r->pa, frame_of(page * PAGE + 8));
        span_is(r, 0, (unsigned)page - 16, 27 - (unsigned)page, 1);
    }
    assert_int_equal(b.next.seen, 1);
    ask(15);
    ask(28);
    assert_int_equal(b.next.seen, 3);
}

static void all_that_wait_get_the_same_answer(void **state)
{
    (void)state;
    b.span = (struct mp_span){.after = 3};
    const struct fake_request *one = fake_initiator_send(&b.port, (struct mp_req){.va = 8 * PAGE}),
                              *two = fake_initiator_send(&b.port, (struct mp_req){.va = 8 * PAGE + 16});
    run_dry(&b.wheel);
    assert_int_equal(two->req.pa, frame_of(8 * PAGE + 16));
    span_is(&one->req, 0, 0, 3, 0);
    span_is(&two->req, 0, 0, 3, 0);
    assert_int_equal(one->req.source, MP_FROM_WALK);
    assert_int_equal(two->req.source, MP_FROM_WALK);
}

/* Today's policies store pages one by one, with their permission. */
static void policies_of_pages_drop_the_span_and_keep_the_permission(void **state)
{
    static const struct mp_tlb_policy *const policies[] = {&mp_tlb_subentry, &mp_tlb_star, &mp_tlb_star4};
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++) {
        tear_down(state);
        set_up_policy(policies[i]);
        for (unsigned read_only = 0; read_only < 2; read_only++) {
            b.span = (struct mp_span){.unit = 6, .before = 2, .after = 1, .read_only = read_only & 1};
            uint64_t page = 100 + read_only;
            span_is(ask(page), 6, 2, 1, read_only);
            const struct mp_req *hit = ask(page);
            assert_int_equal(hit->source, MP_FROM_TLB);
            assert_int_equal(hit->pa, frame_of(page * PAGE + 8));
            span_is(hit, 0, 0, 0, read_only);
        }
        assert_int_equal(b.next.seen, 2);
    }
}

/* Groups of blocks rely on it: a TLB knows of a miss for so long before it sends one. */
static void a_lookup_takes_no_less_than_the_latency(void **state)
{
    struct mp_tlb_geometry g = {
        .sets = 2, .ways = 4, .sub_entries = 16, .latency = LATENCY, .tenants = 2, .tenant_ways = {2, 2}};
    struct rng r = rng_start("latency", 10);
    g.sms = g.warps = 2;
    (void)state;
    for (unsigned i = 0; mp_tlb_policies[i]; i++) {
        const struct mp_tlb_policy *policy = mp_tlb_policies[i];
        g.own = mp_design_defaults(&policy->design);
        void *array = mp_tlb_state(policy, &g);
        for (uint32_t step = 0; step < 5000; step++) {
            uint16_t asid = (uint16_t)rng_below(&r, 2);
            uint64_t page = rng_below(&r, 256);
            assert_true(policy->lookup(array, asid, page).cycles >= LATENCY);
            if (rng_percent(&r, 30))
                policy->insert(array, asid, page, (struct mp_translation){.pfn = page}, NULL);
        }
        free(array);
    }
}

/* Requests that are held rely on it, and are not looked up again. */
static void misses_repeat_until_the_page_is_inserted(void **state)
{
    struct mp_tlb_geometry g = {.sets = 2, .ways = 2, .sub_entries = 16, .latency = LATENCY};
    struct rng r = rng_start("misses", 9);
    uint32_t policies = 0;
    (void)state;
    for (unsigned i = 0; mp_tlb_policies[i]; i++) {
        const struct mp_tlb_policy *policy = mp_tlb_policies[i];
        if (!policy->misses_repeat)
            continue;
        g.own = mp_design_defaults(&policy->design);
        void *array = mp_tlb_state(policy, &g);
        policies++;
        for (uint32_t step = 0; step < 20000; step++) {
            uint64_t page = rng_below(&r, 256), other = rng_below(&r, 256);
            struct mp_tlb_hit first = policy->lookup(array, 0, page);
            if (other == page || first.found)
                continue;
            assert_int_equal(first.cycles, LATENCY);
            policy->insert(array, 0, other, (struct mp_translation){.pfn = other}, NULL);
            struct mp_tlb_hit again = policy->lookup(array, 0, page);
            assert_false(again.found);
            assert_int_equal(again.cycles, LATENCY);
            if (rng_percent(&r, 20))
                policy->insert(array, 0, page, (struct mp_translation){.pfn = page}, NULL);
        }
        free(array);
    }
    assert_true(policies > 0);
}

static void a_fault_keeps_its_cause_and_its_entry(void **state)
{
    (void)state;
    b.fault = MP_FAULT_RESERVED | 2 << MP_FAULT_LEVEL_SHIFT;
    const struct mp_req *r = ask(5);
    assert_int_equal(r->fault, b.fault);
    assert_int_equal(r->pa, 0x1230);
    assert_int_equal(b.tlb.stats[0].fills, 0);
}

/* ---- walks that respond twice ---- */

static struct mp_req *walk; /* in the next level's hands */

static enum mp_answer slow_request(void *self, unsigned port, struct mp_req *req, uint32_t *delay)
{
    (void)self;
    (void)port;
    (void)delay;
    assert_null(walk);
    walk = req;
    return MP_TAKEN;
}

static void slow_response(enum mp_answerer source, struct mp_span span)
{
    struct mp_req *req = walk;
    if (source != MP_FROM_WALK_EARLY)
        walk = NULL;
    req->pa = frame_of(req->va);
    req->span = span;
    req->fault = MP_FAULT_NONE;
    req->source = source & 15;
    mp_tlb_response(&b.tlb, req);
    run_dry(&b.wheel);
}

static struct fake_request *begin(uint64_t page)
{
    struct fake_request *r = fake_initiator_send(&b.port, (struct mp_req){.va = page * PAGE});
    run_dry(&b.wheel);
    return r;
}

/* The first response answers, the second is stored; a request between the two waits for the second. */
static void an_early_answer_is_not_stored(void **state)
{
    (void)state;
    const struct mp_span run = {.before = 1, .after = 2};
    walk = NULL;
    mp_tlb_join(&b.tlb, 0, mp_target_of(slow_request, NULL, 0));
    struct fake_request *first = begin(5);
    slow_response(MP_FROM_WALK_EARLY, (struct mp_span){0});
    assert_int_equal(first->req.source, MP_FROM_WALK);
    assert_int_equal(first->req.pa, frame_of(5 * PAGE));
    span_is(&first->req, 0, 0, 0, 0);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 0);
    assert_int_equal(b.tlb.mshr.used, 1);
    struct fake_request *between = begin(5);
    assert_int_equal(b.tlb.stats[0].mshr_merges, 1);
    slow_response(MP_FROM_WALK, run);
    span_is(&between->req, 0, 1, 2, 0);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 4);
    assert_int_equal(b.tlb.stats[0].fills, 1);
    assert_int_equal(b.tlb.mshr.used, 0);
}

/* Invalidated after the answer: the second response is not stored, and a request between the two asks again.
 */
static void an_early_answer_that_is_invalidated(void **state)
{
    (void)state;
    const struct mp_scope page = {.va = 5 * PAGE};
    for (int between = 0; between < 2; between++)
        for (int told = 0; told < 2; told++) { /* by the walk, too */
            walk = NULL;
            mp_tlb_join(&b.tlb, 0, mp_target_of(slow_request, NULL, 0));
            begin(5);
            slow_response(MP_FROM_WALK_EARLY, (struct mp_span){0});
            mp_tlb_invalidate(&b.tlb, &page);
            struct fake_request *late = between ? begin(5) : NULL;
            slow_response(told ? MP_FROM_NOTHING : MP_FROM_WALK, (struct mp_span){0});
            assert_int_equal(mp_tlb_held(&b.tlb, 0), 0);
            assert_int_equal(b.tlb.mshr.used, between);
            if (!between)
                continue;
            assert_int_equal(late->answered, MP_NEVER);
            slow_response(MP_FROM_WALK, (struct mp_span){0});
            assert_int_equal(late->req.pa, frame_of(5 * PAGE));
            assert_int_equal(mp_tlb_held(&b.tlb, 0), 1);
            mp_tlb_invalidate(&b.tlb, &page);
        }
}

/* Invalidated before the answer: it may be from before, so that nothing is answered until the walk is done
 * again. */
static void a_stale_early_answer_is_not_used(void **state)
{
    (void)state;
    const struct mp_scope page = {.va = 5 * PAGE};
    walk = NULL;
    mp_tlb_join(&b.tlb, 0, mp_target_of(slow_request, NULL, 0));
    struct fake_request *r = begin(5);
    mp_tlb_invalidate(&b.tlb, &page);
    slow_response(MP_FROM_WALK_EARLY, (struct mp_span){0});
    assert_int_equal(r->answered, MP_NEVER);
    slow_response(MP_FROM_WALK, (struct mp_span){0});
    assert_int_equal(r->answered, MP_NEVER);
    slow_response(MP_FROM_WALK, (struct mp_span){0});
    assert_int_not_equal(r->answered, MP_NEVER);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 1);
}

/* A page of the same group changes while a miss is in flight: the answer may cover it, so it is asked for
 * again.
 */
static void a_change_in_the_group_concerns_a_miss(void **state)
{
    static const struct {
        const struct mp_tlb_policy *policy;
        uint64_t inside, outside; /* pages near page 5 */
    } cases[] = {{&mp_tlb_page, 5, 4}, {&mp_tlb_colt, 7, 8}, {&mp_tlb_thp, 511, 512}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int inside = 0; inside < 2; inside++) {
            const struct mp_scope scope = {.va = (inside ? cases[i].inside : cases[i].outside) * PAGE};
            tear_down(state);
            set_up_policy(cases[i].policy);
            fake_initiator_send(&b.port, (struct mp_req){.va = 5 * PAGE});
            run_until(&b.wheel, LATENCY + NEXT / 2);
            mp_tlb_invalidate(&b.tlb, &scope);
            run_dry(&b.wheel);
            assert_int_equal(b.next.seen, inside ? 2 : 1);
        }
}

/* ---- probes ---- */

static void a_probe_makes_no_demand(void **state)
{
    (void)state;
    b.span = (struct mp_span){.after = 1};
    ask(8);
    const struct mp_tlb_stats before = b.tlb.stats[0];
    uint64_t now = b.wheel.now;
    const struct fake_request *found = ask_as(0, 0, 9, MP_PROBE), *not = ask_as(0, 0, 10, MP_PROBE);
    assert_int_equal(found->answered, now + LATENCY);
    assert_int_equal(found->req.source, MP_FROM_TLB);
    assert_int_equal(found->req.pa, frame_of(9 * PAGE + 8));
    span_is(&found->req, 0, 1, 0, 0);
    assert_int_equal(not ->req.source, MP_FROM_NOTHING);
    assert_int_equal(not ->req.fault, MP_FAULT_NONE);
    assert_int_equal(not ->answered, now + 2 * LATENCY);
    assert_int_equal(b.next.seen, 1);
    assert_int_equal(b.tlb.mshr.used, 0);
    assert_memory_equal(&before, &b.tlb.stats[0], sizeof before);
}

/* For the policy, a probe that finds the page is a use of it; a peek is not. */
static void a_probe_is_a_use(void **state)
{
    (void)state;
    for (int probe = 0; probe < 2; probe++) {
        for (uint64_t page = 10; page < 10 + 2 * WAYS; page += 2)
            ask(page);
        if (probe)
            ask_as(0, 0, 10, MP_PROBE);
        else
            assert_true(mp_tlb_peek(&b.tlb, 0, 10 * PAGE).found);
        ask(100); /* evicts the least recently used */
        assert_int_equal(mp_tlb_peek(&b.tlb, 0, 10 * PAGE).found, probe);
        assert_int_equal(mp_tlb_peek(&b.tlb, 0, 12 * PAGE).found, !probe);
    }
}

/* ---- address spaces and tenants ---- */

/* Losses count for the tenant of the address space, whatever its number. */
static void an_address_space_need_not_have_its_tenants_number(void **state)
{
    (void)state;
    for (uint64_t page = 0; page < 2 * WAYS; page += 2)
        ask_as(5, 1, page, MP_TRANSLATE);
    assert_int_equal(mp_tlb_held(&b.tlb, 1), WAYS);
    ask_as(1, 0, 100, MP_TRANSLATE);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 1);
    assert_int_equal(mp_tlb_held(&b.tlb, 1), WAYS - 1);
    assert_int_equal(b.tlb.stats[1].translations_lost, 1);
    assert_int_equal(b.tlb.stats[0].translations_lost, 0);
    const struct mp_scope space = {.asid = 5, .every_page = true},
                          page = {.every_asid = true, .va = 100 * PAGE};
    assert_int_equal(mp_tlb_invalidate(&b.tlb, &space), WAYS - 1);
    assert_int_equal(mp_tlb_invalidate(&b.tlb, &page), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_span_goes_up_and_is_stored),
        TEST(all_that_wait_get_the_same_answer),
        TEST(policies_of_pages_drop_the_span_and_keep_the_permission),
        TEST(a_lookup_takes_no_less_than_the_latency),
        TEST(misses_repeat_until_the_page_is_inserted),
        TEST(a_fault_keeps_its_cause_and_its_entry),
        TEST(an_early_answer_is_not_stored),
        TEST(an_early_answer_that_is_invalidated),
        TEST(a_stale_early_answer_is_not_used),
        TEST(a_change_in_the_group_concerns_a_miss),
        TEST(a_probe_makes_no_demand),
        TEST(a_probe_is_a_use),
        TEST(an_address_space_need_not_have_its_tenants_number),
    };
    return cmocka_run_group_tests_name("tlb, contract", tests, NULL, NULL);
}
