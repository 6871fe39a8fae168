/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios and their intervals, by hand and from random samples of a known population. */
#include "../engine/fakes.h"

#include <math.h>

#include "gpu/interval.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-3 * fabs(b))

static struct mp_sample sample(uint32_t stratum, uint64_t instructions, uint64_t cycles)
{
    return (struct mp_sample){.stratum = stratum, .count = {instructions, cycles}};
}

static void test_student(void **state)
{
    (void)state;
    assert_true(isinf(mp_student(0.9)));
    NEAR(mp_student(1), 12.706);
    NEAR(mp_student(4.9), 2.776); /* of 4 */
    NEAR(mp_student(30), 2.042);
    NEAR(mp_student(1e9), 1.960);
}

/* Cycles per instruction of 9, 10 and 11: the mean is 10, its standard error 1 / sqrt(3), the ratio 1/10. */
static void test_one_stratum(void **state)
{
    const struct mp_sample s[] = {sample(0, 100, 900), sample(0, 100, 1000), sample(0, 100, 1100)};
    const uint64_t instructions[] = {1000000};
    struct mp_interval i = mp_interval_ratio(s, 3, 0, 1, instructions, 1);
    (void)state;
    NEAR(i.value, 0.1);
    NEAR(i.half_width, 0.1 * 4.303 * 0.1 / sqrt(3));
    NEAR(i.deviation, 0.1);
}

/* A stratum counts with its instructions, not with its samples. */
static void test_two_strata(void **state)
{
    const struct mp_sample s[] = {sample(0, 100, 100), sample(0, 200, 200), sample(1, 10, 100),
                                  sample(1, 20, 200), sample(1, 30, 300)};
    const uint64_t instructions[] = {9000, 1000};
    struct mp_interval i = mp_interval_ratio(s, 5, 0, 1, instructions, 2);
    (void)state;
    NEAR(i.value, 10000.0 / (9000 + 10 * 1000));
    assert_true(i.half_width < 1e-9); /* each stratum is uniform */
}

/* What is known is added as it is, and has no error. */
static void test_a_whole_part(void **state)
{
    struct mp_sample s[] = {sample(MP_SAMPLE_WHOLE, 500, 5000), sample(0, 100, 200), sample(0, 100, 200)};
    const uint64_t instructions[] = {1500};
    struct mp_interval i = mp_interval_ratio(s, 3, 0, 1, instructions, 1);
    (void)state;
    NEAR(i.value, 2000.0 / (5000 + 3000));
    assert_true(i.half_width < 1e-9);
}

static void test_too_few_samples(void **state)
{
    const struct mp_sample s[] = {sample(0, 100, 200), sample(1, 100, 400), sample(0, 100, 0)};
    const uint64_t instructions[] = {1000, 1000};
    (void)state;
    assert_true(isinf(mp_interval_ratio(s, 1, 0, 1, instructions, 2).half_width));
    struct mp_interval i = mp_interval_ratio(s, 2, 0, 1, instructions, 2); /* one stratum together */
    NEAR(i.value, 2000.0 / 6000);
    assert_true(i.half_width > 0 && isfinite(i.half_width));
    assert_true(isnan(mp_interval_ratio(s + 2, 1, 0, 1, instructions, 1).value));
}

/* In 95 % of cases the interval holds the true ratio: 16 samples of two strata with much noise. */
static void test_coverage(void **state)
{
    enum { CASES = 2000, SAMPLES = 16 };
    const uint64_t instructions[] = {600000, 400000};
    const double truth = 1e6 / (600000 * 2.0 + 400000 * 8.0);
    struct rng rng = {1};
    unsigned held = 0;
    (void)state;
    for (unsigned c = 0; c < CASES; c++) {
        struct mp_sample s[SAMPLES];
        for (unsigned k = 0; k < SAMPLES; k++) {
            uint64_t n = 500 + rng_below(&rng, 1000), mean = k % 2 ? 8 : 2;
            uint64_t noise = rng_below(&rng, 101) + rng_below(&rng, 101); /* mean 100 */
            s[k] = sample(k % 2, n, n * mean * (50 + noise / 2) / 100);
        }
        struct mp_interval i = mp_interval_ratio(s, SAMPLES, 0, 1, instructions, 2);
        held += fabs(i.value - truth) <= i.half_width;
    }
    if (held < 0.93 * CASES || held > 0.97 * CASES)
        fail_msg("%u of %u intervals hold", held, CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student),         cmocka_unit_test(test_one_stratum),
        cmocka_unit_test(test_two_strata),      cmocka_unit_test(test_a_whole_part),
        cmocka_unit_test(test_too_few_samples), cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
