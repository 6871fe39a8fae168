/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several jobs share an instance by turns: when the slice of one is over, it is preempted and the next one
 * goes on. Faults, requests for memory and other launches are served meanwhile.
 */
#ifndef FW_SLICER_H
#define FW_SLICER_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "runner.h"

#ifdef __cplusplus
extern "C" {
#endif

struct slicer_job {
    unsigned asid, workload;    /* the caller's; everything else is zero before */
    unsigned slices;            /* that it has had */
    unsigned preempted;         /* how often */
    uint64_t stopping, longest; /* ticks from a request until the job had stopped or ended: sum and maximum */
    uint64_t ended_at;          /* ticks since slicer_run */
    bool ended;
    enum fw_error end; /* when it has ended */
    struct runner_launch launch;
};

/* Runs all jobs on the instance, where nothing else may be launched meanwhile, in slices of that many ticks
 * (clint.h) in turn, until each has ended; the last one that is left is not preempted. A slice ends late:
 * work-groups on SMs run to their ends. Returns the error of the first job in the list that failed, FW_EINVAL
 * for slices of no time, and FW_EUNSUPPORTED if launches cannot be saved.
 */
enum fw_error slicer_run(unsigned instance, struct slicer_job *job, unsigned jobs, uint64_t ticks);

#ifdef __cplusplus
}
#endif
#endif
