/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the input as a graph file with READER (graph_read_mtx, graph_read_gr); what is accepted must be a
 * graph. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");
    struct graph g;
    struct mp_error err = {""};
    if (!f)
        return 0;
    if (READER(&g, f, "input", 1u << 12, &err)) {
        require(strncmp(err.text, "input:", 6) == 0 && strstr(err.text, "; ") && !strchr(err.text, '\n'));
    } else {
        require(g.vertices >= 1 && g.vertices <= 1u << 12 && g.offset[0] == 0);
        for (uint32_t v = 0; v < g.vertices; v++)
            for (uint32_t e = g.offset[v]; e < g.offset[v + 1]; e++)
                require(g.target[e] < g.vertices && g.target[e] != v &&
                        (e == g.offset[v] || g.target[e - 1] < g.target[e]));
        graph_free(&g);
    }
    fclose(f);
    return 0;
}
