/* SPDX-License-Identifier: Apache-2.0 */
/* A metric of many runs against what they differ in: what `plot METRIC` draws. */
#ifndef MP_CLI_PLOT_CHART_H
#define MP_CLI_PLOT_CHART_H

#include "cli/cli.h"
#include "db/db.h"

#define CHART_KEYS   2u  /* of --against and of --by */
#define CHART_WHERE  16u /* of --where */
#define CHART_SERIES 24u

/* PATH=VALUE[,VALUE...]; values is NULL if there is none. */
struct chart_condition {
    char path[64];
    const char *values;
};

/* What the user asks for. A key is a parameter's path, or app, apps, tenant, run; with the metrics that have
 * them, structure, cycle, launch. */
struct chart_request {
    const char *metric;
    const char *against[CHART_KEYS], *by[CHART_KEYS];
    struct chart_condition where[CHART_WHERE], relative;
    unsigned nagainst, nby, nwhere;
    const char *study;    /* number or name; NULL: the latest, or all runs if there is none */
    uint64_t first, last; /* runs by their numbers in place of a study, unless last is 0 */
    bool latest;          /* the latest run in place of a study */
};

/* One value of the picture, of n runs that differ in seeds only. n is 0: there is none. */
struct chart_cell {
    unsigned n;
    double mean, half; /* half of the 95 % interval of the mean by Student; 0 for one run */
    double low, quarter, median, three_quarters, high;
    double roof; /* NAN: there is none */
};

enum chart_kind { CHART_LINES, CHART_BARS, CHART_BOXES, CHART_STACK, CHART_HEAT, CHART_CDF, CHART_TIME };

struct chart_axis {
    char *name, *unit; /* unit: NULL for none */
    bool numeric;
    unsigned n;
    char **label;
    double *at; /* if numeric, ascending */
};

struct chart {
    enum chart_kind kind;
    char *title, *metric, *unit;
    struct chart_axis x, y, series; /* y: of a heat map, otherwise with one value */
    struct chart_cell *cell;        /* of (series, y, x) */
    unsigned nruns;
};

/* Reads the runs and fills the chart, which chart_free() frees. Errors name what differs between runs of one
 * value, and what there is instead of what was asked for. */
int chart_collect(struct chart *chart, struct mp_db *db, const struct chart_request *request,
                  struct mp_error *err);
void chart_free(struct chart *chart);

static inline const struct chart_cell *chart_cell(const struct chart *c, unsigned series, unsigned y,
                                                  unsigned x)
{
    return &c->cell[((size_t)series * c->y.n + y) * c->x.n + x];
}

/* Whether the interval overlaps that of what a value is compared with: of the first series at the same place;
 * of one series, the first place. */
bool chart_overlaps(const struct chart *c, unsigned series, unsigned x);

/* Draws it (plot.h), or prints it as JSON after drawing. Returns a cli_exit. */
int chart_draw(const struct cli *cli, const struct chart *chart, const char *output);

#endif
