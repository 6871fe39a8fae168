/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures by gnuplot. */
#ifndef MP_CLI_PLOT_H
#define MP_CLI_PLOT_H

#include "cli/cli.h"

/* One bar of a grouped bar chart; paper is NAN where the paper prints no number. */
struct plot_bar {
    const char *group, *label;
    double value, paper;
};

/* Draws folder/name.svg and .png, whole or not at all, and prints their names on stdout unless cli->json. */
int plot_bars(const struct cli *cli, const char *folder, const char *name, const char *title,
              const char *axis, const struct plot_bar *bars, unsigned n);

#endif
