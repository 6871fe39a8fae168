/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

int graph_open(struct graph *g, const struct graph_source *s, const char *path, uint64_t seed,
               struct mp_error *err)
{
    if (path)
        return graph_load(g, path, err);
    if (s->grid.side)
        graph_lattice(g, &s->grid, seed);
    else if (s->uniform.vertices)
        graph_uniform(g, s->uniform.vertices, s->uniform.arcs, seed);
    else
        return graph_generate(g, &s->rmat, seed, err);
    return 0;
}

uint32_t graph_busiest_vertex(const struct graph *g)
{
    uint32_t best = 0;
    for (uint32_t v = 1; v < g->vertices; v++)
        if (g->offset[v + 1] - g->offset[v] > g->offset[best + 1] - g->offset[best])
            best = v;
    return best;
}
