/* SPDX-License-Identifier: Apache-2.0 */
/* Launches, and what becomes of accesses whose page faulted. */
#include <stdlib.h>

#include "mig/parts.h"

/* --- faults ----------------------------------------------------------------------------------------- */

static struct mp_sm *sm_of(const struct mp_mig *g, const struct mp_req *page)
{
    unsigned sms = mp_mig_slice_sms(g);
    return &g->slice[page->sm / sms].sm[page->sm % sms];
}

/* Tells the management block; false when its buffer is full. */
static bool record(struct mp_mig *g, const struct mp_req *page)
{
    const struct mp_mgmt_fault fault = {page->va, (uint8_t)page->asid, (uint16_t)page->sm,
                                        page->op != MP_LOAD, page->fault == MP_FAULT_READ_ONLY};
    return mp_mgmt_faulted(g->mgmt, &fault);
}

static void stall_all(struct mp_mig *g, bool stalled)
{
    for (unsigned s = 0; s < g->p.slices; s++)
        for (unsigned k = 0; g->slice[s].built && k < mp_mig_slice_sms(g); k++)
            mp_sm_stall(&g->slice[s].sm[k], stalled);
}

/* Behind a fault that waits, the others wait as well: they are recorded in the order they came. */
bool mp_mig_fault(void *instance, struct mp_sm *sm, struct mp_req *page)
{
    struct mp_mig_instance *i = instance;
    struct mp_mig *g = i->gpu;
    if (i->given_up) {
        mp_sm_give_up(sm, page);
    } else if (!g->unrecorded.head && record(g, page)) {
        mp_queue_push(&g->recorded[page->asid], page);
    } else {
        mp_queue_push(&g->unrecorded, page);
        mp_sm_stall(sm, true);
        mp_mgmt_hold_faults(g->mgmt, g->unrecorded.length);
    }
    return true;
}

static void recount(struct mp_mig *g)
{
    mp_mgmt_hold_faults(g->mgmt, g->unrecorded.length);
    if (!g->unrecorded.head)
        stall_all(g, false);
}

void mp_mig_fault_room(void *gpu)
{
    struct mp_mig *g = gpu;
    if (!g->unrecorded.head)
        return;
    while (g->unrecorded.head && record(g, g->unrecorded.head)) {
        struct mp_req *page = mp_queue_pop(&g->unrecorded);
        mp_queue_push(&g->recorded[page->asid], page);
    }
    recount(g);
}

/* All pages of the address space that wait, in the order they came. */
static struct mp_req_queue take_faulted(struct mp_mig *g, unsigned asid)
{
    struct mp_req_queue all = g->recorded[asid], others = {0};
    struct mp_req *page;
    g->recorded[asid] = (struct mp_req_queue){0};
    while ((page = mp_queue_pop(&g->unrecorded)))
        mp_queue_push(page->asid == asid ? &all : &others, page);
    g->unrecorded = others;
    return all;
}

static void give_up(struct mp_mig *g, struct mp_req_queue pages)
{
    struct mp_req *page;
    struct mp_mig_instance *i = &g->instance[g->space[pages.head->asid].instance];
    i->given_up = true;
    i->status = MP_MGMT_FAULTED;
    mp_app_abort(&i->app);
    while ((page = mp_queue_pop(&pages)))
        mp_sm_give_up(sm_of(g, page), page);
}

enum mp_mgmt_status mp_mig_replay(void *gpu, unsigned asid, bool given_up)
{
    struct mp_mig *g = gpu;
    struct mp_req_queue pages = take_faulted(g, asid);
    struct mp_req *page;
    if (!pages.head)
        return MP_MGMT_OK;
    if (given_up)
        give_up(g, pages);
    else
        while ((page = mp_queue_pop(&pages)))
            mp_sm_retry(sm_of(g, page), page);
    recount(g);
    return MP_MGMT_OK;
}

/* --- launches --------------------------------------------------------------------------------------- */

/* Memory is firmware's: buffers of the recorded program need nothing. */
static int no_map(void *instance, uint32_t tenant, uint64_t va, uint64_t bytes, struct mp_error *err)
{
    (void)instance, (void)tenant, (void)va, (void)bytes, (void)err;
    return 0;
}

static void no_unmap(void *instance, uint32_t tenant, uint64_t va, uint64_t bytes)
{
    (void)instance, (void)tenant, (void)va, (void)bytes;
}

static void add(struct mp_app_stats *sum, const struct mp_app_stats *more)
{
    sum->cycles += more->cycles;
    sum->accesses += more->accesses;
    sum->kernels += more->kernels;
    sum->completions += more->completions;
}

static void end(void *instance, void *unused)
{
    struct mp_mig_instance *i = instance;
    struct mp_mig *g = i->gpu;
    (void)unused;
    add(&g->runs[i->launch.asid], &i->app.stats);
    mp_app_free(&i->app);
    g->host.close(g->host.self, i->launch.workload, i->reader);
    i->runs = i->given_up = false;
    mp_mgmt_ended(g->mgmt, i->number, i->status);
}

static void completed(void *instance, uint32_t tenant)
{
    struct mp_mig_instance *i = instance;
    (void)tenant;
    mp_at(i->gpu->wheel, 0, end, i, NULL); /* the application is still at it */
}

static void failed(void *instance, uint32_t tenant, const char *why)
{
    struct mp_mig_instance *i = instance;
    i->status = MP_MGMT_UNSUPPORTED;
    i->gpu->host.failed(i->gpu->host.self, why);
    if (i->app.running)
        mp_app_abort(&i->app);
    else
        completed(instance, tenant);
}

static int start(struct mp_mig *g, struct mp_mig_instance *i)
{
    unsigned sms = mp_mig_slice_sms(g);
    struct mp_sm **sm = malloc(i->slices * sms * sizeof *sm);
    for (unsigned k = 0; sm && k < i->slices * sms; k++)
        sm[k] = &g->slice[i->first + k / sms].sm[k % sms];
    struct mp_app_params p = {.tenant = i->launch.asid,
                              .launch_latency = g->p.launch_latency,
                              .reader = i->reader,
                              .sm = sm,
                              .sms = i->slices * sms,
                              .host = {i, no_map, no_unmap, completed, failed, mp_mig_fault}};
    int status = sm ? mp_app_init(&i->app, g->wheel, &p) : -1;
    free(sm);
    if (!status)
        mp_app_start(&i->app);
    return status;
}

enum mp_mgmt_status mp_mig_launch(void *gpu, const struct mp_mgmt_launch *launch)
{
    struct mp_mig *g = gpu;
    struct mp_mig_instance *i = &g->instance[launch->instance];
    i->reader = g->host.open(g->host.self, launch->workload);
    if (!i->reader)
        return MP_MGMT_NOT_THERE;
    i->launch = *launch;
    i->status = MP_MGMT_OK;
    i->runs = true;
    if (!start(g, i))
        return MP_MGMT_OK;
    g->host.close(g->host.self, launch->workload, i->reader);
    i->runs = false;
    return MP_MGMT_UNSUPPORTED;
}
