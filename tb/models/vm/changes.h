/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of mapped pages, as firmware makes them by writing entries. */
#ifndef MP_TB_VM_CHANGES_H
#define MP_TB_VM_CHANGES_H

#include "vm/space.h"

/* Maps a page to another frame, with its old permission. *old receives the frame that it had. Returns false
 * if the page is not mapped. */
static inline bool remap(struct mp_space *s, uint64_t va, uint64_t pa, uint64_t *old)
{
    uint64_t entry = mp_page_table_entry(&s->table, va);
    *old = entry & MP_PTE_ADDRESS;
    return mp_space_change(s, va, (entry & ~MP_PTE_ADDRESS) | pa);
}

/* Sets the permission of mapped pages of 4 KB. */
static inline void protect(struct mp_space *s, uint64_t va, uint64_t pages, bool read_only)
{
    for (uint64_t end = va + (pages << 12); va < end; va += 1u << 12) {
        uint64_t entry = mp_page_table_entry(&s->table, va);
        mp_space_change(s, va, (entry & ~MP_PTE_READ_ONLY) | (read_only ? MP_PTE_READ_ONLY : 0));
    }
}

#endif
