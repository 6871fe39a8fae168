/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MIS: a maximal independent set; exact. Rounds find the set that a pass over all vertices in ascending order
 * of priority finds, which takes each vertex that has no neighbour in the set yet. All priorities differ.
 */
#include "../check.h"
#include "../csr.h"

enum { GROUP = 128 };

static const struct graph_source sources[APP_SCALES] = {
    {.grid.side = 64},
    {.grid.side = 400},
    [APP_NEIDTY] = {.grid.side = 1000},
};

static int check(const struct graph *g, const uint32_t *priority, const int32_t *got)
{
    uint32_t *order = csr_order(priority, g->vertices);
    bool *out = host_alloc(g->vertices, sizeof *out);
    int result = 0;
    for (uint32_t i = 0; i < g->vertices && !result; i++) {
        const uint32_t v = order[i];
        result = check_int("MIS: vertex in the set", v, !out[v], got[v]);
        for (uint32_t e = g->offset[v]; e < g->offset[v + 1] && !out[v]; e++)
            out[g->target[e]] = true;
    }
    free(out);
    free(order);
    return result;
}

static void select_all(struct device *d, const struct csr *c, const uint32_t *priority, int32_t *state,
                       uint32_t n)
{
    const size_t items = device_whole_groups(n, GROUP);
    int32_t *next = device_alloc(d, n * sizeof *next), *more = device_alloc(d, sizeof *more);
    uint32_t *lowest = device_alloc(d, n * sizeof *lowest);
    DEVICE_RUN(d, "mis_begin", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &state, &next, &lowest, &n);
    do {
        *more = 0;
        device_wrote(d, more, sizeof *more);
        DEVICE_RUN(d, "mis_compare", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &c->offset, &c->target,
                   &priority, &state, &lowest, &more, &n);
        DEVICE_RUN(d, "mis_enter", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &c->offset, &c->target,
                   &priority, &state, &lowest, &next, &n);
        DEVICE_RUN(d, "mis_commit", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &state, &next, &n);
        device_read(d, more, sizeof *more);
    } while (*more);
    device_free(d, lowest);
    device_free(d, more);
    device_free(d, next);
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    struct graph g;
    if (csr_open_edges(&g, &sources[scale], input, seed))
        return APP_BAD_INPUT;
    const struct csr c = csr_upload(d, &g);
    uint32_t *priority = device_alloc(d, g.vertices * sizeof *priority);
    int32_t *state = device_alloc(d, g.vertices * sizeof *state);
    csr_priorities(priority, g.vertices, seed);
    device_wrote(d, priority, g.vertices * sizeof *priority);

    select_all(d, &c, priority, state, g.vertices);
    device_read(d, state, g.vertices * sizeof *state);

    const int result = check(&g, priority, state);
    device_free(d, state);
    device_free(d, priority);
    csr_free(d, &c);
    graph_free(&g);
    return result;
}

const struct app app_mis = {
    .name = "MIS",
    .title = "Maximal independent set",
    .suite = "Pannotia",
    .size = {"grid 64 x 64", "grid 400 x 400", [APP_NEIDTY] = "grid 1000 x 1000"},
    .run = run,
    .takes_input = true,
};
