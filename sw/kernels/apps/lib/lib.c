/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LIB: swaptions in the LIBOR market model. The reference makes the same steps with plain arrays, and
 * computes the derivative forwards: the last rate affects only itself and the options of the last maturity.
 *
 * Tolerance: the reference's steps are in float and in the kernel's order, because the last bit decides
 * whether an option is exercised. Only the rounding of the options' sum and of the adjoint differs. Values
 * and derivatives are about ten and differ by up to 1.4e-5 and 3e-5 in 4096 paths; the tolerances of 1e-4 and
 * 2e-4 are seven times that.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

#include <string.h>

enum { GROUP = 64, RATES = 80, STEPS = 40, OPTIONS = 15, WORDS = 2 * RATES + (STEPS + 1) * RATES };

static const uint32_t paths_of[APP_SCALES] = {64, 1024, 4096};
static const double value_tolerance = 1e-4, derivative_tolerance = 2e-4;
static const float delta = 0.25f;

static const uint32_t maturities[OPTIONS] = {4, 4, 4, 8, 8, 8, 20, 20, 20, 28, 28, 28, 40, 40, 40};
static const float strikes[OPTIONS] = {.045f, .05f,  .055f, .045f, .05f,  .055f, .045f, .05f,
                                       .055f, .045f, .05f,  .055f, .045f, .05f,  .055f};

struct result {
    double value, by_last_rate;
};

/* The rates after all steps, and d(last rate) / d(last rate at the start). */
static double walk(float *rate, const float *lambda, uint32_t path)
{
    double by_start = 1;
    for (uint32_t i = 0; i < RATES; i++)
        rate[i] = 0.05f;
    for (uint32_t n = 0; n < STEPS; n++) {
        const float normal = (float)((path * STEPS + n) * UINT32_C(0x9e3779b1) >> 8) * 0x1p-24f - 0.5f;
        float drift = 0, before = 0, step = 0;
        for (uint32_t i = n + 1; i < RATES; i++) {
            const float volatility = lambda[i - n - 1];
            step = delta * volatility;
            before = rate[i];
            drift += step * before / (1.0f + delta * before);
            rate[i] = before * expf(step * drift + volatility * (sqrtf(delta) * normal - 0.5f * step));
        }
        const double growth = 1 + (double)(delta * before), after = (double)rate[RATES - 1];
        by_start *= after / (double)before + after * (double)(step * step) / (growth * growth);
    }
    return by_start;
}

static struct result reference(const float *lambda, uint32_t path)
{
    float rate[RATES], bond = 1, swap = 0;
    double value = 0, by_bond = 0, discount = 1;
    const double by_start = walk(rate, lambda, path);
    for (uint32_t date = 1; date <= RATES - STEPS; date++) {
        bond = bond / (1.0f + delta * rate[STEPS + date - 1]);
        swap += delta * bond;
        for (unsigned o = 0; o < OPTIONS; o++) {
            const float worth = bond + strikes[o] * swap - 1.0f;
            if (maturities[o] != date || worth >= 0)
                continue;
            value -= 100 * (double)worth;
            if (date == RATES - STEPS)
                by_bond -= 100 * (1 + (double)(strikes[o] * delta));
        }
    }
    for (unsigned n = 0; n < STEPS; n++)
        discount /= 1 + (double)(delta * rate[n]);
    const double by_rate = -by_bond * (double)(bond * delta) / (1 + (double)(delta * rate[RATES - 1]));
    return (struct result){discount * value, discount * by_rate * by_start};
}

static int check(const float *lambda, const float *plain, const float *value, const float *by_last_rate,
                 uint32_t paths)
{
    for (uint32_t p = 0; p < paths; p++) {
        const struct result r = reference(lambda, p);
        if (check_float("LIB: value", p, r.value, (double)plain[p], value_tolerance) ||
            check_float("LIB: value with derivative", p, r.value, (double)value[p], value_tolerance) ||
            check_float("LIB: derivative", p, r.by_last_rate, (double)by_last_rate[p], derivative_tolerance))
            return -1;
    }
    return 0;
}

static void *copied(struct device *d, const void *from, size_t bytes)
{
    void *p = device_alloc(d, bytes);
    memcpy(p, from, bytes);
    device_wrote(d, p, bytes);
    return p;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t paths = paths_of[scale];
    const size_t bytes = paths * sizeof(float);
    float volatility[RATES];
    for (uint32_t i = 0; i < RATES; i++)
        volatility[i] = 0.2f + 0.02f * fill_unit(seed, i);
    float *plain = device_alloc(d, bytes), *value = device_alloc(d, bytes);
    float *by_last_rate = device_alloc(d, bytes);
    float *own = device_alloc(d, WORDS * bytes);
    float *lambda = copied(d, volatility, sizeof volatility);
    float *strike = copied(d, strikes, sizeof strikes);
    uint32_t *maturity = copied(d, maturities, sizeof maturities);

    DEVICE_RUN(d, "libor", 1, DEVICE_SIZE(paths), DEVICE_SIZE(GROUP), &plain, &own, &lambda, &maturity,
               &strike);
    device_read(d, plain, bytes);
    DEVICE_RUN(d, "libor_greeks", 1, DEVICE_SIZE(paths), DEVICE_SIZE(GROUP), &value, &by_last_rate, &own,
               &lambda, &maturity, &strike);
    device_read(d, value, bytes);
    device_read(d, by_last_rate, bytes);

    const int result = check(lambda, plain, value, by_last_rate, paths);
    void *const all[] = {maturity, strike, lambda, own, by_last_rate, value, plain};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}

const struct app app_lib = {
    .name = "LIB",
    .title = "A portfolio of swaptions, by Monte Carlo paths",
    .suite = "MAFIA",
    .size = {"64 paths", "1024 paths", "4096 paths"},
    .run = run,
};
