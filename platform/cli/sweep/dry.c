/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a sweep, and an estimate of their time, without running them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/out.h"
#include "cli/run/order.h"
#include "cli/sweep/sweep.h"

/* The time until all jobs have ended, if the longest start first. */
static double elapsed(const double *seconds, unsigned n, unsigned parallel)
{
    struct order_job *jobs = cli_alloc(n, sizeof *jobs);
    unsigned *order = cli_alloc(n, sizeof *order);
    double *busy = cli_alloc(parallel, sizeof *busy), last = 0;
    for (unsigned i = 0; i < n; i++)
        jobs[i].seconds = seconds[i];
    order_longest_first(jobs, n, order);
    for (unsigned i = 0; i < n; i++) {
        unsigned free_first = 0;
        for (unsigned p = 1; p < parallel; p++)
            if (busy[p] < busy[free_first])
                free_first = p;
        busy[free_first] += seconds[order[i]];
        last = busy[free_first] > last ? busy[free_first] : last;
    }
    free(jobs);
    free(order);
    free(busy);
    return last;
}

static void print_time(double seconds)
{
    if (seconds < 90)
        printf("%.1f s", seconds);
    else if (seconds < 5400)
        printf("%.0f min", seconds / 60);
    else
        printf("%.1f h", seconds / 3600);
}

struct estimate {
    unsigned found, unknown, recordings;
    double seconds, elapsed;
};

static void print(const struct sweep_jobs *j, const struct estimate *e)
{
    static const char *const heads[] = {"what varies", "values", "first", "last"};
    struct out_table *table = out_table_new(4, heads);
    for (unsigned i = 0; i < j->sweep->ndimensions; i++) {
        const struct sweep_dimension *d = &j->sweep->dimension[i];
        for (unsigned p = 0; p < d->npaths; p++) {
            out_cell(table, "%s%s", p ? "  with " : "", d->path[p]);
            out_cell(table, "%u", d->nvalues);
            out_cell(table, "%s", d->value[p * d->nvalues]);
            out_cell(table, "%s", d->value[p * d->nvalues + d->nvalues - 1]);
        }
    }
    out_table_print(table, stdout);
    printf("%u runs: %u are in %s, %u to run\n", j->n, e->found, j->cli->db, j->n - e->found);
    if (e->recordings)
        printf("%u of them need applications that are recorded first\n", e->recordings);
    if (e->unknown)
        printf("%u of them have inputs that no run in the database had: their time is unknown\n", e->unknown);
    if (e->seconds > 0) {
        fputs("about ", stdout);
        print_time(e->seconds);
        fputs(" of simulation, ", stdout);
        print_time(e->elapsed);
        printf(" with --jobs %u\n", j->parallel);
    }
}

static void print_json(const struct sweep_jobs *j, const struct estimate *e, const double *seconds)
{
    struct out_json json = {.f = stdout};
    json_object(&json, NULL);
    json_text(&json, "sweep", j->file);
    json_count(&json, "runs", j->n);
    json_count(&json, "found", e->found);
    json_count(&json, "to_run", j->n - e->found);
    json_count(&json, "unknown", e->unknown);
    json_count(&json, "recordings", e->recordings);
    json_count(&json, "jobs", j->parallel);
    json_real(&json, "seconds", e->seconds);
    json_real(&json, "elapsed", e->elapsed);
    json_array(&json, "points");
    for (unsigned i = 0; i < j->n; i++) {
        json_object(&json, NULL);
        json_count(&json, "number", j->number[i]);
        sweep_json_values(&json, j, i);
        json_flag(&json, "found", j->job[i].outcome == RUN_FOUND);
        json_real(&json, "seconds", seconds[i]);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

int sweep_dry_run(struct sweep_jobs *j)
{
    struct estimate e = {0};
    double *seconds = cli_alloc(j->n, sizeof *seconds);
    int code = runs_plan(j->cli, j->job, j->n, 0, seconds);
    for (unsigned i = 0; !code && i < j->n; i++) {
        bool found = j->job[i].outcome == RUN_FOUND, recorded = true;
        for (unsigned t = 0; t < j->job[i].config.ntenants; t++)
            recorded = recorded && j->job[i].trace[t];
        e.found += found;
        e.recordings += !recorded;
        e.unknown += !found && seconds[i] <= 0;
        seconds[i] = found ? 0 : seconds[i];
        e.seconds += seconds[i];
    }
    if (!code) {
        e.elapsed = elapsed(seconds, j->n, j->parallel);
        if (j->cli->json)
            print_json(j, &e, seconds);
        else
            print(j, &e);
    }
    free(seconds);
    return code;
}
