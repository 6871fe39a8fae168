/* SPDX-License-Identifier: Apache-2.0 */
/* Two-base STAR by hand, rule by rule: sets of one or few ways, frames that identify their page. */
#include "star_fixture.h"

static struct fixture f;

static void start(const struct mp_tlb_policy *policy, uint32_t ways, uint32_t stride)
{
    free(f.state);
    f = fixture_make(policy, 1, ways, stride, MP_STAR_LONE_STRIDE);
}

static int tear_down(void **state)
{
    (void)state;
    free(f.state);
    f.state = NULL;
    return 0;
}

/* One way with base 1 of asid 1 holding `first`, then base 2 of asid 2 with one index. Returns the action. */
static const char *share(const struct mp_tlb_policy *policy, uint32_t stride, uint32_t first, uint32_t second)
{
    start(policy, 1, stride);
    put_all(&f, 1, 1, first);
    assert_int_equal(held(&f, 1, 1), first);
    return put(&f, 2, 2, second);
}

static void an_entry_that_is_not_shared_has_sixteen(void **state)
{
    (void)state;
    start(&mp_tlb_star, 1, 1);
    assert_string_equal(put(&f, 1, 1, 9), "vacant");
    for (uint32_t i = 0; i < 16; i++)
        assert_string_equal(put(&f, 1, 1, i), "update");
    assert_string_equal(put(&f, 1, 1, 15), "update"); /* full, but the same index */
    assert_int_equal(f.last.left.pages, 0);
    assert_int_equal(held(&f, 1, 1), 0xffff);
    assert_int_equal(held(&f, 2, 1), 0); /* another address space */
    assert_int_equal(layout_of(&f, 0), MP_STAR_NOT_SHARED);
}

static void a_free_way_comes_before_sharing(void **state)
{
    (void)state;
    start(&mp_tlb_star, 3, 1);
    for (uint32_t way = 0; way < 3; way++) {
        assert_string_equal(put(&f, 1, 1 + way, 0), "vacant");
        assert_int_equal(f.last.in.way, way);
    }
    drop(&f, 1, 3, 0);
    drop(&f, 1, 2, 0);
    assert_string_equal(put(&f, 1, 4, 0), "vacant");
    assert_int_equal(f.last.in.way, 1); /* the lowest */
    assert_string_equal(put(&f, 1, 5, 0), "vacant");
    assert_string_equal(put(&f, 1, 6, 0), "share-stride");
}

static void one_run_gives_the_sequential_layout(void **state)
{
    (void)state;
    assert_string_equal(share(&mp_tlb_star, 1, 0x00e0, 3), "share-sequential");
    assert_int_equal(layout_of(&f, 0), MP_STAR_SEQUENTIAL);
    assert_int_equal(slots_of(&f, 0), 0x08e0); /* base 1 in the upper half */
    base_is(&f, 0, 0, 1, 1);
    base_is(&f, 0, 1, 2, 2);
    assert_string_equal(share(&mp_tlb_star, 1, 0x0300, 15), "share-sequential"); /* 8, 9: two are a run */
    assert_int_equal(slots_of(&f, 0), 0x8003);
    assert_int_equal(view(&f, 0, 0).sub[1].aib, 1);
    assert_int_equal(view(&f, 0, 0).sub[15].aib, 1);
    assert_string_equal(share(&mp_tlb_star, 1, 0x07f0, 0), "share-sequential"); /* 4 to 10: over the middle */
    assert_int_equal(slots_of(&f, 0), 0x01f7);
    assert_int_equal(f.last.left.pages, 0);
    assert_int_equal(held(&f, 1, 1), 0x07f0);
    assert_int_equal(held(&f, 2, 2), 0x0001);
}

/* The paper does not say which layout an entry with a single sub-entry has. */
static void a_single_sub_entry(void **state)
{
    static const struct {
        const struct mp_tlb_policy *policy;
        unsigned lone;
        const char *action;
        uint32_t slots; /* of index 9, and of index 15 of base 1 */
    } cases[] = {
        {&mp_tlb_star, MP_STAR_LONE_STRIDE, "share-stride", 0x8100},
        {&mp_tlb_star, MP_STAR_LONE_SEQUENTIAL, "share-sequential", 0x8002},
        {&mp_tlb_star_sequential, MP_STAR_LONE_STRIDE, "share-sequential", 0x8002},
        {&mp_tlb_star_stride, MP_STAR_LONE_SEQUENTIAL, "share-stride", 0x8100},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        free(f.state);
        f = fixture_make(cases[i].policy, 1, 1, 1, cases[i].lone);
        put(&f, 1, 1, 9);
        assert_string_equal(put(&f, 2, 2, 15), cases[i].action);
        assert_int_equal(slots_of(&f, 0), cases[i].slots);
    }
}

static void a_gap_gives_the_stride_layout(void **state)
{
    (void)state;
    assert_string_equal(share(&mp_tlb_star, 1, 0x0015, 7), "share-stride"); /* 0, 2, 4 */
    assert_int_equal(layout_of(&f, 0), MP_STAR_STRIDE);
    assert_int_equal(slots_of(&f, 0), 0x0095);
    assert_int_equal(view(&f, 0, 0).sub[7].aib, 1);
    assert_string_equal(share(&mp_tlb_star, 1, 0x0048, 6), "share-stride"); /* 3, 6 */
    assert_int_equal(slots_of(&f, 0), 0x00c4);                              /* 3 in slot 2, base 1 in 7 */
    assert_int_equal(view(&f, 0, 0).sub[2].aib, 1);
    assert_int_equal(view(&f, 0, 0).sub[7].aib, 0);
    assert_string_equal(share(&mp_tlb_star, 1, 0x8001, 0), "share-stride"); /* no run around the end */
}

static void strides_of_two_and_four(void **state)
{
    (void)state;
    assert_string_equal(share(&mp_tlb_star, 2, 0x0084, 0), "share-stride"); /* 2, 7 */
    assert_int_equal(slots_of(&f, 0), 0x0025);                              /* in 0 and 5; base 1 in 2 */
    assert_int_equal(held(&f, 1, 1), 0x0084);
    assert_string_equal(share(&mp_tlb_star, 4, 0x0210, 15), "share-stride"); /* 4, 9 */
    assert_int_equal(slots_of(&f, 0), 0x8201);                               /* in 0 and 9; base 1 in 15 */
    assert_int_equal(held(&f, 1, 1), 0x0210);
    assert_int_equal(held(&f, 2, 2), 0x8000);
}

static void a_first_base_is_thinned_by_sharing(void **state)
{
    (void)state;
    assert_string_equal(share(&mp_tlb_star, 1, 0x0033, 8), "share-stride"); /* 0, 1 and 4, 5: pairs */
    assert_int_equal(f.last.left.pages, 2);
    lost_is(&f, 1, 2);
    lost_is(&f, 2, 0);
    assert_false(f.last.in.entry_evicted);
    assert_int_equal(held(&f, 1, 1), 0x0011); /* the lower of each pair */
    assert_int_equal(held(&f, 2, 2), 0x0100);
}

static void forced_layouts(void **state)
{
    (void)state;
    assert_string_equal(share(&mp_tlb_star_sequential, 1, 0x0301, 0), "share-sequential"); /* 0, 8, 9 */
    assert_int_equal(f.last.left.pages, 1);
    assert_int_equal(held(&f, 1, 1), 0x0201);
    assert_int_equal(slots_of(&f, 0), 0x0103);
    assert_string_equal(share(&mp_tlb_star_stride, 1, 0x0007, 0), "share-stride"); /* 0, 1, 2 */
    assert_int_equal(f.last.left.pages, 1);
    assert_int_equal(held(&f, 1, 1), 0x0005);
    assert_int_equal(layout_of(&f, 0), MP_STAR_STRIDE);
}

static void eight_sub_entries_are_too_many_to_share(void **state)
{
    (void)state;
    assert_string_equal(share(&mp_tlb_star, 1, 0x007f, 0), "share-sequential");
    assert_string_equal(share(&mp_tlb_star, 1, 0x00ff, 0), "evict");
    assert_true(f.last.in.entry_evicted);
    assert_int_equal(f.last.in.evicted_used, 8);
    assert_int_equal(f.last.in.evicted_asid, 1);
    lost_is(&f, 1, 8);
}

static void whom_a_base_joins(void **state)
{
    (void)state;
    start(&mp_tlb_star, 4, 1);
    put_all(&f, 1, 10, 0x0001);
    put_all(&f, 3, 11, 0x001f);
    put_all(&f, 3, 12, 0x0007);
    put_all(&f, 3, 13, 0x0007);
    put(&f, 3, 20, 0);
    assert_int_equal(f.last.in.way, 2); /* of its address space the fewest, then the lowest way */
    put(&f, 2, 21, 0);
    assert_int_equal(f.last.in.way, 0); /* no entry of its address space: the fewest of all */
    put(&f, 1, 22, 0);
    assert_int_equal(f.last.in.way, 3); /* way 0 is its own, but shared */
    put(&f, 1, 23, 0);
    assert_int_equal(f.last.in.way, 1);
    assert_string_equal(put(&f, 1, 24, 0), "evict"); /* all are shared */
}

static void a_shared_slot_holds_one_index(void **state)
{
    (void)state;
    share(&mp_tlb_star_sequential, 1, 0x0001, 3);
    assert_string_equal(put(&f, 2, 2, 11), "replace");
    assert_int_equal(f.last.left.pages, 1);
    lost_is(&f, 2, 1);
    assert_int_equal(held(&f, 2, 2), 0x0800);
    assert_string_equal(put(&f, 2, 2, 11), "update");
    assert_string_equal(put(&f, 2, 2, 4), "update");
    assert_int_equal(f.last.left.pages, 0);
    assert_string_equal(put(&f, 1, 1, 8), "replace"); /* so for base 0 */
    lost_is(&f, 1, 1);
    assert_int_equal(held(&f, 1, 1), 0x0100);
    assert_int_equal(held(&f, 2, 2), 0x0810);
}

static void a_base_that_outgrows_its_half_gets_all(void **state)
{
    (void)state;
    share(&mp_tlb_star, 1, 0x00e0, 0);
    put_all(&f, 2, 2, 0xf00e); /* 0 to 3 and 12 to 15: all eight slots */
    assert_int_equal(held(&f, 1, 1), 0x00e0);
    assert_string_equal(put(&f, 2, 2, 13), "update");
    assert_string_equal(put(&f, 2, 2, 4), "revert");
    assert_int_equal(f.last.left.pages, 3);
    lost_is(&f, 1, 3);
    assert_false(f.last.in.entry_evicted);
    assert_int_equal(layout_of(&f, 0), MP_STAR_NOT_SHARED);
    base_is(&f, 0, 0, 2, 2);
    no_base(&f, 0, 1);
    assert_int_equal(slots_of(&f, 0), 0xf01f); /* 4-bit indices again */
    assert_int_equal(held(&f, 2, 2), 0xf01f);
    assert_int_equal(held(&f, 1, 1), 0);
}

/* not shared -> stride -> reverted -> sequential -> reverted by base 0 */
static void layouts_come_and_go(void **state)
{
    (void)state;
    assert_string_equal(share(&mp_tlb_star, 1, 0x0005, 0), "share-stride");
    put_all(&f, 2, 2, 0xaaaa);
    assert_int_equal(held(&f, 2, 2), 0xaaaa);
    assert_string_equal(put(&f, 2, 2, 4), "revert");
    assert_int_equal(held(&f, 2, 2), 0xaaba);
    for (uint32_t i = 6; i < 16; i++)
        drop(&f, 2, 2, i);
    drop(&f, 2, 2, 1);
    assert_int_equal(held(&f, 2, 2), 0x0038);
    assert_string_equal(put(&f, 1, 3, 15), "share-sequential");
    put_all(&f, 2, 2, 0x00ff);
    assert_string_equal(put(&f, 2, 2, 8), "revert");
    base_is(&f, 0, 0, 2, 2);
    lost_is(&f, 1, 1);
    assert_int_equal(held(&f, 2, 2), 0x01ff);
}

static void cycles_of_a_lookup(void **state)
{
    (void)state;
    start(&mp_tlb_star, 2, 1);
    assert_false(get(&f, 1, 1, 0));
    assert_int_equal(f.cycles, LATENCY); /* an empty set */
    put(&f, 1, 1, 0);
    put(&f, 1, 2, 0);
    assert_false(get(&f, 1, 3, 0));
    assert_int_equal(f.cycles, LATENCY); /* no second bases */
    put(&f, 1, 3, 0);                    /* shares with base 1 */
    assert_true(get(&f, 1, 1, 0));
    assert_int_equal(f.cycles, LATENCY);
    assert_true(get(&f, 1, 3, 0));
    assert_int_equal(f.cycles, LATENCY + BASE);
    assert_false(get(&f, 1, 3, 8)); /* the other AIB */
    assert_int_equal(f.cycles, LATENCY + BASE);
    assert_false(get(&f, 1, 3, 1));
    assert_int_equal(f.cycles, LATENCY + BASE);
    assert_false(get(&f, 1, 1, 8));
    assert_int_equal(f.cycles, LATENCY);
    assert_true(get(&f, 1, 2, 0));
    assert_int_equal(f.cycles, LATENCY);
    assert_false(get(&f, 1, 4, 0));
    assert_int_equal(f.cycles, LATENCY + BASE); /* all bases of the set are compared */
    drop(&f, 1, 3, 0);
    assert_false(get(&f, 1, 4, 0));
    assert_int_equal(f.cycles, LATENCY);
}

static void the_least_recent_way_leaves(void **state)
{
    (void)state;
    start(&mp_tlb_star, 3, 1);
    for (uint64_t base = 0; base < 3; base++)
        put_all(&f, 1, base, 0x00ff);
    assert_true(get(&f, 1, 0, 0));
    assert_false(get(&f, 1, 1, 8)); /* a miss changes nothing, though its base is there */
    assert_string_equal(put(&f, 1, 3, 0), "evict");
    assert_int_equal(f.last.in.way, 1);
    put_all(&f, 1, 3, 0x00ff);
    put(&f, 1, 2, 0); /* an insertion counts as use */
    assert_string_equal(put(&f, 1, 4, 0), "evict");
    assert_int_equal(f.last.in.way, 0);
}

static void a_shared_entry_is_evicted_whole(void **state)
{
    (void)state;
    share(&mp_tlb_star, 1, 0x0007, 0);
    put(&f, 2, 2, 1);
    assert_string_equal(put(&f, 3, 3, 5), "evict");
    assert_true(f.last.in.entry_evicted);
    assert_int_equal(f.last.in.evicted_used, 5);
    assert_int_equal(f.last.in.evicted_asid, 1); /* had it first */
    assert_int_equal(f.last.left.pages, 5);
    lost_is(&f, 1, 3);
    lost_is(&f, 2, 2);
    assert_int_equal(layout_of(&f, 0), MP_STAR_NOT_SHARED);
    base_is(&f, 0, 0, 3, 3);
    no_base(&f, 0, 1);
    assert_int_equal(held(&f, 3, 3), 0x0020);
    share(&mp_tlb_star, 1, 0x0007, 0);
    put_all(&f, 1, 1, 0x00ff);
    put(&f, 1, 1, 8); /* reverted */
    assert_string_equal(put(&f, 2, 4, 0), "evict");
    assert_int_equal(f.last.in.evicted_used, 9);
}

static void invalidating_a_page(void **state)
{
    (void)state;
    start(&mp_tlb_star, 1, 1);
    put_all(&f, 1, 1, 0x0003);
    assert_int_equal(drop(&f, 1, 1, 2), 0);
    assert_int_equal(drop(&f, 2, 1, 0), 0);
    assert_int_equal(drop(&f, 1, 1, 0), 1);
    assert_int_equal(drop(&f, 1, 1, 0), 0);
    assert_int_equal(drop(&f, 1, 1, 1), 1);
    no_base(&f, 0, 0);
    for (uint32_t gap = 0; gap < 2; gap++) { /* either layout */
        share(&mp_tlb_star, 1, gap ? 0x4a00 : 0x0600, 0);
        put(&f, 2, 2, 13);
        assert_int_equal(drop(&f, 1, 1, gap ? 8 : 1), 0); /* its slot, but the other AIB */
        assert_int_equal(drop(&f, 2, 2, 13), 1);
        assert_int_equal(layout_of(&f, 0), gap ? MP_STAR_STRIDE : MP_STAR_SEQUENTIAL);
        assert_int_equal(drop(&f, 2, 2, 0), 1); /* the last of base 1 */
        assert_int_equal(layout_of(&f, 0), MP_STAR_NOT_SHARED);
        assert_int_equal(slots_of(&f, 0), gap ? 0x4a00 : 0x0600);
        no_base(&f, 0, 1);
        share(&mp_tlb_star, 1, gap ? 0x0202 : 0x0200, 13);
        for (uint32_t i = 0; i < 16; i++)
            drop(&f, 1, 1, i); /* all of base 0: base 1 takes its place */
        assert_int_equal(layout_of(&f, 0), MP_STAR_NOT_SHARED);
        base_is(&f, 0, 0, 2, 2);
        no_base(&f, 0, 1);
        assert_int_equal(slots_of(&f, 0), 0x2000);
        assert_int_equal(held(&f, 2, 2), 0x2000);
    }
}

static void invalidating_an_address_space_or_all(void **state)
{
    (void)state;
    for (uint16_t asid = 1; asid <= 2; asid++) {
        share(&mp_tlb_star, 1, 0x0e00, 1);
        put(&f, 2, 2, 12);
        assert_int_equal(f.policy->occupancy(f.state, asid), asid == 1 ? 3 : 2);
        assert_int_equal(f.policy->invalidate_asid(f.state, asid), asid == 1 ? 3 : 2);
        assert_int_equal(f.policy->invalidate_asid(f.state, 3), 0);
        assert_int_equal(f.policy->occupancy(f.state, asid), 0);
        assert_int_equal(layout_of(&f, 0), MP_STAR_NOT_SHARED);
        assert_int_equal(slots_of(&f, 0), asid == 1 ? 0x1002 : 0x0e00);
        base_is(&f, 0, 0, 3 - asid, 3 - asid);
        no_base(&f, 0, 1);
    }
    share(&mp_tlb_star, 1, 0x0e00, 1);
    assert_int_equal(f.policy->invalidate_all(f.state), 4);
    assert_int_equal(slots_of(&f, 0), 0);
    no_base(&f, 0, 0);
    no_base(&f, 0, 1);
    assert_string_equal(put(&f, 1, 1, 0), "vacant");
    share(&mp_tlb_star, 1, 0x0e00, 1);
    put_all(&f, 1, 9, 0x0001);                             /* evicts both */
    assert_string_equal(put(&f, 1, 1, 3), "share-stride"); /* one address space has both bases */
    assert_int_equal(f.policy->invalidate_asid(f.state, 1), 2);
    no_base(&f, 0, 0);
}

/* Highest and lowest page of a 64-bit address with 4 KB pages, highest frame, highest asid but one. */
static void extreme_tags(void **state)
{
    (void)state;
    start(&mp_tlb_star, 1, 1);
    const uint64_t top = (1ull << 52) - 1;
    insert_page(f.policy, f.state, 0xfffe, top, top);
    insert_page(f.policy, f.state, 0, 0, 0);
    struct mp_tlb_hit hit = f.policy->lookup(f.state, 0xfffe, top);
    assert_true(hit.found);
    assert_int_equal(hit.pfn, top);
    hit = f.policy->lookup(f.state, 0, 0);
    assert_true(hit.found);
    assert_int_equal(hit.pfn, 0);
    assert_false(f.policy->lookup(f.state, 0, top).found);
    assert_int_equal(f.policy->occupancy(f.state, 0xffff), 0);
}

static void policies_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(mp_tlb_policy_find("star"), &mp_tlb_star);
    assert_ptr_equal(mp_tlb_policy_find("star-sequential"), &mp_tlb_star_sequential);
    assert_ptr_equal(mp_tlb_policy_find("star-stride"), &mp_tlb_star_stride);
    assert_ptr_equal(mp_tlb_policy_find("star4"), &mp_tlb_star4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_that_is_not_shared_has_sixteen),
        cmocka_unit_test(a_free_way_comes_before_sharing),
        cmocka_unit_test(one_run_gives_the_sequential_layout),
        cmocka_unit_test(a_single_sub_entry),
        cmocka_unit_test(a_gap_gives_the_stride_layout),
        cmocka_unit_test(strides_of_two_and_four),
        cmocka_unit_test(a_first_base_is_thinned_by_sharing),
        cmocka_unit_test(forced_layouts),
        cmocka_unit_test(eight_sub_entries_are_too_many_to_share),
        cmocka_unit_test(whom_a_base_joins),
        cmocka_unit_test(a_shared_slot_holds_one_index),
        cmocka_unit_test(a_base_that_outgrows_its_half_gets_all),
        cmocka_unit_test(layouts_come_and_go),
        cmocka_unit_test(cycles_of_a_lookup),
        cmocka_unit_test(the_least_recent_way_leaves),
        cmocka_unit_test(a_shared_entry_is_evicted_whole),
        cmocka_unit_test(invalidating_a_page),
        cmocka_unit_test(invalidating_an_address_space_or_all),
        cmocka_unit_test(extreme_tags),
        cmocka_unit_test(policies_are_found_by_name),
    };
    return cmocka_run_group_tests_name("star", tests, NULL, tear_down);
}
