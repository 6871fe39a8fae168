/* SPDX-License-Identifier: Apache-2.0 */
/* A launch's progress, on stderr: for people (a line that is rewritten) or machines (JSON lines). */
#ifndef MP_RECORDER_PROGRESS_H
#define MP_RECORDER_PROGRESS_H

#include "recorder.h"

struct progress_state {
    enum progress mode;
    double begun, shown; /* seconds */
    uint64_t lane_accesses_before;
    bool line;
};

double seconds_now(void); /* of a monotonic clock */

void progress_begin(struct progress_state *p, const struct record_counts *counts);
void progress_show(struct progress_state *p, const char *what, const char *kernel, uint64_t done,
                   uint64_t total, const struct record_counts *counts);
void progress_end(struct progress_state *p);

#endif
