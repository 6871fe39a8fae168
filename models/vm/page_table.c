/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/page_table.h"

int mp_page_table_init(struct mp_page_table *t, const struct mp_page_format *format,
                       struct mp_physmem *memory, struct mp_frames *frames, uint32_t tenant,
                       struct mp_error *err)
{
    *t = (struct mp_page_table){.format = format, .memory = memory, .frames = frames, .tenant = tenant};
    return mp_frames_take_table(frames, tenant, &t->root, err);
}

static int write_entry(struct mp_page_table *t, uint64_t at, uint64_t entry, struct mp_error *err)
{
    return mp_physmem_write64(t->memory, at, entry) ? mp_fail(err, "out of memory") : 0;
}

/* The table of va's leaf. Takes the tables that are missing. */
static int reach_leaf(struct mp_page_table *t, uint64_t va, uint64_t *leaf_table, struct mp_error *err)
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
        if (mp_frames_take_table(t->frames, t->tenant, &table, err) ||
            write_entry(t, at, table | MP_PTE_VALID, err))
            return -1;
    }
    *leaf_table = table;
    return 0;
}

int mp_page_table_reach(struct mp_page_table *t, uint64_t va, struct mp_error *err)
{
    uint64_t table;
    return reach_leaf(t, va, &table, err);
}

int mp_page_table_map(struct mp_page_table *t, uint64_t va, uint64_t pa, struct mp_error *err)
{
    uint64_t table;
    if (reach_leaf(t, va, &table, err))
        return -1;
    return write_entry(t, mp_leaf_address(t->format, t->heads_first, table, va),
                       pa | MP_PTE_VALID | MP_PTE_LEAF, err);
}

#define NOWHERE UINT64_MAX /* outside every memory: it reads as an invalid entry, unlike address 0 */

/* Address of the leaf entry; NOWHERE if an upper level is missing or va has more than 48 bits. */
static uint64_t leaf_address(const struct mp_page_table *t, uint64_t va)
{
    uint64_t table = t->root;
    if (va >> MP_VA_BITS)
        return NOWHERE;
    for (unsigned level = 0; level + 1 < t->format->levels; level++) {
        uint64_t entry = mp_physmem_read64(t->memory, mp_pte_address(t->format, level, table, va));
        if (!(entry & MP_PTE_VALID))
            return NOWHERE;
        table = entry & MP_PTE_ADDRESS;
    }
    return mp_leaf_address(t->format, t->heads_first, table, va);
}

uint64_t mp_page_table_entry(const struct mp_page_table *t, uint64_t va)
{
    return mp_physmem_read64(t->memory, leaf_address(t, va));
}

unsigned mp_page_table_walk(const struct mp_page_table *t, uint64_t va, uint64_t at[MP_MAX_LEVELS])
{
    uint64_t table = t->root, entry;
    unsigned levels = 0;
    do {
        bool leaf = levels + 1 == t->format->levels;
        at[levels] = leaf ? mp_leaf_address(t->format, t->heads_first, table, va)
                          : mp_pte_address(t->format, levels, table, va);
        entry = mp_physmem_read64(t->memory, at[levels]);
        table = entry & MP_PTE_ADDRESS;
    } while (++levels < t->format->levels && entry & MP_PTE_VALID);
    return levels;
}

/* The frame of memory that holds the table exists, so the write cannot fail. */
void mp_page_table_change(struct mp_page_table *t, uint64_t va, uint64_t entry)
{
    mp_physmem_write64(t->memory, leaf_address(t, va), entry);
}

bool mp_page_table_find(const struct mp_page_table *t, uint64_t va, uint64_t *pa)
{
    uint64_t entry = mp_page_table_entry(t, va);
    *pa = (entry & MP_PTE_ADDRESS) | (va & ((1ull << t->format->page_shift) - 1));
    return entry & MP_PTE_VALID;
}

bool mp_page_table_unmap(struct mp_page_table *t, uint64_t va, uint64_t *pa)
{
    uint64_t entry = mp_page_table_entry(t, va);
    *pa = entry & MP_PTE_ADDRESS;
    if (!(entry & MP_PTE_VALID))
        return false;
    mp_page_table_change(t, va, 0);
    return true;
}
