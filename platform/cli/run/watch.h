/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a simulation, which is a child process, while it runs: progress and X-rays. */
#ifndef MP_CLI_RUN_WATCH_H
#define MP_CLI_RUN_WATCH_H

#include "cli/run/runs.h"
#include "gpu/xray.h"

struct run_watch {
    const struct cli *cli;
    const struct run_job *job;
    int channel; /* to the parent */
    int64_t run_id;
    bool only;      /* the command has no other job, so that it can be repeated as it was typed */
    bool unwritten; /* the file of an X-ray could not be written */
    struct mp_db *db;
    int64_t beat; /* seconds; when this process last said in the database that it is alive */
};

/* As struct mp_run wants them; watch is its context. */
void run_watch_progress(void *watch, const struct mp_progress *progress);
void run_watch_xray(void *watch, const struct mp_xray_report *report, enum mp_xray_cause cause,
                    const char *why);

/* mp_run.watchdog for run_job.watchdog. */
uint64_t run_watch_cycles(uint64_t watchdog);

/* Sets the limits of --watchdog: "100000", "30s" or "off". -1 with a reason. */
int run_watch_limit(const char *arg, uint64_t *cycles, double *seconds, struct mp_error *err);

#endif
