/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/runs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/hash.h"
#include "cli/plugin/plugin.h"
#include "cli/revision.h"
#include "cli/run/order.h"
#include "cli/run/work.h"
#include "cli/trace/cache.h"

void runs_describe(const struct mp_config *config, struct mp_db_run_info *info, struct run_texts *texts)
{
    texts->config = cli_have(mp_config_text(config));
    texts->machine = cli_have(mp_config_machine_text(config));
    texts->setting = cli_have(mp_config_settings(config, &info->nsettings));
    info->config_text = texts->config;
    info->machine_text = texts->machine;
    info->setting = texts->setting;
    info->changes = config->changes;
    info->plugin = plugin_list(&info->nplugins);
}

/* Traces that were hashed: the jobs of a sweep share them. */
struct hashes {
    struct mp_db_file *file;
    unsigned n;
};

static int hash_once(struct hashes *h, const char *path, struct mp_db_file *file, struct mp_error *err)
{
    for (unsigned i = 0; i < h->n; i++) {
        if (!strcmp(h->file[i].path, path)) {
            *file = h->file[i];
            return 0;
        }
    }
    if (hash_file(path, "a trace written by mempath record or import", file, err))
        return -1;
    h->file = cli_have(realloc(h->file, (h->n + 1) * sizeof *h->file));
    h->file[h->n++] = *file;
    return 0;
}

static int describe(const struct cli *cli, const struct run_job *job, struct hashes *hashes,
                    struct described *d, struct mp_error *err)
{
    const struct mp_config *c = &job->config;
    for (unsigned t = 0; t < c->ntenants; t++) {
        d->tenant[t] = (struct mp_db_tenant){.app = c->tenant[t].app,
                                             .size = c->tenant[t].app ? c->tenant[t].size : NULL,
                                             .slices = c->tenant[t].slices,
                                             .trace_path = job->trace[t]};
        struct mp_db_file file;
        if (!job->trace[t]) /* of a plan: not recorded yet */
            continue;
        if (hash_once(hashes, job->trace[t], &file, err))
            return -1;
        memcpy(d->tenant[t].trace_hash, file.hash, sizeof file.hash);
        d->tenant[t].trace_bytes = file.bytes;
    }
    d->info = (struct mp_db_run_info){.role = job->role,
                                      .at = job->at,
                                      .experiment = c->name,
                                      .command_line = cli->command_line,
                                      .revision = MEMPATH_REVISION,
                                      .build_type = MEMPATH_BUILD_TYPE,
                                      .compiler = MEMPATH_COMPILER,
                                      .seed = c->seed,
                                      .ntenants = c->ntenants,
                                      .tenant = d->tenant};
    runs_describe(c, &d->info, &d->texts);
    return 0;
}

/* Reads a finished run with the same key from the database; otherwise how long such a run took. */
static void find(struct mp_db *db, struct work *w)
{
    struct mp_result found;
    struct mp_error err;
    unsigned n = w->job->config.ntenants, recorded = 0;
    while (recorded < n && w->job->trace[recorded])
        recorded++;
    int64_t id = recorded == n ? mp_db_run_find(db, &w->described.info, &err) : 0;
    if (id > 0 && runs_read(db, id, &w->job->config, &found, &err) == (int)n) {
        w->job->outcome = RUN_FOUND;
        w->job->run_id = id;
        w->job->result = found;
    } else {
        w->seconds = mp_db_run_seconds(db, &w->described.info);
    }
}

/* Describes the jobs whose traces are known, and with reuse finds those that the database has. */
static int prepare(const struct cli *cli, struct work *work, unsigned count, bool reuse)
{
    struct hashes hashes = {0};
    struct mp_error err;
    struct mp_db *db = NULL;
    int code = CLI_DONE;
    if (reuse && access(cli->db, F_OK) == 0 && mp_db_open(&db, cli->db, MP_DB_READ, &err))
        code = cli_fail(CLI_USAGE, "%s", err.text);
    for (unsigned i = 0; !code && i < count; i++) {
        if (describe(cli, work[i].job, &hashes, &work[i].described, &err))
            code = cli_fail(CLI_USAGE, "%s", err.text);
        else if (db)
            find(db, &work[i]);
    }
    mp_db_close(db);
    free(hashes.file);
    return code;
}

static void forget(struct work *work, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(work[i].described.texts.config);
        free(work[i].described.texts.machine);
        free(work[i].described.texts.setting);
        if (work[i].report)
            munmap(work[i].report, REPORT_BYTES);
    }
    free(work);
}

/* A design of the user's is the first suspect. */
static void describe_death(const struct task *t, struct mp_error *error)
{
    unsigned n;
    const struct mp_db_plugin *plugin = plugin_list(&n);
    char plugins[128] = "";
    size_t length = 0;
    for (unsigned i = 0; i < n && length < sizeof plugins; i++)
        length += (size_t)snprintf(plugins + length, sizeof plugins - length, "%s %s", i ? "," : "; plugin",
                                   plugin[i].name);
    mp_fail(error, "the simulation died: %s%s",
            t->exit_code > 128 ? strsignal(t->exit_code - 128) : "it returned no result", plugins);
}

/* The row of a child that was killed from outside is left to the next command, as that of a killed parent. */
static void record_crash(const struct cli *cli, const struct task *t, const struct mp_error *error)
{
    static const int from_outside[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP};
    struct mp_error err;
    struct mp_db *db;
    for (unsigned i = 0; i < sizeof from_outside / sizeof *from_outside; i++)
        if (t->exit_code == 128 + from_outside[i])
            return;
    if (mp_db_open(&db, cli->db, MP_DB_WRITE, &err)) {
        cli_fail(CLI_FAILED, "%s", err.text);
        return;
    }
    if (mp_db_run_crashed(db, t->process, error->text, &err))
        cli_fail(CLI_FAILED, "%s", err.text);
    mp_db_close(db);
}

static void take_answer(struct work *w)
{
    struct run_job *job = w->job;
    const struct task *t = w->task;
    if (w->taken)
        return;
    w->taken = true;
    job->peak_bytes = t ? t->peak_bytes : 0;
    if (!t || !t->started) {
        job->outcome = RUN_NOT_STARTED;
    } else if (!t->answered) {
        job->outcome = RUN_DIED;
        describe_death(t, &job->error);
        record_crash(w->cli, t, &job->error);
    } else {
        const struct answer *a = (const struct answer *)(const void *)t->answer;
        job->outcome = a->outcome;
        job->unwritten = a->unwritten;
        job->run_id = a->run_id;
        job->result = a->result;
        job->error = a->error;
        job->report = w->report && *w->report ? cli_have(strdup(w->report)) : NULL;
    }
}

static void ended(struct task *task)
{
    struct work *w = task->context;
    take_answer(w);
    if (w->job->outcome != RUN_CLAIMED)
        w->ended(w->context, w->job);
}

/* Shared memory for a child's report. */
static char *report_space(void)
{
    void *space = mmap(NULL, REPORT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return cli_have(space == MAP_FAILED ? NULL : space);
}

/* Makes the tasks of the jobs that are to be run, in the order in which they start. Returns their number. */
static unsigned make_tasks(struct work *work, unsigned count, bool longest_first, struct task *tasks)
{
    struct order_job *order_jobs = cli_alloc(count, sizeof *order_jobs);
    unsigned *pending = cli_alloc(count, sizeof *pending), *order = cli_alloc(count, sizeof *order), n = 0;
    for (unsigned i = 0; i < count; i++) {
        if (work[i].job->outcome != RUN_NOT_STARTED)
            continue;
        for (unsigned t = 0; longest_first && t < work[i].described.info.ntenants; t++)
            order_jobs[n].bytes += work[i].described.tenant[t].trace_bytes;
        order_jobs[n].seconds = work[i].seconds;
        pending[n++] = i;
    }
    order_longest_first(order_jobs, n, order);
    unsigned known = 0;
    while (known < n && order_jobs[known].seconds > 0)
        known++;
    for (unsigned i = 0; i < n; i++) {
        struct work *w = &work[pending[order[i]]];
        w->report = run_has_rtl(w->job) && !w->report ? report_space() : w->report;
        w->taken = false;
        w->task = &tasks[i];
        tasks[i] = (struct task){.label = w->job->label,
                                 .child = run_child,
                                 .ended = w->ended ? ended : NULL,
                                 .context = w,
                                 .seconds = known == n ? w->seconds : 0};
    }
    free(order_jobs);
    free(pending);
    free(order);
    return n;
}

static int verdict(const struct run_job *jobs, unsigned count)
{
    int code = CLI_DONE;
    unsigned undone = 0, interrupted = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct run_job *job = &jobs[i];
        undone += job->outcome == RUN_NOT_STARTED;
        interrupted += job->outcome == RUN_INTERRUPTED;
        if (job->outcome == RUN_FAILED) /* the run was refused because of its input */
            code = cli_fail(CLI_USAGE, "%s: %s", job->label, job->error.text);
        else if (job->outcome == RUN_DIED || job->outcome == RUN_DIFFERENT || job->outcome == RUN_STUCK)
            code = code ? code : cli_fail(CLI_FAILED, "%s: %s", job->label, job->error.text);
        code = !code && job->unwritten ? CLI_FAILED : code; /* a line was printed */
    }
    if (interrupted || undone)
        code = cli_fail(code ? (enum cli_exit)code : CLI_FAILED,
                        "stopped: %u run%s interrupted and marked so, %u not begun", interrupted,
                        interrupted == 1 ? "" : "s", undone);
    return code;
}

/* Opens the database for writing, so that a bad one is refused before anything is recorded or simulated. */
static int check_database(const struct cli *cli, int64_t *next_run)
{
    struct mp_db *db;
    struct mp_error err;
    if (mp_db_open(&db, cli->db, MP_DB_WRITE, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    *next_run = mp_db_next_run(db, &err);
    mp_db_close(db);
    return *next_run > 0 ? CLI_DONE : cli_fail(CLI_USAGE, "%s", err.text);
}

/* Runs are numbered as the command names them, not as their processes begin. */
static void number_runs(struct work *work, unsigned count, int64_t next)
{
    for (unsigned i = 0; i < count; i++)
        if (work[i].job->outcome != RUN_FOUND)
            work[i].described.info.number = next++;
}

/* Says in the database what the runs that were found are for, too. */
static int record_found(const struct cli *cli, const struct work *work, unsigned count)
{
    struct mp_db_found *found = cli_alloc(count, sizeof *found);
    struct mp_db *db = NULL;
    struct mp_error err;
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct run_job *job = work[i].job;
        if (job->outcome == RUN_FOUND)
            found[n++] = (struct mp_db_found){job->run_id, job->role, job->at};
    }
    int failed = n && (mp_db_open(&db, cli->db, MP_DB_WRITE, &err) || mp_db_found(db, found, n, &err));
    mp_db_close(db);
    free(found);
    return failed ? cli_fail(CLI_USAGE, "%s", err.text) : CLI_DONE;
}

/* parallel 0: only traces that are recorded already. */
static int find_traces(const struct cli *cli, struct run_job *jobs, unsigned count, unsigned parallel)
{
    const struct mp_config **config = cli_alloc(count, sizeof(struct mp_config *));
    char **trace = cli_alloc((size_t)count * MP_TENANTS, sizeof(char *));
    for (unsigned i = 0; i < count; i++)
        config[i] = &jobs[i].config;
    int code =
        parallel ? cache_traces(cli, count, config, parallel, trace) : cache_find(cli, count, config, trace);
    for (unsigned i = 0; !code && i < count; i++)
        memcpy(jobs[i].trace, trace + (size_t)i * MP_TENANTS, sizeof jobs[i].trace);
    free(config);
    free(trace);
    return code;
}

/* ---- runs that another process is at ---- */

#define LOOK_AGAIN 500000u /* microseconds */

static unsigned claimed(const struct work *work, unsigned count)
{
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++)
        n += work[i].job->outcome == RUN_CLAIMED;
    return n;
}

/* Finds what the others have done by now. A run whose process is dead is ours. */
static int look_at_claimed(const struct cli *cli, struct work *work, unsigned count)
{
    struct mp_db *db;
    struct mp_error err;
    if (mp_db_open(&db, cli->db, MP_DB_WRITE, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    for (unsigned i = 0; i < count; i++) {
        struct work *w = &work[i];
        if (w->job->outcome != RUN_CLAIMED)
            continue;
        find(db, w);
        if (w->job->outcome == RUN_FOUND && w->ended)
            w->ended(w->context, w->job);
        else if (w->job->outcome == RUN_CLAIMED && mp_db_run_claimed(db, &w->described.info, &err) <= 0)
            w->job->outcome = RUN_NOT_STARTED;
    }
    mp_db_close(db);
    return CLI_DONE;
}

static void execute_once(const struct cli *cli, struct work *work, unsigned count, unsigned parallel,
                         bool reuse)
{
    struct task *tasks = cli_alloc(count, sizeof *tasks);
    const unsigned n = make_tasks(work, count, reuse, tasks);
    if (n)
        tasks_run(cli, work[0].job->until ? "cycles" : "accesses", tasks, n, parallel);
    for (unsigned i = 0; i < count; i++) {
        if (work[i].task)
            take_answer(&work[i]);
        work[i].task = NULL;
    }
    free(tasks);
}

/* Runs the jobs that are left, and waits for those that another process is at, until no job is left. */
static int execute_all(const struct cli *cli, struct work *work, unsigned count, unsigned parallel,
                       bool reuse)
{
    int code = CLI_DONE;
    execute_once(cli, work, count, parallel, reuse);
    const unsigned others = claimed(work, count);
    if (others && cli->progress != CLI_PROGRESS_NONE)
        fprintf(stderr, "mempath: %u of the runs: another process is at %s; waiting\n", others,
                others == 1 ? "it" : "them");
    while (!code && !cli_stop && claimed(work, count)) {
        usleep(LOOK_AGAIN);
        code = look_at_claimed(cli, work, count);
        if (!code)
            execute_once(cli, work, count, parallel, reuse);
    }
    for (unsigned i = 0; i < count; i++)
        if (work[i].job->outcome == RUN_CLAIMED)
            work[i].job->outcome = RUN_NOT_STARTED;
    return code;
}

static int execute(const struct cli *cli, struct run_job *jobs, unsigned count, unsigned parallel, bool reuse,
                   void (*on_end)(void *context, const struct run_job *job), void *context)
{
    cli_catch_signals();
    int64_t next_run = 0;
    int code = check_database(cli, &next_run);
    if (!code)
        code = find_traces(cli, jobs, count, parallel);
    struct work *work = cli_alloc(count, sizeof *work);
    for (unsigned i = 0; i < count; i++)
        work[i] = (struct work){
            .cli = cli, .job = &jobs[i], .only = count == 1, .ended = on_end, .context = context};
    if (!code)
        code = prepare(cli, work, count, reuse);
    for (unsigned i = 0; !code && on_end && i < count; i++)
        if (jobs[i].outcome == RUN_FOUND)
            on_end(context, &jobs[i]);
    for (unsigned i = 0; !code && i < count; i++)
        work[i].described.info.claims = reuse;
    number_runs(work, count, next_run);
    if (!code)
        code = execute_all(cli, work, count, parallel, reuse);
    if (!code)
        code = record_found(cli, work, count);
    forget(work, count);
    return code ? code : verdict(jobs, count);
}

int runs_execute(const struct cli *cli, struct run_job *jobs, unsigned count, unsigned parallel, bool reuse)
{
    return execute(cli, jobs, count, parallel, reuse, NULL, NULL);
}

int runs_execute_each(const struct cli *cli, struct run_job *jobs, unsigned count, unsigned parallel,
                      void (*ended)(void *context, const struct run_job *job), void *context)
{
    return execute(cli, jobs, count, parallel, true, ended, context);
}

int runs_plan(const struct cli *cli, struct run_job *jobs, unsigned count, unsigned parallel, double *seconds)
{
    struct work *work = cli_alloc(count, sizeof *work);
    int code = find_traces(cli, jobs, count, parallel);
    for (unsigned i = 0; i < count; i++)
        work[i] = (struct work){.cli = cli, .job = &jobs[i]};
    if (!code)
        code = prepare(cli, work, count, true);
    for (unsigned i = 0; i < count; i++)
        seconds[i] = work[i].seconds;
    forget(work, count);
    return code;
}

void runs_free(struct run_job *jobs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned t = 0; t < MP_TENANTS; t++)
            free(jobs[i].trace[t]);
        free(jobs[i].report);
        mp_config_free(&jobs[i].config);
    }
    free(jobs);
}

unsigned runs_default_parallel(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}
