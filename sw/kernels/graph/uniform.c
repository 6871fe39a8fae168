/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include <stdlib.h>

#include "../apps/fill.h"

void graph_uniform(struct graph *g, uint32_t vertices, uint32_t arcs, uint64_t seed)
{
    uint32_t *source = host_alloc(arcs, sizeof *source), *target = host_alloc(arcs, sizeof *target);
    for (uint32_t i = 0; i < arcs; i++) {
        source[i] = (uint32_t)((fill_random(seed, 2ull * i) >> 32) * vertices >> 32);
        target[i] = (uint32_t)((fill_random(seed, 2ull * i + 1) >> 32) * vertices >> 32);
    }
    graph_build(g, vertices, arcs, source, target);
}
