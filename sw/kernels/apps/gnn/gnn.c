/* SPDX-License-Identifier: Apache-2.0 */
/* GNN: the aggregation of a graph neural network's layer. Exact: sums of small integers. */
#include "../../device.h"
#include "../check.h"
#include "../csr.h"

enum { FEATURES = 64, LIMIT = 100 };

static const struct graph_source sources[APP_SCALES] = {
    {.rmat = {.scale = 9, .degree = 8}},
    {.rmat = {.scale = 16, .degree = 8}},
    {.rmat = {.scale = 20, .degree = 4}},
};

static int check(const struct graph *g, const float *feature, const float *got)
{
    int result = 0;
    for (uint32_t v = 0; v < g->vertices && !result; v++)
        for (uint32_t f = 0; f < FEATURES && !result; f++) {
            float sum = 0;
            for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++)
                sum += feature[(size_t)g->target[e] * FEATURES + f];
            result = check_float("GNN: out", (size_t)v * FEATURES + f, sum, got[(size_t)v * FEATURES + f], 0);
        }
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    struct graph g;
    if (csr_open(&g, &sources[scale], input, seed))
        return APP_BAD_INPUT;
    const size_t n = (size_t)g.vertices * FEATURES;
    const struct csr c = csr_upload(d, &g);
    float *feature = buffer_small(d, n, seed + 1, LIMIT), *out = device_alloc(d, n * sizeof *out);
    DEVICE_RUN(d, "aggregate", 1, DEVICE_SIZE(n), DEVICE_SIZE(FEATURES), &c.offset, &c.target, &feature,
               &out);
    device_read(d, out, n * sizeof *out);
    const int result = check(&g, feature, out);
    device_free(d, out);
    device_free(d, feature);
    csr_free(d, &c);
    graph_free(&g);
    return result;
}

const struct app app_gnn = {
    .name = "GNN",
    .title = "Aggregation of a graph neural network",
    .suite = "today",
    .size = {"R-MAT, 2^9 vertices, 2^12 arcs drawn, 64 features",
             "R-MAT, 2^16 vertices, 2^19 arcs drawn (16 MB)",
             "R-MAT, 2^20 vertices, 2^22 arcs drawn (256 MB)"},
    .run = run,
    .takes_input = true,
};
