/* SPDX-License-Identifier: Apache-2.0 */
/* Finished runs as tables and JSON, with performance relative to running alone if that is known. */
#ifndef MP_CLI_RESULTS_H
#define MP_CLI_RESULTS_H

#include "cli/out.h"
#include "cli/run/runs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The run of tenant t of job alone, among alone[], or NULL. */
const struct run_job *results_alone(const struct run_job *job, unsigned t, const struct run_job *alone,
                                    unsigned n);

/* Performance of tenant t relative to its run alone (1: not slowed down), or NAN. */
double results_relative_to(const struct run_job *job, unsigned t, const struct run_job *alone);
/* The same with the run among alone[]; NAN if it is not there. */
double results_relative(const struct run_job *job, unsigned t, const struct run_job *alone, unsigned n);

/* Harmonic mean of the tenants' relative performance, or NAN if one is unknown. */
double results_harmonic(const struct run_job *job, const struct run_job *alone, unsigned n);

double results_ipc(const struct mp_tenant_result *r); /* warp instructions per cycle, or NAN */
/* Of a level of TLBs and a tenant: its counters, all 0 if there is none; its hit rate, or NAN; the same as a
 * member LEVEL_hit_rate. */
const struct mp_tlb_result *results_tlb(const struct run_job *job, unsigned t, const char *level);
double results_hits(const struct run_job *job, unsigned t, const char *level);
void results_json_hits(struct out_json *j, const struct run_job *job, unsigned t, const char *level);

/* Adds a cell with this number of decimals, or "-" if the value is not finite. */
void results_cell(struct out_table *table, double value, int digits);

void results_print(const struct run_job *jobs, unsigned count, const struct run_job *alone, unsigned n);
void results_print_json(const struct run_job *jobs, unsigned count, const struct run_job *alone, unsigned n);

/* Writes the same as the members "runs" and "alone" of the object that j is in. */
void results_json(struct out_json *j, const struct run_job *jobs, unsigned count, const struct run_job *alone,
                  unsigned n);

#ifdef __cplusplus
}
#endif
#endif
