/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of DWS's walk scheduler inside a run: it decides, or is compared with the model that does. A new
 * division of the walkers is written owner by owner, as firmware does. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/dws/lockstep/dws_lockstep.h"
#include "rtl/lockstep/built.h"
#include "rtl/lockstep/loop.h"
#include "rtl_run.h"

_Static_assert((int)DWS_POINT_NAME == (int)MP_RTL_POINT_NAME, "names of points fit");

#define MOST_IDS 256u
#define SEED     1u /* for the RTL's state before its reset */

struct loop_walks {
    struct rtl_loop loop;
    const struct dws_rtl *rtl;
    struct dws_lockstep *lockstep; /* NULL if the RTL decides */
    struct mp_partition division;  /* only the owners of the walkers are used */
    struct mp_req *walk[MOST_IDS]; /* walks that wait or are in flight */
    /* If the RTL decides: free numbers, the longest free first, and the walk that a walker serves. */
    uint16_t free[MOST_IDS], serves[MP_DWS_WALKERS];
    uint32_t first_free, last_free;
    struct dws_rtl_event event;
};

/* ---- begin and end ---- */

extern const struct rtl_built dws_built[];

static const struct dws_rtl *find_size(const struct mp_walk_geometry *g)
{
    const struct dws_rtl *fits = NULL;
    for (const struct rtl_built *b = dws_built; b->rtl; b++) {
        const struct dws_rtl *rtl = b->rtl;
        if (!b->lines && rtl->g.walkers == g->walkers && rtl->g.queue == g->queue &&
            rtl->g.tenants >= g->tenants && (!fits || rtl->g.tenants < fits->g.tenants))
            fits = rtl;
    }
    return fits;
}

static int wrong_size(const struct mp_walk_geometry *g, struct mp_error *err)
{
    return mp_fail(err,
                   "walk: %" PRIu32 " walkers, a queue of %" PRIu32 " and %" PRIu32
                   " tenants are not what the RTL has; 16 or 24 walkers with walk.queue=192 "
                   "and 8 tenants at most, or 5 with walk.queue=15 and 3",
                   g->walkers, g->queue, g->tenants);
}

static int has(const struct mp_walk_scheduler *model, const struct mp_walk_geometry *g,
               const struct mp_walk_rules *rules, struct mp_error *err)
{
    bool walkers = false;
    if (strcmp(model->design.name, "dws") != 0 && strcmp(model->design.name, "dws++") != 0)
        return mp_fail(err, "walk.scheduler: %s is not in the RTL; dws or dws++", model->design.name);
    if (rules->epoch > 255)
        return mp_fail(err, "dws++.epoch: %" PRIu32 " walks are too many for the RTL; 255 at most",
                       rules->epoch);
    for (const struct rtl_built *b = dws_built; b->rtl; b++)
        walkers |= ((const struct dws_rtl *)b->rtl)->g.walkers == g->walkers;
    return walkers ? 0 : wrong_size(g, err);
}

static int check(const struct mp_walk_scheduler *model, const struct mp_walk_geometry *g,
                 const struct mp_walk_rules *rules, struct mp_error *err)
{
    if (has(model, g, rules, err))
        return -1;
    if (rules->compat != MP_WALK_PAPER)
        return mp_fail(err, "walk.compat: hpca21 is not in the RTL; paper");
    if (!find_size(g))
        return wrong_size(g, err);
    return 0;
}

static void close_walks(void *block)
{
    struct loop_walks *w = block;
    rtl_loop_close(&w->loop);
    dws_lockstep_free(w->lockstep);
    free(w);
}

static void *open_walks(const struct mp_walk_scheduler *model, const struct mp_walk_geometry *g,
                        const struct mp_walk_rules *rules, const struct mp_rtl_host *host,
                        struct mp_error *err)
{
    if (check(model, g, rules, err))
        return NULL;
    bool plus = !strcmp(model->design.name, "dws++");
    struct loop_walks *w = calloc(1, sizeof *w);
    if (!w) {
        mp_fail(err, "out of memory");
        return NULL;
    }
    w->rtl = find_size(g);
    w->loop = (struct rtl_loop){.host = host, .rtl = &w->rtl->verilated, .window.waves = host->waves};
    mp_partition_init(&w->division, &w->rtl->g, rules);
    for (uint16_t i = 0; i < w->rtl->ids; i++)
        w->free[i] = i;
    for (uint8_t i = 0; i < w->rtl->g.walkers; i++) /* the RTL's division after a reset */
        w->division.t.wtm_tenant[i] = (uint8_t)(i % w->rtl->g.tenants);
    const struct dws_rtl_setup setup = dws_lockstep_setup(&w->rtl->g, plus, rules);
    if (host->shadow && (w->lockstep = dws_lockstep_new(w->rtl, plus, rules, SEED)))
        w->loop.lockstep = dws_lockstep_base(w->lockstep);
    else if (!host->shadow)
        w->loop.block = w->rtl->open(&setup, SEED);
    if (w->lockstep || w->loop.block)
        return w;
    close_walks(w);
    mp_fail(err, "out of memory");
    return NULL;
}

/* ---- events ---- */

static struct loop_walks *of(const void *state)
{
    return *(struct loop_walks *const *)state;
}

static const struct dws_rtl_response nothing = {.action = DWS_RTL_IDLE};

static struct dws_rtl_response compared(struct loop_walks *w)
{
    if (dws_lockstep_step(w->lockstep, &w->event, 1, rtl_manner_of(w->loop.transactions)))
        return dws_lockstep_answer(w->lockstep, 0);
    rtl_loop_differs(&w->loop);
    return nothing;
}

/* Returns why a response cannot be used, or NULL. */
static const char *wrong(const struct loop_walks *w, const struct dws_rtl_response *r)
{
    static const uint8_t allowed[DWS_RTL_KINDS] = {
        [DWS_RTL_DONE] = 1u << DWS_RTL_START | 1u << DWS_RTL_IDLE,
        [DWS_RTL_OWN] = 1u << DWS_RTL_OWNED,
        [DWS_RTL_ENQ] = 1u << DWS_RTL_NO_ROOM | 1u << DWS_RTL_QUEUED | 1u << DWS_RTL_START};
    if (r->wrong)
        return r->wrong;
    if (!(allowed[w->event.kind] >> r->action & 1))
        return "the RTL responds with an action that this event cannot have";
    if (r->action == DWS_RTL_START && !w->walk[r->id])
        return "the RTL starts a walk that does not wait";
    return NULL;
}

static struct dws_rtl_response alone(struct loop_walks *w)
{
    struct dws_rtl_response r;
    w->rtl->events(w->loop.block, &w->event, &r, 1, (struct rtl_manner){0});
    const char *why = wrong(w, &r);
    if (!why)
        return r;
    rtl_loop_end(&w->loop, "%s", why);
    return nothing;
}

static struct dws_rtl_response ask(struct loop_walks *w, struct dws_rtl_event event)
{
    if (w->loop.over)
        return nothing;
    w->event = event;
    rtl_loop_begin(&w->loop);
    return w->lockstep ? compared(w) : alone(w);
}

/* ---- the scheduler ---- */

static size_t bytes(const struct mp_walk_geometry *g)
{
    (void)g;
    return sizeof(struct loop_walks *);
}

static void init(void *state, const struct mp_walk_geometry *g, const struct mp_walk_rules *r)
{
    (void)state; /* the creator of the walk system writes the pointer */
    (void)g;
    (void)r;
}

/* With a lockstep, the lockstep sets the numbers. */
static int arrive(void *state, struct mp_req *walk)
{
    struct loop_walks *w = of(state);
    const uint16_t id = w->free[w->first_free];
    struct dws_rtl_response r;
    if (!w->lockstep)
        w->walk[id] = walk;
    r = ask(w, (struct dws_rtl_event){.kind = DWS_RTL_ENQ, .tenant = walk->tenant, .id = id});
    if (w->loop.over || r.action == DWS_RTL_NO_ROOM)
        return MP_WALK_NO_ROOM;
    if (w->lockstep)
        w->walk[w->event.id] = walk;
    else
        w->first_free = (w->first_free + 1) % w->rtl->ids;
    if (r.action == DWS_RTL_QUEUED)
        return MP_WALK_QUEUED;
    w->serves[r.walker] = w->event.id;
    return r.walker;
}

static struct mp_req *complete(void *state, uint32_t walker)
{
    struct loop_walks *w = of(state);
    struct dws_rtl_response r;
    w->walk[w->serves[walker]] = NULL;
    w->free[w->last_free] = w->serves[walker];
    w->last_free = (w->last_free + 1) % w->rtl->ids;
    r = ask(w, (struct dws_rtl_event){.kind = DWS_RTL_DONE, .walker = (uint8_t)walker});
    if (r.action != DWS_RTL_START)
        return NULL;
    w->serves[walker] = r.id;
    return w->walk[r.id];
}

static bool room(const void *state, uint8_t tenant)
{
    const struct loop_walks *w = of(state);
    if (w->loop.over)
        return false;
    if (w->lockstep)
        return mp_walk_dws.room(dws_lockstep_model(w->lockstep), tenant);
    return w->rtl->room(w->loop.block) >> tenant & 1;
}

static uint8_t owner(const void *state, uint32_t walker)
{
    return of(state)->division.t.wtm_tenant[walker];
}

/* Writes the owners that differ. */
static void divide(struct loop_walks *w, const uint8_t owner[MP_DWS_WALKERS])
{
    uint8_t *now = w->division.t.wtm_tenant;
    for (uint8_t i = 0; i < w->rtl->g.walkers; i++) {
        if (now[i] == owner[i])
            continue;
        now[i] = owner[i];
        ask(w, (struct dws_rtl_event){.kind = DWS_RTL_OWN, .walker = i, .tenant = owner[i]});
    }
}

static void set_tenants(void *state, uint32_t tenants)
{
    struct loop_walks *w = of(state);
    struct mp_partition given = w->division;
    mp_partition_set_tenants(&given, tenants);
    divide(w, given.t.wtm_tenant);
}

static void set_owners(void *state, const uint64_t owned[MP_TENANTS])
{
    struct loop_walks *w = of(state);
    struct mp_partition given = w->division;
    mp_partition_set_owners(&given, owned);
    divide(w, given.t.wtm_tenant);
}

static const struct mp_walk_scheduler scheduler = {
    .design = {.name = "rtl", .title = "Verilated RTL"},
    .bytes = bytes,
    .init = init,
    .arrive = arrive,
    .room = room,
    .complete = complete,
    .owner = owner,
    .set_tenants = set_tenants,
    .set_owners = set_owners,
};

/* ---- queries ---- */

static void report(const void *block, FILE *out, bool full)
{
    static const char *const kinds[] = {"completion", "new owner", "arrival"};
    const struct loop_walks *w = block;
    if (w->lockstep)
        dws_lockstep_report(w->lockstep, out, full);
    else
        fprintf(out, "%s after event %" PRIu64 ": %s walker=%u tenant=%u walk=%u\n", w->loop.trouble,
                w->loop.transactions, kinds[w->event.kind], w->event.walker, w->event.tenant, w->event.id);
}

static bool point(const void *block, unsigned number, char name[MP_RTL_POINT_NAME], struct mp_rtl_point *p)
{
    const struct loop_walks *w = block;
    return w->lockstep && dws_lockstep_point(w->lockstep, number, name, p);
}

static const struct mp_rtl_walks walks = {.scheduler = &scheduler, .has = has, .open = open_walks};

RTL_LOOP_EXPORT(close_walks, .walks = &walks);
