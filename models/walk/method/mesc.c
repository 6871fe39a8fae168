/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of MESC (Sec. IV-B). The contiguity bits of the entry that points to the frame's table select its
 * mode:
 *
 *   large      the frame is contiguous                 reads the leaf of its first page
 *   subregion  only the page's subregion r is          reads the leaf of r's head and answers; then, if the
 * MSC does not have the frame, all other heads, ascending page       neither reads the page's own leaf
 *
 * The walk answers in mode subregion with the subregion, and ends with all subregions that are joined with
 * it. In mode page it answers with CoLT's run, for TLBs that use it (Sec. V-A). If the heads are first in the
 * table (Sec. V-B), one line has all of them: there are no further reads, and no MSC.
 */
#include "vm/contiguity.h"
#include "walk/method/entry.h"
#include "walk/msc.h"

enum { MSC, MSC_WAYS };

static const struct mp_design_param params[] = {
    {".msc", "entries", NULL, 512, 0, 65536, "MESC VI-A",
     "mesc: frames that the memory subregion cache holds; 0: there is none", 0},
    {".msc_ways", "ways", NULL, 8, 1, 64, "mempath", "mesc: ways of the memory subregion cache", 0},
    {0},
};

struct mesc_stats {
    uint64_t page, subregion, large, heads, msc_lookups, msc_hits, msc_insertions;
};

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mesc_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(page, "walks", "in mode page"),
    COUNTER(subregion, "walks", "in mode subregion"),
    COUNTER(large, "walks", "in mode large"),
    COUNTER(heads, "entries", "heads of other subregions read after the answer"),
    COUNTER(msc_lookups, "lookups", "in the memory subregion cache"),
    COUNTER(msc_hits, "lookups", "that found the frame"),
    COUNTER(msc_insertions, "insertions", "into the memory subregion cache"),
};
static const struct mp_metric_table counters = {"walk.mesc", sizeof(struct mesc_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

enum mesc_mode { PAGE, SUBREGION, LARGE };

struct mesc {
    struct mp_msc msc;
    struct mesc_walk {
        enum mesc_mode mode;
        uint32_t contiguous; /* subregions, a bit each */
        uint32_t left;       /* those whose heads are to be read after the answer */
        uint32_t reading;    /* the one whose head is read then */
        bool answered;
        uint64_t head[MP_SUBREGIONS]; /* the entries that were read */
    } walk[];                         /* by walker; then the MSC's entries */
};

static size_t walks_bytes(const struct mp_walk_params *p)
{
    return sizeof(struct mesc) + p->geometry.walkers * sizeof(struct mesc_walk);
}

static size_t bytes(const struct mp_walk_params *p)
{
    return walks_bytes(p) + p->values.v[MSC] * sizeof(struct mp_msc_entry);
}

static void init(void *state, const struct mp_walk_params *p)
{
    struct mesc *m = state;
    mp_msc_init(&m->msc, (struct mp_msc_entry *)(void *)((char *)state + walks_bytes(p)),
                p->heads_first ? 0 : (uint32_t)p->values.v[MSC], (uint32_t)p->values.v[MSC_WAYS]);
}

static int check(const struct mp_walk_params *p, struct mp_error *err)
{
    uint64_t entries = p->values.v[MSC], ways = p->values.v[MSC_WAYS], sets = entries / ways;
    if (entries % ways || (sets & (sets - 1)))
        return mp_fail(
            err, "msc: %llu entries in %llu ways are not a power of two of sets; a multiple of the ways",
            (unsigned long long)entries, (unsigned long long)ways);
    return mp_walk_check_4k(p, err);
}

static struct mesc_walk *walk_of(const struct mp_walk *w, const struct mp_walker *k)
{
    return &((struct mesc *)w->method)->walk[k - w->walker];
}

static struct mesc_stats *stats_of(const struct mp_walk *w, const struct mp_walker *k)
{
    return (struct mesc_stats *)w->method_stats + k->walk->tenant;
}

static uint32_t subregion_of(uint64_t va)
{
    return va >> MP_SUBREGION_SHIFT & (MP_SUBREGIONS - 1);
}

/* Address of a subregion's head in the walker's table. */
static uint64_t head_at(const struct mp_walk *w, const struct mp_walker *k, uint32_t r)
{
    return mp_walk_leaf_at(w, k, k->table, (uint64_t)r << MP_SUBREGION_SHIFT);
}

/* Chooses the mode and the leaf, by the entry that points to the frame's table. */
static void aim(struct mp_walk *w, struct mp_walker *k, uint64_t above)
{
    struct mesc_walk *x = walk_of(w, k);
    uint32_t r = subregion_of(k->walk->va);
    mp_walk_point(w, k, MP_CONTIGUITY_LEVEL + 1, above & MP_PTE_ADDRESS);
    x->contiguous = (above & MP_PTE_CONTIGUOUS) >> MP_PTE_CONTIGUOUS_SHIFT;
    x->answered = false;
    x->mode = above & MP_PTE_CONTIGUOUS_FRAME ? LARGE : x->contiguous >> r & 1 ? SUBREGION : PAGE;
    if (x->mode == LARGE)
        k->at = head_at(w, k, 0);
    else if (x->mode == SUBREGION)
        k->at = head_at(w, k, r);
}

static enum mp_walk_step begin(struct mp_walk *w, struct mp_walker *k)
{
    uint64_t above;
    enum mp_walk_step step = mp_walk_enter(w, k, &above);
    if (k->level == MP_CONTIGUITY_LEVEL + 1)
        aim(w, k, above);
    return step;
}

/* --- mode subregion ------------------------------------------------------------------------------------- */

/* The map that the MSC stores for a frame: bit i is set if subregion i + 1 continues subregion i. Needs the
 * heads of all contiguous subregions. */
static uint8_t map_of(const struct mesc_walk *x)
{
    uint32_t map = 0;
    for (uint32_t i = 0; i + 1 < MP_SUBREGIONS; i++)
        if ((x->contiguous >> i & 3) == 3 &&
            x->head[i + 1] == mp_pte_continued(x->head[i], MP_SUBREGION_PAGES))
            map |= 1u << i;
    return (uint8_t)map;
}

/* The result, with the subregions that the map joins with the page's. */
static void join(struct mp_walker *k, const struct mesc_walk *x, uint32_t map)
{
    uint64_t va = k->walk->va, offset = va & ((1ull << MP_SUBREGION_SHIFT) - 1);
    uint32_t r = subregion_of(va), first = r, last = r;
    while (first && map >> (first - 1) & 1)
        first--;
    while (map >> last & 1)
        last++;
    struct mp_span span = {.unit = MP_SUBREGION_SHIFT - 12,
                           .before = (r - first) & 7,
                           .after = (last - r) & 7,
                           .read_only = x->head[r] / MP_PTE_READ_ONLY % 2};
    mp_walk_result(k, (x->head[r] & MP_PTE_ADDRESS) + offset, k->format->page_shift, span);
}

static void read_next_head(const struct mp_walk *w, struct mp_walker *k, struct mesc_walk *x)
{
    x->reading = (uint32_t)__builtin_ctz(x->left);
    x->left &= x->left - 1;
    k->at = head_at(w, k, x->reading);
}

/* All heads are known. */
static enum mp_walk_step conclude(struct mp_walk *w, struct mp_walker *k, struct mesc_walk *x)
{
    struct mesc *m = w->method;
    uint8_t map = map_of(x);
    if (m->msc.sets) {
        mp_msc_insert(&m->msc, k->walk->asid, k->walk->va, map);
        stats_of(w, k)->msc_insertions++;
    }
    join(k, x, map);
    return MP_WALK_END;
}

static bool look_up(struct mp_walk *w, const struct mp_walker *k, uint8_t *map)
{
    struct mesc *m = w->method;
    if (!m->msc.sets)
        return false;
    bool hit = mp_msc_lookup(&m->msc, k->walk->asid, k->walk->va, map);
    stats_of(w, k)->msc_lookups++;
    stats_of(w, k)->msc_hits += hit;
    return hit;
}

/* The head of the page's subregion has come. */
static enum mp_walk_step own_head(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    struct mesc_walk *x = walk_of(w, k);
    uint32_t r = subregion_of(k->walk->va);
    uint8_t map;
    x->head[r] = entry;
    if (look_up(w, k, &map)) {
        join(k, x, map);
        return MP_WALK_END;
    }
    x->left = x->contiguous & ~(1u << r);
    for (; w->p.heads_first && x->left; x->left &= x->left - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(x->left);
        x->head[other] = mp_walk_entry(w, head_at(w, k, other)); /* it came in the same line */
    }
    if (!x->left)
        return conclude(w, k, x);
    join(k, x, 0);
    x->answered = true;
    read_next_head(w, k, x);
    return MP_WALK_ANSWER_AND_READ;
}

/* The head of another subregion has come, after the answer. */
static enum mp_walk_step other_head(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    struct mesc_walk *x = walk_of(w, k);
    stats_of(w, k)->heads++;
    x->head[x->reading] = entry;
    if (!mp_walk_good(w, k, mp_walk_form_of(k, entry), entry)) {
        k->walk->span = (struct mp_span){.read_only = k->walk->span.read_only};
        return MP_WALK_END;
    }
    if (!x->left)
        return conclude(w, k, x);
    read_next_head(w, k, x);
    return MP_WALK_READ;
}

/* --- leaves --------------------------------------------------------------------------------------------- */

static enum mp_walk_step whole_frame(struct mp_walker *k, uint64_t first)
{
    uint64_t va = k->walk->va, offset = va & ((1ull << MP_CONTIGUITY_SHIFT) - 1);
    struct mp_span span = {.unit = MP_SUBREGION_SHIFT - 12,
                           .before = subregion_of(va) & 7,
                           .after = (MP_SUBREGIONS - 1 - subregion_of(va)) & 7,
                           .read_only = first / MP_PTE_READ_ONLY % 2};
    mp_walk_result(k, (first & MP_PTE_ADDRESS) + offset, k->format->page_shift, span);
    return MP_WALK_END;
}

/* The leaf that answers the walk has come. */
static enum mp_walk_step leaf(struct mp_walk *w, struct mp_walker *k, const struct mp_pte_form *form,
                              uint64_t entry)
{
    switch (walk_of(w, k)->mode) {
    case LARGE:
        stats_of(w, k)->large++;
        return whole_frame(k, entry);
    case SUBREGION:
        stats_of(w, k)->subregion++;
        return own_head(w, k, entry);
    default:
        stats_of(w, k)->page++;
        mp_walk_run(w, k, form, entry);
        return MP_WALK_END;
    }
}

/* A page of another size, which has no contiguity bits. */
static enum mp_walk_step other_size(struct mp_walk *w, struct mp_walker *k, const struct mp_pte_form *form,
                                    uint64_t entry)
{
    stats_of(w, k)->page++;
    mp_walk_page(k, form, entry);
    return MP_WALK_END;
}

static enum mp_walk_step next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct mp_pte_form *form = mp_walk_form_of(k, entry);
    bool small = mp_walk_at_small(k), of_frame = mp_contiguity_entry(k->format, k->level, entry);
    if (small && walk_of(w, k)->answered)
        return other_head(w, k, entry);
    if (!mp_walk_good(w, k, form, entry))
        return mp_walk_fail(k, form, entry);
    if (form->page_shift)
        return small ? leaf(w, k, form, entry) : other_size(w, k, form, entry);
    mp_walk_descend(w, k, form, entry);
    if (of_frame)
        aim(w, k, entry);
    return MP_WALK_READ;
}

static uint32_t invalidate(struct mp_walk *w, const struct mp_scope *scope)
{
    struct mesc *m = w->method;
    return mp_msc_invalidate(&m->msc, scope);
}

const struct mp_walk_method mp_walk_mesc = {
    .design = {.name = "mesc",
               .title =
                   "modes page, subregion and large by the contiguity bits; reads heads after its answer",
               .params = params,
               .counters = &counters},
    .reach = MP_CONTIGUITY_SHIFT,
    .check = check,
    .bytes = bytes,
    .init = init,
    .begin = begin,
    .work = mp_walk_work,
    .next = next,
    .again = mp_walk_point_at_root,
    .invalidate = invalidate,
};
