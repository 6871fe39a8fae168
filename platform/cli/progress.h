/* SPDX-License-Identifier: Apache-2.0 */
/* Progress on stderr: one line per job under way on a terminal, JSON lines for machines, nothing elsewhere.
 */
#ifndef MP_CLI_PROGRESS_H
#define MP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PROGRESS_LINES 64u /* jobs under way at once */

struct progress_line {
    const char *label; /* NULL: free */
    uint64_t done, total;
    double start;
};

struct progress {
    const struct cli *cli;
    const char *unit; /* of done and total: "accesses" */
    bool terminal;
    unsigned jobs, finished;
    double start, drawn_at;
    unsigned drawn; /* lines on the terminal now */
    struct progress_line line[PROGRESS_LINES];
};

void progress_begin(struct progress *p, const struct cli *cli, const char *unit, unsigned jobs);
unsigned progress_start(struct progress *p, const char *label); /* returns the line */
void progress_update(struct progress *p, unsigned line, uint64_t done, uint64_t total);
void progress_finish(struct progress *p, unsigned line);
void progress_draw(struct progress *p); /* at most ten times a second */
void progress_end(struct progress *p);  /* leaves the terminal as it was */

double progress_now(void); /* seconds on a clock that only goes forward */

#ifdef __cplusplus
}
#endif
#endif
