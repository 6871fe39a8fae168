/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Designs of page tables: how a table in simulated memory is organised, for the driver that changes it and
 * for walkers that read it. A design is one file here and one word in the list of ../CMakeLists.txt; it is
 * then a value of vm.table.
 *
 * Walkers read a table step by step, with the words that begin() and next() name. Walk methods that know
 * trees (`tree`) may read them otherwise.
 */
#ifndef MP_VM_TABLES_DESIGN_H
#define MP_VM_TABLES_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/design.h"
#include "vm/page_format.h"
#include "vm/physmem.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_page_table;

/* A walk. The caller fills in the members up to heads_first. */
struct mp_table_walk {
    const struct mp_physmem *memory;
    const struct mp_page_format *format;
    uint64_t root, va;
    uint16_t asid;
    bool heads_first;
    uint64_t at; /* address of what is read next */
    /* After next(): the entry that was found, where it is, and its form; NULL if there was none in what was
     * read. The one at the end of the walk maps the page if it is valid. */
    uint64_t entry, entry_at;
    const struct mp_pte_form *form;
    uint32_t number; /* of its table in the format, of which faults have the level */
    /* The design's own, which begin() sets. */
    uint32_t step;
    uint64_t other, other_at;
};

struct mp_page_table_design {
    struct mp_design design;
    /* A tree of tables from the root on, as the format describes it: every walk method and firmware know it,
     * and it may have pages of several sizes and leaves in another order. */
    bool tree;
    /* Checks that there can be tables of this format with pages of this size. -1 and in err "NAME: ..." with
     * what is allowed, NAME a parameter of `vm` or one of the design's. NULL if there always can. */
    int (*check)(const struct mp_page_format *format, uint32_t page_shift, const struct mp_design_values *own,
                 struct mp_error *err);
    /* Takes the memory of an empty table, and sets t->root; the other members are set. -1 with a message:
     * memory is used up. */
    int (*init)(struct mp_page_table *t, const struct mp_design_values *own, struct mp_error *err);
    /* As mp_page_table_reach() and mp_page_table_map(), with a size that the format has. */
    int (*reach)(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct mp_error *err);
    int (*map)(struct mp_page_table *t, uint64_t va, uint64_t pa, uint32_t page_shift, struct mp_error *err);
    /* Writes an entry at the place where va's walk ends. `entry` has the format's form, or is 0. */
    void (*change)(struct mp_page_table *t, uint64_t va, uint64_t at, uint64_t entry);
    /* A walk begins: sets `at`. */
    void (*begin)(struct mp_table_walk *x);
    /* What is at `at` has come, as it is in memory now. Returns true if something else is to be read: `at` is
     * set. */
    bool (*next)(struct mp_table_walk *x);
};

#define MP_PAGE_TABLE_DESIGN_NEEDS(EACH, WITH)                                                               \
    EACH(init), EACH(reach), EACH(map), EACH(change), EACH(begin), EACH(next)

extern const struct mp_page_table_design mp_page_table_radix, mp_page_table_hashed;

extern const struct mp_page_table_design
    *mp_page_table_designs[]; /* NULL-terminated; the first is the default */
extern const struct mp_design *mp_page_table_design_designs[];
const struct mp_page_table_design *mp_page_table_design_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
