/* SPDX-License-Identifier: Apache-2.0 */
/* Launches workloads and serves them while they run. */
#ifndef FW_RUNNER_H
#define FW_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "clint.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* No launch is queued or runs. */
void runner_init(void);

/* Queues a workload on an instance in an address space. Scans the address space for contiguous pages before,
 * if pages were mapped since the last scan. */
enum fw_error runner_start(unsigned instance, unsigned asid, unsigned workload);

/* A launch that its owner follows, and may preempt (gpu_preempt) and resume. It stays while it is queued
 * or runs. */
struct runner_launch {
    bool under_way;    /* queued or running */
    enum fw_error end; /* when it is neither; FW_EPREEMPTED: it may go on */
    uint32_t tag;
    unsigned instance;
    struct runner_launch *next;
};

/* As runner_start; runner_wait neither waits for it nor returns its error. */
enum fw_error runner_follow(struct runner_launch *l, unsigned instance, unsigned asid, unsigned workload);
enum fw_error runner_resume(struct runner_launch *l);

/* Whether runner_serve has something to serve. Call it within cpu_lock before sleeping. */
bool runner_rang(void);

/* Whether any launch is queued or running. While one is, who sleeps without these functions calls runner_look
 * every RUNNER_PERIOD ticks: it finds what a lost interrupt has not reported, and launches that hang. */
#define RUNNER_PERIOD (10 * CLINT_TICKS_PER_MS)
bool runner_busy(void);
void runner_look(void);

/* Serves pending faults and completions without sleeping. Returns the number of launches of runner_start
 * that are queued or running. */
unsigned runner_serve(void);

/* Sleeps until a fault or a completion comes, and serves it. Returns as runner_serve. */
unsigned runner_serve_next(void);

/* The same, but it also returns when the timer, which is set, rings, and from time to time. */
unsigned runner_serve_until(const struct clint_timer *t);

/* Serves faults until all launches of runner_start have ended. Returns FW_OK, or the error of the first
 * launch that failed since the last call. */
enum fw_error runner_wait(void);

#ifdef __cplusplus
}
#endif
#endif
