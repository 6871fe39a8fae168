/* SPDX-License-Identifier: Apache-2.0 */
/* Launches, and what has to be done for them while they run. */
#ifndef FW_RUNNER_H
#define FW_RUNNER_H

#include <stdint.h>

#include "error.h"

/* Queues a workload on an instance in an address space. */
enum fw_error runner_start(unsigned instance, unsigned asid, unsigned workload);

/* Serves faults until everything that was started has ended. FW_OK, or how the first that failed ended. */
enum fw_error runner_wait(void);

#endif
