/* SPDX-License-Identifier: Apache-2.0 */
/* Work done in child processes, several at once: a simulation can run once per process, and a crash in one
 * must not take the others along. */
#ifndef MP_CLI_TASK_H
#define MP_CLI_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TASK_ANSWER_BYTES 3000u /* sure to pass in one message */

struct task {
    const char *label;
    /* Runs in the child and returns its exit code. channel takes task_progress() and one task_answer(). */
    int (*child)(struct task *task, int channel);
    void *context;
    /* Filled while it runs. */
    int pid, channel;
    unsigned line;
    /* Filled when it ended: started but not answered means that the child died. */
    bool started, answered;
    uint64_t peak_bytes; /* resident memory */
    int exit_code;       /* 128 + signal for one that was killed */
    uint64_t answer[TASK_ANSWER_BYTES / sizeof(uint64_t)];
};

void task_progress(int channel, uint64_t done, uint64_t total);
void task_answer(int channel, const void *answer, size_t bytes);

/* Runs all tasks, at most parallel at once, with progress. When cli_stop is set the children are asked to end
 * and no more are started. Returns the number of tasks that exited with 0. */
unsigned tasks_run(const struct cli *cli, const char *unit, struct task *tasks, unsigned count,
                   unsigned parallel);

#ifdef __cplusplus
}
#endif
#endif
