/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SSSP: distances from the vertex with the most arcs, after a limited number of iterations or when none
 * changes. Exact: the reference relaxes in each round only the vertices that changed in the last one. An edge
 * has the same weight in both directions.
 */
#include "../check.h"
#include "../csr.h"

enum { GROUP = 64, HEAVIEST = 100, FAR = 0x3fffffff };

static const struct {
    struct graph_source graph;
    uint32_t iterations;
} sizes[APP_SCALES] = {
    {{.grid = {.side = 48, .removed = 410}}, 32},
    {{.grid = {.side = 300, .removed = 410}}, 32},
    [APP_MESC] = {{.grid = {.side = 1100, .removed = 410}}, 64},
};

static int32_t weight_of(uint32_t v, uint32_t w, uint64_t seed)
{
    const uint64_t low = v < w ? v : w, high = v < w ? w : v;
    return (int32_t)((fill_random(seed, low << 32 | high) >> 32) % HEAVIEST) + 1;
}

/* Row v of `incoming` lists the arcs that lead to v. */
static int check(const struct graph *incoming, uint64_t seed, uint32_t source, uint32_t iterations,
                 const int32_t *got)
{
    struct graph g;
    const uint32_t n = incoming->vertices;
    int32_t *now = host_alloc(n, sizeof *now), *next = host_alloc(n, sizeof *next);
    uint32_t *active = host_alloc(n, sizeof *active), *found = host_alloc(n, sizeof *found), nactive = 1;
    int result = 0;
    graph_transpose(&g, incoming);
    for (uint32_t v = 0; v < n; v++)
        now[v] = next[v] = v == source ? 0 : FAR;
    active[0] = source;
    for (uint32_t i = 0; i < iterations && nactive; i++) {
        uint32_t nfound = 0;
        for (uint32_t a = 0; a < nactive; a++)
            for (uint32_t v = active[a], e = g.offset[v]; e < g.offset[v + 1]; e++) {
                const uint32_t w = g.target[e];
                const int32_t distance = now[v] + weight_of(v, w, seed);
                if (distance >= next[w])
                    continue;
                if (next[w] == now[w])
                    found[nfound++] = w;
                next[w] = distance;
            }
        for (uint32_t f = 0; f < nfound; f++)
            now[active[f] = found[f]] = next[found[f]];
        nactive = nfound;
    }
    for (uint32_t v = 0; v < n && !result; v++)
        result = check_int("SSSP: distance", v, now[v], got[v]);
    free(found);
    free(active);
    free(next);
    free(now);
    graph_free(&g);
    return result;
}

static void relax_all(struct device *d, const struct csr *c, const int32_t *weight, int32_t *now, uint32_t n,
                      uint32_t source, uint32_t iterations)
{
    const size_t items = device_whole_groups(n, GROUP);
    int32_t *next = device_alloc(d, n * sizeof *next), *more = device_alloc(d, sizeof *more);
    DEVICE_RUN(d, "sssp_begin", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &now, &next, &source, &n);
    *more = 1;
    for (uint32_t i = 0; i < iterations && *more; i++) {
        DEVICE_RUN(d, "sssp_relax", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &c->offset, &c->target,
                   &weight, &now, &next, &n);
        *more = 0;
        device_wrote(d, more, sizeof *more);
        DEVICE_RUN(d, "sssp_compare", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &now, &next, &more, &n);
        device_read(d, more, sizeof *more);
        DEVICE_RUN(d, "sssp_assign", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &now, &next, &n);
    }
    device_free(d, more);
    device_free(d, next);
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    struct graph arcs, g;
    if (csr_open(&arcs, &sizes[scale].graph, input, seed))
        return APP_BAD_INPUT;
    const uint32_t n = arcs.vertices, narcs = arcs.offset[n], source = graph_busiest_vertex(&arcs);
    graph_transpose(&g, &arcs);
    graph_free(&arcs);
    const struct csr c = csr_upload(d, &g);
    int32_t *weight = device_alloc(d, (narcs ? narcs : 1) * sizeof *weight);
    int32_t *now = device_alloc(d, n * sizeof *now);
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t e = g.offset[v]; e < g.offset[v + 1]; e++)
            weight[e] = weight_of(g.target[e], v, seed);
    device_wrote(d, weight, (narcs ? narcs : 1) * sizeof *weight);

    relax_all(d, &c, weight, now, n, source, sizes[scale].iterations);
    device_read(d, now, n * sizeof *now);

    const int result = check(&g, seed, source, sizes[scale].iterations, now);
    device_free(d, now);
    device_free(d, weight);
    csr_free(d, &c);
    graph_free(&g);
    return result;
}

const struct app app_sssp = {
    .name = "SSSP",
    .title = "Shortest paths from one vertex",
    .suite = "Pannotia",
    .size = {"grid 48 x 48 without 41 % of its edges, at most 32 iterations",
             "grid 300 x 300 without 41 % of its edges, at most 32 iterations",
             [APP_MESC] = "grid 1100 x 1100 without 41 % of its edges, at most 64 iterations"},
    .run = run,
    .takes_input = true,
};
