/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BC: betweenness centrality from the first sources, checked against Brandes' algorithm in double.
 *
 * Tolerance: numbers of paths are exact. All terms are positive, so 2^-24 times the number of roundings on
 * the longest path bounds the relative error: in each of the levels, of which these graphs have at most 16,
 * one addition for each arc of the vertex and 4 more, and one addition for each source.
 */
#include "../check.h"
#include "../csr.h"

enum { GROUP = 128, LEVELS = 16, MOST_VERTICES = 1 << 14 };

static const struct size {
    struct graph_source graph;
    uint32_t sources;
} sizes[APP_SCALES] = {
    {{.uniform = {.vertices = 256, .arcs = 2048}}, 2},
    {{.uniform = {.vertices = 1024, .arcs = 32768}}, 4},
    [APP_NEIDTY] = {{.uniform = {.vertices = 1024, .arcs = 131072}}, 16},
};

struct arrays {
    struct csr forward, reversed;
    float *share, *paths, *centrality;
    int32_t *level, *on_path, *more;
};

/* Adds the dependencies of all vertices on the source to centrality. order has room for all vertices. */
static void reference(const struct graph *g, uint32_t source, double *centrality, uint32_t *order)
{
    const uint32_t n = g->vertices;
    double *paths = host_alloc(n, sizeof *paths), *share = host_alloc(n, sizeof *share);
    int32_t *level = host_alloc(n, sizeof *level);
    uint32_t tail = 0;
    memset(level, 0xff, n * sizeof *level);
    level[source] = 0;
    paths[source] = 1;
    order[tail++] = source;
    for (uint32_t head = 0; head < tail; head++)
        for (uint32_t v = order[head], e = g->offset[v]; e < g->offset[v + 1]; e++) {
            const uint32_t w = g->target[e];
            if (level[w] < 0) {
                level[w] = level[v] + 1;
                order[tail++] = w;
            }
            if (level[w] == level[v] + 1)
                paths[w] += paths[v];
        }
    while (tail-- > 1) { /* the source itself does not count */
        const uint32_t v = order[tail];
        for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++)
            if (level[g->target[e]] == level[v] + 1)
                share[v] += paths[v] / paths[g->target[e]] * (1 + share[g->target[e]]);
        centrality[v] += share[v];
    }
    free(level);
    free(share);
    free(paths);
}

static int check(const struct graph *g, uint32_t sources, const float *got)
{
    const uint32_t n = g->vertices;
    double *expected = host_alloc(n, sizeof *expected);
    uint32_t *order = host_alloc(n, sizeof *order), most = 0;
    int result = 0;
    for (uint32_t v = 0; v < n; v++)
        if (g->offset[v + 1] - g->offset[v] > most)
            most = g->offset[v + 1] - g->offset[v];
    for (uint32_t s = 0; s < sources; s++)
        reference(g, s, expected, order);
    const double relative = (LEVELS * (most + 4.0) + sources) * 0x1p-24;
    for (uint32_t v = 0; v < n && !result; v++)
        result = check_float("BC: centrality", v, expected[v], (double)got[v], relative * expected[v]);
    free(order);
    free(expected);
    return result;
}

static void search(struct device *d, const struct arrays *a, uint32_t n, uint32_t source)
{
    const size_t items = device_whole_groups(n, GROUP);
    const uint32_t pairs = n * n;
    int32_t current = 0;
    DEVICE_RUN(d, "bc_clean_vertices", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &a->share, &a->level,
               &a->paths, &source, &n);
    DEVICE_RUN(d, "bc_clean_matrix", 1, DEVICE_SIZE(device_whole_groups(pairs, GROUP)), DEVICE_SIZE(GROUP),
               &a->on_path, &pairs);
    do {
        *a->more = 0;
        device_wrote(d, a->more, sizeof *a->more);
        DEVICE_RUN(d, "bc_search", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &a->forward.offset,
                   &a->forward.target, &a->level, &a->paths, &a->on_path, &a->more, &n, &current);
        device_read(d, a->more, sizeof *a->more);
        current++;
    } while (*a->more);
    while (--current >= 0)
        DEVICE_RUN(d, "bc_backtrack", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &a->reversed.offset,
                   &a->reversed.target, &a->level, &a->paths, &a->share, &a->on_path, &a->centrality, &n,
                   &source, &current);
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    struct graph g, reversed;
    if (csr_open(&g, &sizes[scale].graph, input, seed))
        return APP_BAD_INPUT;
    if (g.vertices > MOST_VERTICES) {
        fprintf(stderr, "mempath: record: BC: %u vertices; %d at most, because of a matrix of all pairs\n",
                g.vertices, MOST_VERTICES);
        graph_free(&g);
        return APP_BAD_INPUT;
    }
    const uint32_t n = g.vertices, sources = sizes[scale].sources < n ? sizes[scale].sources : n;
    graph_transpose(&reversed, &g);
    const struct arrays a = {.forward = csr_upload(d, &g),
                             .reversed = csr_upload(d, &reversed),
                             .share = device_alloc(d, n * sizeof *a.share),
                             .paths = device_alloc(d, n * sizeof *a.paths),
                             .centrality = device_alloc(d, n * sizeof *a.centrality),
                             .level = device_alloc(d, n * sizeof *a.level),
                             .on_path = device_alloc(d, (size_t)n * n * sizeof *a.on_path),
                             .more = device_alloc(d, sizeof *a.more)};
    device_wrote(d, a.centrality, n * sizeof *a.centrality);

    for (uint32_t s = 0; s < sources; s++)
        search(d, &a, n, s);
    device_read(d, a.centrality, n * sizeof *a.centrality);

    const int result = check(&g, sources, a.centrality);
    void *const all[] = {a.more, a.on_path, a.level, a.centrality, a.paths, a.share};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    csr_free(d, &a.reversed);
    csr_free(d, &a.forward);
    graph_free(&reversed);
    graph_free(&g);
    return result;
}

const struct app app_bc = {
    .name = "BC",
    .title = "Betweenness centrality",
    .suite = "Pannotia",
    .size = {"uniform, 256 vertices, 2048 arcs drawn, 2 sources",
             "uniform, 1024 vertices, 32768 arcs drawn, 4 sources",
             [APP_NEIDTY] = "uniform, 1024 vertices, 131072 arcs drawn, 16 sources"},
    .run = run,
    .takes_input = true,
};
