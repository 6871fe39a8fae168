/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of page tables, for walk methods: where they are, whether they are good, and the results of walks.
 */
#ifndef MP_WALK_ENTRY_H
#define MP_WALK_ENTRY_H

#include "walk/walk.h"

/* Forms of mempath's entries (vm/page_format.h), for methods that know bits which are reserved in the format.
 * extra: these bits; they may have any value. */
struct mp_pte_form mp_walk_table_form(uint64_t extra);
struct mp_pte_form mp_walk_leaf_form(uint32_t page_shift, uint64_t extra);

/* The form of the entry that the walker has read, by the format of its address space. */
static inline const struct mp_pte_form *mp_walk_form_of(const struct mp_walker *k, uint64_t entry)
{
    return mp_pte_form(k->format, k->level, entry);
}

/* A page of the walk's address space may be at this address, which is not in the memory of all. */
static inline bool mp_walk_reaches(const struct mp_walk *w, const struct mp_walker *k,
                                   const struct mp_pte_form *f, uint64_t address)
{
    const struct mp_walk_reach *r = &w->reach[k->walk->asid];
    return f->page_shift && address - r->base < r->bytes;
}

/* The entry has this form, and its address is in the memory that the walk may use. */
static inline bool mp_walk_good(const struct mp_walk *w, const struct mp_walker *k,
                                const struct mp_pte_form *f, uint64_t entry)
{
    const uint64_t address = mp_pte_target(f, entry);
    return (entry & f->bits) == f->value &&
           (address - w->base < w->bytes || mp_walk_reaches(w, k, f, address));
}

static inline uint64_t mp_walk_entry(const struct mp_walk *w, uint64_t address)
{
    return mp_physmem_read64(w->p.memory, address);
}

/* Address of va's leaf in this table of the last level. */
static inline uint64_t mp_walk_leaf_at(const struct mp_walk *w, const struct mp_walker *k, uint64_t table,
                                       uint64_t va)
{
    return mp_leaf_address(k->format, w->p.heads_first, table, va);
}

/* The walker's next entry is the one for its address in this table of this number. */
static inline void mp_walk_point(const struct mp_walk *w, struct mp_walker *k, unsigned number,
                                 uint64_t table)
{
    k->level = number;
    k->table = table;
    k->at = mp_entry_address(k->format, w->p.heads_first, number, table, k->walk->va);
}

/* Addresses outside the format's have no table. */
static inline void mp_walk_point_at_root(struct mp_walk *w, struct mp_walker *k)
{
    bool outside = k->walk->va >> k->format->va_bits;
    k->other_at = 0;
    mp_walk_point(w, k, 0, __builtin_expect(outside, 0) ? MP_WALK_NOWHERE : w->root[k->walk->asid]);
}

/* Entries of the table of this number have two halves, which come in one read. */
static inline bool mp_walk_dual(const struct mp_page_format *f, unsigned number)
{
    return __builtin_expect(f->entry_shift[number] > 3, 0);
}

/* The result of a walk: the physical address, the size of the page in which it was found, and the pages of
 * that size around it for which the answer holds too. */
static inline void mp_walk_result(struct mp_walker *k, uint64_t pa, uint32_t page_shift, struct mp_span span)
{
    k->walk->pa = pa;
    k->walk->page = (uint8_t)page_shift;
    k->walk->span = span;
    k->walk->fault = MP_FAULT_NONE;
}

/* The result when `entry`, a good leaf of this form, maps the page itself. */
static inline void mp_walk_page(struct mp_walker *k, const struct mp_pte_form *f, uint64_t entry)
{
    uint64_t offset = k->walk->va & ((1ull << f->page_shift) - 1);
    struct mp_span page = {.read_only = mp_pte_read_only(f, entry)};
    mp_walk_result(k, mp_pte_target(f, entry) | offset, f->page_shift, page);
}

/* As mp_walk_method.check, for methods that know pages of 4 KB with contiguity bits. */
int mp_walk_check_4k(const struct mp_walk_params *p, struct mp_error *err);
/* The same, for methods that know no entries of two halves. */
int mp_walk_check_single(const struct mp_walk_params *p, struct mp_error *err);

/* A walk starts: one lookup in the page walk cache, whose longest prefix it skips. The walker points at the
 * first entry to be read, and the step that reads it is returned. *above receives the entry of the level
 * above, if the cache had one. */
enum mp_walk_step mp_walk_enter(struct mp_walk *w, struct mp_walker *k, uint64_t *above);

/* The walker has read an entry with two halves: the second one may count
 * later, and the entry comes into the page walk cache unless both are not valid or
 * the second is bad. */
void mp_walk_keep_halves(struct mp_walk *w, struct mp_walker *k, uint64_t entry);

/* The walker has read a good entry that points to a table: it comes into the page walk cache, and the walker
 * points into the table. */
static inline void mp_walk_descend(struct mp_walk *w, struct mp_walker *k, const struct mp_pte_form *f,
                                   uint64_t entry)
{
    if (mp_walk_dual(k->format, k->level))
        mp_walk_keep_halves(w, k, entry);
    else
        mp_pwc_fill(&w->pwc, k->walk->asid, k->level, k->walk->va, entry);
    mp_walk_point(w, k, f->next, mp_pte_target(f, entry));
}

/* The walker has read an entry that is not good. If it is only not valid, and there is the other half of a
 * dual entry, the walk goes on with that; else it ends with a fault. */
enum mp_walk_step mp_walk_refuse(struct mp_walk *w, struct mp_walker *k, const struct mp_pte_form *f,
                                 uint64_t entry);

/* As mp_walk_method.begin, of methods that need no more than mp_walk_enter(). */
enum mp_walk_step mp_walk_begin(struct mp_walk *w, struct mp_walker *k);
/* As mp_walk_method.work, of methods whose walks begin with mp_walk_enter(). */
uint32_t mp_walk_work(const struct mp_walk *w, const struct mp_req *walk);

#define MP_WALK_BY_LEVEL .begin = mp_walk_begin, .again = mp_walk_point_at_root, .work = mp_walk_work

/* The walker is at a leaf of the smallest pages. */
static inline bool mp_walk_at_small(const struct mp_walker *k)
{
    return k->level + 1 == k->format->levels;
}

/* The result when the walker has read the page's own leaf, a good one, with the run of CoLT: the contiguous
 * pages around it in its aligned group of 4 whose leaves came in the same line of 128 B. */
void mp_walk_run(const struct mp_walk *w, struct mp_walker *k, const struct mp_pte_form *f, uint64_t entry);

/* The walk ends with a fault, since this entry does not have the form. Returns MP_WALK_END. */
enum mp_walk_step mp_walk_fail(struct mp_walker *k, const struct mp_pte_form *f, uint64_t entry);

#endif
