/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/dws/lockstep/dws_lockstep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/dws/lockstep/dws_state.h"

#define MOST_IDS 4096u

struct dws_lockstep {
    struct rtl_lockstep base;
    const struct dws_rtl *rtl;
    const struct mp_walk_scheduler *scheduler;
    bool plus, varies;
    struct mp_walk_rules rules;
    struct mp_partition *model;
    struct dws_cover cover;
    /* Walks by number. Numbers are reused, the longest free first. */
    struct mp_req walk[MOST_IDS];
    uint16_t free[MOST_IDS];
    uint32_t first_free, frees;
    int in_flight[MP_DWS_WALKERS]; /* a walk, or -1 */
    /* the last step, and the difference */
    struct dws_rtl_event event[DWS_RTL_KINDS];
    struct dws_rtl_response expected[DWS_RTL_KINDS], got[DWS_RTL_KINDS];
    unsigned step_events, different; /* events in the step, and the one that differs */
    struct dws_state before, state, rtl_state;
};

/* ---- begin and end ---- */

struct dws_rtl_setup dws_lockstep_setup(const struct mp_walk_geometry *g, bool plus,
                                        const struct mp_walk_rules *r)
{
    struct dws_rtl_setup s = {.plus = plus,
                              .epoch = (uint16_t)r->epoch,
                              .queue_thres = dws_state_walks(r->thresholds.queue, g->queue / g->walkers)};
    for (uint32_t i = 0; i < MP_WALK_RATIOS; i++)
        s.diff_thres[i] = dws_state_walks(r->thresholds.diff[i], g->queue);
    return s;
}

/* Sets the RTL's division of walkers to the model's, which may differ after a reset. */
static void divide(struct dws_lockstep *l)
{
    for (uint8_t w = 0; w < l->rtl->g.walkers; w++) {
        struct dws_rtl_event e = {.kind = DWS_RTL_OWN, .walker = w, .tenant = l->model->t.wtm_tenant[w]};
        struct dws_rtl_response r;
        if (e.tenant != w % l->rtl->g.tenants)
            l->rtl->events(l->base.block, &e, &r, 1, (struct rtl_manner){0});
    }
}

/* Resets the model after the RTL. */
static void reset_model(struct dws_lockstep *l)
{
    memset(l->model, 0, l->scheduler->bytes(&l->rtl->g));
    l->scheduler->init(l->model, &l->rtl->g, &l->rules);
    dws_cover_reset(&l->cover);
    for (uint32_t w = 0; w < MP_DWS_WALKERS; w++)
        l->in_flight[w] = -1;
    for (uint16_t i = 0; i < l->rtl->ids; i++)
        l->free[i] = i;
    l->first_free = 0;
    l->frees = l->rtl->ids;
    divide(l);
    l->base.fresh = true;
}

static void begin(struct dws_lockstep *l)
{
    dws_cover_init(&l->cover, &l->rtl->g, l->plus, l->varies, &l->rules);
    l->base.transactions = l->base.resets = 0;
    reset_model(l);
}

struct dws_lockstep *dws_lockstep_new(const struct dws_rtl *rtl, bool plus, const struct mp_walk_rules *rules,
                                      uint64_t seed)
{
    const struct dws_rtl_setup setup = dws_lockstep_setup(&rtl->g, plus, rules);
    struct dws_lockstep *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.rtl = &rtl->verilated;
    l->rtl = rtl;
    l->cover.now = &l->base.transactions;
    l->plus = plus;
    l->rules = *rules;
    l->scheduler = plus ? &mp_walk_dwspp : &mp_walk_dws;
    l->model = calloc(1, l->scheduler->bytes(&rtl->g));
    l->base.block = rtl->open(&setup, seed);
    if (!l->model || !l->base.block) {
        dws_lockstep_free(l);
        return NULL;
    }
    begin(l);
    return l;
}

struct rtl_lockstep *dws_lockstep_base(struct dws_lockstep *l)
{
    return &l->base;
}

void dws_lockstep_vary(struct dws_lockstep *l)
{
    l->varies = true;
    dws_cover_init(&l->cover, &l->rtl->g, l->plus, true, &l->rules);
}

bool dws_lockstep_varies(const struct dws_lockstep *l)
{
    return l->varies;
}

void dws_lockstep_rules(struct dws_lockstep *l, uint32_t epoch, const struct mp_walk_thresholds *thresholds)
{
    l->rules.epoch = epoch;
    memcpy(l->rules.thresholds.diff, thresholds->diff, sizeof thresholds->diff);
    l->rules.thresholds.queue = thresholds->queue;
    l->model->r = l->rules;
    const struct dws_rtl_setup setup = dws_lockstep_setup(&l->rtl->g, l->plus, &l->rules);
    l->rtl->rules(l->base.block, &setup);
}

void dws_lockstep_mutate(struct dws_lockstep *l, unsigned mutant)
{
    l->base.rtl->mutate(l->base.block, mutant);
    begin(l);
}

void dws_lockstep_free(struct dws_lockstep *l)
{
    if (!l)
        return;
    if (l->base.block)
        l->base.rtl->close(l->base.block);
    free(l->model);
    free(l);
}

/* ---- numbers of walks ---- */

static uint16_t take_id(struct dws_lockstep *l)
{
    uint16_t id = l->free[l->first_free];
    l->first_free = (l->first_free + 1) % l->rtl->ids;
    l->frees--;
    return id;
}

static void give_id(struct dws_lockstep *l, int id)
{
    l->free[(l->first_free + l->frees++) % l->rtl->ids] = (uint16_t)id;
}

/* ---- what the model answers ---- */

static struct dws_rtl_response arrives(struct dws_lockstep *l, struct dws_rtl_event *e)
{
    struct dws_rtl_response r = {.tenant = e->tenant, .clocks = 2};
    uint16_t before[MP_DWS_WALKERS];
    e->id = take_id(l);
    r.id = e->id;
    l->walk[e->id] = (struct mp_req){.tenant = e->tenant};
    dws_cover_arrival(&l->cover, l->model, e->tenant);
    memcpy(before, l->model->t.fwa_free, sizeof before);
    int walker = l->scheduler->arrive(l->model, &l->walk[e->id]);
    if (walker == MP_WALK_NO_ROOM) {
        r.action = DWS_RTL_NO_ROOM;
        give_id(l, e->id);
    } else if (walker == MP_WALK_QUEUED) {
        r.action = DWS_RTL_QUEUED;
        while (l->model->t.fwa_free[r.walker] == before[r.walker])
            r.walker++;
        dws_cover_length(&l->cover, l->model, r.walker);
    } else {
        r.action = DWS_RTL_START;
        r.walker = (uint8_t)walker;
        l->in_flight[walker] = e->id;
    }
    return r;
}

static struct dws_rtl_response completes(struct dws_lockstep *l, const struct dws_rtl_event *e)
{
    struct dws_rtl_response r = {.action = DWS_RTL_IDLE, .walker = e->walker, .clocks = 2};
    uint16_t before[MP_DWS_WALKERS];
    uint8_t from = 0;
    dws_cover_completion(&l->cover, l->model, e->walker);
    memcpy(before, l->model->t.fwa_free, sizeof before);
    give_id(l, l->in_flight[e->walker]);
    l->in_flight[e->walker] = -1;
    const struct mp_req *walk = l->scheduler->complete(l->model, e->walker);
    if (!walk)
        return r;
    while (l->model->t.fwa_free[from] == before[from])
        from++;
    dws_cover_length(&l->cover, l->model, from);
    r.action = DWS_RTL_START;
    r.id = (uint16_t)(walk - l->walk);
    r.tenant = walk->tenant;
    r.clocks = 3;
    l->in_flight[e->walker] = r.id;
    return r;
}

/* Sets one walker's owner in the model's tables, as the RTL does. */
static struct dws_rtl_response gets_owner(struct dws_lockstep *l, const struct dws_rtl_event *e)
{
    uint8_t tenant = e->tenant < l->rtl->g.tenants ? e->tenant : (uint8_t)l->rtl->g.tenants;
    dws_cover_owner(&l->cover, l->model, e->walker, tenant);
    mp_dws_own(l->model, e->walker, tenant);
    return (struct dws_rtl_response){.action = DWS_RTL_OWNED, .clocks = 1};
}

static struct dws_rtl_response ask_model(struct dws_lockstep *l, struct dws_rtl_event *e)
{
    l->base.transactions++;
    return e->kind == DWS_RTL_DONE  ? completes(l, e)
           : e->kind == DWS_RTL_OWN ? gets_owner(l, e)
                                    : arrives(l, e);
}

/* ---- comparing ---- */

static const char *const kinds[DWS_RTL_KINDS] = {"completion", "new owner", "arrival"};

static bool differs(struct dws_lockstep *l, unsigned event, const char *what)
{
    static const char *const of[DWS_RTL_KINDS] = {"a completion", "a new owner", "an arrival"};
    l->different = event;
    return rtl_lockstep_differs(&l->base, "%s of %s", what, of[l->event[event].kind]);
}

/* Which fields of a response count depends on its action. */
static bool compare_responses(struct dws_lockstep *l, unsigned event)
{
    const struct dws_rtl_response *a = &l->expected[event], *b = &l->got[event];
    bool nowhere = a->action == DWS_RTL_NO_ROOM || a->action == DWS_RTL_OWNED;
    if (b->wrong) {
        l->different = event;
        return rtl_lockstep_breaks(&l->base, b->wrong);
    }
    if (b->reset)
        return true;
    if (a->action != b->action)
        return differs(l, event, "action");
    if (l->rtl->timed && a->clocks != b->clocks)
        return differs(l, event, "clocks");
    if (!nowhere && a->walker != b->walker)
        return differs(l, event, "walker");
    if (a->action != DWS_RTL_OWNED && a->action != DWS_RTL_IDLE && (a->id != b->id || a->tenant != b->tenant))
        return differs(l, event, "walk");
    return true;
}

static bool compare_states(struct dws_lockstep *l)
{
    dws_state_of_model(&l->state, l->model, l->scheduler);
    if (!l->rtl->state) {
        l->rtl_state = l->state;
        l->rtl_state.room = l->rtl->room(l->base.block);
    } else {
        l->rtl->state(l->base.block, &l->rtl_state);
    }
    return dws_state_equal(&l->rtl->g, &l->state, &l->rtl_state);
}

/* Compares RTL and model after a reset. */
static bool compare_fresh(struct dws_lockstep *l)
{
    l->base.fresh = false;
    const char *wrong = l->base.rtl->wrong(l->base.block);
    if (wrong)
        return rtl_lockstep_breaks(&l->base, wrong);
    return compare_states(l) || rtl_lockstep_differs(&l->base, "state after a reset");
}

static void cover_clock(struct dws_lockstep *l, const struct dws_rtl_event *events, unsigned n)
{
    int done = -1, own = -1, tenant = -1, enq = -1;
    if (n < 2)
        return;
    for (unsigned i = 0; i < n; i++)
        switch (events[i].kind) {
        case DWS_RTL_DONE:
            done = events[i].walker;
            break;
        case DWS_RTL_OWN:
            own = events[i].walker;
            tenant = events[i].tenant;
            break;
        default:
            enq = events[i].tenant;
            break;
        }
    dws_cover_clock(&l->cover, l->model, done, own, tenant, enq);
}

bool dws_lockstep_step(struct dws_lockstep *l, struct dws_rtl_event *events, unsigned n,
                       struct rtl_manner manner)
{
    l->step_events = 0;
    if (l->base.fresh && !compare_fresh(l))
        return false;
    l->before = l->state;
    rtl_lockstep_begin(&l->base, l->base.transactions + 1);
    cover_clock(l, events, n);
    for (unsigned i = 0; i < n; i++) {
        l->expected[i] = ask_model(l, &events[i]);
        l->event[i] = events[i];
    }
    l->step_events = n;
    l->rtl->events(l->base.block, events, l->got, n, manner);
    bool reset = l->got[n - 1].reset;
    if (reset) {
        l->base.resets++;
        dws_cover_interrupted(&l->cover, l->model);
        reset_model(l);
    }
    bool equal =
        reset ? compare_fresh(l) : compare_states(l) || differs(l, n - 1, "state after the response");
    for (unsigned i = 0; i < n; i++)
        if (!compare_responses(l, i))
            return false;
    return equal;
}

struct dws_rtl_response dws_lockstep_answer(const struct dws_lockstep *l, unsigned number)
{
    return l->expected[number];
}

const struct mp_partition *dws_lockstep_model(const struct dws_lockstep *l)
{
    return l->model;
}

const struct dws_cover *dws_lockstep_cover(const struct dws_lockstep *l)
{
    return &l->cover;
}

bool dws_lockstep_point(const struct dws_lockstep *l, unsigned number, char name[DWS_POINT_NAME],
                        struct mp_rtl_point *point)
{
    return dws_cover_point(&l->cover, number, name, point);
}

bool dws_lockstep_lines(const struct dws_lockstep *l, rtl_each_line *each, void *to)
{
    return rtl_lines(l->base.rtl->cover, l->base.block, l->scheduler->design.name, dws_unreached, each, to);
}

/* ---- a difference ---- */

static void print_number(FILE *out, const char *name, unsigned model, unsigned rtl)
{
    fprintf(out, "%c %-24s %16u %16u\n", model == rtl ? ' ' : '*', name, model, rtl);
}

static void print_response(FILE *out, const struct dws_rtl_response *a, const struct dws_rtl_response *b)
{
    static const char *const actions[] = {"no room", "queued", "start", "idle", "owned"};
    fprintf(out, "%c %-24s %16s %16s\n", a->action == b->action ? ' ' : '*', "action", actions[a->action],
            actions[b->action]);
    print_number(out, "clocks", a->clocks, b->clocks);
    if (a->action == DWS_RTL_OWNED)
        return;
    if (a->action != DWS_RTL_NO_ROOM)
        print_number(out, "walker", a->walker, b->walker);
    if (a->action == DWS_RTL_IDLE)
        return;
    print_number(out, "walk", a->id, b->id);
    print_number(out, "tenant", a->tenant, b->tenant);
}

static void print_event(const struct dws_lockstep *l, FILE *out, unsigned i)
{
    const struct dws_rtl_event *e = &l->event[i];
    fprintf(out, "%c %s", i == l->different ? '*' : ' ', kinds[e->kind]);
    if (e->kind != DWS_RTL_ENQ)
        fprintf(out, " walker=%u", e->walker);
    if (e->kind != DWS_RTL_DONE)
        fprintf(out, " tenant=%u", e->tenant);
    if (e->kind == DWS_RTL_ENQ)
        fprintf(out, " walk=%u", e->id);
    if (l->got[i].reset || l->base.broken) {
        fprintf(out, "%s\n", l->got[i].reset ? "; a reset came before its response" : "");
        return;
    }
    fprintf(out, "\n  %-24s %16s %16s   (decimal)\n", "response", "model", "rtl");
    print_response(out, &l->expected[i], &l->got[i]);
}

void dws_lockstep_report(const struct dws_lockstep *l, FILE *out, bool full)
{
    fprintf(out, l->base.broken ? "%s\n" : "first difference: %s\n", l->base.difference);
    fprintf(out, "event %" PRIu64 ", clock %" PRIu64 "%s\n", l->base.session + l->base.transactions,
            rtl_lockstep_clocks(&l->base),
            l->step_events > 1 ? ", the last of those that came in one clock:" : ":");
    for (unsigned i = 0; i < l->step_events; i++)
        print_event(l, out, i);
    fprintf(out, "state, %s%s:\n",
            full ? "'*' where model and RTL differ" : "what differs; --full shows the rest",
            l->rtl->state ? "" : "; of the RTL's only room is seen");
    dws_state_print(out, &l->rtl->g, &l->before, &l->state, &l->rtl_state, full);
}
