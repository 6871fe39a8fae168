/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/toy/lockstep/toy_lockstep.h"

#include <inttypes.h>
#include <stdlib.h>

#include "rtl/toy/lockstep/toy_cover.h"

struct toy_lockstep {
    struct rtl_lockstep base;
    const struct toy_rtl *rtl;
    struct toy_state state; /* the model */
    struct toy_cover cover;
    /* the last step, and the difference */
    struct toy_rtl_clock clock;
    struct toy_rtl_answer expected, got;
    struct toy_state before, rtl_state;
};

/* ---- begin and end ---- */

static void reset_model(struct toy_lockstep *l)
{
    l->state = (struct toy_state){0, 0};
    l->base.fresh = true;
}

struct toy_lockstep *toy_lockstep_new(const struct toy_rtl *rtl, uint64_t seed)
{
    struct toy_lockstep *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.rtl = &rtl->verilated;
    l->rtl = rtl;
    l->cover.now = &l->base.transactions;
    l->cover.entries = rtl->entries;
    l->base.block = rtl->open(seed);
    if (!l->base.block) {
        toy_lockstep_free(l);
        return NULL;
    }
    reset_model(l);
    return l;
}

void toy_lockstep_mutate(struct toy_lockstep *l, unsigned mutant)
{
    l->base.rtl->mutate(l->base.block, mutant);
    reset_model(l);
}

void toy_lockstep_free(struct toy_lockstep *l)
{
    if (l && l->base.block)
        l->base.rtl->close(l->base.block);
    free(l);
}

struct rtl_lockstep *toy_lockstep_base(struct toy_lockstep *l)
{
    return &l->base;
}

uint32_t toy_lockstep_entries(const struct toy_lockstep *l)
{
    return l->rtl->entries;
}

const struct toy_state *toy_lockstep_state(const struct toy_lockstep *l)
{
    return &l->state;
}

/* ---- the model ---- */

uint32_t toy_lockstep_next(const struct toy_lockstep *l)
{
    uint32_t entry = 0;
    while (entry < l->rtl->entries && l->state.busy >> entry & 1)
        entry++;
    return entry < l->rtl->entries ? entry : 0;
}

/* What is taken is seen before anything is given back, and remains taken if it is given back, too. */
static void clock_model(struct toy_lockstep *l)
{
    const struct toy_rtl_clock *in = &l->clock;
    struct toy_state *s = &l->state;
    const bool full = s->used == l->rtl->entries;
    const uint32_t next = toy_lockstep_next(l);
    l->expected = (struct toy_rtl_answer){.entry = next, .used = s->used, .full = full, .empty = !s->used};
    if (in->give && in->given < l->rtl->entries)
        s->busy &= ~(UINT64_C(1) << in->given);
    if (in->take && !full)
        s->busy |= UINT64_C(1) << next;
    s->used = (uint32_t)__builtin_popcountll(s->busy);
}

/* ---- comparing ---- */

static bool compare_states(struct toy_lockstep *l)
{
    l->rtl_state = l->state;
    if (l->rtl->state)
        l->rtl->state(l->base.block, &l->rtl_state);
    return l->state.busy == l->rtl_state.busy && l->state.used == l->rtl_state.used;
}

static bool compare_fresh(struct toy_lockstep *l)
{
    l->base.fresh = false;
    const char *wrong = l->base.rtl->wrong(l->base.block);
    if (wrong)
        return rtl_lockstep_breaks(&l->base, wrong);
    return compare_states(l) || rtl_lockstep_differs(&l->base, "state after a reset");
}

bool toy_lockstep_step(struct toy_lockstep *l, const struct toy_rtl_clock *clock, struct rtl_manner manner)
{
    if (l->base.fresh && !compare_fresh(l))
        return false;
    l->clock = *clock;
    l->before = l->state;
    rtl_lockstep_begin(&l->base, l->base.transactions + 1);
    l->base.transactions++;
    clock_model(l);
    l->rtl->clock(l->base.block, &l->clock, &l->got, manner);
    const struct toy_rtl_answer *e = &l->expected, *g = &l->got;
    if (g->wrong)
        return rtl_lockstep_breaks(&l->base, g->wrong);
    if (e->entry != g->entry || e->used != g->used || e->full != g->full || e->empty != g->empty)
        return rtl_lockstep_differs(&l->base, "answer");
    toy_cover_clock(&l->cover, &l->clock, e, &l->before, g->reset);
    if (g->reset) {
        l->base.resets++;
        reset_model(l);
        return compare_fresh(l);
    }
    return compare_states(l) || rtl_lockstep_differs(&l->base, "state after a clock");
}

bool toy_lockstep_point(const struct toy_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                        struct mp_rtl_point *point)
{
    return toy_cover_point(&l->cover, number, name, point);
}

bool toy_lockstep_lines(const struct toy_lockstep *l, rtl_each_line *each, void *to)
{
    return rtl_lines(l->base.rtl->cover, l->base.block, "toy", NULL, each, to);
}

/* ---- a difference ---- */

void toy_lockstep_report(const struct toy_lockstep *l, FILE *out, bool full)
{
    const struct toy_rtl_answer *e = &l->expected, *g = &l->got;
    const struct {
        const char *name;
        uint64_t before, model, rtl;
    } fields[] = {{"entry", e->entry, e->entry, g->entry},
                  {"used", e->used, e->used, g->used},
                  {"full", e->full, e->full, g->full},
                  {"empty", e->empty, e->empty, g->empty},
                  {"busy_q", l->before.busy, l->state.busy, l->rtl_state.busy},
                  {"used_q", l->before.used, l->state.used, l->rtl_state.used}};
    fprintf(out, l->base.broken ? "%s\n" : "first difference: %s\n", l->base.difference);
    fprintf(out, "transaction %" PRIu64 ", clock %" PRIu64 ":%s%s", l->base.session + l->base.transactions,
            rtl_lockstep_clocks(&l->base), g->reset ? " reset" : "", l->clock.take ? " take" : "");
    if (l->clock.give)
        fprintf(out, " give %" PRIu32, l->clock.given);
    fprintf(out, "\n  %-8s %8s %8s %8s\n", "field", "before", "model", "rtl");
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        if (full || fields[i].model != fields[i].rtl)
            fprintf(out, "%c %-8s %#8" PRIx64 " %#8" PRIx64 " %#8" PRIx64 "\n",
                    fields[i].model == fields[i].rtl ? ' ' : '*', fields[i].name, fields[i].before,
                    fields[i].model, fields[i].rtl);
}
