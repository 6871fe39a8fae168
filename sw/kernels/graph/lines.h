/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a graph file line by line into a list of arcs. Both formats use it. */
#ifndef MP_KERNELS_GRAPH_LINES_H
#define MP_KERNELS_GRAPH_LINES_H

#include "graph.h"

#include <stddef.h>

struct lines {
    FILE *file;
    const char *name;
    struct mp_error *err;
    char *text; /* the current line, without its end */
    size_t room;
    unsigned long number;
    uint32_t max_vertices;
};

/* Returns 1 if a line was read, 0 at the end of the file, -1 on an error: a line of more than 4096 bytes, a
 * NUL byte, or a failed read. */
int lines_next(struct lines *l);
void lines_free(struct lines *l);

/* Takes the next unsigned decimal number of the line at *at, which must be in [low, high]. Errors mention
 * `what`. */
int lines_number(struct lines *l, const char **at, const char *what, uint64_t low, uint64_t high,
                 uint64_t *value);
int lines_end(struct lines *l, const char *at, const char *allowed); /* fails unless only blanks follow */
const char *lines_skip_blanks(const char *at);

struct arcs {
    uint32_t *source, *target;
    size_t count, room;
};

int arcs_add(struct arcs *a, struct lines *l, uint64_t from,
             uint64_t to); /* vertices are numbered from 1, as in the files */
void arcs_free(struct arcs *a);

#endif
