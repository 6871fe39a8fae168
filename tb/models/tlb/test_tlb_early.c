/* SPDX-License-Identifier: Apache-2.0 */
/* A TLB above a walk that reads on after its answer, and so responds twice: early with the answer, and at the
 * end with the translation to store. The next level is the test's own. */
#include "../engine/fakes.h"

#include "tlb/tlb.h"

#define PAGE 0x1000ull
#define PFN  77u

static struct bench {
    struct mp_wheel wheel;
    struct mp_tlb tlb;
    struct fake_initiator port[2];
    struct mp_req *miss; /* the last one that was sent */
    uint32_t misses;
} b;

static enum mp_answer next_request(void *unused, unsigned port, struct mp_req *req, uint32_t *delay)
{
    (void)unused;
    (void)port;
    (void)delay;
    b.miss = req;
    b.misses++;
    return MP_TAKEN;
}

static void set_up(void)
{
    const struct mp_tlb_params p = {
        .policy = &mp_tlb_subentry,
        .geometry = {.sets = 1, .ways = 4, .sub_entries = 1, .latency = 1, .tenants = 1},
        .page_shift = 12,
        .mshrs = 1,
        .merges = 2,
        .ports = 2,
        .tenants = 1};
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_tlb_init(&b.tlb, &b.wheel, &p), 0);
    mp_tlb_join(&b.tlb, 0, mp_target_of(next_request, NULL, 0));
    for (uint32_t i = 0; i < 2; i++)
        fake_initiator_join(&b.port[i], &b.wheel, mp_target_of(mp_tlb_request, &b.tlb, i),
                            &b.tlb.ports.up[i]);
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++)
        fake_initiator_free(&b.port[i]);
    mp_tlb_free(&b.tlb);
    mp_wheel_free(&b.wheel);
    return 0;
}

static struct fake_request *ask(uint32_t port)
{
    struct fake_request *r =
        fake_initiator_send(&b.port[port], (struct mp_req){.va = 5 * PAGE + 8, .op = MP_TRANSLATE});
    run_dry(&b.wheel);
    return r;
}

static void respond(enum mp_answerer source)
{
    b.miss->pa = PFN * PAGE;
    b.miss->source = source & 15;
    mp_tlb_response(&b.tlb, b.miss);
    run_dry(&b.wheel);
}

static void is_answered(const struct fake_request *r, bool answered)
{
    assert_int_equal(r->answered != MP_NEVER, answered);
    if (!answered)
        return;
    assert_int_equal(r->req.pa, PFN * PAGE + 8);
    assert_int_equal(r->req.fault, MP_FAULT_NONE);
}

/* The only MSHR is free: a request for another page is sent on. */
static void mshr_is_free(void)
{
    uint32_t misses = b.misses;
    fake_initiator_send(&b.port[0], (struct mp_req){.va = 9 * PAGE, .op = MP_TRANSLATE});
    run_dry(&b.wheel);
    assert_int_equal(b.misses, misses + 1);
}

static void an_early_response_answers_and_stores_nothing(void **state)
{
    (void)state;
    set_up();
    struct fake_request *first = ask(0), *second = ask(1);
    respond(MP_FROM_WALK_EARLY);
    is_answered(first, true);
    is_answered(second, true);
    assert_int_equal(first->req.source, MP_FROM_WALK);
    assert_int_equal(b.tlb.stats[0].fills, 0);
    struct fake_request *late = ask(0), *later = ask(1); /* wait for the end, without separate walks */
    is_answered(late, false);
    assert_int_equal(b.misses, 1);
    respond(MP_FROM_WALK);
    is_answered(late, true);
    is_answered(later, true);
    assert_int_equal(b.tlb.stats[0].fills, 1);
    is_answered(ask(0), true);
    assert_int_equal(b.tlb.stats[0].hits, 1);
    mshr_is_free();
}

static void an_end_without_a_translation_stores_nothing(void **state)
{
    (void)state;
    set_up();
    ask(0);
    respond(MP_FROM_WALK_EARLY);
    struct fake_request *late = ask(1);
    respond(MP_FROM_NOTHING);
    is_answered(late, false); /* its miss is sent again */
    assert_int_equal(b.misses, 2);
    assert_int_equal(b.tlb.stats[0].fills, 0);
    respond(MP_FROM_WALK);
    is_answered(late, true);
    mshr_is_free();
}

static void an_invalidation_after_the_answer(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        set_up();
        is_answered(ask(0), false);
        respond(MP_FROM_WALK_EARLY);
        mp_tlb_invalidate(&b.tlb, &(const struct mp_scope){.va = 5 * PAGE});
        struct fake_request *r = late ? ask(1) : NULL;
        respond(MP_FROM_WALK);
        assert_int_equal(b.tlb.stats[0].fills, 0);
        assert_int_equal(b.misses, 1 + late); /* only a request that still waits is worth a walk */
        if (r) {
            respond(MP_FROM_WALK);
            is_answered(r, true);
        }
        mshr_is_free();
        if (!late)
            tear_down(state);
    }
}

static void an_invalidation_before_the_answer(void **state)
{
    (void)state;
    set_up();
    struct fake_request *r = ask(0);
    mp_tlb_invalidate(&b.tlb, &(const struct mp_scope){.va = 5 * PAGE});
    respond(MP_FROM_WALK_EARLY);
    is_answered(r, false);
    respond(MP_FROM_WALK);
    is_answered(r, false);
    assert_int_equal(b.misses, 2);
    respond(MP_FROM_WALK);
    is_answered(r, true);
    assert_int_equal(b.tlb.stats[0].fills, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_early_response_answers_and_stores_nothing, tear_down),
        cmocka_unit_test_teardown(an_end_without_a_translation_stores_nothing, tear_down),
        cmocka_unit_test_teardown(an_invalidation_after_the_answer, tear_down),
        cmocka_unit_test_teardown(an_invalidation_before_the_answer, tear_down),
    };
    return cmocka_run_group_tests_name("early responses", tests, NULL, NULL);
}
