/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/virtual.h"

#include <stdlib.h>
#include <string.h>

#include "engine/match.h"

#define ASID_SHIFT 56u /* lines of 57-bit addresses have at most 52 bits */

int mp_virtual_cache_init(struct mp_virtual_cache *c, struct mp_wheel *wheel, const struct mp_cache_params *p)
{
    *c = (struct mp_virtual_cache){.wheel = wheel,
                                   .p = *p,
                                   .tag = calloc((size_t)p->sets * p->ways, sizeof *c->tag),
                                   .up = calloc(p->ports, sizeof *c->up),
                                   .below = calloc(p->links, sizeof *c->below),
                                   .stats = calloc(p->tenants, sizeof *c->stats)};
    if (!c->tag || !c->up || !c->below || !c->stats || mp_mshr_init(&c->mshr, p->mshrs, p->merges)) {
        mp_virtual_cache_free(c);
        return -1;
    }
    c->p.below = mp_map_or_default(p->below);
    return 0;
}

void mp_virtual_cache_free(struct mp_virtual_cache *c)
{
    free(c->tag);
    free(c->up);
    free(c->below);
    free(c->stats);
    mp_mshr_free(&c->mshr);
    mp_pool_free(&c->pool);
    *c = (struct mp_virtual_cache){0};
}

void mp_virtual_cache_join(struct mp_virtual_cache *c, unsigned link, struct mp_target target)
{
    bool lines = link < c->p.links;
    *(lines ? &c->below[link] : &c->translate) =
        (struct mp_out){.target = target,
                        .wheel = c->wheel,
                        .response = lines ? mp_virtual_cache_response : mp_virtual_cache_translated,
                        .self = c};
}

/* --- the array ------------------------------------------------------------------------------------- */

struct place {
    uint64_t tag;
    uint64_t *set;
};

static struct place place_of(const struct mp_virtual_cache *c, uint16_t asid, uint64_t va)
{
    uint64_t line = va >> c->p.line_shift;
    return (struct place){((uint64_t)asid << ASID_SHIFT | line) + 1,
                          c->tag + (uint64_t)mp_set_of((uint32_t)line, c->p.sets) * c->p.ways};
}

#define NO_WAY UINT32_MAX

uint64_t mp_virtual_cache_line(const struct mp_virtual_cache *c, uint64_t tag)
{
    return ((tag - 1) & ((1ull << ASID_SHIFT) - 1)) << c->p.line_shift;
}

static uint32_t find_way(const struct mp_virtual_cache *c, struct place at)
{
    if (at.set[0] == at.tag)
        return 0;
    uint64_t found = mp_match64(at.set, c->p.ways, at.tag);
    return found ? (uint32_t)__builtin_ctzll(found) : NO_WAY;
}

/* Puts a tag at the front; the one of way `way` leaves its place. */
static void put_first(struct place at, uint32_t way)
{
    for (; way; way--)
        at.set[way] = at.set[way - 1];
    at.set[0] = at.tag;
}

static void drop(const struct mp_virtual_cache *c, uint64_t *set, uint32_t way)
{
    for (; way + 1 < c->p.ways; way++)
        set[way] = set[way + 1];
    set[way] = 0;
}

static bool is_in(const struct mp_virtual_cache *c, uint64_t tag, const struct mp_scope *scope)
{
    uint64_t line = (tag - 1) & ((1ull << ASID_SHIFT) - 1);
    return tag &&
           mp_scope_has(scope, (uint16_t)((tag - 1) >> ASID_SHIFT), line << c->p.line_shift, c->p.page_shift);
}

uint32_t mp_virtual_cache_invalidate(struct mp_virtual_cache *c, const struct mp_scope *scope)
{
    uint32_t gone = 0;
    for (uint32_t b = 0; c->mshr.used && b <= c->mshr.mask; b++)
        for (uint16_t i = c->mshr.bucket[b]; i; i = c->mshr.entry[i - 1].chain)
            c->mshr.entry[i - 1].stale |= is_in(c, c->mshr.entry[i - 1].key, scope);
    for (uint32_t s = 0; s < c->p.sets; s++)
        for (uint32_t way = c->p.ways; way-- > 0;) {
            uint64_t *set = c->tag + (size_t)s * c->p.ways;
            if (!is_in(c, set[way], scope))
                continue;
            drop(c, set, way);
            gone++;
        }
    return gone;
}

/* --- requests -------------------------------------------------------------------------------------- */

static struct mp_out *link_of(struct mp_virtual_cache *c, const struct mp_req *req)
{
    return &c->below[c->p.links > 1 ? mp_map_channel(&c->p.below, req->pa, c->p.links) : 0];
}

/* A store or an atomic goes on as a separate request. */
static void pass_on(struct mp_virtual_cache *c, struct mp_req *req, uint32_t cycles)
{
    struct mp_req *down = mp_pool_get(&c->pool);
    *down = *req;
    down->owner = req;
    mp_out_send_in(&c->translate, down, cycles);
}

static bool take_miss(struct mp_virtual_cache *c, struct mp_req *req, struct place at, uint32_t cycles)
{
    struct mp_mshr *m = mp_mshr_find(&c->mshr, at.tag);
    if (m) {
        if (m->stale || m->length + 1u >= c->mshr.merges)
            return false;
        c->stats[req->tenant].mshr_merges++;
        mp_mshr_wait(m, req);
        return true;
    }
    m = mp_mshr_take(&c->mshr, at.tag);
    if (!m)
        return false;
    m->stale = false;
    m->owner = req->owner;
    m->port = req->port;
    req->owner = m;
    mp_out_send_in(&c->translate, req, cycles);
    return true;
}

/* Serves a request that is not a load that hits. cycles: until the request to the TLB. */
static enum mp_answer serve(struct mp_virtual_cache *c, struct mp_req *req, struct place at, uint32_t way,
                            uint32_t cycles)
{
    if (req->op == MP_LOAD)
        return take_miss(c, req, at, cycles) ? MP_TAKEN : MP_HELD;
    if (way != NO_WAY && req->op == MP_ATOMIC)
        drop(c, at.set, way);
    pass_on(c, req, cycles);
    return MP_TAKEN;
}

static uint32_t port_wait(struct mp_virtual_cache *c)
{
    uint64_t now = c->wheel->now, at = c->free_at > now ? c->free_at : now;
    c->free_at = at + 1;
    return (uint32_t)(at - now);
}

enum mp_answer mp_virtual_cache_request(void *cache, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_virtual_cache *c = cache;
    struct mp_cache_stats *s = &c->stats[req->tenant];
    struct place at = place_of(c, req->asid, req->va);
    uint32_t wait = port_wait(c), way = find_way(c, at);
    req->port = (uint16_t)port;
    *delay = wait + c->p.latency;
    s->lookups++;
    s->port_cycles += wait;
    s->hits += way != NO_WAY;
    s->misses += way == NO_WAY;
    s->stores += req->op == MP_STORE;
    s->atomics += req->op == MP_ATOMIC;
    if (way != NO_WAY && req->op == MP_LOAD) {
        put_first(at, way);
        return MP_DONE;
    }
    enum mp_answer answer = serve(c, req, at, way, wait + 1);
    if (answer == MP_HELD) {
        s->stalls++;
        mp_queue_push(&c->held, req);
    }
    return answer;
}

static void respond(struct mp_virtual_cache *c, struct mp_req *req)
{
    mp_respond(&c->up[req->port], req);
}

static void answer_late(void *cache, void *req)
{
    respond(cache, req);
}

/* The request that was held first is served first. Its line may have come in the meantime. */
static void serve_held(struct mp_virtual_cache *c)
{
    if (c->serving_held)
        return;
    c->serving_held = true;
    while (c->held.head) {
        struct mp_req *req = c->held.head, *after = req->next;
        struct place at = place_of(c, req->asid, req->va);
        uint32_t way = find_way(c, at);
        if (way != NO_WAY) {
            put_first(at, way);
            mp_at(c->wheel, c->p.latency, answer_late, c, req);
        } else if (serve(c, req, at, way, 1) == MP_HELD) {
            break;
        }
        c->held.head = after;
        c->held.length--;
        const struct mp_initiator *up = &c->up[req->port];
        up->resume(up->self, up->port);
    }
    c->serving_held = false;
}

/* --- answers --------------------------------------------------------------------------------------- */

/* The cause of a translation without a usable result. */
struct failure {
    uint64_t pa; /* of the page table entry */
    uint8_t fault;
    uint8_t source : 4;
};

static void fail(struct mp_virtual_cache *c, struct mp_req *req, struct failure f)
{
    req->pa = f.pa;
    req->fault = f.fault;
    req->source = f.source;
    respond(c, req);
}

/* Ends a miss: answers all that wait for its line, the request that went down first. The MSHR is free before,
 * since an initiator may send again at once. f: NULL if the line has come. */
static void end_miss(struct mp_virtual_cache *c, struct mp_req *down, const struct failure *f)
{
    struct mp_mshr *m = down->owner;
    down->owner = m->owner;
    down->port = m->port;
    down->fault = MP_FAULT_NONE;
    struct mp_req *req = mp_mshr_list(m);
    mp_mshr_release(&c->mshr, m);
    serve_held(c);
    down->next = req;
    for (req = down; req;) {
        struct mp_req *after = req->next;
        if (f)
            fail(c, req, *f);
        else
            respond(c, req);
        req = after;
    }
}

static void end_store(struct mp_virtual_cache *c, struct mp_req *down, const struct failure *f)
{
    struct mp_req *req = down->owner;
    req->source = down->source;
    mp_pool_put(&c->pool, down);
    if (f)
        fail(c, req, *f);
    else
        respond(c, req);
}

void mp_virtual_cache_translated(void *cache, struct mp_req *req)
{
    struct mp_virtual_cache *c = cache;
    bool load = req->op == MP_LOAD;
    uint8_t fault = req->fault;
    if (!fault && !load && req->span.read_only)
        fault = MP_FAULT_READ_ONLY;
    if (__builtin_expect(fault != 0, 0)) {
        const struct failure f = {req->pa, fault, req->source};
        if (load)
            end_miss(c, req, &f);
        else
            end_store(c, req, &f);
        return;
    }
    if (load)
        req->pa = req->pa >> c->p.line_shift << c->p.line_shift;
    mp_out_send_in(link_of(c, req), req, c->p.latency);
}

void mp_virtual_cache_response(void *cache, struct mp_req *down)
{
    struct mp_virtual_cache *c = cache;
    if (down->op != MP_LOAD) {
        end_store(c, down, NULL);
        return;
    }
    const struct mp_mshr *m = down->owner;
    c->stats[down->tenant].fills++;
    if (!m->stale) {
        struct place at = place_of(c, down->asid, down->va);
        put_first(at, c->p.ways - 1);
    }
    end_miss(c, down, NULL);
}

void mp_virtual_cache_resume(void *cache, unsigned link)
{
    struct mp_virtual_cache *c = cache;
    mp_out_resume(link < c->p.links ? &c->below[link] : &c->translate);
}

/* --- the block of a plan --------------------------------------------------------------------------- */

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_cache_params *p = params;
    p->ports = place->ins;
    p->tenants = place->tenant_numbers;
    p->links = place->outs[MP_VIRTUAL_CACHE_LINES];
}

/* Requests to the TLB leave at once. */
static uint32_t lookahead(const void *params, enum mp_link_kind links)
{
    const struct mp_cache_params *p = params;
    return links == MP_LINK_MEMORY ? p->latency : 0;
}

static int init(void *model, struct mp_wheel *wheel, const void *params)
{
    return mp_virtual_cache_init(model, wheel, params);
}

static void release(void *model)
{
    mp_virtual_cache_free(model);
}

static struct mp_target target(void *model, unsigned port)
{
    return mp_target_of(mp_virtual_cache_request, model, port);
}

static struct mp_initiator *up(void *model, unsigned port)
{
    struct mp_virtual_cache *c = model;
    return &c->up[port];
}

static struct mp_initiator initiator(void *model, unsigned out)
{
    const struct mp_virtual_cache *c = model;
    return mp_initiator_of(out < c->p.links ? mp_virtual_cache_response : mp_virtual_cache_translated,
                           mp_virtual_cache_resume, model, out);
}

static void join(void *model, unsigned out, struct mp_target to)
{
    mp_virtual_cache_join(model, out, to);
}

static uint64_t invalidate(void *model, const struct mp_scope *scope)
{
    return scope->translations_stay ? 0 : mp_virtual_cache_invalidate(model, scope);
}

static void clear(void *model)
{
    struct mp_virtual_cache *c = model;
    memset(c->tag, 0, (size_t)c->p.sets * c->p.ways * sizeof *c->tag);
}

static void *stats(const void *model)
{
    const struct mp_virtual_cache *c = model;
    return c->stats;
}

const struct mp_block_kind mp_virtual_cache_kind = {
    .name = "virtual cache",
    .model_bytes = sizeof(struct mp_virtual_cache),
    .params_bytes = sizeof(struct mp_cache_params),
    .metrics = &mp_cache_metrics,
    .in = MP_LINK_MEMORY,
    .in_virtual = true,
    .params = mp_through_cache_params,
    .groups = 2,
    .out = {[MP_VIRTUAL_CACHE_LINES] = {"lines", MP_LINK_MEMORY, true},
            [MP_VIRTUAL_CACHE_TRANSLATION] = {"translations", MP_LINK_TRANSLATION, false}},
    .lookahead = lookahead,
    .fit = fit,
    .init = init,
    .free = release,
    .target = target,
    .up = up,
    .initiator = initiator,
    .join = join,
    .invalidate = invalidate,
    .clear = clear,
    .stats = stats,
    .xray = mp_virtual_cache_xray,
};
