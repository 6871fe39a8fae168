/* SPDX-License-Identifier: Apache-2.0 */
/* Bars with parts: several values of a workload under a variant. */
#ifndef MP_CLI_PARTS_H
#define MP_CLI_PARTS_H

#include "cli/paper/figure.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PARTS 20u

/* A part's name, its value, and how it is shown: as it is (""), or relative to the reference's, in "points",
 * as a "ratio", or as a ratio whose average over workloads is that of their "means". */
struct part {
    char name[24], how[8];
    double value, reference;
};

struct parts {
    unsigned n;
    struct part part[PARTS];
};

/* Of a figure of mappings: the parts of a workload, by variant. -1 with a message. */
int figure_mapping_parts(const struct figure_runs *r, const struct figure_workload *w,
                         struct parts of[FIGURE_VARIANTS], struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
