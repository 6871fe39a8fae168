/* SPDX-License-Identifier: Apache-2.0 */
/* The uncompressed bytes of a trace (plain or zstd, from a file or from memory) in a window that moves
 * forward. */
#ifndef MP_TRACE_GWT_STREAM_H
#define MP_TRACE_GWT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "engine/error.h"

struct ZSTD_DCtx_s;
struct XXH3_state_s;

struct gwt_stream {
    char *name;
    int fd; /* -1 if the trace is in memory */
    const uint8_t *memory;
    size_t memory_size;
    uint64_t file_bytes, file_at; /* as stored */
    struct timespec modified;
    struct ZSTD_DCtx_s *zstd; /* NULL if plain */
    uint8_t *packed;
    size_t packed_at, packed_size, frame_left;
    uint8_t *window;
    size_t ahead;            /* bytes that a fill unpacks at most; what is taken past the window costs less */
    const uint8_t *at, *end; /* the part of the window that has not been taken */
    uint64_t base;           /* stream offset of the window's first byte */
    bool all;                /* no bytes follow `end` */
    struct XXH3_state_s *hash; /* of all bytes taken, or NULL */
    const uint8_t *hashed;     /* the hash includes all bytes before this one */
};

/* Errors call the trace `name`. If memory is NULL, the file of that name is opened. */
int gwt_stream_open(struct gwt_stream *s, const char *name, const void *memory, size_t size,
                    struct mp_error *err);
void gwt_stream_close(struct gwt_stream *s);
/* Returns to the first byte. Returns -1 if the file has changed since it was opened. */
int gwt_stream_rewind(struct gwt_stream *s, struct mp_error *err);

/* Reads the rest of the file as stored and computes its XXH3-128, high half and low half. The stream must be
 * at its first byte, and must be rewound afterwards. */
int gwt_stream_identify(struct gwt_stream *s, uint64_t hash[2], struct mp_error *err);

/* Makes at least `want` bytes (at most 128 KB) available from `at`, or all that remain. Returns -1 if
 * reading fails. Up to GWT_EVENT_MAX bytes after `end` can be read; their values have no meaning. */
int gwt_stream_fill(struct gwt_stream *s, size_t want, struct mp_error *err);

/* Takes the next bytes, not by way of the window unless they are in it already. Returns their number, which
 * is less than `bytes` at the end only, or -1 if reading fails. */
ptrdiff_t gwt_stream_take(struct gwt_stream *s, uint8_t *to, size_t bytes, struct mp_error *err);

/* Updates the hash up to `at`. */
void gwt_stream_hash(struct gwt_stream *s);

static inline size_t gwt_stream_left(const struct gwt_stream *s)
{
    return (size_t)(s->end - s->at);
}
static inline uint64_t gwt_stream_offset(const struct gwt_stream *s, const uint8_t *p)
{
    return s->base + (uint64_t)(p - s->window);
}

/* Fills err with "NAME: byte OFFSET: text" and returns -1. */
int gwt_stream_fail(const struct gwt_stream *s, uint64_t offset, struct mp_error *err, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

#endif
