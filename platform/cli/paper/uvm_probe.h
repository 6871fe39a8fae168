/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of the server of page faults with made accesses: each warp loads some pages of one buffer. */
#ifndef MP_CLI_UVM_PROBE_H
#define MP_CLI_UVM_PROBE_H

#include "cli/paper/figure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The time of a fault when no other waits, by the size of pages, and its parts. */
int uvm_latency(const struct figure_runs *r, struct paper_points *points);
/* Copies of one size each, and a buffer that is read from its beginning to its end. */
int uvm_bandwidth(const struct figure_runs *r, struct paper_points *points);
/* The time of a batch by its faults and the blocks that they are in. */
int uvm_batch(const struct figure_runs *r, struct paper_points *points);

#ifdef __cplusplus
}
#endif
#endif
