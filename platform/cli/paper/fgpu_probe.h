/* SPDX-License-Identifier: Apache-2.0 */
/* The measurements in Section IV of Fractional GPUs whose programs have one thread or some. */
#ifndef MP_CLI_FGPU_PROBE_H
#define MP_CLI_FGPU_PROBE_H

#include "cli/paper/figure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Times of 3000 and of 100,000 pairs of loads (Figures 3 and 4). */
int fgpu_pairs_3000(const struct figure_runs *r, struct paper_points *points);
int fgpu_pairs_100000(const struct figure_runs *r, struct paper_points *points);

/* The results of Algorithms 1 and 2 (Figure 6), on both machines, and the properties of Appendix B. Each
 * search is a run of the database, as of `mempath reveal`. */
int fgpu_functions(const struct figure_runs *r, struct paper_points *points);
int fgpu_noise(const struct figure_runs *r, struct paper_points *points);
int fgpu_properties(const struct figure_runs *r, struct paper_points *points);

/* A thread's loads next to those of up to 49 others (Figure 8). */
int fgpu_interference(const struct figure_runs *r, struct paper_points *points);

#ifdef __cplusplus
}
#endif
#endif
