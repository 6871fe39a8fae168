/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of MESC's scan against the model, and both against Algorithm 1, on random tables, which meet every
 * point; faults are found; how long the scan of a whole frame takes. */
#include "../test_lockstep.h"
#include "rtl/mesc_scan/lockstep/mesc_scan_lockstep.h"
#include "vm/page_table.h"

extern const struct mesc_scan_rtl mesc_scan_rtl_standard, mesc_scan_rtl_head;
extern const struct mesc_scan_rtl mesc_scan_rtl_fault_valid, mesc_scan_rtl_fault_whole,
    mesc_scan_rtl_fault_permission, mesc_scan_rtl_fault_sent;

LOCKSTEP_TESTS(mesc_scan)

static void test_random_tables(void **state)
{
    struct rng seed = rng_start("mesc_scan lockstep", 20261122);
    (void)state;
    random_is_equal("standard", &mesc_scan_rtl_standard, seed.state, 20000);
    random_is_equal("head", &mesc_scan_rtl_head, seed.state, 20000);
}

static void test_faults(void **state)
{
    (void)state;
    faulty(&mesc_scan_rtl_fault_valid,
           (const char *const[]){"first difference: accesses", "* access ", NULL});
    faulty(&mesc_scan_rtl_fault_whole,
           (const char *const[]){"first difference: ", "* entry ", "* bits ", NULL});
    faulty(&mesc_scan_rtl_fault_permission, (const char *const[]){"first difference: ", "* bits ", NULL});
    faulty(&mesc_scan_rtl_fault_sent, (const char *const[]){"the scan does not end", "* accesses ", NULL});
}

static void test_a_seed_is_a_run(void **state)
{
    (void)state;
    a_seed_is_a_run(&mesc_scan_rtl_standard);
}

/* The order of the leaves in both layouts. */
static void test_places(void **state)
{
    (void)state;
    for (unsigned heads_first = 0; heads_first < 2; heads_first++)
        for (unsigned page = 0; page < SCAN_PAGES; page++) {
            uint64_t at =
                mp_leaf_address(mp_page_format(SCAN_PAGE), heads_first, 0, page * (uint64_t)SCAN_PAGE);
            assert_int_equal(scan_leaf_of(heads_first, page), at / 8);
            assert_int_equal(scan_page_of(heads_first, scan_leaf_of(heads_first, page)), page);
        }
}

/* A whole frame, from a memory that answers in the next clock: two clocks for each of 513 reads, one for the
 * write, and one in which the scan's end is taken. */
static void test_clocks_of_a_whole_frame(void **state)
{
    (void)state;
    struct mesc_scan_lockstep *l = mesc_scan_lockstep_new(&mesc_scan_rtl_standard, 1);
    assert_non_null(l);
    struct scan_table *t = mesc_scan_lockstep_table(l);
    for (unsigned p = 0; p < SCAN_PAGES; p++)
        t->leaf[p] = (0x1000 + p) * (uint64_t)SCAN_PAGE | MP_PTE_VALID | MP_PTE_LEAF;
    uint64_t before = rtl_lockstep_clocks(mesc_scan_lockstep_base(l));
    assert_true(mesc_scan_lockstep_step(l, (struct rtl_manner){0}));
    assert_true(t->entry >> MP_PTE_CONTIGUOUS_SHIFT == 0x1ff);
    assert_int_equal(rtl_lockstep_clocks(mesc_scan_lockstep_base(l)) - before, 1 + 2 * 513 + 2);
    mesc_scan_lockstep_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tables),           cmocka_unit_test(test_faults),
        cmocka_unit_test(test_a_seed_is_a_run),         cmocka_unit_test(test_places),
        cmocka_unit_test(test_clocks_of_a_whole_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
