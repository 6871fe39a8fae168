/* SPDX-License-Identifier: Apache-2.0 */
/* L1 TLBs in time: cycles of probes and messages, buffers, MSHRs, invalidations. */
#include "exchange_bench.h"

static const struct mp_neighbour_stats *stats(uint32_t tlb)
{
    return mp_exchange_design(b.tlb[tlb].exchange).stats;
}

/* ---- cycles ---- */

static void neidty_takes_the_decided_cycles(void **state)
{
    (void)state;
    set_up(&usual, NULL);
    expect(ask(1, 7), LATENCY + NEXT, MP_FROM_WALK); /* no neighbour is named */
    expect(ask(1, 7), LATENCY, MP_FROM_TLB);
    expect(ask(2, 7), LATENCY + 2 + LATENCY + 2, MP_FROM_LEFT);
    expect(ask(0, 7), LATENCY + 2 + LATENCY + 2, MP_FROM_RIGHT);
    expect(ask(2, 7), LATENCY, MP_FROM_TLB); /* it was stored */
    assert_int_equal(stats(2)->left, 1);
    assert_int_equal(stats(2)->local, 1);
    assert_int_equal(stats(2)->latency, 2 * LATENCY + 4 + LATENCY);
    assert_int_equal(stats(0)->right, 1);
    assert_int_equal(stats(0)->loads, 1);
    assert_int_equal(stats(1)->walked, 1);
    tear_down();
}

/* Tags alike: the neighbour that is named does not have the page. */
static void a_probe_in_vain_takes_its_time(void **state)
{
    (void)state;
    struct settings s = usual;
    s.tag_bits = 4;
    set_up(&s, NULL);
    ask(1, 0x10);
    expect(ask(2, 0x01), LATENCY + 2 + LATENCY + 2 + NEXT, MP_FROM_WALK);
    assert_int_equal(stats(2)->probes, 1);
    assert_int_equal(stats(2)->in_vain, 1);
    tear_down();
}

static void direct_asks_both_at_once(void **state)
{
    (void)state;
    struct settings s = usual;
    s.policy = &mp_neighbour_direct;
    set_up(&s, NULL);
    expect(ask(1, 7), LATENCY + 2 + LATENCY + 2 + NEXT, MP_FROM_WALK);
    expect(ask(0, 7), LATENCY + 2 + LATENCY + 2, MP_FROM_RIGHT);
    expect(ask(3, 7), LATENCY + 2 + LATENCY + 2 + NEXT, MP_FROM_WALK);
    expect(ask(2, 7), LATENCY + 2 + LATENCY + 2, MP_FROM_LEFT);
    assert_int_equal(stats(1)->probes, 2);
    assert_int_equal(stats(1)->in_vain, 2);
    assert_int_equal(stats(2)->in_vain, 0);
    tear_down();
}

/* A group of four, 0 to 3, and one of one, which asks no TLB. */
static void a_ring_takes_the_decided_cycles(void **state)
{
    (void)state;
    struct settings s = usual;
    s.policy = &mp_neighbour_ring;
    s.update = "exclusive";
    set_up(&s, NULL);
    expect(ask(1, 7), LATENCY + 3 * (2 + LATENCY) + 2 + NEXT, MP_FROM_WALK);
    expect(ask(0, 7), LATENCY + 1 * (2 + LATENCY) + 3 * 2, MP_FROM_RIGHT);
    expect(ask(3, 7), LATENCY + 2 * (2 + LATENCY) + 2 * 2, MP_FROM_RIGHT);
    expect(ask(2, 7), LATENCY + 3 * (2 + LATENCY) + 1 * 2, MP_FROM_RIGHT);
    expect(ask(4, 7), LATENCY + NEXT, MP_FROM_WALK);
    assert_int_equal(stats(2)->probes, 3);
    assert_int_equal(stats(2)->in_vain, 2);
    assert_int_equal(stats(4)->probes, 0);
    tear_down();
}

/* The insertion is announced when TLB 1 is answered, and seen two cycles later. */
static void a_message_takes_a_hop(void **state)
{
    (void)state;
    for (uint64_t later = 0; later < 4; later++) {
        set_up(&usual, NULL);
        send(1, 7);
        run_until(&b.wheel, LATENCY + NEXT);
        mp_wheel_advance(&b.wheel, LATENCY + NEXT + later);
        const struct fake_request *r = send(2, 7);
        run_dry(&b.wheel);
        bool seen = later >= 2;
        expect(r, seen ? LATENCY + 2 + LATENCY + 2 : LATENCY + NEXT, seen ? MP_FROM_LEFT : MP_FROM_WALK);
        tear_down();
    }
}

/* Two probes arrive in the cycle of the asked TLB's own request. */
static void a_probe_does_not_delay_the_asked(void **state)
{
    (void)state;
    set_up(&usual, NULL);
    ask(1, 7);
    const struct fake_request *right = send(2, 7), *left = send(0, 7);
    mp_wheel_advance(&b.wheel, b.wheel.now + LATENCY + 2);
    const struct fake_request *own = send(1, 7);
    run_dry(&b.wheel);
    expect(own, LATENCY, MP_FROM_TLB);
    expect(right, LATENCY + 2 + LATENCY + 2, MP_FROM_LEFT);
    expect(left, LATENCY + 2 + LATENCY + 2, MP_FROM_RIGHT);
    tear_down();
}

/* TLB 1 evicts page 2, which its directory of two entries knows to be local, in the cycle in which a message
 * is seen that needs a victim: as long as it is local, page 2 leaves before the older page 1. */
static void a_message_comes_before_the_own_change(void **state)
{
    (void)state;
    for (unsigned later = 0; later < 2; later++) {
        struct settings s = usual;
        s.directory = 2;
        set_up(&s, NULL);
        ask(0, 1);
        ask(1, 2);
        ask(0, 2); /* from TLB 1; both are in TLB 1's directory now */
        for (uint64_t page = 11; page <= 13; page++)
            ask(1, page);
        const struct mp_directory *d = mp_exchange_directory(b.tlb[1].exchange);
        assert_int_equal(d->count, 2);
        assert_int_equal(d->entry[1].bits, MP_DIRECTORY_LEFT | MP_DIRECTORY_LOCAL);
        send(0, 20); /* is stored LATENCY + NEXT cycles later, and announced 2 cycles after that */
        mp_wheel_advance(&b.wheel, b.wheel.now + 2 - later);
        send(1, 14);
        run_dry(&b.wheel);
        mp_wheel_advance(&b.wheel, b.wheel.now + 20);
        ask(1, 99); /* takes in what is due */
        assert_false(has(1, 2));
        assert_int_equal(d->count, 2);
        assert_int_equal(d->entry[0].tag, later ? 2 : 1);
        assert_int_equal(d->entry[1].tag, 20);
        tear_down();
    }
}

/* ---- buffers and MSHRs ---- */

static void a_miss_without_room_asks_below_at_once(void **state)
{
    (void)state;
    set_up(&usual, NULL);
    for (uint64_t page = 1; page <= 3; page++)
        ask(1, page);
    struct fake_request *r[3];
    for (uint64_t k = 0; k < 3; k++)
        r[k] = send(2, 1 + k);
    run_dry(&b.wheel);
    expect(r[0], LATENCY + 2 + LATENCY + 2, MP_FROM_LEFT);
    expect(r[1], LATENCY + 2 + LATENCY + 2, MP_FROM_LEFT);
    expect(r[2], LATENCY + NEXT, MP_FROM_WALK);
    assert_int_equal(stats(2)->no_room, 1);
    mp_wheel_advance(&b.wheel, b.wheel.now + 20);
    expect(ask(0, 1), LATENCY + 2 + LATENCY + 2, MP_FROM_RIGHT);
    tear_down();
}

/* The asked TLB's MSHRs are all in use; the asking one's first, the probe's, is all that it takes. */
static void a_probe_takes_no_mshr_of_the_asked(void **state)
{
    (void)state;
    set_up(&usual, NULL);
    ask(1, 7);
    struct fake_request *miss[MSHRS + 1];
    for (uint64_t k = 0; k <= MSHRS; k++)
        miss[k] = send(1, 100 + k);
    struct fake_request *probe = send(2, 7);
    run_dry(&b.wheel);
    expect(probe, LATENCY + 2 + LATENCY + 2, MP_FROM_LEFT);
    assert_int_equal(miss[MSHRS - 1]->answered - miss[MSHRS - 1]->asked, LATENCY + NEXT);
    assert_true(miss[MSHRS]->answered - miss[MSHRS]->asked > LATENCY + NEXT); /* it was held */
    tear_down();
}

/* Two requests that wait for one answer are two accesses in a row. */
static void a_second_miss_joins_the_probe(void **state)
{
    (void)state;
    struct settings s = usual;
    s.update = "twice";
    set_up(&s, NULL);
    ask(1, 7);
    ask(2, 7);
    assert_false(has(2, 7)); /* the first of two */
    ask(2, 7);
    assert_true(has(2, 7));
    ask(1, 8);
    struct fake_request *first = send(2, 8);
    run_until(&b.wheel, b.wheel.now + 4);
    mp_wheel_advance(&b.wheel, first->asked + 4);
    struct fake_request *second = send(2, 8);
    run_dry(&b.wheel);
    expect(first, LATENCY + 2 + LATENCY + 2, MP_FROM_LEFT);
    expect(second, LATENCY + 2 + LATENCY + 2 - 4, MP_FROM_LEFT);
    assert_true(has(2, 8));
    assert_int_equal(stats(2)->left, 4);
    assert_int_equal(stats(2)->probes, 3);
    tear_down();
}

/* Of two neighbours with the page, only the left one's entry is used. */
static void only_a_used_answer_is_a_use(void **state)
{
    (void)state;
    struct settings s = usual;
    s.policy = &mp_neighbour_direct;
    s.update = "exclusive";
    set_up(&s, NULL);
    for (uint64_t page = 1; page <= WAYS; page++) {
        ask(1, page);
        ask(3, page); /* not the neighbour of TLB 1 */
    }
    expect(ask(2, 1), LATENCY + 2 + LATENCY + 2, MP_FROM_LEFT);
    ask(1, 9);
    ask(3, 9);
    assert_true(has(1, 1) && !has(1, 2));
    assert_true(!has(3, 1) && has(3, 2));
    tear_down();
}

/* ---- invalidations ---- */

static void a_probe_for_an_invalidated_page_is_void(void **state)
{
    (void)state;
    const struct mp_scope page = {.va = 7 * PAGE};
    for (uint64_t when = 0; when <= LATENCY + 2 + LATENCY + 2 - 1; when++) {
        set_up(&usual, NULL);
        ask(1, 7);
        struct fake_request *r = send(2, 7);
        run_until(&b.wheel, r->asked + when);
        mp_wheel_advance(&b.wheel, r->asked + when);
        invalidate(&page);
        b.generation++;
        run_dry(&b.wheel);
        expect(r, LATENCY + 2 + LATENCY + 2 + NEXT, MP_FROM_WALK);
        assert_int_equal(r->req.pa, frame_of(1, 0, 7 * PAGE));
        assert_int_equal(b.next[2].seen, 1); /* and not a second time */
        tear_down();
    }
}

/* The neighbour has stored the page again before the void probe arrives. */
static void a_void_probe_is_no_use(void **state)
{
    (void)state;
    const struct mp_scope page = {.va = 7 * PAGE};
    struct settings s = usual;
    s.hop = 60;
    set_up(&s, NULL);
    ask(1, 7);
    mp_wheel_advance(&b.wheel, b.wheel.now + 60);
    const struct fake_request *r = send(2, 7);
    invalidate(&page);
    send(1, 7);
    send(1, 8);
    run_until(&b.wheel, r->asked + LATENCY + NEXT);
    assert_true(has(1, 7) && has(1, 8));
    run_dry(&b.wheel);
    expect(r, LATENCY + 60 + LATENCY + 60 + NEXT, MP_FROM_WALK);
    for (uint64_t other = 9; other <= 11; other++)
        ask(1, other);
    assert_true(!has(1, 7) && has(1, 8));
    tear_down();
}

static void an_invalidated_page_is_found_nowhere(void **state)
{
    (void)state;
    const struct mp_scope page = {.va = 7 * PAGE}, all = {.every_asid = true, .every_page = true};
    set_up(&usual, NULL);
    ask(1, 7);
    ask(2, 7);
    ask(1, 8);
    invalidate(&page);
    assert_true(!has(1, 7) && !has(2, 7) && has(1, 8));
    expect(ask(2, 7), LATENCY + NEXT, MP_FROM_WALK); /* no directory names a neighbour */
    expect(ask(2, 8), LATENCY + 2 + LATENCY + 2, MP_FROM_LEFT);
    invalidate(&all);
    assert_false(has(1, 8) || has(2, 8));
    expect(ask(2, 8), LATENCY + NEXT, MP_FROM_WALK);
    tear_down();
}

/* Messages on their way do not outlive an invalidation. */
static void a_message_on_its_way_is_taken_in_first(void **state)
{
    (void)state;
    const struct mp_scope page = {.va = 7 * PAGE};
    set_up(&usual, NULL);
    send(1, 7);
    run_until(&b.wheel, LATENCY + NEXT);
    invalidate(&page);
    mp_wheel_advance(&b.wheel, b.wheel.now + 20);
    expect(ask(2, 7), LATENCY + NEXT, MP_FROM_WALK);
    tear_down();
}

/* ---- sharing ---- */

static void requests_are_counted_by_their_sharers(void **state)
{
    (void)state;
    struct settings s = usual;
    s.policy = &mp_neighbour_none;
    s.sharing = true;
    set_up(&s, NULL);
    ask(0, 7);
    ask(2, 7);
    ask(1, 7); /* both neighbours have it */
    ask(4, 7); /* its right neighbour has it */
    ask(1, 7);
    assert_int_equal(stats(0)->sharers[0], 1);
    assert_int_equal(stats(2)->sharers[1], 1);
    assert_int_equal(stats(1)->sharers[2], 1);
    assert_int_equal(stats(4)->sharers[3], 1);
    assert_int_equal(stats(1)->sharers[4], 1);
    assert_int_equal(stats(2)->missed, 1);
    assert_int_equal(stats(2)->neighbour_has, 0);
    assert_int_equal(stats(1)->missed, 1);
    assert_int_equal(stats(1)->neighbour_has, 1);
    assert_int_equal(stats(4)->neighbour_has, 1);
    assert_int_equal(stats(1)->local, 1);
    assert_int_equal(stats(1)->probes, 0);
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neidty_takes_the_decided_cycles),
        cmocka_unit_test(a_probe_in_vain_takes_its_time),
        cmocka_unit_test(direct_asks_both_at_once),
        cmocka_unit_test(a_ring_takes_the_decided_cycles),
        cmocka_unit_test(a_message_takes_a_hop),
        cmocka_unit_test(a_probe_does_not_delay_the_asked),
        cmocka_unit_test(a_message_comes_before_the_own_change),
        cmocka_unit_test(a_miss_without_room_asks_below_at_once),
        cmocka_unit_test(a_probe_takes_no_mshr_of_the_asked),
        cmocka_unit_test(a_second_miss_joins_the_probe),
        cmocka_unit_test(only_a_used_answer_is_a_use),
        cmocka_unit_test(a_probe_for_an_invalidated_page_is_void),
        cmocka_unit_test(a_void_probe_is_no_use),
        cmocka_unit_test(an_invalidated_page_is_found_nowhere),
        cmocka_unit_test(a_message_on_its_way_is_taken_in_first),
        cmocka_unit_test(requests_are_counted_by_their_sharers),
    };
    return cmocka_run_group_tests_name("tlb, exchange", tests, NULL, NULL);
}
