/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PR: PageRank by power iteration, damping 0.85, pulling along incoming arcs; the two rank vectors swap roles
 * in each iteration. The rank of vertices without outgoing arcs is lost, as in the benchmark.
 *
 * Tolerance: all terms are positive, so 2^-24 times the number of roundings on the longest path bounds the
 * relative error. A row has (arcs / 64) additions in a lane, 16 in the reduction, and 5 for products, value
 * and damping. The errors of the iterations add up. Ranks are compared in double, relative to the expected
 * one.
 */
#include "../check.h"
#include "../csr.h"

enum { LANES = 64, REDUCTION = 16, PRODUCTS = 5 };

static const double damping = 0.85;

/* The largest graph has enough arcs to come near the paper's instruction count in few iterations. */
static const struct {
    struct graph_source graph;
    uint32_t iterations;
} sizes[APP_SCALES] = {
    {.graph.rmat = {.scale = 10, .degree = 16}, .iterations = 16},
    {.graph.rmat = {.scale = 14, .degree = 128}, .iterations = 16},
    {.graph.rmat = {.scale = 18, .degree = 896}, .iterations = 4},
    {.graph.uniform = {.vertices = 131072, .arcs = 4294967}, .iterations = 4}, /* 0.00025 of all pairs */
};

static uint32_t longest_row(const struct graph *g)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < g->vertices; v++)
        if (g->offset[v + 1] - g->offset[v] > most)
            most = g->offset[v + 1] - g->offset[v];
    return most;
}

static int check(const struct graph *g, const uint32_t *out_degree, const float *got, uint32_t iterations)
{
    const double relative =
        iterations * (longest_row(g) / (double)LANES + 1 + REDUCTION + PRODUCTS) * 0x1p-24;
    double *x = host_alloc(g->vertices, sizeof *x), *y = host_alloc(g->vertices, sizeof *y);
    for (uint32_t v = 0; v < g->vertices; v++)
        x[v] = 1.0 / g->vertices;
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t v = 0; v < g->vertices; v++)
            x[v] /= out_degree[v] ? out_degree[v] : 1;
        for (uint32_t v = 0; v < g->vertices; v++) {
            double sum = 0;
            for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++)
                sum += x[g->target[e]];
            y[v] = damping * sum + (1 - damping) / g->vertices;
        }
        double *t = x;
        x = y;
        y = t;
    }
    int result = 0;
    for (uint32_t v = 0; v < g->vertices && !result; v++)
        result = check_float("PR: rank", v, x[v], (double)got[v], relative * x[v]);
    free(x);
    free(y);
    return result;
}

/* Row v of g lists the vertices from which v receives rank. */
static int iterate(struct device *d, const struct graph *g, uint32_t iterations)
{
    const uint32_t n = g->vertices, arcs = g->offset[n];
    const size_t at_least = 1, arc_bytes = (arcs ? arcs : at_least) * sizeof(uint32_t);
    uint32_t *offset = device_alloc(d, (n + at_least) * sizeof *offset);
    uint32_t *column = device_alloc(d, arc_bytes);
    float *value = device_alloc(d, arc_bytes);
    float *x = device_alloc(d, n * sizeof *x), *y = device_alloc(d, n * sizeof *y);
    uint32_t *out_degree = host_alloc(n, sizeof *out_degree);
    memcpy(offset, g->offset, (n + at_least) * sizeof *offset);
    for (uint32_t e = 0; e < arcs; e++)
        out_degree[column[e] = g->target[e]]++;
    for (uint32_t e = 0; e < arcs; e++)
        value[e] = 1.0f / (float)out_degree[column[e]];
    for (uint32_t v = 0; v < n; v++)
        x[v] = 1.0f / (float)n;
    device_wrote(d, offset, (n + at_least) * sizeof *offset);
    device_wrote(d, column, arc_bytes);
    device_wrote(d, value, arc_bytes);
    device_wrote(d, x, n * sizeof *x);

    float *from = x, *to = y;
    for (uint32_t i = 0; i < iterations; i++) {
        DEVICE_RUN(d, "pagerank", 1, DEVICE_SIZE((size_t)n * LANES), DEVICE_SIZE(LANES), &offset, &column,
                   &value, &from, &to, &n);
        float *t = from;
        from = to;
        to = t;
    }
    device_read(d, from, n * sizeof *from);

    const int result = check(g, out_degree, from, iterations);
    free(out_degree);
    device_free(d, y);
    device_free(d, x);
    device_free(d, value);
    device_free(d, column);
    device_free(d, offset);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    struct graph arcs, incoming;
    if (csr_open(&arcs, &sizes[scale].graph, input, seed))
        return APP_BAD_INPUT;
    graph_transpose(&incoming, &arcs);
    graph_free(&arcs);
    const int result = iterate(d, &incoming, sizes[scale].iterations);
    graph_free(&incoming);
    return result;
}

const struct app app_pr = {
    .name = "PR",
    .title = "PageRank",
    .suite = "Hetero-Mark",
    .size = {"R-MAT, 2^10 vertices, 2^14 arcs drawn, 16 iterations",
             "R-MAT, 2^14 vertices, 2^21 arcs drawn, 16 iterations",
             "R-MAT, 2^18 vertices, 224 Mi arcs drawn, 4 iterations",
             "uniform, 2^17 vertices, 4.3 M arcs drawn, 4 iterations"},
    .run = run,
    .takes_input = true,
    .instructions = 316669952 / 4, /* STAR Table II, four runs */
};
