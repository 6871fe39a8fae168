/* SPDX-License-Identifier: Apache-2.0 */
/* Four bases in an entry, by hand. What star4 does like star is in test_star.c. */
#include "star_fixture.h"

enum { FOUR_SEQUENTIAL = MP_STAR_FOUR | MP_STAR_SEQUENTIAL, FOUR_STRIDE = MP_STAR_FOUR | MP_STAR_STRIDE };

static struct fixture f;

/* A single sub-entry is a run, so that bases come together with one each. */
static void start(uint32_t ways)
{
    free(f.state);
    f = fixture_make(&mp_tlb_star4, 1, ways, 1, MP_STAR_LONE_SEQUENTIAL);
}

static int tear_down(void **state)
{
    (void)state;
    free(f.state);
    f.state = NULL;
    return 0;
}

static void a_single_sub_entry_gives_the_stride_layout(void **state)
{
    (void)state;
    free(f.state);
    f = fixture_make(&mp_tlb_star4, 1, 1, 1, MP_STAR_LONE_STRIDE);
    assert_string_equal(put(&f, 1, 1, 5), "vacant");
    assert_string_equal(put(&f, 2, 2, 0), "share-stride");
    assert_string_equal(put(&f, 3, 3, 15), "share4");
    assert_int_equal(layout_of(&f, 0), FOUR_STRIDE);
    assert_int_equal(slots_of(&f, 0), 0x4012); /* 5 in slot 4, 0 in 1, 15 in 14 */
}

/* One way with bases 1 to n, base b of asid b holding indices[b - 1]. All come before any grows. */
static void fill(uint32_t n, const uint32_t *indices)
{
    start(1);
    for (uint16_t b = 1; b <= n; b++)
        put(&f, b, b, (uint32_t)__builtin_ctz(indices[b - 1]));
    for (uint16_t b = 1; b <= n; b++) {
        put_all(&f, b, b, indices[b - 1]);
        base_is(&f, 0, b - 1u, b, b);
        assert_int_equal(held(&f, b, b), indices[b - 1]);
    }
}

static void one_two_three_four_bases(void **state)
{
    (void)state;
    start(1);
    assert_string_equal(put(&f, 1, 1, 5), "vacant");
    assert_string_equal(put(&f, 2, 2, 0), "share-sequential");
    assert_int_equal(slots_of(&f, 0), 0x0120);
    assert_string_equal(put(&f, 3, 3, 15), "share4");
    assert_int_equal(layout_of(&f, 0), FOUR_SEQUENTIAL);
    assert_int_equal(slots_of(&f, 0), 0x0812); /* 5 in slot 1, 0 in 4, 15 in 11 */
    assert_int_equal(view(&f, 0, 0).sub[1].aib, 1);
    assert_int_equal(view(&f, 0, 0).sub[11].aib, 3);
    assert_string_equal(put(&f, 4, 4, 6), "share4");
    assert_int_equal(slots_of(&f, 0), 0x4812);
    for (uint16_t b = 1; b <= 4; b++)
        base_is(&f, 0, b - 1u, b, b);
    assert_string_equal(put(&f, 5, 5, 0), "evict");
    assert_int_equal(f.last.in.evicted_used, 4);
    assert_int_equal(f.last.in.evicted_asid, 1);
    for (uint16_t b = 1; b <= 4; b++)
        lost_is(&f, b, 1);
    assert_int_equal(layout_of(&f, 0), MP_STAR_NOT_SHARED);
    no_base(&f, 0, 3);
}

static void the_kind_of_layout_is_kept(void **state)
{
    (void)state;
    start(1);
    put_all(&f, 1, 1, 0x0104); /* 2, 8: a gap */
    assert_string_equal(put(&f, 2, 2, 7), "share-stride");
    assert_string_equal(put(&f, 3, 3, 13), "share4");
    assert_int_equal(layout_of(&f, 0), FOUR_STRIDE);
    assert_int_equal(slots_of(&f, 0), 0x4121); /* 2 in 0, 8 in 8, 7 in 5, 13 in 14 */
    assert_int_equal(view(&f, 0, 0).sub[0].aib, 2);
    assert_int_equal(view(&f, 0, 0).sub[5].aib, 3);
    assert_int_equal(view(&f, 0, 0).sub[14].aib, 1);
    assert_int_equal(held(&f, 1, 1), 0x0104);
}

static void bases_are_thinned_on_the_way_to_four(void **state)
{
    (void)state;
    start(1);
    put_all(&f, 1, 1, 0x0030);
    put(&f, 2, 2, 3);
    put_all(&f, 1, 1, 0x0002); /* 1, 4, 5: 1 and 5 will share a slot */
    put(&f, 2, 2, 7);          /* as 3 and 7 will */
    assert_string_equal(put(&f, 1, 3, 0), "share4");
    assert_int_equal(f.last.left.pages, 2);
    lost_is(&f, 1, 1);
    lost_is(&f, 2, 1);
    assert_int_equal(held(&f, 1, 1), 0x0012); /* the lower index stays */
    assert_int_equal(held(&f, 2, 2), 0x0008);
    assert_int_equal(held(&f, 1, 3), 0x0001);
}

static void four_sub_entries_of_a_base_are_too_many(void **state)
{
    (void)state;
    fill(2, (const uint32_t[]){0x0007, 0x0007});
    assert_string_equal(put(&f, 3, 3, 0), "share4");
    fill(2, (const uint32_t[]){0x000f, 0x0001});
    assert_string_equal(put(&f, 3, 3, 0), "evict");
    fill(3, (const uint32_t[]){0x0001, 0x0001, 0x000f});
    assert_string_equal(put(&f, 4, 4, 0), "evict");
    assert_int_equal(f.last.in.evicted_used, 6);
}

static void two_bases_are_tried_before_four(void **state)
{
    (void)state;
    start(2);
    put(&f, 1, 1, 0);
    put_all(&f, 2, 2, 0x003f);
    put(&f, 1, 3, 0); /* way 0 has two */
    assert_string_equal(put(&f, 1, 4, 0), "share-sequential");
    assert_int_equal(f.last.in.way, 1); /* though way 0 has fewer and is of its address space */
    assert_string_equal(put(&f, 2, 5, 0), "share4");
    assert_int_equal(f.last.in.way, 0); /* a base of way 1 is its own, but has 6 */
}

static void whom_a_third_base_joins(void **state)
{
    (void)state;
    start(3);
    put_all(&f, 1, 1, 0x0001);
    put_all(&f, 2, 2, 0x0003);
    put_all(&f, 3, 3, 0x0007);
    put(&f, 3, 11, 0); /* each to its own */
    put(&f, 2, 12, 0);
    put(&f, 4, 13, 0);
    assert_int_equal(f.last.in.way, 0);
    put_all(&f, 1, 1, 0x0006); /* the ways hold 4, 3 and 4 now */
    put(&f, 4, 14, 0);
    assert_int_equal(f.last.in.way, 0); /* its second base is of the same address space */
    put(&f, 3, 15, 0);
    assert_int_equal(f.last.in.way, 2);
    put(&f, 9, 16, 0);
    assert_int_equal(f.last.in.way, 1); /* none of its address space: the fewest */
    put(&f, 9, 17, 0);
    assert_int_equal(f.last.in.way, 1);
    put(&f, 8, 18, 0);
    assert_int_equal(f.last.in.way, 0); /* way 1 has four bases; way 2 holds as many */
}

static void a_slot_of_four_holds_one_index(void **state)
{
    (void)state;
    fill(3, (const uint32_t[]){0x0001, 0x0001, 0x0004});
    assert_string_equal(put(&f, 3, 3, 6), "replace");
    lost_is(&f, 3, 1);
    assert_string_equal(put(&f, 3, 3, 6), "update");
    assert_string_equal(put(&f, 3, 3, 7), "update");
    assert_int_equal(f.last.left.pages, 0);
    assert_int_equal(held(&f, 3, 3), 0x00c0);
    assert_int_equal(layout_of(&f, 0), FOUR_SEQUENTIAL);
}

static void four_become_two_become_one(void **state)
{
    (void)state;
    fill(4, (const uint32_t[]){0x0001, 0x0700, 0x000f, 0x0003});
    assert_string_equal(put(&f, 3, 3, 2), "update"); /* full, but the same index */
    assert_string_equal(put(&f, 3, 3, 4), "revert4");
    assert_int_equal(layout_of(&f, 0), MP_STAR_SEQUENTIAL);
    base_is(&f, 0, 0, 2, 2); /* has the most sub-entries of the other bases, and was lower */
    base_is(&f, 0, 1, 3, 3);
    no_base(&f, 0, 2);
    no_base(&f, 0, 3);
    assert_int_equal(f.last.left.pages, 3);
    lost_is(&f, 1, 1);
    lost_is(&f, 4, 2);
    assert_false(f.last.in.entry_evicted);
    assert_int_equal(slots_of(&f, 0), 0x1f07);
    assert_int_equal(held(&f, 2, 2), 0x0700);
    assert_int_equal(held(&f, 3, 3), 0x001f);
    put_all(&f, 3, 3, 0x00e0);
    assert_string_equal(put(&f, 3, 3, 8), "revert");
    lost_is(&f, 2, 3);
    base_is(&f, 0, 0, 3, 3);
    assert_int_equal(held(&f, 3, 3), 0x01ff);
    for (uint32_t i = 2; i < 9; i++)
        drop(&f, 3, 3, i);
    assert_string_equal(put(&f, 1, 1, 0), "share-sequential"); /* and begins anew */
    assert_string_equal(put(&f, 1, 2, 0), "share4");
}

static void the_companion_of_two(void **state)
{
    (void)state;
    fill(4, (const uint32_t[]){0x000f, 0x0001, 0x0003, 0x0003});
    assert_string_equal(put(&f, 1, 1, 4), "revert4");
    base_is(&f, 0, 0, 1, 1);
    base_is(&f, 0, 1, 3, 3); /* as many as base 4, at the lower position */
    fill(3, (const uint32_t[]){0x0001, 0x0001, 0x000f});
    assert_int_equal(drop(&f, 2, 2, 0), 1);
    assert_string_equal(put(&f, 3, 3, 4), "revert4"); /* only two were left: none is dropped */
    assert_int_equal(f.last.left.pages, 0);
    base_is(&f, 0, 0, 1, 1);
    base_is(&f, 0, 1, 3, 3);
}

/* Indices with different slots among four have different slots among eight, so only the new index can find
 * its slot taken. */
static void the_new_index_takes_its_slot_back_in_two(void **state)
{
    (void)state;
    fill(3, (const uint32_t[]){0x0201, 0x0d02, 0x0001}); /* base 2: 1, 8, 10, 11 */
    assert_string_equal(put(&f, 2, 2, 9), "revert4");
    assert_int_equal(layout_of(&f, 0), MP_STAR_SEQUENTIAL);
    assert_int_equal(f.last.left.pages, 2);
    lost_is(&f, 2, 1); /* 1 shares a slot with 9 */
    lost_is(&f, 3, 1);
    assert_int_equal(held(&f, 2, 2), 0x0f00);
    assert_int_equal(held(&f, 1, 1), 0x0201);
    start(1);
    put_all(&f, 1, 1, 0x0005);
    put(&f, 2, 2, 0);
    put(&f, 3, 3, 0);
    put_all(&f, 2, 2, 0x1110); /* 0, 4, 8, 12 */
    assert_string_equal(put(&f, 2, 2, 5), "revert4");
    assert_int_equal(layout_of(&f, 0), MP_STAR_STRIDE);
    lost_is(&f, 2, 1); /* 4 */
    lost_is(&f, 3, 1);
    assert_int_equal(held(&f, 2, 2), 0x1121);
    assert_int_equal(held(&f, 1, 1), 0x0001); /* 2 had shared its slot of four with 0 */
}

static void cycles_of_a_lookup(void **state)
{
    (void)state;
    fill(4, (const uint32_t[]){0x0001, 0x0001, 0x0001, 0x0001});
    for (uint16_t b = 1; b <= 4; b++) {
        assert_true(get(&f, b, b, 0));
        assert_int_equal(f.cycles, LATENCY + (b - 1u) * BASE);
        assert_false(get(&f, b, b, 4)); /* the other AIB */
        assert_int_equal(f.cycles, LATENCY + (b - 1u) * BASE);
    }
    assert_false(get(&f, 5, 5, 0));
    assert_int_equal(f.cycles, LATENCY + 3 * BASE);
    drop(&f, 4, 4, 0);
    assert_false(get(&f, 5, 5, 0));
    assert_int_equal(f.cycles, LATENCY + 2 * BASE);
    drop(&f, 1, 1, 0);
    assert_false(get(&f, 5, 5, 0));
    assert_int_equal(f.cycles, LATENCY + 2 * BASE); /* positions are kept while two remain */
    drop(&f, 3, 3, 0);
    assert_false(get(&f, 5, 5, 0));
    assert_int_equal(f.cycles, LATENCY);
}

static void invalidation_leaves_four_for_one(void **state)
{
    (void)state;
    fill(4, (const uint32_t[]){0x0001, 0x0002, 0x2010, 0x0008});
    assert_int_equal(drop(&f, 3, 3, 0), 0); /* its slot, but the other AIB */
    assert_int_equal(drop(&f, 1, 1, 0), 1);
    assert_int_equal(f.policy->invalidate_asid(f.state, 4), 1);
    assert_int_equal(layout_of(&f, 0), FOUR_SEQUENTIAL); /* two remain, where they were */
    no_base(&f, 0, 0);
    base_is(&f, 0, 1, 2, 2);
    base_is(&f, 0, 2, 3, 3);
    no_base(&f, 0, 3);
    assert_string_equal(put(&f, 6, 6, 7), "share4");
    base_is(&f, 0, 0, 6, 6); /* the lowest free position */
    assert_int_equal(f.policy->invalidate_asid(f.state, 6), 1);
    assert_int_equal(drop(&f, 2, 2, 1), 1);
    assert_int_equal(layout_of(&f, 0), MP_STAR_NOT_SHARED);
    base_is(&f, 0, 0, 3, 3);
    assert_int_equal(slots_of(&f, 0), 0x2010);
    assert_int_equal(f.policy->occupancy(f.state, 3), 2);
    fill(4, (const uint32_t[]){0x0001, 0x0002, 0x2010, 0x0008});
    assert_int_equal(f.policy->invalidate_all(f.state), 5);
    assert_int_equal(slots_of(&f, 0), 0);
    assert_string_equal(put(&f, 3, 3, 4), "vacant");
    fill(2, (const uint32_t[]){0x0001, 0x0002});
    put_all(&f, 1, 3, 0x0001);
    assert_int_equal(f.policy->invalidate_asid(f.state, 1), 2); /* two bases of one address space */
    base_is(&f, 0, 0, 2, 2);
    assert_int_equal(layout_of(&f, 0), MP_STAR_NOT_SHARED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_sub_entry_gives_the_stride_layout),
        cmocka_unit_test(one_two_three_four_bases),
        cmocka_unit_test(the_kind_of_layout_is_kept),
        cmocka_unit_test(bases_are_thinned_on_the_way_to_four),
        cmocka_unit_test(four_sub_entries_of_a_base_are_too_many),
        cmocka_unit_test(two_bases_are_tried_before_four),
        cmocka_unit_test(whom_a_third_base_joins),
        cmocka_unit_test(a_slot_of_four_holds_one_index),
        cmocka_unit_test(four_become_two_become_one),
        cmocka_unit_test(the_companion_of_two),
        cmocka_unit_test(the_new_index_takes_its_slot_back_in_two),
        cmocka_unit_test(cycles_of_a_lookup),
        cmocka_unit_test(invalidation_leaves_four_for_one),
    };
    return cmocka_run_group_tests_name("star4", tests, NULL, tear_down);
}
