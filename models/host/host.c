/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host.h"

#include <stdlib.h>

#include "engine/memory.h"

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_host_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(reads, "lines", "read, atomics included"),
    COUNTER(writes, "lines", "written, atomics included"),
    COUNTER(busy_in, "cycles", "in which the link was busy with lines from the host, rounded down"),
    COUNTER(busy_out, "cycles", "in which the link was busy with lines to the host, rounded down"),
    COUNTER(wait_in, "cycles", "that lines from the host waited for those before them, summed"),
    COUNTER(wait_out, "cycles", "that lines to the host waited for those before them, summed"),
};

const struct mp_metric_table mp_host_metrics = {"host", sizeof(struct mp_host_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

/* A line takes its direction. Returns the cycles until it has passed, rounded up. */
static uint32_t pass(const struct mp_host *h, struct mp_host_way *way, uint64_t *busy, uint64_t *wait)
{
    const uint64_t now = h->wheel->now * MP_HOST_CYCLE, end = mp_host_send_line(way, now, h->p.line),
                   start = end - h->p.line;
    *busy += end / MP_HOST_CYCLE - start / MP_HOST_CYCLE;
    *wait += (start - now) / MP_HOST_CYCLE;
    return (uint32_t)((end - now + MP_HOST_CYCLE - 1) / MP_HOST_CYCLE);
}

static void answer(void *host, void *atomic)
{
    struct mp_host *h = host;
    struct mp_req *req = atomic;
    mp_respond(&h->up[req->port], req);
}

/* The line of an atomic has gone out, and only then does its line in take its turn. */
static void arrived(void *host, void *atomic)
{
    struct mp_host *h = host;
    const struct mp_req *req = atomic;
    struct mp_host_stats *s = &h->stats[req->tenant];
    mp_at(h->wheel, h->p.latency + pass(h, &h->link->in, &s->busy_in, &s->wait_in), answer, h, atomic);
}

static enum mp_answer request(void *host, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_host *h = host;
    struct mp_host_stats *s = &h->stats[req->tenant];
    const struct mp_host_watch *watch = &h->watch[req->tenant];
    const bool atomic = req->op == MP_ATOMIC;
    const bool write = atomic || req->op == MP_STORE || req->op == MP_WRITEBACK;
    if (watch->accessed)
        watch->accessed(watch->self, req);
    *delay = h->p.latency;
    s->writes += write;
    s->reads += atomic || !write;
    if (write)
        *delay += pass(h, &h->link->out, &s->busy_out, &s->wait_out);
    else
        *delay += pass(h, &h->link->in, &s->busy_in, &s->wait_in);
    if (!atomic)
        return MP_DONE;
    req->port = (uint16_t)port;
    mp_at(h->wheel, *delay - h->p.latency, arrived, h, req);
    return MP_TAKEN;
}

void mp_host_share(struct mp_host *h, struct mp_host_link *link)
{
    h->link = link;
}

void mp_host_watch(struct mp_host *h, uint32_t tenant, struct mp_host_watch watch)
{
    h->watch[tenant] = watch;
}

/* --- the block -------------------------------------------------------------------------------------- */

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_host_params *p = params;
    p->ports = place->ins;
    p->tenants = place->tenant_numbers;
}

static void release(void *model)
{
    struct mp_host *h = model;
    free(h->up);
    free(h->stats);
    free(h->watch);
    *h = (struct mp_host){0};
}

static int init(void *model, struct mp_wheel *wheel, const void *params)
{
    struct mp_host *h = model;
    const struct mp_host_params *p = params;
    *h = (struct mp_host){.wheel = wheel,
                          .p = *p,
                          .up = mp_calloc(p->ports ? p->ports : 1, sizeof *h->up),
                          .stats = mp_calloc(p->tenants, sizeof *h->stats),
                          .watch = mp_calloc(p->tenants, sizeof *h->watch)};
    h->link = &h->own;
    if (h->up && h->stats && h->watch)
        return 0;
    release(h);
    return -1;
}

static struct mp_target target(void *model, unsigned port)
{
    return mp_target_of(request, model, port);
}

static struct mp_initiator *up(void *model, unsigned port)
{
    struct mp_host *h = model;
    return &h->up[port];
}

static void *stats(const void *model)
{
    const struct mp_host *h = model;
    return h->stats;
}

static uint64_t cycles_left(const struct mp_host_way *way, uint64_t now)
{
    return way->copies > now ? (way->copies - now + MP_HOST_CYCLE - 1) / MP_HOST_CYCLE : 0;
}

/* Lines that a direction has accepted and not sent. The requests themselves are their initiators'. */
static void xray(const void *model, const struct mp_xray *x)
{
    const struct mp_host *h = model;
    const uint64_t now = h->wheel->now * MP_HOST_CYCLE, line = h->p.line ? h->p.line : 1;
    const uint64_t in = h->link->in.lines, out = h->link->out.lines;
    mp_xray_room(x, "lines on the way in", in > now ? (in - now + line - 1) / line : 0, 0);
    mp_xray_room(x, "lines on the way out", out > now ? (out - now + line - 1) / line : 0, 0);
    mp_xray_room(x, "cycles of copies in", cycles_left(&h->link->in, now), 0);
    mp_xray_room(x, "cycles of copies out", cycles_left(&h->link->out, now), 0);
}

const struct mp_block_kind mp_host_kind = {
    .name = "host",
    .model_bytes = sizeof(struct mp_host),
    .params_bytes = sizeof(struct mp_host_params),
    .metrics = &mp_host_metrics,
    .in = MP_LINK_MEMORY,
    .fit = fit,
    .init = init,
    .free = release,
    .target = target,
    .up = up,
    .stats = stats,
    .xray = xray,
};
