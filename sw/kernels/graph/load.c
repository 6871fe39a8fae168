/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *suffix;
    int (*read)(struct graph *g, FILE *f, const char *name, uint32_t max_vertices, struct mp_error *err);
} formats[] = {{".mtx", graph_read_mtx}, {".gr", graph_read_gr}};

int graph_load(struct graph *g, const char *path, struct mp_error *err)
{
    const char *suffix = strrchr(path, '.');
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!suffix || strcmp(suffix, formats[i].suffix) != 0)
            continue;
        FILE *f = fopen(path, "r");
        if (!f)
            return mp_fail(err, "%s: cannot be opened: %s; a readable file is needed", path, strerror(errno));
        const int result = formats[i].read(g, f, path, GRAPH_MAX_VERTICES, err);
        fclose(f);
        return result;
    }
    return mp_fail(
        err,
        "%s: a graph file of unknown kind; names ending in .mtx (Matrix Market) or .gr (DIMACS) are allowed",
        path);
}
