/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Channels of stacked memory (JESD235, JESD238): the same queues and scheduler as dram.c, with what makes its
 * bandwidth differ from a data bus's. Times count cycles of the memory's clock, "ticks". A line is several
 * column accesses, one in every burst at most, and one in every ccd_l of the same bank group. Activates keep
 * rrd, rrd_l and four of them faw. The data bus turns between reads and writes, and stays with one direction
 * for a batch. All banks refresh together, or one after another while the others serve requests. There is a
 * command bus for rows and one for columns.
 */
#include "dram/hbm.h"

#include <stdlib.h>

#include "dram/queue.h"

/* A tick belongs to the first cycle of the machine's clock that begins with it or later. The first tick that
 * belongs to a cycle or a later one, and the cycle of a tick. */
static uint64_t tick_at(const struct mp_dram_params *p, uint64_t cycle)
{
    return p->clock == p->core ? cycle : cycle ? (cycle - 1) * p->clock / p->core + 1 : 0;
}

static uint64_t cycle_at(const struct mp_dram_params *p, uint64_t tick)
{
    return p->clock == p->core ? tick : (tick * p->core + p->clock - 1) / p->clock;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

int mp_dram_hbm_init(struct mp_dram *d)
{
    const struct mp_dram_params *p = &d->p;
    const uint64_t size = sizeof(struct mp_hbm_channel) + p->banks * sizeof(struct mp_hbm_bank) +
                          p->groups * sizeof(struct mp_hbm_group);
    char *at = d->hbm = calloc(p->channels, size);
    if (!at)
        return -1;
    for (uint32_t i = 0; i < p->channels; i++, at += size) {
        struct mp_hbm_channel *h = (struct mp_hbm_channel *)at;
        h->bank = (struct mp_hbm_bank *)(h + 1);
        h->group = (struct mp_hbm_group *)(h->bank + p->banks);
        h->refresh = p->by_bank ? p->refi / p->banks : p->refi;
        d->channel[i].hbm = h;
    }
    return 0;
}

static struct mp_hbm_group *group_of(const struct mp_dram_channel *c, uint32_t bank)
{
    return &c->hbm->group[bank % c->dram->p.groups];
}

/* --- when a bank can take a command ------------------------------------------------------------------ */

/* The first tick in which the bus and the bank take a column access. */
static uint64_t column_at(const struct mp_dram_channel *c, uint32_t bank, bool write)
{
    const struct mp_hbm_channel *h = c->hbm;
    uint64_t at = later(h->bank[bank].column, group_of(c, bank)->column);
    return later(at, write ? h->write_at : h->read_at);
}

static uint64_t activate_at(const struct mp_dram_channel *c, uint32_t bank)
{
    const struct mp_hbm_channel *h = c->hbm;
    uint64_t at = later(h->bank[bank].activate, group_of(c, bank)->activate);
    return later(at, later(h->activate_at, h->window[h->activates % MP_HBM_WINDOW]));
}

/* The oldest of the requests that a command is possible for now, or NULL, and when one is possible for
 * others. */
struct found {
    struct mp_dram_entry *now;
    uint64_t next; /* tick, or MP_NEVER */
};

static void consider(struct found *f, struct mp_dram_entry *e, uint64_t when, uint64_t tick)
{
    if (when > tick)
        f->next = when < f->next ? when : f->next;
    else if (!f->now || e->order < f->now->order)
        f->now = e;
}

static struct found either(struct found a, struct found b)
{
    if (!a.now || (b.now && b.now->order < a.now->order))
        a.now = b.now;
    if (b.next < a.next)
        a.next = b.next;
    return a;
}

struct choice {
    struct found column, row;
};

/* The bank whose refresh is due and which takes no requests therefore; or none of them. */
static uint32_t due_bank(const struct mp_dram_channel *c, uint64_t tick)
{
    const struct mp_dram_params *p = &c->dram->p;
    const bool due = p->by_bank && p->refi && tick >= c->hbm->refresh;
    return due ? (uint32_t)(c->hbm->refreshed % p->banks) : p->banks;
}

/* Requests from `seen` on have arrived in this cycle and take part in the next one. */
static struct choice choose(const struct mp_dram_channel *c, uint64_t tick, uint32_t seen)
{
    const struct mp_hbm_channel *h = c->hbm;
    struct found row = {NULL, MP_NEVER}, column[2] = {row, row}; /* reads, writes */
    const uint32_t due = due_bank(c, tick);
    for (uint64_t waits = c->waits; waits; waits &= waits - 1) {
        const uint32_t b = (uint32_t)__builtin_ctzll(waits);
        const struct mp_dram_bank *bank = &c->bank[b];
        if (bank->oldest->order >= seen || b == due)
            continue;
        if (bank->hit && bank->hit->order < seen)
            consider(&column[bank->hit->write], bank->hit, column_at(c, b, bank->hit->write), tick);
        else
            consider(&row, bank->oldest, bank->row == MP_NEVER ? activate_at(c, b) : h->bank[b].precharge,
                     tick);
    }
    const struct found other = column[!h->writing];
    const bool turn = h->streak >= c->dram->p.batch && (other.now || other.next != MP_NEVER);
    return (struct choice){turn ? other : either(column[0], column[1]), row};
}

/* --- commands ---------------------------------------------------------------------------------------- */

static void put(struct mp_dram_channel *c, struct mp_req *req)
{
    bool first_hit;
    mp_dram_put(c, req, &first_hit)->left = (uint8_t)c->dram->p.accesses;
}

/* The last access of a line: it is answered when its data has been sent, and a held request takes its place.
 */
static void finish(struct mp_dram_channel *c, struct mp_dram_entry *e, uint64_t end)
{
    struct mp_dram *d = c->dram;
    const struct mp_dram_params *p = &d->p;
    struct mp_dram_stats *s = &d->stats[e->tenant];
    const uint64_t now = d->wheel->now, sent = cycle_at(p, end);
    s->writes += e->write;
    s->reads += !e->write;
    s->row_hits += !e->opened;
    s->row_misses += e->opened;
    s->queue_cycles += now - e->sent;
    c->hbm->busy += p->burst;
    s->busy_cycles += cycle_at(p, c->hbm->busy) - cycle_at(p, c->hbm->busy - p->burst);
    mp_at(d->wheel, (sent > now ? sent - now : 1) + p->transport, mp_dram_answer, d, e->req);
    mp_dram_take(c, e);
    struct mp_req *req = mp_queue_pop(&c->held);
    if (!req)
        return;
    put(c, req);
    mp_dram_resume(d, req);
}

static void access_column(struct mp_dram_channel *c, struct mp_dram_entry *e, uint64_t tick)
{
    const struct mp_dram_params *p = &c->dram->p;
    struct mp_hbm_channel *h = c->hbm;
    struct mp_hbm_bank *b = &h->bank[e->bank];
    const uint32_t burst = p->burst / p->accesses;
    const uint64_t end = tick + (e->write ? p->cwl : p->cas) + burst;
    group_of(c, e->bank)->column = tick + later(p->ccd_l, burst);
    if (e->write != h->writing)
        h->streak = 0;
    h->writing = e->write;
    h->streak++;
    if (e->write) {
        h->write_at = tick + burst;
        h->read_at = later(h->read_at, end + p->wtr);
        b->precharge = later(b->precharge, end + p->wr);
    } else {
        h->read_at = tick + burst;
        h->write_at = later(h->write_at, end + 1 > p->cwl ? end + 1 - p->cwl : 0); /* a tick for the turn */
        b->precharge = later(b->precharge, tick + p->rtp);
    }
    if (!--e->left)
        finish(c, e, end);
}

static void activate(struct mp_dram_channel *c, struct mp_dram_entry *e, uint64_t tick)
{
    const struct mp_dram_params *p = &c->dram->p;
    struct mp_hbm_channel *h = c->hbm;
    struct mp_hbm_bank *b = &h->bank[e->bank];
    c->bank[e->bank].row = e->row;
    b->column = tick + p->rcd;
    b->precharge = tick + p->ras;
    h->activate_at = tick + p->rrd;
    group_of(c, e->bank)->activate = tick + p->rrd_l;
    h->window[h->activates++ % MP_HBM_WINDOW] = tick + p->faw;
    e->opened = true;
    mp_dram_set_hit(c, e->bank, mp_dram_next_hit(c->bank[e->bank].oldest, e->row));
}

static void close_row(struct mp_dram_channel *c, uint32_t bank, uint64_t tick)
{
    c->bank[bank].row = MP_NEVER;
    c->hbm->bank[bank].activate = tick + c->dram->p.rp;
    mp_dram_set_hit(c, bank, NULL);
}

/* All banks refresh from when their rows are closed. Refreshes of a time without requests are past. Returns
 * the first tick that takes commands again. */
static uint64_t refresh(struct mp_dram_channel *c, uint64_t tick)
{
    const struct mp_dram_params *p = &c->dram->p;
    struct mp_hbm_channel *h = c->hbm;
    h->refresh += (tick - h->refresh) / p->refi * p->refi;
    uint64_t start = h->refresh;
    for (uint32_t b = 0; b < p->banks; b++) {
        if (c->bank[b].row != MP_NEVER)
            close_row(c, b, later(h->refresh, h->bank[b].precharge));
        start = later(start, h->bank[b].activate);
    }
    for (uint32_t b = 0; b < p->banks; b++)
        h->bank[b].activate = start + p->rfc;
    h->refresh += p->refi;
    return later(tick, start + p->rfc);
}

/* --- refreshes of one bank after another -------------------------------------------------------------- */

/* The n-th refresh, from 0. */
static uint64_t due_at(const struct mp_dram_params *p, uint64_t n)
{
    return (n + 1) * p->refi / p->banks;
}

/* When the next command of a refresh is possible: that which closes the bank's row, or the refresh itself. */
static uint64_t refresh_at(const struct mp_dram_channel *c)
{
    const struct mp_hbm_channel *h = c->hbm;
    const uint32_t bank = (uint32_t)(h->refreshed % c->dram->p.banks);
    if (c->bank[bank].row != MP_NEVER)
        return later(h->refresh, h->bank[bank].precharge);
    return later(later(h->refresh, h->bank[bank].activate),
                 later(h->activate_at, group_of(c, bank)->activate));
}

static void refresh_bank(struct mp_dram_channel *c, uint64_t tick)
{
    const struct mp_dram_params *p = &c->dram->p;
    struct mp_hbm_channel *h = c->hbm;
    const uint32_t bank = (uint32_t)(h->refreshed % p->banks);
    if (c->bank[bank].row != MP_NEVER) {
        close_row(c, bank, tick);
        return;
    }
    h->bank[bank].activate = tick + p->rfcpb;
    h->activate_at = tick + p->rrefd;
    h->refreshed++;
    h->refresh = later(due_at(p, h->refreshed), tick + 1);
}

/* The refreshes before this tick, in a time without requests. Of many, the last ones of each bank decide. */
static void catch_up(struct mp_dram_channel *c, uint64_t tick)
{
    const struct mp_dram_params *p = &c->dram->p;
    const uint64_t past = tick * p->banks / p->refi, enough = 2 * p->banks;
    if (past > c->hbm->refreshed + enough) {
        c->hbm->refreshed = past - enough;
        c->hbm->refresh = due_at(p, c->hbm->refreshed);
    }
    for (uint64_t at; (at = refresh_at(c)) < tick;)
        refresh_bank(c, at);
}

/* --- time ------------------------------------------------------------------------------------------- */

static void decide(void *dram, void *channel);

static void wake_at(struct mp_dram_channel *c, uint64_t when)
{
    if (when >= c->wake)
        return;
    c->wake = when;
    mp_at(c->dram->wheel, when - c->dram->wheel->now, decide, c->dram, c);
}

/* When a refresh next changes what is possible. A bank takes no requests from when its refresh is due. */
static uint64_t refresh_after(const struct mp_dram_channel *c, uint64_t tick)
{
    const struct mp_dram_params *p = &c->dram->p;
    if (!p->refi)
        return MP_NEVER;
    return p->by_bank && tick >= c->hbm->refresh ? refresh_at(c) : c->hbm->refresh;
}

/* The command for rows of this tick: of the refresh of a bank if one is possible. Returns whether there is
 * one. */
static bool give_row(struct mp_dram_channel *c, struct mp_dram_entry *e, uint64_t tick)
{
    if (due_bank(c, tick) < c->dram->p.banks && refresh_at(c) <= tick)
        refresh_bank(c, tick);
    else if (e && c->bank[e->bank].row != MP_NEVER)
        close_row(c, e->bank, tick);
    else if (e)
        activate(c, e, tick);
    else
        return false;
    return true;
}

/* A command of each kind in a tick; as many ticks as begin in this cycle. */
static void decide(void *dram, void *channel)
{
    const struct mp_dram *d = dram;
    const struct mp_dram_params *p = &d->p;
    struct mp_dram_channel *c = channel;
    const uint64_t now = d->wheel->now;
    if (c->wake != now)
        return; /* an earlier decision has replaced this one */
    uint64_t tick = later(c->hbm->tick, tick_at(p, now));
    if (p->by_bank && p->refi)
        catch_up(c, tick);
    while (cycle_at(p, tick) <= now) {
        if (p->refi && !p->by_bank && tick >= c->hbm->refresh) {
            tick = refresh(c, tick);
            continue;
        }
        c->hbm->tick = tick + 1;
        const uint32_t seen = c->arrived == now ? c->first_new : UINT32_MAX;
        const struct choice is = choose(c, tick, seen);
        const bool row = give_row(c, is.row.now, tick);
        if (is.column.now)
            access_column(c, is.column.now, tick);
        uint64_t next = is.row.next < is.column.next ? is.row.next : is.column.next;
        const uint64_t due = refresh_after(c, tick);
        if (next > due)
            next = c->length ? due : MP_NEVER;
        tick = row || is.column.now ? tick + 1 : next;
        if (tick == MP_NEVER)
            break;
    }
    c->wake = MP_NEVER;
    if (c->arrived == now)
        wake_at(c, now + 1);
    else if (c->length && tick != MP_NEVER)
        wake_at(c, cycle_at(p, tick));
}

enum mp_answer mp_dram_hbm_request(void *dram, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_dram *d = dram;
    struct mp_dram_channel *c = &d->channel[port % d->p.channels];
    (void)delay;
    if (mp_dram_hold(c, port, req))
        return MP_HELD;
    put(c, req);
    wake_at(c, d->wheel->now + 1);
    return MP_TAKEN;
}
