/* SPDX-License-Identifier: Apache-2.0 */
/* The service of a block. */
#include "uvm/serve.h"

void mp_uvm_name(const struct mp_uvm_block *b, struct mp_uvm_service *service)
{
    *service = (struct mp_uvm_service){.asid = b->asid, .block = b->number};
}

struct mp_uvm_pressure mp_uvm_pressure(const struct mp_uvm *u, const struct mp_uvm_block *b, uint32_t page)
{
    const struct mp_uvm_pool *p = &u->pool;
    uint32_t used = 0;
    for (uint32_t s = 0; s < MP_UVM_SPACES; s++)
        used += p->used[s];
    return (struct mp_uvm_pressure){.evicted = p->evicted,
                                    .used = used,
                                    .units = p->units,
                                    .counter = u->p.counter,
                                    .penalty = u->p.penalty,
                                    .evictions = b->evictions[page / u->big]};
}

/* ---- pages that come along ---- */

/* The pages at the destination; `host` is room for them. */
static const struct mp_uvm_mask *there(const struct mp_uvm_block *b, enum mp_uvm_processor to,
                                       struct mp_uvm_mask *host)
{
    if (to == MP_UVM_BY_GPU)
        return &b->gpu;
    MP_UVM_EACH (i)
        host->w[i] = b->host.w[i] & ~b->gpu.w[i];
    return host;
}

static void count_in_a_row(struct mp_uvm_block *b, enum mp_uvm_processor to, uint32_t faulted)
{
    const uint32_t n = (b->destination == to ? b->in_a_row : 0) + faulted;
    b->destination = (uint8_t)to;
    b->in_a_row = (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);
}

void mp_uvm_along(struct mp_uvm *u, uint32_t block, enum mp_uvm_processor to,
                  const struct mp_uvm_mask *faulted, struct mp_uvm_mask *out)
{
    struct mp_uvm_block *b = &u->pool.block[block];
    const struct mp_uvm_prefetch *design =
        u->pool.evicted && u->p.prefetch_full ? u->p.prefetch_full : u->p.prefetch;
    struct mp_uvm_mask host;
    count_in_a_row(b, to, mp_uvm_count(faulted));
    if (to == MP_UVM_BY_HOST && !design->to_host)
        return;
    const struct mp_uvm_mask *is = there(b, to, &host), thrashing = mp_uvm_thrashing(u, b);
    const struct mp_uvm_look look = {.first = b->first,
                                     .end = b->end,
                                     .big = u->big,
                                     .in_a_row = b->in_a_row,
                                     .threshold = u->p.threshold,
                                     .min_faults = u->p.min_faults,
                                     .there = is,
                                     .faulted = faulted,
                                     .thrashing = &thrashing,
                                     .draw = &u->pool.draw};
    if (u->tree.pages && design == &mp_uvm_prefetch_tree)
        u->tree.pages(u->tree.self, &look, out);
    else
        design->pages(&look, out);
    mp_uvm_keep(out, b->first, b->end);
    MP_UVM_EACH (i)
        if (out->w[i])
            out->w[i] &= ~(is->w[i] | faulted->w[i] | thrashing.w[i]);
}

/* ---- pages for the GPU ---- */

void mp_uvm_bring(struct mp_uvm *u, uint32_t block, struct mp_uvm_service *s,
                  const struct mp_uvm_report *report)
{
    struct mp_uvm_pool *p = &u->pool;
    struct mp_uvm_block *b = &p->block[block];
    struct mp_uvm_mask pages;
    if (!mp_uvm_any(&s->fault))
        return;
    mp_uvm_along(u, block, MP_UVM_BY_GPU, &s->fault, &s->prefetch);
    MP_UVM_EACH (i)
        pages.w[i] = s->fault.w[i] | s->prefetch.w[i];
    mp_uvm_load(u, block, &pages, report);
    MP_UVM_EACH (i) {
        if (!pages.w[i]) /* most are */
            continue;
        s->zero.w[i] = pages.w[i] & ~b->host.w[i];
        s->copy.w[i] = pages.w[i] & b->host.w[i];
        b->gpu.w[i] |= pages.w[i];
        b->remote.w[i] &= ~pages.w[i];
    }
    for (uint32_t i = mp_uvm_next(&pages, 0), n = p->unit_pages; i < MP_UVM_PAGES;
         i = mp_uvm_next(&pages, i / n * n + n))
        mp_uvm_touch(p, mp_uvm_unit_of(p, block, i), false);
    mp_uvm_copied(u, block, &s->copy, MP_UVM_BY_GPU);
}

/* ---- pages of a batch ---- */

enum place { TO_GPU, TO_HOST, HELD };

/* Where a page of the host, or of nowhere, is to be. */
static enum place place_of(struct mp_uvm *u, uint32_t block, uint32_t page, bool store)
{
    const struct mp_uvm_block *b = &u->pool.block[block];
    if (!mp_uvm_has(&b->host, page))
        return TO_GPU;
    const struct mp_uvm_answer answer = mp_uvm_ask(u, block, page, MP_UVM_BY_GPU);
    if (answer.held)
        return HELD;
    if (answer.pin)
        return answer.pin == MP_UVM_BY_HOST ? TO_HOST : TO_GPU;
    const struct mp_uvm_pressure pressure = mp_uvm_pressure(u, b, page);
    return u->p.migrate->stays(&pressure, store) ? TO_HOST : TO_GPU;
}

static void serve_page(struct mp_uvm *u, uint32_t block, const struct mp_uvm_faulted *f,
                       struct mp_uvm_service *s, struct mp_uvm_mask *stores)
{
    struct mp_uvm_block *b = &u->pool.block[block];
    const uint32_t page = (uint32_t)(f->page % u->pages);
    bool store = f->access >= MP_UVM_WRITE;
    if (store && b->read_only) {
        mp_uvm_add(&s->cancel, page);
        if (!f->load)
            return;
        store = false;
    }
    if (store)
        mp_uvm_add(stores, page);
    if (mp_uvm_has(&b->gpu, page) || mp_uvm_maps_remotely(u, b, page, store)) {
        mp_uvm_add(&s->done, page);
        return;
    }
    const enum place place = place_of(u, block, page, store);
    mp_uvm_add(place == HELD ? &s->held : place == TO_HOST ? &s->remote : &s->fault, page);
    if (place == TO_HOST)
        mp_uvm_add(&b->remote, page);
}

void mp_uvm_serve_block(struct mp_uvm *u, uint32_t block, const struct mp_uvm_faulted *f, uint32_t n,
                        const struct mp_uvm_report *report)
{
    struct mp_uvm_block *b = &u->pool.block[block];
    struct mp_uvm_mask stores = {{0}};
    struct mp_uvm_service s;
    mp_uvm_name(b, &s);
    for (uint32_t i = 0; i < n; i++)
        serve_page(u, block, &f[i], &s, &stores);
    mp_uvm_bring(u, block, &s, report); /* perhaps also one that was just mapped remotely */
    if (mp_uvm_any(&stores)) {
        struct mp_uvm_mask dirty;
        MP_UVM_EACH (i)
            dirty.w[i] = b->dirty.w[i] | (stores.w[i] & b->gpu.w[i]);
        mp_uvm_dirty(&u->pool, block, &dirty);
    }
    report->served(report->context, &s);
}

void mp_uvm_refuse(struct mp_uvm *u, const struct mp_uvm_faulted *f, uint32_t n,
                   const struct mp_uvm_report *report)
{
    struct mp_uvm_service s = {.asid = f->asid, .block = f->page / u->pages};
    uint32_t page;
    for (uint32_t i = 0; i < n && f[i].asid == s.asid && f[i].page / u->pages == s.block; i++)
        if (mp_uvm_find(u, f[i].asid, f[i].page, &page) == MP_UVM_NONE)
            mp_uvm_add(f[i].access == MP_UVM_PREFETCH ? &s.ignore : &s.cancel, page);
    report->served(report->context, &s);
}
