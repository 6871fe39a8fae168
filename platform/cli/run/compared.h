/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of RTL in a run: rows of co-simulations, and the report of the first difference. */
#ifndef MP_CLI_COMPARED_H
#define MP_CLI_COMPARED_H

#include "cli/cli.h"
#include "db/db.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct compared;

struct compared *compared_new(void);
void compared_free(struct compared *c);

/* mp_rtl.over, with a struct compared. */
void compared_take(void *compared, const struct mp_rtl_outcome *outcome);

/* Stores a row for each block that was compared in the run, or failed. -1 with err. */
int compared_store(const struct compared *c, struct mp_db *db, const struct cli *cli, int64_t run,
                   double seconds, bool interrupted, struct mp_error *err);

/* Stimulus, responses and states of the first difference, in lines; NULL if there is none. */
const char *compared_report(const struct compared *c);

#ifdef __cplusplus
}
#endif
#endif
