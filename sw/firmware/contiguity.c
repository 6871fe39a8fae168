/* SPDX-License-Identifier: Apache-2.0 */
#include "contiguity.h"

#include <stdbool.h>

#include "gmem.h"

/* Address of an entry of level 2, and what to do with it. */
typedef void visit(uint64_t at, uint64_t entry, struct contiguity *c);

static void each_frame(unsigned level, uint64_t table, uint64_t va, uint64_t end, visit *visit,
                       struct contiguity *c)
{
    const struct mp_page_format *f = mp_page_format(4096);
    uint64_t span = 1ull << f->low_bit[level];
    for (uint64_t next; va < end; va = next) {
        uint64_t at = mp_pte_address(f, level, table, va), entry = gmem_read64(at);
        next = (va & -span) + span;
        if (!(entry & MP_PTE_VALID))
            continue;
        if (level == MP_CONTIGUITY_LEVEL)
            visit(at, entry, c);
        else
            each_frame(level + 1, entry & MP_PTE_ADDRESS, va, next < end ? next : end, visit, c);
    }
}

/* The leaf that page `pages` further has, if it continues a page with this leaf: same permission and all. */
static uint64_t continued(uint64_t leaf, uint64_t pages)
{
    return leaf + pages * 4096;
}

static bool is_contiguous(uint64_t table, unsigned r, uint64_t *head, struct contiguity *c)
{
    uint64_t at = table + 8 * r * MP_SUBREGION_PAGES;
    *head = gmem_read64(at);
    c->read++;
    bool so_far = *head & MP_PTE_VALID;
    for (unsigned i = 1; so_far && i < MP_SUBREGION_PAGES; i++, c->read++)
        so_far = gmem_read64(at + 8 * i) == continued(*head, i);
    return so_far;
}

static uint64_t find_bits(uint64_t table, struct contiguity *c)
{
    uint64_t first = 0, head, bits = 0;
    bool whole = true;
    for (unsigned r = 0; r < MP_SUBREGIONS; r++) {
        bool contiguous = is_contiguous(table, r, &head, c);
        first = r ? first : head;
        bits |= contiguous ? 1ull << (MP_PTE_CONTIGUOUS_SHIFT + r) : 0;
        whole &= contiguous && head == continued(first, r * MP_SUBREGION_PAGES);
    }
    return whole ? bits | MP_PTE_CONTIGUOUS_FRAME : bits;
}

static void count(uint64_t at, uint64_t entry, struct contiguity *c)
{
    (void)at;
    c->frames++;
    for (unsigned r = 0; r < MP_SUBREGIONS; r++)
        c->subregions += entry >> (MP_PTE_CONTIGUOUS_SHIFT + r) & 1;
    c->whole += (entry & MP_PTE_CONTIGUOUS_FRAME) != 0;
}

static void scan(uint64_t at, uint64_t old, struct contiguity *c)
{
    uint64_t entry = (old & ~MP_PTE_CONTIGUITY) | find_bits(old & MP_PTE_ADDRESS, c);
    count(at, entry, c);
    if (entry == old)
        return;
    gmem_write64(at, entry);
    c->changed++;
}

void contiguity_scan(uint64_t root, uint64_t va, uint64_t end, struct contiguity *c)
{
    each_frame(0, root, va, end, scan, c);
}

struct contiguity contiguity_count(uint64_t root)
{
    struct contiguity c = {0};
    each_frame(0, root, 0, 1ull << GMMU_VA_BITS, count, &c);
    return c;
}
