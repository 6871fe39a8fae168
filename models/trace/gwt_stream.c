/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/gwt_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "trace/gwt_format.h"

enum { WINDOW = 1 << 18, PACKED = 1 << 17 };

int gwt_stream_fail(const struct gwt_stream *s, uint64_t offset, struct mp_error *err, const char *format,
                    ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mp_fail(err, "%s: byte %" PRIu64 ": %s", s->name, offset, text);
}

/* Reads up to `room` bytes as stored. Returns 0 at the end and -1 on failure. */
static ptrdiff_t read_stored(struct gwt_stream *s, uint8_t *to, size_t room, struct mp_error *err)
{
    if (s->fd < 0) {
        size_t n = s->memory_size - (size_t)s->file_at;
        n = n < room ? n : room;
        memcpy(to, s->memory + s->file_at, n);
        s->file_at += n;
        return (ptrdiff_t)n;
    }
    ssize_t n;
    do
        n = read(s->fd, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return mp_fail(err, "%s: %s; the file must be readable", s->name, strerror(errno));
    s->file_at += (uint64_t)n;
    return n;
}

static ptrdiff_t read_unpacked(struct gwt_stream *s, uint8_t *to, size_t room, struct mp_error *err)
{
    ZSTD_outBuffer out = {to, room, 0};
    while (!out.pos) {
        bool stored_end = false;
        if (s->packed_at == s->packed_size) {
            ptrdiff_t n = read_stored(s, s->packed, PACKED, err);
            if (n < 0)
                return -1;
            s->packed_at = 0;
            s->packed_size = (size_t)n;
            stored_end = !n;
        }
        if (stored_end && !s->frame_left)
            return 0;
        ZSTD_inBuffer in = {s->packed, s->packed_size, s->packed_at};
        size_t left = ZSTD_decompressStream(s->zstd, &out, &in);
        if (ZSTD_isError(left))
            return gwt_stream_fail(s, gwt_stream_offset(s, s->end), err,
                                   "damaged compression (%s); a zstd window may have up to %d bits",
                                   ZSTD_getErrorName(left), GWT_ZSTD_WINDOW);
        s->packed_at = in.pos;
        s->frame_left = left;
        if (stored_end && !out.pos)
            return gwt_stream_fail(s, gwt_stream_offset(s, s->end), err,
                                   "the file ends inside a zstd frame; a trace must be whole");
    }
    return (ptrdiff_t)out.pos;
}

void gwt_stream_hash(struct gwt_stream *s)
{
    if (s->hash)
        XXH3_128bits_update(s->hash, s->hashed, (size_t)(s->at - s->hashed));
    s->hashed = s->at;
}

static ptrdiff_t read_more(struct gwt_stream *s, uint8_t *to, size_t room, struct mp_error *err)
{
    return s->zstd ? read_unpacked(s, to, room, err) : read_stored(s, to, room, err);
}

/* The part of the window that a fill may use. */
static size_t room_of(const struct gwt_stream *s, size_t want)
{
    size_t most = s->zstd && s->ahead && want < s->ahead ? s->ahead : WINDOW;
    return most - gwt_stream_left(s);
}

int gwt_stream_fill(struct gwt_stream *s, size_t want, struct mp_error *err)
{
    size_t kept = gwt_stream_left(s);
    if (kept >= want || s->all)
        return 0;
    gwt_stream_hash(s);
    s->base = gwt_stream_offset(s, s->at);
    memmove(s->window, s->at, kept);
    s->at = s->hashed = s->window;
    s->end = s->window + kept;
    while (gwt_stream_left(s) < want) {
        ptrdiff_t n = read_more(s, s->window + gwt_stream_left(s), room_of(s, want), err);
        if (n < 0)
            return -1;
        if (!n) {
            s->all = true;
            break;
        }
        s->end += n;
    }
    return 0;
}

ptrdiff_t gwt_stream_take(struct gwt_stream *s, uint8_t *to, size_t bytes, struct mp_error *err)
{
    size_t taken = gwt_stream_left(s) < bytes ? gwt_stream_left(s) : bytes;
    memcpy(to, s->at, taken);
    s->at += taken;
    gwt_stream_hash(s);
    while (taken < bytes && !s->all) {
        ptrdiff_t n = read_more(s, to + taken, bytes - taken, err);
        if (n < 0)
            return -1;
        if (s->hash)
            XXH3_128bits_update(s->hash, to + taken, (size_t)n);
        s->base += (uint64_t)n; /* the window is empty */
        s->all = !n;
        taken += (size_t)n;
    }
    return (ptrdiff_t)taken;
}

static bool unchanged(const struct gwt_stream *s)
{
    struct stat st;
    return s->fd < 0 ||
           (!fstat(s->fd, &st) && (uint64_t)st.st_size == s->file_bytes &&
            st.st_mtim.tv_sec == s->modified.tv_sec && st.st_mtim.tv_nsec == s->modified.tv_nsec);
}

int gwt_stream_rewind(struct gwt_stream *s, struct mp_error *err)
{
    if (!unchanged(s))
        return mp_fail(err, "%s: the file changed while it was in use; a trace must stay as it is", s->name);
    if (s->fd >= 0 && lseek(s->fd, 0, SEEK_SET) < 0)
        return mp_fail(err, "%s: %s; a trace must be a file that can be read twice", s->name,
                       strerror(errno));
    if (s->zstd)
        ZSTD_DCtx_reset(s->zstd, ZSTD_reset_session_only);
    s->file_at = s->base = 0;
    s->packed_at = s->packed_size = s->frame_left = 0;
    s->at = s->end = s->hashed = s->window;
    s->all = false;
    return 0;
}

int gwt_stream_identify(struct gwt_stream *s, uint64_t hash[2], struct mp_error *err)
{
    XXH3_state_t *state = XXH3_createState();
    ptrdiff_t n = state && !XXH3_128bits_reset(state) ? 1 : mp_fail(err, "%s: out of memory", s->name);
    while (n > 0 && (n = read_stored(s, s->window, WINDOW, err)) > 0)
        XXH3_128bits_update(state, s->window, (size_t)n);
    if (!n) {
        XXH128_hash_t digest = XXH3_128bits_digest(state);
        hash[0] = digest.high64;
        hash[1] = digest.low64;
    }
    XXH3_freeState(state);
    return (int)n;
}

static int open_file(struct gwt_stream *s, struct mp_error *err)
{
    struct stat st;
    s->fd = open(s->name, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &st))
        return mp_fail(err, "%s: %s; a trace must be a readable file", s->name, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return mp_fail(err, "%s: not a regular file; a trace is read more than once", s->name);
    s->file_bytes = (uint64_t)st.st_size;
    s->modified = st.st_mtim;
    return 0;
}

/* zstd frames, and skippable frames before them, are recognized by their first four bytes. */
static int detect(struct gwt_stream *s, struct mp_error *err)
{
    uint8_t first[4];
    ptrdiff_t n = read_stored(s, first, sizeof first, err);
    if (n < 0)
        return -1;
    bool packed = n == sizeof first && ((!memcmp(first, "\x28\xb5\x2f\xfd", 4)) ||
                                        ((first[0] & 0xf0) == 0x50 && !memcmp(first + 1, "\x2a\x4d\x18", 3)));
    if (packed) {
        s->zstd = ZSTD_createDCtx();
        s->packed = malloc(PACKED);
        if (!s->zstd || !s->packed)
            return mp_fail(err, "%s: out of memory", s->name);
        ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, GWT_ZSTD_WINDOW);
    }
    return gwt_stream_rewind(s, err);
}

int gwt_stream_open(struct gwt_stream *s, const char *name, const void *memory, size_t size,
                    struct mp_error *err)
{
    *s = (struct gwt_stream){.fd = -1, .memory = memory, .memory_size = size, .file_bytes = size};
    s->name = strdup(name);
    s->window = calloc(1, WINDOW + GWT_EVENT_MAX);
    s->at = s->end = s->hashed = s->window;
    int failed;
    if (!s->name || !s->window)
        failed = mp_fail(err, "%s: out of memory", name);
    else
        failed = (!memory && open_file(s, err)) || detect(s, err) ? -1 : 0;
    if (failed)
        gwt_stream_close(s);
    return failed;
}

void gwt_stream_close(struct gwt_stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    ZSTD_freeDCtx(s->zstd);
    free(s->packed);
    free(s->window);
    free(s->name);
    *s = (struct gwt_stream){.fd = -1};
}
