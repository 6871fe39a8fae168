/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/mesc_scan/lockstep/mesc_scan_table.h"

#define HEADS MP_SUBREGIONS
#define REST  (MP_SUBREGION_PAGES - 1) /* pages of a subregion that are not its first */

unsigned scan_leaf_of(bool heads_first, unsigned page)
{
    unsigned r = page / MP_SUBREGION_PAGES, o = page % MP_SUBREGION_PAGES;
    if (!heads_first)
        return page;
    return o ? HEADS + REST * r + o - 1 : r;
}

unsigned scan_page_of(bool heads_first, unsigned leaf)
{
    if (!heads_first)
        return leaf;
    if (leaf < HEADS)
        return leaf * MP_SUBREGION_PAGES;
    return (leaf - HEADS) / REST * MP_SUBREGION_PAGES + (leaf - HEADS) % REST + 1;
}

void scan_table_begin(struct scan_table *t)
{
    t->accesses = t->leaf_reads = t->writes = 0;
}

void scan_table_access(void *table, bool write, uint64_t at, uint64_t *data)
{
    struct scan_table *t = table;
    for (unsigned i = 0; i < t->changes; i++)
        if (t->change[i].when == t->accesses)
            t->leaf[t->change[i].leaf] = t->change[i].value;
    if (t->accesses < SCAN_ACCESSES)
        t->access[t->accesses] = (struct scan_access){write, at};
    t->accesses++;
    uint64_t leaf = (at - (t->entry & MP_PTE_ADDRESS)) / 8;
    if (at == t->entry_at && write) {
        t->writes++;
        t->entry = *data;
    } else if (at == t->entry_at) {
        *data = t->entry;
    } else if (!write && leaf < SCAN_PAGES) {
        t->leaf_reads++;
        *data = t->leaf[leaf];
    }
}

static uint64_t read_at(struct scan_table *t, uint64_t at)
{
    uint64_t data = 0;
    scan_table_access(t, false, at, &data);
    return data;
}

/* Returns the page at which the subregion ends. */
static unsigned read_subregion(struct scan_table *t, bool heads_first, unsigned r, uint64_t *head)
{
    uint64_t leaves = t->entry & MP_PTE_ADDRESS;
    for (unsigned o = 0; o < MP_SUBREGION_PAGES; o++) {
        uint64_t leaf = read_at(t, leaves + 8 * scan_leaf_of(heads_first, r * MP_SUBREGION_PAGES + o));
        if (o == 0)
            *head = leaf;
        if (!(*head & MP_PTE_VALID) || leaf != *head + (uint64_t)o * SCAN_PAGE)
            return o;
    }
    return MP_SUBREGION_PAGES;
}

struct scan_result scan_algorithm(struct scan_table *t, bool heads_first)
{
    uint64_t old = read_at(t, t->entry_at), head = 0, before;
    struct scan_result s = {.table = old & MP_PTE_VALID};
    bool whole = true;
    if (!s.table)
        return s;
    for (unsigned r = 0; r < MP_SUBREGIONS; r++) {
        before = head;
        s.ends[r] = (uint8_t)read_subregion(t, heads_first, r, &head);
        s.joins[r] = r && head == before + MP_SUBREGION_PAGES * SCAN_PAGE;
        bool good = s.ends[r] == MP_SUBREGION_PAGES;
        s.bits |= (uint64_t)good << r;
        whole = whole && good && (r == 0 || s.joins[r]);
    }
    s.bits |= (uint64_t)whole << MP_SUBREGIONS;
    uint64_t entry = (old & ~MP_PTE_CONTIGUITY) | s.bits << MP_PTE_CONTIGUOUS_SHIFT;
    s.changed = entry != old;
    if (s.changed)
        scan_table_access(t, true, t->entry_at, &entry);
    return s;
}

uint64_t scan_clocks(const struct scan_table *t, const struct scan_result *result)
{
    return 2 * (1 + (uint64_t)t->leaf_reads) + result->table + 1;
}
