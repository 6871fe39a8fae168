/* SPDX-License-Identifier: Apache-2.0 */
/* Work in child processes, several at once: a process can run one simulation only, and a crash must not end
 * the others. */
#ifndef MP_CLI_TASK_H
#define MP_CLI_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TASK_ANSWER_BYTES 6000u /* fits into one message */

struct task {
    const char *label;
    /* Runs in the child and returns its exit code. It may call task_progress() and once task_answer() with
     * channel. */
    int (*child)(struct task *task, int channel);
    /* Runs in the parent when the task has ended, while no progress is on the terminal; may be NULL. */
    void (*ended)(struct task *task);
    void *context;
    double seconds; /* that it is expected to take, for the time left; 0: unknown */
    /* Set while the task runs. */
    int pid, channel;
    unsigned line;
    char *text; /* of task_print(), not complete yet */
    size_t text_bytes;
    /* Set when the task has ended: started but not answered means that the child died. */
    bool started, answered;
    uint64_t peak_bytes; /* resident memory */
    int process;         /* id of the child */
    int exit_code;       /* 128 + signal if the child was killed */
    uint64_t answer[TASK_ANSWER_BYTES / sizeof(uint64_t)];
};

struct progress_state;

void task_progress(int channel, uint64_t done, uint64_t total);
void task_state(int channel, const struct progress_state *state);
/* The parent prints the text on stderr, with no progress on the terminal. */
void task_print(int channel, const char *text);
void task_answer(int channel, const void *answer, size_t bytes);

/* Runs all tasks, at most `parallel` at once, with progress. When cli_stop is set, children are asked to end
 * and no more are started; when cli_look has changed, they get SIGUSR1, too. Returns the number of tasks that
 * exited with 0. */
unsigned tasks_run(const struct cli *cli, const char *unit, struct task *tasks, unsigned count,
                   unsigned parallel);

#ifdef __cplusplus
}
#endif
#endif
