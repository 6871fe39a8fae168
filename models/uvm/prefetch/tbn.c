/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree-based neighbourhood prefetcher (Ganguly et al., ISCA 2019; gpgpu-sim_UVMSmart,
 * traverse_and_fill_lp_tree): a binary tree over the 32 aligned 64 KB of the 2 MB. A leaf is valid if a page
 * of it is there or has faulted. In post-order, a node of which more than half and not all leaves are valid
 * becomes valid as a whole, which the nodes above it see.
 */
#include "uvm/prefetch.h"

static void pages(const struct mp_uvm_look *b, struct mp_uvm_mask *out)
{
    const uint32_t faulted = mp_uvm_bigs(b->faulted, b->big);
    const uint32_t before = faulted | mp_uvm_bigs(b->there, b->big);
    uint32_t valid = before;
    uint8_t have[MP_UVM_LEAVES]; /* valid leaves of each node of a size */
    for (uint32_t i = 0; i < MP_UVM_LEAVES; i++)
        have[i] = before >> i & 1;
    /* By size, which is post-order: a node depends on nothing but the nodes below it. */
    for (uint32_t n = 2; n <= MP_UVM_LEAVES; n *= 2)
        for (uint32_t i = 0; i < MP_UVM_LEAVES / n; i++) {
            have[i] = (uint8_t)(have[2 * i] + have[2 * i + 1]);
            if (have[i] == n || 2 * have[i] <= n)
                continue;
            have[i] = (uint8_t)n;
            valid |= (uint32_t)(((UINT64_C(1) << n) - 1) << i * n);
        }
    mp_uvm_add_bigs(out, (valid & ~before) | faulted, b->big);
}

const struct mp_uvm_prefetch mp_uvm_prefetch_tbn = {
    .design = {.name = "tbn", .title = "a tree over the 64 KB parts of 2 MB"}, .pages = pages};
