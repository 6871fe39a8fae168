/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/contiguity.h"

#define NOWHERE UINT64_MAX /* outside every memory: it reads as an entry that is not valid */

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_contiguity, field, unit, text)
#define GAUGE(field, unit, text)                                                                             \
    {                                                                                                        \
#field, unit, text, MP_GAUGE, offsetof(struct mp_contiguity, field), 0                               \
    }

static const struct mp_metric metrics[] = {
    COUNTER(read, "entries", "leaf entries that scans for contiguous subregions have read"),
    COUNTER(written, "entries", "entries with contiguity bits that scans have changed"),
    COUNTER(scans, "scans", "of the whole table"),
    GAUGE(pages, "pages", "mapped at the last scan of the whole table"),
    GAUGE(contiguous_pages, "pages", "in contiguous subregions at the last scan of the whole table"),
};

const struct mp_metric_table mp_contiguity_metrics = {"contiguity", offsetof(struct mp_contiguity, scanner),
                                                      sizeof metrics / sizeof *metrics, metrics};

/* Address of the entry for va's frame; NOWHERE if it has no table of pages of 4 KB. */
static uint64_t frame_entry_at(const struct mp_page_table *t, uint64_t va)
{
    uint64_t table = t->root;
    if (va >> t->format->va_bits)
        return NOWHERE;
    for (unsigned level = 0; level < MP_CONTIGUITY_LEVEL; level++) {
        uint64_t entry = mp_physmem_read64(t->memory, mp_pte_address(t->format, level, table, va));
        if (!(entry & MP_PTE_VALID))
            return NOWHERE;
        table = entry & MP_PTE_ADDRESS;
    }
    uint64_t at = mp_pte_address(t->format, MP_CONTIGUITY_LEVEL, table, va);
    return mp_contiguity_entry(t->format, MP_CONTIGUITY_LEVEL, mp_physmem_read64(t->memory, at)) ? at
                                                                                                 : NOWHERE;
}

uint64_t mp_contiguity_bits(const struct mp_page_table *t, uint64_t va)
{
    return mp_physmem_read64(t->memory, frame_entry_at(t, va));
}

static uint64_t read_leaf(struct mp_contiguity *c, const struct mp_page_table *t, uint64_t table,
                          unsigned page)
{
    c->read++;
    uint64_t va = (uint64_t)page * MP_FRAME_BYTES;
    return mp_physmem_read64(t->memory, mp_leaf_address(t->format, t->heads_first, table, va));
}

/* Algorithm 1's SubCont. *head receives the entry of the subregion's first page. */
static bool is_contiguous(struct mp_contiguity *c, const struct mp_page_table *t, uint64_t table, unsigned r,
                          uint64_t *head)
{
    *head = read_leaf(c, t, table, r * MP_SUBREGION_PAGES);
    if (!(*head & MP_PTE_VALID))
        return false;
    for (unsigned i = 1; i < MP_SUBREGION_PAGES; i++)
        if (read_leaf(c, t, table, r * MP_SUBREGION_PAGES + i) != mp_pte_continued(*head, i))
            return false;
    return true;
}

/* The bits of a frame whose leaves are in `table`. */
static uint64_t find_bits(struct mp_contiguity *c, const struct mp_page_table *t, uint64_t table)
{
    uint64_t first = 0, head, bits = 0;
    bool whole = true;
    for (unsigned r = 0; r < MP_SUBREGIONS; r++) {
        bool contiguous = is_contiguous(c, t, table, r, &head);
        if (r == 0)
            first = head;
        if (contiguous)
            bits |= 1ull << (MP_PTE_CONTIGUOUS_SHIFT + r);
        whole &= contiguous && head == mp_pte_continued(first, r * MP_SUBREGION_PAGES);
    }
    return whole ? bits | MP_PTE_CONTIGUOUS_FRAME : bits;
}

bool mp_contiguity_scan_at(struct mp_contiguity *c, struct mp_page_table *t, uint64_t at)
{
    uint64_t old = mp_physmem_read64(t->memory, at);
    uint64_t entry = (old & ~MP_PTE_CONTIGUITY) | find_bits(c, t, old & MP_PTE_ADDRESS);
    if (entry == old)
        return false;
    c->written++;
    mp_physmem_write64(t->memory, at, entry); /* it cannot fail: the table exists */
    return true;
}

/* Scans the frame whose entry is at `at`, and gives it its bits. */
static bool scan(struct mp_contiguity *c, struct mp_page_table *t, uint64_t at)
{
    return c->scanner ? c->scanner(c->scanner_self, c, t, at) : mp_contiguity_scan_at(c, t, at);
}

bool mp_contiguity_scan_frame(struct mp_contiguity *c, struct mp_page_table *t, uint64_t va)
{
    uint64_t at = frame_entry_at(t, va);
    return mp_physmem_read64(t->memory, at) & MP_PTE_VALID && scan(c, t, at);
}

struct whole_scan {
    struct mp_contiguity *c;
    struct mp_page_table *t;
    void (*changed)(void *self, uint64_t va);
    void *self;
    struct mp_contiguity_found found;
};

static void scan_frame(struct whole_scan *s, uint64_t at, uint64_t va)
{
    bool changed = scan(s->c, s->t, at);
    uint64_t entry = mp_physmem_read64(s->t->memory, at);
    uint64_t first = mp_physmem_read64(
        s->t->memory, mp_leaf_address(s->t->format, s->t->heads_first, entry & MP_PTE_ADDRESS, 0));
    s->found.frames++;
    s->found.subregions += (uint64_t)__builtin_popcountll(entry & MP_PTE_CONTIGUOUS);
    s->found.whole += entry / MP_PTE_CONTIGUOUS_FRAME % 2;
    s->found.aligned += mp_contiguity_aligned(entry, first);
    s->found.changed += changed;
    if (changed)
        s->changed(s->self, va);
}

/* All frames below a table of this level. */
static void scan_table(struct whole_scan *s, unsigned level, uint64_t table, uint64_t va)
{
    const struct mp_page_format *f = s->t->format;
    for (uint64_t i = 0; i < 1ull << f->bits[level]; i++) {
        uint64_t below = va | i << f->low_bit[level];
        uint64_t at = mp_pte_address(f, level, table, below);
        uint64_t entry = mp_physmem_read64(s->t->memory, at);
        if (!(entry & MP_PTE_VALID))
            continue;
        if (level == MP_CONTIGUITY_LEVEL && mp_contiguity_entry(f, level, entry))
            scan_frame(s, at, below);
        else if (level < MP_CONTIGUITY_LEVEL)
            scan_table(s, level + 1, entry & MP_PTE_ADDRESS, below);
    }
}

struct mp_contiguity_found mp_contiguity_scan(struct mp_contiguity *c, struct mp_page_table *t,
                                              void (*changed)(void *self, uint64_t va), void *self)
{
    struct whole_scan s = {.c = c, .t = t, .changed = changed, .self = self};
    scan_table(&s, 0, t->root, 0);
    c->scans++;
    c->pages = c->mapped;
    c->contiguous_pages = s.found.subregions * MP_SUBREGION_PAGES;
    return s.found;
}

static void forget_upper_levels(void *space, uint64_t va)
{
    const struct mp_space *s = space;
    const struct mp_scope scope = {.tables = true, .translations_stay = true, .asid = s->asid, .va = va};
    mp_shoot_down(&s->listeners, &scope);
}

struct mp_contiguity_found mp_contiguity_scan_space(struct mp_contiguity *c, struct mp_space *s)
{
    return mp_contiguity_scan(c, &s->table, forget_upper_levels, s);
}

static bool page_changed(void *self, struct mp_space *space, uint64_t va, bool was_mapped)
{
    struct mp_contiguity *c = self;
    if (!was_mapped) {
        c->mapped++;
        return false;
    }
    c->mapped -= !(mp_page_table_entry(&space->table, va) & MP_PTE_VALID);
    return mp_contiguity_scan_frame(c, &space->table, va);
}

static bool pages_placed(void *self, struct mp_space *space, uint64_t va)
{
    return mp_contiguity_scan_frame(self, &space->table, va);
}

struct mp_space_hook mp_contiguity_hook(struct mp_contiguity *c)
{
    return (struct mp_space_hook){.self = c, .changed = page_changed, .placed = pages_placed};
}
