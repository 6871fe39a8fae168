/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number whose bits are XORs of address bits is a linear map, and two addresses have equal numbers if the
 * map takes their difference to zero. Bit by bit from below, either the bit's image is the sum of the images
 * of some bits before, which a search over all sums finds, or it is independent of them. This needs 2^n
 * readings per bit instead of a search over all functions, where 2^n is how many numbers there are.
 */
#include "reverse/session.h"

#define TRIES 3 /* of a search: a reading may miss what is there */

/* The bits of the pivots in the set. */
static uint64_t sum_of(const struct elimination *e, uint64_t set)
{
    uint64_t bits = 0;
    for (uint32_t k = 0; k < e->pivots; k++)
        bits |= (set >> k & 1) << e->pivot[k];
    return bits;
}

static bool find_image(struct session *s, struct elimination *e, uint32_t bit, same_number *same,
                       void *context)
{
    for (int try = 0; try < TRIES; try++)
        for (uint64_t set = 0; set < UINT64_C(1) << e->pivots; set++)
            if (same(s, context, UINT64_C(1) << bit ^ sum_of(e, set))) {
                e->image[bit] = set;
                return true;
            }
    return false;
}

int eliminate(struct session *s, struct elimination *e, const char *step, same_number *same, void *context)
{
    e->pivots = 0;
    for (uint32_t bit = e->first; bit < e->bits; bit++) {
        session_progress(s, step, bit);
        if (find_image(s, e, bit, same, context))
            continue;
        if (e->pivots == REVERSE_MOST)
            return -1;
        e->image[bit] = UINT64_C(1) << e->pivots;
        e->pivot[e->pivots++] = bit;
    }
    return 0;
}

void eliminated_span(const struct elimination *e, struct reverse_span *span)
{
    span->n = e->pivots;
    for (uint32_t k = 0; k < e->pivots; k++) {
        span->function[k] = 0;
        for (uint32_t bit = e->first; bit < e->bits; bit++)
            span->function[k] |= (e->image[bit] >> k & 1) << bit;
    }
    span_reduce(span);
}

uint64_t eliminated_kernel(const struct elimination *e, uint32_t i)
{
    return UINT64_C(1) << i ^ sum_of(e, e->image[i]);
}
