/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLK: option prices, checked against the closed form with erfc, in double.
 *
 * Tolerance: the kernel's polynomial has an error of up to 7.5e-8, and a float near 1 has one of 6e-8. Prices
 * are products with factors of at most 100, so the error is about 2e-5, including the rounding of d. The
 * tolerance of 2e-4 is ten times that; a typical price is about ten.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { GROUP = 128 };

static const struct {
    uint32_t options, groups;
} sizes[APP_SCALES] = {{20000, 64}, {500000, 480}, {2000000, 480}};

static const float riskless = 0.02f, volatility = 0.30f;
static const double tolerance = 2e-4;

static double normal(double d)
{
    return 0.5 * erfc(-d / sqrt(2));
}

static int check_option(size_t i, double s, double x, double t, double call, double put)
{
    const double r = (double)riskless, v = (double)volatility;
    const double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
    const double discounted = x * exp(-r * t);
    return check_float("BLK: call", i, s * normal(d1) - discounted * normal(d2), call, tolerance) ||
                   check_float("BLK: put", i, discounted * normal(-d2) - s * normal(-d1), put, tolerance)
               ? -1
               : 0;
}

static float *inputs(struct device *d, uint32_t n, uint64_t seed, float low, float high)
{
    float *p = device_alloc(d, n * sizeof *p);
    for (uint32_t i = 0; i < n; i++)
        p[i] = low + (high - low) * 0.5f * (1 + fill_unit(seed, i));
    device_wrote(d, p, n * sizeof *p);
    return p;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t n = sizes[scale].options;
    const size_t bytes = n * sizeof(float);
    float *call = device_alloc(d, bytes);
    float *put = device_alloc(d, bytes);
    float *price = inputs(d, n, seed, 5, 30);
    float *strike = inputs(d, n, seed + 1, 1, 100);
    float *years = inputs(d, n, seed + 2, 0.25f, 10);

    DEVICE_RUN(d, "black_scholes", 1, DEVICE_SIZE((size_t)sizes[scale].groups * GROUP), DEVICE_SIZE(GROUP),
               &call, &put, &price, &strike, &years, &riskless, &volatility, &n);
    device_read(d, call, bytes);
    device_read(d, put, bytes);

    int result = 0;
    for (uint32_t i = 0; i < n && !result; i++)
        result = check_option(i, (double)price[i], (double)strike[i], (double)years[i], (double)call[i],
                              (double)put[i]);
    float *const all[] = {years, strike, price, put, call};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}

const struct app app_blk = {
    .name = "BLK",
    .title = "Black and Scholes' option prices",
    .suite = "MAFIA",
    .size = {"20000 options", "500000 options", "2000000 options"},
    .run = run,
};
