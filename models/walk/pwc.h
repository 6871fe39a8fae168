/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page walk cache: upper-level page table entries, set-associative with LRU. An entry of level l, which
 * points to the table of level l + 1, is stored for one prefix of the virtual address. A lookup finds the
 * deepest one, so that a walk skips all levels above (DWS Sec. II). Leaves are not cached: TLBs do that.
 */
#ifndef MP_WALK_PWC_H
#define MP_WALK_PWC_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/scope.h"
#include "vm/page_table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_pwc {
    const struct mp_page_format *const *format; /* by asid */
    uint32_t sets, ways;                        /* 0 sets: there is no page walk cache */
    uint64_t clock;
    struct mp_pwc_entry {
        uint64_t tag;          /* level, asid and prefix; 0 is vacant */
        uint64_t entry, stamp; /* entry: as it is in memory, all bits */
        uint64_t half;         /* the second half of a dual entry; else 0 */
    } * entry;
};

/* format: of each address space, MP_ASIDS of them, as long as the cache is used. When one changes, the cache
 * must hold nothing of it. */
int mp_pwc_init(struct mp_pwc *c, const struct mp_page_format *const *format, uint32_t entries,
                uint32_t ways);
void mp_pwc_free(struct mp_pwc *c);

/* Returns the level at which the walk starts, and in *entry the entry of the level above, which points to its
 * table. If nothing is cached: 0, and *entry is unchanged. */
unsigned mp_pwc_lookup(struct mp_pwc *c, uint16_t asid, uint64_t va, uint64_t *entry);
/* Returns whether this one level is cached, and makes it the most recently used if it is. */
bool mp_pwc_has(struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va);
/* The same two without a use and without the entry: they change nothing. */
unsigned mp_pwc_peek(const struct mp_pwc *c, uint16_t asid, uint64_t va);
bool mp_pwc_holds(const struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va);
/* Stores the entry that the walk of `va` has read at this level. */
void mp_pwc_fill(struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va, uint64_t entry);
/* The same for an entry of two halves. */
void mp_pwc_fill_halves(struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va, uint64_t entry,
                        uint64_t half);
/* The second half of the entry that is cached for this level; no use of it. */
uint64_t mp_pwc_second_half(const struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va);
/* Forgets the entries of the scope: for one page, those of all levels on the way to it. Returns their number.
 */
uint32_t mp_pwc_invalidate(struct mp_pwc *c, const struct mp_scope *scope);

#ifdef __cplusplus
}
#endif
#endif
