/* SPDX-License-Identifier: Apache-2.0 */
/*
 * COLOR: colours of all vertices, so that neighbours differ; exact. The order of rounds does not matter to
 * the reference: a vertex gets its colour one round after the last neighbour of higher priority. All
 * priorities differ.
 */
#include "../check.h"
#include "../csr.h"

enum { GROUP = 256, NONE = -1 };

static const struct graph_source sources[APP_SCALES] = {
    {.grid.side = 64},
    {.grid.side = 400},
    [APP_MESC] = {.grid.side = 1000},
    [APP_NEIDTY] = {.grid.side = 1259},
};

static int check(const struct graph *g, const uint32_t *priority, const int32_t *got)
{
    uint32_t *order = csr_order(priority, g->vertices);
    int32_t *expected = host_alloc(g->vertices, sizeof *expected);
    int result = 0;
    for (uint32_t i = 0; i < g->vertices; i++) {
        const uint32_t v = order[g->vertices - 1 - i]; /* the highest first */
        for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++) {
            const uint32_t w = g->target[e];
            if (priority[w] > priority[v] && expected[w] >= expected[v])
                expected[v] = expected[w] + 1;
        }
    }
    for (uint32_t v = 0; v < g->vertices && !result; v++)
        result = check_int("COLOR: color", v, expected[v], got[v]);
    free(expected);
    free(order);
    return result;
}

static void color_all(struct device *d, const struct csr *c, const uint32_t *priority, int32_t *color,
                      uint32_t n)
{
    const size_t items = device_whole_groups(n, GROUP);
    uint32_t *highest = device_alloc(d, n * sizeof *highest);
    int32_t *more = device_alloc(d, sizeof *more), round = 0;
    do {
        *more = 0;
        device_wrote(d, more, sizeof *more);
        DEVICE_RUN(d, "color_compare", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &c->offset, &c->target,
                   &priority, &color, &highest, &more, &n);
        DEVICE_RUN(d, "color_assign", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &priority, &highest, &color,
                   &round, &n);
        device_read(d, more, sizeof *more);
        round++;
    } while (*more);
    device_free(d, more);
    device_free(d, highest);
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    struct graph g;
    if (csr_open_edges(&g, &sources[scale], input, seed))
        return APP_BAD_INPUT;
    const struct csr c = csr_upload(d, &g);
    uint32_t *priority = device_alloc(d, g.vertices * sizeof *priority);
    int32_t *color = device_alloc(d, g.vertices * sizeof *color);
    csr_priorities(priority, g.vertices, seed);
    for (uint32_t v = 0; v < g.vertices; v++)
        color[v] = NONE;
    device_wrote(d, priority, g.vertices * sizeof *priority);
    device_wrote(d, color, g.vertices * sizeof *color);

    color_all(d, &c, priority, color, g.vertices);
    device_read(d, color, g.vertices * sizeof *color);

    const int result = check(&g, priority, color);
    device_free(d, color);
    device_free(d, priority);
    csr_free(d, &c);
    graph_free(&g);
    return result;
}

const struct app app_color = {
    .name = "COLOR",
    .title = "Graph colouring",
    .suite = "Pannotia",
    .size = {"grid 64 x 64",
             "grid 400 x 400", [APP_MESC] = "grid 1000 x 1000", [APP_NEIDTY] = "grid 1259 x 1259"},
    .run = run,
    .takes_input = true,
};
