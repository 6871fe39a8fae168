/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a recording's file: plain, packed by gzip, xz or zstd, or a .tracez container. */
#ifndef MP_TRACE_IMPORT_FILE_H
#define MP_TRACE_IMPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"

/* Receives the number of bytes of the file that were read since the last call. */
typedef void import_tick(void *self, uint64_t bytes);

struct import_file {
    const char *path; /* belongs to the caller */
    FILE *file;
    /* Reads at most `room` bytes of text; *got is 0 at the end. */
    int (*read)(struct import_file *f, char *to, size_t room, size_t *got, struct mp_error *err);
    void (*end)(void *state);
    void *state;     /* of the unpacking, NULL if the file is plain */
    uint8_t *packed; /* IMPORT_PACKED bytes for it */
    import_tick *tick;
    void *self;
};

enum { IMPORT_PACKED = 1 << 16 };

/* tick: or NULL. Errors of packed files are "PATH: byte N: WHAT; WHAT IS ALLOWED". */
int import_file_open(struct import_file *f, const char *path, import_tick *tick, void *self,
                     struct mp_error *err);
void import_file_close(struct import_file *f);

/* Reads bytes of the file itself, and reports them. Returns less than `room` at the end of the file. */
size_t import_file_bytes(struct import_file *f, void *to, size_t room);

/* Fails at the file's present place. */
int import_file_fail(const struct import_file *f, struct mp_error *err, const char *what);

#endif
