/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures by gnuplot. */
#ifndef MP_CLI_PLOT_H
#define MP_CLI_PLOT_H

#include "cli/cli.h"
#include "db/db.h"

/* One bar of a grouped bar chart; paper is NAN where the paper prints no number. */
struct plot_bar {
    const char *group, *label;
    double value, paper;
};

/* Draws folder/name.svg and .png, whole or not at all, and prints their names on stdout unless cli->json. */
int plot_bars(const struct cli *cli, const char *folder, const char *name, const char *title,
              const char *axis, const struct plot_bar *bars, unsigned n);

/* Values over cycles, stacked: series s has value[i * nseries + s] at cycle[i]. */
struct plot_stack {
    const char *title, *axis;
    const char *const *series; /* names, the lowest first */
    unsigned nseries, n;
    const uint64_t *cycle, *value;
    uint64_t limit; /* a dashed line, and what it is */
    const char *limit_name;
};

int plot_stack(const struct cli *cli, const char *folder, const char *name, const struct plot_stack *stack);

/* Pictures of a run (0: the latest finished one), for `mempath plot`. Each returns a cli_exit. */
int plot_occupancy(const struct cli *cli, struct mp_db *db, int64_t run, const char *folder);

#endif
