/* SPDX-License-Identifier: Apache-2.0 */
/* A recording whose lines are sorted while it is parsed: its lines, where its items go, and its errors. */
#ifndef MP_TRACE_IMPORT_SOURCE_H
#define MP_TRACE_IMPORT_SOURCE_H

#include "trace/import_item.h"
#include "trace/import_lines.h"

struct import_source {
    struct import_lines lines;
    uint64_t line; /* number of the line that is parsed, which after sorting is not the last one read */
    const struct import_parsing *how;
    struct mp_error *err;
};

int import_source_open(struct import_source *s, const char *path, const struct import_parsing *how,
                       struct mp_error *err);
/* Fails at the line: "PATH:LINE: WHAT; ALLOWED". */
int import_source_fail(struct import_source *s, const char *what, const char *allowed);
/* Hands an item to the receiver, whose error gets the line in front. */
int import_source_send(struct import_source *s, const struct import_item *item);

#endif
