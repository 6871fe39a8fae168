/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/neighbour/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "tlb/tlb.h"

/* A probe in flight, by the MSHR of its miss. */
struct probe {
    struct mp_exchange *x;
    struct mp_req *down; /* the miss's request to the next level, which gets the result */
    struct mp_neighbour_ask ask;
    uint32_t asked; /* peers until now */
};

struct mp_exchange {
    struct mp_tlb *tlb;
    struct mp_neighbour n;
    struct mp_tlb_hooks hooks;
    struct mp_exchange_params p;
    uint32_t links;       /* to peers, those of the policy first */
    struct mp_target *to; /* by link */
    uint32_t *in_flight;  /* by link: probes */
    bool *neighbour;      /* by link: leads to a neighbour, which a policy need not ask */
    struct probe *probe;  /* by MSHR */
};

bool mp_exchange_needed(const struct mp_exchange_params *p)
{
    return p->policy && (p->policy->peers != MP_PEERS_NONE || p->sharing);
}

void mp_exchange_place(struct mp_exchange_params *p, const struct mp_block_place *place)
{
    p->place = place->ring_place;
    p->ring = place->ring;
    p->sm = place->first_sm;
    memcpy(p->peer_sm, place->peer_sm, sizeof p->peer_sm);
}

static bool is_in(const uint32_t *list, uint32_t count, uint32_t place)
{
    for (uint32_t k = 0; k < count; k++)
        if (list[k] == place)
            return true;
    return false;
}

uint32_t mp_exchange_peers(const struct mp_exchange_params *p, uint32_t place, uint32_t ring, uint32_t *list)
{
    if (ring < mp_neighbour_least(p->policy, &p->values))
        return UINT32_MAX;
    uint32_t count = mp_neighbour_peers(p->policy, &p->values, place, ring, list);
    for (uint32_t d = 1, asked = count; p->sharing && d < ring; d++)
        if (!is_in(list, asked, (place + d) % ring))
            list[count++] = (place + d) % ring;
    return count;
}

/* ---- probes ---- */

static struct mp_exchange *of(void *self)
{
    return self;
}

static uint64_t now(const struct mp_exchange *x)
{
    return x->tlb->wheel->now;
}

static struct mp_neighbour_stats *stats_of(const struct mp_exchange *x, const struct mp_req *req)
{
    return &x->n.stats[req->tenant];
}

static bool has_room(const struct mp_exchange *x, struct mp_neighbour_ask ask)
{
    for (uint32_t k = ask.first; !ask.in_turn && k < (uint32_t)ask.first + ask.count; k++)
        if (x->in_flight[k] >= x->n.buffer)
            return false;
    return true;
}

static void count_in_flight(struct mp_exchange *x, struct mp_neighbour_ask ask, uint32_t change)
{
    for (uint32_t k = ask.first; k < (uint32_t)ask.first + ask.count; k++)
        x->in_flight[k] += change;
}

static void answer(void *exchange, void *probe)
{
    struct mp_exchange *x = exchange;
    struct probe *p = probe;
    count_in_flight(x, p->ask, UINT32_MAX); /* one less */
    mp_tlb_response(x->tlb, p->down);
}

/* Asks one peer; returns the cycles of its look-up. The miss's request gets the result if the peer has the
 * page and none that was asked before had it. Only then, and if the answer will be used, is the probe a use
 * of the peer's entry. */
static uint32_t ask_peer(struct mp_exchange *x, struct mp_req *down, uint32_t link)
{
    const struct mp_mshr *m = down->owner;
    bool wanted = down->source == MP_FROM_NOTHING;
    uint32_t cycles = 0;
    struct mp_req req = *down;
    req.op = wanted && !m->stale ? MP_PROBE : MP_PEEK;
    x->to[link].request(x->to[link].self, x->to[link].port, &req, &cycles);
    stats_of(x, down)->probes++;
    stats_of(x, down)->in_vain += req.source == MP_FROM_NOTHING;
    if (wanted && req.source != MP_FROM_NOTHING) {
        down->pa = req.pa;
        down->span = req.span;
        down->page = req.page;
        down->fault = MP_FAULT_NONE;
        bool left = x->n.policy->peers == MP_PEERS_SIDES && x->n.bit_of[link] == MP_DIRECTORY_LEFT;
        down->source = left ? MP_FROM_LEFT : MP_FROM_RIGHT;
    }
    return cycles;
}

/* A probe is at its peer, or at both: they look it up. */
static void arrive(void *exchange, void *probe)
{
    struct mp_exchange *x = exchange;
    struct probe *p = probe;
    uint32_t cycles = 0, hops = 1;
    do {
        uint32_t each = ask_peer(x, p->down, p->ask.first + p->asked++);
        cycles = each > cycles ? each : cycles;
    } while (!p->ask.in_turn && p->asked < p->ask.count);
    if (p->down->source == MP_FROM_NOTHING && p->asked < p->ask.count) {
        mp_at(x->tlb->wheel, cycles + x->n.hop, arrive, x, p);
        return;
    }
    if (p->ask.in_turn)
        hops = p->ask.count + 1 - p->asked;
    mp_at(x->tlb->wheel, cycles + hops * x->n.hop, answer, x, p);
}

static bool miss(void *self, struct mp_req *down, uint32_t cycles)
{
    struct mp_exchange *x = of(self);
    struct probe *p = &x->probe[(const struct mp_mshr *)down->owner - x->tlb->mshr.entry];
    mp_neighbour_settle(&x->n, now(x));
    struct mp_neighbour_ask ask = x->n.policy->ask(&x->n, down->asid, down->va >> x->tlb->page_shift);
    if (!ask.count)
        return false;
    if (!has_room(x, ask)) {
        stats_of(x, down)->no_room++;
        return false;
    }
    count_in_flight(x, ask, 1);
    down->source = MP_FROM_NOTHING;
    *p = (struct probe){.x = x, .down = down, .ask = ask};
    mp_at(x->tlb->wheel, cycles + x->n.hop, arrive, x, p);
    return true;
}

static bool stores(void *self, const struct mp_mshr *m, const struct mp_req *down)
{
    struct mp_exchange *x = of(self);
    if (down->source != MP_FROM_LEFT && down->source != MP_FROM_RIGHT)
        return true;
    mp_neighbour_settle(&x->n, now(x));
    bool stored = x->n.update->stores(&x->n, down->asid, down->va >> x->tlb->page_shift, m->length);
    stats_of(x, down)->loads += stored;
    return stored;
}

/* ---- news ---- */

static void send_news(struct mp_exchange *x, uint8_t op, struct mp_neighbour_page page, uint8_t tenant)
{
    mp_neighbour_changed(&x->n, page, op == MP_INSERTED);
    for (uint32_t link = 0; link < x->n.peers; link++) {
        uint32_t none;
        struct mp_req req = {.va = page.vpn << x->tlb->page_shift,
                             .sm = (uint16_t)x->p.sm,
                             .asid = (uint8_t)page.asid,
                             .tenant = tenant,
                             .op = op};
        x->to[link].request(x->to[link].self, x->to[link].port, &req, &none);
    }
}

static void changes(void *self)
{
    mp_neighbour_settle(&of(self)->n, now(of(self)));
}

static bool holds(const void *tlb, uint16_t asid, uint64_t vpn)
{
    const struct mp_tlb *t = tlb;
    uint32_t pages = 1u << t->exchange->n.base_shift;
    uint64_t first = vpn & ~(uint64_t)(pages - 1);
    for (uint32_t i = 0; i < pages; i++)
        if (mp_tlb_peek(t, asid, (first + i) << t->page_shift).found)
            return true;
    return false;
}

/* A base has left with the last of its pages; an entry's pages leave as a run. */
static void send_evicted(struct mp_exchange *x, const struct mp_tlb_run *run, uint8_t tenant)
{
    uint64_t last = UINT64_MAX;
    for (uint32_t blocks = run->blocks; blocks; blocks &= blocks - 1) {
        struct mp_neighbour_page page = {run->vpn + ((uint64_t)__builtin_ctz(blocks) << run->unit),
                                         run->asid};
        uint64_t after = page.vpn + (UINT64_C(1) << run->unit);
        for (; page.vpn < after; page.vpn++) {
            bool again = page.vpn >> x->n.base_shift == last;
            last = page.vpn >> x->n.base_shift;
            if (!again && !holds(x->tlb, page.asid, page.vpn))
                send_news(x, MP_EVICTED, page, tenant);
        }
    }
}

static void filled(void *self, uint16_t asid, uint64_t vpn, struct mp_translation to,
                   const struct mp_tlb_left *left)
{
    struct mp_exchange *x = of(self);
    uint8_t tenant = x->tlb->tenant_of[asid];
    (void)to;
    for (uint32_t i = 0; i < left->count; i++)
        send_evicted(x, &left->run[i], tenant);
    send_news(x, MP_INSERTED, (struct mp_neighbour_page){vpn, asid}, tenant);
}

/* Peers that are neighbours are known by their first SMs. */
static void news(void *self, const struct mp_req *req)
{
    struct mp_exchange *x = of(self);
    const struct mp_neighbour_page page = {req->va >> x->tlb->page_shift, req->asid};
    uint32_t peer = 0;
    while (peer + 1 < x->n.peers && x->p.peer_sm[peer] != req->sm)
        peer++;
    mp_neighbour_hear(&x->n, peer, now(x), req->tenant, page, req->op == MP_INSERTED);
}

static void invalidates(void *self, const struct mp_scope *scope)
{
    mp_neighbour_invalidate(&of(self)->n, scope, of(self)->tlb->page_shift);
}

/* ---- counts ---- */

static bool peek(const struct mp_exchange *x, uint32_t link, const struct mp_req *like)
{
    uint32_t cycles;
    struct mp_req req = *like;
    req.op = MP_PEEK;
    x->to[link].request(x->to[link].self, x->to[link].port, &req, &cycles);
    return req.source != MP_FROM_NOTHING;
}

static void count_sharers(void *self, const struct mp_req *req, bool hit)
{
    struct mp_exchange *x = of(self);
    struct mp_neighbour_stats *s = stats_of(x, req);
    uint32_t sharers = hit;
    bool neighbour = false, peer = false;
    for (uint32_t link = 0; link < x->links; link++) {
        bool has = peek(x, link, req);
        sharers += has;
        neighbour |= has && x->neighbour[link];
        peer |= has && link < x->n.peers;
    }
    s->sharers[sharers < MP_SHARERS ? sharers : MP_SHARERS]++;
    s->missed += !hit;
    s->neighbour_has += !hit && neighbour;
    s->peer_has += !hit && peer;
}

static void count_answer(void *self, const struct mp_req *req, bool own, uint32_t cycles)
{
    struct mp_exchange *x = of(self);
    struct mp_neighbour_stats *s = stats_of(x, req);
    s->latency += now(x) + cycles - req->sent;
    if (own)
        s->local++;
    else if (req->source == MP_FROM_LEFT)
        s->left++;
    else if (req->source == MP_FROM_RIGHT)
        s->right++;
    else if (req->source == MP_FROM_TLB)
        s->below++;
    else
        s->walked++;
}

/* ---- construction ---- */

static int set_links(struct mp_exchange *x)
{
    const struct mp_exchange_params *p = &x->p;
    uint32_t room = p->ring > MP_PEERS_MOST ? p->ring : MP_PEERS_MOST;
    uint32_t *list = calloc(room, sizeof *list);
    if (!list)
        return -1;
    x->links = mp_exchange_peers(p, p->place, p->ring, list);
    x->to = calloc((size_t)x->links + 1, sizeof *x->to);
    x->in_flight = calloc((size_t)x->links + 1, sizeof *x->in_flight);
    x->neighbour = calloc((size_t)x->links + 1, sizeof *x->neighbour);
    uint32_t sides[MP_SIDES], count = mp_neighbour_neighbours(&p->values, p->place, p->ring, sides);
    for (uint32_t link = 0; x->neighbour && link < x->links; link++)
        x->neighbour[link] = is_in(sides, count, list[link]);
    free(list);
    return x->to && x->in_flight && x->neighbour ? 0 : -1;
}

static void set_hooks(struct mp_exchange *x)
{
    x->hooks = (struct mp_tlb_hooks){.self = x, .answered = count_answer, .invalidates = invalidates};
    if (x->p.sharing)
        x->hooks.asked = count_sharers;
    if (x->n.peers) {
        x->hooks.miss = miss;
        x->hooks.stores = stores;
    }
    if (x->n.directory) {
        x->hooks.changes = changes;
        x->hooks.filled = filled;
        x->hooks.news = news;
    }
    mp_tlb_hook(x->tlb, &x->hooks);
}

struct mp_exchange *mp_exchange_new(struct mp_tlb *t, const struct mp_tlb_params *params)
{
    const struct mp_exchange_params *p = &params->exchange;
    struct mp_exchange *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    *x = (struct mp_exchange){.tlb = t, .p = *p, .probe = calloc(params->mshrs, sizeof *x->probe)};
    if (!x->probe || set_links(x) ||
        mp_neighbour_init(&x->n, p->policy, &p->values, p->place, p->ring, params->tenants)) {
        mp_exchange_delete(x);
        return NULL;
    }
    x->n.holds = holds;
    x->n.tlb = t;
    x->n.base_shift = (uint32_t)__builtin_ctz(params->geometry.sub_entries);
    set_hooks(x);
    return x;
}

void mp_exchange_delete(struct mp_exchange *x)
{
    if (!x)
        return;
    mp_neighbour_free(&x->n);
    free(x->to);
    free(x->in_flight);
    free(x->neighbour);
    free(x->probe);
    free(x);
}

void mp_exchange_join(struct mp_exchange *x, uint32_t peer, struct mp_target to)
{
    x->to[peer] = to;
}

const struct mp_directory *mp_exchange_directory(const struct mp_exchange *x)
{
    return x->n.directory;
}

struct mp_neighbour *mp_exchange_neighbour(struct mp_exchange *x)
{
    return &x->n;
}

struct mp_block_design mp_exchange_design(struct mp_exchange *x)
{
    return (struct mp_block_design){&x->n.policy->design, x->n.stats};
}
