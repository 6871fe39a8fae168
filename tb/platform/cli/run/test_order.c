/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which runs start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/run/order.h"

static void expect(const struct order_job *jobs, const char *expected)
{
    unsigned order[5];
    order_longest_first(jobs, 5, order);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(order[i], expected[i] - '0');
}

static void test_known_times(void **state)
{
    (void)state;
    const struct order_job jobs[5] = {{3, 9}, {1, 9}, {0.5, 9}, {20, 1}, {7, 9}};
    expect(jobs, "34012");
}

static void test_sizes(void **state)
{
    (void)state;
    const struct order_job jobs[5] = {{0, 30}, {0, 10}, {0, 1ull << 40}, {0, 0}, {0, 31}};
    expect(jobs, "24013");
}

/* 10 s for 100 bytes: 60 bytes take 6 s, 200 bytes 20 s. */
static void test_both(void **state)
{
    (void)state;
    const struct order_job jobs[5] = {{7, 50}, {0, 60}, {3, 50}, {0, 200}, {0, 0}};
    expect(jobs, "30124");
}

static void test_equal_ones_stay(void **state)
{
    (void)state;
    const struct order_job jobs[5] = {{2, 1}, {2, 9}, {0, 0}, {2, 5}, {0, 0}}, none[5] = {{0, 0}};
    expect(jobs, "01324");
    expect(none, "01234");
    order_longest_first(none, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_times),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_both),
        cmocka_unit_test(test_equal_ones_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
