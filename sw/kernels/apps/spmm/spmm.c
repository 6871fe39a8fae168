/* SPDX-License-Identifier: Apache-2.0 */
/* SPMM: a sparse matrix times a dense one of 32 columns. Exact: sums of products of small integers. */
#include "../../device.h"
#include "../check.h"
#include "../csr.h"

enum { COLUMNS = 32, GROUP = 128, LIMIT = 10 };

static const struct graph_source sources[APP_SCALES] = {
    {.rmat = {.scale = 9, .degree = 8}},
    {.rmat = {.scale = 16, .degree = 8}},
    {.rmat = {.scale = 20, .degree = 8}},
};

static int check(const struct graph *g, const float *weight, const float *x, const float *got)
{
    int result = 0;
    for (uint32_t v = 0; v < g->vertices && !result; v++)
        for (uint32_t c = 0; c < COLUMNS && !result; c++) {
            float sum = 0;
            for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++)
                sum += weight[e] * x[(size_t)g->target[e] * COLUMNS + c];
            result = check_float("SPMM: y", (size_t)v * COLUMNS + c, sum, got[(size_t)v * COLUMNS + c], 0);
        }
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    struct graph g;
    if (csr_open(&g, &sources[scale], input, seed))
        return APP_BAD_INPUT;
    const size_t n = (size_t)g.vertices * COLUMNS, arcs = g.offset[g.vertices];
    const size_t items = (n + GROUP - 1) / GROUP * GROUP;
    const struct csr c = csr_upload(d, &g);
    float *weight = buffer_small(d, arcs ? arcs : 1, seed + 1, LIMIT),
          *x = buffer_small(d, n, seed + 2, LIMIT);
    float *y = device_alloc(d, n * sizeof *y);
    DEVICE_RUN(d, "spmm", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &c.offset, &c.target, &weight, &x,
               &g.vertices, &y);
    device_read(d, y, n * sizeof *y);
    const int result = check(&g, weight, x, y);
    device_free(d, y);
    device_free(d, x);
    device_free(d, weight);
    csr_free(d, &c);
    graph_free(&g);
    return result;
}

const struct app app_spmm = {
    .name = "SPMM",
    .title = "Sparse matrix times a dense one",
    .suite = "today",
    .size = {"R-MAT, 2^9 rows, 2^12 entries drawn, 32 columns", "R-MAT, 2^16 rows, 2^19 entries drawn (8 MB)",
             "R-MAT, 2^20 rows, 2^23 entries drawn (128 MB)"},
    .run = run,
    .takes_input = true,
};
