/* SPDX-License-Identifier: Apache-2.0 */
#include "sm/app.h"

#include <stdlib.h>

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

static void access_done(void *app)
{
    struct mp_app *a = app;
    a->stats.accesses++;
}

static bool fault(void *app, struct mp_sm *sm, struct mp_req *req)
{
    struct mp_app *a = app;
    char why[160];
    if (a->p.host.fault)
        return a->p.host.fault(a->p.host.self, sm, req);
    if (a->stopped)
        return false;
    a->stopped = true;
    snprintf(why, sizeof why,
             "kernel %s reads or writes 0x%llx, which no buffer holds; a trace allocates what it touches",
             a->kernel ? a->kernel->name : "?", (unsigned long long)req->va);
    a->p.host.failed(a->p.host.self, a->p.tenant, why);
    return false;
}

static void cta_done(void *app, struct mp_sm *sm, struct gwt_cta *cta);

int mp_app_init(struct mp_app *a, struct mp_wheel *wheel, const struct mp_app_params *p)
{
    *a = (struct mp_app){.wheel = wheel, .p = *p};
    a->p.sm = calloc(p->sms, sizeof *a->p.sm);
    if (!a->p.sm)
        return -1;
    for (uint32_t i = 0; i < p->sms; i++) {
        a->p.sm[i] = p->sm[i];
        a->p.sm[i]->owner = (struct mp_sm_owner){a, access_done, cta_done, fault};
        a->p.sm[i]->tenant = (uint8_t)p->tenant;
        a->p.sm[i]->asid = (uint16_t)p->tenant;
    }
    return 0;
}

void mp_app_free(struct mp_app *a)
{
    free(a->p.sm);
    free(a->buffer);
    *a = (struct mp_app){0};
}

static void stop(struct mp_app *a, const char *why)
{
    a->stopped = true;
    a->p.host.failed(a->p.host.self, a->p.tenant, why);
}

static int allocate(struct mp_app *a, const struct gwt_record *r, struct mp_error *err)
{
    if (a->buffers == a->room) {
        uint32_t room = a->room ? 2 * a->room : 16;
        struct mp_app_buffer *buffer = realloc(a->buffer, room * sizeof *buffer);
        if (!buffer)
            return mp_fail(err, "out of memory");
        a->buffer = buffer;
        a->room = room;
    }
    a->buffer[a->buffers++] = (struct mp_app_buffer){r->id, r->va, r->bytes};
    return a->p.host.map(a->p.host.self, a->p.tenant, r->va, r->bytes, err);
}

static void release(struct mp_app *a, uint32_t i)
{
    a->p.host.unmap(a->p.host.self, a->p.tenant, a->buffer[i].va, a->buffer[i].bytes);
    a->buffer[i] = a->buffer[--a->buffers];
}

static void release_id(struct mp_app *a, uint64_t id)
{
    for (uint32_t i = 0; i < a->buffers; i++)
        if (a->buffer[i].id == id) {
            release(a, i);
            return;
        }
}

static void run(void *app, void *unused);

/* The next SM in turn that has room for the CTA, or NULL. */
static struct mp_sm *find_room(struct mp_app *a, const struct gwt_cta *cta)
{
    for (uint32_t i = 0; i < a->p.sms; i++) {
        uint32_t k = (a->next_sm + i) % a->p.sms;
        if (mp_sm_has_room(a->p.sm[k], cta->nwarps, a->kernel->local_bytes)) {
            a->next_sm = (k + 1) % a->p.sms;
            return a->p.sm[k];
        }
    }
    return NULL;
}

/* The next CTA of the kernel stands in next_cta, or all_read is set. */
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

/* Places CTAs until the kernel has no more or the SMs have no room. A CTA that would not even fit an empty SM
 * can never be placed. */
static void place_ctas(struct mp_app *a)
{
    struct mp_error err;
    for (;;) {
        if (read_cta(a, &err)) {
            stop(a, err.text);
            return;
        }
        if (!a->next_cta)
            break;
        struct mp_sm *sm = find_room(a, a->next_cta);
        if (!sm && !a->running) {
            stop(a, "a work-group is larger than an SM; sm.warps and sm.local_bytes limit it");
            return;
        }
        if (!sm)
            return;
        a->running++;
        mp_sm_start_cta(sm, a->next_cta, a->kernel->local_bytes);
        a->next_cta = NULL;
    }
    if (a->running)
        return;
    a->kernel = NULL;
    mp_at(a->wheel, a->p.launch_latency, run, a, NULL);
}

/* The process ends: what it did not free goes with it. */
static void complete(struct mp_app *a)
{
    while (a->buffers)
        release(a, a->buffers - 1);
    a->stats.cycles = a->wheel->now - a->started;
    a->stats.completions += !a->aborted;
    a->p.host.completed(a->p.host.self, a->p.tenant);
}

static void cta_done(void *app, struct mp_sm *sm, struct gwt_cta *cta)
{
    struct mp_app *a = app;
    (void)sm;
    gwt_cta_release(a->p.reader, cta);
    a->running--;
    if (!a->stopped)
        place_ctas(a);
    else if (a->aborted && !a->running)
        complete(a);
}

static void run(void *app, void *unused)
{
    struct mp_app *a = app;
    struct gwt_record r;
    struct mp_error err;
    (void)unused;
    for (;;) {
        if (a->stopped)
            return;
        if (gwt_next(a->p.reader, &r, &err) || (r.kind == GWT_ALLOC && allocate(a, &r, &err))) {
            stop(a, err.text);
            return;
        }
        if (r.kind == GWT_FREE)
            release_id(a, r.id);
        if (r.kind == GWT_END) {
            complete(a);
            return;
        }
        if (r.kind == GWT_KERNEL)
            break;
    }
    a->kernel = r.kernel;
    a->all_read = false;
    a->stats.kernels++;
    place_ctas(a);
}

void mp_app_abort(struct mp_app *a)
{
    a->stopped = a->aborted = true;
    if (a->next_cta)
        gwt_cta_release(a->p.reader, a->next_cta);
    a->next_cta = NULL;
    for (uint32_t i = 0; i < a->p.sms; i++)
        mp_sm_abort(a->p.sm[i]);
}

void mp_app_start(struct mp_app *a)
{
    if (!a->stats.completions)
        a->started = a->wheel->now;
    mp_at(a->wheel, 0, run, a, NULL);
}
