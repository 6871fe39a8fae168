/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of a model. A model has one plain structure of uint64_t per tenant, and a table of mp_metric
 * that describes it. Recording, snapshots and documentation read the table, so that a counter is declared in
 * these two places only.
 */
#ifndef MP_ENGINE_METRIC_H
#define MP_ENGINE_METRIC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum mp_metric_kind { MP_COUNTER, MP_GAUGE, MP_HISTOGRAM_LINEAR, MP_HISTOGRAM_LOG2, MP_HISTOGRAM_LOG_LINEAR };

/* The row of the table for a plain counter of that structure. */
#define MP_COUNTER_OF(type, field, unit, text)                                                               \
    {                                                                                                        \
#field, unit, text, MP_COUNTER, offsetof(type, field), 0                                             \
    }

#define MP_LOG2_BINS 40u

/* A histogram of latencies, in cycles: MP_HISTOGRAM_LOG_LINEAR. Values below 64 have a bin each; each power
 * of two above is divided into 32 bins, so that the middle of a bin is within 1.6 % of each value in it. The
 * last bin counts all values from 2^32 - 2^26 on. */
#define MP_LATENCY_BINS 896u

struct mp_latencies {
    uint64_t most; /* the largest value; 0 if there is none */
    uint64_t bin[MP_LATENCY_BINS];
};

struct mp_metric {
    const char *name, *unit, *description;
    enum mp_metric_kind kind;
    uint32_t offset; /* in the structure, bytes */
    uint32_t bins;   /* of a histogram; a log-linear one is a struct mp_latencies */
};

struct mp_metric_table {
    const char *kind; /* of the components that have these counters: "tlb", whatever their level */
    size_t bytes;     /* of the structure */
    unsigned count;
    const struct mp_metric *metric;
};

/* Number of words of 64 bits that the metric has in the structure. */
static inline uint32_t mp_metric_words(const struct mp_metric *m)
{
    return m->bins ? m->bins + (m->kind == MP_HISTOGRAM_LOG_LINEAR) : 1;
}

/* Bin 0 holds 0, bin k holds 2^(k-1) to 2^k - 1. */
static inline void mp_log2_add(uint64_t *bins, uint64_t value)
{
    unsigned bin = value ? 64u - (unsigned)__builtin_clzll(value) : 0;
    bins[bin < MP_LOG2_BINS ? bin : MP_LOG2_BINS - 1]++;
}

static inline void mp_latencies_add(struct mp_latencies *l, uint64_t value)
{
    unsigned shift =
        value < 64 ? 0 : 58u - (unsigned)__builtin_clzll(value); /* value >> shift is in 32 to 63 */
    uint64_t bin = 32u * shift + (value >> shift);
    l->bin[bin < MP_LATENCY_BINS ? bin : MP_LATENCY_BINS - 1]++;
    if (l->most < value)
        l->most = value;
}

#ifdef __cplusplus
}
#endif
#endif
