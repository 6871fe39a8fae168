/* SPDX-License-Identifier: Apache-2.0 */
/* Brings lines into the order of their keys in bounded memory: what does not fit is sorted in parts, which
 * wait in a temporary file ($TMPDIR, or /tmp) and are merged. Lines with equal keys keep their order. */
#ifndef MP_TRACE_IMPORT_GROUP_H
#define MP_TRACE_IMPORT_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

struct import_keyed {
    uint64_t key, number; /* number: of the line in its file */
    char *text;           /* 0-terminated, and may be changed; valid until the next call */
};

/* memory: bytes of lines to hold at most; 0: 256 MB. NULL: out of memory. */
struct import_group *import_group_new(size_t memory);
int import_group_add(struct import_group *g, const struct import_keyed *line, struct mp_error *err);
/* After the last line. */
int import_group_sort(struct import_group *g, struct mp_error *err);
/* Returns 1 after the last one. */
int import_group_next(struct import_group *g, struct import_keyed *line, struct mp_error *err);
void import_group_free(struct import_group *g);

#endif
