/* SPDX-License-Identifier: Apache-2.0 */
#include "host/copy.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/memory.h"

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_copies_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(read, "lines", "of the GPU's memory, by copies to the host"),
    COUNTER(written, "lines", "of the GPU's memory, by copies from the host and by zeroing"),
    COUNTER(late, "cycles",
            "by which the last lines of copies were answered after the link had passed them, summed"),
};

const struct mp_metric_table mp_copies_metrics = {"copy", sizeof(struct mp_copies_stats),
                                                  sizeof metrics / sizeof *metrics, metrics};

struct mp_copy_entry {
    struct mp_copy_entry *next;
    struct mp_copy of;
    enum mp_copy_kind kind;
    uint64_t number;
    uint64_t delay; /* of its direction of the link when it was added */
    uint64_t lines, sent, answered;
};

static struct mp_copy_entry *take_entry(struct mp_copies *c)
{
    struct mp_copy_entry *e = c->spare;
    if (e)
        c->spare = e->next;
    else
        e = malloc(sizeof *e);
    if (!e) {
        fputs("mempath: engine: out of memory for copies\n", stderr);
        abort();
    }
    return e;
}

/* By how much lines of the host have delayed the copy until now, in cycles. */
static uint64_t delay_of(const struct mp_copies_queue *q, const struct mp_copy_entry *e)
{
    uint64_t delay = e->delay;
    return q->way ? mp_host_delayed(q->way, &delay) : 0;
}

static void send(struct mp_copies *c, struct mp_copy_entry *e)
{
    struct mp_req *req = mp_pool_get(&c->pool);
    const bool reads = e->kind == MP_COPY_OUT;
    *req = (struct mp_req){.owner = e,
                           .pa = ((e->of.pa >> c->p.line_shift) + e->sent) << c->p.line_shift,
                           .sm = c->p.sm,
                           .asid = e->of.tenant,
                           .tenant = e->of.tenant,
                           .op = reads ? MP_LOAD : MP_STORE};
    e->sent++;
    c->in_flight++;
    *(reads ? &c->stats[e->of.tenant].read : &c->stats[e->of.tenant].written) += 1;
    mp_out_send(&c->out[c->p.links > 1 ? mp_map_channel(&c->p.map, req->pa, c->p.links) : 0], req);
}

static void ring(void *copies, void *queue);

/* Sends the lines of a kind of copies that are due. Those that wait for a copy out go on when it has ended.
 */
static void send_due(struct mp_copies *c, struct mp_copies_queue *q)
{
    for (struct mp_copy_entry *e; !q->alarm && (e = q->sends);) {
        if (!mp_copies_ended(c, MP_COPY_OUT, e->of.after))
            return;
        const uint64_t due = e->of.from + (e->of.to - e->of.from) * e->sent / e->lines + delay_of(q, e);
        if (due > c->wheel->now) {
            q->alarm = true;
            mp_at(c->wheel, due - c->wheel->now, ring, c, q);
            return;
        }
        if (e->sent + 1 == e->lines)
            q->sends = e->next;
        send(c, e);
    }
}

static void ring(void *copies, void *queue)
{
    struct mp_copies_queue *q = queue;
    q->alarm = false;
    send_due(copies, q);
}

void mp_copies_share(struct mp_copies *c, const struct mp_host_link *link)
{
    c->queue[MP_COPY_IN].way = &link->in;
    c->queue[MP_COPY_OUT].way = &link->out;
}

uint64_t mp_copies_add(struct mp_copies *c, enum mp_copy_kind kind, const struct mp_copy *copy)
{
    struct mp_copies_queue *q = &c->queue[kind];
    struct mp_copy_entry *e = take_entry(c);
    *e = (struct mp_copy_entry){.of = *copy,
                                .kind = kind,
                                .number = ++q->numbers,
                                .delay = q->way ? q->way->delay : 0,
                                .lines = ((copy->pa + copy->bytes - 1) >> c->p.line_shift) -
                                         (copy->pa >> c->p.line_shift) + 1};
    if (q->first)
        q->last->next = e;
    else
        q->first = e;
    q->last = e;
    if (!q->sends)
        q->sends = e;
    send_due(c, q);
    return e->number;
}

bool mp_copies_ended(const struct mp_copies *c, enum mp_copy_kind kind, uint64_t number)
{
    return number <= c->queue[kind].ended;
}

void mp_copies_await(struct mp_copies *c, enum mp_copy_kind kind, struct mp_copy_wait *wait)
{
    wait->next = c->queue[kind].waits;
    c->queue[kind].waits = wait;
}

static void wake(struct mp_copies *c, struct mp_copies_queue *q)
{
    for (struct mp_copy_wait **at = &q->waits, *w; (w = *at);) {
        if (w->number > q->ended) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        mp_at(c->wheel, 0, w->fn, w->object, w->argument);
    }
}

static void end(struct mp_copies *c, struct mp_copies_queue *q)
{
    for (struct mp_copy_entry *e; (e = q->first) && e->answered == e->lines;) {
        const uint64_t to = e->of.to + delay_of(q, e);
        if (c->wheel->now > to)
            c->stats[e->of.tenant].late += c->wheel->now - to;
        q->ended = e->number;
        q->first = e->next;
        e->next = c->spare;
        c->spare = e;
    }
    wake(c, q);
    if (q == &c->queue[MP_COPY_OUT]) {
        send_due(c, &c->queue[MP_COPY_IN]);
        send_due(c, &c->queue[MP_COPY_ZERO]);
    }
}

static void response(void *copies, struct mp_req *req)
{
    struct mp_copies *c = copies;
    struct mp_copy_entry *e = req->owner;
    mp_pool_put(&c->pool, req);
    c->in_flight--;
    if (++e->answered == e->lines)
        end(c, &c->queue[e->kind]);
}

static void resume(void *copies, unsigned link)
{
    struct mp_copies *c = copies;
    mp_out_resume(&c->out[link]);
}

/* --- the block -------------------------------------------------------------------------------------- */

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_copies_params *p = params;
    p->links = place->outs[0];
    p->tenants = place->tenant_numbers;
    p->sm = (uint16_t)place->first_sm;
}

static void release(void *model)
{
    struct mp_copies *c = model;
    for (unsigned kind = 0; kind < MP_COPY_KINDS; kind++)
        for (struct mp_copy_entry *e; (e = c->queue[kind].first);) {
            c->queue[kind].first = e->next;
            free(e);
        }
    for (struct mp_copy_entry *e; (e = c->spare);) {
        c->spare = e->next;
        free(e);
    }
    mp_pool_free(&c->pool);
    free(c->out);
    free(c->stats);
    *c = (struct mp_copies){0};
}

static int init(void *model, struct mp_wheel *wheel, const void *params)
{
    struct mp_copies *c = model;
    const struct mp_copies_params *p = params;
    *c = (struct mp_copies){.wheel = wheel,
                            .p = *p,
                            .out = mp_calloc(p->links, sizeof *c->out),
                            .stats = mp_calloc(p->tenants, sizeof *c->stats)};
    c->p.map = mp_map_or_default(p->map);
    if (c->out && c->stats)
        return 0;
    release(c);
    return -1;
}

static struct mp_initiator initiator(void *model, unsigned out)
{
    return mp_initiator_of(response, resume, model, out);
}

static void join(void *model, unsigned out, struct mp_target to)
{
    struct mp_copies *c = model;
    c->out[out] = (struct mp_out){.target = to, .wheel = c->wheel, .response = response, .self = c};
}

static void *stats(const void *model)
{
    const struct mp_copies *c = model;
    return c->stats;
}

static void xray(const void *model, const struct mp_xray *x)
{
    static const char *const names[MP_COPY_KINDS] = {"copies in", "copies out", "zeroing"};
    const struct mp_copies *c = model;
    for (unsigned kind = 0; kind < MP_COPY_KINDS; kind++)
        mp_xray_room(x, names[kind], c->queue[kind].numbers - c->queue[kind].ended, 0);
    mp_xray_room(x, "lines in flight", c->in_flight, 0);
}

const struct mp_block_kind mp_copies_kind = {
    .name = "copy",
    .model_bytes = sizeof(struct mp_copies),
    .params_bytes = sizeof(struct mp_copies_params),
    .metrics = &mp_copies_metrics,
    .groups = 1,
    .out = {{"lines", MP_LINK_MEMORY, true}},
    .fit = fit,
    .init = init,
    .free = release,
    .initiator = initiator,
    .join = join,
    .stats = stats,
    .xray = xray,
};
