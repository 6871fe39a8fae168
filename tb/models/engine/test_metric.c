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

/* Bins follow each other without a gap, and none is wider than a 32nd of its values. */
static void latency_bins(void **state)
{
    (void)state;
    static struct mp_latencies l;
    uint64_t value = 0;
    for (unsigned bin = 0; bin < MP_LATENCY_BINS; bin++) {
        uint64_t width = bin < 64 ? 1 : UINT64_C(1) << (bin / 32 - 1);
        mp_latencies_add(&l, value);
        mp_latencies_add(&l, value + width - 1);
        assert_int_equal(l.bin[bin], 2);
        assert_int_equal(l.most, value + width - 1);
        assert_true(width == 1 || 32 * width <= value);
        value += width;
    }
    assert_int_equal(value, UINT64_C(1) << 32);
    mp_latencies_add(&l, UINT64_MAX);
    assert_int_equal(l.bin[MP_LATENCY_BINS - 1], 3);
    mp_latencies_add(&l, 5);
    assert_int_equal(l.most, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log2_bins),
        cmocka_unit_test(latency_bins),
    };
    return cmocka_run_group_tests_name("metric", tests, NULL, NULL);
}
