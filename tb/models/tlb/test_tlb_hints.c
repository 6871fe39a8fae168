/* SPDX-License-Identifier: Apache-2.0 */
/* Hints that come to a TLB: what answers them, what they leave as it is, and when they get nothing. */
#include "contract.h"

static struct fake_request *send(uint64_t page, enum mp_op op)
{
    return fake_initiator_send(&b.port, (struct mp_req){.va = page * PAGE, .op = (uint8_t)op & 15});
}

static void nothing_is_counted_or_stored(uint64_t lookups, uint64_t held)
{
    assert_int_equal(b.tlb.stats[0].lookups, lookups);
    assert_int_equal(b.tlb.stats[0].hits + b.tlb.stats[0].misses, lookups);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), held);
}

static void a_hint_finds_an_entry_without_using_it(void **state)
{
    (void)state;
    for (uint64_t page = 0; page < WAYS; page++)
        ask(page);
    uint64_t now = b.wheel.now;
    struct fake_request *r = send(0, MP_HINT);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, now + LATENCY);
    assert_int_equal(r->req.source, MP_FROM_TLB);
    assert_int_equal(r->req.pa, frame_of(0));
    assert_int_equal(b.next.seen, WAYS);
    assert_int_equal(b.tlb.hints[0].hits, 1);
    nothing_is_counted_or_stored(WAYS, WAYS);
    ask(WAYS); /* page 0 is still the least recently used one */
    assert_false(mp_tlb_peek(&b.tlb, 0, 0).found);
}

static void a_hint_passes_and_is_not_stored(void **state)
{
    (void)state;
    struct fake_request *r = send(9, MP_HINT);
    assert_int_equal(b.tlb.mshr.used, 1);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, LATENCY + NEXT);
    assert_int_equal(b.next.log[0].op, MP_HINT);
    assert_int_equal(b.next.log[0].when, LATENCY);
    assert_int_equal(r->req.source, MP_FROM_WALK);
    assert_int_equal(r->req.pa, frame_of(9 * PAGE));
    assert_int_equal(b.tlb.hints[0].passed, 1);
    assert_int_equal(b.tlb.mshr.used, 0);
    assert_int_equal(b.tlb.stats[0].fills + b.tlb.stats[0].miss_cycles, 0);
    nothing_is_counted_or_stored(0, 0);
}

static void a_request_does_not_wait_for_a_hint(void **state)
{
    (void)state;
    b.next.stop = true; /* holds the hint, as a foreign target may */
    struct fake_request *hint = send(9, MP_HINT);
    run_until(&b.wheel, 10);
    mp_wheel_advance(&b.wheel, 20);
    b.next.stop = false;
    fake_target_go(&b.next, NULL);
    struct fake_request *r = send(9, MP_TRANSLATE);
    assert_int_equal(b.tlb.stats[0].mshr_merges, 0);
    run_dry(&b.wheel);
    assert_int_equal(b.next.seen, 2);
    assert_int_equal(b.next.log[1].op, MP_TRANSLATE);
    assert_int_equal(hint->answered, 20 + NEXT);
    assert_int_equal(r->answered, 20 + LATENCY + NEXT);
    nothing_is_counted_or_stored(1, 1);
}

static void gets_nothing(struct fake_request *r, uint64_t now)
{
    assert_false(b.port.out.held);
    run_until(&b.wheel, now);
    assert_int_equal(r->answered, now);
    assert_int_equal(r->req.source, MP_FROM_NOTHING);
    assert_int_equal(r->req.fault, MP_FAULT_NONE);
}

static void a_page_that_is_fetched_gets_no_hint(void **state)
{
    (void)state;
    send(9, MP_TRANSLATE);
    gets_nothing(send(9, MP_HINT), 0);
    send(10, MP_HINT);
    gets_nothing(send(10, MP_HINT), 0);
    assert_int_equal(b.tlb.hints[0].dropped, 2);
    run_dry(&b.wheel);
    assert_int_equal(b.next.seen, 2);
    nothing_is_counted_or_stored(1, 1);
}

static void without_an_mshr_a_hint_gets_nothing(void **state)
{
    (void)state;
    for (uint64_t page = 0; page < 7; page++)
        send(page, page % 2 ? MP_HINT : MP_TRANSLATE);
    send(20, MP_HINT); /* the last */
    gets_nothing(send(21, MP_HINT), 0);
    send(22, MP_TRANSLATE);
    assert_true(b.port.out.held);
    run_dry(&b.wheel);
    nothing_is_counted_or_stored(5, WAYS);
}

/* The initiator's end: a link on which a request is held. The other end is tested by test_cross. */
static void a_hint_does_not_wait_for_a_link(void **state)
{
    (void)state;
    b.next.stop = true;
    send(1, MP_TRANSLATE);
    run_until(&b.wheel, LATENCY);
    mp_wheel_advance(&b.wheel, 10);
    struct fake_request *r = send(2, MP_HINT);
    run_until(&b.wheel, 10 + LATENCY);
    assert_int_equal(r->answered, 10 + LATENCY);
    assert_int_equal(r->req.source, MP_FROM_NOTHING);
    assert_int_equal(b.tlb.next[0].waiting.length, 0);
    assert_int_equal(b.tlb.mshr.used, 1);
    b.next.stop = false;
    fake_target_go(&b.next, NULL);
    run_dry(&b.wheel);
}

static void a_held_request_comes_first(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 5; k++) /* one more than an MSHR takes: the last is held */
        send(1, MP_TRANSLATE);
    assert_int_equal(b.tlb.ports.held.length, 1);
    struct mp_req hint = {.va = 7 * PAGE, .op = MP_HINT};
    uint32_t delay = 99;
    assert_int_equal(mp_tlb_request(&b.tlb, 0, &hint, &delay), MP_DONE);
    assert_int_equal(delay, 0);
    assert_int_equal(hint.source, MP_FROM_NOTHING);
    run_dry(&b.wheel);
}

static void a_fault_passes_to_the_initiator(void **state)
{
    (void)state;
    b.fault = MP_FAULT_NOT_VALID | 2 << MP_FAULT_LEVEL_SHIFT;
    struct fake_request *r = send(5, MP_HINT);
    run_dry(&b.wheel);
    assert_int_equal(r->req.fault, b.fault);
    assert_int_equal(r->req.pa, 0x1230);
    nothing_is_counted_or_stored(0, 0);
}

/* What is invalidated on the way concerns the initiator; the MSHR is free again. */
static void an_invalidation_leaves_the_hint_alone(void **state)
{
    (void)state;
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    struct fake_request *r = send(5, MP_HINT);
    run_until(&b.wheel, 10);
    mp_tlb_invalidate(&b.tlb, &all);
    run_dry(&b.wheel);
    assert_int_equal(r->req.source, MP_FROM_WALK);
    assert_int_equal(b.tlb.mshr.used, 0);
    assert_int_equal(b.next.seen, 1);
    for (uint64_t page = 0; page < 8; page++) /* no MSHR is stale */
        send(page, MP_TRANSLATE);
    run_dry(&b.wheel);
    assert_int_equal(b.next.seen, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_hint_finds_an_entry_without_using_it),
        TEST(a_hint_passes_and_is_not_stored),
        TEST(a_request_does_not_wait_for_a_hint),
        TEST(a_page_that_is_fetched_gets_no_hint),
        TEST(without_an_mshr_a_hint_gets_nothing),
        TEST(a_hint_does_not_wait_for_a_link),
        TEST(a_held_request_comes_first),
        TEST(a_fault_passes_to_the_initiator),
        TEST(an_invalidation_leaves_the_hint_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
