/* SPDX-License-Identifier: Apache-2.0 */
#include "fakes.h"

#include "engine/metric.h"

static void log2_bins(void **state)
{
    (void)state;
    uint64_t bins[MP_LOG2_BINS] = {0};
    mp_log2_add(bins, 0);
    assert_int_equal(bins[0], 1);
    for (unsigned k = 1; k < MP_LOG2_BINS - 1; k++) {
        mp_log2_add(bins, 1ull << (k - 1));
        mp_log2_add(bins, (1ull << k) - 1);
        assert_int_equal(bins[k], 2);
    }
    mp_log2_add(bins, UINT64_MAX);
    assert_int_equal(bins[MP_LOG2_BINS - 1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log2_bins),
    };
    return cmocka_run_group_tests_name("metric", tests, NULL, NULL);
}
