/* SPDX-License-Identifier: Apache-2.0 */
/* Launches, and what has to be done for them while they run. */
#ifndef FW_RUNNER_H
#define FW_RUNNER_H

#include <stdint.h>

#include "error.h"

/* Queues a workload on an instance in an address space. */
enum fw_error runner_start(unsigned instance, unsigned asid, unsigned workload);

/* Serves what has come, without sleeping: faults, and ends of launches. Launches that are queued or run
 * still. */
unsigned runner_serve(void);

/* Serves faults until everything that was started has ended. FW_OK, or how the first that failed ended since
 * this was asked last. */
enum fw_error runner_wait(void);

#endif
