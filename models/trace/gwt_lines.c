/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/gwt_lines.h"

#include <stdlib.h>

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

static unsigned units_scattered(const struct gwt_event *e, unsigned shift, uint64_t *unit)
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
    return e->mode == GWT_SCATTER ? units_scattered(e, shift, unit) : units_strided(e, shift, unit);
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
