/* SPDX-License-Identifier: Apache-2.0 */
#include "reverse/session.h"

static uint64_t lead(uint64_t function)
{
    return function & -function;
}

void span_reduce(struct reverse_span *span)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < span->n; i++) {
        uint64_t f = span->function[i];
        for (uint32_t k = 0; k < rank; k++)
            f ^= f & lead(span->function[k]) ? span->function[k] : 0;
        for (uint32_t k = 0; k < rank; k++)
            span->function[k] ^= span->function[k] & lead(f) ? f : 0;
        if (!f)
            continue;
        uint32_t at = rank++;
        for (; at && lead(span->function[at - 1]) > lead(f); at--)
            span->function[at] = span->function[at - 1];
        span->function[at] = f;
    }
    span->n = rank;
}

/* A sum of functions of a and b that is zero is a sum of a's that is one of b's: `left` is the sum, `right`
 * its part of a (Zassenhaus). */
void span_common(const struct reverse_span *a, const struct reverse_span *b, struct reverse_span *common)
{
    uint64_t left[2 * REVERSE_MOST], right[2 * REVERSE_MOST];
    uint32_t rows = 0;
    common->n = 0;
    for (uint32_t i = 0; i < a->n + b->n; i++) {
        uint64_t l = i < a->n ? a->function[i] : b->function[i - a->n], r = i < a->n ? l : 0;
        for (uint32_t k = 0; k < rows; k++)
            if (l & lead(left[k])) {
                l ^= left[k];
                r ^= right[k];
            }
        if (!l) {
            common->function[common->n++] = r;
            continue;
        }
        for (uint32_t k = 0; k < rows; k++)
            if (left[k] & lead(l)) {
                left[k] ^= l;
                right[k] ^= r;
            }
        left[rows] = l;
        right[rows++] = r;
    }
    span_reduce(common);
}

uint32_t reverse_colours(const struct reverse_span *module, uint64_t page_bytes)
{
    uint32_t colours = 1;
    for (uint32_t i = 0; i < module->n; i++)
        colours <<= lead(module->function[i]) >= page_bytes;
    return colours;
}
