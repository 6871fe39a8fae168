/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a text file, plain or xz. */
#ifndef MP_TRACE_TRACEG_LINES_H
#define MP_TRACE_TRACEG_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"

struct traceg_lines {
    const char *path; /* the caller's */
    FILE *file;
    void *xz; /* lzma_stream, or NULL: plain */
    uint8_t *packed;
    char *text;
    size_t at, size; /* of what is in text and was not taken */
    uint64_t line;   /* number of the last line taken, from 1 */
};

int traceg_lines_open(struct traceg_lines *l, const char *path, struct mp_error *err);
void traceg_lines_close(struct traceg_lines *l);
/* The next line without its end, 0-terminated and valid until the next call; 1 at the file's end, -1 on
 * failure. */
int traceg_line(struct traceg_lines *l, char **line, struct mp_error *err);

#endif
