/* SPDX-License-Identifier: Apache-2.0 */
/* The papers that `mempath reproduce` evaluates. */
#ifndef MP_CLI_REPRODUCE_H
#define MP_CLI_REPRODUCE_H

#include "cli/paper/figure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of paper i, "star"; NULL after the last. */
const char *reproduce_paper_name(unsigned i);
/* The figures of a paper, which are read once. Returns NULL for another name. Ends the program if an embedded
 * file is malformed, which a test excludes. */
const struct evaluation *reproduce_evaluation(const char *paper);

/* STAR's Table II. reproduce_table2_plan() adds its runs to the pool and stores their indices in place[], by
 * application; call the others after the runs. */
#define TABLE2_APPS 10u
int reproduce_table2_plan(const struct paper_context *c, struct pool *pool, unsigned place[TABLE2_APPS]);
void reproduce_table2_measure(const struct paper_context *c, const struct pool *pool,
                              const unsigned place[TABLE2_APPS], struct paper_points *points);
void reproduce_table2_print(const struct paper_context *c, const struct pool *pool,
                            const unsigned place[TABLE2_APPS]);
void reproduce_table2_json(const struct paper_context *c, const struct pool *pool,
                           const unsigned place[TABLE2_APPS], struct out_json *j);

#ifdef __cplusplus
}
#endif
#endif
