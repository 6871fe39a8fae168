/* SPDX-License-Identifier: Apache-2.0 */
/* The tenant that each page walker serves, its owner, and the number of waiting walks, from the walks that
 * `run --trace-window` stores. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/plot.h"
#include "cli/run/walks.h"

/* The picture's elements, over all systems: a row per walker, and one between systems. */
struct picture {
    size_t slices, strips, steps, stolen;
    unsigned rows;
    struct plot_slice *slice, *strip;
    struct plot_step *step;
    char (*label)[56];
    const char **row;
};

static struct picture make_room(const struct walks *w)
{
    struct picture p = {.rows = w->n ? w->n - 1 : 0};
    size_t walks = 1, owners = 1, changes = 1;
    for (unsigned i = 0; i < w->n; i++) {
        walks += w->system[i].nwalks;
        owners += w->system[i].nowners;
        changes += w->system[i].nwaiting;
        p.rows += w->system[i].walkers;
    }
    p.slice = cli_alloc(walks, sizeof *p.slice);
    p.strip = cli_alloc(owners, sizeof *p.strip);
    p.step = cli_alloc(changes, sizeof *p.step);
    p.label = cli_alloc(p.rows, sizeof *p.label);
    p.row = cli_alloc(p.rows, sizeof *p.row);
    return p;
}

static void add_walks(struct picture *p, const struct walks_system *s, unsigned row)
{
    for (size_t i = 0; i < s->nwalks; i++) {
        const struct mp_db_walk *walk = &s->walk[i];
        struct walks_part part = walks_part(s, walk);
        p->stolen += part.stolen;
        p->slice[p->slices++] = (struct plot_slice){.row = row + walk->walker,
                                                    .kind = walk->tenant,
                                                    .from = part.from,
                                                    .to = part.to,
                                                    .marked = part.stolen};
    }
}

/* A walker keeps its owner until the next change. */
static void add_owners(struct picture *p, const struct walks_system *s, unsigned row)
{
    for (size_t i = 0; i < s->nowners; i++) {
        uint64_t end = s->last;
        for (size_t k = i + 1; end == s->last && k < s->nowners; k++)
            if (s->owner[k].of == s->owner[i].of)
                end = s->owner[k].cycle;
        p->strip[p->strips++] = (struct plot_slice){
            .row = row + s->owner[i].of, .kind = s->owner[i].is, .from = s->owner[i].cycle, .to = end};
    }
}

static void add_system(struct picture *p, const struct walks_system *s, unsigned row)
{
    add_walks(p, s, row);
    add_owners(p, s, row);
    for (size_t i = 0; i < s->nwaiting; i++)
        p->step[p->steps++] = (struct plot_step){s->waiting[i].of, s->waiting[i].cycle, s->waiting[i].is};
    const char *system = !strncmp(s->path, "gpu.", 4) ? s->path + 4 : s->path;
    for (unsigned k = 0; k < s->walkers; k++)
        snprintf(p->label[row + k], sizeof *p->label, "%.40s%s%u", k ? "" : system, k ? "" : " ", k);
}

static int draw(const struct cli *cli, const struct walks *w, const char *output)
{
    struct picture p = make_room(w);
    const char *kind[MP_TENANTS];
    char title[200], file[48];
    unsigned row = 0;
    for (unsigned i = 0; i < w->n; row += w->system[i++].walkers + 1)
        add_system(&p, &w->system[i], row);
    for (unsigned i = 0; i < p.rows; i++)
        p.row[i] = p.label[i];
    for (unsigned t = 0; t < w->config.ntenants; t++)
        kind[t] = w->name[t];
    snprintf(title, sizeof title, "Tenants that the page walkers serve%s (run %" PRId64 ", %s, %s)",
             p.strips ? ", and below each walk whose walker it is" : "", w->run, w->config.name,
             mp_config_word(&w->config, "walk.scheduler"));
    snprintf(file, sizeof file, "walkers-run%" PRId64, w->run);
    const struct plot_rows rows = {.title = title,
                                   .x_axis = "cycle",
                                   .rows_axis = "walker",
                                   .steps_axis = "walks waiting",
                                   .marked_name = "stolen",
                                   .kind = kind,
                                   .nkinds = w->config.ntenants,
                                   .nrows = p.rows,
                                   .row = p.row,
                                   .first = w->system->first,
                                   .last = w->system->last,
                                   .nslices = p.slices,
                                   .nstrips = p.strips,
                                   .nsteps = p.steps,
                                   .slice = p.slice,
                                   .strip = p.strip,
                                   .step = p.step};
    int code = plot_rows(cli, output, file, &rows);
    if (!code && cli->json) {
        struct out_json j = {.f = stdout};
        json_object(&j, NULL);
        json_count(&j, "run", (uint64_t)w->run);
        json_count(&j, "walks", p.slices);
        json_count(&j, "stolen", p.stolen);
        plot_json(&j, output, file);
        json_end_object(&j);
    }
    free(p.slice);
    free(p.strip);
    free(p.step);
    free(p.label);
    free(p.row);
    return code;
}

int plot_walkers(const struct cli *cli, struct mp_db *db, int64_t run, const char *output)
{
    struct walks w;
    struct mp_error err;
    int code = walks_load(db, run, &w, &err) ? cli_fail(CLI_USAGE, "%s", err.text) : draw(cli, &w, output);
    walks_free(&w);
    return code;
}
