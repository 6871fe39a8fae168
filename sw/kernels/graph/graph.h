/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directed graphs in compressed sparse rows, from a generator or a file.
 *
 * Every graph is simple: no self loops, no arc twice, targets of a row ascending. Arcs of the source that
 * break this are dropped, weights and matrix values are not kept.
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

/* Builds g from n arcs source[i] -> target[i], all below vertices. Both arrays are freed. Out of memory ends
 * the program with a message, as device_alloc does. */
void graph_build(struct graph *g, uint32_t vertices, uint32_t n, uint32_t *source, uint32_t *target);

/* Every arc turned round. */
void graph_transpose(struct graph *out, const struct graph *g);

/*
 * R-MAT (Chakrabarti, Zhan, Faloutsos, 2004): 2^scale vertices, degree * 2^scale arcs drawn by descending
 * scale levels of the adjacency matrix, whose quadrants have the Graph500 benchmark's probabilities a = 0.57,
 * b = 0.19, c = 0.19, d = 0.05. Vertex numbers are then scrambled by a permutation, so that they tell nothing
 * about degrees. both_ways: each arc is there in both directions. Self loops and repeated arcs are dropped
 * and not drawn again, so the graph has somewhat fewer arcs than drawn. The result depends on these fields
 * and the seed alone.
 */
struct graph_rmat {
    uint32_t scale, degree;
    bool both_ways;
};

/* -1: the arcs are too many or scale is over 28. */
int graph_generate(struct graph *g, const struct graph_rmat *r, uint64_t seed, struct mp_error *err);

/* Reads a file by its suffix, .mtx or .gr. Errors are "FILE:LINE: WHAT; WHAT IS ALLOWED". */
int graph_load(struct graph *g, const char *path, struct mp_error *err);

/* Matrix Market, coordinate format: entry (i, j) is the arc i -> j, of a symmetric matrix also j -> i. Fields
 * pattern, real, integer; symmetry general, symmetric. name stands in errors. */
int graph_read_mtx(struct graph *g, FILE *f, const char *name, uint32_t max_vertices, struct mp_error *err);

/* DIMACS shortest path format: "p sp VERTICES ARCS", "a FROM TO WEIGHT", "c" comments. */
int graph_read_gr(struct graph *g, FILE *f, const char *name, uint32_t max_vertices, struct mp_error *err);

#endif
