/* SPDX-License-Identifier: Apache-2.0 */
/* Progress on stderr: one line per running job on a terminal, two if it is wanted in detail; JSON lines for
 * machines; otherwise nothing, or in detail a line per job and second. */
#ifndef MP_CLI_PROGRESS_H
#define MP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PROGRESS_LINES 64u /* jobs that run at the same time */

#define PROGRESS_PARTS 8u /* of a job: the tenants of a run */

struct progress_count {
    uint64_t done, total;
};

struct progress_state {
    struct progress_count all;
    uint64_t cycles; /* simulated; 0: the job does not simulate */
    unsigned parts;
    struct progress_count part[PROGRESS_PARTS];
};

struct progress_line {
    const char *label; /* NULL: free */
    struct progress_state state;
    double start, weight;
    double printed; /* as a line, without a terminal */
};

struct progress {
    const struct cli *cli;
    const char *unit; /* of `done` and `total`: "accesses" */
    bool terminal;
    unsigned jobs, finished;
    double weight, finished_weight; /* of all jobs; of the finished ones */
    double start, drawn_at;
    unsigned drawn; /* lines that are on the terminal now */
    struct progress_line line[PROGRESS_LINES];
};

/* seconds: that all jobs are expected to take together; 0: unknown, jobs count as equally long. */
void progress_begin(struct progress *p, const struct cli *cli, const char *unit, unsigned jobs,
                    double seconds);
/* Returns the job's line. seconds: that it is expected to take. */
unsigned progress_start(struct progress *p, const char *label, double seconds);
void progress_update(struct progress *p, unsigned line, uint64_t done, uint64_t total);
void progress_set(struct progress *p, unsigned line, const struct progress_state *state);
void progress_finish(struct progress *p, unsigned line);
void progress_draw(struct progress *p); /* draws at most ten times a second */
void progress_end(struct progress *p);  /* removes the lines from the terminal */

double progress_now(void); /* seconds on a monotonic clock */

#ifdef __cplusplus
}
#endif
#endif
