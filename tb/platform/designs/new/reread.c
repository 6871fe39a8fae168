/* SPDX-License-Identifier: Apache-2.0 */
/* A walk method for the tests of this folder: reads each level of the page tables, without a page walk cache,
 * and the page's own entry `times` times. */
#include "walk/method/entry.h"

#define MOST_CYCLES 500u

static const struct mp_design_param params[] = {
    {"times", "reads", NULL, 2, 1, 8, "test", "of the page's own entry", 0}, {0}};

struct counters {
    uint64_t again;
};

static const struct mp_metric metrics[] = {
    MP_COUNTER_OF(struct counters, again, "entries", "read although they had been read before")};

static const struct mp_metric_table table = {"reread", sizeof(struct counters), 1, metrics};

struct reread {
    struct mp_pte_form table, leaf;
    uint64_t times;
    uint64_t done[]; /* by walker: reads of the page's own entry */
};

static int check(const struct mp_walk_params *p, struct mp_error *err)
{
    uint64_t cycles = p->values.v[0] * p->level_latency;
    if (cycles <= MOST_CYCLES)
        return 0;
    return mp_fail(err, "times: %u reads take %u cycles; %u at most", (unsigned)p->values.v[0],
                   (unsigned)cycles, MOST_CYCLES);
}

static size_t bytes(const struct mp_walk_params *p)
{
    return sizeof(struct reread) + p->geometry.walkers * sizeof(uint64_t);
}

static void init(void *state, const struct mp_walk_params *p)
{
    struct reread *r = state;
    r->table = mp_walk_table_form(0);
    r->leaf = mp_walk_leaf_form(p->format->page_shift, 0);
    r->times = p->values.v[0];
}

static void again(struct mp_walk *w, struct mp_walker *k)
{
    ((struct reread *)w->method)->done[k - w->walker] = 0;
    mp_walk_point_at_root(w, k);
}

static enum mp_walk_step begin(struct mp_walk *w, struct mp_walker *k)
{
    again(w, k);
    return MP_WALK_READ;
}

static enum mp_walk_step next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    struct reread *r = w->method;
    struct counters *count = w->method_stats;
    bool leaf = k->level + 1 == w->p.format->levels;
    const struct mp_pte_form *form = leaf ? &r->leaf : &r->table;
    if (!mp_walk_good(w, k, form, entry))
        return mp_walk_fail(k, form, entry);
    if (!leaf) {
        mp_walk_point(w, k, k->level + 1, entry & MP_PTE_ADDRESS);
        return MP_WALK_READ;
    }
    if (++r->done[k - w->walker] < r->times) {
        count[k->walk->tenant].again++;
        return MP_WALK_READ;
    }
    mp_walk_page(k, form, entry);
    return MP_WALK_END;
}

const struct mp_walk_method mp_walk_reread = {
    .design = {.name = "reread",
               .title = "the page's own entry is read several times",
               .params = params,
               .counters = &table},
    .check = check,
    .bytes = bytes,
    .init = init,
    .begin = begin,
    .next = next,
    .again = again,
};
