/* SPDX-License-Identifier: Apache-2.0 */
/* L1 TLBs in time with other neighbours, with sub-entries, and of several tenants. */
#include "exchange_bench.h"

enum { IN_TIME = LATENCY + 2 + LATENCY + 2, IN_VAIN = IN_TIME + NEXT };

static const struct mp_neighbour_stats *stats(uint32_t tlb)
{
    return mp_exchange_design(b.tlb[tlb].exchange).stats;
}

/* ---- topologies ---- */

/* TLBs 0 and 1, 2 and 3; TLB 4 is alone. */
static void pairs_ask_their_partner(void **state)
{
    (void)state;
    static const struct mp_neighbour_policy *const policies[] = {&mp_neighbour_direct, &mp_neighbour_neidty};
    for (unsigned k = 0; k < 2; k++) {
        struct settings s = usual;
        s.policy = policies[k];
        s.topology = "pairs";
        set_up(&s, NULL);
        ask(1, 7);
        expect(ask(0, 7), IN_TIME, MP_FROM_RIGHT);
        const struct fake_request *r = ask(2, 7);
        assert_int_equal(r->req.source, MP_FROM_WALK);
        expect(ask(3, 7), IN_TIME, MP_FROM_LEFT);
        expect(ask(4, 7), LATENCY + NEXT, MP_FROM_WALK);
        assert_int_equal(stats(4)->probes, 0);
        assert_int_equal(stats(3)->left, 1);
        tear_down();
    }
}

/* TLBs 0 to 2 and 3 to 6. */
static void two_rings_do_not_meet(void **state)
{
    (void)state;
    struct settings s = usual;
    s.topology = "two-rings";
    s.tlbs = 7;
    set_up(&s, NULL);
    ask(0, 7);
    expect(ask(6, 7), LATENCY + NEXT, MP_FROM_WALK);
    expect(ask(2, 7), IN_TIME, MP_FROM_RIGHT);
    expect(ask(3, 7), IN_TIME, MP_FROM_LEFT); /* of TLB 6 */
    expect(ask(1, 8), LATENCY + NEXT, MP_FROM_WALK);
    expect(ask(3, 8), LATENCY + NEXT, MP_FROM_WALK);
    tear_down();
}

/* Nine TLBs in three rows: TLB 4 is in the middle. */
static void a_mesh_has_four_neighbours(void **state)
{
    (void)state;
    static const struct {
        uint32_t tlb;
        enum mp_answerer source;
    } around[] = {{1, MP_FROM_RIGHT}, {3, MP_FROM_RIGHT}, {5, MP_FROM_LEFT}, {7, MP_FROM_RIGHT}};
    struct settings s = usual;
    s.topology = "mesh";
    s.tlbs = 9;
    s.update = "exclusive";
    set_up(&s, NULL);
    ask(4, 7);
    for (unsigned k = 0; k < 4; k++)
        expect(ask(around[k].tlb, 7), IN_TIME, around[k].source);
    expect(ask(0, 7), LATENCY + NEXT, MP_FROM_WALK);
    expect(ask(8, 7), LATENCY + NEXT, MP_FROM_WALK); /* a mesh does not wrap around */
    for (unsigned k = 0; k < 4; k++) {
        ask(around[k].tlb, 10 + k);
        const struct fake_request *r = ask(4, 10 + k);
        assert_int_equal(r->answered - r->asked, IN_TIME);
        assert_int_equal(r->req.source, around[k].tlb == 3 ? MP_FROM_LEFT : MP_FROM_RIGHT);
    }
    assert_int_equal(stats(4)->probes, 4);
    assert_int_equal(stats(4)->in_vain, 0);
    tear_down();

    s.policy = &mp_neighbour_direct;
    set_up(&s, NULL);
    ask(4, 7);
    assert_int_equal(stats(4)->probes, 4);
    ask(0, 7);
    assert_int_equal(stats(0)->probes, 2);
    ask(1, 7);
    assert_int_equal(stats(1)->probes, 3);
    tear_down();
}

/* ---- sub-entries ---- */

static void a_base_without_the_page_is_a_probe_in_vain(void **state)
{
    (void)state;
    struct settings s = usual;
    s.sub_entries = 4;
    set_up(&s, NULL);
    ask(1, 4);
    expect(ask(2, 5), IN_VAIN, MP_FROM_WALK); /* of the same base */
    assert_int_equal(stats(2)->in_vain, 1);
    expect(ask(2, 4), IN_TIME, MP_FROM_LEFT);
    expect(ask(2, 8), LATENCY + NEXT, MP_FROM_WALK); /* of the next base */
    expect(ask(0, 4), IN_TIME, MP_FROM_RIGHT);
    assert_int_equal(mp_exchange_directory(b.tlb[0].exchange)->count, 1);
    tear_down();
}

/* A directory names a neighbour until the neighbour has no page of the base. */
static void a_base_leaves_with_its_last_page(void **state)
{
    (void)state;
    struct settings s = usual;
    s.sub_entries = 4;
    s.update = "exclusive";
    set_up(&s, NULL);
    ask(1, 4);
    ask(1, 7);
    expect(ask(0, 7), IN_TIME, MP_FROM_RIGHT);
    const struct mp_directory *d = mp_exchange_directory(b.tlb[0].exchange);
    assert_int_equal(d->count, 1); /* two pages, one base */
    for (uint64_t base = 2; base < 2 + WAYS; base++)
        ask(1, 4 * base);
    expect(ask(0, 6), LATENCY + NEXT, MP_FROM_WALK);
    assert_int_equal(d->count, WAYS);
    assert_null(mp_directory_find(d, mp_directory_tag(18, 0, 1)));
    tear_down();
}

/* The entry leaves the directories; the base's other pages stay. */
static void a_page_of_a_base_can_be_shot_down(void **state)
{
    (void)state;
    const struct mp_scope page = {.va = 7 * PAGE};
    struct settings s = usual;
    s.sub_entries = 4;
    set_up(&s, NULL);
    ask(1, 4);
    ask(1, 7);
    invalidate(&page);
    assert_true(has(1, 4) && !has(1, 7));
    expect(ask(0, 7), LATENCY + NEXT, MP_FROM_WALK);
    tear_down();
}

/* ---- tenants ---- */

static void tenants_share_the_ring_but_no_page(void **state)
{
    (void)state;
    set_up(&usual, NULL);
    ask_as(1, 0, 7);
    expect(ask_as(2, 1, 7), LATENCY + NEXT, MP_FROM_WALK);
    expect(ask_as(2, 0, 7), IN_TIME, MP_FROM_LEFT);
    expect(ask_as(3, 1, 7), IN_TIME, MP_FROM_LEFT);
    const struct mp_scope first = {.asid = 0, .every_page = true};
    invalidate(&first);
    assert_false(has(1, 7) || has(2, 7));
    expect(ask_as(2, 1, 7), LATENCY, MP_FROM_TLB);
    assert_int_equal(stats(2)[0].left, 1);
    assert_int_equal(stats(2)[1].local, 1);
    assert_int_equal(stats(3)[1].left, 1);
    tear_down();
}

/* The messages of one tenant are counted for it, in the directories of another's TLBs, too. */
static void allocations_count_for_the_sender(void **state)
{
    (void)state;
    struct settings s = usual;
    s.directory = 1;
    set_up(&s, NULL);
    ask_as(1, 0, 7);
    ask_as(1, 1, 8);
    ask_as(2, 0, 1); /* takes in the messages */
    assert_int_equal(stats(2)[0].allocated[MP_VICTIM_NONE], 1);
    assert_int_equal(stats(2)[1].allocated[MP_VICTIM_OLDEST], 1);
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_ask_their_partner),
        cmocka_unit_test(two_rings_do_not_meet),
        cmocka_unit_test(a_mesh_has_four_neighbours),
        cmocka_unit_test(a_base_without_the_page_is_a_probe_in_vain),
        cmocka_unit_test(a_base_leaves_with_its_last_page),
        cmocka_unit_test(a_page_of_a_base_can_be_shot_down),
        cmocka_unit_test(tenants_share_the_ring_but_no_page),
        cmocka_unit_test(allocations_count_for_the_sender),
    };
    return cmocka_run_group_tests_name("tlb, exchange: topologies, sub-entries, tenants", tests, NULL, NULL);
}
