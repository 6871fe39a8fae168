/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/tlb.h"

#include <stdlib.h>
#include <string.h>

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_tlb_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(lookups, "requests", "page-level translation requests that came"),
    COUNTER(hits, "requests", "answered from the array"),
    COUNTER(misses, "requests", "not in the array, merged ones included"),
    COUNTER(mshr_merges, "requests", "misses that joined one already under way"),
    COUNTER(stalls, "requests", "held at the port for want of an MSHR or of room on one"),
    COUNTER(fills, "translations", "written into the array, or beside it"),
    COUNTER(bypasses, "translations",
            "of them written into a bypass cache, since no warp that waited might fill"),
    COUNTER(evictions, "entries", "whole entries that left, counted for the tenant that had them first"),
    COUNTER(translations_lost, "translations",
            "that had to leave for another, counted for the tenant that owned them"),
    COUNTER(miss_cycles, "cycles", "from a miss to its fill, summed over MSHRs"),
    {"held", "translations", "valid in the array now", MP_GAUGE, offsetof(struct mp_tlb_stats, held), 0},
    {"sub_entries_at_eviction", "sub-entries", "valid sub-entries of an evicted entry", MP_HISTOGRAM_LINEAR,
     offsetof(struct mp_tlb_stats, sub_entries_at_eviction), MP_MAX_SUB_ENTRIES + 1},
    {"reuse_distance", "translations", "different translations between two requests for the same one",
     MP_HISTOGRAM_LOG2, offsetof(struct mp_tlb_stats, reuse_distance), MP_LOG2_BINS},
};

const struct mp_metric_table mp_tlb_metrics = {"tlb", sizeof(struct mp_tlb_stats),
                                               sizeof metrics / sizeof *metrics, metrics};

static void *new_state(const struct mp_tlb_policy *policy, const struct mp_tlb_geometry *geometry)
{
    size_t bytes = (policy->bytes(geometry) + 63) & ~(size_t)63;
    void *state = aligned_alloc(64, bytes);
    if (!state)
        return NULL;
    memset(state, 0, bytes);
    policy->init(state, geometry);
    return state;
}

int mp_tlb_init(struct mp_tlb *t, struct mp_wheel *wheel, const struct mp_tlb_params *p)
{
    *t = (struct mp_tlb){.wheel = wheel,
                         .policy = p->policy,
                         .state = new_state(p->policy, &p->geometry),
                         .page_shift = p->page_shift,
                         .tenants = p->tenants,
                         .next = calloc(p->tenants, sizeof *t->next),
                         .next_of = calloc(p->tenants, sizeof *t->next_of),
                         .stats = calloc(p->tenants, sizeof *t->stats),
                         .reuse = p->reuse_sample ? mp_reuse_new(p->reuse_sample) : NULL};
    if (!t->state || !t->next || !t->next_of || !t->stats || (p->reuse_sample && !t->reuse) ||
        mp_mshr_init(&t->mshr, p->mshrs, p->merges) || mp_ports_init(&t->ports, p->ports)) {
        mp_tlb_free(t);
        return -1;
    }
    t->watched = t->reuse || p->policy->asked;
    return 0;
}

void mp_tlb_free(struct mp_tlb *t)
{
    free(t->state);
    free(t->next);
    free(t->next_of);
    free(t->stats);
    mp_reuse_free(t->reuse);
    mp_mshr_free(&t->mshr);
    mp_ports_free(&t->ports);
    *t = (struct mp_tlb){0};
}

void mp_tlb_join(struct mp_tlb *t, unsigned link, struct mp_target target)
{
    t->next[link] =
        (struct mp_out){.target = target, .wheel = t->wheel, .response = mp_tlb_response, .self = t};
}

static uint64_t key_of(const struct mp_req *req, uint64_t vpn)
{
    return (uint64_t)req->asid << 48 | vpn;
}

static void set_result(const struct mp_tlb *t, struct mp_req *req, uint64_t pfn, struct mp_span span)
{
    uint64_t offset = req->va & ((1ull << t->page_shift) - 1);
    req->pa = pfn << t->page_shift | offset | (span.read_only ? MP_PA_READ_ONLY : 0);
    req->fault = 0;
}

/* The answer from below, of the page that was asked for. */
static struct mp_translation result_of(const struct mp_tlb *t, const struct mp_req *down)
{
    return (struct mp_translation){(down->pa & ~MP_PA_READ_ONLY) >> t->page_shift,
                                   {.read_only = down->pa / MP_PA_READ_ONLY % 2}};
}

static void send_miss(void *tlb, void *mshr)
{
    struct mp_tlb *t = tlb;
    struct mp_mshr *m = mshr;
    mp_out_send(&t->next[t->next_of[m->down.tenant]], &m->down);
}

/* A miss takes its place on an MSHR. false: there is no room. */
static bool take_miss(struct mp_tlb *t, struct mp_req *req, uint64_t vpn, uint32_t cycles)
{
    uint64_t key = key_of(req, vpn);
    struct mp_mshr *m = mp_mshr_find(&t->mshr, key);
    if (m) {
        if (m->waiting.length >= t->mshr.merges)
            return false;
        t->stats[req->tenant].mshr_merges++;
    } else {
        m = mp_mshr_take(&t->mshr, key);
        if (!m)
            return false;
        m->since = t->wheel->now;
        m->down = (struct mp_req){.owner = m,
                                  .va = vpn << t->page_shift,
                                  .sm = req->sm,
                                  .warp = req->warp,
                                  .asid = req->asid,
                                  .tenant = req->tenant,
                                  .op = MP_TRANSLATE};
        mp_at(t->wheel, cycles, send_miss, t, m);
    }
    mp_queue_push(&m->waiting, req);
    return true;
}

/* What only some TLBs do with every request. */
static void watch(struct mp_tlb *t, const struct mp_req *req, uint64_t vpn, bool hit)
{
    if (t->reuse) {
        uint64_t distance = mp_reuse_touch(t->reuse, key_of(req, vpn));
        if (distance != MP_REUSE_NONE)
            mp_log2_add(t->stats[req->tenant].reuse_distance, distance);
    }
    if (t->policy->asked)
        t->policy->asked(t->state, req->asid, req->sm, req->warp, hit);
}

enum mp_answer mp_tlb_request(void *tlb, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_tlb *t = tlb;
    struct mp_tlb_stats *s = &t->stats[req->tenant];
    uint64_t vpn = req->va >> t->page_shift;
    req->port = (uint16_t)port;
    s->lookups++;
    struct mp_tlb_hit hit = t->policy->lookup(t->state, req->asid, vpn);
    if (t->watched)
        watch(t, req, vpn, hit.found);
    if (hit.found) {
        s->hits++;
        set_result(t, req, hit.pfn, hit.span);
        *delay = hit.cycles;
        return MP_DONE;
    }
    s->misses++;
    if (take_miss(t, req, vpn, hit.cycles))
        return MP_TAKEN;
    s->stalls++;
    return mp_ports_hold(&t->ports, req);
}

static void answer_late(void *tlb, void *req)
{
    struct mp_tlb *t = tlb;
    struct mp_req *r = req;
    mp_respond(&t->ports.up[r->port], r);
}

/* The request that was held first goes on when it can; the ports behind it wait for it, so none starves. What
 * it waited for may have come in the meantime: it looks again. */
static void serve_held(struct mp_tlb *t)
{
    if (t->serving_held)
        return;
    t->serving_held = true;
    while (t->ports.held.head) {
        struct mp_req *req = t->ports.held.head;
        struct mp_req *after = req->next;
        uint64_t vpn = req->va >> t->page_shift;
        struct mp_tlb_hit hit = t->policy->lookup(t->state, req->asid, vpn);
        if (!hit.found && !take_miss(t, req, vpn, hit.cycles))
            break;
        t->ports.held.head = after;
        t->ports.held.length--;
        if (hit.found) {
            set_result(t, req, hit.pfn, hit.span);
            mp_at(t->wheel, hit.cycles, answer_late, t, req);
        }
        const struct mp_initiator *up = &t->ports.up[req->port];
        up->resume(up->self, up->port);
    }
    t->serving_held = false;
}

static bool may_fill(const struct mp_tlb *t, const struct mp_req *waiting)
{
    if (!t->policy->may_fill)
        return true;
    while (waiting && !t->policy->may_fill(t->state, waiting->asid, waiting->sm, waiting->warp))
        waiting = waiting->next;
    return waiting;
}

static void fill(struct mp_tlb *t, const struct mp_mshr *m, uint64_t vpn, struct mp_translation to)
{
    const struct mp_req *down = &m->down;
    bool into_array = may_fill(t, m->waiting.head);
    struct mp_tlb_left left;
    left.count = left.pages = 0;
    struct mp_tlb_insertion done =
        (into_array ? t->policy->insert : t->policy->bypass)(t->state, down->asid, vpn, to, &left);
    t->stats[down->tenant].fills++;
    t->stats[down->tenant].bypasses += !into_array;
    /* An address space has the number of its tenant: the loss is counted for the tenant that suffers it. */
    for (uint32_t i = 0; i < left.count; i++)
        t->stats[left.run[i].asid].translations_lost += mp_tlb_pages(&left.run[i]);
    if (done.entry_evicted) {
        struct mp_tlb_stats *owner = &t->stats[done.evicted_asid];
        owner->evictions++;
        owner->sub_entries_at_eviction[done.evicted_used]++;
    }
}

void mp_tlb_response(void *tlb, struct mp_req *down)
{
    struct mp_tlb *t = tlb;
    struct mp_mshr *m = down->owner;
    if (__builtin_expect(m->stale, 0)) {
        m->stale = false;
        send_miss(t, m);
        return;
    }
    struct mp_translation to = result_of(t, down);
    uint8_t fault = down->fault;
    if (!fault)
        fill(t, m, down->va >> t->page_shift, to);
    t->stats[down->tenant].miss_cycles += t->wheel->now - m->since;
    struct mp_req *req = m->waiting.head;
    mp_mshr_release(&t->mshr, m);
    serve_held(t); /* before the answers: an initiator may send again at once, and would take the MSHR */
    while (req) {
        struct mp_req *after = req->next;
        set_result(t, req, to.pfn, to.span);
        if (__builtin_expect(fault, 0)) {
            req->fault = fault;
            req->pa = down->pa; /* where the entry is */
        }
        mp_respond(&t->ports.up[req->port], req);
        req = after;
    }
}

static uint32_t empty_array(struct mp_tlb *t, const struct mp_scope *s)
{
    uint32_t gone = 0;
    if (s->every_page && s->every_asid)
        return t->policy->invalidate_all(t->state);
    for (uint32_t a = 0; a < t->tenants; a++) {
        if (!s->every_asid && a != s->asid)
            continue;
        gone += s->every_page
                    ? t->policy->invalidate_asid(t->state, (uint16_t)a)
                    : t->policy->invalidate_page(t->state, (uint16_t)a, s->va >> t->page_shift, NULL);
    }
    return gone;
}

uint32_t mp_tlb_invalidate(struct mp_tlb *t, const struct mp_scope *s)
{
    for (uint32_t b = 0; t->mshr.used && b <= t->mshr.mask; b++)
        for (uint16_t i = t->mshr.bucket[b]; i; i = t->mshr.entry[i - 1].chain) {
            struct mp_mshr *m = &t->mshr.entry[i - 1];
            m->stale |= mp_scope_has(s, m->down.asid, m->down.va, t->page_shift);
        }
    return empty_array(t, s);
}

int mp_tlb_set_policy(struct mp_tlb *t, const struct mp_tlb_policy *policy,
                      const struct mp_tlb_geometry *geometry)
{
    void *state = new_state(policy, geometry);
    if (!state)
        return -1;
    free(t->state);
    t->state = state;
    t->policy = policy;
    t->watched = t->reuse || policy->asked;
    return 0;
}

void mp_tlb_resume(void *tlb, unsigned link)
{
    struct mp_tlb *t = tlb;
    mp_out_resume(&t->next[link]);
}
