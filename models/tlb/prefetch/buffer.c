/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/prefetch/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "tlb/parts.h"

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_prefetch_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(named, "pages", "that the prefetcher named, for requests of this tenant"),
    COUNTER(known, "pages", "of them in the TLB already, or being fetched"),
    COUNTER(outside, "pages", "of them not in the address space"),
    COUNTER(no_room, "pages",
            "of them not sent, since as many hints were on their way as the buffer has entries"),
    COUNTER(issued, "hints", "sent to the next level: the others"),
    COUNTER(dropped, "hints", "for which a level below had no room"),
    COUNTER(faults, "hints", "of pages without translation"),
    COUNTER(stale, "hints", "whose page was invalidated on the way, or in the buffer"),
    COUNTER(late, "hints", "answered when a request had fetched the page, or was fetching it"),
    COUNTER(useful, "hints", "whose translation a request found in the buffer: hits of the TLB"),
    COUNTER(useless, "hints", "whose translation left the buffer unused for a newer one"),
};

const struct mp_metric_table mp_prefetch_metrics = {"tlb.prefetch", sizeof(struct mp_prefetch_stats),
                                                    sizeof metrics / sizeof *metrics, metrics};

/* A hint on its way. It has an owner as misses have, by which mp_tlb_response() knows it. */
struct hint {
    struct mp_req req;
    struct mp_mshr owner; /* always stale: nothing is stored as for a miss */
    bool busy;
    uint8_t stale_from; /* its answer is stale if its page has 2^stale_from bytes or more. 0: none */
};

struct entry {
    uint64_t va, pa; /* of its hint */
    struct mp_span span;
    uint8_t asid, tenant, page; /* page: log2 of bytes, as the array would keep it */
};

struct mp_prefetch {
    struct mp_tlb *tlb;
    const struct mp_prefetcher *design;
    struct mp_design shown; /* the design, with what is counted here */
    void *state;
    uint32_t room, in_flight,
        held; /* room: of both arrays; held: entries, those that came first at the front */
    struct hint *hint;
    struct entry *entry;
    struct mp_prefetch_stats *stats; /* one per tenant */
};

void *mp_prefetcher_state(const struct mp_prefetcher *design, const struct mp_design_values *own)
{
    void *state = mp_calloc(1, design->bytes(own));
    if (state)
        design->init(state, own);
    return state;
}

struct mp_prefetch *mp_prefetch_new(struct mp_tlb *t, const struct mp_tlb_params *params)
{
    const struct mp_prefetch_params *p = &params->prefetch;
    struct mp_prefetch *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    *b = (struct mp_prefetch){.tlb = t,
                              .design = p->design,
                              .shown = p->design->design,
                              .state = mp_prefetcher_state(p->design, &p->own),
                              .room = p->entries,
                              .hint = calloc(p->entries, sizeof *b->hint),
                              .entry = calloc(p->entries, sizeof *b->entry),
                              .stats = calloc(params->tenants, sizeof *b->stats)};
    b->shown.counters = &mp_prefetch_metrics;
    if (!b->state || !b->hint || !b->entry || !b->stats) {
        mp_prefetch_delete(b);
        return NULL;
    }
    for (uint32_t i = 0; i < b->room; i++)
        b->hint[i].owner.stale = true;
    return b;
}

void mp_prefetch_delete(struct mp_prefetch *b)
{
    if (!b)
        return;
    free(b->state);
    free(b->hint);
    free(b->entry);
    free(b->stats);
    free(b);
}

/* ---- the buffer ---- */

/* The position of the page that has the address, or `held`. */
static uint32_t find(const struct mp_prefetch *b, uint16_t asid, uint64_t va)
{
    uint32_t i = 0;
    while (i < b->held && ((b->entry[i].va ^ va) >> b->entry[i].page || b->entry[i].asid != asid))
        i++;
    return i;
}

static void leave(struct mp_prefetch *b, uint32_t i)
{
    b->held--;
    memmove(&b->entry[i], &b->entry[i + 1], (b->held - i) * sizeof *b->entry);
}

static struct mp_tlb_hit hit_of(const struct entry *e, uint32_t cycles)
{
    struct mp_tlb_hit hit;
    hit.pfn = e->pa >> e->page;
    hit.cycles = cycles;
    hit.span = e->span;
    hit.found = true;
    hit.page = e->page;
    return hit;
}

struct mp_tlb_hit mp_prefetch_peek(const struct mp_prefetch *b, uint16_t asid, uint64_t va)
{
    uint32_t i = find(b, asid, va);
    return i < b->held ? hit_of(&b->entry[i], 0) : (struct mp_tlb_hit){0};
}

/* An answer's span is kept only if the policy keeps spans: then what is invalidated on the way is seen. */
static void keep(struct mp_prefetch *b, struct mp_req *req)
{
    const struct mp_tlb *t = b->tlb;
    if (b->held == b->room) {
        b->stats[b->entry[0].tenant].useless++;
        leave(b, 0);
    }
    if (req->page > t->page_shift)
        mp_tlb_fit(&t->size, req);
    else
        req->page = (uint8_t)t->page_shift;
    if (!t->policy->reach)
        req->span.unit = req->span.before = req->span.after = 0;
    b->entry[b->held++] =
        (struct entry){req->va, req->pa, req->span, (uint8_t)req->asid, req->tenant, req->page};
}

/* ---- hints ---- */

static bool is_stale(const struct mp_prefetch *b, const struct hint *h, uint32_t page)
{
    return h->stale_from && h->stale_from <= (page > b->tlb->page_shift ? page : b->tlb->page_shift);
}

static bool on_its_way(const struct mp_prefetch *b, uint16_t asid, uint64_t va)
{
    for (uint32_t i = 0, seen = 0; seen < b->in_flight; i++) {
        const struct hint *h = &b->hint[i];
        if (h->busy && h->req.va == va && h->req.asid == asid && !is_stale(b, h, 0))
            return true;
        seen += h->busy;
    }
    return false;
}

/* Neither buffer nor array has the page. */
static bool is_missing(const struct mp_prefetch *b, uint16_t asid, uint64_t va)
{
    return find(b, asid, va) == b->held && !mp_tlb_peek(b->tlb, asid, va).found;
}

static bool is_known(const struct mp_prefetch *b, uint16_t asid, uint64_t vpn)
{
    const struct mp_tlb *t = b->tlb;
    uint64_t va = vpn << t->page_shift;
    return on_its_way(b, asid, va) || mp_mshr_find(&t->mshr, mp_tlb_key(asid, vpn)) ||
           !is_missing(b, asid, va);
}

static struct hint *vacant(struct mp_prefetch *b)
{
    struct hint *h = b->hint;
    while (h->busy)
        h++;
    return h;
}

static void send(struct mp_prefetch *b, const struct mp_req *cause, uint64_t vpn, uint32_t cycles)
{
    struct mp_tlb *t = b->tlb;
    struct hint *h = vacant(b);
    b->in_flight++;
    h->busy = true;
    h->stale_from = 0;
    h->req = (struct mp_req){.owner = &h->owner,
                             .va = vpn << t->page_shift,
                             .sent = t->wheel->now,
                             .sm = cause->sm,
                             .warp = cause->warp,
                             .instruction = cause->instruction,
                             .asid = cause->asid,
                             .tenant = cause->tenant,
                             .op = MP_HINT,
                             .source = MP_FROM_FOREIGN}; /* unless the target says */
    mp_out_send_in(mp_tlb_link(t, &h->req), &h->req, cycles);
}

static void prefetch(struct mp_prefetch *b, const struct mp_req *cause, uint64_t vpn, uint32_t cycles)
{
    struct mp_prefetch_stats *s = &b->stats[cause->tenant];
    s->named++;
    if (vpn >> (MP_PREFETCH_VA_BITS - b->tlb->page_shift)) {
        s->outside++;
    } else if (is_known(b, cause->asid, vpn)) {
        s->known++;
    } else if (b->in_flight == b->room) {
        s->no_room++;
    } else {
        s->issued++;
        send(b, cause, vpn, cycles);
    }
}

struct mp_tlb_hit mp_prefetch_look_up(struct mp_prefetch *b, const struct mp_req *req,
                                      struct mp_tlb_hit missed)
{
    uint32_t i = find(b, req->asid, req->va);
    if (i == b->held)
        return missed;
    struct entry e = b->entry[i];
    struct mp_req answer = *req;
    answer.va = e.va;
    answer.pa = e.pa;
    answer.span = e.span;
    answer.page = e.page;
    b->stats[e.tenant].useful++;
    leave(b, i);
    mp_tlb_store(b->tlb, &answer);
    return hit_of(&e, missed.cycles);
}

void mp_prefetch_ask(struct mp_prefetch *b, const struct mp_req *req, struct mp_tlb_hit found)
{
    const struct mp_prefetch_miss miss = {req->va >> b->tlb->page_shift, req->asid, req->sm, req->warp,
                                          found.found};
    uint64_t page[MP_PREFETCH_MOST];
    uint32_t n = b->design->miss(b->state, &miss, page);
    for (uint32_t i = 0; i < n; i++)
        prefetch(b, req, page[i], found.cycles);
}

void mp_prefetch_response(struct mp_prefetch *b, struct mp_mshr *m, struct mp_req *req)
{
    struct mp_tlb *t = b->tlb;
    struct hint *h = (struct hint *)(void *)((char *)m - offsetof(struct hint, owner));
    struct mp_prefetch_stats *s = &b->stats[req->tenant];
    struct mp_mshr *miss = mp_mshr_find(&t->mshr, mp_tlb_key(req->asid, req->va >> t->page_shift));
    h->busy = false;
    b->in_flight--;
    if (is_stale(b, h, req->page)) {
        s->stale++;
    } else if (req->fault) {
        s->faults++;
    } else if (req->source == MP_FROM_NOTHING) {
        s->dropped++;
    } else if (miss) {
        s->late++;
        mp_tlb_answer_waiting(t, miss, req);
    } else if (!is_missing(b, req->asid, req->va)) {
        s->late++;
    } else {
        keep(b, req);
        mp_tlb_serve_held(t); /* one may have waited for the page */
    }
}

/* ---- invalidation ---- */

static bool concerns(const struct mp_scope *s, const struct entry *e)
{
    uint32_t unit = e->span.unit, page = e->page;
    uint64_t own = e->va >> page >> unit;
    uint64_t first = (own - e->span.before) << unit, end = (own + e->span.after + 1) << unit;
    return (s->every_asid || s->asid == e->asid) &&
           (s->every_page || (s->va >> page < end && first <= mp_scope_last(s) >> page));
}

static void make_stale(struct mp_prefetch *b, struct hint *h, const struct mp_scope *s)
{
    uint32_t from = mp_tlb_stale_from(b->tlb, &h->req, s);
    if (from && (!h->stale_from || h->stale_from > from))
        h->stale_from = (uint8_t)from;
}

static void forget(struct mp_prefetch *b, const struct mp_scope *s)
{
    for (uint32_t asid = 0; s->every_page && asid < MP_ASIDS; asid++)
        if (s->every_asid || s->asid == asid)
            b->design->forget(b->state, (uint16_t)asid);
}

uint32_t mp_prefetch_invalidate(struct mp_prefetch *b, const struct mp_scope *s)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < b->room; i++)
        make_stale(b, &b->hint[i], s);
    for (uint32_t i = b->held; i-- > 0;)
        if (concerns(s, &b->entry[i])) {
            b->stats[b->entry[i].tenant].stale++;
            leave(b, i);
            gone++;
        }
    forget(b, s);
    return gone;
}

/* ---- what it shows ---- */

struct mp_block_design mp_prefetch_design(struct mp_prefetch *b)
{
    return (struct mp_block_design){&b->shown, b->stats};
}

void mp_prefetch_xray(const struct mp_prefetch *b, const struct mp_xray *x)
{
    mp_xray_room(x, "prefetch buffer", b->held, b->room);
    mp_xray_room(x, "hints", b->in_flight, b->room);
    for (uint32_t i = 0; i < b->room; i++) {
        const struct mp_req *req = &b->hint[i].req;
        struct mp_xray_wait wait = mp_xray_wait_of("hint", req);
        if (!b->hint[i].busy)
            continue;
        wait.number = i;
        wait.out = b->tlb->next_of[req->tenant];
        wait.asks = req->va;
        x->wait(x->self, &wait);
    }
}
