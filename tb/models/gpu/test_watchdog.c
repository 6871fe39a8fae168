/* SPDX-License-Identifier: Apache-2.0 */
/* When a tenant counts as stuck. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/watchdog.h"

static void test_a_blocked_tenant_is_stuck_after_its_cycles(void **state)
{
    struct mp_watchdog w;
    (void)state;
    mp_watchdog_init(&w, 100);
    assert_false(mp_watchdog_look(&w, 0, 7, true, 100));
    assert_false(mp_watchdog_look(&w, 0, 7, true, 199));
    assert_true(mp_watchdog_look(&w, 0, 7, true, 200));
    assert_int_equal(w.tenant[0].since, 100);
}

static void test_progress_counts_even_if_it_waits_each_time(void **state)
{
    struct mp_watchdog w;
    (void)state;
    mp_watchdog_init(&w, 100);
    for (uint64_t cycle = 100; cycle < 2000; cycle += 100)
        assert_false(mp_watchdog_look(&w, 0, cycle, true, cycle));
    assert_true(mp_watchdog_look(&w, 0, 1900, true, 2000));
}

/* A tenant that computes, or has no work-groups, is not blocked, and the count begins anew after it. */
static void test_only_blocked_tenants_count(void **state)
{
    struct mp_watchdog w;
    (void)state;
    mp_watchdog_init(&w, 100);
    for (uint64_t cycle = 100; cycle < 1000; cycle += 100)
        assert_false(mp_watchdog_look(&w, 0, 7, false, cycle));
    assert_false(mp_watchdog_look(&w, 0, 7, true, 1000));
    assert_false(mp_watchdog_look(&w, 0, 7, false, 1100));
    assert_false(mp_watchdog_look(&w, 0, 7, true, 1200));
    assert_true(mp_watchdog_look(&w, 0, 7, true, 1300));
}

static void test_another_tenants_progress_hides_nothing(void **state)
{
    struct mp_watchdog w;
    (void)state;
    mp_watchdog_init(&w, 100);
    assert_false(mp_watchdog_look(&w, 0, 7, true, 100));
    assert_false(mp_watchdog_look(&w, 1, 1, true, 100));
    assert_true(mp_watchdog_look(&w, 0, 7, true, 200));
    assert_false(mp_watchdog_look(&w, 1, 2, true, 200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_blocked_tenant_is_stuck_after_its_cycles),
        cmocka_unit_test(test_progress_counts_even_if_it_waits_each_time),
        cmocka_unit_test(test_only_blocked_tenants_count),
        cmocka_unit_test(test_another_tenants_progress_hides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
