/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prefetcher of NVIDIA's driver (open-gpu-kernel-modules 595.45.04, uvm_perf_prefetch.c,
 * compute_prefetch_region and grow_fault_granularity).
 *
 * Marked are the pages that are at the destination and those that faulted. Then each part of the block (the
 * pages before its first whole big page, each big page, the pages after them; or the whole block, if it has
 * no whole big page) in which a page faulted and none thrashes is marked. A binary tree has the block's pages
 * as leaves. For each page that faulted and does not thrash, the largest node above it of which more than
 * `threshold` percent is marked is prefetched.
 */
#include "uvm/prefetch.h"

/* The whole big pages of a block: from `first` to before `end`, which are equal if there are none. */
struct big {
    uint32_t first, end;
};

static struct big big_of(const struct mp_uvm_look *b)
{
    const uint32_t first = (b->first + b->big - 1) / b->big * b->big, end = b->end / b->big * b->big;
    return first < end ? (struct big){first, end} : (struct big){b->end, b->end};
}

static void grow_part(const struct mp_uvm_look *b, uint32_t first, uint32_t end, struct mp_uvm_mask *marked)
{
    if (mp_uvm_count_in(b->faulted, first, end) && !mp_uvm_count_in(b->thrashing, first, end))
        mp_uvm_add_all(marked, first, end);
}

static struct mp_uvm_mask marks_of(const struct mp_uvm_look *b, struct big big)
{
    struct mp_uvm_mask marked;
    MP_UVM_EACH (i)
        marked.w[i] = b->there->w[i] | b->faulted->w[i];
    grow_part(b, b->first, big.first, &marked);
    for (uint32_t p = big.first; p < big.end; p += b->big)
        grow_part(b, p, p + b->big, &marked);
    grow_part(b, big.end, b->end, &marked);
    return marked;
}

static void pages(const struct mp_uvm_look *b, struct mp_uvm_mask *out)
{
    if (b->in_a_row < b->min_faults)
        return;
    const struct big big = big_of(b);
    const struct mp_uvm_mask marked = marks_of(b, big);
    /* Big pages are nodes: where the block begins in the middle of one, so do the leaves. */
    const uint32_t base = big.first < big.end ? b->first / b->big * b->big : b->first;
    const uint32_t leaves = b->end - base;
    MP_UVM_EACH_PAGE (p, b->faulted) {
        uint32_t first = p, end = p;
        if (mp_uvm_has(b->thrashing, p))
            continue;
        for (uint32_t size = 1; size < 2 * leaves; size *= 2) {
            const uint32_t from = base + (p - base) / size * size;
            const uint32_t to = from + size < b->end ? from + size : b->end;
            if (100 * mp_uvm_count_in(&marked, from, to) > (to - from) * b->threshold)
                first = from, end = to;
        }
        mp_uvm_add_all(out, first, end);
    }
}

const struct mp_uvm_prefetch mp_uvm_prefetch_tree = {
    .design = {.name = "tree", .title = "the driver's tree over the pages of 2 MB"},
    .to_host = true,
    .pages = pages};
