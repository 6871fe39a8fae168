/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the papers (DWS Sec. II): the page walk cache is looked up once and lets the walk skip the
 * levels of the longest prefix that it holds; every entry that is read comes into it. */
#include "walk/method/entry.h"

struct radix {
    struct mp_walk_form table, leaf;
};

static size_t radix_bytes(const struct mp_walk_params *p)
{
    (void)p;
    return sizeof(struct radix);
}

static void radix_init(void *state, const struct mp_walk_params *p)
{
    struct radix *r = state;
    r->table = mp_walk_table_form(0);
    r->leaf = mp_walk_leaf_form(p->format->page_shift, 0);
}

static enum mp_walk_step radix_begin(struct mp_walk *w, struct mp_walker *k)
{
    const struct mp_req *req = k->walk;
    struct mp_walk_stats *s = &w->stats[req->tenant];
    uint64_t entry = w->root[req->asid];
    if (!w->pwc.sets) {
        mp_walk_point_at_root(w, k);
        return MP_WALK_READ;
    }
    unsigned level = mp_pwc_lookup(&w->pwc, req->asid, req->va, &entry);
    s->pwc_lookups++;
    s->pwc_hits += level > 0;
    mp_walk_point(w, k, level, level ? entry & MP_PTE_ADDRESS : entry);
    k->delay = w->p.pwc_latency;
    return MP_WALK_READ_LATER;
}

static enum mp_walk_step radix_next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct radix *r = w->method;
    bool leaf = k->level + 1 == w->p.format->levels;
    const struct mp_walk_form *form = leaf ? &r->leaf : &r->table;
    if (__builtin_expect(!mp_walk_good(w, form, entry), 0))
        return mp_walk_fail(k, form, entry);
    if (leaf) {
        mp_walk_page(w, k, entry);
        return MP_WALK_END;
    }
    mp_pwc_fill(&w->pwc, k->walk->asid, k->level, k->walk->va, entry);
    mp_walk_point(w, k, k->level + 1, entry & MP_PTE_ADDRESS);
    return MP_WALK_READ;
}

const struct mp_walk_method mp_walk_radix = {
    .design = {.name = "on_return",
               .title =
                   "a walk skips the page walk cache's longest prefix and inserts entries as it reads them"},
    .bytes = radix_bytes,
    .init = radix_init,
    .begin = radix_begin,
    .next = radix_next,
    .again = mp_walk_point_at_root,
};
