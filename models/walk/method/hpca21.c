/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of the simulator that the authors of DWS published. When a walk starts, each upper level is looked
 * up in the page walk cache, and filled at once where it is missing. A level that hits is there more than
 * pwc_latency cycles after the start; the other levels are read, without waiting for the lookup.
 */
#include "walk/method/entry.h"

/* By walker: a bit per level that the page walk cache held. */
static size_t hpca21_bytes(const struct mp_walk_params *p)
{
    return p->geometry.walkers * sizeof(uint32_t);
}

static uint32_t *cached_of(const struct mp_walk *w, const struct mp_walker *k)
{
    return (uint32_t *)w->method + (k - w->walker);
}

/* Looks up all upper levels and fills in what is missing, before anything is read. */
static uint32_t look_ahead(struct mp_walk *w, const struct mp_walker *k)
{
    const struct mp_req *req = k->walk;
    struct mp_walk_stats *s = k->stats;
    uint64_t table = w->root[req->asid];
    uint32_t cached = 0;
    for (unsigned level = 0; level + 1 < k->format->levels; level++) {
        uint64_t entry = mp_walk_entry(w, mp_entry_address(k->format, false, level, table, req->va));
        const struct mp_pte_form *form = mp_pte_form(k->format, level, entry);
        if (form->page_shift || !mp_walk_good(w, k, form, entry))
            break;
        table = mp_pte_target(form, entry);
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
    const struct mp_pte_form *form = mp_walk_form_of(k, entry);
    if (__builtin_expect(!mp_walk_good(w, k, form, entry), 0))
        return mp_walk_fail(k, form, entry);
    if (form->page_shift) {
        mp_walk_page(k, form, entry);
        return MP_WALK_END;
    }
    mp_walk_point(w, k, form->next, mp_pte_target(form, entry));
    return step(w, k);
}

static void hpca21_again(struct mp_walk *w, struct mp_walker *k)
{
    *cached_of(w, k) = 0;
    mp_walk_point_at_root(w, k);
}

static uint32_t hpca21_work(const struct mp_walk *w, const struct mp_req *walk)
{
    const uint32_t levels = w->format[walk->asid]->levels;
    uint32_t work = levels;
    for (unsigned level = 0; level + 1 < levels; level++)
        work -= mp_pwc_holds(&w->pwc, walk->asid, level, walk->va);
    return work;
}

const struct mp_walk_method mp_walk_hpca21 = {
    .design =
        {.name = "optimistic",
         .title =
             "each level is looked up separately in the page walk cache, and filled when the walk starts"},
    .check = mp_walk_check_single,
    .bytes = hpca21_bytes,
    .begin = hpca21_begin,
    .next = hpca21_next,
    .again = hpca21_again,
    .work = hpca21_work,
};
