/* SPDX-License-Identifier: Apache-2.0 */
/* Measured points of a paper's figures, and which statements of the paper they support. */
#ifndef MP_CLI_PAPER_H
#define MP_CLI_PAPER_H

#include "cli/out.h"
#include "cli/paper/data.h"
#include "cli/run/runs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* PAPER_STAR: the inputs that STAR's counts imply, on the machine that they imply. */
enum paper_size { PAPER_SMALL, PAPER_MEDIUM, PAPER_PAPER, PAPER_STAR };
extern const char *const paper_size_names[]; /* ends with NULL */

#define PAPER_SETS 16u

struct paper_context {
    const struct cli *cli;
    enum paper_size size; /* at which "paper" inputs are run */
    unsigned parallel;
    const char *const *set; /* "path=value" of parameters that are changed in all runs */
    unsigned nset;
    const char *only;   /* the workloads of all figures, "W4,W10"; NULL: each figure's */
    const char *folder; /* for pictures; or FILE.svg or FILE.png for one */
};

/* The name of a figure at this size: "fig3" or "fig3@medium", because smaller inputs are
 * another experiment. Valid until the next call. */
const char *paper_figure_name(const struct paper_context *c, const char *figure);

/* The size of an input at the context's size; `size` is the paper's ("paper", or "medium" for ST_s). */
const char *paper_input_size(const struct paper_context *c, const char *size);

#define PAPER_RUNS 200u

struct paper_measured {
    char series[32], x[56];
    double value;
    bool drawn; /* false: derived, for the text's numbers */
    unsigned nruns;
    int64_t runs[PAPER_RUNS]; /* the runs behind the value, each once */
};

void paper_add_run(struct paper_measured *m, int64_t run);

/* A figure's measurements. */
struct paper_points {
    unsigned n, room;
    struct paper_measured *point;
};

/* Appends a point with this value and no runs; the pointer is valid until the next call. */
__attribute__((format(printf, 4, 5))) struct paper_measured *
paper_add(struct paper_points *points, const char *series, double value, const char *x, ...);
const struct paper_measured *paper_measured(const struct paper_points *points, const char *series,
                                            const char *x);

/* Whether the statement holds: 1, 0, or -1 if it was not measured. */
int paper_holds(const struct paper_claim *claim, const struct paper_points *points);
const char *paper_verdict(int holds);

/* Stores the paper's points of a figure and the measured ones in the database. A measured point that the
 * paper only draws gets a paper point without a value. */
int paper_store(const struct paper_context *c, const struct mp_db_point *points, const char *figure,
                const char *unit, const struct paper_points *measured);

#ifdef __cplusplus
}
#endif
#endif
