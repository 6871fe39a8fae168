/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page walk cache: upper-level page table entries, set-associative with LRU. An entry for level l says where
 * the table of level l + 1 stands for one prefix of the virtual address; a lookup finds the deepest one, so a
 * walk skips all levels above (DWS Sec. II). Leaves are not cached: that is the TLBs' work.
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
    const struct mp_page_format *format;
    uint32_t sets, ways; /* 0 sets: there is no page walk cache */
    uint64_t clock;
    struct mp_pwc_entry {
        uint64_t tag; /* level, asid and prefix; 0 is vacant */
        uint64_t table, stamp;
    } * entry;
};

int mp_pwc_init(struct mp_pwc *c, const struct mp_page_format *format, uint32_t entries, uint32_t ways);
void mp_pwc_free(struct mp_pwc *c);

/* The level at which the walk starts: 0 and an unchanged *table when nothing is cached. */
unsigned mp_pwc_lookup(struct mp_pwc *c, uint16_t asid, uint64_t va, uint64_t *table);
/* Whether this one level is cached; it counts as used then. */
bool mp_pwc_has(struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va);
/* The entry that was read at `level` points to `table`. */
void mp_pwc_fill(struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va, uint64_t table);
/* Forgets what belongs to the scope; of one page that are the entries of all levels on its way. Returns how
 * many entries that were. */
uint32_t mp_pwc_invalidate(struct mp_pwc *c, const struct mp_scope *scope);

#ifdef __cplusplus
}
#endif
#endif
