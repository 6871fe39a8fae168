/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of an L1 TLB's array against its model on random clocks. Every kind of event and every meeting of
 * two occurs; faults are found. */
#include "../test_lockstep.h"
#include "rtl/l1_tlb/lockstep/l1_tlb_lockstep.h"

extern const struct l1_tlb_rtl l1_tlb_rtl_32, l1_tlb_rtl_8, l1_tlb_rtl_5, l1_tlb_rtl_2;
extern const struct l1_tlb_rtl l1_tlb_rtl_fault_use, l1_tlb_rtl_fault_bit;

LOCKSTEP_TESTS(l1_tlb)

static void test_random_clocks(void **state)
{
    struct rng seed = rng_start("l1_tlb lockstep", 20241121);
    (void)state;
    random_is_equal("32 entries", &l1_tlb_rtl_32, seed.state, 200000);
    random_is_equal("8 entries", &l1_tlb_rtl_8, seed.state, 200000);
    random_is_equal("5 entries", &l1_tlb_rtl_5, seed.state, 200000);
    random_is_equal("2 entries", &l1_tlb_rtl_2, seed.state, 200000);
}

/* Points are met soon. */
static void test_few_clocks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        random_is_equal("32 entries", &l1_tlb_rtl_32, seed, 10000);
        random_is_equal("8 entries", &l1_tlb_rtl_8, seed, 10000);
        random_is_equal("5 entries", &l1_tlb_rtl_5, seed, 10000);
        random_is_equal("2 entries", &l1_tlb_rtl_2, seed, 10000);
    }
}

/* A page that is not there is dropped in the clock in which a lookup hits the oldest entry, which is not
 * evicted next. */
static void test_a_use_is_not_lost(void **state)
{
    static const struct l1_tlb_rtl_clock clocks[] = {
        {.change = L1_TLB_INSERT, .page = 1, .frame = 11},
        {.change = L1_TLB_INSERT, .page = 2, .frame = 12},
        {.lookup = 1, .use = true, .change = L1_TLB_DROP, .page = 3},
        {.change = L1_TLB_INSERT, .page = 4, .frame = 14},
    };
    struct l1_tlb_lockstep *l = l1_tlb_lockstep_new(&l1_tlb_rtl_2, 1);
    struct l1_tlb_state s;
    (void)state;
    assert_non_null(l);
    for (unsigned i = 0; i < 4; i++)
        assert_true(l1_tlb_lockstep_step(l, &clocks[i], (struct rtl_manner){0}));
    l1_tlb_rtl_2.state(l1_tlb_lockstep_base(l)->block, &s);
    assert_int_equal(s.entry[0].page, 4);
    assert_int_equal(s.entry[1].page, 1);
    assert_int_equal(s.entry[1].frame, 11);
    l1_tlb_lockstep_free(l);
}

static void test_faults_are_found(void **state)
{
    static const char *const use[] = {"first difference: state after a clock", "\ntransaction ", "\n* ",
                                      "invalidated      asid=", NULL};
    static const char *const any[] = {"asid=", NULL};
    (void)state;
    faulty(&l1_tlb_rtl_fault_use, use);
    faulty(&l1_tlb_rtl_fault_bit, any);
}

static void test_a_seed_is_a_run(void **state)
{
    (void)state;
    a_seed_is_a_run(&l1_tlb_rtl_8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_clocks),     cmocka_unit_test(test_few_clocks),
        cmocka_unit_test(test_a_use_is_not_lost), cmocka_unit_test(test_faults_are_found),
        cmocka_unit_test(test_a_seed_is_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
