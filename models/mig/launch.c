/* SPDX-License-Identifier: Apache-2.0 */
/* Launches, and accesses whose page has faulted. */
#include <stdlib.h>

#include "mig/parts.h"

/* --- faults ----------------------------------------------------------------------------------------- */

static struct mp_sm *sm_of(const struct mp_mig *g, const struct mp_req *page)
{
    return mp_mig_sm(g, page->sm);
}

#define SAME(name)                                                                                           \
    _Static_assert((int)MP_FAULT_##name == (int)MP_MGMT_CAUSE_##name, "what walks say is what registers "    \
                                                                      "have")
SAME(NOT_VALID);
SAME(READ_ONLY);
SAME(RESERVED);
SAME(LEAF);
SAME(TABLE);
SAME(MISALIGNED);
SAME(OUTSIDE);
SAME(ROOT);
SAME(ECC);

/* A store to a read-only page faults without a walk, so the address of the entry is unknown. */
static struct mp_mgmt_fault fault_of(const struct mp_req *page)
{
    uint8_t cause = page->fault & MP_FAULT_CAUSE;
    return (struct mp_mgmt_fault){.va = page->va,
                                  .entry = cause == MP_FAULT_READ_ONLY ? 0 : page->pa,
                                  .sm = (uint16_t)page->sm,
                                  .asid = (uint8_t)page->asid,
                                  .cause = cause,
                                  .level = page->fault >> MP_FAULT_LEVEL_SHIFT,
                                  .write = page->op != MP_LOAD};
}

static void room_again(void *gpu, void *unused)
{
    (void)unused;
    mp_mig_fault_room(gpu);
}

/* Whether the buffer is full on purpose. */
static bool is_full(struct mp_mig *g)
{
    if (g->wheel->now < g->full_until)
        return true;
    const uint64_t cycles = g->faults->full(g->faults->self);
    g->full_until = cycles == MP_NEVER ? MP_NEVER : g->wheel->now + cycles;
    if (cycles && cycles != MP_NEVER)
        mp_at(g->wheel, cycles, room_again, g, NULL);
    return cycles;
}

static enum mp_gpu_access access_of(const struct mp_req *page)
{
    return page->op == MP_LOAD     ? MP_GPU_ACCESS_READ
           : page->op == MP_ATOMIC ? MP_GPU_ACCESS_ATOMIC
                                   : MP_GPU_ACCESS_WRITE;
}

/* Reports the fault to the management block. Returns false if there is no room. */
static bool record(struct mp_mig *g, const struct mp_req *page)
{
    if (g->faults && is_full(g))
        return false;
    const struct mp_mgmt_fault fault = fault_of(page);
    return mp_mgmt_access_faulted(g->mgmt, &fault, access_of(page));
}

/* Returns a number that changes when an access of the address space completes, or when a replayed page
 * gets its translation. */
static uint64_t progress_of(const struct mp_mig *g, unsigned asid)
{
    uint64_t done = g->runs[asid].accesses;
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++) {
        const struct mp_mig_instance *in = &g->instance[i];
        if (!in->runs || in->runs->launch.asid != asid)
            continue;
        done += mp_app_accesses(&in->runs->app);
        for (unsigned k = 0; k < mp_mig_instance_sms(g, in); k++)
            done += mp_mig_instance_sm(g, in, k)->returned[asid];
    }
    return done;
}

static void count_replay(struct mp_mig *g, unsigned asid)
{
    uint64_t progress = progress_of(g, asid);
    if (progress != g->idle[asid].progress)
        g->idle[asid].replays = 0;
    g->idle[asid].progress = progress;
    g->idle[asid].replays++;
}

static void look_for_livelock(struct mp_mig *g, const struct mp_req *page)
{
    struct mp_mig_watch *w = &g->watch;
    /* A page counts up to 255; the address space counts on. */
    uint32_t least = w->limit < UINT8_MAX ? w->limit : UINT8_MAX;
    if (!w->limit || page->replays < least || g->idle[page->asid].replays < w->limit ||
        progress_of(g, page->asid) != g->idle[page->asid].progress)
        return;
    const struct mp_mgmt_fault fault = fault_of(page);
    w->limit = 0;
    w->livelock(w->self, &fault);
}

static unsigned waiting_faults(const struct mp_mig *g)
{
    unsigned faults = 0;
    for (const struct mp_req_queue *q = g->unrecorded; q < END(g->unrecorded); q++)
        faults += q->length;
    return faults;
}

/* Faults are recorded in the order in which they occurred. So a new fault waits if an earlier one waits for
 * the same buffer or ring. */
static bool fault(void *context, struct mp_sm *sm, struct mp_req *page)
{
    struct mp_mig_context *c = context;
    struct mp_mig *g = c->gpu;
    struct mp_req_queue *waiting = &g->unrecorded[mp_mgmt_fault_queue(g->mgmt, page->asid)];
    look_for_livelock(g, page);
    if (c->given_up) {
        mp_sm_give_up(sm, page);
    } else if (!waiting->head && record(g, page)) {
        mp_queue_push(&g->recorded[page->asid], page);
    } else {
        mp_queue_push(waiting, page);
        mp_sm_stall(sm, true);
        mp_mgmt_hold_faults(g->mgmt, waiting_faults(g));
    }
    return true;
}

/* An SM goes on when no fault waits for the buffer or for the ring of its instance. */
static void recount(struct mp_mig *g)
{
    mp_mgmt_hold_faults(g->mgmt, waiting_faults(g));
    for (unsigned i = 0; i < MP_MGMT_INSTANCES && !g->unrecorded[0].head; i++)
        for (unsigned k = 0; k < mp_mig_instance_sms(g, &g->instance[i]) && !g->unrecorded[1 + i].head; k++)
            mp_sm_stall(mp_mig_instance_sm(g, &g->instance[i], k), false);
}

void mp_mig_fault_room(void *gpu)
{
    struct mp_mig *g = gpu;
    struct mp_req *page;
    if (!waiting_faults(g))
        return;
    for (struct mp_req_queue *q = g->unrecorded; q < END(g->unrecorded); q++)
        while (q->head && record(g, q->head)) {
            page = mp_queue_pop(q);
            mp_queue_push(&g->recorded[page->asid], page);
        }
    recount(g);
}

/* Returns all faulted pages of the address space, in the order in which they faulted. */
static struct mp_req_queue take_faulted(struct mp_mig *g, unsigned asid)
{
    struct mp_req_queue all = g->recorded[asid];
    struct mp_req *page;
    g->recorded[asid] = (struct mp_req_queue){0};
    for (struct mp_req_queue *q = g->unrecorded; q < END(g->unrecorded); q++) {
        struct mp_req_queue others = {0};
        while ((page = mp_queue_pop(q)))
            mp_queue_push(page->asid == asid ? &all : &others, page);
        *q = others;
    }
    return all;
}

static void give_up(struct mp_mig *g, struct mp_req_queue pages)
{
    struct mp_req *page;
    struct mp_mig_context *c = g->instance[g->space[pages.head->asid].instance].runs;
    c->given_up = true;
    c->status = MP_MGMT_FAULTED;
    mp_app_abort(&c->app);
    while ((page = mp_queue_pop(&pages)))
        mp_sm_give_up(sm_of(g, page), page);
}

enum mp_mgmt_status mp_mig_replay(void *gpu, unsigned asid, bool given_up)
{
    struct mp_mig *g = gpu;
    if (g->faults && g->faults->replay_lost(g->faults->self))
        return MP_MGMT_OK;
    struct mp_req_queue pages = take_faulted(g, asid);
    struct mp_req *page;
    if (!pages.head)
        return MP_MGMT_OK;
    count_replay(g, asid);
    if (given_up)
        give_up(g, pages);
    else
        while ((page = mp_queue_pop(&pages)))
            mp_sm_retry(sm_of(g, page), page);
    recount(g);
    return MP_MGMT_OK;
}

/* Moves the accesses to the page from one queue to another. */
static void take_page(struct mp_req_queue *from, struct mp_req_queue *to, const struct mp_scope *page,
                      bool stores)
{
    struct mp_req_queue others = {0};
    struct mp_req *r;
    while ((r = mp_queue_pop(from)))
        mp_queue_push(mp_scope_has(page, r->asid, r->va, 0) && !(stores && r->op == MP_LOAD) ? to : &others,
                      r);
    *from = others;
}

enum mp_mgmt_status mp_mig_cancel(void *gpu, unsigned asid, uint64_t va, bool stores)
{
    struct mp_mig *g = gpu;
    const uint64_t bytes = g->space[asid].page_bytes;
    const struct mp_scope page = {.asid = (uint16_t)asid, .va = va & -bytes, .bytes = bytes};
    struct mp_req_queue pages = {0};
    take_page(&g->recorded[asid], &pages, &page, stores);
    for (struct mp_req_queue *q = g->unrecorded; q < END(g->unrecorded); q++)
        take_page(q, &pages, &page, stores);
    if (pages.head)
        give_up(g, pages);
    recount(g);
    return MP_MGMT_OK;
}

/* --- launches --------------------------------------------------------------------------------------- */

/* Firmware manages memory, so the GPU does nothing for the buffers of the recorded program. */
static int no_map(void *context, uint32_t tenant, uint64_t number, uint64_t va, uint64_t bytes,
                  struct mp_error *err)
{
    (void)context, (void)tenant, (void)number, (void)va, (void)bytes, (void)err;
    return 0;
}

static void no_unmap(void *context, uint32_t tenant, uint64_t va, uint64_t bytes)
{
    (void)context, (void)tenant, (void)va, (void)bytes;
}

/* Firmware is asked for what the trace maps and unmaps, and for what its host reads and writes. */
static bool ask(void *context, uint32_t tenant, const struct gwt_record *change)
{
    static const enum mp_mgmt_memory_kind kinds[] = {[GWT_MAP] = MP_MGMT_MAP,
                                                     [GWT_UNMAP] = MP_MGMT_UNMAP,
                                                     [GWT_HOST_WRITE] = MP_MGMT_HOST_WRITE,
                                                     [GWT_HOST_READ] = MP_MGMT_HOST_READ};
    const struct mp_mig_context *c = context;
    const bool host = change->kind == GWT_HOST_WRITE || change->kind == GWT_HOST_READ;
    if (host && !c->gpu->host.accesses)
        return false;
    const struct mp_mgmt_request request = {.kind = kinds[change->kind],
                                            .instance = c->launch.instance,
                                            .asid = tenant,
                                            .va = change->va,
                                            .bytes = change->bytes};
    return mp_mgmt_request(c->gpu->mgmt, &request);
}

static void add(struct mp_app_stats *sum, const struct mp_app_stats *more)
{
    sum->cycles += more->cycles;
    sum->accesses += more->accesses;
    sum->kernels += more->kernels;
    sum->completions += more->completions;
}

/* Number of the dispatch policy's counters for one address space. */
static size_t dispatch_words(const struct mp_mig *g)
{
    const struct mp_metric_table *counters = g->machine.dispatch.policy->design.counters;
    return counters ? counters->bytes / sizeof(uint64_t) : 0;
}

int mp_mig_init_launches(struct mp_mig *g)
{
    if (!g->machine.dispatch.policy)
        g->machine.dispatch.policy = mp_dispatch_policies[0];
    g->dispatched = calloc(MP_MGMT_SPACES * dispatch_words(g) + 1, sizeof *g->dispatched);
    return g->dispatched ? 0 : -1;
}

static void add_words(uint64_t *sum, const uint64_t *more, size_t words)
{
    for (size_t i = 0; i < words; i++)
        sum[i] += more[i];
}

void mp_mig_dispatched(const struct mp_mig *g, unsigned asid, uint64_t *sum)
{
    size_t words = dispatch_words(g);
    for (size_t i = 0; i < words; i++)
        sum[i] = g->dispatched[asid * words + i];
    for (const struct mp_mig_context *c = g->context; c < END(g->context); c++)
        if (c->used && c->launch.asid == asid)
            add_words(sum, c->app.counters, words);
}

static struct mp_mig_instance *instance_of(const struct mp_mig_context *c)
{
    return &c->gpu->instance[c->launch.instance];
}

static void close_context(struct mp_mig_context *c)
{
    mp_app_free(&c->app);
    c->gpu->host.close(c->gpu->host.self, c->launch.workload, c->reader);
    c->used = c->given_up = false;
}

static void count_and_close(struct mp_mig_context *c)
{
    struct mp_mig *g = c->gpu;
    add(&g->runs[c->launch.asid], &c->app.stats);
    add_words(&g->dispatched[c->launch.asid * dispatch_words(g)], c->app.counters, dispatch_words(g));
    close_context(c);
}

static void end(void *context, void *unused)
{
    struct mp_mig_context *c = context;
    (void)unused;
    c->app.stats.accesses = mp_app_accesses(&c->app);
    instance_of(c)->runs = NULL;
    count_and_close(c);
    mp_mgmt_ended(c->gpu->mgmt, c->launch.instance, c->status);
}

static void completed(void *context, uint32_t tenant)
{
    struct mp_mig_context *c = context;
    (void)tenant;
    mp_at(c->gpu->wheel, 0, end, c, NULL); /* the application is still running in this call */
}

static void failed(void *context, uint32_t tenant, const char *why)
{
    struct mp_mig_context *c = context;
    struct mp_error line;
    mp_fail(&line, "a launch: %s", why);
    c->status = MP_MGMT_UNSUPPORTED;
    c->gpu->host.refused(c->gpu->host.self, line.text);
    if (c->app.running)
        mp_app_abort(&c->app);
    else
        completed(context, tenant);
}

void mp_mig_answered(void *gpu, unsigned instance, bool refused)
{
    struct mp_mig *g = gpu;
    struct mp_mig_context *c = g->instance[instance].runs;
    if (!refused) {
        mp_app_resume(&c->app);
        return;
    }
    c->status = MP_MGMT_NO_ROOM;
    completed(c, c->launch.asid); /* none of its kernels runs */
}

void mp_mig_stop(void *gpu, unsigned instance)
{
    struct mp_mig *g = gpu;
    struct mp_mig_context *c = g->instance[instance].runs;
    struct mp_req *page;
    if (c->app.stopped && !c->app.restores && !c->app.aborted) /* it is about to be saved */
        return;
    struct mp_req_queue pages = take_faulted(g, c->launch.asid);
    c->given_up = true;
    if (c->status == MP_MGMT_OK)
        c->status = MP_MGMT_STOPPED;
    if (!c->app.aborted)
        mp_app_stop(&c->app);
    while ((page = mp_queue_pop(&pages)))
        mp_sm_give_up(sm_of(g, page), page);
    recount(g);
}

static void save(void *context, void *unused)
{
    struct mp_mig_context *c = context;
    struct mp_mig_instance *i = instance_of(c);
    (void)unused;
    c->gpu->saved[i->saves_as] = c;
    i->runs = NULL;
    mp_mgmt_ended(c->gpu->mgmt, i->number, MP_MGMT_PREEMPTED);
}

static void preempted(void *context, uint32_t tenant)
{
    struct mp_mig_context *c = context;
    (void)tenant;
    mp_at(c->gpu->wheel, 0, save, c, NULL);
}

static int start(struct mp_mig *g, struct mp_mig_context *c)
{
    const struct mp_mig_instance *i = instance_of(c);
    const unsigned sms = mp_mig_instance_sms(g, i);
    struct mp_sm **sm = malloc(sms * sizeof *sm);
    for (unsigned k = 0; sm && k < sms; k++)
        sm[k] = mp_mig_instance_sm(g, i, k);
    struct mp_app_params p = {.tenant = c->launch.asid,
                              .asid = (uint16_t)c->launch.asid,
                              .clock_mhz = g->machine.clock_mhz,
                              .launch_latency = g->machine.launch_latency,
                              .reader = c->reader,
                              .dispatch = g->machine.dispatch.policy,
                              .values = g->machine.dispatch.own,
                              .sm = sm,
                              .sms = sms,
                              .host = {.self = c,
                                       .map = no_map,
                                       .unmap = no_unmap,
                                       .waits = ask,
                                       .completed = completed,
                                       .failed = failed,
                                       .fault = fault,
                                       .preempted = preempted}};
    int status = sm ? mp_app_init(&c->app, g->wheel, &p) : -1;
    free(sm);
    c->app.hangs = !status && g->faults && g->faults->hangs(g->faults->self);
    if (!status)
        mp_app_start(&c->app);
    return status;
}

void mp_mig_wake(void *gpu, unsigned asid)
{
    struct mp_mig *g = gpu;
    if (g->check)
        mp_frame_check_wake(g->check, (uint16_t)asid);
}

/* A page keeps its contents for a saved launch, whatever runs in the address space meanwhile. */
void mp_mig_note_launch(struct mp_mig *g, unsigned asid)
{
    for (unsigned n = 0; n < MP_MGMT_CONTEXTS; n++)
        if (g->saved[n] && g->saved[n]->launch.asid == asid)
            return;
    if (g->check)
        mp_frame_check_launch(g->check, (uint16_t)asid);
}

/* There is one for each instance and each number. */
static struct mp_mig_context *free_context(struct mp_mig *g)
{
    struct mp_mig_context *c = g->context;
    while (c->used)
        c++;
    return c;
}

enum mp_mgmt_status mp_mig_launch(void *gpu, const struct mp_mgmt_launch *launch)
{
    struct mp_mig *g = gpu;
    struct mp_mig_context *c = free_context(g);
    c->reader = g->host.open(g->host.self, launch->workload);
    if (!c->reader)
        return MP_MGMT_NOT_THERE;
    mp_mig_note_launch(g, launch->asid);
    c->gpu = g;
    c->launch = *launch;
    c->status = MP_MGMT_OK;
    c->used = true;
    g->instance[launch->instance].runs = c;
    if (!start(g, c))
        return MP_MGMT_OK;
    g->host.close(g->host.self, launch->workload, c->reader);
    g->instance[launch->instance].runs = NULL;
    c->used = false;
    return MP_MGMT_UNSUPPORTED;
}

void mp_mig_free_launches(struct mp_mig *g)
{
    for (struct mp_mig_context *c = g->context; c < END(g->context); c++)
        if (c->used)
            close_context(c);
}

/* --- preemption ------------------------------------------------------------------------------------- */

void mp_mig_preempt(void *gpu, unsigned instance, unsigned context)
{
    struct mp_mig *g = gpu;
    g->instance[instance].saves_as = context;
    mp_app_preempt(&g->instance[instance].runs->app);
}

void mp_mig_resume(void *gpu, unsigned context)
{
    struct mp_mig *g = gpu;
    struct mp_mig_context *c = g->saved[context];
    g->saved[context] = NULL;
    instance_of(c)->runs = c;
    mp_app_restore(&c->app);
}

void mp_mig_drop(void *gpu, unsigned context)
{
    struct mp_mig *g = gpu;
    struct mp_mig_context *c = g->saved[context];
    g->saved[context] = NULL;
    mp_app_abort(&c->app);
    count_and_close(c);
}
