/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/method/entry.h"

struct mp_walk_form mp_walk_table_form(uint64_t extra)
{
    return (struct mp_walk_form){.bits = ~MP_PTE_ADDRESS & ~extra,
                                 .value = MP_PTE_VALID,
                                 .known = MP_PTE_ADDRESS | MP_PTE_VALID | MP_PTE_LEAF | extra};
}

struct mp_walk_form mp_walk_leaf_form(uint32_t page_shift, uint64_t extra)
{
    uint64_t offset = (1ull << page_shift) - 1;
    return (struct mp_walk_form){
        .bits = (~MP_PTE_ADDRESS & ~MP_PTE_READ_ONLY & ~extra) | (offset & MP_PTE_ADDRESS),
        .value = MP_PTE_VALID | MP_PTE_LEAF,
        .known = MP_PTE_ADDRESS | MP_PTE_VALID | MP_PTE_LEAF | MP_PTE_READ_ONLY | extra,
        .leaf = true};
}

/* The first thing that is wrong with an entry. */
static enum mp_fault flaw(const struct mp_walker *k, const struct mp_walk_form *f, uint64_t entry)
{
    if (k->table & MP_WALK_NOWHERE)
        return MP_FAULT_ROOT;
    if (!(entry & MP_PTE_VALID))
        return MP_FAULT_NOT_VALID;
    if (entry & ~f->known)
        return MP_FAULT_RESERVED;
    if (!(entry & MP_PTE_LEAF) == f->leaf)
        return f->leaf ? MP_FAULT_TABLE : MP_FAULT_LEAF;
    return entry & f->bits & MP_PTE_ADDRESS ? MP_FAULT_MISALIGNED : MP_FAULT_OUTSIDE;
}

enum mp_walk_step mp_walk_fail(struct mp_walker *k, const struct mp_walk_form *f, uint64_t entry)
{
    enum mp_fault cause = flaw(k, f, entry);

    k->walk->pa = cause == MP_FAULT_ROOT ? 0 : k->at;
    k->walk->fault = (uint8_t)(cause | k->level << MP_FAULT_LEVEL_SHIFT);
    k->walk->span = (struct mp_span){0};
    return MP_WALK_END;
}
