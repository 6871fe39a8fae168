/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a file of a recording. */
#ifndef MP_TRACE_IMPORT_LINES_H
#define MP_TRACE_IMPORT_LINES_H

#include "trace/import_file.h"

struct import_lines {
    struct import_file file;
    char *text;
    size_t at, size; /* bytes of text that have not been taken */
    uint64_t line;   /* number of the last line taken, from 1 */
};

int import_lines_open(struct import_lines *l, const char *path, import_tick *tick, void *self,
                      struct mp_error *err);
void import_lines_close(struct import_lines *l);
/* Reads the next line, without its end and 0-terminated. It is valid until the next call. Returns 1 at the
 * end of the file and -1 on failure. */
int import_line(struct import_lines *l, char **line, struct mp_error *err);

#endif
