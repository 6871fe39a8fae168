/* SPDX-License-Identifier: Apache-2.0 */
/* A prefetcher alone: what it names for a miss. */
#ifndef MP_TB_PREFETCH_DRIVE_H
#define MP_TB_PREFETCH_DRIVE_H

#include "../../engine/fakes.h"

#include "tlb/prefetch/prefetcher.h"

struct named {
    uint32_t n;
    uint64_t page[MP_PREFETCH_MOST];
};

static inline struct named miss(const struct mp_prefetcher *p, void *state, struct mp_prefetch_miss m)
{
    struct named named = {0, {0}};
    named.n = p->miss(state, &m, named.page);
    assert_in_range(named.n, 0, MP_PREFETCH_MOST);
    return named;
}

/* The pages that are named, in this order; ends with NOTHING. */
#define NOTHING UINT64_MAX

static inline void names(struct named named, const uint64_t *expected)
{
    uint32_t n = 0;
    for (; expected[n] != NOTHING; n++) {
        assert_true(n < named.n);
        assert_int_equal(named.page[n], expected[n]);
    }
    assert_int_equal(named.n, n);
}

#define NAMES(named, ...) names(named, (const uint64_t[]){__VA_ARGS__, NOTHING})

/* The values of a design's parameters, random ones in which tables are small. */
static inline struct mp_design_values small_tables(struct rng *rng, const struct mp_design *design,
                                                   unsigned rows, unsigned ways)
{
    struct mp_design_values v = mp_design_defaults(design);
    v.v[rows] = 1ull << rng_below(rng, 5);
    v.v[ways] = 1ull << rng_below(rng, 5);
    return v;
}

#endif
