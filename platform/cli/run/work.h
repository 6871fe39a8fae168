/* SPDX-License-Identifier: Apache-2.0 */
/* A job of runs.h on its way: the parent prepares it and takes its answer (runs.c), and a child process runs
 * it (child.c). */
#ifndef MP_CLI_RUN_WORK_H
#define MP_CLI_RUN_WORK_H

#include <assert.h>

#include "cli/run/runs.h"
#include "cli/task.h"

/* The child's answer to the parent at its end. */
struct answer {
    int64_t run_id;
    enum run_outcome outcome;
    bool unwritten;
    struct mp_result result;
    struct mp_error error;
};
static_assert(sizeof(struct answer) <= TASK_ANSWER_BYTES, "an answer is one message");

/* The description of a run, which the database stores before the run starts. */
struct described {
    struct mp_db_run_info info;
    struct mp_db_tenant tenant[MP_TENANTS];
    struct run_texts texts;
};

struct work {
    const struct cli *cli;
    struct run_job *job;
    struct described described;
    double seconds; /* that such a run took; 0: unknown */
    struct task *task;
    bool only;                                               /* the only job */
    bool taken;                                              /* the task's answer */
    void (*ended)(void *context, const struct run_job *job); /* or NULL */
    void *context;
    int channel;
    char *report; /* from the child, REPORT_BYTES in shared memory; NULL if nothing can differ */
};

/* A child's report of a difference is too long for an answer. */
#define REPORT_BYTES 65536u

static inline bool run_has_rtl(const struct run_job *job)
{
    return job->rtl.parts;
}

/* What a task does whose context is a struct work. */
int run_child(struct task *task, int channel);

#endif
