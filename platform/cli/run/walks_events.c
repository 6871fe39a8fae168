/* SPDX-License-Identifier: Apache-2.0 */
/* The trace-event format: a process per page-walk system, a thread per walker, a slice per walk. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/out.h"
#include "cli/run/walks.h"

/* Colour names of the format's palette, by tenant. */
static const char *const cname[MP_TENANTS] = {"thread_state_running",
                                              "thread_state_iowait",
                                              "rail_load",
                                              "terrible",
                                              "rail_animation",
                                              "yellow",
                                              "olive",
                                              "grey"};

static void begin(struct out_json *j, const char *phase, const char *name, unsigned system)
{
    json_object(j, NULL);
    json_text(j, "ph", phase);
    json_text(j, "name", name);
    json_count(j, "pid", system + 1);
}

static void name_of(struct out_json *j, const char *what, unsigned system, unsigned thread, const char *name)
{
    begin(j, "M", what, system);
    json_count(j, "tid", thread);
    json_object(j, "args");
    json_text(j, "name", name);
    json_end_object(j);
    json_end_object(j);
}

static void write_names(struct out_json *j, const struct walks_system *s, unsigned system)
{
    char name[32];
    name_of(j, "process_name", system, 0, s->path);
    for (unsigned k = 0; k < s->walkers; k++) {
        snprintf(name, sizeof name, "walker %u", k);
        name_of(j, "thread_name", system, k + 1, name);
    }
}

static void write_facts(struct out_json *j, const struct walks *w, const struct mp_db_walk *walk,
                        const struct walks_part *part)
{
    char page[24];
    snprintf(page, sizeof page, "0x%" PRIx64, walk->page);
    json_object(j, "args");
    json_text(j, "tenant", w->name[walk->tenant]);
    json_count(j, "asid", walk->asid);
    json_text(j, "page", page);
    json_count(j, "arrived", walk->arrived);
    json_count(j, "started", walk->started);
    json_count(j, "queueing_cycles", walk->started - walk->arrived);
    if (walk->ended != MP_DB_NOT_ENDED)
        json_count(j, "ended", walk->ended);
    json_count(j, "levels_read", walk->levels);
    json_text(j, "owner", walk->owner >= 0 ? w->name[walk->owner] : NULL);
    json_flag(j, "stolen", part->stolen);
    if (part->cut_begin || part->cut_end)
        json_text(j, "clipped",
                  part->cut_begin && part->cut_end ? "begin and end"
                  : part->cut_begin                ? "begin"
                                                   : "end");
    json_end_object(j);
}

static void write_walk(struct out_json *j, const struct walks *w, unsigned system,
                       const struct mp_db_walk *walk)
{
    struct walks_part part = walks_part(&w->system[system], walk);
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", w->name[walk->tenant], part.stolen ? ", stolen from " : "",
             part.stolen ? w->name[walk->owner] : "");
    begin(j, "X", name, system);
    json_text(j, "cat", part.stolen ? "walk,stolen" : "walk");
    json_text(j, "cname", cname[walk->tenant]);
    json_count(j, "tid", walk->walker + 1);
    json_count(j, "ts", part.from);
    json_count(j, "dur", part.to - part.from);
    write_facts(j, w, walk, &part);
    json_end_object(j);
}

static void write_waiting(struct out_json *j, const struct walks *w, unsigned system,
                          const struct mp_db_walk_change *change)
{
    char name[80];
    snprintf(name, sizeof name, "waiting, %s", w->name[change->of]);
    begin(j, "C", name, system);
    json_count(j, "ts", change->cycle);
    json_object(j, "args");
    json_count(j, "walks", change->is);
    json_end_object(j);
    json_end_object(j);
}

static void write_owner(struct out_json *j, const struct walks *w, unsigned system,
                        const struct mp_db_walk_change *change)
{
    char name[80];
    snprintf(name, sizeof name, "owner is %s", w->name[change->is]);
    begin(j, "i", name, system);
    json_text(j, "cat", "owner");
    json_text(j, "s", "t");
    json_count(j, "tid", change->of + 1);
    json_count(j, "ts", change->cycle);
    json_object(j, "args");
    json_text(j, "owner", w->name[change->is]);
    json_end_object(j);
    json_end_object(j);
}

static void write_about(struct out_json *j, const struct walks *w)
{
    json_object(j, "otherData");
    json_text(j, "time", "cycles: 1 us here is 1 cycle");
    json_count(j, "run", (uint64_t)w->run);
    json_text(j, "experiment", w->config.name);
    json_count(j, "first_cycle", w->system->first);
    json_count(j, "last_cycle", w->system->last - 1);
    json_end_object(j);
}

void walks_write_events(const struct walks *w, const struct managed *m, FILE *f)
{
    struct out_json j = {.f = f};
    json_object(&j, NULL);
    json_text(&j, "displayTimeUnit", "ms");
    write_about(&j, w);
    json_array(&j, "traceEvents");
    for (unsigned i = 0; i < w->n; i++) {
        const struct walks_system *s = &w->system[i];
        write_names(&j, s, i);
        for (size_t k = 0; k < s->nowners; k++)
            write_owner(&j, w, i, &s->owner[k]);
        for (size_t k = 0; k < s->nwalks; k++)
            write_walk(&j, w, i, &s->walk[k]);
        for (size_t k = 0; k < s->nwaiting; k++)
            write_waiting(&j, w, i, &s->waiting[k]);
    }
    managed_write_events(m, w->n + 1, &j);
    json_end_array(&j);
    json_end_object(&j);
}
