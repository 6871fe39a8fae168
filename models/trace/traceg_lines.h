/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a text file, plain or xz. */
#ifndef MP_TRACE_TRACEG_LINES_H
#define MP_TRACE_TRACEG_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"

struct traceg_lines {
    const char *path; /* belongs to the caller */
    FILE *file;
    void *xz; /* lzma_stream, or NULL if plain */
    uint8_t *packed;
    char *text;
    size_t at, size; /* bytes of text that have not been taken */
    uint64_t line;   /* number of the last line taken, from 1 */
};

int traceg_lines_open(struct traceg_lines *l, const char *path, struct mp_error *err);
void traceg_lines_close(struct traceg_lines *l);
/* Reads the next line, without its end and 0-terminated. It is valid until the next call. Returns 1 at the
 * end of the file and -1 on failure. */
int traceg_line(struct traceg_lines *l, char **line, struct mp_error *err);

#endif
