/* SPDX-License-Identifier: Apache-2.0 */
/* The graphs of applications, and their rows in device memory. */
#ifndef MP_KERNELS_CSR_H
#define MP_KERNELS_CSR_H

#include <stdio.h>

#include "../graph/graph.h"
#include "buffer.h"

/* Loads or generates a graph as graph_open does. Prints errors to stderr and then returns -1. */
static inline int csr_open(struct graph *g, const struct graph_source *s, const char *path, uint64_t seed)
{
    struct mp_error err;
    if (graph_open(g, s, path, seed, &err) == 0)
        return 0;
    fprintf(stderr, "mempath: record: %s\n", err.text);
    return -1;
}

/* Does the same for an application on edges without a direction: each arc also leads back. */
static inline int csr_open_edges(struct graph *g, const struct graph_source *s, const char *path,
                                 uint64_t seed)
{
    struct mp_error err;
    if (csr_open(g, s, path, seed))
        return -1;
    if (graph_both_ways(g, &err) == 0)
        return 0;
    fprintf(stderr, "mempath: record: %s\n", err.text);
    graph_free(g);
    return -1;
}

/* A graph in device memory, as struct graph describes it. */
struct csr {
    uint32_t *offset, *target;
};

static inline struct csr csr_upload(struct device *d, const struct graph *g)
{
    const size_t bytes = g->offset[g->vertices] * sizeof *g->target;
    const struct csr c = {buffer_copy(d, g->offset, ((size_t)g->vertices + 1) * sizeof *g->offset),
                          bytes ? buffer_copy(d, g->target, bytes) : device_alloc(d, sizeof *g->target)};
    return c;
}

static inline void csr_free(struct device *d, const struct csr *c)
{
    device_free(d, c->target);
    device_free(d, c->offset);
}

/* Writes a random number for each vertex, different ones for any two: each step of the mixing is one-to-one.
 */
static inline void csr_priorities(uint32_t *priority, uint32_t vertices, uint64_t seed)
{
    const uint32_t key = (uint32_t)(fill_random(seed, 0) >> 32);
    for (uint32_t v = 0; v < vertices; v++) {
        uint32_t x = v ^ key;
        x = (x ^ x >> 16) * UINT32_C(0x85ebca6b);
        x = (x ^ x >> 13) * UINT32_C(0xc2b2ae35);
        priority[v] = x ^ x >> 16;
    }
}

static inline int csr_by_priority(const void *a, const void *b)
{
    const uint32_t *x = *(const uint32_t *const *)a, *y = *(const uint32_t *const *)b;
    return *x < *y ? -1 : *x > *y;
}

/* The vertices in ascending order of their priorities, to be freed. */
static inline uint32_t *csr_order(const uint32_t *priority, uint32_t vertices)
{
    uint32_t *order = host_alloc(vertices, sizeof *order);
    const uint32_t **at = host_alloc(vertices, sizeof *at);
    for (uint32_t v = 0; v < vertices; v++)
        at[v] = &priority[v];
    qsort(at, vertices, sizeof *at, csr_by_priority);
    for (uint32_t v = 0; v < vertices; v++)
        order[v] = (uint32_t)(at[v] - priority);
    free(at);
    return order;
}

#endif
