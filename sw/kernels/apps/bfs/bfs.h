/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_KERNELS_BFS_H
#define MP_KERNELS_BFS_H

#include "../../device.h"
#include "../../graph/graph.h"

/* Compares the levels with those of a queue. */
int bfs_check(const struct graph *g, uint32_t source, const uint32_t *got);

/* Rodinia's search: two launches per level, with the frontier as bytes. Returns what bfs_check returns. */
int bfs_by_masks(struct device *d, const struct graph *g);

#endif
