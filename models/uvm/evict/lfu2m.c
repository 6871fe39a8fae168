/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block of 2 MB with the fewest accesses since it was loaded; of several, one without a dirty page; of
 * several, the one whose last touch is the longest ago (gpgpu-sim_UVMSmart).
 */
#include "uvm/heap.h"

static struct mp_uvm_heap *heap_of(const struct mp_uvm_pool *p)
{
    return p->own;
}

static void place(struct mp_uvm_pool *p, uint32_t unit)
{
    const struct mp_uvm_block *b = &p->block[unit]; /* of which it is the only unit */
    mp_uvm_heap_put(heap_of(p), b->asid, unit, 2 * p->unit[unit].own + mp_uvm_any(&b->dirty),
                    p->unit[unit].order);
}

static void loaded(struct mp_uvm_pool *p, uint32_t unit)
{
    p->unit[unit].own = 0;
    place(p, unit);
}

static void touched(struct mp_uvm_pool *p, uint32_t unit, bool access)
{
    p->unit[unit].own += access;
    p->unit[unit].order = p->touch;
    place(p, unit);
}

static void emptied(struct mp_uvm_pool *p, uint32_t unit)
{
    mp_uvm_heap_remove(heap_of(p), p->block[unit].asid, unit);
}

static uint32_t victims(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted,
                        uint32_t victim[MP_UVM_VICTIMS])
{
    victim[0] = mp_uvm_heap_first(heap_of(p), wanted);
    return 1;
}

const struct mp_uvm_evict mp_uvm_evict_lfu2m = {
    .design = {.name = "lfu2m", .title = "2 MB, accessed the least"},
    .unit = MP_UVM_BLOCK_BYTES,
    .bytes = mp_uvm_heap_bytes,
    .init = mp_uvm_heap_init,
    .loaded = loaded,
    .touched = touched,
    .dirtied = place,
    .emptied = emptied,
    .victims = victims,
};
