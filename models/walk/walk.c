/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/walk.h"

#include <stdlib.h>

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_walk_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(walks, "walks", "page walks done"),
    COUNTER(queue_cycles, "cycles", "from arrival to the walk's start, summed"),
    COUNTER(walk_cycles, "cycles", "from the walk's start to its end, summed"),
    COUNTER(levels_read, "entries", "page table entries read"),
    COUNTER(pwc_lookups, "lookups", "of the page walk cache, one per walk (or per upper level: pwc_fill)"),
    COUNTER(pwc_hits, "lookups", "that let the walk skip levels"),
    COUNTER(stalls, "requests", "held at the port because the queue was full"),
    COUNTER(faults, "walks", "that found no valid entry"),
    COUNTER(stolen, "walks", "done by walkers that another tenant owns"),
    COUNTER(waited_for, "walks", "of other tenants that this one's walks waited for, summed (interleaving)"),
    {"walk_latency", "cycles", "from arrival to end", MP_HISTOGRAM_LOG2,
     offsetof(struct mp_walk_stats, walk_latency), MP_LOG2_BINS},
};

const struct mp_metric_table mp_walk_metrics = {"walk", sizeof(struct mp_walk_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

int mp_walk_init(struct mp_walk *w, struct mp_wheel *wheel, const struct mp_walk_params *p)
{
    *w = (struct mp_walk){.wheel = wheel,
                          .p = *p,
                          .walker = calloc(p->geometry.walkers, sizeof *w->walker),
                          .root = calloc(p->geometry.tenants, sizeof *w->root),
                          .stats = calloc(p->geometry.tenants, sizeof *w->stats),
                          .bytes = UINT64_MAX,
                          .retried = MP_NEVER};
    uint64_t offset = (1ull << p->format->page_shift) - 1;
    w->form[0] = (struct mp_walk_form){~MP_PTE_ADDRESS, MP_PTE_VALID};
    w->form[1] = (struct mp_walk_form){(~MP_PTE_ADDRESS & ~MP_PTE_READ_ONLY) | (offset & MP_PTE_ADDRESS),
                                       MP_PTE_VALID | MP_PTE_LEAF};
    if (!w->walker || !w->root || !w->stats || mp_ports_init(&w->ports, p->ports) ||
        mp_walk_records_init(&w->records, (uint64_t)p->geometry.walkers + p->geometry.queue + p->ports) ||
        mp_intake_init(&w->intake, p->scheduler, &p->geometry, &p->rules) ||
        mp_pwc_init(&w->pwc, p->format, p->pwc_entries, p->pwc_ways)) {
        mp_walk_free(w);
        return -1;
    }
    return 0;
}

void mp_walk_free(struct mp_walk *w)
{
    free(w->walker);
    free(w->root);
    free(w->stats);
    mp_walk_records_free(&w->records);
    mp_intake_free(&w->intake);
    mp_pwc_free(&w->pwc);
    mp_ports_free(&w->ports);
    *w = (struct mp_walk){0};
}

void mp_walk_set_memory(struct mp_walk *w, uint64_t base, uint64_t bytes)
{
    w->base = base;
    w->bytes = bytes;
}

#define NOWHERE (1ull << 63) /* reads as no entry, wherever in the table */

void mp_walk_set_root(struct mp_walk *w, uint16_t asid, uint64_t root)
{
    w->root[asid] = root - w->base < w->bytes ? root : NOWHERE;
}

void mp_walk_join(struct mp_walk *w, struct mp_target memory)
{
    w->memory = (struct mp_out){.target = memory, .wheel = w->wheel, .response = mp_walk_response, .self = w};
}

static void read_done(void *walk, void *walker);

static void read_level(void *walk, void *walker)
{
    struct mp_walk *w = walk;
    struct mp_walker *k = walker;
    w->stats[k->walk->tenant].levels_read++;
    if (w->observer)
        w->observer->reads(w->observer->self, (uint32_t)(k - w->walker));
    if (w->p.level_latency) {
        mp_at(w->wheel, w->p.level_latency, read_done, w, k);
        return;
    }
    k->read = (struct mp_req){.owner = k,
                              .pa = mp_pte_address(w->p.format, k->level, k->table, k->walk->va),
                              .sm = k->walk->sm,
                              .asid = k->walk->asid,
                              .tenant = k->walk->tenant,
                              .op = MP_PTE_READ};
    mp_out_send(&w->memory, &k->read);
}

/* The level is in the page walk cache, or is read. */
static void do_level(struct mp_walk *w, struct mp_walker *k)
{
    if (!(k->cached >> k->level & 1)) {
        read_level(w, k);
        return;
    }
    uint64_t ready = k->started + w->p.pwc_latency + 1;
    if (ready > w->wheel->now)
        mp_at(w->wheel, ready - w->wheel->now, read_done, w, k);
    else
        read_done(w, k);
}

static uint64_t entry_at(const struct mp_walk *w, const struct mp_walker *k, unsigned level, uint64_t table)
{
    return mp_physmem_read64(w->p.memory, mp_pte_address(w->p.format, level, table, k->walk->va));
}

static inline bool good(const struct mp_walk *w, uint64_t entry, bool leaf)
{
    const struct mp_walk_form *f = &w->form[leaf];
    return (entry & f->bits) == f->value && (entry & MP_PTE_ADDRESS) - w->base < w->bytes;
}

/* Looks all upper levels up and fills in what is missing, before anything was read. */
static void look_ahead(struct mp_walk *w, struct mp_walker *k)
{
    struct mp_walk_stats *s = &w->stats[k->walk->tenant];
    uint64_t table = k->table;
    for (unsigned level = 0; level + 1 < w->p.format->levels; level++) {
        uint64_t entry = entry_at(w, k, level, table);
        if (!good(w, entry, false))
            return;
        table = entry & MP_PTE_ADDRESS;
        s->pwc_lookups++;
        if (mp_pwc_has(&w->pwc, k->walk->asid, level, k->walk->va)) {
            s->pwc_hits++;
            k->cached |= 1u << level;
        } else {
            mp_pwc_fill(&w->pwc, k->walk->asid, level, k->walk->va, table);
        }
    }
}

/* ---- who waited for whom ---- */

static bool owned(const struct mp_walk *w) /* the walkers are */
{
    return w->p.scheduler->owner;
}

static uint8_t owner_of(const struct mp_walk *w, const struct mp_walker *k)
{
    return w->p.scheduler->owner(w->intake.state, (uint32_t)(k - w->walker));
}

static void note_arrival(struct mp_walk *w, struct mp_req *req)
{
    *mp_walk_record_take(&w->records, req) = (struct mp_walk_record){
        .arrived = w->wheel->now, .starts = w->starts, .others = w->others[req->tenant]};
}

/* Other tenants' walks that this one has waited for: those that walkers which serve its tenant began
 * meanwhile, and the one that it found under way on the walker that takes it now, if that is one of these. */
static uint32_t waited_for(const struct mp_walk *w, const struct mp_walker *k, const struct mp_req *req)
{
    const struct mp_walk_record *r = mp_walk_record_of(&w->records, req);
    uint32_t began = w->others[req->tenant] - r->others;
    bool serves = !owned(w) || owner_of(w, k) == req->tenant;
    bool found = (int32_t)(k->number - r->starts) <= 0 && k->ended == w->wheel->now;
    return began + (serves && found && k->tenant != req->tenant);
}

static void note_start(struct mp_walk *w, struct mp_walker *k, const struct mp_req *req)
{
    k->number = ++w->starts;
    k->tenant = req->tenant;
    if (owned(w)) {
        uint8_t owner = owner_of(w, k);
        w->others[owner] += owner != req->tenant;
        w->stats[req->tenant].stolen += owner != req->tenant;
        return;
    }
    for (uint32_t t = 0; t < w->p.geometry.tenants; t++)
        w->others[t] += t != req->tenant;
}

/* ---- a walk's way ---- */

static void start(struct mp_walk *w, struct mp_walker *k, struct mp_req *req)
{
    struct mp_walk_stats *s = &w->stats[req->tenant];
    note_start(w, k, req);
    k->walk = req;
    k->started = w->wheel->now;
    k->table = w->root[req->asid];
    k->level = 0;
    k->cached = 0;
    s->queue_cycles += k->started - mp_walk_record_of(&w->records, req)->arrived;
    if (w->observer)
        w->observer->starts(w->observer->self, (uint32_t)(k - w->walker), req);
    if (!w->pwc.sets) {
        read_level(w, k);
        return;
    }
    if (w->p.pwc_optimistic) {
        look_ahead(w, k);
        do_level(w, k);
        return;
    }
    k->level = mp_pwc_lookup(&w->pwc, req->asid, req->va, &k->table);
    s->pwc_lookups++;
    s->pwc_hits += k->level > 0;
    mp_at(w->wheel, w->p.pwc_latency, read_level, w, k);
}

static void start_waiting(struct mp_walk *w, struct mp_walker *k, struct mp_req *req)
{
    if (w->observer)
        w->observer->waits(w->observer->self, req->tenant, -1);
    w->stats[req->tenant].waited_for += waited_for(w, k, req);
    start(w, k, req);
}

static void serve_outside(void *walk, void *unused);

/* Requests that were held get the room that started walks have left, after all completions of the cycle: whom
 * a walker serves must not depend on which of them came first. In one line it does not anyway. */
static void retry(struct mp_walk *w)
{
    if (!w->intake.outside.length || w->retry_due)
        return;
    if (w->intake.scheduler->one_line) {
        serve_outside(w, NULL);
        return;
    }
    w->retry_due = true;
    mp_at(w->wheel, w->intake.published && w->retried == w->wheel->now, serve_outside, w, NULL);
}

static void serve_outside(void *walk, void *unused)
{
    struct mp_walk *w = walk;
    struct mp_req *req;
    int walker;
    (void)unused;
    w->retry_due = false;
    while ((req = mp_intake_retry(&w->intake, &walker))) {
        const struct mp_initiator *up = &w->ports.up[req->port];
        w->retried = w->wheel->now;
        if (walker >= 0)
            start_waiting(w, &w->walker[walker], req);
        up->resume(up->self, up->port);
        if (w->intake.published) {
            retry(w);
            return;
        }
    }
}

/* What is wrong with an entry that is not good. */
static enum mp_fault flaw(const struct mp_walk *w, const struct mp_walker *k, uint64_t entry, bool leaf)
{
    uint64_t offset = (1ull << w->p.format->page_shift) - 1;
    uint64_t known = MP_PTE_ADDRESS | MP_PTE_VALID | MP_PTE_LEAF | (leaf ? MP_PTE_READ_ONLY : 0);
    if (k->table & NOWHERE)
        return MP_FAULT_ROOT;
    if (!(entry & MP_PTE_VALID))
        return MP_FAULT_NOT_VALID;
    if (entry & ~known)
        return MP_FAULT_RESERVED;
    if (!(entry & MP_PTE_LEAF) == leaf)
        return leaf ? MP_FAULT_TABLE : MP_FAULT_LEAF;
    return leaf && entry & MP_PTE_ADDRESS & offset ? MP_FAULT_MISALIGNED : MP_FAULT_OUTSIDE;
}

static void finish(struct mp_walk *w, struct mp_walker *k, uint64_t pa, struct mp_span span, uint8_t fault)
{
    struct mp_req *req = k->walk;
    struct mp_walk_stats *s = &w->stats[req->tenant];
    uint64_t now = w->wheel->now;
    req->pa = pa;
    req->span = span;
    req->fault = fault;
    req->source = MP_FROM_WALK;
    s->walks++;
    s->faults += fault != MP_FAULT_NONE;
    s->walk_cycles += now - k->started;
    mp_log2_add(s->walk_latency, now - mp_walk_record_of(&w->records, req)->arrived);
    mp_walk_record_give(&w->records, req);
    if (w->observer)
        w->observer->ends(w->observer->self, (uint32_t)(k - w->walker));
    k->walk = NULL;
    k->ended = now;
    struct mp_req *next = w->p.scheduler->complete(w->intake.state, (uint32_t)(k - w->walker));
    if (next)
        start_waiting(w, k, next);
    retry(w);
    mp_respond(&w->ports.up[req->port], req);
}

static void fail(struct mp_walk *w, struct mp_walker *k, uint64_t entry, bool leaf)
{
    enum mp_fault cause = flaw(w, k, entry, leaf);
    uint64_t at = mp_pte_address(w->p.format, k->level, k->table, k->walk->va);
    finish(w, k, cause == MP_FAULT_ROOT ? 0 : at, (struct mp_span){0},
           (uint8_t)(cause | k->level << MP_FAULT_LEVEL_SHIFT));
}

static void read_done(void *walk, void *walker)
{
    struct mp_walk *w = walk;
    struct mp_walker *k = walker;
    const struct mp_page_format *f = w->p.format;
    uint64_t entry = entry_at(w, k, k->level, k->table);
    uint64_t address = entry & MP_PTE_ADDRESS;
    bool leaf = k->level + 1 == f->levels;
    if (__builtin_expect(!good(w, entry, leaf), 0)) {
        fail(w, k, entry, leaf);
        return;
    }
    if (leaf) {
        uint64_t offset = k->walk->va & ((1ull << f->page_shift) - 1);
        finish(w, k, address | offset, (struct mp_span){.read_only = entry / MP_PTE_READ_ONLY % 2},
               MP_FAULT_NONE);
        return;
    }
    if (!w->p.pwc_optimistic)
        mp_pwc_fill(&w->pwc, k->walk->asid, k->level, k->walk->va, address);
    k->table = address;
    k->level++;
    do_level(w, k);
}

/* Owners have changed: idle walkers may find waiting walks that they had not served. */
static void divided(struct mp_walk *w)
{
    const struct mp_walk_scheduler *s = w->p.scheduler;
    if (w->observer)
        w->observer->divided(w->observer->self);
    for (uint32_t i = 0; s->wake && i < w->p.geometry.walkers; i++) {
        struct mp_req *next = w->walker[i].walk ? NULL : s->wake(w->intake.state, i);
        if (next)
            start_waiting(w, &w->walker[i], next);
    }
    retry(w);
}

void mp_walk_set_tenants(struct mp_walk *w, uint32_t tenants)
{
    if (!w->p.scheduler->set_tenants)
        return;
    w->p.scheduler->set_tenants(w->intake.state, tenants);
    divided(w);
}

void mp_walk_set_owners(struct mp_walk *w, const uint64_t owned[MP_TENANTS])
{
    if (!w->p.scheduler->set_owners)
        return;
    w->p.scheduler->set_owners(w->intake.state, owned);
    divided(w);
}

bool mp_walk_idle(const struct mp_walk *w)
{
    for (uint32_t i = 0; i < w->p.geometry.walkers; i++)
        if (w->walker[i].walk)
            return false;
    return !w->intake.outside.length;
}

int mp_walk_configure(struct mp_walk *w, const struct mp_walk_scheduler *scheduler,
                      const struct mp_walk_rules *rules, const uint64_t owned[MP_TENANTS])
{
    struct mp_intake intake;
    if (mp_intake_init(&intake, scheduler, &w->p.geometry, rules))
        return -1;
    mp_intake_free(&w->intake);
    w->intake = intake;
    w->p.scheduler = scheduler;
    w->p.rules = *rules;
    if (owned && scheduler->set_owners)
        scheduler->set_owners(w->intake.state, owned);
    if (w->observer)
        w->observer->divided(w->observer->self);
    return 0;
}

uint32_t mp_walk_invalidate(struct mp_walk *w, const struct mp_scope *scope)
{
    for (uint32_t i = 0; i < w->p.geometry.walkers; i++) {
        struct mp_walker *k = &w->walker[i];
        if (!k->walk || !mp_scope_has(scope, k->walk->asid, k->walk->va, w->p.format->page_shift))
            continue;
        k->level = 0;
        k->table = w->root[k->walk->asid];
        k->cached = 0;
    }
    return mp_pwc_invalidate(&w->pwc, scope);
}

enum mp_answer mp_walk_request(void *walk, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_walk *w = walk;
    (void)delay;
    req->port = (uint16_t)port;
    note_arrival(w, req);
    int walker = mp_intake_arrive(&w->intake, req);
    if (walker < 0 && w->observer)
        w->observer->waits(w->observer->self, req->tenant, 1);
    if (walker == MP_WALK_NO_ROOM) {
        w->stats[req->tenant].stalls++;
        return MP_HELD;
    }
    if (walker >= 0)
        start(w, &w->walker[walker], req);
    return MP_TAKEN;
}

void mp_walk_response(void *walk, struct mp_req *read)
{
    read_done(walk, read->owner);
}

void mp_walk_resume(void *walk, unsigned link)
{
    struct mp_walk *w = walk;
    (void)link;
    mp_out_resume(&w->memory);
}
