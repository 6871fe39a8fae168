/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath bench --counts`: each case runs natively, for the database, and under valgrind; then its counts
 * per translation are compared with the committed ones. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/bench/bench.h"
#include "cli/folder.h"
#include "cli/revision.h"
#include "cli/spawn.h"
#include "cli/task.h"

struct work {
    const struct run_job *job;
    struct counts_bound *bound;
    struct counts counts;
    char folder[PATH_MAX];
};

struct answer {
    struct counts counts;
    struct mp_error error; /* if it failed */
};
_Static_assert(sizeof(struct answer) <= TASK_ANSWER_BYTES, "an answer is one message");

static double figure(const struct work *w, unsigned f)
{
    return (double)w->counts.value[f] / (double)w->job->result.translations;
}

/* By which part the figure is above its bound; below 0 if it is lower. */
static double excess(const struct work *w, unsigned f)
{
    return figure(w, f) / w->bound->value[f] - 1;
}

static const char *verdict(const struct work *w, unsigned f)
{
    double e = excess(w, f);
    return e > counts_tolerance[f] ? "above" : e < -counts_tolerance[f] ? "below" : "held";
}

static int measure(struct task *task, int channel)
{
    struct work *w = task->context;
    struct answer a = {.error = {""}};
    struct bench_command run;
    char *self = spawn_beside("mempath");
    bench_case_command(&run, self, w->bound->of, w->bound->until, "counts.db");
    int failed = counts_measure(&run, w->folder, &a.counts, &a.error);
    free(self);
    task_answer(channel, &a, sizeof a);
    return failed ? CLI_FAILED : CLI_DONE;
}

/* Callgrind's counts do not depend on what else runs. */
static int measure_all(const struct cli *cli, struct work *work, unsigned n)
{
    struct task tasks[COUNTS_MAX_BOUNDS];
    for (unsigned i = 0; i < n; i++)
        tasks[i] = (struct task){.label = work[i].job->label, .child = measure, .context = &work[i]};
    tasks_run(cli, "", tasks, n, runs_default_parallel());
    for (unsigned i = 0; i < n; i++) {
        const struct answer *a = (const struct answer *)(const void *)tasks[i].answer;
        const struct mp_result *r = &work[i].job->result;
        if (!tasks[i].answered)
            return cli_fail(CLI_FAILED, "bench --counts: %s", cli_stop ? "interrupted" : "valgrind died");
        if (tasks[i].exit_code)
            return cli_fail(CLI_FAILED, "%s", a->error.text);
        work[i].counts = a->counts;
        if (memcmp(a->counts.digest, r->digest, sizeof r->digest) != 0)
            return cli_fail(CLI_FAILED, "%s: another digest under valgrind; a run must repeat exactly",
                            work[i].job->label);
    }
    return CLI_DONE;
}

static int measure_in(const struct cli *cli, struct work *work, unsigned n)
{
    char folder[PATH_MAX - 32];
    struct mp_error err;
    if (folder_temporary(folder, sizeof folder, "bench", &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int code = CLI_DONE;
    for (unsigned i = 0; !code && i < n; i++) {
        snprintf(work[i].folder, sizeof work[i].folder, "%s/%u", folder, i);
        if (mkdir(work[i].folder, 0777))
            code = cli_fail(CLI_USAGE, "%s: %s", work[i].folder, strerror(errno));
    }
    if (!code)
        code = measure_all(cli, work, n);
    folder_remove(folder);
    return code;
}

static int store(const struct cli *cli, const struct work *work, unsigned n, const char *tool)
{
    struct mp_db *db;
    struct mp_error err;
    if (mp_db_open(&db, cli->db, MP_DB_WRITE, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int failed = 0;
    for (unsigned i = 0; !failed && i < n; i++) {
        const uint64_t *value = work[i].counts.value;
        const struct mp_db_host_count count = {.run = work[i].job->run_id,
                                               .instructions = value[COUNTS_INSTRUCTIONS],
                                               .l1_misses = value[COUNTS_L1_MISSES],
                                               .l2_misses = value[COUNTS_L2_MISSES],
                                               .caches = counts_caches,
                                               .tool = tool};
        failed = mp_db_host_count(db, &count, &err);
    }
    mp_db_close(db);
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}

/* Prints a line on stderr for every figure above its bound; returns their number. */
static unsigned check(const struct work *work, unsigned n, const char *path)
{
    unsigned above = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned f = 0; f < COUNTS_FIGURES; f++) {
            const struct work *w = &work[i];
            if (excess(w, f) <= counts_tolerance[f])
                continue;
            above++;
            cli_fail(CLI_FAILED,
                     "%s: %s of %s until %" PRIu64
                     ": %.2f a translation, %.1f %% above %.2f; at most %.0f %%, or "
                     "mempath bench --counts --cases %s --update",
                     path, counts_figure_names[f], bench_case_name(w->bound->of), w->bound->until,
                     figure(w, f), 100 * excess(w, f), w->bound->value[f], 100 * counts_tolerance[f],
                     bench_case_name(w->bound->of));
        }
    return above;
}

static void print(const struct work *work, unsigned n, const char *tool, const struct bench_options *o,
                  const char *status)
{
    static const char *const heads[] = {"case",   "until",        "run",       "translations",
                                        "events", "instructions", "L1 misses", "L2 misses",
                                        "bounds", "instr./event", "L1/event",  "L2/event"};
    struct out_table *t = out_table_new(sizeof heads / sizeof *heads, heads);
    unsigned below = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct work *w = &work[i];
        const struct mp_result *r = &w->job->result;
        out_cell(t, "%s", bench_case_name(w->bound->of));
        out_count(t, w->bound->until);
        out_cell(t, "%" PRId64, w->job->run_id);
        out_count(t, r->translations);
        out_count(t, r->events);
        out_cell(t, "%.1f", figure(w, COUNTS_INSTRUCTIONS));
        out_cell(t, "%.2f", figure(w, COUNTS_L1_MISSES));
        out_cell(t, "%.2f", figure(w, COUNTS_L2_MISSES));
        out_cell(t, "%.1f/%.2f/%.2f", w->bound->value[0], w->bound->value[1], w->bound->value[2]);
        for (unsigned f = 0; f < COUNTS_FIGURES; f++) {
            out_cell(t, "%.2f", (double)w->counts.value[f] / (double)r->events);
            below += excess(w, f) < -counts_tolerance[f];
        }
    }
    out_table_print(t, stdout);
    printf("Host work of the simulation loop per translation, and per event of the engine; "
           "caches simulated by %s: %s.\n"
           "Bounds of %s: %s.\n",
           tool, counts_caches, o->bounds, status);
    if (below && !o->update)
        puts("Some figures are lower than their bounds by more than the tolerance; "
             "--update lowers the bounds.");
}

static void json_figures(struct out_json *j, const char *name, const struct work *w, uint64_t by)
{
    json_object(j, name);
    json_real(j, "instructions", (double)w->counts.value[COUNTS_INSTRUCTIONS] / (double)by);
    json_real(j, "l1_misses", (double)w->counts.value[COUNTS_L1_MISSES] / (double)by);
    json_real(j, "l2_misses", (double)w->counts.value[COUNTS_L2_MISSES] / (double)by);
    json_end_object(j);
}

static void print_json(const struct work *work, unsigned n, const char *tool, const char *status)
{
    struct out_json j = {.f = stdout};
    char digest[40];
    json_object(&j, NULL);
    json_text(&j, "status", status);
    json_text(&j, "tool", tool);
    json_text(&j, "caches", counts_caches);
    json_array(&j, "counts");
    for (unsigned i = 0; i < n; i++) {
        const struct work *w = &work[i];
        const struct mp_result *r = &w->job->result;
        json_object(&j, NULL);
        json_text(&j, "case", bench_case_name(w->bound->of));
        json_text(&j, "experiment", bench_case_experiment(w->bound->of));
        json_count(&j, "until", w->bound->until);
        json_count(&j, "run", (uint64_t)w->job->run_id);
        snprintf(digest, sizeof digest, "%016" PRIx64 "%016" PRIx64, r->digest[1], r->digest[0]);
        json_text(&j, "digest", digest);
        json_count(&j, "translations", r->translations);
        json_count(&j, "events", r->events);
        json_count(&j, "instructions", w->counts.value[COUNTS_INSTRUCTIONS]);
        json_count(&j, "l1_misses", w->counts.value[COUNTS_L1_MISSES]);
        json_count(&j, "l2_misses", w->counts.value[COUNTS_L2_MISSES]);
        json_figures(&j, "per_translation", w, r->translations);
        json_figures(&j, "per_event", w, r->events);
        json_array(&j, "bounds");
        for (unsigned f = 0; f < COUNTS_FIGURES; f++) {
            json_object(&j, NULL);
            json_text(&j, "figure", counts_figure_names[f]);
            json_real(&j, "bound", w->bound->value[f]);
            json_text(&j, "verdict", verdict(w, f));
            json_end_object(&j);
        }
        json_end_array(&j);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

static int report(const struct cli *cli, const struct bench_options *o, struct counts_bounds *bounds,
                  struct work *work, unsigned n, const char *tool)
{
    struct mp_error err;
    int code = store(cli, work, n, tool);
    if (code)
        return code;
    unsigned above = o->update ? 0 : check(work, n, o->bounds);
    const char *status = o->update ? "updated" : above ? "exceeded" : "held";
    (cli->json ? print_json(work, n, tool, status) : print(work, n, tool, o, status));
    for (unsigned i = 0; o->update && i < n; i++)
        for (unsigned f = 0; f < COUNTS_FIGURES; f++)
            work[i].bound->value[f] = figure(&work[i], f);
    if (o->update && counts_bounds_write(o->bounds, bounds, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    return above ? CLI_FAILED : CLI_DONE;
}

/* Whether the bound's case is chosen and, if only short runs are wanted, no other of its case is shorter. */
static bool wanted(const struct bench_options *o, const struct counts_bounds *bounds,
                   const struct counts_bound *b)
{
    for (unsigned i = 0; o->brief && i < bounds->n; i++)
        if (bounds->bound[i].of == b->of && bounds->bound[i].until < b->until)
            return false;
    return o->chosen[b->of];
}

int bench_counts(const struct cli *cli, const struct bench_options *o)
{
    struct counts_bounds bounds;
    struct work work[COUNTS_MAX_BOUNDS];
    struct mp_error err;
    char tool[64];
    unsigned n = 0;
    int code = CLI_DONE;
    if (strcmp(MEMPATH_BUILD_TYPE, "Release") != 0)
        return cli_fail(CLI_USAGE, "bench --counts: this build is of type %s; the bounds are for Release",
                        MEMPATH_BUILD_TYPE);
    if (counts_bounds_read(o->bounds, &bounds, &err) || counts_tool(tool, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    struct run_job *jobs = cli_alloc(bounds.n, sizeof *jobs);
    for (unsigned i = 0; !code && i < bounds.n; i++) {
        struct counts_bound *b = &bounds.bound[i];
        if (!wanted(o, &bounds, b))
            continue;
        code = bench_case_load(&jobs[n], b->of, "medium");
        jobs[n].until = b->until;
        work[n] = (struct work){.job = &jobs[n], .bound = b};
        n++;
    }
    if (!code && !n)
        code = cli_fail(CLI_USAGE,
                        "%s: no bound for these cases; lines case,until,instructions,l1_misses,l2_misses",
                        o->bounds);
    if (!code)
        code = runs_execute(cli, jobs, n, runs_default_parallel(), false);
    for (unsigned i = 0; !code && i < n; i++)
        if (jobs[i].outcome != RUN_CUT || !jobs[i].result.translations)
            code = cli_fail(CLI_USAGE,
                            "%s: %s has no translation or ends before cycle %" PRIu64 "; another cycle",
                            o->bounds, jobs[i].label, jobs[i].until);
    if (!code)
        code = measure_in(cli, work, n);
    if (!code)
        code = report(cli, o, &bounds, work, n, tool);
    runs_free(jobs, bounds.n);
    return code;
}
