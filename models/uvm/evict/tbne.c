/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tree-based neighbourhood eviction (Ganguly et al., ISCA 2019; gpgpu-sim_UVMSmart,
 * traverse_and_remove_lp_tree): the victim of lru64k; then, in post-order over the block's 32 leaves, a node
 * that has fewer than half of its leaves left loses them all.
 */
#include "uvm/evict/lru64k.h"

static uint32_t victims(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted,
                        uint32_t victim[MP_UVM_VICTIMS])
{
    const uint32_t first = mp_uvm_lru64k_victim(p, wanted), block = mp_uvm_block_of(p, first);
    const uint32_t before = mp_uvm_lru64k_units(p, block) & ~(UINT32_C(1) << first % p->per_block);
    uint32_t left = before, n = 0;
    for (uint32_t size = 2; size <= MP_UVM_LEAVES; size *= 2) /* by size, which is post-order */
        for (uint32_t at = 0; at < MP_UVM_LEAVES; at += size) {
            const uint32_t node = (uint32_t)(((UINT64_C(1) << size) - 1) << at);
            if (2 * (uint32_t)__builtin_popcount(left & node) < size)
                left &= ~node;
        }
    victim[n++] = first;
    for (uint32_t i = 0; i < p->per_block; i++)
        if ((before & ~left) >> i & 1)
            victim[n++] = block * p->per_block + i;
    return n;
}

const struct mp_uvm_evict mp_uvm_evict_tbne = {
    .design = {.name = "tbne", .title = "lru64k, and parts of the 2 MB of which less than half is left"},
    .unit = MP_UVM_BIG_BYTES,
    .bytes = mp_uvm_heap_bytes,
    .init = mp_uvm_heap_init,
    .loaded = mp_uvm_lru64k_loaded,
    .touched = mp_uvm_lru64k_touched,
    .emptied = mp_uvm_lru64k_emptied,
    .victims = victims,
};
