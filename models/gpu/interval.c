/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/interval.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MOST 64u /* strata; the others join them */

/* By degrees of freedom from 1. */
static const double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                 2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                 2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

double mp_student(double degrees)
{
    const unsigned rows = sizeof student / sizeof *student;
    if (!(degrees >= 1))
        return INFINITY;
    if (degrees < rows + 1)
        return student[(unsigned)degrees - 1];
    return degrees < 60 ? 2.042 : degrees < 120 ? 2.000 : 1.960;
}

struct stratum {
    uint32_t into; /* the stratum that it has joined, or itself */
    uint32_t samples;
    double population, instructions, above, below; /* of the samples, except for the population */
    double slope, squares;
};

struct strata {
    uint32_t count;
    struct stratum s[MOST], whole;
    uint32_t telling; /* samples with a denominator */
};

static struct stratum *of(struct strata *all, uint32_t number)
{
    return &all->s[all->s[number < all->count ? number : all->count - 1].into];
}

static void sum_up(struct strata *all, const struct mp_sample *sample, uint32_t samples, unsigned above,
                   unsigned below)
{
    for (uint32_t i = 0; i < samples; i++) {
        bool whole = sample[i].stratum == MP_SAMPLE_WHOLE;
        struct stratum *s = whole ? &all->whole : of(all, sample[i].stratum);
        all->telling += !whole && sample[i].count[below];
        s->samples++;
        s->instructions += (double)sample[i].count[0];
        s->above += (double)sample[i].count[above];
        s->below += (double)sample[i].count[below];
    }
}

static void join(struct strata *all, uint32_t from, uint32_t into)
{
    struct stratum *a = &all->s[from], *b = &all->s[into];
    b->samples += a->samples;
    b->population += a->population;
    b->instructions += a->instructions;
    b->above += a->above;
    b->below += a->below;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->s[i].into == from)
            all->s[i].into = into;
}

static bool is_poor(const struct stratum *s)
{
    return s->samples < 2 || s->instructions <= 0;
}

/* A stratum of which too little is known joins another that is poor, or else the one with most samples. */
static void collapse(struct strata *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->s[i].into != i || !is_poor(&all->s[i]))
            continue;
        uint32_t best = i;
        for (uint32_t k = 0; k < all->count; k++) {
            const struct stratum *s = &all->s[k], *b = &all->s[best];
            if (k == i || s->into != k || (!s->samples && !all->s[i].samples))
                continue;
            bool poor = is_poor(s) && s->samples, poor_best = best != i && is_poor(b) && b->samples;
            if (best == i || poor > poor_best || (poor == poor_best && s->samples > b->samples))
                best = k;
        }
        if (best != i)
            join(all, i, best);
    }
}

static double weight(const struct stratum *s)
{
    return s->instructions > 0 ? s->population / s->instructions : 0;
}

static void add_residuals(struct strata *all, const struct mp_sample *sample, uint32_t samples,
                          unsigned above, unsigned below, double ratio)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct stratum *s = &all->s[i];
        s->slope = s->instructions > 0 ? (s->above - ratio * s->below) / s->instructions : 0;
    }
    for (uint32_t i = 0; i < samples; i++) {
        if (sample[i].stratum == MP_SAMPLE_WHOLE)
            continue;
        struct stratum *s = of(all, sample[i].stratum);
        double z = (double)sample[i].count[above] - ratio * (double)sample[i].count[below] -
                   s->slope * (double)sample[i].count[0];
        s->squares += z * z;
    }
}

struct mp_interval mp_interval_ratio(const struct mp_sample *sample, uint32_t samples, unsigned above,
                                     unsigned below, const uint64_t *instructions, uint32_t strata)
{
    struct strata all;
    memset(&all, 0, sizeof all);
    all.count = strata < MOST ? strata : MOST;
    for (uint32_t i = 0; i < all.count; i++)
        all.s[i].into = i;
    for (uint32_t i = 0; i < strata; i++)
        all.s[i < all.count ? i : all.count - 1].population += (double)instructions[i];
    sum_up(&all, sample, samples, above, below);
    collapse(&all);

    double y = all.whole.above, x = all.whole.below, variance = 0, squared = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (all.s[i].into == i) {
            y += weight(&all.s[i]) * all.s[i].above;
            x += weight(&all.s[i]) * all.s[i].below;
        }
    struct mp_interval result = {x > 0 ? y / x : (double)NAN, INFINITY, INFINITY};
    if (!(x > 0) || all.telling < 2)
        return result;
    add_residuals(&all, sample, samples, above, below, result.value);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct stratum *s = &all.s[i];
        if (s->into != i || s->samples < 2)
            continue;
        double part = weight(s) * weight(s) * s->squares * s->samples / (s->samples - 1) / (x * x);
        variance += part;
        squared += part * part / (s->samples - 1);
    }
    double degrees = squared > 0 ? variance * variance / squared : all.telling - 1;
    result.half_width = variance > 0 ? mp_student(degrees) * sqrt(variance) : 0;
    result.deviation = result.value > 0 ? sqrt(variance * all.telling) / result.value : 0;
    return result;
}
