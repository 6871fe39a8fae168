/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PAGERANK: PageRank by pushing along outgoing arcs, damping 0.85. The rank of vertices without outgoing arcs
 * is lost, as in the benchmark. (PR pulls along incoming arcs.)
 *
 * Tolerance: all terms are positive, so 2^-24 times the number of roundings on the longest path bounds the
 * relative error. In an iteration these are one addition for each incoming arc, and 4 for quotient, product
 * and damping. The errors of the iterations add up. Ranks are compared in double, relative to the expected
 * one.
 */
#include "../check.h"
#include "../csr.h"

enum { GROUP = 256, OTHERS = 4 };

static const double damping = 0.85;

static const struct {
    struct graph_source graph;
    uint32_t iterations;
} sizes[APP_SCALES] = {
    {{.rmat = {.scale = 10, .degree = 4, .both_ways = true}}, 10},
    {{.rmat = {.scale = 15, .degree = 4, .both_ways = true}}, 20},
    [APP_NEIDTY] = {{.rmat = {.scale = 18, .degree = 4, .both_ways = true}}, 20},
};

static int check(const struct graph *g, uint32_t iterations, const float *got)
{
    const uint32_t n = g->vertices;
    double *rank = host_alloc(n, sizeof *rank), *next = host_alloc(n, sizeof *next);
    uint32_t *incoming = host_alloc(n, sizeof *incoming), most = 0;
    int result = 0;
    for (uint32_t e = 0; e < g->offset[n]; e++)
        if (++incoming[g->target[e]] > most)
            most = incoming[g->target[e]];
    for (uint32_t v = 0; v < n; v++)
        rank[v] = 1.0 / n;
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t v = 0; v < n; v++)
            for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++)
                next[g->target[e]] += rank[v] / (g->offset[v + 1] - g->offset[v]);
        for (uint32_t v = 0; v < n; v++) {
            rank[v] = (1 - damping) / n + damping * next[v];
            next[v] = 0;
        }
    }
    const double relative = iterations * ((double)most + OTHERS) * 0x1p-24;
    for (uint32_t v = 0; v < n && !result; v++)
        result = check_float("PAGERANK: rank", v, rank[v], (double)got[v], relative * rank[v]);
    free(incoming);
    free(next);
    free(rank);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    struct graph g;
    if (csr_open(&g, &sizes[scale].graph, input, seed))
        return APP_BAD_INPUT;
    const uint32_t n = g.vertices;
    const size_t items = device_whole_groups(n, GROUP);
    const struct csr c = csr_upload(d, &g);
    float *rank = device_alloc(d, n * sizeof *rank), *next = device_alloc(d, n * sizeof *next);

    DEVICE_RUN(d, "pagerank_begin", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &rank, &next, &n);
    for (uint32_t i = 0; i < sizes[scale].iterations; i++) {
        DEVICE_RUN(d, "pagerank_push", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &c.offset, &c.target, &rank,
                   &next, &n);
        DEVICE_RUN(d, "pagerank_damp", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &rank, &next, &n);
    }
    device_read(d, rank, n * sizeof *rank);

    const int result = check(&g, sizes[scale].iterations, rank);
    device_free(d, next);
    device_free(d, rank);
    csr_free(d, &c);
    graph_free(&g);
    return result;
}

const struct app app_pagerank = {
    .name = "PAGERANK",
    .title = "PageRank by pushing along arcs",
    .suite = "Pannotia",
    .size = {"R-MAT, 2^10 vertices, 2^12 edges drawn, 10 iterations",
             "R-MAT, 2^15 vertices, 2^17 edges drawn, 20 iterations",
             [APP_NEIDTY] = "R-MAT, 2^18 vertices, 2^20 edges drawn, 20 iterations"},
    .run = run,
    .takes_input = true,
};
