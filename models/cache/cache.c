/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cache/sets.h"
#include "engine/memory.h"

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_cache_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(lookups, "requests", "lines asked for, stores and atomics included"),
    COUNTER(hits, "requests", "that found the line"),
    COUNTER(misses, "requests", "that did not"),
    COUNTER(mshr_merges, "requests", "misses that joined one in flight"),
    COUNTER(stalls, "requests",
            "held at the port until an MSHR, room on one, or room for a write-back is free"),
    COUNTER(stores, "requests", "lookups that were stores"),
    COUNTER(atomics, "requests", "lookups that were atomics"),
    COUNTER(fills, "lines", "fetched from below"),
    COUNTER(writebacks, "lines", "dirty lines that left"),
    COUNTER(port_cycles, "cycles", "that requests waited for their bank's port"),
};

const struct mp_metric_table mp_cache_metrics = {"cache", sizeof(struct mp_cache_stats),
                                                 sizeof metrics / sizeof *metrics, metrics};

static size_t bytes_of_sets(const struct mp_cache_params *p)
{
    const struct shape s = {p->ways, p->line_shift, p->write_back, false};
    return (size_t)p->banks * p->sets * set_words(s) * sizeof(uint32_t);
}

int mp_cache_init(struct mp_cache *c, struct mp_wheel *wheel, const struct mp_cache_params *p)
{
    *c = (struct mp_cache){.wheel = wheel,
                           .p = *p,
                           .set = mp_calloc(1, bytes_of_sets(p)),
                           .bank = mp_calloc(p->banks, sizeof *c->bank),
                           .up = mp_calloc(p->ports, sizeof *c->up),
                           .below = mp_calloc(p->links + p->hosts, sizeof *c->below),
                           .stats = mp_calloc(p->tenants, sizeof *c->stats)};
    if (!c->set || !c->bank || !c->up || !c->below || !c->stats ||
        mp_mshr_init(&c->mshr, p->banks * p->mshrs, p->merges)) {
        mp_cache_free(c);
        return -1;
    }
    assert(p->banks <= 1u << MP_MSHR_BANK_BITS);
    c->p.map = mp_map_or_default(p->map);
    c->p.below = p->below.kind ? p->below : c->p.map;
    if (mp_map_is_inline(&c->p.map) && c->p.sets & (c->p.sets - 1))
        c->p.map.kind = &mp_map_spread_any;
    c->local = mp_cache_local_path(c);
    mp_cache_forget(c);
    return 0;
}

void mp_cache_forget(struct mp_cache *c)
{
    memset(c->set, 0, bytes_of_sets(&c->p));
}

void mp_cache_free(struct mp_cache *c)
{
    free(c->set);
    free(c->bank);
    free(c->up);
    free(c->below);
    free(c->stats);
    mp_mshr_free(&c->mshr);
    mp_pool_free(&c->pool);
    *c = (struct mp_cache){0};
}

void mp_cache_join(struct mp_cache *c, unsigned link, struct mp_target below)
{
    c->below[link] =
        (struct mp_out){.target = below, .wheel = c->wheel, .response = mp_cache_response_of(c), .self = c};
}

/* With a map that is not inline; apart, so that the call of the map costs the usual case nothing. */
static __attribute__((noinline, cold)) uint32_t mapped_link(const struct mp_cache *c, uint64_t pa)
{
    return mp_map_channel(&c->p.below, pa, c->p.links);
}

static inline struct mp_out *link_of(struct mp_cache *c, const struct mp_req *req)
{
    if (__builtin_expect(mp_map_is_inline(&c->p.below), 1))
        return &c->below[mp_spread_channel(req->pa, c->p.links)];
    return &c->below[mapped_link(c, req->pa)];
}

static void write_back(struct mp_cache *c, struct shape s, uint32_t tag, uint32_t bank,
                       const struct mp_req *cause)
{
    struct mp_req *down = mp_pool_get(&c->pool);
    *down = (struct mp_req){.owner = &c->bank[bank],
                            .pa = (uint64_t)(tag - 1) << s.line_shift,
                            .sm = cause->sm,
                            .asid = cause->asid,
                            .tenant = cause->tenant,
                            .op = MP_WRITEBACK};
    c->bank[bank].writing_back++;
    c->stats[cause->tenant].writebacks++;
    mp_out_send(link_of(c, down), down);
}

/* Replaces the least recent way, which is empty as long as one is. */
ALWAYS void insert_line(struct mp_cache *c, struct shape s, struct place at, bool dirty,
                        const struct mp_req *cause)
{
    uint32_t last = s.ways - 1, left = at.set[last];
    at.set[last] = at.tag;
    touch(s, at.set, last);
    if (!s.write_back)
        return;
    bool was_dirty = *dirty_of(s, at.set) & 1;
    *dirty_of(s, at.set) = (*dirty_of(s, at.set) & ~1ull) | dirty;
    if (was_dirty)
        write_back(c, s, left, at.bank, cause);
}

/* A fetched line is there already if it was stored to meanwhile. */
ALWAYS void fill(struct mp_cache *c, struct shape s, struct place at, bool dirty, const struct mp_req *cause)
{
    uint32_t way = s.write_back ? find_way(s, at) : NO_WAY;
    if (way == NO_WAY) {
        insert_line(c, s, at, dirty, cause);
        return;
    }
    touch(s, at.set, way);
    *dirty_of(s, at.set) |= dirty;
}

/* A write-through cache sends a store or atomic to the level below as a separate request. */
static void pass_on(struct mp_cache *c, struct mp_req *req, uint32_t cycles)
{
    struct mp_req *down = mp_pool_get(&c->pool);
    *down = *req;
    down->owner = req;
    mp_out_send_in(link_of(c, down), down, cycles);
}

/* The key of a line among the MSHRs also contains the line's place, for place_of_miss(). */
static uint64_t key_of(const struct mp_cache *c, struct place at)
{
    return (uint64_t)(at.set - c->set) << 32 | at.tag;
}

static struct place place_of_miss(const struct mp_cache *c, const struct mp_mshr *m)
{
    return (struct place){m->bank, (uint32_t)m->key, c->set + (m->key >> 32)};
}

ALWAYS bool take_miss(struct mp_cache *c, struct shape s, struct mp_req *req, struct place at,
                      uint32_t cycles)
{
    struct mp_cache_bank *bank = &c->bank[at.bank];
    uint64_t key = key_of(c, at);
    struct mp_mshr *m = mp_mshr_find(&c->mshr, key);
    if (m) {
        if (m->length + 1u >= c->mshr.merges)
            return false;
        c->stats[req->tenant].mshr_merges++;
        m->dirty |= req->op == MP_ATOMIC;
        mp_mshr_wait(m, req);
        return true;
    }
    if (bank->fetching >= c->p.mshrs || bank->writing_back >= c->p.mshrs)
        return false;
    m = mp_mshr_take(&c->mshr, key);
    m->owner = req->owner;
    m->port = req->port;
    m->op = req->op & 7;
    m->bank = at.bank & ((1u << MP_MSHR_BANK_BITS) - 1);
    m->dirty = req->op == MP_ATOMIC;
    bank->fetching++;
    req->owner = m;
    req->pa = req->pa >> s.line_shift << s.line_shift;
    req->op = req->op == MP_PTE_READ ? MP_PTE_READ : MP_LOAD;
    mp_out_send_in(link_of(c, req), req, cycles);
    return true;
}

/* Serves a request that is not a load that hits. */
ALWAYS enum mp_answer serve(struct mp_cache *c, struct shape s, struct mp_req *req, struct place at,
                            uint32_t way, uint32_t cycles)
{
    if (!s.write_back && req->op != MP_LOAD) {
        if (way != NO_WAY && req->op == MP_ATOMIC)
            drop(s, at.set, way);
        pass_on(c, req, cycles);
        return MP_TAKEN;
    }
    if (way != NO_WAY) {
        if (way)
            touch(s, at.set, way);
        if (req->op == MP_STORE || req->op == MP_ATOMIC)
            *dirty_of(s, at.set) |= 1;
        return MP_DONE;
    }
    if (req->op == MP_STORE) {
        if (c->bank[at.bank].writing_back >= c->p.mshrs)
            return MP_HELD;
        insert_line(c, s, at, true, req);
        return MP_DONE;
    }
    return take_miss(c, s, req, at, cycles) ? MP_TAKEN : MP_HELD;
}

ALWAYS enum mp_answer request_at(struct mp_cache *c, struct shape s, unsigned port, struct mp_req *req,
                                 uint32_t *delay, struct place at)
{
    struct mp_cache_stats *stats = &c->stats[req->tenant];
    struct mp_cache_bank *bank = &c->bank[at.bank];
    const bool clocked = s.write_back && __builtin_expect(c->p.period, 0);
    uint32_t wait = clocked ? mp_cache_port_wait_clocked(c, bank) : mp_cache_port_wait(c, bank);
    uint32_t way = find_way(s, at);
    req->port = (uint16_t)port;
    *delay = wait + c->p.latency;
    stats->lookups++;
    stats->port_cycles += wait;
    stats->hits += way != NO_WAY;
    stats->misses += way == NO_WAY;
    if (way != NO_WAY && req->op == MP_LOAD) {
        if (way)
            touch(s, at.set, way);
        return MP_DONE;
    }
    stats->stores += req->op == MP_STORE;
    stats->atomics += req->op == MP_ATOMIC;
    enum mp_answer answer = serve(c, s, req, at, way, *delay);
    if (answer == MP_HELD) {
        stats->stalls++;
        mp_queue_push(&bank->held, req);
    }
    return answer;
}

static __attribute__((noinline, cold)) enum mp_answer request_mapped(struct mp_cache *c, unsigned port,
                                                                     struct mp_req *req, uint32_t *delay)
{
    return request_at(c, shape_of(c), port, req, delay, place_of(c, shape_of(c), req->pa));
}

/* With the usual map. */
ALWAYS struct place usual_place(const struct mp_cache *c, struct shape s, uint64_t pa)
{
    uint32_t line = (uint32_t)(pa >> s.line_shift);
    return place_at(c, s, line, mp_spread_place(line, s.one_bank ? 1 : c->p.banks, c->p.sets));
}

ALWAYS enum mp_answer request(struct mp_cache *c, struct shape s, unsigned port, struct mp_req *req,
                              uint32_t *delay)
{
    if (__builtin_expect(!mp_map_is_inline(&c->p.map), 0))
        return request_mapped(c, port, req, delay);
    return request_at(c, s, port, req, delay, usual_place(c, s, req->pa));
}

static void answer_late(void *cache, void *req)
{
    struct mp_cache *c = cache;
    struct mp_req *r = req;
    mp_respond(&c->up[r->port], r);
}

static void serve_all_held(struct mp_cache *c, struct mp_cache_bank *bank)
{
    const struct shape s = shape_of(c);
    if (bank->serving_held)
        return;
    bank->serving_held = true;
    while (bank->held.head) {
        struct mp_req *req = bank->held.head, *after = req->next;
        struct place at = place_of(c, s, req->pa);
        enum mp_answer answer = serve(c, s, req, at, find_way(s, at), c->p.latency);
        if (answer == MP_HELD)
            break;
        bank->held.head = after;
        bank->held.length--;
        if (answer == MP_DONE)
            mp_at(c->wheel, c->p.latency, answer_late, c, req);
        const struct mp_initiator *up = &c->up[req->port];
        up->resume(up->self, up->port);
    }
    bank->serving_held = false;
}

static inline void serve_held(struct mp_cache *c, struct mp_cache_bank *bank)
{
    if (bank->held.head)
        serve_all_held(c, bank);
}

/* `down` is the first of the requests that wait for the line, and is answered first. */
ALWAYS void filled(struct mp_cache *c, struct shape s, struct mp_req *down)
{
    struct mp_mshr *m = down->owner;
    __builtin_prefetch(m->last); /* arrive while the line is inserted */
    __builtin_prefetch(m->owner);
    struct mp_cache_bank *bank = &c->bank[m->bank];
    fill(c, s, place_of_miss(c, m), m->dirty, down);
    c->stats[down->tenant].fills++;
    bank->fetching--;
    down->owner = m->owner;
    down->port = m->port;
    down->op = m->op;
    struct mp_req *req = mp_mshr_list(m);
    mp_mshr_release(&c->mshr, m);
    /* Before the answers: an initiator may send again at once, and would take the MSHR. */
    serve_held(c, bank);
    mp_respond(&c->up[down->port], down);
    while (req) {
        struct mp_req *after = req->next;
        mp_respond(&c->up[req->port], req);
        req = after;
    }
}

ALWAYS void response(struct mp_cache *c, struct shape s, struct mp_req *down)
{
    if (down->op == MP_LOAD || down->op == MP_PTE_READ) {
        filled(c, s, down);
        return;
    }
    void *owner = down->owner;
    bool written_back = down->op == MP_WRITEBACK;
    mp_pool_put(&c->pool, down);
    if (written_back) {
        struct mp_cache_bank *bank = owner;
        bank->writing_back--;
        serve_held(c, bank);
    } else {
        struct mp_req *req = owner;
        mp_respond(&c->up[req->port], req);
    }
}

/* --- the same for all shapes, and for frequent ones with constants ----------------------------------- */

enum mp_answer mp_cache_request(void *cache, unsigned port, struct mp_req *req, uint32_t *delay)
{
    return request(cache, shape_of(cache), port, req, delay);
}

void mp_cache_response(void *cache, struct mp_req *down)
{
    response(cache, shape_of(cache), down);
}

/* Ways of the machines in platform/presets; write-back, or write-through with one bank. Lines have 128 bytes.
 */
#define SHAPES(OF) OF(2, false) OF(4, false) OF(8, true) OF(16, true)

#define SHAPE(ways, write_back) ((struct shape){ways, 7, write_back, !(write_back)})

#define FUNCTIONS(ways, write_back)                                                                          \
    static enum mp_answer request_##ways##_##write_back(void *cache, unsigned port, struct mp_req *req,      \
                                                        uint32_t *delay)                                     \
    {                                                                                                        \
        return request(cache, SHAPE(ways, write_back), port, req, delay);                                    \
    }                                                                                                        \
    static void response_##ways##_##write_back(void *cache, struct mp_req *down)                             \
    {                                                                                                        \
        response(cache, SHAPE(ways, write_back), down);                                                      \
    }

#define ROW(ways, write_back)                                                                                \
    {{ways, 7, write_back, !(write_back)}, {request_##ways##_##write_back, response_##ways##_##write_back}},

SHAPES(FUNCTIONS)

static const struct {
    struct shape shape;
    struct mp_cache_path path;
} frequent[] = {SHAPES(ROW)};

static const struct mp_cache_path any_shape = {mp_cache_request, mp_cache_response};
static const struct mp_cache_path past = {mp_cache_past_request, mp_cache_past_answer};

const struct mp_cache_path *mp_cache_path(const struct mp_cache *c)
{
    return c->p.remote ? &mp_cache_remote_path : mp_cache_local_path(c);
}

const struct mp_cache_path *mp_cache_local_path(const struct mp_cache *c)
{
    if (c->p.loads_go_past)
        return &past;
    for (size_t i = 0; i < sizeof frequent / sizeof *frequent; i++) {
        struct shape s = frequent[i].shape;
        if (s.ways == c->p.ways && s.line_shift == c->p.line_shift && s.write_back == c->p.write_back &&
            (!s.one_bank || c->p.banks == 1))
            return &frequent[i].path;
    }
    return &any_shape;
}

void mp_cache_resume(void *cache, unsigned link)
{
    struct mp_cache *c = cache;
    mp_out_resume(&c->below[link]);
}
