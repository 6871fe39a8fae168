/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that are estimates (run --estimate): the option, results as a table, JSON and rows of the database. */
#ifndef MP_CLI_ESTIMATE_H
#define MP_CLI_ESTIMATE_H

#include "cli/out.h"
#include "cli/run/runs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ESTIMATE_ERROR 0.03 /* the default */

/* Reads "3%" or "0.5%" as 0.03 or 0.005. */
int estimate_error(const char *arg, double *error, struct mp_error *err);

void estimate_print(const struct run_job *job);
/* Adds the member "estimate" to the object of tenant t. */
void estimate_json(struct out_json *j, const struct run_job *job, unsigned t);

/* Records the estimated values of the open run. */
int estimate_store(struct mp_db *db, const struct mp_result *result, unsigned tenants, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
