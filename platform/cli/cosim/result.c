/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a co-simulation: a row in the database, text or JSON on stdout, a line on stderr if it
 * failed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cosim/cosim.h"
#include "cli/out.h"
#include "cli/revision.h"
#include "db/db.h"

#define MOST_NAMES 8u /* of points that were not reached, in the text */

static const struct {
    const char *name;
    enum mp_db_cosim_status status;
} ends[] = {
    [COSIM_EQUAL] = {"equal", MP_DB_EQUAL},
    [COSIM_DIFFERENT] = {"different", MP_DB_DIFFERENT},
    [COSIM_BROKEN] = {"broken", MP_DB_COSIM_BROKEN},
    [COSIM_HUNG] = {"hung", MP_DB_COSIM_HUNG},
    [COSIM_CRASHED] = {"crashed", MP_DB_COSIM_CRASHED},
    [COSIM_INTERRUPTED] = {"interrupted", MP_DB_COSIM_INTERRUPTED},
};

static const char *mode_of(const struct cosim_job *job)
{
    return job->fixed & COSIM_MODE || job->file ? job->block->modes[job->setup.mode].name : "drawn";
}

/* Skips the blank before the first option. */
static const char *options_of(const struct cosim_job *job, char *text, size_t size)
{
    cosim_chosen(job, text, size);
    return *text ? text + 1 : text;
}

static int64_t store(const struct cli *cli, const struct cosim_job *job, const struct cosim_outcome *o,
                     struct mp_error *err)
{
    char chosen[COSIM_DESCRIPTION + 64];
    struct mp_db *db;
    struct mp_db_cosim_point *point = cli_alloc(o->points.count + 1, sizeof *point);
    for (unsigned i = 0; i < o->points.count; i++)
        point[i] = (struct mp_db_cosim_point){o->points.point[i].name, o->points.point[i].point.taken};
    const struct mp_db_cosim row = {.block = job->block->name,
                                    .mode = mode_of(job),
                                    .options = *o->configuration ? o->configuration
                                                                 : options_of(job, chosen, sizeof chosen),
                                    .seed = job->seed,
                                    .seeded = true,
                                    .stimuli = job->file,
                                    .status = ends[o->end].status,
                                    .transactions = o->transactions,
                                    .clocks = o->clocks,
                                    .resets = o->resets,
                                    .seconds = o->seconds,
                                    .difference = *o->difference ? o->difference : NULL,
                                    .report = o->report,
                                    .replay = o->replay,
                                    .tools = o->tools ? o->tools : "unknown",
                                    .revision = MEMPATH_REVISION,
                                    .npoints = o->points.count,
                                    .point = point,
                                    .nlines = o->lines.count,
                                    .line = o->lines.line};
    int64_t id = mp_db_open(&db, cli->db, MP_DB_WRITE, err) ? -1 : mp_db_cosim(db, &row, err);
    if (db)
        mp_db_close(db);
    free(point);
    return id;
}

static unsigned taken(const struct cosim_outcome *o)
{
    unsigned n = 0;
    for (unsigned i = 0; i < o->points.count; i++)
        n += o->points.point[i].point.taken != 0;
    return n;
}

/* The transaction that met a point that no earlier one had met, and after which none did. */
static uint64_t last_new(const struct cosim_outcome *o)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < o->points.count; i++)
        if (o->points.point[i].point.first > last)
            last = o->points.point[i].point.first;
    return last;
}

/* The process ended with the run: its coverage is lost. */
static bool unknown(const struct cosim_outcome *o)
{
    return o->end == COSIM_HUNG || o->end == COSIM_CRASHED;
}

static void print_json(const struct cosim_job *job, const struct cosim_outcome *o, int64_t id)
{
    struct out_json j = {.f = stdout};
    char chosen[COSIM_DESCRIPTION + 64], *not_run = cosim_not_run(o);
    char *not_reached = cosim_not_reached(o);
    json_object(&j, NULL);
    json_count(&j, "id", (uint64_t)id);
    json_text(&j, "block", job->block->name);
    json_text(&j, "mode", mode_of(job));
    json_text(&j, "options", options_of(job, chosen, sizeof chosen));
    if (job->block->latencies && job->file)
        json_count(&j, "latency", job->setup.latency);
    json_text(&j, "stimuli", job->file);
    json_count(&j, "seed", job->seed);
    json_text(&j, "status", ends[o->end].name);
    json_count(&j, "transactions", o->transactions);
    json_count(&j, "clocks", o->clocks);
    json_count(&j, "resets", o->resets);
    json_real(&j, "seconds", o->seconds);
    json_text(&j, "difference", *o->difference ? o->difference : NULL);
    json_text(&j, "configuration", *o->configuration ? o->configuration : NULL);
    json_text(&j, "report", o->report);
    json_text(&j, "replay", o->replay);
    json_text(&j, "tools", o->tools);
    if (job->setup.waves.file)
        json_text(&j, "waves", o->waves ? job->setup.waves.file : NULL);
    json_text(&j, "not_run", unknown(o) ? NULL : not_run);
    json_text(&j, "not_reached", unknown(o) ? NULL : not_reached);
    json_count(&j, "points", o->points.count);
    json_count(&j, "points_reached", taken(o));
    json_count(&j, "last_new_point", last_new(o));
    json_array(&j, "coverage");
    for (unsigned i = 0; i < o->points.count; i++) {
        json_object(&j, NULL);
        json_text(&j, "name", o->points.point[i].name);
        json_count(&j, "taken", o->points.point[i].point.taken);
        json_count(&j, "first", o->points.point[i].point.first);
        json_end_object(&j);
    }
    json_end_array(&j);
    if (job->coverage)
        cosim_lines_json(&o->lines, &j);
    json_end_object(&j);
    free(not_run);
    free(not_reached);
}

static void print_coverage(const struct cosim_outcome *o)
{
    static const char *const heads[] = {"taken", "first", "point"};
    struct out_table *t = out_table_new(3, heads);
    for (unsigned i = 0; i < o->points.count; i++) {
        out_count(t, o->points.point[i].point.taken);
        out_count(t, o->points.point[i].point.first);
        out_cell(t, "%s", o->points.point[i].name);
    }
    out_table_print(t, stdout);
}

static void print_not_run(const struct cosim_job *job, const struct cosim_outcome *o)
{
    char text[COSIM_DESCRIPTION];
    if (job->file) {
        cosim_describe(job->block, &job->setup, text);
        printf("run in one configuration, %s; no other\n", text);
        return;
    }
    char *not_run = cosim_not_run(o);
    printf(*not_run ? "not run: %s\n" : "all configurations were run%s\n", not_run);
    free(not_run);
}

/* The first points by name, and the number of the others. */
static void print_not_reached(const struct cosim_outcome *o)
{
    char *points = cosim_not_reached(o), *at = points;
    unsigned shown = 0, others = 0;
    for (; *at; at += *at == ';' ? 2 : 0) {
        size_t length = strcspn(at, ";");
        if (shown < MOST_NAMES)
            printf("%s%.*s", shown++ ? "; " : "not reached: ", (int)length, at);
        else
            others++;
        at += length;
    }
    if (others)
        printf("; and %u others, which --coverage lists", others);
    printf("%s\n", shown ? ""
                   : taken(o) < o->points.count
                       ? "all points were reached in the configurations that were run"
                       : "all points were reached");
    free(points);
}

static void print_text(const struct cosim_job *job, const struct cosim_outcome *o, int64_t id)
{
    if (job->coverage) {
        print_coverage(o);
        cosim_lines_print(&o->lines);
    }
    if (o->report)
        printf("%sagain: %s\n", o->report, o->replay);
    if (unknown(o)) {
        printf("again: %s\n%s %s, cosim %" PRId64 ": %s in transaction %" PRIu64 "\n", o->replay,
               job->block->name, mode_of(job), id, ends[o->end].name, o->transactions);
        return;
    }
    printf("%s %s, cosim %" PRId64 ": %s after %" PRIu64 " transactions, %" PRIu64 " clocks, %" PRIu64
           " resets; %.1f million a minute; %u of %u points reached, the last new one in transaction %" PRIu64
           "\n",
           job->block->name, mode_of(job), id, ends[o->end].name, o->transactions, o->clocks, o->resets,
           o->seconds > 0 ? 60e-6 * (double)o->transactions / o->seconds : 0, taken(o), o->points.count,
           last_new(o));
    print_not_reached(o);
    print_not_run(job, o);
    if (job->setup.waves.file)
        printf("waves: %s\n", o->waves            ? job->setup.waves.file
                              : job->window_given ? "none, for the window was not reached"
                                                  : "none, for nothing differs");
}

int cosim_finish(const struct cli *cli, const struct cosim_job *job, const struct cosim_outcome *o)
{
    struct mp_error err;
    int64_t id = store(cli, job, o, &err);
    if (id < 0)
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (cli->json)
        print_json(job, o, id);
    else
        print_text(job, o, id);
    switch (o->end) {
    case COSIM_EQUAL:
        return CLI_DONE;
    case COSIM_INTERRUPTED:
        return cli_fail(CLI_FAILED, "cosim %s: interrupted", job->block->name);
    case COSIM_DIFFERENT:
        return cli_fail(CLI_FAILED,
                        "cosim %s: %s differs between RTL and model after transaction %" PRIu64 "; %s",
                        job->block->name, o->difference, o->transactions, o->replay);
    default:
        return cli_fail(CLI_FAILED, "cosim %s: %s, in transaction %" PRIu64 "; %s", job->block->name,
                        o->difference, o->transactions, o->replay);
    }
}
