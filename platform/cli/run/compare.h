/* SPDX-License-Identifier: Apache-2.0 */
/* One experiment under several values of a parameter. */
#ifndef MP_CLI_COMPARE_H
#define MP_CLI_COMPARE_H

#include "cli/run/runs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMPARE_MAX_VALUES 16u

struct compare {
    char path[64];                         /* "l3_tlb.policy" */
    unsigned n;                            /* values */
    char override[COMPARE_MAX_VALUES][96]; /* "l3_tlb.policy=star", as --set takes it */
};

/* Parses "PATH=VALUE,VALUE...". -1 with err unless there are at least two values, all different. */
int compare_parse(struct compare *c, const char *arg, struct mp_error *err);

/* "star" of "l3_tlb.policy=star" */
const char *compare_value(const struct compare *c, unsigned value);

/* Prints jobs: job e * c->n + v is experiment e under value v. alone as in results.h; performance relative to
 * alone is printed if there are alone runs. */
void compare_print(const struct compare *c, const struct run_job *jobs, unsigned experiments,
                   const struct run_job *alone, unsigned n);
void compare_print_json(const struct compare *c, const struct run_job *jobs, unsigned experiments,
                        const struct run_job *alone, unsigned n);

/* For tests: IPC of tenant t under value v relative to that under the first value, or NAN if one is unknown
 * or the applications differ; and the harmonic mean of that over the tenants. */
double compare_speedup(const struct run_job *variants, unsigned v, unsigned t);
double compare_mean_speedup(const struct run_job *variants, unsigned v);

#ifdef __cplusplus
}
#endif
#endif
