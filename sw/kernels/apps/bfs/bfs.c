/* SPDX-License-Identifier: Apache-2.0 */
/* BFS: levels from the vertex with the most arcs, one launch per level until no new vertex is reached. Exact.
 */
#include "bfs.h"
#include "../check.h"
#include "../csr.h"

enum { GROUP = 1024 };

static const struct graph_source sources[APP_SCALES] = {
    {.rmat = {.scale = 12, .degree = 8, .both_ways = true}},
    {.rmat = {.scale = 20, .degree = 8, .both_ways = true}},
    {.rmat = {.scale = 25, .degree = 2, .both_ways = true}},
    {.rmat = {.scale = 20, .degree = 14, .both_ways = true, .half = true}},
    [APP_MESC] = {.uniform = {.vertices = 1u << 20, .arcs = 6u << 20}},
    [APP_UVM] = {.uniform = {.vertices = 318848, .arcs = 6 * 318848}},
};

int bfs_check(const struct graph *g, uint32_t source, const uint32_t *got)
{
    uint32_t *expected = host_alloc(g->vertices, sizeof *expected),
             *queue = host_alloc(g->vertices, sizeof *queue);
    memset(expected, 0xff, g->vertices * sizeof *expected);
    uint32_t head = 0, tail = 0;
    expected[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        const uint32_t v = queue[head++];
        for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++)
            if (expected[g->target[e]] == UINT32_MAX) {
                expected[g->target[e]] = expected[v] + 1;
                queue[tail++] = g->target[e];
            }
    }
    int result = 0;
    for (uint32_t v = 0; v < g->vertices && !result; v++)
        result = check_int("BFS: level", v, expected[v], got[v]);
    free(queue);
    free(expected);
    return result;
}

static int search(struct device *d, const struct graph *g)
{
    const size_t level_bytes = g->vertices * sizeof(uint32_t), offset_bytes = level_bytes + sizeof(uint32_t);
    const size_t target_bytes = (size_t)g->offset[g->vertices] * sizeof(uint32_t);
    const size_t global = ((size_t)g->vertices + GROUP - 1) / GROUP * GROUP;
    uint32_t *level = device_alloc(d, level_bytes);
    uint32_t *offset = device_alloc(d, offset_bytes);
    uint32_t *target = device_alloc(d, target_bytes ? target_bytes : sizeof *target);
    uint32_t *more = device_alloc(d, sizeof *more);
    const uint32_t source = graph_busiest_vertex(g);
    memcpy(offset, g->offset, offset_bytes);
    memcpy(target, g->target, target_bytes);
    memset(level, 0xff, level_bytes);
    level[source] = 0;
    device_wrote(d, offset, offset_bytes);
    if (target_bytes)
        device_wrote(d, target, target_bytes);
    device_wrote(d, level, level_bytes);

    *more = 1;
    for (uint32_t current = 0; *more; current++) {
        *more = 0;
        device_wrote(d, more, sizeof *more);
        DEVICE_RUN(d, "bfs_level", 1, DEVICE_SIZE(global), DEVICE_SIZE(GROUP), &level, &offset, &target,
                   &g->vertices, &current, &more);
        device_read(d, more, sizeof *more);
    }
    device_read(d, level, level_bytes);

    const int result = bfs_check(g, source, level);
    device_free(d, more);
    device_free(d, target);
    device_free(d, offset);
    device_free(d, level);
    return result;
}

/* At size mesc the search is Rodinia's, see masks.c. */
static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    struct graph g;
    if (csr_open(&g, &sources[scale], input, seed))
        return APP_BAD_INPUT;
    const int result = scale == APP_MESC ? bfs_by_masks(d, &g) : search(d, &g);
    graph_free(&g);
    return result;
}

const struct app app_bfs = {
    .name = "BFS",
    .title = "Breadth-first search",
    .suite = "SHOC",
    .size = {"R-MAT, 2^12 vertices, 2^15 edges drawn", "R-MAT, 2^20 vertices, 2^23 edges drawn",
             "R-MAT, 2^25 vertices, 2^26 edges drawn",
             "R-MAT, 2^20 vertices, 7 Mi edges drawn", [APP_MESC] = "uniform, 2^20 vertices, 6 Mi arcs drawn",
             [APP_UVM] = "uniform, 318848 vertices, 1.9 M arcs drawn"},
    .run = run,
    .takes_input = true,
    .instructions = 94727760, /* STAR Table II */
};
