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

enum mp_metric_kind { MP_COUNTER, MP_GAUGE, MP_HISTOGRAM_LINEAR, MP_HISTOGRAM_LOG2 };

/* The row of the table for a plain counter of that structure. */
#define MP_COUNTER_OF(type, field, unit, text)                                                               \
    {                                                                                                        \
#field, unit, text, MP_COUNTER, offsetof(type, field), 0                                             \
    }

#define MP_LOG2_BINS 40u

struct mp_metric {
    const char *name, *unit, *description;
    enum mp_metric_kind kind;
    uint32_t offset; /* in the structure, bytes */
    uint32_t bins;   /* of a histogram */
};

struct mp_metric_table {
    const char *kind; /* of the components that have these counters: "tlb", whatever their level */
    size_t bytes;     /* of the structure */
    unsigned count;
    const struct mp_metric *metric;
};

/* Bin 0 holds 0, bin k holds 2^(k-1) to 2^k - 1. */
static inline void mp_log2_add(uint64_t *bins, uint64_t value)
{
    unsigned bin = value ? 64u - (unsigned)__builtin_clzll(value) : 0;
    bins[bin < MP_LOG2_BINS ? bin : MP_LOG2_BINS - 1]++;
}

#ifdef __cplusplus
}
#endif
#endif
