/* SPDX-License-Identifier: Apache-2.0 */
/* What chart.c makes a chart of: runs, the parameters in which they differ, and a metric's rows. */
#ifndef MP_CLI_PLOT_ROWS_H
#define MP_CLI_PLOT_ROWS_H

#include <string.h>

#include "cli/plot/chart.h"

#define CHART_PATHS   256u
#define CHART_STUDENT 30u /* of more values, that of 30 */

/* A number of the database, or a part of one: of a structure, a cycle, a bin. */
struct chart_row {
    unsigned run; /* index */
    int tenant;   /* -1: of the whole run */
    char *app, *part, *place;
    double value, roof;
};

struct chart_rows {
    const struct chart_request *request;
    unsigned nruns, npaths, nrows, room;
    int64_t *run;
    char *path[CHART_PATHS], *unit[CHART_PATHS];
    char **setting; /* of (path, run); NULL: the run has none */
    char **apps;    /* of a run, joined */
    struct chart_row *row;
    char *metric_unit;
    enum chart_kind kind;
    double student[CHART_STUDENT + 1]; /* Student's quantile of a 95 % interval, by the number of values */
};

/* NULL for NULL. */
static inline char *chart_copy(const char *text)
{
    return text ? cli_have(strdup(text)) : NULL;
}

/* Chooses the runs, and reads their settings and rows. */
int chart_rows_read(struct chart_rows *c, struct mp_db *db, struct mp_error *err);
void chart_rows_free(struct chart_rows *c);
void chart_row_free(struct chart_row *row);
/* The index of a parameter; npaths: no run has it. */
unsigned chart_path(const struct chart_rows *c, const char *path);

#endif
