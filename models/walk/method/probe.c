/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of a page table of any design: it reads what the design's steps name, one after the other, and
 * uses no page walk cache. */
#include "walk/method/entry.h"

struct probe_stats {
    uint64_t found, first, further, nowhere;
};

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct probe_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(found, "walks", "that found the page"),
    COUNTER(first, "walks", "that found it with the first read"),
    COUNTER(further, "reads", "after the first one"),
    COUNTER(nowhere, "walks", "that did not find the page"),
};
static const struct mp_metric_table counters = {"walk.probe", sizeof(struct probe_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

struct probe {
    struct mp_table_walk x;
    uint32_t reads;
};

static size_t bytes(const struct mp_walk_params *p)
{
    return p->geometry.walkers * sizeof(struct probe);
}

static struct probe *probe_of(const struct mp_walk *w, const struct mp_walker *k)
{
    return (struct probe *)w->method + (k - w->walker);
}

static struct probe_stats *stats_of(const struct mp_walk *w, const struct mp_walker *k)
{
    return (struct probe_stats *)w->method_stats + k->walk->tenant;
}

static void again(struct mp_walk *w, struct mp_walker *k)
{
    struct probe *p = probe_of(w, k);
    struct mp_table_walk *x = &p->x;
    mp_walk_point_at_root(w, k); /* of an address outside the format's, there is none */
    *p = (struct probe){.x = {.memory = w->p.memory,
                              .format = k->format,
                              .root = k->table,
                              .va = k->walk->va,
                              .asid = k->walk->asid,
                              .heads_first = w->p.heads_first}};
    if (k->table & MP_WALK_NOWHERE)
        return;
    w->p.table->begin(x);
    k->at = x->at;
}

static enum mp_walk_step begin(struct mp_walk *w, struct mp_walker *k)
{
    again(w, k);
    return MP_WALK_READ;
}

static enum mp_walk_step next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    struct probe *p = probe_of(w, k);
    struct mp_table_walk *x = &p->x;
    struct probe_stats *s = stats_of(w, k);
    if (k->table & MP_WALK_NOWHERE)
        return mp_walk_fail(k, k->format->form[0], entry);
    bool more = w->p.table->next(x);
    p->reads++;
    if (x->form && !mp_walk_good(w, k, x->form, x->entry)) {
        k->at = x->entry_at;
        k->level = x->number;
        s->nowhere++;
        return mp_walk_fail(k, x->form, x->entry);
    }
    if (more) {
        s->further++;
        k->at = x->at;
        return MP_WALK_READ;
    }
    s->found++;
    s->first += p->reads == 1;
    mp_walk_page(k, x->form, x->entry);
    return MP_WALK_END;
}

static uint32_t work(const struct mp_walk *w, const struct mp_req *walk)
{
    (void)w, (void)walk;
    return 1; /* the hash is not looked up before the walk: each has one read to do, and maybe more */
}

const struct mp_walk_method mp_walk_probe = {
    .design = {.name = "probe",
               .title = "reads a page table of any design (vm.table), without the page walk cache",
               .counters = &counters},
    .any_table = true,
    .bytes = bytes,
    .begin = begin,
    .next = next,
    .again = again,
    .work = work,
};
