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
#include "uvm/tree.h"

/* The whole big pages of a block; an empty part if there are none. */
static struct mp_uvm_pages big_of(const struct mp_uvm_look *b)
{
    const uint32_t first = (b->first + b->big - 1) / b->big * b->big, end = b->end / b->big * b->big;
    return first < end ? (struct mp_uvm_pages){first, end} : (struct mp_uvm_pages){b->end, b->end};
}

static struct mp_uvm_pages part_of(const struct mp_uvm_look *b, struct mp_uvm_pages big, uint32_t page)
{
    if (page < big.first)
        return (struct mp_uvm_pages){b->first, big.first};
    if (page >= big.end)
        return (struct mp_uvm_pages){big.end, b->end};
    return (struct mp_uvm_pages){page / b->big * b->big, page / b->big * b->big + b->big};
}

struct mp_uvm_pages mp_uvm_tree_part(const struct mp_uvm_look *b, uint32_t page)
{
    return part_of(b, big_of(b), page);
}

static struct mp_uvm_mask marks_of(const struct mp_uvm_look *b, struct mp_uvm_pages big)
{
    struct mp_uvm_mask marked;
    MP_UVM_EACH (i)
        marked.w[i] = b->there->w[i] | b->faulted->w[i];
    struct mp_uvm_pages part;
    for (uint32_t p = mp_uvm_next(b->faulted, 0); p < MP_UVM_PAGES; p = mp_uvm_next(b->faulted, part.end)) {
        part = part_of(b, big, p);
        if (!mp_uvm_any_in(b->thrashing, part.first, part.end))
            mp_uvm_add_all(&marked, part.first, part.end);
    }
    return marked;
}

/* Big pages are nodes: where the block begins in the middle of one, so do the leaves. */
static uint32_t base_of(const struct mp_uvm_look *b, struct mp_uvm_pages big)
{
    return big.first < big.end ? b->first / b->big * b->big : b->first;
}

uint32_t mp_uvm_tree_base(const struct mp_uvm_look *b)
{
    return base_of(b, big_of(b));
}

struct mp_uvm_pages mp_uvm_tree_node(const struct mp_uvm_look *b, uint32_t base, uint32_t page,
                                     const struct mp_uvm_mask *marked, uint32_t marks)
{
    uint32_t size = 1;
    while (size < b->end - base)
        size *= 2;
    for (; size > 1; size /= 2) {
        const uint32_t first = base + (page - base) / size * size;
        const uint32_t end = first + size < b->end ? first + size : b->end;
        const uint32_t least = (end - first) * b->threshold;
        if (100 * marks > least && 100 * mp_uvm_count_in(marked, first, end) > least)
            return (struct mp_uvm_pages){first, end};
    }
    return (struct mp_uvm_pages){page, page + 1};
}

static void pages(const struct mp_uvm_look *b, struct mp_uvm_mask *out)
{
    if (b->in_a_row < b->min_faults)
        return;
    const struct mp_uvm_pages big = big_of(b);
    const struct mp_uvm_mask marked = marks_of(b, big);
    const uint32_t base = base_of(b, big);
    const uint32_t marks = mp_uvm_count(&marked);
    for (uint32_t p = mp_uvm_next(b->faulted, 0), next; p < MP_UVM_PAGES; p = mp_uvm_next(b->faulted, next)) {
        next = p + 1;
        if (mp_uvm_has(b->thrashing, p))
            continue;
        const struct mp_uvm_pages node = mp_uvm_tree_node(b, base, p, &marked, marks);
        mp_uvm_add_all(out, node.first, node.end);
        next = node.end; /* its other pages have no larger node either */
    }
}

const struct mp_uvm_prefetch mp_uvm_prefetch_tree = {
    .design = {.name = "tree", .title = "the driver's tree over the pages of 2 MB"},
    .to_host = true,
    .pages = pages};
