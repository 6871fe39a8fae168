/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations for the commands: a list of configurations, each run in a separate process, each a row of the
 * database. */
#ifndef MP_CLI_RUNS_H
#define MP_CLI_RUNS_H

#include "cli/cli.h"
#include "cli/run/rtl.h"
#include "config/config.h"
#include "db/db.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* No memory path of ours keeps all warps of a tenant waiting for a hundredth of this. */
#define RUNS_WATCHDOG    1000000u
#define RUNS_NO_WATCHDOG UINT64_MAX

enum run_outcome {
    RUN_NOT_STARTED, /* interrupted before it started */
    RUN_DONE,
    RUN_CUT,   /* ended at the cycle `until` */
    RUN_FOUND, /* the database had it; result was read from there */
    RUN_FAILED,
    RUN_INTERRUPTED,
    RUN_DIED,
    RUN_DIFFERENT, /* RTL and model differ; the run ended there */
    RUN_STUCK,     /* nothing moved any more; the run ended there */
    RUN_CLAIMED    /* another process is at it; only while runs_execute waits for that */
};

struct run_job {
    char label[64];
    enum mp_db_role role; /* MP_DB_REQUESTED or MP_DB_ALONE */
    struct mp_db_at at;   /* the study's point whose run it is */
    struct mp_config config;
    bool force_tlm, check;
    const char *observe, *observe_file; /* NULL, or as in struct mp_run */
    struct run_observed observed;       /* instead of `observe`, unless its path is empty */
    struct mp_window window;
    uint64_t until; /* this, threads and balance: as in struct mp_run */
    unsigned threads;
    bool balance;
    uint64_t watchdog; /* cycles without progress that end the run; 0: RUNS_WATCHDOG; or RUNS_NO_WATCHDOG */
    double watchdog_seconds; /* as in struct mp_run */
    const char
        *xray; /* file for an X-ray when the run is stuck, at `until`, and when asked; NULL: stderr only */
    uint64_t checkpoint_at; /* 0, or the cycle of a checkpoint... */
    const char *checkpoint; /* ...and its file */
    const char *from;       /* NULL, or the checkpoint from which the run goes on */
    struct mp_rtl rtl;      /* `over` and `context` are set by runs_execute */
    /* Filled by runs_execute. */
    char *trace[MP_TENANTS];
    enum run_outcome outcome;
    bool unwritten; /* an X-ray could not be written */
    int64_t run_id;
    struct mp_result result;
    uint64_t peak_bytes; /* resident memory of the simulation */
    struct mp_error error;
    char *report; /* NULL unless RUN_DIFFERENT: stimulus, responses and states, then the command again */
};

struct run_texts { /* to free */
    char *config, *machine;
    struct mp_setting *setting;
};
/* Sets what a run's row says of its configuration. */
void runs_describe(const struct mp_config *config, struct mp_db_run_info *info, struct run_texts *texts);

/* Runs the jobs, at most `parallel` at once; missing traces are recorded first. With reuse, a job that the
 * database has for this configuration, these inputs and this revision is not run again, one that another
 * process is at is waited for, and the others start in the order of the times that they are expected to take,
 * the longest first. Returns a cli_exit: CLI_DONE
 * if every job is RUN_DONE, RUN_CUT or RUN_FOUND; otherwise the reasons were printed, a line
 * each.
 */
int runs_execute(const struct cli *cli, struct run_job *jobs, unsigned count, unsigned parallel, bool reuse);

/* The same with reuse, and calls ended() for each job when it has ended or was found. */
int runs_execute_each(const struct cli *cli, struct run_job *jobs, unsigned count, unsigned parallel,
                      void (*ended)(void *context, const struct run_job *job), void *context);

/* Runs nothing: marks the jobs that the database has as RUN_FOUND, with their results, and sets seconds[i] to
 * the time that job i is expected to take, 0 if it is unknown. Missing traces are recorded first, `parallel`
 * at once; with 0 they are not, and jobs that need them have none. */
int runs_plan(const struct cli *cli, struct run_job *jobs, unsigned count, unsigned parallel,
              double *seconds);

/* Reads the results of a run's tenants from the database; returns their number, or -1. */
int runs_read(struct mp_db *db, int64_t run, const struct mp_config *config, struct mp_result *result,
              struct mp_error *err);

/* The answer to a SELECT or named query about a run; run 0: the latest finished one. malloc'ed, or NULL with
 * err. */
char *runs_ask(struct mp_db *db, const char *sql, int64_t run, enum mp_db_format format,
               struct mp_error *err);

/* Reads the number and configuration of a run; wanted 0: the latest finished one. The caller frees config. */
int runs_config(struct mp_db *db, int64_t wanted, int64_t *run, struct mp_config *config,
                struct mp_error *err);

/* Sets job to the run of tenant t of config alone: same machine, same instance, no other tenants. */
int runs_alone(struct run_job *job, const struct mp_config *config, unsigned t);

/* Whether the two tenants' alone runs are the same run. */
bool runs_same_tenant(const struct mp_tenant_config *a, const struct mp_tenant_config *b);

/* "ATAX", "ATAX small", or a trace's file name. */
const char *runs_tenant_name(const struct mp_tenant_config *tenant, char *buffer, size_t size);

/* A tenant of a run is compared with an alone run; settings: as in struct mp_db_reference. */
struct run_reference {
    const struct run_job *job, *alone;
    unsigned tenant;
    const char *settings;
};
/* Stores those whose runs are both done. Returns a cli_exit; a line was printed. */
int runs_refer(const struct cli *cli, const struct run_reference *reference, unsigned n);

void runs_free(struct run_job *jobs, unsigned count);

unsigned runs_default_parallel(void); /* the number of processors */

#ifdef __cplusplus
}
#endif
#endif
