/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/walk.h"

#include <stdlib.h>

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_walk_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(walks, "walks", "completed page walks"),
    COUNTER(queue_cycles, "cycles", "from arrival to the walk's start, summed"),
    COUNTER(walk_cycles, "cycles", "from the walk's start to its end, summed"),
    COUNTER(levels_read, "entries", "page table entries read"),
    COUNTER(pwc_lookups, "lookups",
            "lookups in the page walk cache: one per walk, or one per upper level (optimistic)"),
    COUNTER(pwc_hits, "lookups", "lookups that let a walk skip levels"),
    COUNTER(stalls, "requests", "requests held at the port because the queue was full"),
    COUNTER(faults, "walks", "walks that found no valid entry"),
    COUNTER(stolen, "walks", "walks by walkers that another tenant owns"),
    COUNTER(waited_for, "walks",
            "walks of other tenants for which this tenant's walks waited, summed (interleaving)"),
    {"walk_latency", "cycles", "from arrival to end", MP_HISTOGRAM_LOG_LINEAR,
     offsetof(struct mp_walk_stats, walk_latency), MP_LATENCY_BINS},
};

const struct mp_metric_table mp_walk_metrics = {"walk", sizeof(struct mp_walk_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

static const struct mp_metric hint_metrics[] = {
    COUNTER(walks, "walks", "completed page walks of hints"),
    {"dropped", "hints", "that got nothing: no walker for them was idle, or a request was held", MP_COUNTER,
     offsetof(struct mp_walk_stats, stalls), 0},
    COUNTER(faults, "walks", "walks of hints that found no valid entry"),
    COUNTER(walk_cycles, "cycles", "from the walk's start to its end, summed"),
    COUNTER(levels_read, "entries", "page table entries read"),
    COUNTER(pwc_lookups, "lookups", "lookups of hints in the page walk cache"),
    COUNTER(pwc_hits, "lookups", "lookups that let a walk skip levels"),
    COUNTER(stolen, "walks", "walks by walkers that another tenant owns"),
};

const struct mp_metric_table mp_walk_hint_metrics = {
    "hints", sizeof(struct mp_walk_stats), sizeof hint_metrics / sizeof *hint_metrics, hint_metrics};

static int init_method(struct mp_walk *w)
{
    const struct mp_walk_method *m = w->p.method;
    const struct mp_metric_table *counters = m->design.counters;
    if (counters && !(w->method_stats = calloc(w->p.geometry.tenants, counters->bytes)))
        return -1;
    if (m->bytes && !(w->method = calloc(1, m->bytes(&w->p))))
        return -1;
    if (m->init)
        m->init(w->method, &w->p);
    return 0;
}

static uint32_t work(const void *walk, const struct mp_req *req)
{
    const struct mp_walk *w = walk;
    return w->p.method->work ? w->p.method->work(w, req) : w->format[req->asid]->levels;
}

static bool joins(void *walk, const struct mp_req *req)
{
    struct mp_walk *w = walk;
    return w->p.method->joins(w, req);
}

static bool answers(void *walk, uint32_t walker, struct mp_req *req)
{
    struct mp_walk *w = walk;
    return w->p.method->answers(w, &w->walker[walker], req);
}

static int init_intake(struct mp_walk *w, struct mp_intake *in, const struct mp_walk_scheduler *scheduler,
                       const struct mp_walk_rules *rules)
{
    if (mp_intake_init(in, scheduler, &w->p.geometry, rules, &w->view))
        return -1;
    in->sharing = w->p.method->joins ? &w->sharing : NULL;
    return 0;
}

int mp_walk_init(struct mp_walk *w, struct mp_wheel *wheel, const struct mp_walk_params *p)
{
    const struct mp_walk_geometry *g = &p->geometry;
    *w = (struct mp_walk){.wheel = wheel,
                          .p = *p,
                          .view = {w, work},
                          .sharing = {w, joins, answers},
                          .walker = calloc(g->walkers, sizeof *w->walker),
                          .stats = calloc(g->tenants, sizeof *w->stats),
                          .hints = calloc(g->tenants, sizeof *w->hints),
                          .pages = p->counts_pages ? calloc(g->tenants, sizeof *w->pages) : NULL,
                          .memory = calloc(p->links ? p->links : 1, sizeof *w->memory),
                          .bytes = UINT64_MAX,
                          .retried = MP_NEVER};
    w->p.map = mp_map_or_default(p->map);
    for (unsigned a = 0; a < MP_ASIDS; a++)
        w->format[a] = p->format;
    if (!p->table)
        w->p.table = &mp_page_table_radix;
    if (!w->walker || !w->stats || !w->hints || (p->counts_pages && !w->pages) || !w->memory ||
        init_method(w) || mp_ports_init(&w->ports, p->ports) ||
        mp_walk_records_init(&w->records, (uint64_t)g->walkers + g->queue + p->ports) ||
        init_intake(w, &w->intake, p->scheduler, &p->rules) ||
        mp_pwc_init(&w->pwc, w->format, p->pwc_entries, p->pwc_ways)) {
        mp_walk_free(w);
        return -1;
    }
    return 0;
}

void mp_walk_free(struct mp_walk *w)
{
    free(w->walker);
    free(w->stats);
    free(w->hints);
    free(w->pages);
    free(w->memory);
    free(w->method);
    free(w->method_stats);
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

void mp_walk_set_reach(struct mp_walk *w, uint16_t asid, uint64_t base, uint64_t bytes)
{
    w->reach[asid] = (struct mp_walk_reach){base, bytes};
}

void mp_walk_set_root(struct mp_walk *w, uint16_t asid, const struct mp_page_format *format, uint64_t root)
{
    const struct mp_scope all = {.every_page = true, .asid = asid};
    if (w->format[asid] != format)
        mp_pwc_invalidate(&w->pwc, &all);
    w->format[asid] = format;
    w->root[asid] = root - w->base < w->bytes ? root : MP_WALK_NOWHERE;
}

void mp_walk_join(struct mp_walk *w, unsigned link, struct mp_target memory)
{
    w->memory[link] =
        (struct mp_out){.target = memory, .wheel = w->wheel, .response = mp_walk_response, .self = w};
}

static struct mp_walk_stats *stats_of(const struct mp_walk *w, const struct mp_req *req)
{
    return (req->op == MP_HINT ? w->hints : w->stats) + req->tenant;
}

/* ---- waiting for other tenants ---- */

/* Walkers belong to tenants. */
static bool owned(const struct mp_walk *w)
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

/* The number of other tenants' walks that this one has waited for: those that walkers which serve its tenant
 * have started since it arrived, and the walk that was in flight at its arrival on the walker that takes it
 * now, if this walker serves its tenant. */
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
        k->stats->stolen += owner != req->tenant;
        return;
    }
    for (uint32_t t = 0; t < w->p.geometry.tenants; t++)
        w->others[t] += t != req->tenant;
}

/* ---- a walk's steps ---- */

static void read_done(void *walk, void *walker);

/* The entry takes a fixed time. */
static void read_fixed(struct mp_walk *w, struct mp_walker *k)
{
    if (w->p.flat && k->level)
        read_done(w, k);
    else
        mp_at(w->wheel, w->p.level_latency, read_done, w, k);
}

static void read_entry(void *walk, void *walker)
{
    struct mp_walk *w = walk;
    struct mp_walker *k = walker;
    k->stats->levels_read++;
    if (w->observer)
        w->observer->reads(w->observer->self, (uint32_t)(k - w->walker));
    if (w->p.level_latency) {
        read_fixed(w, k);
        return;
    }
    k->read = (struct mp_req){.owner = k,
                              .pa = k->at,
                              .sm = k->walk->sm,
                              .asid = k->walk->asid,
                              .tenant = k->walk->tenant,
                              .op = MP_PTE_READ};
    mp_out_send(&w->memory[w->p.links > 1 ? mp_map_channel(&w->p.map, k->at, w->p.links) : 0], &k->read);
}

static void count_result(struct mp_walk *w, struct mp_walk_stats *s, const struct mp_req *req)
{
    s->walks++;
    s->faults += req->fault != MP_FAULT_NONE;
    if (w->pages && req->op != MP_HINT)
        mp_walk_pages_count(&w->pages[req->tenant], req);
    mp_latencies_add(&s->walk_latency, w->wheel->now - mp_walk_record_of(&w->records, req)->arrived);
}

/* The request has its result, which may be the answer before the end. */
static void count_answer(struct mp_walk *w, struct mp_walker *k)
{
    count_result(w, k->stats, k->walk);
    k->answered = true;
}

static void answer_early(struct mp_walk *w, struct mp_walker *k)
{
    const struct mp_initiator *up = &w->ports.up[k->walk->port];
    count_answer(w, k);
    if (k->walk->op == MP_HINT)
        return;
    k->walk->source = MP_FROM_WALK_EARLY;
    mp_respond(up, k->walk);
}

static void finish(struct mp_walk *w, struct mp_walker *k);

static void go(struct mp_walk *w, struct mp_walker *k, enum mp_walk_step step)
{
    while (step == MP_WALK_WAIT && !k->delay)
        step = w->p.method->next(w, k, mp_physmem_read64(w->p.memory, k->at));
    switch (step) {
    case MP_WALK_READ:
        read_entry(w, k);
        break;
    case MP_WALK_READ_LATER:
        mp_at(w->wheel, k->delay, read_entry, w, k);
        break;
    case MP_WALK_WAIT:
        mp_at(w->wheel, k->delay, read_done, w, k);
        break;
    case MP_WALK_ANSWER_AND_READ:
        answer_early(w, k);
        read_entry(w, k);
        break;
    case MP_WALK_END:
        finish(w, k);
        break;
    }
}

/* A walk that has answered cannot fault any more. */
static bool is_poisoned(const struct mp_walk *w, const struct mp_walker *k)
{
    return !k->answered && !(k->table & MP_WALK_NOWHERE) && w->faults->poisoned(w->faults->self, k->at);
}

static void fail_poisoned(struct mp_walk *w, struct mp_walker *k)
{
    k->walk->pa = k->at;
    k->walk->fault = (uint8_t)(MP_FAULT_ECC | k->format->level[k->level] << MP_FAULT_LEVEL_SHIFT);
    k->walk->span = (struct mp_span){0};
    finish(w, k);
}

static void read_done(void *walk, void *walker)
{
    struct mp_walk *w = walk;
    struct mp_walker *k = walker;
    if (__builtin_expect(k->stale, 0))
        finish(w, k);
    else if (__builtin_expect(w->faults != NULL, 0) && is_poisoned(w, k))
        fail_poisoned(w, k);
    else
        go(w, k, w->p.method->next(w, k, mp_physmem_read64(w->p.memory, k->at)));
}

static void begin(struct mp_walk *w, struct mp_walker *k)
{
    k->stuck = false;
    go(w, k, w->p.method->begin(w, k));
}

static void begin_late(void *walk, void *walker)
{
    struct mp_walk *w = walk;
    struct mp_walker *k = walker;
    if (k->stuck && k->stuck_until == w->wheel->now)
        begin(w, k);
}

static void begin_or_stick(struct mp_walk *w, struct mp_walker *k)
{
    const uint64_t cycles = w->faults->sticks(w->faults->self);
    if (!cycles) {
        begin(w, k);
        return;
    }
    k->stuck = true;
    k->stuck_until = cycles == MP_NEVER ? MP_NEVER : w->wheel->now + cycles;
    if (cycles != MP_NEVER)
        mp_at(w->wheel, cycles, begin_late, w, k);
}

void mp_walk_restart(struct mp_walk *w)
{
    for (uint32_t i = 0; i < w->p.geometry.walkers; i++)
        if (w->walker[i].stuck)
            begin(w, &w->walker[i]);
}

static void start(struct mp_walk *w, struct mp_walker *k, struct mp_req *req)
{
    k->stats = stats_of(w, req);
    note_start(w, k, req);
    k->walk = req;
    k->format = w->format[req->asid];
    k->started = w->wheel->now;
    k->answered = k->stale = false;
    k->stats->queue_cycles += k->started - mp_walk_record_of(&w->records, req)->arrived;
    if (w->observer)
        w->observer->starts(w->observer->self, (uint32_t)(k - w->walker), req);
    if (__builtin_expect(w->faults != NULL, 0))
        begin_or_stick(w, k);
    else
        go(w, k, w->p.method->begin(w, k));
}

static void start_waiting(struct mp_walk *w, struct mp_walker *k, struct mp_req *req)
{
    if (w->observer)
        w->observer->waits(w->observer->self, req->tenant, -1);
    stats_of(w, req)->waited_for += waited_for(w, k, req);
    start(w, k, req);
}

/* The scheduler has chosen this walk, which waits, for the walker; or NULL. It starts, or the next one that
 * does not join a walk in flight. */
static void start_chosen(struct mp_walk *w, struct mp_walker *k, struct mp_req *chosen)
{
    struct mp_req *req = mp_intake_start(&w->intake, (uint32_t)(k - w->walker), chosen);
    if (req)
        start_waiting(w, k, req);
}

/* ---- walks that others answer ---- */

/* The walk, which has waited until now, has its result without a walker. */
static void count_answered(struct mp_walk *w, struct mp_req *req)
{
    const struct mp_walk_record *r = mp_walk_record_of(&w->records, req);
    struct mp_walk_stats *s = stats_of(w, req);
    count_result(w, s, req);
    s->queue_cycles += w->wheel->now - r->arrived;
    s->waited_for += w->others[req->tenant] - r->others;
    if (w->observer)
        w->observer->waits(w->observer->self, req->tenant, -1);
    req->source = MP_FROM_WALK;
    mp_walk_record_give(&w->records, req);
}

static void answer_others(struct mp_walk *w, const struct mp_walker *k, struct mp_req_queue *done)
{
    mp_intake_answer(&w->intake, (uint32_t)(k - w->walker), done);
    for (struct mp_req *req = done->head; req; req = req->next)
        count_answered(w, req);
}

static void serve_outside(void *walk, void *unused);

/* Requests that are held get the room that started walks have left, after all completions of the cycle: the
 * choice of a walk for a walker must not depend on the order of these completions. With one line for all it
 * never does. */
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
            start_chosen(w, &w->walker[walker], req);
        up->resume(up->self, up->port);
        if (w->intake.published) {
            retry(w);
            return;
        }
    }
}

static void finish(struct mp_walk *w, struct mp_walker *k)
{
    struct mp_req *req = k->walk, *other;
    struct mp_req_queue others = {0};
    uint64_t now = w->wheel->now;
    if (!k->answered)
        count_answer(w, k);
    req->source = k->stale ? MP_FROM_NOTHING : MP_FROM_WALK;
    k->stats->walk_cycles += now - k->started;
    mp_walk_record_give(&w->records, req);
    if (w->observer)
        w->observer->ends(w->observer->self, (uint32_t)(k - w->walker));
    if (__builtin_expect(w->faults != NULL, 0) && !req->fault && !k->stale)
        w->faults->found(w->faults->self, req->pa);
    if (__builtin_expect(w->intake.sharing != NULL, 0))
        answer_others(w, k, &others);
    k->walk = NULL;
    k->ended = now;
    start_chosen(w, k, w->p.scheduler->complete(w->intake.state, (uint32_t)(k - w->walker)));
    retry(w);
    mp_respond(&w->ports.up[req->port], req);
    while ((other = mp_queue_pop(&others)))
        mp_respond(&w->ports.up[other->port], other);
}

/* Owners have changed: idle walkers may now serve walks that wait. */
static void divided(struct mp_walk *w)
{
    const struct mp_walk_scheduler *s = w->p.scheduler;
    if (w->observer)
        w->observer->divided(w->observer->self);
    for (uint32_t i = 0; s->wake && i < w->p.geometry.walkers; i++) {
        if (!w->walker[i].walk)
            start_chosen(w, &w->walker[i], s->wake(w->intake.state, i));
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

uint32_t mp_walk_reads_left(struct mp_walk *w, uint16_t asid, uint64_t va)
{
    struct mp_req req = {.va = va, .asid = (uint8_t)asid, .op = MP_TRANSLATE};
    note_arrival(w, &req);
    uint32_t reads = work(w, &req);
    mp_walk_record_give(&w->records, &req);
    return reads;
}

int mp_walk_configure(struct mp_walk *w, const struct mp_walk_scheduler *scheduler,
                      const struct mp_walk_rules *rules, const uint64_t owned[MP_TENANTS])
{
    struct mp_intake intake;
    if (init_intake(w, &intake, scheduler, rules))
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

/* Log2 of the bytes around a walk's page on whose translations it depends. */
static uint32_t reach_of(const struct mp_walk *w, const struct mp_walker *k)
{
    const struct mp_walk_method *m = w->p.method;
    uint32_t reach = m->reach_of ? m->reach_of(w, k) : m->reach;
    return reach > k->format->page_shift ? reach : k->format->page_shift;
}

/* The tables that others have found for waiting walks of the scope may be others now. */
static void forget_found(struct mp_walk *w, const struct mp_scope *scope)
{
    for (uint32_t i = 0; i < mp_intake_queues(&w->intake); i++) {
        const struct mp_req_queue *q = mp_intake_queue(&w->intake, i);
        const struct mp_req *req = q->head;
        for (uint32_t n = q->length; n--; req = req->next) {
            struct mp_walk_record *r = mp_walk_record_of(&w->records, req);
            const struct mp_page_format *f = w->format[req->asid];
            if (r->level && mp_scope_has(scope, req->asid, req->va, f->low_bit[f->level[r->level] - 1]))
                r->level = 0;
        }
    }
}

uint32_t mp_walk_invalidate(struct mp_walk *w, const struct mp_scope *scope)
{
    const struct mp_walk_method *m = w->p.method;
    for (uint32_t i = 0; i < w->p.geometry.walkers; i++) {
        struct mp_walker *k = &w->walker[i];
        if (!k->walk || !mp_scope_has(scope, k->walk->asid, k->walk->va, reach_of(w, k)))
            continue;
        k->format = w->format[k->walk->asid];
        if (k->answered)
            k->stale = true;
        else
            m->again(w, k);
    }
    if (w->intake.sharing)
        forget_found(w, scope);
    uint32_t gone = mp_pwc_invalidate(&w->pwc, scope);
    return m->invalidate ? gone + m->invalidate(w, scope) : gone;
}

/* Whether a walker is idle that serves the tenant first. */
static bool has_idle(const struct mp_walk *w, uint8_t tenant)
{
    for (uint32_t i = 0; i < w->p.geometry.walkers; i++)
        if (!w->walker[i].walk && (!owned(w) || owner_of(w, &w->walker[i]) == tenant))
            return true;
    return false;
}

/* A scheduler of a plugin may queue a walk although a walker is idle, and then queues a hint, too. */
static __attribute__((noinline, cold)) enum mp_answer take_hint(struct mp_walk *w, struct mp_req *req)
{
    int walker = MP_WALK_NO_ROOM;
    note_arrival(w, req);
    if (!w->intake.outside.length && has_idle(w, req->tenant))
        walker = w->p.scheduler->arrive(w->intake.state, req);
    if (walker == MP_WALK_NO_ROOM) {
        mp_walk_record_give(&w->records, req);
        w->hints[req->tenant].stalls++;
        mp_req_nothing(req);
        return MP_DONE;
    }
    if (walker >= 0)
        start(w, &w->walker[walker], req);
    else if (w->observer)
        w->observer->waits(w->observer->self, req->tenant, 1);
    return MP_TAKEN;
}

enum mp_answer mp_walk_request(void *walk, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_walk *w = walk;
    req->port = (uint16_t)port;
    if (__builtin_expect(req->op == MP_HINT, 0)) {
        *delay = 0;
        return take_hint(w, req);
    }
    note_arrival(w, req);
    int walker = mp_intake_arrive(&w->intake, req);
    struct mp_req *starts = walker < 0 ? NULL : mp_intake_start(&w->intake, (uint32_t)walker, req);
    if (starts == req) {
        start(w, &w->walker[walker], req);
        return MP_TAKEN;
    }
    if (w->observer)
        w->observer->waits(w->observer->self, req->tenant, 1);
    if (walker == MP_WALK_NO_ROOM) {
        w->stats[req->tenant].stalls++;
        return MP_HELD;
    }
    if (starts)
        start_waiting(w, &w->walker[walker], starts);
    return MP_TAKEN;
}

void mp_walk_response(void *walk, struct mp_req *read)
{
    read_done(walk, read->owner);
}

void mp_walk_resume(void *walk, unsigned link)
{
    struct mp_walk *w = walk;
    mp_out_resume(&w->memory[link]);
}
