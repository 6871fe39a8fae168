/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of transparent huge pages (MESC Sec. VI-A). A frame of 2 MB that is contiguous and aligned in
 * memory is mapped by a large leaf: the walk ends at level 2, and the page walk cache keeps the levels above
 * only.
 *
 * The tables in memory are the same as for all designs: software keeps the frame's table of small pages, in
 * order to split the frame, and its contiguity bits. So the large leaf is not written to memory. The walk
 * reads the frame's entry, and takes as the large leaf what the kept table has for the first page, without a
 * read.
 */
#include "vm/contiguity.h"
#include "walk/method/entry.h"

struct thp_stats {
    uint64_t page, huge;
};

static const struct mp_metric metrics[] = {
    MP_COUNTER_OF(struct thp_stats, page, "walks", "answered by a leaf of 4 KB or 64 KB"),
    MP_COUNTER_OF(struct thp_stats, huge, "walks", "answered by a leaf of 2 MB"),
};
static const struct mp_metric_table counters = {"walk.thp", sizeof(struct thp_stats), 2, metrics};

/* The large leaf of the frame whose table is at `table`. */
static uint64_t first_leaf(const struct mp_walk *w, const struct mp_walker *k, uint64_t table)
{
    return mp_walk_entry(w, mp_walk_leaf_at(w, k, table, 0));
}

static enum mp_walk_step huge(struct mp_walk *w, struct mp_walker *k, uint64_t leaf)
{
    struct thp_stats *s = (struct thp_stats *)w->method_stats + k->walk->tenant;
    uint64_t offset = k->walk->va & ((1ull << MP_CONTIGUITY_SHIFT) - 1);
    struct mp_span span = {.unit = MP_CONTIGUITY_SHIFT - 12, .read_only = leaf / MP_PTE_READ_ONLY % 2};
    mp_walk_result(k, (leaf & MP_PTE_ADDRESS) + offset, k->format->page_shift, span);
    s->huge++;
    return MP_WALK_END;
}

static enum mp_walk_step next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct mp_pte_form *form = mp_walk_form_of(k, entry);
    if (!mp_walk_good(w, k, form, entry))
        return mp_walk_fail(k, form, entry);
    if (form->page_shift) {
        struct thp_stats *s = (struct thp_stats *)w->method_stats + k->walk->tenant;
        s->page += form->page_shift < MP_CONTIGUITY_SHIFT;
        s->huge += form->page_shift == MP_CONTIGUITY_SHIFT;
        mp_walk_page(k, form, entry);
        return MP_WALK_END;
    }
    if (mp_contiguity_entry(k->format, k->level, entry)) {
        uint64_t leaf = first_leaf(w, k, entry & MP_PTE_ADDRESS);
        if (mp_contiguity_aligned(entry, leaf))
            return huge(w, k, leaf);
    }
    mp_walk_descend(w, k, form, entry);
    return MP_WALK_READ;
}

const struct mp_walk_method mp_walk_thp = {
    .design = {.name = "thp",
               .title = "as on_return; ends above the leaves where a frame of 2 MB is contiguous and aligned",
               .counters = &counters},
    .reach = MP_CONTIGUITY_SHIFT,
    .check = mp_walk_check_4k,
    .next = next,
    MP_WALK_BY_LEVEL,
};
