/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures by gnuplot. */
#ifndef MP_CLI_PLOT_H
#define MP_CLI_PLOT_H

#include "cli/cli.h"
#include "cli/out.h"
#include "db/db.h"

/* Whether output names a picture: FILE.svg, FILE.png or FILE.pdf. */
bool plot_is_file(const char *output);
/* Writes the members "svg" and "png" with the names of the files that were drawn. */
void plot_json(struct out_json *j, const char *output, const char *name);

/* One bar of a grouped bar chart. kind selects its colour and legend; paper is NAN if the paper prints no
 * number. Of neighbouring bars with the same label only the first is labelled. */
struct plot_bar {
    const char *group, *label;
    unsigned kind;
    double value, paper;
};

struct plot_bars {
    const char *title, *axis;
    const char *const *kind; /* names */
    unsigned nkinds, n;
    const struct plot_bar *bar;
    double line; /* drawn across, or NAN */
};

/* Each function draws output/name.svg and .png into a folder, which is created if it does not exist, or only
 * `output` if that is a file: FILE.svg, .png or .pdf. A file is written whole or not at all. The names are
 * printed on stdout unless cli->json. Returns a cli_exit. */
int plot_bars(const struct cli *cli, const char *output, const char *name, const struct plot_bars *bars);

/* A curve in a panel; the curves of a panel are consecutive. */
struct plot_curve {
    const char *panel, *name;
    unsigned colour, n;
    bool dashed;     /* the same thing in another run: not in the legend */
    double (*at)[2]; /* x, y */
};

struct plot_curves {
    const char *title, *x_axis, *axis, *mark_name;
    const struct plot_curve *curve;
    unsigned n;
    bool logarithmic; /* the x axis is logarithmic to base 2 */
    double mark;      /* an x that is marked, or NAN */
};

int plot_curves(const struct cli *cli, const char *output, const char *name,
                const struct plot_curves *curves);

/* Values over cycles, stacked: series s has value[i * nseries + s] at cycle[i]. */
struct plot_stack {
    const char *title, *axis;
    const char *const *series; /* names, the lowest first */
    unsigned nseries, n;
    const uint64_t *cycle, *value;
    uint64_t limit; /* a dashed line and its name */
    const char *limit_name;
};

int plot_stack(const struct cli *cli, const char *output, const char *name, const struct plot_stack *stack);

/* Activity over time: rows of slices, each row with a strip at its bottom for its owner; below the rows, a
 * step curve per kind. Kinds select colours; a row has at most one slice at a time. */
struct plot_slice {
    unsigned row, kind;
    uint64_t from, to;
    bool marked; /* hatched */
};

struct plot_step { /* from this x on */
    unsigned kind;
    uint64_t x, value;
};

struct plot_rows {
    const char *title, *x_axis, *rows_axis, *steps_axis, *marked_name;
    const char *const *kind; /* names */
    unsigned nkinds, nrows;
    const char *const *row; /* labels; "" for a gap */
    uint64_t first, last;   /* of x */
    size_t nslices, nstrips, nsteps;
    const struct plot_slice *slice, *strip;
    const struct plot_step *step; /* those of each kind in the order of x */
};

int plot_rows(const struct cli *cli, const char *output, const char *name, const struct plot_rows *rows);

/* How often each value occurs, on a logarithmic axis, and a limit that divides them. */
struct plot_histogram {
    const char *title, *x_axis, *axis, *below, *above, *limit_name; /* below, above: the limit */
    uint64_t limit;
    unsigned n;
    const uint64_t (*at)[2]; /* value, ascending; how often */
};

int plot_histogram(const struct cli *cli, const char *output, const char *name,
                   const struct plot_histogram *histogram);

/* For pictures that another file describes: draws with gnuplot's commands that script() writes, height in
 * pixels; a text in double quotes; colours that colour-blind readers can distinguish, too. */
int plot_pictures(const struct cli *cli, const char *output, const char *name, unsigned height,
                  void (*script)(FILE *f, const void *what), const void *what);
void plot_quote(FILE *f, const char *s);
const char *plot_colour(unsigned i);

/* Pictures of a run (0: the latest finished one), for `mempath plot`. Each returns a cli_exit. */
int plot_faults(const struct cli *cli, struct mp_db *db, int64_t run, const char *output);
int plot_occupancy(const struct cli *cli, struct mp_db *db, int64_t run, const char *output);
int plot_pairs(const struct cli *cli, struct mp_db *db, int64_t run, const char *output);
int plot_residency(const struct cli *cli, struct mp_db *db, int64_t run, const char *output);
int plot_walkers(const struct cli *cli, struct mp_db *db, int64_t run, const char *output);

#endif
