/* SPDX-License-Identifier: Apache-2.0 */
/* The console's command `slice`. */
#ifndef FW_SLICER_CONSOLE_H
#define FW_SLICER_CONSOLE_H

#include <stdint.h>

#include "error.h"

/* number: the instance, a slice in microseconds, then the address space and the workload of each job; the
 * count is at least 6 and at most 8. Runs the jobs one after the other, then by turns, and prints the times
 * of both. */
enum fw_error slicer_cmd(unsigned n, const uint64_t *number);

#endif
