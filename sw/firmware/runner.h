/* SPDX-License-Identifier: Apache-2.0 */
/* Launches workloads and serves them while they run. */
#ifndef FW_RUNNER_H
#define FW_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Queues a workload on an instance in an address space. Scans the address space for contiguous pages before,
 * if pages were mapped since the last scan. */
enum fw_error runner_start(unsigned instance, unsigned asid, unsigned workload);

/* As runner_start, for a caller that does not call runner_wait: at the launch's end, one of the functions
 * below calls `ended` with the same tag, and runner_wait does not wait for it. Returns FW_ENOMEM if there are
 * too many. */
typedef void runner_ended(uint32_t tag, enum fw_error end);
enum fw_error runner_start_for(unsigned instance, unsigned asid, unsigned workload, runner_ended *ended,
                               uint32_t *tag);

/* Whether runner_serve has something to serve. Call it within cpu_lock before sleeping. */
bool runner_rang(void);

/* Serves pending faults and completions without sleeping. Returns the number of launches of runner_start
 * that are queued or running. */
unsigned runner_serve(void);

/* Sleeps until a fault or a completion comes, and serves it. Returns as runner_serve. */
unsigned runner_serve_next(void);

/* Serves faults until all launches have ended. Returns FW_OK, or the error of the first launch that failed
 * since the last call. */
enum fw_error runner_wait(void);

#ifdef __cplusplus
}
#endif
#endif
