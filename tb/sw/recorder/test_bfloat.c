/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding to bf16 and tf32: the nearest number, by search among the neighbours. Values are at random with a
 * printed seed; all middles of a product are tried. */
#include "../../models/engine/fakes.h"
#include "bfloat.h"

#include <math.h>

static struct rng rng;

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Whether no neighbour is nearer, and of two equally near ones the mantissa is even. */
static void expect_nearest(uint16_t got, double value)
{
    const double away = fabs((double)float_of_bf16(got) - value);
    assert_false(isnan(away));
    for (int step = -1; step <= 1; step += 2) {
        const uint16_t other = (uint16_t)(got + step);
        const double others = fabs((double)float_of_bf16(other) - value);
        if (!isfinite(float_of_bf16(other)) || signbit(float_of_bf16(other)) != signbit(float_of_bf16(got)))
            continue;
        if (others < away || (others == away && got & 1))
            fail_msg("%a became %a, but %a is nearer", value, (double)float_of_bf16(got),
                     (double)float_of_bf16(other));
    }
}

static void every_bf16_stays(void **unused)
{
    (void)unused;
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        const float value = float_of_bf16((uint16_t)bits);
        const uint16_t wanted = isnan(value) ? 0x7fff : (uint16_t)bits;
        assert_int_equal(record_bf16_of_float(value), wanted);
        assert_int_equal(record_bf16_of_double((double)value), wanted);
        if (!isnan(value))
            assert_true(record_tf32_of_float(value) == value);
    }
}

static void values_become_the_nearest_bf16(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 1000000; i++) {
        const float value = of_bits((uint32_t)rng_next(&rng));
        if (isfinite(value) && fabsf(value) < 0x1.fep127f)
            expect_nearest(record_bf16_of_float(value), (double)value);
        /* close to a middle, on each side, and by less than a float can say */
        const double middle = (1.0 + (double)(2 * (rng_next(&rng) % 128) + 1) / 256) * 0x1p-30;
        expect_nearest(record_bf16_of_double(middle * (1 + 0x1p-50)), middle * (1 + 0x1p-50));
        expect_nearest(record_bf16_of_double(-middle * (1 - 0x1p-50)), -middle * (1 - 0x1p-50));
        expect_nearest(record_bf16_of_double(middle), middle);
    }
    assert_int_equal(record_bf16_of_float(0x1.ffp127f), 0x7f80); /* halfway to 2^128 */
    assert_int_equal(record_bf16_of_float(0x1.fefffep127f), 0x7f7f);
    assert_int_equal(record_bf16_of_double(1e300), 0x7f80);
    assert_int_equal(record_bf16_of_double(-1e-300), 0x8000);
}

/* A product in the middle of two numbers of bf16 is even; the least addend decides the side. */
static void a_product_and_a_sum_round_once(void **unused)
{
    (void)unused;
    const uint16_t tiny = record_bf16_of_float(0x1p-100f);
    unsigned middles = 0;
    for (unsigned x = 0x3f80; x < 0x4000; x++) /* from 1 to below 2 */
        for (unsigned y = 0x3f80; y < 0x4000; y++) {
            const double product = (double)float_of_bf16((uint16_t)x) * (double)float_of_bf16((uint16_t)y);
            const double units = product * (product < 2 ? 128 : 64);
            const uint16_t even = record_bf16_fma((uint16_t)x, (uint16_t)y, 0x8000);
            expect_nearest(even, product);
            if (units - floor(units) != 0.5)
                continue;
            middles++;
            const uint16_t below = record_bf16_of_double(floor(units) / (product < 2 ? 128 : 64));
            assert_int_equal(record_bf16_fma((uint16_t)x, (uint16_t)y, tiny), below + 1);
            assert_int_equal(record_bf16_fma((uint16_t)x, (uint16_t)y, tiny | 0x8000), below);
            assert_int_equal(record_bf16_fma((uint16_t)x, (uint16_t)(y | 0x8000), tiny), below | 0x8000);
        }
    assert_true(middles > 100);
    for (unsigned i = 0; i < 1000000; i++) { /* of like exponents, so that double is exact */
        uint16_t v[3];
        for (unsigned k = 0; k < 3; k++)
            v[k] = record_bf16_of_double(((double)(rng_next(&rng) >> 11) * 0x1p-53 - 0.5) *
                                         (double)(1u << rng_next(&rng) % 16));
        const double exact =
            (double)float_of_bf16(v[0]) * (double)float_of_bf16(v[1]) + (double)float_of_bf16(v[2]);
        expect_nearest(record_bf16_fma(v[0], v[1], v[2]), exact);
    }
    assert_int_equal(record_bf16_fma(0x7f80, 0, 0), 0x7fff); /* infinity * 0 */
    assert_int_equal(record_bf16_fma(0x7f7f, 0x7f7f, 0), 0x7f80);
    assert_int_equal(record_bf16_fma(0x0080, 0x0080, 0x3f80), 0x3f80);
    assert_int_equal(record_bf16_fma(0x3f80, 0x3f80, 0xbf80), 0);
}

static void values_become_the_nearest_tf32(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 1000000; i++) {
        const uint32_t bits = (uint32_t)rng_next(&rng);
        const float value = of_bits(bits), got = record_tf32_of_float(value);
        uint32_t word;
        memcpy(&word, &got, sizeof word);
        if (isnan(value)) {
            assert_int_equal(word, 0x7fffffff);
            continue;
        }
        assert_int_equal(word & 0x1fff, 0);
        if (!isfinite(value) || !isfinite(got))
            continue;
        const double unit = (double)of_bits((bits & 0x7f800000) + 0x2000) -
                            (double)of_bits(bits & 0x7f800000); /* of the last place */
        assert_true(fabs((double)got - (double)value) <= unit / 2);
        if ((bits & 0x1fff) == 0x1000)
            assert_true(fabsf(got) > fabsf(value));
    }
    assert_true(record_tf32_of_float(0x1.002p0f) == 0x1.004p0f); /* a middle goes away from 0 */
    assert_true(record_tf32_of_float(-0x1.002p0f) == -0x1.004p0f);
    assert_true(record_tf32_of_float(0x1.001ffep0f) == 1);
    assert_true(isinf(record_tf32_of_float(0x1.fffffep127f)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bf16_stays),
        cmocka_unit_test(values_become_the_nearest_bf16),
        cmocka_unit_test(a_product_and_a_sum_round_once),
        cmocka_unit_test(values_become_the_nearest_tf32),
    };
    rng = rng_start("test_recorder_bfloat", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
