/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 64 KB: of the block whose last touch is the longest ago, the unit whose last touch is. Until it is emptied,
 * a loaded unit's `own` is the number of its last touch.
 */
#include "uvm/evict/lru64k.h"

uint32_t mp_uvm_lru64k_units(const struct mp_uvm_pool *p, uint32_t block)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < p->per_block; i++)
        units |= (uint32_t)(p->unit[block * p->per_block + i].own != 0) << i;
    return units;
}

static void touch(struct mp_uvm_pool *p, uint32_t unit, uint64_t number)
{
    const uint32_t block = mp_uvm_block_of(p, unit);
    p->unit[unit].own = number;
    mp_uvm_heap_put(p->own, p->block[block].asid, block, number, 0);
}

void mp_uvm_lru64k_loaded(struct mp_uvm_pool *p, uint32_t unit)
{
    touch(p, unit, p->unit[unit].order);
}

void mp_uvm_lru64k_touched(struct mp_uvm_pool *p, uint32_t unit, bool access)
{
    (void)access;
    touch(p, unit, p->touch);
}

void mp_uvm_lru64k_emptied(struct mp_uvm_pool *p, uint32_t unit)
{
    const uint32_t block = mp_uvm_block_of(p, unit), space = p->block[block].asid;
    uint64_t last = 0;
    p->unit[unit].own = 0;
    for (uint32_t i = block * p->per_block; i < (block + 1) * p->per_block; i++)
        last = p->unit[i].own > last ? p->unit[i].own : last;
    if (last)
        mp_uvm_heap_put(p->own, space, block, last, 0);
    else
        mp_uvm_heap_remove(p->own, space, block);
}

uint32_t mp_uvm_lru64k_victim(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted)
{
    const uint32_t first = mp_uvm_heap_first(p->own, wanted) * p->per_block;
    uint32_t victim = MP_UVM_NONE;
    for (uint32_t i = first; i < first + p->per_block; i++)
        if (p->unit[i].own && (victim == MP_UVM_NONE || p->unit[i].own < p->unit[victim].own))
            victim = i;
    return victim;
}

static uint32_t victims(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted,
                        uint32_t victim[MP_UVM_VICTIMS])
{
    victim[0] = mp_uvm_lru64k_victim(p, wanted);
    return 1;
}

const struct mp_uvm_evict mp_uvm_evict_lru64k = {
    .design = {.name = "lru64k", .title = "64 KB, of the 2 MB touched the longest ago"},
    .unit = MP_UVM_BIG_BYTES,
    .bytes = mp_uvm_heap_bytes,
    .init = mp_uvm_heap_init,
    .loaded = mp_uvm_lru64k_loaded,
    .touched = mp_uvm_lru64k_touched,
    .emptied = mp_uvm_lru64k_emptied,
    .victims = victims,
};
