/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directed graphs in compressed sparse rows, from a generator or a file.
 *
 * Every graph is simple: it has no self loops and no repeated arcs, and the targets of a row ascend. Self
 * loops and repeated arcs of the source are dropped; weights and matrix values are not kept.
 */
#ifndef MP_KERNELS_GRAPH_H
#define MP_KERNELS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"

/* The kernels index arcs and vertices with 32-bit numbers. */
#define GRAPH_MAX_VERTICES (UINT32_C(1) << 28)
#define GRAPH_MAX_ARCS     UINT32_C(0xfffffffe)

struct graph {
    uint32_t vertices;
    uint32_t *offset; /* vertices + 1: row v has the arcs [offset[v], offset[v + 1]) */
    uint32_t *target; /* at offset[vertices] arcs */
};

void graph_free(struct graph *g);

/* Builds g from n arcs source[i] -> target[i], all below vertices, and frees both arrays. If memory runs out,
 * the program ends with a message, as in device_alloc. */
void graph_build(struct graph *g, uint32_t vertices, uint32_t n, uint32_t *source, uint32_t *target);

/* Reverses every arc. */
void graph_transpose(struct graph *out, const struct graph *g);

/* Adds the reverse of every arc to g. Returns -1 if there are too many arcs then. */
int graph_both_ways(struct graph *g, struct mp_error *err);

/*
 * R-MAT (Chakrabarti, Zhan, Faloutsos, 2004): 2^scale vertices, degree * 2^scale arcs, or half as many, drawn
 * by descending scale levels of the adjacency matrix, whose quadrants have the Graph500 benchmark's
 * probabilities a = 0.57, b = 0.19, c = 0.19, d = 0.05. A permutation then scrambles vertex numbers, so that
 * they do not depend on degrees. both_ways: each arc is added in both directions. Self loops and repeated
 * arcs are dropped and not drawn again, so the graph has somewhat fewer arcs than were drawn. The result
 * depends only on these fields and the seed.
 */
struct graph_rmat {
    uint32_t scale, degree;
    bool both_ways;
    bool half;
};

/* Returns -1 if there are too many arcs or scale is over 28. */
int graph_generate(struct graph *g, const struct graph_rmat *r, uint64_t seed, struct mp_error *err);

/* A graph of which every arc is drawn independently, from all pairs of vertices alike. Self loops and
 * repeated arcs are dropped. */
void graph_uniform(struct graph *g, uint32_t vertices, uint32_t arcs, uint64_t seed);

/* A square grid of side * side vertices, each with an edge (an arc both ways) to its neighbours in its row
 * and its column; the vertex in row y and column x has number y * side + x. Of 1000 edges, `removed` are
 * taken out on average, each with the same probability. */
struct graph_grid {
    uint32_t side; /* at most 2^14 */
    uint32_t removed;
};
void graph_lattice(struct graph *g, const struct graph_grid *grid, uint64_t seed);

/* Where an application's graph comes from: a grid if it has a side, else uniform if it has vertices, else
 * R-MAT. */
struct graph_source {
    struct graph_rmat rmat;
    struct {
        uint32_t vertices, arcs;
    } uniform;
    struct graph_grid grid;
};

/* Loads the file if path is not NULL, else generates the graph. Returns -1 on errors of graph_load and
 * graph_generate. */
int graph_open(struct graph *g, const struct graph_source *s, const char *path, uint64_t seed,
               struct mp_error *err);

/* Returns the vertex with the most arcs, the first of several. */
uint32_t graph_busiest_vertex(const struct graph *g);

/* Reads a file in the format of its suffix, .mtx or .gr. Errors are "FILE:LINE: WHAT; WHAT IS ALLOWED". */
int graph_load(struct graph *g, const char *path, struct mp_error *err);

/* Matrix Market, coordinate format: entry (i, j) is the arc i -> j, in a symmetric matrix also j -> i. Fields
 * may be pattern, real or integer, the symmetry general or symmetric. Errors mention name. */
int graph_read_mtx(struct graph *g, FILE *f, const char *name, uint32_t max_vertices, struct mp_error *err);

/* DIMACS shortest path format: "p sp VERTICES ARCS", "a FROM TO WEIGHT", "c" comments. */
int graph_read_gr(struct graph *g, FILE *f, const char *name, uint32_t max_vertices, struct mp_error *err);

#endif
