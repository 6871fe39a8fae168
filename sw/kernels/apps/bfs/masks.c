/* SPDX-License-Identifier: Apache-2.0 */
/* The search with the frontier as a byte per vertex. Each vertex is a pair of its row's start and length. */
#include "../buffer.h"
#include "bfs.h"

enum { GROUP = 512 };

struct masks {
    uint32_t (*row)[2], *target, *level;
    uint8_t *frontier, *next, *visited, *more;
};

static void search(struct device *d, const struct graph *g, const struct masks *m)
{
    const size_t global = device_whole_groups(g->vertices, GROUP);
    do {
        *m->more = 0;
        device_wrote(d, m->more, sizeof *m->more);
        DEVICE_RUN(d, "bfs_expand", 1, DEVICE_SIZE(global), DEVICE_SIZE(GROUP), &m->row, &m->target,
                   &m->frontier, &m->next, &m->visited, &m->level, &g->vertices);
        DEVICE_RUN(d, "bfs_advance", 1, DEVICE_SIZE(global), DEVICE_SIZE(GROUP), &m->frontier, &m->next,
                   &m->visited, &m->more, &g->vertices);
        device_read(d, m->more, sizeof *m->more);
    } while (*m->more);
}

int bfs_by_masks(struct device *d, const struct graph *g)
{
    const uint32_t n = g->vertices, arcs = g->offset[n], source = graph_busiest_vertex(g);
    const size_t target_bytes = (arcs ? arcs : 1) * sizeof(uint32_t);
    const struct masks m = {.row = device_alloc(d, n * sizeof *m.row),
                            .target = device_alloc(d, target_bytes),
                            .frontier = device_alloc(d, n),
                            .next = device_alloc(d, n),
                            .visited = device_alloc(d, n),
                            .level = device_alloc(d, n * sizeof *m.level),
                            .more = device_alloc(d, sizeof *m.more)};
    for (uint32_t v = 0; v < n; v++) {
        m.row[v][0] = g->offset[v];
        m.row[v][1] = g->offset[v + 1] - g->offset[v];
    }
    memcpy(m.target, g->target, arcs * sizeof *m.target);
    memset(m.level, 0xff, n * sizeof *m.level);
    m.level[source] = 0;
    m.frontier[source] = m.visited[source] = 1;
    device_wrote(d, m.row, n * sizeof *m.row);
    device_wrote(d, m.target, target_bytes);
    device_wrote(d, m.frontier, n);
    device_wrote(d, m.next, n);
    device_wrote(d, m.visited, n);
    device_wrote(d, m.level, n * sizeof *m.level);

    search(d, g, &m);
    device_read(d, m.level, n * sizeof *m.level);

    const int result = bfs_check(g, source, m.level);
    void *const all[] = {m.more, m.level, m.visited, m.next, m.frontier, m.target, m.row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}
