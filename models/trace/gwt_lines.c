/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/gwt_lines.h"

#include <stdlib.h>
#include <string.h>

/* The lanes are a fixed distance apart and visited in ascending order. So only the units of a lane that
 * lie above the last unit of the previous lane are new. */
static unsigned units_strided(const struct gwt_event *e, unsigned shift, uint64_t *unit)
{
    uint64_t step = (uint64_t)(e->stride < 0 ? -e->stride : e->stride), next = 0;
    uint64_t a = e->stride < 0 ? e->base - step * (e->active - 1u) : e->base;
    unsigned n = 0;
    for (unsigned i = 0; i < e->active; i++, a += step) {
        uint64_t first = a >> shift, last = (a + e->bytes - 1) >> shift;
        for (uint64_t u = first > next ? first : next; u <= last; u++)
            unit[n++] = u;
        next = last + 1;
    }
    return n;
}

/* The units that scattered lanes touch lie in a window. If it is small, a byte for each is exact, and setting
 * it needs no look at the others. */
enum { WINDOW = 512, SMALL = 128 };

struct window {
    uint64_t first, count;
};

static struct window window_of(const struct gwt_event *e, const struct gwt_span *span, unsigned shift)
{
    const uint64_t first = span->low >> shift;
    return (struct window){first, ((span->high + e->bytes - 1) >> shift) - first + 1};
}

/* Sets the bytes of the touched units to 1. Every eight of them are a word. */
static void mark_window(const struct gwt_event *e, unsigned shift, const struct window *w,
                        uint64_t touched[WINDOW / 8])
{
    uint8_t *byte = (uint8_t *)touched;
    if (w->count <= SMALL) /* such a short memset is no call */
        memset(touched, 0, SMALL);
    else
        memset(touched, 0, WINDOW);
    for (unsigned i = 0; i < e->active; i++) {
        const uint64_t last = ((e->lane[i] + e->bytes - 1) >> shift) - w->first;
        uint64_t u = (e->lane[i] >> shift) - w->first;
        do
            byte[u] = 1;
        while (u++ < last);
    }
}

static unsigned units_in_window(const struct gwt_event *e, unsigned shift, const struct window *w,
                                uint64_t *unit)
{
    uint64_t touched[WINDOW / 8];
    unsigned n = 0;
    mark_window(e, shift, w, touched);
    for (unsigned i = 0; i < (w->count + 7) / 8; i++)
        for (uint64_t left = touched[i]; left; left &= left - 1)
            unit[n++] =
                w->first + 8 * i + (unsigned)__builtin_ctzll(left) / 8; /* the host is little-endian */
    return n;
}

static unsigned count_window(const struct gwt_event *e, unsigned shift, const struct window *w)
{
    const uint64_t even = 0x00ff00ff00ff00ff;
    uint64_t touched[WINDOW / 8], sums = 0; /* of eight columns of bytes, at most 64 each */
    mark_window(e, shift, w, touched);
    for (unsigned i = 0; i < (w->count + 7) / 8; i++)
        sums += touched[i];
    sums = (sums & even) + (sums >> 8 & even);
    return (unsigned)(sums * 0x0001000100010001 >> 48);
}

static unsigned units_far_apart(const struct gwt_event *e, unsigned shift, uint64_t *unit)
{
    uint64_t filter[8] = {0}; /* by the unit's low 9 bits: a clear bit proves that the unit is new */
    unsigned n = 0;
    for (unsigned i = 0; i < e->active; i++) {
        uint64_t last = (e->lane[i] + e->bytes - 1) >> shift;
        for (uint64_t u = e->lane[i] >> shift; u <= last; u++) {
            uint64_t *word = &filter[u >> 6 & 7], bit = 1ull << (u & 63);
            unsigned k = *word & bit ? n : 0;
            while (k && unit[k - 1] != u)
                k--;
            if (!k)
                unit[n++] = u;
            *word |= bit;
        }
    }
    return n;
}

unsigned gwt_units_apart(const struct gwt_event *e, unsigned shift, uint64_t *unit)
{
    if (e->mode != GWT_SCATTER)
        return units_strided(e, shift, unit);
    const struct gwt_span span = gwt_span(e);
    const struct window w = window_of(e, &span, shift);
    return w.count <= WINDOW ? units_in_window(e, shift, &w, unit) : units_far_apart(e, shift, unit);
}

unsigned gwt_count_apart(const struct gwt_event *e, unsigned shift, const struct gwt_span *span)
{
    uint64_t unit[GWT_UNITS_MAX];
    if (e->mode != GWT_SCATTER)
        return units_strided(e, shift, unit);
    const struct window w = window_of(e, span, shift);
    return w.count <= WINDOW ? count_window(e, shift, &w) : units_far_apart(e, shift, unit);
}

static uint64_t *place(const struct gwt_pages *pages, uint64_t page)
{
    uint64_t i = page * 0x9e3779b97f4a7c15ull; /* 2^64 / golden ratio: neighbouring pages get distant slots */
    i ^= i >> 32;
    while (pages->slot[i & (pages->room - 1)] && pages->slot[i & (pages->room - 1)] != page + 1)
        i++;
    return &pages->slot[i & (pages->room - 1)];
}

static int grow(struct gwt_pages *pages)
{
    struct gwt_pages larger = {.room = pages->room ? 2 * pages->room : 1024};
    larger.slot = calloc(larger.room, sizeof *larger.slot);
    if (!larger.slot)
        return -1;
    for (uint64_t i = 0; i < pages->room; i++)
        if (pages->slot[i])
            *place(&larger, pages->slot[i] - 1) = pages->slot[i];
    free(pages->slot);
    pages->slot = larger.slot;
    pages->room = larger.room;
    return 0;
}

int gwt_pages_insert(struct gwt_pages *pages, uint64_t page)
{
    if (2 * pages->count >= pages->room && grow(pages))
        return -1;
    uint64_t *slot = place(pages, page);
    pages->count += !*slot;
    *slot = page + 1;
    pages->recent[page % 256] = page + 1;
    return 0;
}

void gwt_pages_free(struct gwt_pages *pages)
{
    free(pages->slot);
    *pages = (struct gwt_pages){0};
}
