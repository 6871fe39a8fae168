/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of page tables, for walk methods: where they are, whether they are good, and the results of walks.
 */
#ifndef MP_WALK_ENTRY_H
#define MP_WALK_ENTRY_H

#include "walk/walk.h"

/* The form of a good entry: the bits that are fixed, and their values. Its address must be in the memory that
 * walks may use. */
struct mp_walk_form {
    uint64_t bits, value;
    uint64_t known; /* the bits that are not reserved */
    bool leaf;
};

/* extra: bits, reserved otherwise, that this method knows; they may have any value. */
struct mp_walk_form mp_walk_table_form(uint64_t extra);
struct mp_walk_form mp_walk_leaf_form(uint32_t page_shift,
                                      uint64_t extra); /* frames are aligned to the page */

/* The forms of all levels of a format. Contiguity bits may have any value. */
void mp_walk_forms(struct mp_walk_form form[MP_MAX_LEVELS], const struct mp_page_format *f);

static inline bool mp_walk_good(const struct mp_walk *w, const struct mp_walk_form *f, uint64_t entry)
{
    return (entry & f->bits) == f->value && (entry & MP_PTE_ADDRESS) - w->base < w->bytes;
}

static inline uint64_t mp_walk_entry(const struct mp_walk *w, uint64_t address)
{
    return mp_physmem_read64(w->p.memory, address);
}

/* Address of va's leaf in this table of the last level. */
static inline uint64_t mp_walk_leaf_at(const struct mp_walk *w, uint64_t table, uint64_t va)
{
    return mp_leaf_address(w->p.format, w->p.heads_first, table, va);
}

/* The walker's next entry is the one for its address in this table of this level. */
static inline void mp_walk_point(const struct mp_walk *w, struct mp_walker *k, unsigned level, uint64_t table)
{
    k->level = level;
    k->table = table;
    k->at = mp_pte_address(w->p.format, level, table, k->walk->va);
    if (__builtin_expect(w->p.heads_first, 0) && level + 1 == w->p.format->levels)
        k->at = mp_walk_leaf_at(w, table, k->walk->va);
}

static inline void mp_walk_point_at_root(struct mp_walk *w, struct mp_walker *k)
{
    mp_walk_point(w, k, 0, w->root[k->walk->asid]);
}

/* The result of a walk: the physical address, and the pages around it for which the answer holds too. */
static inline void mp_walk_result(struct mp_walker *k, uint64_t pa, struct mp_span span)
{
    k->walk->pa = pa;
    k->walk->span = span;
    k->walk->fault = MP_FAULT_NONE;
}

/* The result when `entry`, a good leaf of the last level, maps the page itself. */
static inline void mp_walk_page(const struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    uint64_t offset = k->walk->va & ((1ull << w->p.format->page_shift) - 1);
    struct mp_span page = {.read_only = entry / MP_PTE_READ_ONLY % 2};
    mp_walk_result(k, (entry & MP_PTE_ADDRESS) | offset, page);
}

/* As mp_walk_method.check, for methods that know pages of 4 KB only. */
int mp_walk_check_4k(const struct mp_walk_params *p, struct mp_error *err);

/* A walk starts: one lookup in the page walk cache, whose longest prefix it skips. The walker points at the
 * first entry to be read, and the step that reads it is returned. *above receives the entry of the level
 * above, if the cache had one. */
enum mp_walk_step mp_walk_enter(struct mp_walk *w, struct mp_walker *k, uint64_t *above);

/* The walker has read a good entry that points to a table: it comes into the page walk cache, and the walker
 * points into the table. */
static inline void mp_walk_descend(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    mp_pwc_fill(&w->pwc, k->walk->asid, k->level, k->walk->va, entry);
    mp_walk_point(w, k, k->level + 1, entry & MP_PTE_ADDRESS);
}

/* The state of methods that only know the form of each level; a walk of theirs begins with mp_walk_enter().
 */
struct mp_walk_by_level {
    struct mp_walk_form form[MP_MAX_LEVELS];
};

size_t mp_walk_by_level_bytes(const struct mp_walk_params *p);
void mp_walk_by_level_init(void *state, const struct mp_walk_params *p);
enum mp_walk_step mp_walk_by_level_begin(struct mp_walk *w, struct mp_walker *k);
/* As mp_walk_method.work, of methods whose walks begin with mp_walk_enter(). */
uint32_t mp_walk_work(const struct mp_walk *w, const struct mp_req *walk);

#define MP_WALK_BY_LEVEL                                                                                     \
    .bytes = mp_walk_by_level_bytes, .init = mp_walk_by_level_init, .begin = mp_walk_by_level_begin,         \
    .again = mp_walk_point_at_root, .work = mp_walk_work

/* The form of the walker's next entry. */
static inline const struct mp_walk_form *mp_walk_form_of(const struct mp_walk *w, const struct mp_walker *k)
{
    return &((const struct mp_walk_by_level *)w->method)->form[k->level];
}

/* The result when the walker has read the page's own leaf, a good one, with the run of CoLT: the contiguous
 * pages around it in its aligned group of 4 whose leaves came in the same line of 128 B. */
void mp_walk_run(const struct mp_walk *w, struct mp_walker *k, uint64_t entry);

/* The walk ends with a fault, since this entry does not have the form. Returns MP_WALK_END. */
enum mp_walk_step mp_walk_fail(struct mp_walker *k, const struct mp_walk_form *f, uint64_t entry);

#endif
