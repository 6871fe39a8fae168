/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of a channel: a list for each bank, in order of arrival, with the bank's oldest row hit. Both
 * models of channels with banks (dram.c, hbm.c) have it. */
#ifndef MP_DRAM_QUEUE_H
#define MP_DRAM_QUEUE_H

#include "dram/dram.h"

static inline uint32_t mp_dram_rank(const struct mp_dram_entry *e)
{
    return e ? e->order << MP_DRAM_BANK_BITS | e->bank : MP_DRAM_NONE;
}

static inline void mp_dram_set_hit(struct mp_dram_channel *c, uint32_t bank, struct mp_dram_entry *e)
{
    c->bank[bank].hit = e;
    c->hit_rank[bank] = mp_dram_rank(e);
}

/* Counts arrivals from the oldest request that still waits. */
static inline void mp_dram_number_anew(struct mp_dram_channel *c)
{
    uint32_t banks = c->dram->p.banks, first = MP_DRAM_NONE;
    for (uint32_t b = 0; b < banks; b++)
        if (c->bank[b].oldest && c->bank[b].oldest->order < first)
            first = c->bank[b].oldest->order;
    for (uint32_t b = 0; b < banks; b++) {
        for (struct mp_dram_entry *e = c->bank[b].oldest; e; e = e->next)
            e->order -= first;
        c->hit_rank[b] = mp_dram_rank(c->bank[b].hit);
        c->oldest_rank[b] = mp_dram_rank(c->bank[b].oldest);
    }
    if (!c->length)
        first = c->arrivals;
    c->arrivals -= first;
    c->first_new = c->first_new > first ? c->first_new - first : 0;
}

static inline struct mp_dram_entry *mp_dram_next_hit(struct mp_dram_entry *from, uint64_t row)
{
    while (from && from->row != row)
        from = from->next;
    return from;
}

/* Puts a request at the end of its bank's list, in a queue that has room for it. *first_hit: it is the first
 * there that wants the open row. */
static inline struct mp_dram_entry *mp_dram_put(struct mp_dram_channel *c, struct mp_req *req,
                                                bool *first_hit)
{
    const struct mp_dram_params *p = &c->dram->p;
    uint64_t now = c->dram->wheel->now;
    struct mp_map_row at = mp_map_row(&p->map, req->pa, p->channels, p->banks, p->row_bytes);
    if (c->arrivals == MP_DRAM_ORDERS)
        mp_dram_number_anew(c);
    if (c->arrived != now) {
        c->first_new = c->arrivals;
        c->new_wake = MP_NEVER;
    }
    c->arrived = now;
    struct mp_dram_entry *e = c->spare;
    struct mp_dram_bank *b = &c->bank[at.bank];
    c->spare = e->next;
    *e = (struct mp_dram_entry){.row = at.row,
                                .order = c->arrivals++,
                                .req = req,
                                .previous = b->youngest,
                                .sent = req->sent,
                                .bank = at.bank,
                                .tenant = req->tenant,
                                .write = req->op == MP_WRITEBACK || req->op == MP_STORE};
    if (b->youngest) {
        b->youngest->next = e;
    } else {
        b->oldest = e;
        c->waits |= 1ull << at.bank;
        c->oldest_rank[at.bank] = mp_dram_rank(e);
    }
    b->youngest = e;
    *first_hit = !b->hit && b->row == at.row;
    if (*first_hit)
        mp_dram_set_hit(c, at.bank, e);
    c->length++;
    return e;
}

/* Removes a bank's oldest row hit from its list. */
static inline void mp_dram_take(struct mp_dram_channel *c, struct mp_dram_entry *e)
{
    struct mp_dram_bank *b = &c->bank[e->bank];
    mp_dram_set_hit(c, e->bank, mp_dram_next_hit(e->next, b->row));
    *(e->previous ? &e->previous->next : &b->oldest) = e->next;
    *(e->next ? &e->next->previous : &b->youngest) = e->previous;
    c->oldest_rank[e->bank] = mp_dram_rank(b->oldest);
    if (!b->oldest)
        c->waits &= ~(1ull << e->bank);
    e->next = c->spare;
    c->spare = e;
    c->length--;
}

/* Takes the request at a port into the held ones if the channel's queue is full. */
static inline bool mp_dram_hold(struct mp_dram_channel *c, unsigned port, struct mp_req *req)
{
    struct mp_dram *d = c->dram;
    req->port = (uint16_t)port;
    if (c->length < d->p.queue)
        return false;
    d->stats[req->tenant].stalls++;
    mp_queue_push(&c->held, req);
    return true;
}

/* The initiator of a request that was held may send again. */
static inline void mp_dram_resume(const struct mp_dram *d, const struct mp_req *req)
{
    const struct mp_initiator *up = &d->up[req->port];
    up->resume(up->self, up->port);
}

static inline void mp_dram_answer(void *dram, void *req)
{
    struct mp_dram *d = dram;
    struct mp_req *r = req;
    mp_respond(&d->up[r->port], r);
}

#endif
