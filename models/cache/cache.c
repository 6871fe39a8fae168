/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/cache.h"

#include <stdlib.h>

#include "engine/hash.h"

#define COUNTER(field, unit, text)                                                                           \
    {                                                                                                        \
#field, unit, text, MP_COUNTER, offsetof(struct mp_cache_stats, field), 0                            \
    }

static const struct mp_metric metrics[] = {
    COUNTER(lookups, "requests", "lines asked for, stores and atomics included"),
    COUNTER(hits, "requests", "that found the line"),
    COUNTER(misses, "requests", "that did not"),
    COUNTER(mshr_merges, "requests", "misses that joined one already under way"),
    COUNTER(stalls, "requests",
            "held at the port for want of an MSHR, of room on one, or of room for a write-back"),
    COUNTER(stores, "requests", "lookups that were stores"),
    COUNTER(atomics, "requests", "lookups that were atomics"),
    COUNTER(fills, "lines", "fetched from below"),
    COUNTER(writebacks, "lines", "dirty lines that left"),
    COUNTER(port_cycles, "cycles", "that requests waited for their bank's port"),
};

const struct mp_metric_table mp_cache_metrics = {"cache", sizeof(struct mp_cache_stats),
                                                 sizeof metrics / sizeof *metrics, metrics};

#define DIRTY 1u

int mp_cache_init(struct mp_cache *c, struct mp_wheel *wheel, const struct mp_cache_params *p)
{
    size_t lines = (size_t)p->banks * p->sets * p->ways;
    *c = (struct mp_cache){.wheel = wheel,
                           .p = *p,
                           .tag = calloc(lines, sizeof *c->tag),
                           .stamp = calloc(lines, sizeof *c->stamp),
                           .bank = calloc(p->banks, sizeof *c->bank),
                           .up = calloc(p->ports, sizeof *c->up),
                           .below = calloc(p->links, sizeof *c->below),
                           .stats = calloc(p->tenants, sizeof *c->stats)};
    if (!c->tag || !c->stamp || !c->bank || !c->up || !c->below || !c->stats ||
        mp_mshr_init(&c->mshr, p->banks * p->mshrs, p->merges)) {
        mp_cache_free(c);
        return -1;
    }
    return 0;
}

void mp_cache_free(struct mp_cache *c)
{
    free(c->tag);
    free(c->stamp);
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
        (struct mp_out){.target = below, .wheel = c->wheel, .response = mp_cache_response, .self = c};
}

struct place {
    uint32_t bank;
    size_t first; /* index of the set's first way */
};

static struct place place_of(const struct mp_cache *c, uint64_t line)
{
    uint64_t group;
    uint32_t bank = mp_spread(line, c->p.banks, &group);
    return (struct place){bank, ((size_t)bank * c->p.sets + mp_fold(group) % c->p.sets) * c->p.ways};
}

/* Index of the line, or SIZE_MAX. */
static size_t find_line(const struct mp_cache *c, size_t first, uint64_t line)
{
    for (size_t i = first; i < first + c->p.ways; i++)
        if (c->tag[i] == line + 1)
            return i;
    return SIZE_MAX;
}

static void touch(struct mp_cache *c, size_t i, unsigned dirty)
{
    c->clock += 2;
    c->stamp[i] = c->clock | (c->stamp[i] & DIRTY) | dirty;
}

static void send_down(void *cache, void *req)
{
    struct mp_cache *c = cache;
    const struct mp_req *r = req;
    mp_out_send(&c->below[mp_channel(r->pa, c->p.links)], req);
}

static void write_back(struct mp_cache *c, uint64_t line, uint32_t bank, const struct mp_req *cause)
{
    struct mp_req *down = mp_pool_get(&c->pool);
    *down = (struct mp_req){.pa = line << c->p.line_shift,
                            .sm = cause->sm,
                            .asid = cause->asid,
                            .tenant = cause->tenant,
                            .op = MP_WRITEBACK};
    c->bank[bank].writing_back++;
    c->stats[cause->tenant].writebacks++;
    send_down(c, down);
}

static void insert_line(struct mp_cache *c, uint64_t line, unsigned dirty, const struct mp_req *cause)
{
    struct place at = place_of(c, line);
    size_t best = find_line(c, at.first, line);
    if (best == SIZE_MAX) {
        best = at.first;
        for (size_t i = at.first + 1; i < at.first + c->p.ways; i++)
            if (c->stamp[i] < c->stamp[best])
                best = i;
        uint64_t left = c->tag[best];
        bool was_dirty = c->stamp[best] & DIRTY;
        c->tag[best] = line + 1;
        c->stamp[best] = 0;
        if (left && was_dirty)
            write_back(c, left - 1, at.bank, cause);
    }
    touch(c, best, dirty);
}

/* A store or atomic of a write-through cache goes to the level below as a request of its own. */
static void pass_on(struct mp_cache *c, struct mp_req *req, uint32_t cycles)
{
    struct mp_req *down = mp_pool_get(&c->pool);
    *down = *req;
    down->owner = req;
    mp_at(c->wheel, cycles, send_down, c, down);
}

static bool take_miss(struct mp_cache *c, struct mp_req *req, uint64_t line, uint32_t bank, uint32_t cycles)
{
    struct mp_mshr *m = mp_mshr_find(&c->mshr, line);
    if (m) {
        if (m->waiting.length >= c->mshr.merges)
            return false;
        c->stats[req->tenant].mshr_merges++;
    } else {
        if (c->bank[bank].fetching >= c->p.mshrs || c->bank[bank].writing_back >= c->p.mshrs)
            return false;
        m = mp_mshr_take(&c->mshr, line);
        m->bank = (uint16_t)bank;
        c->bank[bank].fetching++;
        m->down = (struct mp_req){.owner = m,
                                  .va = req->va,
                                  .pa = line << c->p.line_shift,
                                  .sm = req->sm,
                                  .warp = req->warp,
                                  .asid = req->asid,
                                  .tenant = req->tenant,
                                  .op = req->op == MP_PTE_READ ? MP_PTE_READ : MP_LOAD};
        mp_at(c->wheel, cycles, send_down, c, &m->down);
    }
    m->write |= req->op == MP_ATOMIC;
    mp_queue_push(&m->waiting, req);
    return true;
}

/* What becomes of a request that the bank's port takes after `cycles`. first_try: it is counted. */
static enum mp_answer serve(struct mp_cache *c, struct mp_req *req, uint64_t line, struct place at,
                            uint32_t cycles, bool first_try)
{
    struct mp_cache_stats *s = &c->stats[req->tenant];
    size_t i = find_line(c, at.first, line);
    if (first_try) {
        s->hits += i != SIZE_MAX;
        s->misses += i == SIZE_MAX;
    }
    if (!c->p.write_back && req->op != MP_LOAD) {
        if (i != SIZE_MAX && req->op == MP_ATOMIC)
            c->tag[i] = c->stamp[i] = 0;
        pass_on(c, req, cycles);
        return MP_TAKEN;
    }
    unsigned dirty = req->op == MP_STORE || req->op == MP_ATOMIC ? DIRTY : 0;
    if (i != SIZE_MAX) {
        touch(c, i, dirty);
        return MP_DONE;
    }
    if (req->op == MP_STORE) {
        if (c->bank[at.bank].writing_back >= c->p.mshrs)
            return MP_HELD;
        insert_line(c, line, dirty, req);
        return MP_DONE;
    }
    return take_miss(c, req, line, at.bank, cycles) ? MP_TAKEN : MP_HELD;
}

static uint32_t port_wait(struct mp_cache *c, struct mp_cache_bank *bank)
{
    uint64_t now = c->wheel->now, at = bank->free_at > now ? bank->free_at : now;
    bank->free_at = at + 1;
    return (uint32_t)(at - now);
}

enum mp_answer mp_cache_request(void *cache, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_cache *c = cache;
    struct mp_cache_stats *s = &c->stats[req->tenant];
    uint64_t line = req->pa >> c->p.line_shift;
    struct place at = place_of(c, line);
    struct mp_cache_bank *bank = &c->bank[at.bank];
    uint32_t wait = port_wait(c, bank);
    req->port = (uint16_t)port;
    s->lookups++;
    s->stores += req->op == MP_STORE;
    s->atomics += req->op == MP_ATOMIC;
    s->port_cycles += wait;
    enum mp_answer answer = serve(c, req, line, at, wait + c->p.latency, true);
    if (answer == MP_HELD) {
        s->stalls++;
        mp_queue_push(&bank->held, req);
    }
    *delay = wait + c->p.latency;
    return answer;
}

static void answer_late(void *cache, void *req)
{
    struct mp_cache *c = cache;
    struct mp_req *r = req;
    mp_respond(&c->up[r->port], r);
}

static void serve_held(struct mp_cache *c, struct mp_cache_bank *bank)
{
    if (bank->serving_held)
        return;
    bank->serving_held = true;
    while (bank->held.head) {
        struct mp_req *req = bank->held.head, *after = req->next;
        uint64_t line = req->pa >> c->p.line_shift;
        enum mp_answer answer = serve(c, req, line, place_of(c, line), c->p.latency, false);
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

static void filled(struct mp_cache *c, struct mp_mshr *m)
{
    struct mp_cache_bank *bank = &c->bank[m->bank];
    insert_line(c, m->key, m->write ? DIRTY : 0, &m->down);
    c->stats[m->down.tenant].fills++;
    bank->fetching--;
    struct mp_req *req = m->waiting.head;
    mp_mshr_release(&c->mshr, m);
    while (req) {
        struct mp_req *after = req->next;
        mp_respond(&c->up[req->port], req);
        req = after;
    }
    serve_held(c, bank);
}

void mp_cache_response(void *cache, struct mp_req *down)
{
    struct mp_cache *c = cache;
    if (down->op == MP_LOAD || down->op == MP_PTE_READ) {
        filled(c, down->owner);
        return;
    }
    struct mp_req *req = down->owner;
    bool written_back = down->op == MP_WRITEBACK;
    uint32_t bank = written_back ? place_of(c, down->pa >> c->p.line_shift).bank : 0;
    mp_pool_put(&c->pool, down);
    if (written_back) {
        c->bank[bank].writing_back--;
        serve_held(c, &c->bank[bank]);
    } else {
        mp_respond(&c->up[req->port], req);
    }
}

void mp_cache_resume(void *cache, unsigned link)
{
    struct mp_cache *c = cache;
    mp_out_resume(&c->below[link]);
}
