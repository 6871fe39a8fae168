/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of NeiDty's directory against its model on random clocks. Every kind of change and every meeting of
 * two messages occurs; faults are found. */
#include "../models/engine/fakes.h"
#include "rtl/neidty_lockstep.h"

extern const struct neidty_rtl neidty_rtl_fault_local, neidty_rtl_fault_new, neidty_rtl_fault_tag;

static void all_met(const struct neidty_lockstep *l)
{
    char name[MP_RTL_POINT_NAME];
    uint64_t taken;
    unsigned never = 0;
    for (unsigned i = 0; neidty_lockstep_point(l, i, name, &taken); i++)
        if (!taken) {
            print_message("%u entries: never met: %s\n", neidty_lockstep_rtl(l)->entries, name);
            never++;
        }
    assert_int_equal(never, 0);
}

static void test_random_clocks(void **state)
{
    static const struct {
        const struct neidty_rtl *rtl;
        uint64_t clocks;
    } variants[] = {{&neidty_rtl_32_18, 400000}, {&neidty_rtl_8_8, 400000}, {&neidty_rtl_128_12, 200000}};
    struct rng seed = rng_start("neidty lockstep", 20241121);
    (void)state;
    for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct neidty_lockstep *l = neidty_lockstep_new(variants[i].rtl, seed.state);
        assert_non_null(l);
        bool equal = neidty_lockstep_random(l, seed.state, variants[i].clocks, NULL);
        if (!equal)
            neidty_lockstep_report(l, stdout, false);
        assert_true(equal);
        assert_int_equal(neidty_lockstep_base(l)->transactions, variants[i].clocks);
        assert_true(neidty_lockstep_base(l)->resets > 0);
        all_met(l);
        neidty_lockstep_free(l);
    }
}

/* Of the same cycle left's messages come before right's, and an entry that left has just allocated can leave
 * for right's. */
static void test_order_of_a_clock(void **state)
{
    struct neidty_lockstep *l = neidty_lockstep_new(&neidty_rtl_8_8, 1);
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
    neidty_rtl_8_8.state(neidty_lockstep_base(l)->block, &s);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(s.tag[i], i + 1); /* the oldest has left for page 8, and page 8 for page 9 */
    assert_int_equal(s.tag[7], 9);
    assert_int_equal(s.bits[7], 1);
    neidty_lockstep_free(l);
}

static void faulty(const struct neidty_rtl *rtl, const char *const *said)
{
    struct neidty_lockstep *l = neidty_lockstep_new(rtl, 1);
    char *text = NULL;
    size_t size;
    assert_non_null(l);
    assert_false(neidty_lockstep_random(l, 1, 1000000, NULL));
    assert_non_null(rtl_lockstep_difference(neidty_lockstep_base(l)));
    FILE *f = open_memstream(&text, &size);
    neidty_lockstep_report(l, f, false);
    fclose(f);
    for (; *said; said++)
        if (!strstr(text, *said)) {
            print_message("no '%s' in:\n%s", *said, text);
            fail();
        }
    free(text);
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

/* The same seed makes the same clocks. */
static void test_a_seed_is_a_run(void **state)
{
    uint64_t clocks[3];
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct neidty_lockstep *l = neidty_lockstep_new(&neidty_rtl_32_18, 1);
        assert_non_null(l);
        assert_true(neidty_lockstep_random(l, 5 + i / 2, 5000, NULL));
        clocks[i] = rtl_lockstep_clocks(neidty_lockstep_base(l));
        neidty_lockstep_free(l);
    }
    assert_true(clocks[0] == clocks[1]);
    assert_true(clocks[0] != clocks[2]);
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
