/* SPDX-License-Identifier: Apache-2.0 */
#include "dram/dram.h"
#include "dram/hbm.h"
#include "dram/queue.h"

#include <stdlib.h>

#include "engine/memory.h"

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_dram_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(reads, "lines", "read"),
    COUNTER(writes, "lines", "written"),
    COUNTER(row_hits, "lines", "whose row was open"),
    COUNTER(row_misses, "lines", "whose row had to be opened"),
    COUNTER(busy_cycles, "cycles", "in which a data bus was busy, summed over channels"),
    {"channels", "channels", "that the tenant has", MP_GAUGE, offsetof(struct mp_dram_stats, channels), 0},
    COUNTER(queue_cycles, "cycles", "from arrival to the column access, summed"),
    COUNTER(stalls, "requests", "held at the port because the channel's queue was full"),
};

const struct mp_metric_table mp_dram_metrics = {"dram", sizeof(struct mp_dram_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

/* Banks that a decision compares: eight at once. Those without a number have no requests. */
static uint32_t lanes_of(const struct mp_dram_params *p)
{
    return (p->banks + 7) & ~7u;
}

int mp_dram_init(struct mp_dram *d, struct mp_wheel *wheel, const struct mp_dram_params *p)
{
    size_t lanes = lanes_of(p);
    *d = (struct mp_dram){.wheel = wheel,
                          .p = *p,
                          .channel = mp_calloc(p->channels, sizeof *d->channel),
                          .banks = mp_calloc((size_t)p->channels * p->banks, sizeof *d->banks),
                          .entries = mp_calloc((size_t)p->channels * p->queue, sizeof *d->entries),
                          .orders = mp_calloc(p->channels * 3 * lanes, sizeof *d->orders),
                          .up = mp_calloc(p->ports ? p->ports : p->channels, sizeof *d->up),
                          .stats = mp_calloc(p->tenants, sizeof *d->stats)};
    if (!d->channel || !d->banks || !d->entries || !d->orders || !d->up || !d->stats) {
        mp_dram_free(d);
        return -1;
    }
    d->p.map = mp_map_or_default(p->map);
    for (uint32_t i = 0; i < p->channels * p->banks; i++)
        d->banks[i].row = MP_NEVER;
    for (uint32_t i = 0; i < p->channels; i++) {
        struct mp_dram_channel *c = &d->channel[i];
        uint32_t *orders = d->orders + (size_t)i * 3 * lanes;
        *c = (struct mp_dram_channel){.dram = d,
                                      .wake = MP_NEVER,
                                      .bank = d->banks + (size_t)i * p->banks,
                                      .ready = orders,
                                      .hit_rank = orders + lanes,
                                      .oldest_rank = orders + 2 * lanes};
        for (size_t b = 0; b < lanes; b++) {
            c->ready[b] = 0;
            c->hit_rank[b] = c->oldest_rank[b] = MP_DRAM_NONE;
        }
        for (uint32_t k = 0; k < p->queue; k++) {
            struct mp_dram_entry *e = &d->entries[(size_t)i * p->queue + k];
            e->next = c->spare;
            c->spare = e;
        }
    }
    for (uint32_t t = 0; t < p->tenants; t++)
        d->stats[t].channels = p->channels;
    if (p->model == MP_DRAM_HBM && mp_dram_hbm_init(d)) {
        mp_dram_free(d);
        return -1;
    }
    return 0;
}

void mp_dram_free(struct mp_dram *d)
{
    free(d->channel);
    free(d->banks);
    free(d->entries);
    free(d->hbm);
    free(d->orders);
    free(d->up);
    free(d->stats);
    *d = (struct mp_dram){0};
}

static void decide(void *dram, void *channel);

static inline __attribute__((always_inline)) void wake_at(struct mp_dram_channel *c, uint64_t when)
{
    if (when < c->command_free)
        when = c->command_free;
    if (when >= c->wake)
        return;
    c->wake = when;
    mp_at(c->dram->wheel, when - c->dram->wheel->now, decide, c->dram, c);
}

/* Called often enough that the low bits of a time long past never look like the future. */
static void refresh_times(struct mp_dram_channel *c, uint64_t now)
{
    if (now - c->refreshed < UINT32_MAX / 4)
        return;
    c->refreshed = now;
    for (uint32_t b = 0; b < c->dram->p.banks; b++)
        c->ready[b] = (uint32_t)(c->bank[b].ready > now ? c->bank[b].ready : now);
}

/* First cycle in which the data bus allows the next column access. */
static uint64_t bus_at(const struct mp_dram_channel *c)
{
    uint32_t cas = c->dram->p.cas;
    return c->bus_free > cas ? c->bus_free - cas : 0;
}

/* Schedules a decision for when the request makes a command possible: it is the first of its bank, or the
 * first row hit there. Other requests wait for the commands of those before them. */
static void wake_for(struct mp_dram_channel *c, const struct mp_dram_entry *e, bool first_hit)
{
    uint64_t now = c->dram->wheel->now, when = c->bank[e->bank].ready;
    if (!first_hit && (e->previous || c->bank[e->bank].hit))
        return;
    if (first_hit && when < bus_at(c))
        when = bus_at(c);
    when = when > now ? when : now + 1;
    if (when < c->new_wake)
        c->new_wake = when;
    wake_at(c, when);
}

static void enqueue(struct mp_dram_channel *c, struct mp_req *req)
{
    bool first_hit;
    refresh_times(c, c->dram->wheel->now);
    struct mp_dram_entry *e = mp_dram_put(c, req, &first_hit);
    wake_for(c, e, first_hit);
}

/* Removes the request from its bank's list; a held request takes its place in the queue. */
static void leave_queue(struct mp_dram_channel *c, struct mp_dram_entry *e)
{
    mp_dram_take(c, e);
    struct mp_req *req = mp_queue_pop(&c->held);
    if (!req)
        return;
    enqueue(c, req);
    mp_dram_resume(c->dram, req);
}

static void access_column(struct mp_dram_channel *c, struct mp_dram_entry *e)
{
    struct mp_dram *d = c->dram;
    struct mp_dram_stats *s = &d->stats[e->tenant];
    uint64_t now = d->wheel->now;
    c->command_free = now + 1;
    s->writes += e->write;
    s->reads += !e->write;
    s->row_hits += !e->opened;
    s->row_misses += e->opened;
    s->busy_cycles += d->p.burst;
    s->queue_cycles += now - e->sent;
    c->bus_free = now + d->p.cas + d->p.burst;
    __builtin_prefetch(e->req);
    mp_at(d->wheel, d->p.cas + d->p.burst + d->p.transport, mp_dram_answer, d, e->req);
    leave_queue(c, e);
}

/* Closes the open row, if any, and opens the request's, as soon as the bank's timing allows. */
static void open_row(struct mp_dram_channel *c, struct mp_dram_entry *e)
{
    const struct mp_dram_params *p = &c->dram->p;
    struct mp_dram_bank *b = &c->bank[e->bank];
    uint64_t start = c->dram->wheel->now;
    c->command_free = start + 1;
    if (b->row != MP_NEVER) {
        uint64_t may_close = b->activated + p->ras;
        start = (start > may_close ? start : may_close) + p->rp;
    }
    b->row = e->row;
    b->activated = start;
    b->ready = start + p->rcd;
    c->ready[e->bank] = (uint32_t)b->ready;
    mp_dram_set_hit(c, e->bank, mp_dram_next_hit(b->oldest, b->row));
    e->opened = true;
}

#define BANK_MASK ((1u << MP_DRAM_BANK_BITS) - 1)

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t all_ones_if(bool condition)
{
    return 0 - (uint32_t)condition;
}

/* The requests that a channel's banks can take in this cycle, and the time until busy banks are free. */
struct choice {
    uint32_t hit, conflict; /* ranks of the oldest row hit and of the oldest request that may open its row */
    uint32_t hits, conflicts; /* banks that have one */
    /* Cycles, less one, until the next busy bank is free for which a row hit waits, and the next one for
     * which other requests do. */
    uint32_t wait_hit, wait_conflict;
};

/* Banks are compared without branches, because their states follow no pattern, and with as few vector
 * operations as possible, because this is the memory path's longest loop: no rank below `seen` is hidden by
 * one above, so that the results need to be compared with it only once. */
static inline struct choice choose(const struct mp_dram_channel *c, uint32_t seen, uint32_t now)
{
    struct choice best = {MP_DRAM_NONE, MP_DRAM_NONE, 0, 0, MP_DRAM_NONE, MP_DRAM_NONE};
    const uint32_t *ready = c->ready, *hit_rank = c->hit_rank, *oldest_rank = c->oldest_rank;
    for (uint32_t b = 0, lanes = lanes_of(&c->dram->p); b < lanes; b++) {
        uint32_t ahead = ready[b] - now, busy = all_ones_if((int32_t)ahead > 0);
        uint32_t none = all_ones_if((int32_t)oldest_rank[b] >= (int32_t)seen);
        uint32_t open = all_ones_if((int32_t)hit_rank[b] < (int32_t)seen);
        uint32_t conflict = (oldest_rank[b] | busy | open) & MP_DRAM_NONE;
        best.hit = least(best.hit, hit_rank[b] | busy);
        best.conflict = least(best.conflict, conflict);
        best.hits += open & ~busy & 1;
        best.conflicts += (int32_t)conflict < (int32_t)seen;
        best.wait_hit = least(best.wait_hit, (ahead - 1) | ~open); /* of a free bank: MP_DRAM_NONE or more */
        best.wait_conflict = least(best.wait_conflict, (ahead - 1) | none | open);
    }
    return best;
}

#define FEW_BANKS 5u /* fewer instructions one by one than all at once; measured on star/w2 and star/w10 */

/* The same, one bank after the other, for a channel in few of whose banks requests wait. */
static inline struct choice choose_of_few(const struct mp_dram_channel *c, uint32_t seen, uint32_t now)
{
    struct choice best = {MP_DRAM_NONE, MP_DRAM_NONE, 0, 0, MP_DRAM_NONE, MP_DRAM_NONE};
    for (uint64_t waits = c->waits; waits; waits &= waits - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(waits), ahead = c->ready[b] - now;
        bool busy = (int32_t)ahead > 0, open = c->hit_rank[b] < seen;
        uint32_t is = open ? c->hit_rank[b] : c->oldest_rank[b];
        if (is >= seen)
            continue;
        uint32_t wait = busy ? ahead - 1 : MP_DRAM_NONE, first = busy ? MP_DRAM_NONE : is;
        if (open) {
            best.hit = least(best.hit, first);
            best.wait_hit = least(best.wait_hit, wait);
            best.hits += !busy;
        } else {
            best.conflict = least(best.conflict, first);
            best.wait_conflict = least(best.wait_conflict, wait);
            best.conflicts += !busy;
        }
    }
    return best;
}

static uint64_t after(uint64_t now, uint32_t wait)
{
    return wait < MP_DRAM_NONE ? now + 1 + wait : MP_NEVER;
}

/* Issues one command per cycle: the oldest row hit of all free banks, otherwise the oldest request of the
 * banks in which no row hit waits. A row with waiting hits stays open, however old the other requests are. A
 * request that arrives in the cycle of a decision takes part in the next one. Banks are compared without
 * branches, because their states follow no pattern. */
static void decide(void *dram, void *channel)
{
    struct mp_dram *d = dram;
    struct mp_dram_channel *c = channel;
    uint64_t now = d->wheel->now;
    if (c->wake != now)
        return; /* an earlier decision has replaced this one */
    refresh_times(c, now);
    uint32_t seen = c->arrived == now ? c->first_new << MP_DRAM_BANK_BITS : MP_DRAM_NONE;
    bool few = (uint32_t)__builtin_popcountll(c->waits) <= FEW_BANKS;
    struct choice is = few ? choose_of_few(c, seen, (uint32_t)now) : choose(c, seen, (uint32_t)now);
    bool may_open = is.conflict < seen, has_hit = is.hit < seen;
    uint64_t next = after(now, is.wait_conflict), next_hit = after(now, is.wait_hit);
    if (has_hit && bus_at(c) <= now) {
        struct mp_dram_bank *b = &c->bank[is.hit & BANK_MASK];
        access_column(c, b->hit);
        is.conflicts += b->oldest && !b->hit;
        is.hits -= !b->hit;
    } else if (may_open) {
        struct mp_dram_bank *b = &c->bank[is.conflict & BANK_MASK];
        open_row(c, b->oldest);
        next_hit = b->ready < next_hit ? b->ready : next_hit;
        is.conflicts--;
    }
    next_hit = is.hits ? 0 : next_hit;
    next_hit = next_hit > bus_at(c) ? next_hit : bus_at(c);
    next = next_hit < next ? next_hit : next;
    if (c->arrived == now && c->new_wake < next)
        next = c->new_wake;
    if (is.conflicts)
        next = now + 1;
    c->wake = MP_NEVER;
    if (c->length && next != MP_NEVER)
        wake_at(c, next);
}

enum mp_answer mp_dram_request(void *dram, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_dram *d = dram;
    struct mp_dram_channel *c = &d->channel[port < d->p.channels ? port : port % d->p.channels];
    (void)delay;
    if (mp_dram_hold(c, port, req))
        return MP_HELD;
    enqueue(c, req);
    return MP_TAKEN;
}
