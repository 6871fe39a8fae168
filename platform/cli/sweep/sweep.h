/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a sweep as jobs, and their table. */
#ifndef MP_CLI_SWEEP_SWEEP_H
#define MP_CLI_SWEEP_SWEEP_H

#include "cli/run/runs.h"
#include "cli/sweep/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct study_alone;

/* The selected runs of a sweep. */
struct sweep_jobs {
    const struct cli *cli;
    const struct sweep *sweep;
    const char *file; /* as the user named it */
    unsigned n;
    struct run_job *job;
    unsigned *number; /* of each job's run, from 1 on */
    unsigned parallel;
    const struct study_alone *alone; /* NULL: nothing is compared */
    unsigned shown;                  /* rows of the table */
    unsigned *width;                 /* of its columns */
};

/* Loads the configurations of the selected runs (all: NULL). Returns a cli_exit. */
int sweep_jobs_load(struct sweep_jobs *j, const bool *selected);
void sweep_jobs_free(struct sweep_jobs *j);

/* ---- the table, which grows when a run has ended (table.c) ---- */
void sweep_table_row(void *jobs, const struct run_job *job); /* prints the heads first; nothing with --json */
void sweep_table_end(struct sweep_jobs *j);
void sweep_print_json(struct sweep_jobs *j);
/* Writes the value of each dimension as a member of the open object. */
void sweep_json_values(struct out_json *json, const struct sweep_jobs *j, unsigned job);

/* Prints the number of runs and how long they will take. */
int sweep_dry_run(struct sweep_jobs *j);

/* Submits what is missing to Slurm, and collects what has ended. wait: until all has ended. at_once: the most
 * tasks at a time, or 0. */
int sweep_slurm(struct sweep_jobs *j, unsigned at_once, bool wait);

#ifdef __cplusplus
}
#endif
#endif
