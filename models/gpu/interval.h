/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ratio of two totals (instructions by cycles, hits by look-ups) and its 95 % interval from samples: counts
 * in windows of a run of which the instructions of each stratum are known. A total is the sum over strata of
 * its count per instruction in the stratum's samples, times the stratum's instructions. The variance is that
 * of the ratio's linear form (W. G. Cochran, Sampling Techniques, 3rd ed., sections 6.4 and 6.11), the
 * degrees of freedom are Satterthwaite's (section 5.4), and the quantile is Student's.
 */
#ifndef MP_GPU_INTERVAL_H
#define MP_GPU_INTERVAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_SAMPLE_COUNTS 10u

#define MP_SAMPLE_WHOLE UINT32_MAX

struct mp_sample {
    uint32_t stratum;                 /* or MP_SAMPLE_WHOLE: a part that is no sample, but counts as it is */
    uint64_t count[MP_SAMPLE_COUNTS]; /* the first are the instructions */
};

struct mp_interval {
    double value;      /* NAN if the denominator is 0 */
    double half_width; /* infinite with fewer than two samples in which count[below] is not 0 */
    double deviation;  /* of a sample, relative to the value: how many samples a narrower interval takes */
};

/* 97.5 % quantile of Student's distribution with at least this many degrees of freedom; infinite below 1. */
double mp_student(double degrees);

/* The ratio of count[above] to count[below] in a population with instructions[s] in stratum s,
 * and the parts that count as they are. Strata with fewer than two samples, or with samples without
 * instructions, are one stratum together; if that has fewer than two, it joins the one that has most samples.
 */
struct mp_interval mp_interval_ratio(const struct mp_sample *sample, uint32_t samples, unsigned above,
                                     unsigned below, const uint64_t *instructions, uint32_t strata);

#ifdef __cplusplus
}
#endif
#endif
