/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkpoints of `mempath run` (checkpoint_file.h): at a cycle.
 */
#ifndef MP_CLI_RUN_CHECKPOINT_H
#define MP_CLI_RUN_CHECKPOINT_H

#include "cli/run/checkpoint_file.h"
#include "cli/run/runs.h"
#include "cli/run/watch.h"

/* Checks that the checkpoint `file` can go on as this job. Returns -1 with the reason if the program, the
 * configuration, the links, ... differ. */
int checkpoint_fits(const char *file, const struct run_job *job, struct mp_error *err);

/* The context of run_checkpoint_take(). */
struct run_checkpoint {
    struct run_job *job;
    struct mp_db_run_info *info; /* of the run's row */
    struct mp_run *run;
    struct run_watch *watch;
    struct mp_db *db;
    int64_t *run_id;
    bool taken;
};

/* As mp_run.checkpoint wants it; the context is a struct run_checkpoint. */
int run_checkpoint_take(void *context, struct mp_error *err);
/* False, with the reason, if the run ended before the cycle of its checkpoint. */
bool run_checkpoint_was_taken(const struct run_checkpoint *c, const struct mp_result *result,
                              struct mp_error *err);
/* Goes on from job->from in this process, a child that reports to its parent by the channel. Returns
 * only if that fails, with the reason. */
void run_checkpoint_enter(const struct cli *cli, const struct run_job *job, int channel,
                          struct mp_error *err);

#endif
