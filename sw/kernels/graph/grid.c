/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include <stdlib.h>

#include "../apps/fill.h"

/* Edge number `edge` is kept; the draw depends on the seed and the number only. */
static bool keeps(const struct graph_grid *grid, uint64_t seed, uint64_t edge)
{
    return (fill_random(seed, edge) >> 32) * 1000 >> 32 >= grid->removed;
}

void graph_lattice(struct graph *g, const struct graph_grid *grid, uint64_t seed)
{
    const uint32_t side = grid->side, vertices = side * side;
    const size_t most = 4 * (size_t)vertices;
    uint32_t *source = host_alloc(most, sizeof *source), *target = host_alloc(most, sizeof *target), n = 0;
    for (uint32_t v = 0; v < vertices; v++) {
        const uint32_t next[2] = {v + 1, v + side};
        const bool there[2] = {v % side != side - 1, v / side != side - 1};
        for (unsigned k = 0; k < 2; k++) {
            if (!there[k] || !keeps(grid, seed, 2ull * v + k))
                continue;
            source[n] = target[n + 1] = v;
            target[n] = source[n + 1] = next[k];
            n += 2;
        }
    }
    graph_build(g, vertices, n, source, target);
}
