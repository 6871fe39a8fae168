/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree-based neighbourhood prefetcher (Ganguly et al., ISCA 2019; gpgpu-sim_UVMSmart,
 * traverse_and_fill_lp_tree): a binary tree over the 32 aligned 64 KB of the 2 MB. A leaf is valid if a page
 * of it is there or has faulted. In post-order, a node of which more than half and not all leaves are valid
 * becomes valid as a whole, which the nodes above it see.
 */
#include "uvm/prefetch.h"

static uint32_t valid_leaves(const struct mp_uvm_look *b, const struct mp_uvm_mask *also)
{
    uint32_t valid = 0;
    for (uint32_t i = 0; i < MP_UVM_LEAVES; i++) {
        const uint32_t from = i * b->big, to = from + b->big;
        if (mp_uvm_count_in(b->faulted, from, to) || (also && mp_uvm_count_in(also, from, to)))
            valid |= UINT32_C(1) << i;
    }
    return valid;
}

static void pages(const struct mp_uvm_look *b, struct mp_uvm_mask *out)
{
    const uint32_t before = valid_leaves(b, b->there);
    uint32_t valid = before;
    /* By size, which is post-order: a node depends on nothing but the nodes below it. */
    for (uint32_t n = 2; n <= MP_UVM_LEAVES; n *= 2)
        for (uint32_t first = 0; first < MP_UVM_LEAVES; first += n) {
            const uint32_t node = (uint32_t)(((UINT64_C(1) << n) - 1) << first);
            const uint32_t have = (uint32_t)__builtin_popcount(valid & node);
            if (have < n && 2 * have > n)
                valid |= node;
        }
    const uint32_t load = (valid & ~before) | valid_leaves(b, NULL);
    for (uint32_t i = 0; i < MP_UVM_LEAVES; i++)
        if (load >> i & 1)
            mp_uvm_add_all(out, i * b->big, (i + 1) * b->big);
}

const struct mp_uvm_prefetch mp_uvm_prefetch_tbn = {
    .design = {.name = "tbn", .title = "a tree over the 64 KB parts of 2 MB"}, .pages = pages};
