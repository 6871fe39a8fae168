/* SPDX-License-Identifier: Apache-2.0 */
/* The child process of a run: it simulates, stores the result in the database, and answers. */
#include <stdio.h>
#include <string.h>

#include "cli/plugin/plugin.h"
#include "cli/run/checkpoint.h"
#include "cli/run/compared.h"
#include "cli/run/heap.h"
#include "cli/run/rtl.h"
#include "cli/run/watch.h"
#include "cli/run/work.h"
#include "cli/trace/cache.h"

static int end_run(struct mp_db *db, struct answer *a, const struct run_job *job, struct mp_error *err)
{
    bool ended = a->outcome == RUN_DONE || a->outcome == RUN_CUT || a->outcome == RUN_INTERRUPTED;
    return mp_result_record(db, &a->result, &job->config, job->threads, ended ? NULL : a->error.text, err);
}

static void show_difference(const struct work *w, const struct compared *c)
{
    const char *report = compared_report(c);
    if (report)
        snprintf(w->report, REPORT_BYTES, "%sagain: %s\n", report, w->cli->command_line);
}

static enum run_outcome ended_as(const struct mp_result *r)
{
    return r->interrupted ? RUN_INTERRUPTED : r->cut ? RUN_CUT : RUN_DONE;
}

static void run_platform(struct work *w, struct mp_db *db, struct answer *a)
{
    struct run_job *job = w->job;
    struct compared *compared = run_has_rtl(job) ? compared_new() : NULL;
    struct mp_error err;
    char checked[CACHE_FOLDER];
    struct run_watch watch = {
        .cli = w->cli, .job = job, .channel = w->channel, .run_id = a->run_id, .only = w->only, .db = db};
    struct mp_run run = {.config = &job->config,
                         .checked = cache_folder(checked, "checked", &err) ? NULL : checked,
                         .force_tlm = job->force_tlm,
                         .check = job->check,
                         .observe = *job->observed.path ? job->observed.path : job->observe,
                         .writer = job->observed.writer,
                         .observe_file = job->observe_file,
                         .window = job->window,
                         .until = job->until,
                         .threads = job->threads,
                         .balance = job->balance,
                         .rtl = job->rtl,
                         .plugin = plugin_contents(),
                         .db = db,
                         .run_id = a->run_id,
                         .progress = run_watch_progress,
                         .context = &watch,
                         .stop = &cli_stop,
                         .watchdog = run_watch_cycles(job->watchdog),
                         .watchdog_seconds = job->watchdog_seconds,
                         .xray = run_watch_xray,
                         .look = &cli_look};
    struct run_checkpoint checkpoint = {
        .job = job, .info = &w->described.info, .run = &run, .watch = &watch, .db = db, .run_id = &a->run_id};
    if (job->checkpoint) {
        run.checkpoint_at = job->checkpoint_at;
        run.checkpoint = run_checkpoint_take;
        run.checkpoint_context = &checkpoint;
    }
    memcpy(run.trace, job->trace, sizeof job->trace);
    run.rtl.over = compared_take;
    run.rtl.context = compared;
    bool waves_of_difference = run.rtl.waves.file && !run.rtl.waves.last;
    struct run_again *again = waves_of_difference ? run_again_prepare(&run) : NULL;
    if (mp_platform_run(&run, &a->result, &a->error) == 0 &&
        run_checkpoint_was_taken(&checkpoint, &a->result, &a->error))
        a->outcome = ended_as(&a->result);
    else if (a->result.different)
        a->outcome = RUN_DIFFERENT;
    else if (a->result.stuck)
        a->outcome = RUN_STUCK;
    if (again && a->outcome == RUN_DIFFERENT && !run_again_until(again, a->result.cycles)) {
        err = a->error;
        mp_fail(&a->error, "%s; its repetition for waves was interrupted", err.text);
    }
    run_again_free(again);
    a->unwritten = watch.unwritten;
    if (compared)
        show_difference(w, compared);
    bool kept = !end_run(db, a, job, &err) &&
                (!compared || !compared_store(compared, db, w->cli, a->run_id, a->result.seconds,
                                              a->outcome == RUN_INTERRUPTED, &err));
    if (!kept && a->outcome != RUN_FAILED) {
        a->outcome = RUN_FAILED;
        a->error = err;
    }
    compared_free(compared);
}

static void simulate(struct work *w, struct answer *a)
{
    struct mp_db *db;
    a->outcome = RUN_FAILED;
    if (mp_db_open(&db, w->cli->db, MP_DB_WRITE, &a->error))
        return;
    a->run_id = mp_db_run_begin(db, &w->described.info, &a->error);
    if (a->run_id > 0)
        run_platform(w, db, a);
    else if (!a->run_id)
        a->outcome = RUN_CLAIMED;
    mp_db_close(db);
}

int run_child(struct task *task, int channel)
{
    struct work *w = task->context;
    struct answer a = {.outcome = RUN_NOT_STARTED};
    w->channel = channel;
    if (w->job->from) { /* returns only if that fails: the process goes on in run_platform */
        a.outcome = RUN_FAILED;
        run_checkpoint_enter(w->cli, w->job, channel, &a.error);
    } else {
        if (!w->job->checkpoint_at) /* whose image has the heap as one mapping */
            heap_in_large_pages();
        simulate(w, &a);
    }
    task_answer(channel, &a, sizeof a);
    bool ended = a.outcome == RUN_DONE || a.outcome == RUN_CUT || a.outcome == RUN_CLAIMED;
    return ended ? CLI_DONE : CLI_FAILED;
}
