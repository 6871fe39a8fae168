/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/table_writes.h"

static uint64_t when(const struct mp_notes *n, uint64_t key)
{
    const struct mp_note *note = mp_notes_find(n, key);
    return note ? note->when : 0;
}

void mp_table_writes_free(struct mp_table_writes *w)
{
    mp_notes_free(&w->written);
    mp_notes_free(&w->invalidated);
    *w = (struct mp_table_writes){0};
}

/* --- events --------------------------------------------------------------------------------------------- */

int mp_table_writes_note(struct mp_table_writes *w, const struct mp_physmem *memory, uint64_t at,
                         uint64_t word, const struct mp_store *by)
{
    uint64_t old = mp_physmem_read64(memory, at);
    w->now++;
    if (old == word || !((old | word) & MP_PTE_VALID))
        return 0;
    return mp_notes_set(&w->written, &(struct mp_note){.key = at / 8, .when = w->now, .by = *by});
}

void mp_table_writes_set_root(struct mp_table_writes *w, uint16_t asid)
{
    w->root[asid % MP_TABLE_WRITES_SPACES] = ++w->now;
}

const struct mp_note *mp_table_writes_store(const struct mp_table_writes *w, uint64_t at)
{
    return mp_notes_find(&w->written, at / 8);
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
        return mp_notes_set(
            &w->invalidated,
            &(struct mp_note){.key = page_key(s->asid, s->va), .when = w->now, .bytes = s->bytes});
    return 0;
}

/* --- excuses -------------------------------------------------------------------------------------------- */

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* When the last invalidation of the page began. Invalidations name the first 4 KB of a page, of whichever
 * size it had then; the size counts if the format has several. */
static uint64_t invalidated(const struct mp_table_writes *w, const struct mp_page_format *f, uint16_t asid,
                            uint64_t va)
{
    uint64_t page = latest(w->space[asid % MP_TABLE_WRITES_SPACES], w->all);
    for (uint64_t sizes = f->pages; sizes; sizes &= sizes - 1) {
        uint64_t bytes = sizes & -sizes, first = va & -bytes;
        const struct mp_note *note = mp_notes_find(&w->invalidated, page_key(asid, first));
        if (note && va - first < latest(note->bytes, 1ull << f->page_shift))
            page = latest(page, note->when);
    }
    return page;
}

uint64_t mp_table_writes_changed(const struct mp_table_writes *w, const struct mp_page_table *t,
                                 uint16_t asid, uint64_t va)
{
    uint64_t at[MP_MAX_LEVELS], changed = w->root[asid % MP_TABLE_WRITES_SPACES];
    unsigned entries = mp_page_table_walk(t, va, at);
    for (unsigned level = 0; level < entries; level++)
        changed = latest(changed, when(&w->written, at[level] / 8));
    return changed;
}

bool mp_table_writes_excuse(const struct mp_table_writes *w, const struct mp_page_table *t, uint64_t va,
                            const struct mp_translation_answer *page)
{
    uint64_t pa;
    uint32_t mapped = mp_page_table_find(t, va, &pa), shift = t->format->page_shift;
    if (mp_table_writes_changed(w, t, page->asid, va) <= invalidated(w, t->format, page->asid, va))
        return false;
    return page->faults ? mapped : !mapped || pa >> shift == page->pa >> shift;
}
