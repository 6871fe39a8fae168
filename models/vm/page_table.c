/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/page_table.h"

int mp_page_table_init(struct mp_page_table *t, const struct mp_page_format *format,
                       struct mp_physmem *memory, struct mp_frames *frames)
{
    *t = (struct mp_page_table){.format = format, .memory = memory, .frames = frames};
    return mp_frames_take_table(frames, &t->root);
}

int mp_page_table_map(struct mp_page_table *t, uint64_t va, uint64_t pa)
{
    uint64_t table = t->root;
    unsigned leaf = t->format->levels - 1;
    for (unsigned level = 0; level < leaf; level++) {
        uint64_t at = mp_pte_address(t->format, level, table, va);
        uint64_t entry = mp_physmem_read64(t->memory, at);
        if (entry & MP_PTE_VALID) {
            table = entry & MP_PTE_ADDRESS;
            continue;
        }
        if (mp_frames_take_table(t->frames, &table) ||
            mp_physmem_write64(t->memory, at, table | MP_PTE_VALID))
            return -1;
    }
    return mp_physmem_write64(t->memory, mp_pte_address(t->format, leaf, table, va),
                              pa | MP_PTE_VALID | MP_PTE_LEAF);
}

#define NOWHERE UINT64_MAX /* outside every memory, so that it reads as an invalid entry; 0 is an address */

/* Address of the leaf entry, NOWHERE when an upper level is missing. */
static uint64_t leaf_address(const struct mp_page_table *t, uint64_t va)
{
    uint64_t table = t->root;
    for (unsigned level = 0; level + 1 < t->format->levels; level++) {
        uint64_t entry = mp_physmem_read64(t->memory, mp_pte_address(t->format, level, table, va));
        if (!(entry & MP_PTE_VALID))
            return NOWHERE;
        table = entry & MP_PTE_ADDRESS;
    }
    return mp_pte_address(t->format, t->format->levels - 1, table, va);
}

bool mp_page_table_find(const struct mp_page_table *t, uint64_t va, uint64_t *pa)
{
    uint64_t entry = mp_physmem_read64(t->memory, va >> MP_VA_BITS ? NOWHERE : leaf_address(t, va));
    *pa = (entry & MP_PTE_ADDRESS) | (va & ((1ull << t->format->page_shift) - 1));
    return entry & MP_PTE_VALID;
}

bool mp_page_table_unmap(struct mp_page_table *t, uint64_t va, uint64_t *pa)
{
    if (!mp_page_table_find(t, va, pa))
        return false;
    *pa &= ~((1ull << t->format->page_shift) - 1);
    mp_physmem_write64(t->memory, leaf_address(t, va), 0);
    return true;
}
