/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/walk.h"

#include <stdlib.h>

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_walk_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(walks, "walks", "page walks done"),
    COUNTER(queue_cycles, "cycles", "from arrival to the walk's start, summed"),
    COUNTER(walk_cycles, "cycles", "from the walk's start to its end, summed"),
    COUNTER(levels_read, "entries", "page table entries read"),
    COUNTER(pwc_lookups, "lookups", "of the page walk cache, one per walk"),
    COUNTER(pwc_hits, "lookups", "that let the walk skip levels"),
    COUNTER(stalls, "requests", "held at the port because the queue was full"),
    COUNTER(faults, "walks", "that found no valid entry"),
    {"walk_latency", "cycles", "from arrival to end", MP_HISTOGRAM_LOG2,
     offsetof(struct mp_walk_stats, walk_latency), MP_LOG2_BINS},
};

const struct mp_metric_table mp_walk_metrics = {"walk", sizeof(struct mp_walk_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

int mp_walk_init(struct mp_walk *w, struct mp_wheel *wheel, const struct mp_walk_params *p)
{
    *w = (struct mp_walk){.wheel = wheel,
                          .p = *p,
                          .schedule = calloc(1, p->scheduler->bytes(&p->geometry)),
                          .walker = calloc(p->geometry.walkers, sizeof *w->walker),
                          .root = calloc(p->geometry.tenants, sizeof *w->root),
                          .stats = calloc(p->geometry.tenants, sizeof *w->stats)};
    if (!w->schedule || !w->walker || !w->root || !w->stats || mp_ports_init(&w->ports, p->ports) ||
        mp_pwc_init(&w->pwc, p->format, p->pwc_entries, p->pwc_ways)) {
        mp_walk_free(w);
        return -1;
    }
    p->scheduler->init(w->schedule, &p->geometry);
    return 0;
}

void mp_walk_free(struct mp_walk *w)
{
    free(w->schedule);
    free(w->walker);
    free(w->root);
    free(w->stats);
    mp_pwc_free(&w->pwc);
    mp_ports_free(&w->ports);
    *w = (struct mp_walk){0};
}

void mp_walk_set_root(struct mp_walk *w, uint16_t asid, uint64_t root)
{
    w->root[asid] = root;
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

static void start(struct mp_walk *w, struct mp_walker *k, struct mp_req *req)
{
    struct mp_walk_stats *s = &w->stats[req->tenant];
    k->walk = req;
    k->started = w->wheel->now;
    k->table = w->root[req->asid];
    k->level = mp_pwc_lookup(&w->pwc, req->asid, req->va, &k->table);
    s->queue_cycles += k->started - req->sent;
    if (!w->pwc.sets) {
        read_level(w, k);
        return;
    }
    s->pwc_lookups++;
    s->pwc_hits += k->level > 0;
    mp_at(w->wheel, w->p.pwc_latency, read_level, w, k);
}

/* Requests that were held get the room that a started walk has left in the queue. */
static void serve_held(struct mp_walk *w)
{
    if (w->serving_held)
        return;
    w->serving_held = true;
    while (w->ports.held.head) {
        struct mp_req *req = w->ports.held.head, *after = req->next;
        int walker = w->p.scheduler->arrive(w->schedule, req);
        if (walker == MP_WALK_NO_ROOM) {
            req->next = after;
            break;
        }
        w->ports.held.head = after;
        w->ports.held.length--;
        if (walker >= 0)
            start(w, &w->walker[walker], req);
        const struct mp_initiator *up = &w->ports.up[req->port];
        up->resume(up->self, up->port);
    }
    w->serving_held = false;
}

static void finish(struct mp_walk *w, struct mp_walker *k, uint64_t frame, bool fault)
{
    struct mp_req *req = k->walk;
    struct mp_walk_stats *s = &w->stats[req->tenant];
    uint64_t now = w->wheel->now;
    req->pa = frame | (req->va & ((1ull << w->p.format->page_shift) - 1));
    req->fault = fault;
    s->walks++;
    s->faults += fault;
    s->walk_cycles += now - k->started;
    mp_log2_add(s->walk_latency, now - req->sent);
    k->walk = NULL;
    struct mp_req *next = w->p.scheduler->complete(w->schedule, (uint32_t)(k - w->walker));
    if (next)
        start(w, k, next);
    serve_held(w);
    mp_respond(&w->ports.up[req->port], req);
}

static void read_done(void *walk, void *walker)
{
    struct mp_walk *w = walk;
    struct mp_walker *k = walker;
    const struct mp_page_format *f = w->p.format;
    uint64_t entry = mp_physmem_read64(w->p.memory, mp_pte_address(f, k->level, k->table, k->walk->va));
    uint64_t address = entry & MP_PTE_ADDRESS;
    if (!(entry & MP_PTE_VALID) || k->level + 1 == f->levels) {
        finish(w, k, address, !(entry & MP_PTE_VALID));
        return;
    }
    mp_pwc_fill(&w->pwc, k->walk->asid, k->level, k->walk->va, address);
    k->table = address;
    k->level++;
    read_level(w, k);
}

enum mp_answer mp_walk_request(void *walk, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_walk *w = walk;
    (void)delay;
    req->port = (uint16_t)port;
    req->sent = w->wheel->now; /* arrival; a walk that is held counts its waiting outside as queueing */
    int walker = w->ports.held.head ? MP_WALK_NO_ROOM : w->p.scheduler->arrive(w->schedule, req);
    if (walker == MP_WALK_NO_ROOM) {
        w->stats[req->tenant].stalls++;
        return mp_ports_hold(&w->ports, req);
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
