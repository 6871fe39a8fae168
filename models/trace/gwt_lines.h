/* SPDX-License-Identifier: Apache-2.0 */
/* The aligned lines or pages that an access covers, and the set of all pages of a trace. */
#ifndef MP_TRACE_GWT_LINES_H
#define MP_TRACE_GWT_LINES_H

#include "trace/gwt.h"

/* 64 lanes of at most 1024 bytes at any address: 9 lines of 128 bytes each. */
#define GWT_UNITS_MAX (GWT_LANES * 9u)

/* Lists, in unit[GWT_UNITS_MAX] and in no particular order, the distinct units of 2^shift bytes (shift 7
 * or more) that an access touches whose lanes are scattered or far apart. Returns their number. */
unsigned gwt_units_apart(const struct gwt_event *e, unsigned shift, uint64_t *unit);
/* The lowest and highest address of an access's lanes, whatever its mode. */
struct gwt_span {
    uint64_t low, high;
};
static inline struct gwt_span gwt_span(const struct gwt_event *e)
{
    const uint64_t other = e->base + (uint64_t)e->stride * (e->active - 1u);
    struct gwt_span s = {e->stride < 0 ? other : e->base, e->stride < 0 ? e->base : other};
    for (unsigned i = 1; e->mode == GWT_SCATTER && i < e->active; i++) {
        s.low = e->lane[i] < s.low ? e->lane[i] : s.low;
        s.high = e->lane[i] > s.high ? e->lane[i] : s.high;
    }
    return s;
}

/* As gwt_units_apart, but returns the number only. */
unsigned gwt_count_apart(const struct gwt_event *e, unsigned shift, const struct gwt_span *span);

/* The first and last unit of an access that touches all units between them. Returns false if the access
 * may skip some. */
static inline bool gwt_units_range(const struct gwt_event *e, unsigned shift, uint64_t *first, uint64_t *last)
{
    if (e->mode == GWT_SCATTER)
        return false;
    uint64_t other = e->base + (uint64_t)e->stride * (e->active - 1u);
    uint64_t step = (uint64_t)(e->stride < 0 ? -e->stride : e->stride);
    *first = (e->stride < 0 ? other : e->base) >> shift;
    *last = ((e->stride < 0 ? e->base : other) + e->bytes - 1) >> shift;
    return *first == *last || step <= 1ull << shift || step <= e->bytes;
}

/* As gwt_units_apart, but for every access. */
static inline unsigned gwt_units(const struct gwt_event *e, unsigned shift, uint64_t *unit)
{
    uint64_t first, last;
    if (!gwt_units_range(e, shift, &first, &last))
        return gwt_units_apart(e, shift, unit);
    unsigned n = 0;
    for (uint64_t u = first; u <= last; u++)
        unit[n++] = u;
    return n;
}

static inline unsigned gwt_units_count(const struct gwt_event *e, unsigned shift, const struct gwt_span *span)
{
    uint64_t first, last;
    return gwt_units_range(e, shift, &first, &last) ? (unsigned)(last - first + 1)
                                                    : gwt_count_apart(e, shift, span);
}

/* A set of page numbers. A zero-initialized set is empty. */
struct gwt_pages {
    uint64_t *slot; /* page + 1, or 0 */
    uint64_t count, room;
    uint64_t recent[256]; /* page + 1 of pages added recently; saves most look-ups */
};

/* Returns -1 if memory runs out. */
int gwt_pages_insert(struct gwt_pages *pages, uint64_t page);
void gwt_pages_free(struct gwt_pages *pages);

static inline int gwt_pages_add(struct gwt_pages *pages, uint64_t page)
{
    if (__builtin_expect(pages->recent[page % 256] == page + 1, 1))
        return 0;
    return gwt_pages_insert(pages, page);
}

#endif
