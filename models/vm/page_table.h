/* SPDX-License-Identifier: Apache-2.0 */
/* Page tables in simulated memory, of any design and format. A page's size is given as log2 of its bytes. */
#ifndef MP_VM_PAGE_TABLE_H
#define MP_VM_PAGE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/frames/allocator.h"
#include "vm/page_format.h"
#include "vm/physmem.h"
#include "vm/tables/design.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The leaf table in which a page was last placed: neighbours are placed without the way from the root. */
struct mp_table_near {
    uint64_t va, table;  /* a page in it, and the table's address */
    uint32_t number;     /* of the table in the format */
    uint32_t page_shift; /* of its pages; 0: none */
};

struct mp_page_table {
    const struct mp_page_format *format;
    struct mp_physmem *memory;
    struct mp_frames *frames; /* of tables */
    uint32_t tenant;          /* for which the tables are taken */
    uint64_t root;            /* physical address */
    bool heads_first;         /* the order of leaves; set it before the first page is mapped */
    uint16_t asid;            /* of the address space, for designs that have it in entries */
    const struct mp_page_table_design *design; /* NULL: mp_page_table_radix */
    struct mp_table_near near;                 /* radix only */
};

/*
 * Address of the leaf that maps va's page, in the table of the smallest pages at `table`. heads_first is
 * another order of leaves, for pages of 4 KB (MESC Sec. V-B): those of the first pages of a frame's eight
 * subregions come first and share a line, then the other 63 of each subregion.
 */
static inline uint64_t mp_leaf_address(const struct mp_page_format *f, bool heads_first, uint64_t table,
                                       uint64_t va)
{
    uint64_t r = va >> MP_SUBREGION_SHIFT & (MP_SUBREGIONS - 1);
    uint64_t o = va >> f->page_shift & (MP_SUBREGION_PAGES - 1);
    if (__builtin_expect(!heads_first, 1))
        return mp_pte_address(f, f->levels - 1, table, va);
    return table + 8 * (o ? MP_SUBREGIONS + (MP_SUBREGION_PAGES - 1) * r + o - 1 : r);
}

/* Address of the entry that va selects in the table of this number, in any format. */
static inline uint64_t mp_entry_address(const struct mp_page_format *f, bool heads_first, unsigned number,
                                        uint64_t table, uint64_t va)
{
    if (__builtin_expect(heads_first, 0) && number + 1 == f->levels)
        return mp_leaf_address(f, true, table, va);
    return table + (mp_pte_index(f, number, va) << f->entry_shift[number]);
}

/* Takes the memory of an empty table of t->design; all members but root are set. own: the design's values, or
 * NULL for a radix table. -1 with a message: memory is used up. */
int mp_page_table_start(struct mp_page_table *t, const struct mp_design_values *own, struct mp_error *err);
/* A radix table: sets all members and takes the root. -1 as above. */
int mp_page_table_init(struct mp_page_table *t, const struct mp_page_format *format,
                       struct mp_physmem *memory, struct mp_frames *frames, uint32_t tenant,
                       struct mp_error *err);
/*
 * Takes the tables that are missing on the way to va's page of this size; 0: the format's smallest. -1 with a
 * message: memory is used up, the format has no such pages, or the region has pages of another size. A table
 * of pages of another size that has no page any more is replaced, and its frame stays taken; the result is
 * then 1: walk caches must forget the upper levels on the way.
 */
int mp_page_table_reach(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct mp_error *err);
/* Maps the page of va, mapped or not, to the frame at pa, for reading and writing. Reaches it as above, with
 * the same results; after -1 the page is not mapped. */
int mp_page_table_map(struct mp_page_table *t, uint64_t va, uint64_t pa, uint32_t page_shift,
                      struct mp_error *err);
/* Removes the mapping of va's page. *pa receives the address of its frame. Returns the page's size, or 0 if
 * there was none. */
uint32_t mp_page_table_unmap(struct mp_page_table *t, uint64_t va, uint64_t *pa);
/* The physical address of va, as a walk would find it. Returns the size of its page, or 0 if va is not
 * mapped. */
uint32_t mp_page_table_find(const struct mp_page_table *t, uint64_t va, uint64_t *pa);

/* The end of a walk: the entry that maps the page, or the first on the way to it that is not valid. */
struct mp_page_table_end {
    uint64_t at, entry;
    const struct mp_pte_form *form; /* NULL if va is outside the format's addresses; entry is then 0 */
    bool mapped;
};

struct mp_page_table_end mp_page_table_end(const struct mp_page_table *t, uint64_t va);
/* The entry that maps va's page; 0 if there is none. */
uint64_t mp_page_table_entry(const struct mp_page_table *t, uint64_t va);
/* Writes the addresses of what a walk of va reads, the last one that of the entry that decides, to at[]; of a
 * longer walk the first MP_MAX_LEVELS - 1 and the last. Returns their number, at least 1. */
unsigned mp_page_table_walk(const struct mp_page_table *t, uint64_t va, uint64_t at[MP_MAX_LEVELS]);
/* Replaces the entry at which va's walk ends. */
void mp_page_table_change(struct mp_page_table *t, uint64_t va, uint64_t entry);

#ifdef __cplusplus
}
#endif
#endif
