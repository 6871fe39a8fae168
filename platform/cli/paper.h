/* SPDX-License-Identifier: Apache-2.0 */
/* What papers print, as data, and the figures that `mempath reproduce` can make. */
#ifndef MP_CLI_PAPER_H
#define MP_CLI_PAPER_H

#include "cli/runs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The STAR paper (its Table II and the numbers that its text gives of Figure 3); ends with a NULL paper. */
extern const struct mp_db_point paper_star[];

/* The applications of Table II in its order; ends with NULL. */
extern const char *const paper_star_apps[];

/* The category column of Table III: "HHH" for W1. */
extern const char *const paper_star_category[11];

const struct mp_db_point *paper_find(const struct mp_db_point *points, const char *figure, const char *series,
                                     const char *x);

enum paper_size { PAPER_SMALL, PAPER_MEDIUM, PAPER_PAPER };
extern const char *const paper_size_names[]; /* ends with NULL */

struct paper_context {
    const struct cli *cli;
    enum paper_size size; /* at which "paper" inputs are run */
    unsigned parallel;
    const char *folder; /* where pictures go */
};

/* Each runs what it needs (what the database has is not run again), prints, draws, and returns a cli_exit. */
int reproduce_star_table2(const struct paper_context *c);
int reproduce_star_fig3(const struct paper_context *c);

/* Name of figure at this size in the database: "fig3", or "fig3@medium", because smaller inputs are another
 * experiment. The string is static until the next call. */
const char *paper_figure_name(const struct paper_context *c, const char *figure);

struct paper_measured {
    const char *series, *x;
    double value;
    unsigned nruns;
    int64_t runs[24]; /* what it came from */
};

/* Puts the paper's points of a figure and the measured ones into the database. */
int paper_store(const struct paper_context *c, const struct mp_db_point *points, const char *figure,
                const struct paper_measured *measured, unsigned n);

#ifdef __cplusplus
}
#endif
#endif
