/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/dws/lockstep/dws_walks.h"

#include <stdlib.h>

#include "walk/scheduler/partition.h"

#define NEVER UINT64_MAX

struct dws_walks {
    struct dws_lockstep *lockstep;
    uint64_t latency, cycle;
    struct rtl_manner manner;
    uint64_t ends[MP_DWS_WALKERS]; /* when a walker completes; NEVER if it is idle */
    /* Tenants of the walks without room, in order of arrival: waiting[first .. last). */
    uint8_t *waiting;
    size_t first, last, size;
    uint32_t of[MP_TENANTS]; /* waiting walks, by tenant */
};

struct dws_walks *dws_walks_new(struct dws_lockstep *lockstep, uint64_t latency, struct rtl_manner manner)
{
    struct dws_walks *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->lockstep = lockstep;
    w->latency = latency;
    w->manner = manner;
    for (uint32_t i = 0; i < MP_DWS_WALKERS; i++)
        w->ends[i] = NEVER;
    return w;
}

void dws_walks_free(struct dws_walks *w)
{
    if (w)
        free(w->waiting);
    free(w);
}

/* ---- events ---- */

static bool step(struct dws_walks *w, struct dws_rtl_event e)
{
    bool equal = dws_lockstep_step(w->lockstep, &e, 1, w->manner);
    if (rtl_manner_rough(&w->manner))
        rtl_manner_draw(&w->manner);
    struct dws_rtl_response r = dws_lockstep_answer(w->lockstep, 0);
    if (r.action == DWS_RTL_START)
        w->ends[r.walker] = w->cycle + w->latency;
    else if (r.action == DWS_RTL_IDLE)
        w->ends[r.walker] = NEVER;
    return equal;
}

static bool room(const struct dws_walks *w, uint8_t tenant)
{
    return mp_walk_dws.room(dws_lockstep_model(w->lockstep), tenant);
}

static bool wait_outside(struct dws_walks *w, uint8_t tenant)
{
    if (w->last == w->size) {
        size_t size = w->size ? 2 * w->size : 1024;
        uint8_t *more = realloc(w->waiting, size);
        if (!more)
            return false;
        w->waiting = more;
        w->size = size;
    }
    w->waiting[w->last++] = tenant;
    w->of[tenant]++;
    return true;
}

/* Whether there is now room for a waiting walk. */
static bool wanted(const struct dws_walks *w)
{
    for (uint8_t t = 0; t < MP_TENANTS; t++)
        if (w->of[t] && room(w, t))
            return true;
    return false;
}

/* Accepts waiting walks, oldest first, as long as there is room for one. Walks that waited before it move up,
 * which keeps the order. */
static bool retry(struct dws_walks *w)
{
    size_t i = w->first;
    while (wanted(w)) {
        uint8_t tenant = w->waiting[i];
        if (!room(w, tenant)) { /* the next walk */
            i++;
            continue;
        }
        for (; i > w->first; i--)
            w->waiting[i] = w->waiting[i - 1];
        w->first++;
        w->of[tenant]--;
        if (!step(w, (struct dws_rtl_event){.kind = DWS_RTL_ENQ, .tenant = tenant}))
            return false;
        i = w->first;
    }
    if (w->first == w->last)
        w->first = w->last = 0;
    return true;
}

/* ---- cycles ---- */

static uint64_t next_end(const struct dws_walks *w)
{
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < MP_DWS_WALKERS; i++)
        next = w->ends[i] < next ? w->ends[i] : next;
    return next;
}

/* Completes the walks that end up to this cycle, cycle by cycle. */
static bool advance(struct dws_walks *w, uint64_t cycle)
{
    for (uint64_t end = next_end(w); end <= cycle && end != NEVER; end = next_end(w)) {
        w->cycle = end;
        for (uint8_t i = 0; i < MP_DWS_WALKERS; i++)
            if (w->ends[i] == end && !step(w, (struct dws_rtl_event){.kind = DWS_RTL_DONE, .walker = i}))
                return false;
        if (!retry(w))
            return false;
    }
    return true;
}

bool dws_walks_arrive(struct dws_walks *w, uint64_t cycle, uint8_t tenant)
{
    if (!advance(w, cycle))
        return false;
    w->cycle = cycle;
    if (w->of[tenant])
        return wait_outside(w, tenant);
    return step(w, (struct dws_rtl_event){.kind = DWS_RTL_ENQ, .tenant = tenant}) &&
           (dws_lockstep_answer(w->lockstep, 0).action != DWS_RTL_NO_ROOM || wait_outside(w, tenant));
}

bool dws_walks_finish(struct dws_walks *w)
{
    return advance(w, NEVER);
}

uint64_t dws_walks_cycle(const struct dws_walks *w)
{
    return w->cycle;
}
