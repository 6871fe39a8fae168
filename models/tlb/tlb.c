/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/parts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/match.h"
#include "engine/memory.h"

/* Ports as they are compared: eight at once. */
static uint32_t starved_room(uint32_t ports)
{
    return (ports + 7) & ~7u;
}

int mp_tlb_init(struct mp_tlb *t, struct mp_wheel *wheel, const struct mp_tlb_params *p)
{
    *t = (struct mp_tlb){.wheel = wheel,
                         .policy = p->policy,
                         .page_shift = p->page_shift,
                         .size = mp_tlb_sizes_of(p->page_sizes ? p->page_sizes : 1ull << p->page_shift),
                         .tenants = p->tenants,
                         .links = p->links,
                         .lookups = p->lookups,
                         .pipeline = p->pipeline,
                         .blocks = p->blocks,
                         .down = aligned_alloc(64, p->mshrs * sizeof *t->down),
                         .starved = mp_calloc(starved_room(p->ports), sizeof *t->starved),
                         .next = mp_calloc(p->tenants, sizeof *t->next),
                         .next_of = mp_calloc(p->tenants, sizeof *t->next_of),
                         .stats = mp_calloc(p->tenants, sizeof *t->stats),
                         .hints = mp_calloc(p->tenants, sizeof *t->hints),
                         .lines = p->counts_lines ? mp_calloc(p->tenants, sizeof *t->lines) : NULL,
                         .reuse = p->reuse_sample ? mp_reuse_new(p->reuse_sample) : NULL};
    if (!t->down || !t->starved || !t->next || !t->next_of || !t->stats || !t->hints ||
        (p->reuse_sample && !t->reuse) || (p->counts_lines && !t->lines) ||
        mp_mshr_init(&t->mshr, p->mshrs, p->merges) || mp_ports_init(&t->ports, p->ports) ||
        mp_tlb_new_array(t, p->policy, &p->geometry) ||
        (mp_exchange_needed(&p->exchange) && !(t->exchange = mp_exchange_new(t, p))) ||
        (mp_prefetch_needed(&p->prefetch) && !(t->prefetch = mp_prefetch_new(t, p)))) {
        mp_tlb_free(t);
        return -1;
    }
    mp_tlb_watch(t); /* the prefetch buffer, too */
    return 0;
}

void mp_tlb_free(struct mp_tlb *t)
{
    free(t->state);
    free(t->down);
    free(t->starved);
    free(t->next);
    free(t->next_of);
    free(t->stats);
    free(t->hints);
    free(t->lines);
    mp_reuse_free(t->reuse);
    mp_exchange_delete(t->exchange);
    mp_prefetch_delete(t->prefetch);
    mp_mshr_free(&t->mshr);
    mp_ports_free(&t->ports);
    *t = (struct mp_tlb){0};
}

void mp_tlb_join(struct mp_tlb *t, unsigned link, struct mp_target target)
{
    t->next[link] =
        (struct mp_out){.target = target, .wheel = t->wheel, .response = mp_tlb_response, .self = t};
}

void mp_tlb_hook(struct mp_tlb *t, const struct mp_tlb_hooks *hooks)
{
    t->hooks = hooks;
    mp_tlb_watch(t);
}

static uint64_t key_of(const struct mp_req *req, uint64_t vpn)
{
    return mp_tlb_key(req->asid, vpn);
}

/* pfn: the frame of 2^shift bytes that has the address. */
static inline void set_result(struct mp_req *req, uint64_t pfn, uint32_t shift, struct mp_span span,
                              uint32_t page, enum mp_answerer source)
{
    uint64_t offset = req->va & ((1ull << shift) - 1);
    req->pa = pfn << shift | offset;
    req->fault = MP_FAULT_NONE;
    req->span = span;
    req->page = (uint8_t)page;
    req->source = source & 15;
}

/* Pages of several sizes have been stored. */
static inline bool has_sizes(const struct mp_tlb *t)
{
    return __builtin_expect(t->size.used > 1, 0);
}

/* The size of the page that was hit. */
static inline uint32_t page_of(const struct mp_tlb *t, struct mp_tlb_hit hit)
{
    return has_sizes(t) ? hit.page : t->page_shift;
}

static inline void set_hit(struct mp_req *req, struct mp_tlb_hit hit, uint32_t page)
{
    set_result(req, hit.pfn, page, hit.span, page, MP_FROM_TLB);
}

static inline struct mp_tlb_hit look_up_any(struct mp_tlb *t, const struct mp_req *req)
{
    return has_sizes(t) ? mp_tlb_lookup_sizes(t, req->asid, req->va)
                        : t->policy->lookup(t->state, req->asid, req->va >> t->page_shift);
}

static struct mp_req *down_of(const struct mp_tlb *t, const struct mp_mshr *m)
{
    return &t->down[m - t->mshr.entry];
}

void mp_tlb_ask_below(struct mp_tlb *t, struct mp_req *down)
{
    mp_out_send(mp_tlb_link(t, down), down);
}

/*
 * A held request that has missed in the array, and for whose page no MSHR is taken, is helped by nothing but
 * a free MSHR until its page is: such requests are starved, and not looked up again at each response. Of the
 * requests of W2, 44 % are held at an L1 TLB and 45 % at an L2 TLB whose MSHRs are all taken. Where pages
 * have several sizes, none is starved: the answer to a miss of another granule may bring its page.
 */
static bool starve(struct mp_tlb *t, const struct mp_req *req, uint64_t key)
{
    t->starved[req->port] = t->misses_repeat && !has_sizes(t) ? key : MP_TLB_NO_KEY;
    return false;
}

/* An MSHR fetches the page: requests for it are not starved. */
static inline void feed(struct mp_tlb *t, uint64_t key)
{
    for (uint32_t p = 0, ports = starved_room(t->ports.count); p < ports; p += 8)
        for (uint64_t same = mp_match64(t->starved + p, 8, key); same; same &= same - 1)
            t->starved[p + (uint32_t)__builtin_ctzll(same)] = MP_TLB_NO_KEY;
}

/* Takes an MSHR for a miss. There is one. */
static void open_miss(struct mp_tlb *t, struct mp_req *req, uint64_t key, uint32_t cycles)
{
    struct mp_mshr *m = mp_mshr_take(&t->mshr, key);
    if (t->ports.held.head)
        feed(t, key);
    m->since = t->wheel->now;
    m->stale_from = 0;
    struct mp_req *down = down_of(t, m);
    *down = (struct mp_req){.owner = m,
                            .va = req->va >> t->page_shift << t->page_shift,
                            .sm = req->sm,
                            .warp = req->warp,
                            .instruction = req->instruction,
                            .asid = req->asid,
                            .tenant = req->tenant,
                            .op = MP_TRANSLATE,
                            .source = MP_FROM_FOREIGN}; /* unless the target says */
    mp_mshr_wait(m, req);
    if (!(t->hooks && t->hooks->miss && t->hooks->miss(t->hooks->self, down, cycles)))
        mp_out_send_in(mp_tlb_link(t, down), down, cycles);
}

/* Puts a miss on an MSHR. false: there is no room. */
static bool take_miss(struct mp_tlb *t, struct mp_req *req, uint64_t vpn, uint32_t cycles)
{
    uint64_t key = key_of(req, vpn);
    struct mp_mshr *m = mp_mshr_find(&t->mshr, key);
    if (!m) {
        if (mp_mshr_full(&t->mshr))
            return starve(t, req, key);
        open_miss(t, req, key, cycles);
        return true;
    }
    if (m->length >= t->mshr.merges) {
        t->starved[req->port] = MP_TLB_NO_KEY;
        return false;
    }
    t->stats[req->tenant].mshr_merges++;
    mp_mshr_wait(m, req);
    return true;
}

static void report_answer(const struct mp_tlb *t, const struct mp_req *req, bool own, uint32_t cycles)
{
    if (t->hooks && t->hooks->answered)
        t->hooks->answered(t->hooks->self, req, own, cycles);
}

static void count_lines(struct mp_tlb_line_stats *s, const struct mp_req *req, bool hit)
{
    for (; req; req = req->more) {
        s->lookups++;
        s->misses += !hit;
    }
}

/* The work that only some TLBs do for every request. */
static void watch(struct mp_tlb *t, const struct mp_req *req, uint64_t vpn, bool hit)
{
    if (t->reuse) {
        uint64_t distance = mp_reuse_touch(t->reuse, key_of(req, vpn));
        if (distance != MP_REUSE_NONE)
            mp_log2_add(t->stats[req->tenant].reuse_distance, distance);
    }
    if (t->lines)
        count_lines(&t->lines[req->tenant], req, hit);
    if (t->policy->asked)
        t->policy->asked(t->state, req->asid, req->sm, req->warp, hit);
    if (t->hooks && t->hooks->asked)
        t->hooks->asked(t->hooks->self, req, hit);
}

/* A hint for whose granule there is no entry takes an MSHR apart from those of demands, so that no demand
 * ever waits for it, and goes on. Its answer passes without being stored. */
#define HINT_KEY (1ull << 63)

static bool sends_hint(struct mp_tlb *t, struct mp_req *req, uint64_t key, uint32_t cycles)
{
    bool busy = t->ports.held.head || t->intake.head || mp_mshr_find(&t->mshr, key) ||
                mp_mshr_find(&t->mshr, key | HINT_KEY);
    struct mp_mshr *m = busy ? NULL : mp_mshr_take(&t->mshr, key | HINT_KEY);
    if (!m)
        return false;
    struct mp_req *down = down_of(t, m);
    *down = *req;
    down->va = req->va >> t->page_shift << t->page_shift;
    down->owner = m;
    down->source = MP_FROM_FOREIGN; /* unless the target says */
    m->since = t->wheel->now;
    m->stale = true; /* its answer is not that of a miss */
    mp_mshr_wait(m, req);
    mp_out_send_in(mp_tlb_link(t, down), down, cycles);
    return true;
}

static enum mp_answer take_hint(struct mp_tlb *t, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_tlb_hint_stats *s = &t->hints[req->tenant];
    struct mp_tlb_hit hit = mp_tlb_peek(t, req->asid, req->va);
    uint32_t cycles = hit.cycles;
    req->port = (uint16_t)port;
    if (!hit.found && t->prefetch)
        hit = mp_prefetch_peek(t->prefetch, req->asid, req->va);
    if (!hit.found && sends_hint(t, req, key_of(req, req->va >> t->page_shift), cycles)) {
        s->passed++;
        return MP_TAKEN;
    }
    s->hits += hit.found;
    s->dropped += !hit.found;
    if (hit.found) {
        set_hit(req, hit, hit.page);
        *delay = cycles;
    }
    return MP_DONE;
}

/* Hints; probes and news of other TLBs. */
static __attribute__((noinline, cold)) enum mp_answer take_aside(struct mp_tlb *t, unsigned port,
                                                                 struct mp_req *req, uint32_t *delay)
{
    *delay = 0;
    mp_req_nothing(req);
    if (req->op == MP_HINT)
        return take_hint(t, port, req, delay);
    if (!mp_op_is_probe(req->op)) {
        if (t->hooks && t->hooks->news)
            t->hooks->news(t->hooks->self, req);
        return MP_DONE;
    }
    struct mp_tlb_hit hit = req->op == MP_PROBE ? look_up_any(t, req) : mp_tlb_peek(t, req->asid, req->va);
    *delay = hit.cycles;
    if (hit.found)
        set_hit(req, hit, page_of(t, hit));
    return MP_DONE;
}

static __attribute__((noinline)) enum mp_answer miss(struct mp_tlb *t, struct mp_req *req, uint32_t cycles)
{
    struct mp_tlb_stats *s = &t->stats[req->tenant];
    s->misses++;
    if (take_miss(t, req, req->va >> t->page_shift, cycles))
        return MP_TAKEN;
    s->stalls++;
    return mp_ports_hold(&t->ports, req);
}

static inline __attribute__((always_inline)) enum mp_answer
answer(struct mp_tlb *t, struct mp_req *req, struct mp_tlb_hit hit, uint32_t page, uint32_t *delay)
{
    struct mp_tlb_stats *s = &t->stats[req->tenant];
    s->lookups++;
    if (!hit.found)
        return miss(t, req, hit.cycles);
    s->hits++;
    set_hit(req, hit, page);
    *delay = hit.cycles;
    return MP_DONE;
}

static enum mp_answer answer_hit(struct mp_tlb *t, struct mp_req *req, struct mp_tlb_hit hit, uint32_t *delay)
{
    enum mp_answer a = answer(t, req, hit, page_of(t, hit), delay);
    if (t->policy->answered)
        t->policy->answered(t->state, req->asid, hit.span);
    report_answer(t, req, true, *delay);
    return a;
}

/* The array does not have the page. The prefetcher is asked after the request's own miss. */
static __attribute__((noinline)) enum mp_answer answer_buffered(struct mp_tlb *t, struct mp_req *req,
                                                                struct mp_tlb_hit hit, uint32_t *delay)
{
    bool fetched = mp_mshr_find(&t->mshr, key_of(req, req->va >> t->page_shift));
    hit = mp_prefetch_look_up(t->prefetch, req, hit);
    enum mp_answer a = hit.found ? answer_hit(t, req, hit, delay) : answer(t, req, hit, t->page_shift, delay);
    if (!fetched)
        mp_prefetch_ask(t->prefetch, req, hit);
    return a;
}

static __attribute__((noinline)) enum mp_answer answer_watched(struct mp_tlb *t, struct mp_req *req,
                                                               struct mp_tlb_hit hit, uint32_t *delay)
{
    watch(t, req, req->va >> t->page_shift, hit.found);
    if (hit.found)
        return answer_hit(t, req, hit, delay);
    return t->prefetch ? answer_buffered(t, req, hit, delay) : answer(t, req, hit, t->page_shift, delay);
}

enum mp_answer mp_tlb_request(void *tlb, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_tlb *t = tlb;
    if (__builtin_expect(!mp_op_is_demand(req->op), 0))
        return take_aside(t, port, req, delay);
    req->port = (uint16_t)port;
    if (t->watched)
        return answer_watched(t, req, look_up_any(t, req), delay);
    struct mp_tlb_hit hit = t->policy->lookup(t->state, req->asid, req->va >> t->page_shift);
    return answer(t, req, hit, t->page_shift, delay);
}

static void answer_late(void *tlb, void *req)
{
    struct mp_tlb *t = tlb;
    struct mp_req *r = req;
    mp_respond(&t->ports.up[r->port], r);
}

/*
 * The look-ups of a TLB that makes few at a time, or that blocks. A request that finds the TLB without a
 * look-up in this cycle waits in the intake. If the TLB blocks, the intake stays as it is while a request is
 * held that has missed, so that those behind it wait, hits too. A look-up that is not pipelined, or in part,
 * counts for more than a cycle, and the end of each serves the intake.
 */
static inline bool stands(const struct mp_tlb *t)
{
    return t->blocks && t->ports.held.head;
}

static bool may_look_up(struct mp_tlb *t)
{
    if (t->pipeline == MP_TLB_PIPELINE_ALL && t->wheel->now != t->looked_up_at) {
        t->looked_up_at = t->wheel->now;
        t->looked_up = 0;
    }
    return !stands(t) && (!t->lookups || t->looked_up < t->lookups);
}

static void drain_intake(struct mp_tlb *t);

static void end_look_up(void *tlb, void *unused)
{
    struct mp_tlb *t = tlb;
    (void)unused;
    t->looked_up--;
    drain_intake(t);
}

/* A look-up in the array, which takes these cycles. One that a pending miss answers is pipelined in any case.
 */
static void occupy(struct mp_tlb *t, uint32_t cycles, bool in_array)
{
    const uint32_t steps = t->pipeline == MP_TLB_PIPELINE_NONE ? cycles : 1 + cycles - t->miss_latency;
    t->looked_up++;
    if (t->pipeline != MP_TLB_PIPELINE_ALL)
        mp_at(t->wheel, in_array ? steps : 1, end_look_up, t, NULL);
}

/* Pending misses are looked up before the array. */
static enum mp_answer look_up(struct mp_tlb *t, struct mp_req *req, uint32_t *delay)
{
    struct mp_tlb_hit hit = {.cycles = t->miss_latency};
    const bool in_array = !mp_mshr_find(&t->mshr, key_of(req, req->va >> t->page_shift));
    if (in_array)
        hit = look_up_any(t, req);
    occupy(t, hit.cycles, in_array);
    return t->watched ? answer_watched(t, req, hit, delay) : answer(t, req, hit, page_of(t, hit), delay);
}

static void step_intake(void *tlb, void *unused);

/* Requests that wait for nothing but a look-up get one in the next cycle, or when one ends. */
static void plan_intake(struct mp_tlb *t)
{
    if (!t->intake.head || t->intake_planned || stands(t) || t->pipeline != MP_TLB_PIPELINE_ALL)
        return;
    t->intake_planned = true;
    mp_at(t->wheel, 1, step_intake, t, NULL);
}

static void drain_intake(struct mp_tlb *t)
{
    while (t->intake.head && may_look_up(t)) {
        struct mp_req *req = mp_queue_pop(&t->intake);
        const struct mp_initiator *up = &t->ports.up[req->port];
        uint32_t delay = 0;
        enum mp_answer answer = look_up(t, req, &delay);
        if (answer == MP_DONE)
            mp_at(t->wheel, delay, answer_late, t, req);
        if (answer != MP_HELD)
            up->resume(up->self, up->port);
    }
    plan_intake(t);
}

static void step_intake(void *tlb, void *unused)
{
    struct mp_tlb *t = tlb;
    (void)unused;
    t->intake_planned = false;
    drain_intake(t);
}

enum mp_answer mp_tlb_request_in_order(void *tlb, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_tlb *t = tlb;
    if (__builtin_expect(!mp_op_is_demand(req->op), 0))
        return take_aside(t, port, req, delay);
    req->port = (uint16_t)port;
    if (!t->intake.head && may_look_up(t))
        return look_up(t, req, delay);
    t->stats[req->tenant].stalls += stands(t);
    mp_queue_push(&t->intake, req);
    plan_intake(t);
    return MP_HELD;
}

/* Serves a held request, unless there is still no room for it. Its translation may have come in the meantime,
 * so it is looked up again if it is not starved. */
static bool serve_one(struct mp_tlb *t, struct mp_req *req)
{
    uint64_t key = t->starved[req->port];
    if (key != MP_TLB_NO_KEY) {
        if (mp_mshr_full(&t->mshr))
            return false;
        t->starved[req->port] = MP_TLB_NO_KEY;
        open_miss(t, req, key, t->miss_latency);
        return true;
    }
    struct mp_tlb_hit hit = look_up_any(t, req);
    if (!hit.found && t->prefetch)
        hit = mp_prefetch_look_up(t->prefetch, req, hit);
    if (!hit.found)
        return take_miss(t, req, req->va >> t->page_shift, hit.cycles);
    set_hit(req, hit, page_of(t, hit));
    report_answer(t, req, true, hit.cycles);
    mp_at(t->wheel, hit.cycles, answer_late, t, req);
    return true;
}

/* The request that was held first is served first, and the others wait for it, so that none starves. */
static void serve_all_held(struct mp_tlb *t)
{
    if (t->serving_held)
        return;
    t->serving_held = true;
    while (t->ports.held.head) {
        struct mp_req *req = t->ports.held.head;
        struct mp_req *after = req->next;
        if (!serve_one(t, req))
            break;
        t->ports.held.head = after;
        t->ports.held.length--;
        const struct mp_initiator *up = &t->ports.up[req->port];
        up->resume(up->self, up->port);
    }
    t->serving_held = false;
    if (t->blocks)
        drain_intake(t);
}

static inline void serve_held(struct mp_tlb *t)
{
    if (t->ports.held.head)
        serve_all_held(t);
}

void mp_tlb_serve_held(struct mp_tlb *t)
{
    serve_held(t);
}

/* Whether a warp that waits for the miss, or that has been answered early, may fill. last: of those that
 * wait, in a ring; NULL: none does. */
static bool may_fill(const struct mp_tlb *t, const struct mp_req *last, const struct mp_req *down)
{
    if (!t->policy->may_fill)
        return true;
    if (!last)
        return t->policy->may_fill(t->state, down->asid, down->sm, down->warp);
    const struct mp_req *waiting = last;
    do {
        waiting = waiting->next;
        if (t->policy->may_fill(t->state, waiting->asid, waiting->sm, waiting->warp))
            return true;
    } while (waiting != last);
    return false;
}

/* An entry and its pages count for the tenants that own them, which have filled before. */
static void count_fill(struct mp_tlb *t, const struct mp_tlb_insertion *done, const struct mp_tlb_left *left)
{
    for (uint32_t i = 0; i < left->count; i++)
        t->stats[t->tenant_of[left->run[i].asid]].translations_lost += mp_tlb_pages(&left->run[i]);
    if (done->entry_evicted) {
        struct mp_tlb_stats *owner = &t->stats[t->tenant_of[done->evicted_asid]];
        owner->evictions++;
        uint32_t used = done->evicted_used < MP_MAX_SUB_ENTRIES ? done->evicted_used : MP_MAX_SUB_ENTRIES;
        owner->sub_entries_at_eviction[used]++;
    }
}

/* The first page of a size: from now on the answer to a miss may bring the page of another, so that none is
 * starved. */
static __attribute__((noinline, cold)) void use_size(struct mp_tlb *t, uint32_t size)
{
    t->size.used |= (uint8_t)(1u << size);
    t->watched = true;
    for (uint32_t p = 0; p < t->ports.count; p++)
        t->starved[p] = MP_TLB_NO_KEY;
}

/* The answer to a miss is a page that is larger than the granule. Returns the number of the page as it is
 * kept. */
static __attribute__((noinline)) uint64_t choose_size(struct mp_tlb *t, struct mp_req *down)
{
    uint32_t size = mp_tlb_fit(&t->size, down);
    if (!(t->size.used >> size & 1))
        use_size(t, size);
    return mp_tlb_number(&t->size, down->va, size);
}

/* Stores the answer to a miss, for which the ring up to `last` waits. */
static inline __attribute__((always_inline)) void fill(struct mp_tlb *t, const struct mp_req *last,
                                                       struct mp_req *down)
{
    const struct mp_tlb_hooks *hooks = t->hooks;
    bool large = __builtin_expect(down->page > t->page_shift, 0);
    uint64_t vpn = large ? choose_size(t, down) : down->va >> t->page_shift;
    struct mp_translation to = {down->pa >> (large ? down->page : t->page_shift), down->span};
    bool into_array = may_fill(t, last, down);
    struct mp_tlb_left left;
    left.count = left.pages = 0;
    if (hooks && hooks->changes)
        hooks->changes(hooks->self);
    t->tenant_of[down->asid] = down->tenant;
    t->asids |= (uint8_t)(1u << down->asid);
    struct mp_tlb_insertion done =
        (into_array ? t->policy->insert : t->policy->bypass)(t->state, down->asid, vpn, to, &left);
    t->stats[down->tenant].fills++;
    t->stats[down->tenant].bypasses += !into_array;
    count_fill(t, &done, &left);
    if (hooks && hooks->filled)
        hooks->filled(hooks->self, down->asid, vpn, to, &left);
}

void mp_tlb_store(struct mp_tlb *t, struct mp_req *answer)
{
    fill(t, NULL, answer);
}

static bool is_stored(const struct mp_tlb *t, const struct mp_mshr *m, const struct mp_req *down)
{
    return !down->fault && (!t->hooks || !t->hooks->stores || t->hooks->stores(t->hooks->self, m, down));
}

static inline void copy_result(const struct mp_tlb *t, struct mp_req *req, const struct mp_req *a)
{
    set_result(req, a->pa >> t->page_shift, t->page_shift, a->span, a->page, (enum mp_answerer)a->source);
    if (__builtin_expect(a->fault, 0)) {
        req->fault = a->fault;
        req->pa = a->pa;
    }
}

/* Gives all requests that waited the result of `a`. */
static void answer_all(struct mp_tlb *t, struct mp_req *req, const struct mp_req *a)
{
    bool reported = t->hooks && t->hooks->answered;
    while (req) {
        struct mp_req *after = req->next;
        __builtin_prefetch(after);
        copy_result(t, req, a);
        if (__builtin_expect(reported, 0))
            report_answer(t, req, false, 0);
        mp_respond(&t->ports.up[req->port], req);
        req = after;
    }
}

/* The MSHR is free, before the answers: an initiator may send again at once, and would take it. */
static void release(struct mp_tlb *t, struct mp_mshr *m, uint8_t tenant)
{
    t->stats[tenant].miss_cycles += t->wheel->now - m->since;
    mp_mshr_release(&t->mshr, m);
    serve_held(t);
}

/* The MSHR stays, without the requests that wait. */
static void answer_waiting(struct mp_tlb *t, struct mp_mshr *m, const struct mp_req *with,
                           enum mp_answerer source)
{
    struct mp_req *req = mp_mshr_list(m);
    struct mp_req a = *with; /* which may be sent again before all are answered */
    a.source = source & 15;
    mp_mshr_empty(m);
    serve_held(t); /* there is room on the MSHR */
    answer_all(t, req, &a);
}

static bool is_stale(const struct mp_mshr *m, const struct mp_req *down)
{
    return m->stale || (m->stale_from && down->page >= m->stale_from);
}

void mp_tlb_answer_waiting(struct mp_tlb *t, struct mp_mshr *m, const struct mp_req *with)
{
    if (!is_stale(m, with))
        answer_waiting(t, m, with, (enum mp_answerer)with->source);
}

/* The hint that this TLB has sent on, or one of its prefetch buffer. */
static void hint_answered(struct mp_tlb *t, struct mp_mshr *m, struct mp_req *down)
{
    if (down->source == MP_FROM_WALK_EARLY) /* of a foreign module */
        return;
    struct mp_req *req = mp_mshr_list(m);
    if (!req) {
        mp_prefetch_response(t->prefetch, m, down);
        return;
    }
    copy_result(t, req, down);
    m->stale = false;
    mp_mshr_release(&t->mshr, m);
    serve_held(t);
    mp_respond(&t->ports.up[req->port], req);
}

/* Responses after which nothing is stored. */
static __attribute__((noinline, cold)) void respond_without_fill(struct mp_tlb *t, struct mp_mshr *m,
                                                                 struct mp_req *down)
{
    if (down->op == MP_HINT) {
        hint_answered(t, m, down);
        return;
    }
    if (down->source == MP_FROM_WALK_EARLY) { /* the MSHR gets a second response */
        if (!is_stale(m, down))
            answer_waiting(t, m, down, MP_FROM_WALK);
        return;
    }
    m->stale = false;
    m->stale_from = 0;
    if (m->last)
        mp_tlb_ask_below(t, down);
    else /* all have been answered early */
        release(t, m, down->tenant);
}

void mp_tlb_response(void *tlb, struct mp_req *down)
{
    struct mp_tlb *t = tlb;
    struct mp_mshr *m = down->owner;
    if (__builtin_expect(is_stale(m, down) | (down->source == MP_FROM_WALK_EARLY) |
                             (down->source == MP_FROM_NOTHING),
                         0)) {
        respond_without_fill(t, m, down);
        return;
    }
    __builtin_prefetch(m->last); /* arrives while the translation is stored */
    if (is_stored(t, m, down))
        fill(t, m->last, down);
    struct mp_req *req = mp_mshr_list(m);
    if (req)
        __builtin_prefetch(req->owner); /* of a TLB above: its MSHR */
    struct mp_req a = *down;            /* which the next miss of the MSHR takes, before all are answered */
    release(t, m, a.tenant);
    answer_all(t, req, &a);
}

void mp_tlb_resume(void *tlb, unsigned link)
{
    struct mp_tlb *t = tlb;
    mp_out_resume(&t->next[link]);
}
