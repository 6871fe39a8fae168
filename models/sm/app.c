/* SPDX-License-Identifier: Apache-2.0 */
#include "sm/app.h"

#include <stdlib.h>
#include <string.h>

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_app_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(cycles, "cycles", "from the application's first start to its latest end"),
    COUNTER(instructions, "instructions", "warp instructions"),
    COUNTER(accesses, "instructions", "warp memory instructions"),
    COUNTER(kernels, "kernels", "launched"),
    COUNTER(completions, "runs", "of the whole application"),
};

const struct mp_metric_table mp_app_metrics = {"tenant", sizeof(struct mp_app_stats),
                                               sizeof metrics / sizeof *metrics, metrics};

void mp_app_fail(struct mp_app *a, const char *why)
{
    a->stopped = true;
    a->p.host.failed(a->p.host.self, a->p.tenant, why);
}

/* --- what SMs call -------------------------------------------------------------------------------- */

static bool fault(void *app, struct mp_sm *sm, struct mp_req *page)
{
    struct mp_app *a = app;
    char why[160];
    if (a->p.host.fault && a->p.host.fault(a->p.host.self, sm, page))
        return true;
    if (a->stopped)
        return false;
    const uint64_t at = a->p.part ? mp_colours_gather(a->p.part, page->va) : page->va;
    snprintf(why, sizeof why,
             "kernel %s reads or writes 0x%llx, which no buffer holds; a trace allocates what it touches",
             a->kernel ? a->kernel->name : "?", (unsigned long long)at);
    mp_app_fail(a, why);
    return false;
}

static void block_done(void *app, struct mp_sm *sm, void *work);

/* Where the tenant has parts of frames, it computes the address before each access. */
static uint32_t next_with_part(void *app, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    const struct mp_app *a = app;
    const uint32_t n = a->p.dispatch->next(app, work, warp, step, room);
    for (uint32_t i = 0; i < n; i++)
        step[i].gap += step[i].kind == GWT_ACCESS ? a->p.part->instructions : 0;
    return n;
}

/* --- beginning and end ---------------------------------------------------------------------------- */

static void join_ring(struct mp_app *a)
{
    a->peer = a->p.peer ? a->p.peer->peer : a;
    if (a->p.peer)
        a->p.peer->peer = a;
}

static void leave_ring(struct mp_app *a)
{
    struct mp_app *before = a;
    while (before && before->peer != a)
        before = before->peer;
    if (before)
        before->peer = a->peer;
}

static uint64_t accesses_on_sms(const struct mp_app *a)
{
    uint64_t accesses = 0;
    for (uint32_t i = 0; i < a->p.sms; i++)
        accesses += a->p.sm[i]->stats[a->p.tenant].accesses;
    return accesses;
}

uint64_t mp_app_accesses(const struct mp_app *a)
{
    return a->p.dispatch->access_done ? a->stats.accesses : accesses_on_sms(a) - a->accesses_before;
}

uint64_t mp_app_progress(const struct mp_app *a)
{
    uint64_t issued = 0;
    for (uint32_t i = 0; i < a->p.sms; i++)
        issued += a->p.sm[i]->stats[a->p.tenant].issued;
    return issued + accesses_on_sms(a);
}

bool mp_app_blocked(const struct mp_app *a)
{
    bool issues = false;
    for (uint32_t i = 0; !issues && i < a->p.sms; i++)
        issues = mp_sm_may_issue(a->p.sm[i], (uint8_t)a->p.tenant);
    return a->running && !issues;
}

int mp_app_init(struct mp_app *a, struct mp_wheel *wheel, const struct mp_app_params *p)
{
    const struct mp_dispatch_policy *d = p->dispatch ? p->dispatch : mp_dispatch_policies[0];
    *a = (struct mp_app){.wheel = wheel, .p = *p};
    a->p.dispatch = d;
    if (!p->own_sms)
        a->p.own_sms = p->sms;
    a->p.sm = calloc(p->sms, sizeof *a->p.sm);
    a->state = calloc(1, d->bytes ? d->bytes : 1);
    a->counters = d->design.counters ? calloc(1, d->design.counters->bytes) : NULL;
    if (!a->p.sm || !a->state || (d->design.counters && !a->counters)) {
        mp_app_free(a);
        return -1;
    }
    if (p->sms) /* none if other modules are in their places */
        memcpy(a->p.sm, p->sm, p->sms * sizeof *a->p.sm);
    a->owner = (struct mp_sm_owner){.self = a,
                                    .asid = p->asid,
                                    .tenant = (uint8_t)p->tenant,
                                    .part = p->part,
                                    .next = p->part ? next_with_part : d->next,
                                    .access_done = d->access_done,
                                    .cta_done = block_done,
                                    .fault = fault};
    a->accesses_before = accesses_on_sms(a);
    join_ring(a);
    return 0;
}

void mp_app_free(struct mp_app *a)
{
    leave_ring(a);
    if (a->state && a->p.dispatch->clear)
        a->p.dispatch->clear(a);
    free(a->p.sm);
    free(a->buffer);
    free(a->state);
    free(a->counters);
    *a = (struct mp_app){0};
}

/* --- buffers -------------------------------------------------------------------------------------- */

/* The addresses that are mapped for a range: as many pages as its bytes need, with parts of frames. */
struct range {
    uint64_t va, bytes;
};

static struct range range_of(const struct mp_app *a, uint64_t va, uint64_t bytes)
{
    if (!a->p.part || !bytes)
        return (struct range){va, bytes};
    const uint64_t first = mp_colours_spread(a->p.part, va);
    return (struct range){first, mp_colours_spread(a->p.part, va + bytes - 1) + 1 - first};
}

static void unmap_range(struct mp_app *a, uint64_t va, uint64_t bytes)
{
    const struct range r = range_of(a, va, bytes);
    a->p.host.unmap(a->p.host.self, a->p.tenant, r.va, r.bytes);
}

static void release(struct mp_app *a, uint32_t i)
{
    unmap_range(a, a->buffer[i].va, a->buffer[i].bytes);
    a->buffer[i] = a->buffer[--a->buffers];
}

/* Whether the buffer is one that an earlier run has left. Others in its place are released. */
static bool was_left(struct mp_app *a, const struct gwt_record *r)
{
    for (uint32_t i = a->buffers; i-- > 0;) {
        struct mp_app_buffer *left = &a->buffer[i];
        if (left->va == r->va && left->bytes == r->bytes)
            return true;
        if (left->va < r->va + r->bytes && r->va < left->va + left->bytes)
            release(a, i);
    }
    return false;
}

static int note(struct mp_app *a, const struct mp_app_buffer *b, struct mp_error *err)
{
    if (a->buffers == a->room) {
        uint32_t room = a->room ? 2 * a->room : 16;
        struct mp_app_buffer *buffer = realloc(a->buffer, room * sizeof *buffer);
        if (!buffer)
            return mp_fail(err, "out of memory");
        a->buffer = buffer;
        a->room = room;
    }
    a->buffer[a->buffers++] = *b;
    return 0;
}

static int allocate(struct mp_app *a, const struct gwt_record *r, struct mp_error *err)
{
    const bool mapped = r->kind == GWT_MAP;
    if (a->p.keeps_buffers && was_left(a, r))
        return 0;
    if (note(a, &(struct mp_app_buffer){r->id, r->va, r->bytes, mapped}, err))
        return -1;
    a->allocated = true;
    const struct range m = range_of(a, r->va, r->bytes);
    return a->p.host.map(a->p.host.self, a->p.tenant, mapped ? MP_APP_NO_BUFFER : r->id, m.va, m.bytes, err);
}

/* Of ranges that lie partly in the one that is unmapped, the ends stay. */
static int unmap(struct mp_app *a, const struct gwt_record *r, struct mp_error *err)
{
    const uint64_t end = r->va + r->bytes;
    for (uint32_t i = a->buffers; i-- > 0;) {
        const struct mp_app_buffer b = a->buffer[i];
        const uint64_t b_end = b.va + b.bytes;
        if (!b.mapped || b.va >= end || b_end <= r->va)
            continue;
        a->buffer[i] = a->buffer[--a->buffers];
        if ((b.va < r->va && note(a, &(struct mp_app_buffer){0, b.va, r->va - b.va, true}, err)) ||
            (b_end > end && note(a, &(struct mp_app_buffer){0, end, b_end - end, true}, err)))
            return -1;
    }
    unmap_range(a, r->va, r->bytes);
    return 0;
}

static void release_id(struct mp_app *a, uint64_t id)
{
    for (uint32_t i = 0; i < a->buffers; i++)
        if (a->buffer[i].id == id && !a->buffer[i].mapped) {
            release(a, i);
            return;
        }
}

/* A record between kernels: what it allocates, frees, maps and unmaps. */
static int change(struct mp_app *a, const struct gwt_record *r, struct mp_error *err)
{
    switch (r->kind) {
    case GWT_ALLOC:
    case GWT_MAP:
        return allocate(a, r, err);
    case GWT_FREE:
        if (!a->p.keeps_buffers)
            release_id(a, r->id);
        return 0;
    case GWT_UNMAP:
        return a->p.keeps_buffers ? 0 : unmap(a, r, err);
    default:
        return 0;
    }
}

/* --- work-groups ---------------------------------------------------------------------------------- */

static void run(void *app, void *unused);

/* Reads on until the next work-group is in next_cta, or all_read is set. */
static int read_cta(struct mp_app *a, struct mp_error *err)
{
    struct gwt_record r;
    if (a->next_cta || a->all_read)
        return 0;
    if (gwt_next(a->p.reader, &r, err))
        return -1;
    if (r.kind == GWT_CTA)
        a->next_cta = r.cta;
    else
        a->all_read = true; /* between a kernel and its end come only CTAs */
    return 0;
}

struct gwt_cta *mp_app_peek(struct mp_app *a)
{
    struct mp_error err;
    if (read_cta(a, &err)) {
        mp_app_fail(a, err.text);
        return NULL;
    }
    if (a->next_cta && !mp_sm_could_hold(a->p.sm[0], a->next_cta->nwarps, a->kernel->local_bytes)) {
        mp_app_fail(a, "a work-group is larger than an SM; sm.warps and sm.local_bytes limit it");
        return NULL;
    }
    return a->next_cta;
}

struct gwt_cta *mp_app_take(struct mp_app *a)
{
    struct gwt_cta *cta = mp_app_peek(a);
    a->next_cta = NULL;
    return cta;
}

void mp_app_release(struct mp_app *a, struct gwt_cta *cta)
{
    gwt_cta_release(a->p.reader, cta);
}

void mp_app_run_on(struct mp_app *a, struct mp_sm *sm, void *work, uint32_t warps, uint32_t local_bytes)
{
    a->running++;
    a->warps += warps;
    mp_sm_start_cta(sm, &a->owner, work, warps, local_bytes);
}

uint32_t mp_app_end_group(struct mp_app *a, struct mp_sm *sm, void *work)
{
    struct gwt_cta *cta = work;
    uint32_t warps = cta->nwarps;
    (void)sm;
    mp_app_release(a, cta);
    return warps;
}

uint32_t mp_app_next_of_group(void *app, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    const struct gwt_cta *cta = work;
    (void)app;
    return gwt_warp_steps(cta->warp[warp], step, room);
}

static void begin(void *app, void *unused);

static bool peer_runs(const struct mp_app *a)
{
    const struct mp_app *peer = a->peer;
    while (peer != a && !peer->kernel)
        peer = peer->peer;
    return peer != a;
}

/* The next of the peers that wait begins its kernel in this cycle. */
static void give_turn(struct mp_app *a)
{
    struct mp_app *peer = a->peer;
    while (peer != a && !peer->waits_turn)
        peer = peer->peer;
    if (peer != a)
        begin(peer, NULL);
}

static void end_kernel(struct mp_app *a)
{
    if (a->p.host.ended)
        a->p.host.ended(a->p.host.self, a->p.tenant, a->kernel, a->kernel_began);
    a->kernel = NULL;
    mp_at(a->wheel, a->p.launch_latency + (a->p.dispatch->waits_for_host ? a->p.host_sync : 0), run, a, NULL);
    if (a->p.takes_turns)
        give_turn(a);
}

static void stop(struct mp_app *a)
{
    a->stopped = true;
    a->preempting = false;
    a->stats.cycles = a->wheel->now - a->started;
    a->stats.accesses = mp_app_accesses(a);
    a->p.host.preempted(a->p.host.self, a->p.tenant);
}

/* When its blocks have ended. The kernel may have nothing left. */
static void stop_kernel(struct mp_app *a)
{
    if (a->running)
        return;
    if (mp_app_peek(a))
        stop(a);
    else if (a->all_read)
        end_kernel(a);
}

/* There is room for blocks of the kernel, or it has begun. It ends when nothing is left to start and to run.
 */
void mp_app_place(void *app, void *unused)
{
    struct mp_app *a = app;
    (void)unused;
    if (a->stopped || a->hangs || !a->kernel)
        return;
    if (a->preempting)
        stop_kernel(a);
    else if (a->p.dispatch->place(a) && !a->stopped && !a->running)
        end_kernel(a);
}

/* The process ends, and its buffers are unmapped that it did not free. */
static void complete(struct mp_app *a)
{
    while (a->buffers && !a->p.keeps_buffers)
        release(a, a->buffers - 1);
    a->stats.cycles = a->wheel->now - a->started;
    a->stats.accesses = mp_app_accesses(a);
    a->stats.completions += !a->aborted;
    a->p.host.completed(a->p.host.self, a->p.tenant);
}

/* A kernel would have followed. */
static void end_stopped(struct mp_app *a)
{
    if (a->aborted)
        complete(a);
}

static void block_done(void *app, struct mp_sm *sm, void *work)
{
    struct mp_app *a = app;
    a->running--;
    a->warps -= a->p.dispatch->ended(a, sm, work);
    mp_app_place(a, NULL);
    if (a->aborted && !a->running)
        complete(a);
    for (struct mp_app *peer = a->peer; peer != a; peer = peer->peer)
        mp_app_place(peer, NULL);
}

static void begin(void *app, void *unused)
{
    struct mp_app *a = app;
    (void)unused;
    if (a->stopped) {
        end_stopped(a);
        return;
    }
    if (a->preempting) {
        stop(a);
        return;
    }
    a->waits_turn = a->p.takes_turns && peer_runs(a);
    if (a->waits_turn)
        return;
    a->kernel = a->ready;
    a->kernel_began = a->wheel->now;
    a->all_read = false;
    a->stats.kernels++;
    if (a->p.dispatch->begin)
        a->p.dispatch->begin(a);
    mp_app_place(a, NULL);
}

static void complete_later(void *app, void *unused)
{
    (void)unused;
    complete(app);
}

/* The trace has ended. A dispatch policy that waits for the host has done so after the last kernel. */
static void end_run(struct mp_app *a)
{
    if (a->p.host_sync && !a->p.dispatch->waits_for_host)
        mp_at(a->wheel, a->p.host_sync, complete_later, a, NULL);
    else
        complete(a);
}

static void time_comes(void *app, void *unused)
{
    struct mp_app *a = app;
    (void)unused;
    if (a->wakes_at != a->wheel->now) /* it was stopped meanwhile */
        return;
    a->wakes_at = 0;
    a->idle += a->wheel->now - a->idle_since;
    run(a, NULL);
}

/* Goes on at a time of the trace, if that has not come yet. */
static bool waits_until(struct mp_app *a, uint64_t ns)
{
    const uint64_t at = a->run_began + (ns * a->p.clock_mhz + 999) / 1000;
    if (at <= a->wheel->now)
        return false;
    a->wakes_at = at;
    a->idle_since = a->wheel->now;
    mp_at(a->wheel, at - a->wheel->now, time_comes, a, NULL);
    return true;
}

uint64_t mp_app_idle(const struct mp_app *a)
{
    return a->idle + (a->wakes_at ? a->wheel->now - a->idle_since : 0);
}

static bool concerns_host(const struct gwt_record *r)
{
    return r->kind == GWT_MAP || r->kind == GWT_UNMAP || r->kind == GWT_HOST_READ ||
           r->kind == GWT_HOST_WRITE;
}

static void run(void *app, void *unused)
{
    struct mp_app *a = app;
    struct gwt_record r;
    struct mp_error err;
    (void)unused;
    for (;;) {
        if (a->stopped) {
            end_stopped(a);
            return;
        }
        if (gwt_next(a->p.reader, &r, &err) || change(a, &r, &err)) {
            mp_app_fail(a, err.text);
            return;
        }
        if (concerns_host(&r) && a->p.host.waits && a->p.host.waits(a->p.host.self, a->p.tenant, &r))
            return;
        if (r.kind == GWT_TIME && waits_until(a, r.time))
            return;
        if (r.kind == GWT_END) {
            end_run(a);
            return;
        }
        if (r.kind == GWT_KERNEL)
            break;
    }
    a->ready = r.kernel;
    uint32_t delay = a->allocated && a->p.host.prepare ? a->p.host.prepare(a->p.host.self, a->p.tenant) : 0;
    a->allocated = false;
    if (delay)
        mp_at(a->wheel, delay, begin, a, NULL);
    else
        begin(a, NULL);
}

void mp_app_abort(struct mp_app *a)
{
    a->stopped = a->aborted = true;
    if (a->next_cta)
        gwt_cta_release(a->p.reader, a->next_cta);
    a->next_cta = NULL;
    for (uint32_t i = 0; i < a->p.sms; i++)
        mp_sm_abort(a->p.sm[i], &a->owner);
}

void mp_app_preempt(struct mp_app *a)
{
    a->preempting = true;
    mp_at(a->wheel, 0, mp_app_place, a, NULL); /* a kernel may wait for room, with no block on an SM */
}

/* A request to stop that came meanwhile is for what follows. */
static void go_on(void *app, void *unused)
{
    struct mp_app *a = app;
    const bool preempting = a->preempting;
    (void)unused;
    a->restores = false;
    if (a->aborted) {
        complete(a);
        return;
    }
    a->stopped = a->preempting = false;
    if (a->kernel && a->p.dispatch->resume)
        a->p.dispatch->resume(a);
    if (a->kernel)
        mp_app_place(a, NULL);
    else
        begin(a, NULL);
    if (preempting)
        mp_app_preempt(a);
}

void mp_app_restore(struct mp_app *a)
{
    a->started = a->wheel->now - a->stats.cycles;
    a->accesses_before = accesses_on_sms(a) - a->stats.accesses;
    a->restores = true;
    mp_at(a->wheel, a->p.launch_latency, go_on, a, NULL);
}

/* The last block completes it; between kernels, run() or begin() comes and does, and go_on() after a restore.
 */
void mp_app_stop(struct mp_app *a)
{
    const bool waits = a->wakes_at || (a->kernel && !a->running && !a->restores);
    a->wakes_at = 0;
    mp_app_abort(a);
    if (waits)
        complete(a);
}

void mp_app_forget(struct mp_app *a)
{
    a->added += a->stats.instructions;
    a->accesses_before += a->p.dispatch->access_done ? 0 : a->stats.accesses;
    a->stats = (struct mp_app_stats){0};
}

void mp_app_begin_count(struct mp_app *a, uint64_t issued)
{
    a->started = a->wheel->now;
    a->added = issued;
    a->accesses_before += a->p.dispatch->access_done ? 0 : mp_app_accesses(a);
    a->stats = (struct mp_app_stats){0};
}

void mp_app_resume(struct mp_app *a)
{
    mp_at(a->wheel, 0, run, a, NULL);
}

void mp_app_start(struct mp_app *a)
{
    if (!a->stats.completions)
        a->started = a->wheel->now;
    a->run_began = a->wheel->now;
    mp_at(a->wheel, 0, run, a, NULL);
}
