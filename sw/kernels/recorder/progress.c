/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <time.h>

#define INTERVAL 0.25 /* seconds between two reports */

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(struct progress_state *p, const struct record_counts *counts)
{
    if (p->mode == PROGRESS_NONE)
        return;
    p->begun = p->shown = seconds_now();
    p->lane_accesses_before = counts->lane_accesses;
}

void progress_show(struct progress_state *p, const char *what, const char *kernel, uint64_t done,
                   uint64_t total, const struct record_counts *counts)
{
    if (p->mode == PROGRESS_NONE)
        return;
    const double t = seconds_now(), seconds = t - p->begun;
    if (t - p->shown < INTERVAL)
        return;
    p->shown = t;
    const double rate = (double)(counts->lane_accesses - p->lane_accesses_before) / seconds;
    const double left = seconds * (double)(total - done) / (double)done;
    if (p->mode == PROGRESS_JSON) {
        fprintf(stderr,
                "{\"what\":\"%s\",\"launch\":%llu,\"kernel\":\"%s\",\"unit\":\"work-groups\",\"done\":%llu,"
                "\"total\":%llu,\"lane_accesses_per_s\":%.0f,\"seconds_left\":%.1f}\n",
                what, (unsigned long long)counts->launches, kernel, (unsigned long long)done,
                (unsigned long long)total, rate, left);
        return;
    }
    fprintf(stderr, "\r\033[K%s: launch %llu, %s: %llu/%llu work-groups, %.0f M lane accesses/s, %.0f s left",
            what, (unsigned long long)counts->launches, kernel, (unsigned long long)done,
            (unsigned long long)total, rate / 1e6, left);
    fflush(stderr);
    p->line = true;
}

void progress_end(struct progress_state *p)
{
    if (p->line)
        fputs("\r\033[K", stderr);
    p->line = false;
}
