/* SPDX-License-Identifier: Apache-2.0 */
#include "dram/dram.h"

#include <stdlib.h>
#include <string.h>

#include "engine/hash.h"

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

int mp_dram_init(struct mp_dram *d, struct mp_wheel *wheel, const struct mp_dram_params *p)
{
    *d = (struct mp_dram){.wheel = wheel,
                          .p = *p,
                          .channel = calloc(p->channels, sizeof *d->channel),
                          .banks = calloc((size_t)p->channels * p->banks, sizeof *d->banks),
                          .entries = calloc((size_t)p->channels * p->queue, sizeof *d->entries),
                          .orders = calloc((size_t)p->channels * 3 * p->banks, sizeof *d->orders),
                          .up = calloc(p->channels, sizeof *d->up),
                          .stats = calloc(p->tenants, sizeof *d->stats)};
    if (!d->channel || !d->banks || !d->entries || !d->orders || !d->up || !d->stats) {
        mp_dram_free(d);
        return -1;
    }
    for (uint32_t i = 0; i < p->channels * p->banks; i++)
        d->banks[i].row = MP_NEVER;
    for (uint32_t i = 0; i < p->channels; i++) {
        struct mp_dram_channel *c = &d->channel[i];
        uint64_t *orders = d->orders + (size_t)i * 3 * p->banks;
        *c = (struct mp_dram_channel){.dram = d,
                                      .wake = MP_NEVER,
                                      .bank = d->banks + (size_t)i * p->banks,
                                      .ready = orders,
                                      .hit_rank = orders + p->banks,
                                      .oldest_rank = orders + 2 * p->banks};
        memset(c->hit_rank, 0xff, 2 * p->banks * sizeof *c->hit_rank); /* oldest_rank follows */
        for (uint32_t k = 0; k < p->queue; k++) {
            struct mp_dram_entry *e = &d->entries[(size_t)i * p->queue + k];
            e->next = c->spare;
            c->spare = e;
        }
    }
    for (uint32_t t = 0; t < p->tenants; t++)
        d->stats[t].channels = p->channels;
    return 0;
}

void mp_dram_free(struct mp_dram *d)
{
    free(d->channel);
    free(d->banks);
    free(d->entries);
    free(d->orders);
    free(d->up);
    free(d->stats);
    *d = (struct mp_dram){0};
}

static void decide(void *dram, void *channel);

static void wake_at(struct mp_dram_channel *c, uint64_t when)
{
    if (when < c->command_free)
        when = c->command_free;
    if (when >= c->wake)
        return;
    c->wake = when;
    mp_at(c->dram->wheel, when - c->dram->wheel->now, decide, c->dram, c);
}

#define BANK_BITS 6u /* up to 64 banks */

static uint64_t rank(const struct mp_dram_entry *e)
{
    return e ? e->order << BANK_BITS | e->bank : MP_NEVER;
}

static void set_hit(struct mp_dram_channel *c, uint32_t bank, struct mp_dram_entry *e)
{
    c->bank[bank].hit = e;
    c->hit_rank[bank] = rank(e);
}

static void enqueue(struct mp_dram_channel *c, struct mp_req *req)
{
    const struct mp_dram_params *p = &c->dram->p;
    uint64_t row = req->pa / ((uint64_t)p->row_bytes * p->channels);
    struct mp_dram_entry *e = c->spare;
    uint32_t bank = mp_fold(row) % p->banks;
    struct mp_dram_bank *b = &c->bank[bank];
    c->spare = e->next;
    *e = (struct mp_dram_entry){
        .row = row, .order = c->arrivals++, .req = req, .previous = b->youngest, .bank = bank};
    if (b->youngest) {
        b->youngest->next = e;
    } else {
        b->oldest = e;
        c->oldest_rank[bank] = rank(e);
    }
    b->youngest = e;
    if (!b->hit && b->row == row)
        set_hit(c, bank, e);
    c->length++;
    wake_at(c, c->dram->wheel->now);
}

static struct mp_dram_entry *next_hit(struct mp_dram_entry *from, uint64_t row)
{
    while (from && from->row != row)
        from = from->next;
    return from;
}

static void answer(void *dram, void *req)
{
    struct mp_dram *d = dram;
    struct mp_req *r = req;
    mp_respond(&d->up[r->port], r);
}

/* The request leaves its bank's list, and a held one takes its place in the queue. */
static void leave_queue(struct mp_dram_channel *c, struct mp_dram_entry *e)
{
    struct mp_dram_bank *b = &c->bank[e->bank];
    set_hit(c, e->bank, next_hit(e->next, b->row));
    *(e->previous ? &e->previous->next : &b->oldest) = e->next;
    *(e->next ? &e->next->previous : &b->youngest) = e->previous;
    c->oldest_rank[e->bank] = rank(b->oldest);
    e->next = c->spare;
    c->spare = e;
    c->length--;
    struct mp_req *req = mp_queue_pop(&c->held);
    if (!req)
        return;
    enqueue(c, req);
    const struct mp_initiator *up = &c->dram->up[req->port];
    up->resume(up->self, up->port);
}

static void access_column(struct mp_dram_channel *c, struct mp_dram_entry *e)
{
    struct mp_dram *d = c->dram;
    struct mp_dram_stats *s = &d->stats[e->req->tenant];
    uint64_t now = d->wheel->now;
    c->command_free = now + 1;
    bool write = e->req->op == MP_WRITEBACK || e->req->op == MP_STORE;
    s->writes += write;
    s->reads += !write;
    s->row_hits += !e->opened;
    s->row_misses += e->opened;
    s->busy_cycles += d->p.burst;
    s->queue_cycles += now - e->req->sent;
    c->bus_free = now + d->p.cas + d->p.burst;
    mp_at(d->wheel, d->p.cas + d->p.burst + d->p.transport, answer, d, e->req);
    leave_queue(c, e);
}

/* Closes what is open and opens the row; both fit behind what the bank is still doing. */
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
    c->ready[e->bank] = start + p->rcd;
    set_hit(c, e->bank, next_hit(b->oldest, b->row));
    e->opened = true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static uint64_t all_ones_if(bool condition)
{
    return 0 - (uint64_t)condition;
}

/* One command a cycle: the oldest row hit of all free banks, else the oldest request of those that no row hit
 * waits for; a row that is still wanted stays open, however old the other requests are. Banks are compared
 * without a branch, for their states follow no pattern. */
static void decide(void *dram, void *channel)
{
    struct mp_dram *d = dram;
    struct mp_dram_channel *c = channel;
    uint64_t now = d->wheel->now;
    if (c->wake != now)
        return; /* an earlier decision has replaced this one */
    c->wake = MP_NEVER;
    uint64_t bus_at =
        c->bus_free > d->p.cas ? c->bus_free - d->p.cas : 0; /* first cycle for a column access */
    uint64_t hit = MP_NEVER, conflict = MP_NEVER, next = MP_NEVER;
    for (uint32_t b = 0; b < d->p.banks; b++) {
        uint64_t ready = c->ready[b], busy = all_ones_if(ready > now);
        uint64_t hits = all_ones_if(c->hit_rank[b] != MP_NEVER),
                 empty = all_ones_if(c->oldest_rank[b] == MP_NEVER);
        uint64_t bus = bus_at & hits; /* a row hit needs the bus too */
        hit = least(hit, c->hit_rank[b] | busy);
        conflict = least(conflict, c->oldest_rank[b] | busy | hits);
        next = least(next, (ready > bus ? ready : bus) | ~busy | empty);
    }
    const uint64_t bank_mask = (1u << BANK_BITS) - 1;
    if (hit != MP_NEVER && bus_at <= now) {
        access_column(c, c->bank[hit & bank_mask].hit);
        wake_at(c, now + 1);
        return;
    }
    if (conflict != MP_NEVER) {
        open_row(c, c->bank[conflict & bank_mask].oldest);
        next = now + 1;
    }
    if (hit != MP_NEVER)
        next = least(next, bus_at);
    if (c->length && next != MP_NEVER)
        wake_at(c, next);
}

enum mp_answer mp_dram_request(void *dram, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_dram *d = dram;
    struct mp_dram_channel *c = &d->channel[port];
    (void)delay;
    req->port = (uint16_t)port;
    if (c->length == d->p.queue) {
        d->stats[req->tenant].stalls++;
        mp_queue_push(&c->held, req);
        return MP_HELD;
    }
    enqueue(c, req);
    return MP_TAKEN;
}
