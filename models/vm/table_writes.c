/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/table_writes.h"

#include <stdlib.h>
#include <string.h>

/* --- times ---------------------------------------------------------------------------------------------- */

static struct mp_time *find(const struct mp_times *t, uint64_t key)
{
    size_t i = (key * 0x9e3779b97f4a7c15) >> 20 & (t->places - 1);
    while (t->place[i].when && t->place[i].key != key)
        i = (i + 1) & (t->places - 1);
    return &t->place[i];
}

static uint64_t when(const struct mp_times *t, uint64_t key)
{
    return t->places ? find(t, key)->when : 0;
}

/* At least half of the places stay vacant. */
static int make_room(struct mp_times *t)
{
    struct mp_times more = {.places = t->places ? 2 * t->places : 1024, .used = t->used};
    if (2 * (t->used + 1) <= t->places)
        return 0;
    more.place = calloc(more.places, sizeof *more.place);
    if (!more.place)
        return -1;
    for (size_t i = 0; i < t->places; i++)
        if (t->place[i].when)
            *find(&more, t->place[i].key) = t->place[i];
    free(t->place);
    *t = more;
    return 0;
}

static int set(struct mp_times *t, uint64_t key, uint64_t now)
{
    if (make_room(t))
        return -1;
    struct mp_time *at = find(t, key);
    t->used += !at->when;
    *at = (struct mp_time){key, now};
    return 0;
}

void mp_table_writes_free(struct mp_table_writes *w)
{
    free(w->written.place);
    free(w->invalidated.place);
    *w = (struct mp_table_writes){0};
}

/* --- events --------------------------------------------------------------------------------------------- */

int mp_table_writes_note(struct mp_table_writes *w, const struct mp_physmem *memory, uint64_t at,
                         const void *from, size_t bytes)
{
    const uint8_t *to = from;
    w->now++;
    for (size_t done = 0, part; done < bytes; done += part) {
        uint8_t old[8];
        part = 8 - (at + done) % 8;
        part = part < bytes - done ? part : bytes - done;
        mp_physmem_read(memory, at + done, old, part);
        if (memcmp(old, to + done, part) != 0 && set(&w->written, (at + done) / 8, w->now))
            return -1;
    }
    return 0;
}

static uint64_t page_key(uint16_t asid, uint64_t va)
{
    return va / MP_FRAME_BYTES * MP_TABLE_WRITES_SPACES + asid % MP_TABLE_WRITES_SPACES;
}

int mp_table_writes_invalidate(struct mp_table_writes *w, const struct mp_scope *s)
{
    w->now++;
    if (s->translations_stay)
        return 0;
    if (s->every_asid)
        w->all = w->now;
    else if (s->every_page)
        w->space[s->asid % MP_TABLE_WRITES_SPACES] = w->now;
    else
        return set(&w->invalidated, page_key(s->asid, s->va), w->now);
    return 0;
}

/* --- excuses -------------------------------------------------------------------------------------------- */

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* When the last invalidation of the page began. Invalidations have named its first 4 KB. */
static uint64_t invalidated(const struct mp_table_writes *w, uint32_t page_shift, uint16_t asid, uint64_t va)
{
    uint64_t page = when(&w->invalidated, page_key(asid, va >> page_shift << page_shift));
    return latest(page, latest(w->space[asid % MP_TABLE_WRITES_SPACES], w->all));
}

/* The entry at which the page's walk ends: its leaf, or the first that is not valid. */
static uint64_t last_entry(const struct mp_page_table *t, uint64_t va, uint64_t *at)
{
    uint64_t table = t->root;
    for (unsigned level = 0;; level++) {
        bool leaf = level + 1 == t->format->levels;
        *at = leaf ? mp_leaf_address(t->format, t->heads_first, table, va)
                   : mp_pte_address(t->format, level, table, va);
        uint64_t entry = mp_physmem_read64(t->memory, *at);
        if (leaf || !(entry & MP_PTE_VALID))
            return entry;
        table = entry & MP_PTE_ADDRESS;
    }
}

bool mp_table_writes_excuse(const struct mp_table_writes *w, const struct mp_page_table *t, uint64_t va,
                            const struct mp_translation_answer *page)
{
    uint64_t at, entry = last_entry(t, va, &at), frame = page->pa & MP_PTE_ADDRESS;
    uint32_t shift = t->format->page_shift;
    if (when(&w->written, at / 8) <= invalidated(w, shift, page->asid, va))
        return false;
    if (page->faults)
        return entry & MP_PTE_VALID;
    return !(entry & MP_PTE_VALID) || (entry & MP_PTE_ADDRESS) >> shift == frame >> shift;
}
