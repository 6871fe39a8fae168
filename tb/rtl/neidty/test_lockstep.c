/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of NeiDty's directory against its model on random clocks. Every kind of change and every meeting of
 * two messages occurs; faults are found. */
#include "../test_lockstep.h"
#include "rtl/neidty/lockstep/neidty_lockstep.h"

extern const struct neidty_rtl neidty_rtl_32x18, neidty_rtl_8x8, neidty_rtl_128x12, neidty_rtl_3x5;
extern const struct neidty_rtl neidty_rtl_fault_local, neidty_rtl_fault_new, neidty_rtl_fault_tag;

LOCKSTEP_TESTS(neidty)

static void test_random_clocks(void **state)
{
    struct rng seed = rng_start("neidty lockstep", 20241121);
    (void)state;
    random_is_equal("32 entries", &neidty_rtl_32x18, seed.state, 400000);
    random_is_equal("8 entries", &neidty_rtl_8x8, seed.state, 400000);
    random_is_equal("3 entries", &neidty_rtl_3x5, seed.state, 100000);
    random_is_equal("128 entries", &neidty_rtl_128x12, seed.state, 200000);
}

/* Of the same cycle left's messages come before right's, and an entry that left has just allocated can leave
 * for right's. */
static void test_order_of_a_clock(void **state)
{
    struct neidty_lockstep *l = neidty_lockstep_new(&neidty_rtl_8x8, 1);
    struct neidty_state s;
    (void)state;
    assert_non_null(l);
    for (uint64_t page = 0; page < 8; page++) {
        const struct neidty_rtl_clock in = {.inserted = {[NEIDTY_LEFT] = page | NEIDTY_RTL_VALID}};
        assert_true(neidty_lockstep_step(l, &in, (struct rtl_manner){0}));
    }
    const struct neidty_rtl_clock in = {
        .inserted = {
            [NEIDTY_LEFT] = 8 | NEIDTY_RTL_VALID | NEIDTY_RTL_LOCAL, [NEIDTY_RIGHT] = 9 | NEIDTY_RTL_VALID}};
    assert_true(neidty_lockstep_step(l, &in, (struct rtl_manner){0}));
    neidty_rtl_8x8.state(neidty_lockstep_base(l)->block, &s);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(s.tag[i], i + 1); /* the oldest has left for page 8, and page 8 for page 9 */
    assert_int_equal(s.tag[7], 9);
    assert_int_equal(s.bits[7], 1);
    neidty_lockstep_free(l);
}

static void test_faults_are_found(void **state)
{
    static const char *const clock[] = {"first difference: state after a clock", "\ntransaction ", "\n* ",
                                        "inserts", NULL};
    static const char *const any[] = {"first difference: ", "asid=", NULL};
    (void)state;
    faulty(&neidty_rtl_fault_local, clock);
    faulty(&neidty_rtl_fault_new, clock);
    faulty(&neidty_rtl_fault_tag, any);
}

static void test_a_seed_is_a_run(void **state)
{
    (void)state;
    a_seed_is_a_run(&neidty_rtl_32x18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_clocks),
        cmocka_unit_test(test_order_of_a_clock),
        cmocka_unit_test(test_faults_are_found),
        cmocka_unit_test(test_a_seed_is_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
