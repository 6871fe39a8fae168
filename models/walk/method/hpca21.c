/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of the simulator that the authors of DWS published. When a walk starts, each upper level is looked
 * up in the page walk cache, and filled at once where it is missing. A level that hits is there more than
 * pwc_latency cycles after the start; the other levels are read, without waiting for the lookup.
 */
#include "walk/method/entry.h"

struct hpca21 {
    struct mp_walk_form form[MP_MAX_LEVELS];
    uint32_t cached[]; /* by walker: a bit per level that the page walk cache held */
};

static size_t hpca21_bytes(const struct mp_walk_params *p)
{
    return sizeof(struct hpca21) + p->geometry.walkers * sizeof(uint32_t);
}

static void hpca21_init(void *state, const struct mp_walk_params *p)
{
    struct hpca21 *h = state;
    mp_walk_forms(h->form, p->format);
}

static uint32_t *cached_of(const struct mp_walk *w, const struct mp_walker *k)
{
    return &((struct hpca21 *)w->method)->cached[k - w->walker];
}

/* Looks up all upper levels and fills in what is missing, before anything is read. */
static uint32_t look_ahead(struct mp_walk *w, const struct mp_walker *k)
{
    const struct hpca21 *h = w->method;
    const struct mp_req *req = k->walk;
    struct mp_walk_stats *s = k->stats;
    uint64_t table = w->root[req->asid];
    uint32_t cached = 0;
    for (unsigned level = 0; level + 1 < w->p.format->levels; level++) {
        uint64_t entry = mp_walk_entry(w, mp_pte_address(w->p.format, level, table, req->va));
        if (!mp_walk_good(w, &h->form[level], entry))
            break;
        table = entry & MP_PTE_ADDRESS;
        s->pwc_lookups++;
        if (mp_pwc_has(&w->pwc, req->asid, level, req->va)) {
            s->pwc_hits++;
            cached |= 1u << level;
        } else {
            mp_pwc_fill(&w->pwc, req->asid, level, req->va, entry);
        }
    }
    return cached;
}

/* The step for the entry at `at`: it is read, or comes from the page walk cache, for which the walk may have
 * to wait. */
static enum mp_walk_step step(const struct mp_walk *w, struct mp_walker *k)
{
    if (!(*cached_of(w, k) >> k->level & 1))
        return MP_WALK_READ;
    uint64_t ready = k->started + w->p.pwc_latency + 1;
    k->delay = ready > w->wheel->now ? (uint32_t)(ready - w->wheel->now) : 0;
    return MP_WALK_WAIT;
}

static enum mp_walk_step hpca21_begin(struct mp_walk *w, struct mp_walker *k)
{
    *cached_of(w, k) = w->pwc.sets ? look_ahead(w, k) : 0;
    mp_walk_point_at_root(w, k);
    return step(w, k);
}

static enum mp_walk_step hpca21_next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct hpca21 *h = w->method;
    const struct mp_walk_form *form = &h->form[k->level];
    if (__builtin_expect(!mp_walk_good(w, form, entry), 0))
        return mp_walk_fail(k, form, entry);
    if (form->leaf) {
        mp_walk_page(w, k, entry);
        return MP_WALK_END;
    }
    mp_walk_point(w, k, k->level + 1, entry & MP_PTE_ADDRESS);
    return step(w, k);
}

static void hpca21_again(struct mp_walk *w, struct mp_walker *k)
{
    *cached_of(w, k) = 0;
    mp_walk_point_at_root(w, k);
}

static uint32_t hpca21_work(const struct mp_walk *w, const struct mp_req *walk)
{
    uint32_t work = w->p.format->levels;
    for (unsigned level = 0; level + 1 < w->p.format->levels; level++)
        work -= mp_pwc_holds(&w->pwc, walk->asid, level, walk->va);
    return work;
}

const struct mp_walk_method mp_walk_hpca21 = {
    .design =
        {.name = "optimistic",
         .title =
             "each level is looked up separately in the page walk cache, and filled when the walk starts"},
    .bytes = hpca21_bytes,
    .init = hpca21_init,
    .begin = hpca21_begin,
    .next = hpca21_next,
    .again = hpca21_again,
    .work = hpca21_work,
};
