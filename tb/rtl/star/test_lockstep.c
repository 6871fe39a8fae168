/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of each mode against its model on random requests. Every arrow of the state machine is taken;
 * faults are found. */
#include <inttypes.h>

#include "../../models/engine/fakes.h"
#include "rtl/star/lockstep/star_lockstep.h"

extern const struct star_rtl star_rtl_subentry, star_rtl_star, star_rtl_star4, star_set_rtl_subentry,
    star_set_rtl_star, star_set_rtl_star4;
extern const struct star_rtl star_rtl_fault_reform, star_rtl_fault_order, star_rtl_fault_base;

static const struct variant {
    const char *name;
    const struct star_rtl *rtl;
    enum star_rtl_policy policy;
    unsigned stride;
    uint64_t requests;
} variants[] = {
    {"baseline", &star_rtl_subentry, STAR_RTL_DYNAMIC, 1, 200000},
    {"star", &star_rtl_star, STAR_RTL_DYNAMIC, 1, 400000},
    {"star, stride 2", &star_rtl_star, STAR_RTL_DYNAMIC, 2, 400000},
    {"star, stride 4", &star_rtl_star, STAR_RTL_DYNAMIC, 4, 400000},
    {"star-sequential", &star_rtl_star, STAR_RTL_SEQUENTIAL, 1, 200000},
    {"star-stride", &star_rtl_star, STAR_RTL_STRIDE, 4, 200000},
    {"star4", &star_rtl_star4, STAR_RTL_DYNAMIC, 1, 900000},
    {"star, lone=sequential", &star_rtl_star, STAR_RTL_LONE, 1, 400000},
    {"star4, lone=sequential", &star_rtl_star4, STAR_RTL_LONE, 1, 900000},
    {"baseline, one set", &star_set_rtl_subentry, STAR_RTL_DYNAMIC, 1, 100000},
    {"star, one set", &star_set_rtl_star, STAR_RTL_DYNAMIC, 2, 300000},
    {"star4, one set", &star_set_rtl_star4, STAR_RTL_DYNAMIC, 1, 300000},
};

static void check_arrows(const struct star_lockstep *l)
{
    char name[STAR_ARROW_NAME];
    struct mp_rtl_point p;
    unsigned never = 0;
    for (unsigned i = 0; star_lockstep_point(l, i, name, &p); i++)
        if (!p.taken) {
            print_message("never taken: %s\n", name);
            never++;
        }
    assert_int_equal(never, 0);
}

static void test_random_requests(void **state)
{
    struct rng seed = rng_start("star lockstep", 20241121);
    (void)state;
    for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++) {
        const struct variant *v = &variants[i];
        struct star_lockstep *l = star_lockstep_new(v->rtl, v->policy, v->stride, seed.state);
        assert_non_null(l);
        bool equal = star_lockstep_random(l, seed.state, v->requests, NULL);
        if (!equal) {
            print_message("%s:\n", v->name);
            star_lockstep_report(l, stdout, false);
        }
        assert_true(equal);
        assert_null(rtl_lockstep_difference(star_lockstep_base(l)));
        assert_int_equal(star_lockstep_base(l)->transactions, v->requests);
        assert_true(star_lockstep_base(l)->resets > 10);
        check_arrows(l);
        star_lockstep_free(l);
    }
}

static void faulty(const struct star_rtl *rtl, const char *const *said)
{
    struct star_lockstep *l = star_lockstep_new(rtl, STAR_RTL_DYNAMIC, 1, 1);
    char *text = NULL;
    size_t size;
    assert_non_null(l);
    assert_false(star_lockstep_random(l, 1, 100000, NULL));
    assert_non_null(rtl_lockstep_difference(star_lockstep_base(l)));
    FILE *f = open_memstream(&text, &size);
    star_lockstep_report(l, f, false);
    fclose(f);
    for (; *said; said++)
        if (!strstr(text, *said)) {
            print_message("no '%s' in:\n%s", *said, text);
            fail();
        }
    free(text);
    star_lockstep_free(l);
}

static void test_faults_are_found(void **state)
{
    static const char *const reform[] = {"first difference: state of set ",
                                         "\nrequest ",
                                         "clock ",
                                         "I asid=",
                                         "share-",
                                         "before ",
                                         "\n* way ",
                                         "sub.pfn[",
                                         NULL};
    static const char *const order[] = {"first difference: state of set ", "\n* recency of ways ", NULL};
    static const char *const base[] = {"mp_star_tlb_set.sv:", ": an assertion of the RTL failed\n",
                                       " asid=", "base.valid[0]", NULL};
    (void)state;
    faulty(&star_rtl_fault_reform, reform);
    faulty(&star_rtl_fault_order, order);
    faulty(&star_rtl_fault_base, base);
}

/* The same seed makes the same requests. */
static void test_a_seed_is_a_run(void **state)
{
    uint64_t clocks[3];
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct star_lockstep *l = star_lockstep_new(&star_rtl_star, STAR_RTL_DYNAMIC, 1, 5);
        assert_non_null(l);
        assert_true(star_lockstep_random(l, 5 + i / 2, 5000, NULL));
        clocks[i] = rtl_lockstep_clocks(star_lockstep_base(l));
        star_lockstep_free(l);
    }
    assert_true(clocks[0] == clocks[1]);
    assert_true(clocks[0] != clocks[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_requests),
        cmocka_unit_test(test_faults_are_found),
        cmocka_unit_test(test_a_seed_is_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
