/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed sparse rows. Transposing twice sorts them: a stable pass over the rows in order leaves the new
 * rows sorted, in time linear in the number of arcs. */
#include "graph.h"

#include <stdlib.h>

static void *must_alloc(size_t n, size_t bytes)
{
    void *p = calloc(n ? n : 1, bytes);
    if (!p) {
        fprintf(stderr, "mempath: graph: out of memory for %zu elements; a smaller graph is needed\n", n);
        exit(1);
    }
    return p;
}

void graph_free(struct graph *g)
{
    free(g->offset);
    free(g->target);
    *g = (struct graph){0};
}

/* Turns counts, which are stored in offset[row + 1], into offsets of row starts. */
static void accumulate(uint32_t *offset, uint32_t vertices)
{
    for (uint32_t v = 0; v < vertices; v++)
        offset[v + 1] += offset[v];
}

/* Filling a row moved its start to the next row's, so all starts move back. */
static void step_back(uint32_t *offset, uint32_t vertices)
{
    for (uint32_t v = vertices; v > 0; v--)
        offset[v] = offset[v - 1];
    offset[0] = 0;
}

void graph_transpose(struct graph *out, const struct graph *g)
{
    const uint32_t arcs = g->offset[g->vertices];
    *out = (struct graph){.vertices = g->vertices,
                          .offset = must_alloc((size_t)g->vertices + 1, sizeof *out->offset),
                          .target = must_alloc(arcs, sizeof *out->target)};
    for (uint32_t e = 0; e < arcs; e++)
        out->offset[g->target[e] + 1]++;
    accumulate(out->offset, g->vertices);
    for (uint32_t v = 0; v < g->vertices; v++)
        for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++)
            out->target[out->offset[g->target[e]]++] = v;
    step_back(out->offset, g->vertices);
}

/* Drops self loops and repeated arcs in place. Rows are sorted. */
static void simplify(struct graph *g)
{
    uint32_t kept = 0, begin = 0;
    for (uint32_t v = 0; v < g->vertices; v++) {
        const uint32_t end = g->offset[v + 1], first = kept;
        for (uint32_t e = begin; e < end; e++)
            if (g->target[e] != v && (kept == first || g->target[kept - 1] != g->target[e]))
                g->target[kept++] = g->target[e];
        begin = end;
        g->offset[v + 1] = kept;
    }
}

int graph_both_ways(struct graph *g, struct mp_error *err)
{
    const uint32_t arcs = g->offset[g->vertices];
    if (arcs > GRAPH_MAX_ARCS / 2)
        return mp_fail(err, "%u arcs are too many to add the reverse of each; %u at most", arcs,
                       GRAPH_MAX_ARCS / 2);
    uint32_t *source = must_alloc(2 * (size_t)arcs, sizeof *source);
    uint32_t *target = must_alloc(2 * (size_t)arcs, sizeof *target);
    for (uint32_t v = 0; v < g->vertices; v++)
        for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++) {
            source[e] = target[arcs + e] = v;
            target[e] = source[arcs + e] = g->target[e];
        }
    struct graph both;
    graph_build(&both, g->vertices, 2 * arcs, source, target);
    graph_free(g);
    *g = both;
    return 0;
}

void graph_build(struct graph *g, uint32_t vertices, uint32_t n, uint32_t *source, uint32_t *target)
{
    struct graph by_target = {.vertices = vertices,
                              .offset = must_alloc((size_t)vertices + 1, sizeof *by_target.offset),
                              .target = must_alloc(n, sizeof *by_target.target)};
    for (uint32_t e = 0; e < n; e++)
        by_target.offset[target[e] + 1]++;
    accumulate(by_target.offset, vertices);
    for (uint32_t e = 0; e < n; e++)
        by_target.target[by_target.offset[target[e]]++] = source[e];
    step_back(by_target.offset, vertices);
    free(source);
    free(target);
    graph_transpose(g, &by_target);
    graph_free(&by_target);
    simplify(g);
}
