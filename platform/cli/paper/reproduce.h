/* SPDX-License-Identifier: Apache-2.0 */
/* What `mempath reproduce` makes of the papers' data. */
#ifndef MP_CLI_REPRODUCE_H
#define MP_CLI_REPRODUCE_H

#include "cli/paper/figure.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct evaluation reproduce_star, reproduce_dws;

/* STAR's Table II. Plans its runs into the pool, at place[] by application; the rest is for after the runs.
 */
#define TABLE2_APPS 10u
int reproduce_table2_plan(const struct paper_context *c, struct pool *pool, unsigned place[TABLE2_APPS]);
void reproduce_table2_measure(const struct pool *pool, const unsigned place[TABLE2_APPS],
                              struct paper_points *points);
void reproduce_table2_print(const struct pool *pool, const unsigned place[TABLE2_APPS]);
void reproduce_table2_json(const struct pool *pool, const unsigned place[TABLE2_APPS], struct out_json *j);

#ifdef __cplusplus
}
#endif
#endif
