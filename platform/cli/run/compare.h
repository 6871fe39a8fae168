/* SPDX-License-Identifier: Apache-2.0 */
/* The same experiment under several values of one parameter. */
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

/* Takes "PATH=VALUE,VALUE...". -1 with err unless there are two values at least, all different. */
int compare_parse(struct compare *c, const char *arg, struct mp_error *err);

/* "star" of "l3_tlb.policy=star" */
const char *compare_value(const struct compare *c, unsigned value);

/* jobs holds each experiment under each value in turn: job e * c->n + v. alone as in results.h; performance
 * relative to alone is told when there are alone runs. */
void compare_print(const struct compare *c, const struct run_job *jobs, unsigned experiments,
                   const struct run_job *alone, unsigned n);
void compare_print_json(const struct compare *c, const struct run_job *jobs, unsigned experiments,
                        const struct run_job *alone, unsigned n);

/* For tests: IPC of tenant t under value v over that under the first value, or NAN when one is not known or
 * they are not the same application; and the harmonic mean of that over the tenants. */
double compare_speedup(const struct run_job *variants, unsigned v, unsigned t);
double compare_mean_speedup(const struct run_job *variants, unsigned v);

#ifdef __cplusplus
}
#endif
#endif
