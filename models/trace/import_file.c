/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/import_file.h"

#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "trace/tracez.h"

size_t import_file_bytes(struct import_file *f, void *to, size_t room)
{
    size_t n = fread(to, 1, room, f->file);
    if (f->tick && n)
        f->tick(f->self, n);
    return n;
}

int import_file_fail(const struct import_file *f, struct mp_error *err, const char *what)
{
    return ferror(f->file) ? mp_fail(err, "%s: %s; the file must be readable", f->path, strerror(errno))
                           : mp_fail(err, "%s: byte %" PRId64 ": %s; the file must be whole", f->path,
                                     (int64_t)ftello(f->file), what);
}

static int read_plain(struct import_file *f, char *to, size_t room, size_t *got, struct mp_error *err)
{
    *got = import_file_bytes(f, to, room);
    return ferror(f->file) ? import_file_fail(f, err, "") : 0;
}

/* ---- xz ---- */

static int read_xz(struct import_file *f, char *to, size_t room, size_t *got, struct mp_error *err)
{
    lzma_stream *xz = f->state;
    xz->next_out = (uint8_t *)to;
    xz->avail_out = room;
    while (xz->avail_out == room) {
        if (!xz->avail_in) {
            xz->next_in = f->packed;
            xz->avail_in = import_file_bytes(f, f->packed, IMPORT_PACKED);
        }
        lzma_ret ret = lzma_code(xz, xz->avail_in ? LZMA_RUN : LZMA_FINISH);
        if (ret == LZMA_STREAM_END)
            break;
        if (ret != LZMA_OK)
            return import_file_fail(
                f, err, ret == LZMA_BUF_ERROR ? "xz compression ends early" : "damaged xz compression");
    }
    *got = room - xz->avail_out;
    return 0;
}

static void end_xz(void *state)
{
    lzma_end(state);
    free(state);
}

static bool begin_xz(struct import_file *f)
{
    lzma_stream *xz = malloc(sizeof *xz);
    if (!xz)
        return false;
    *xz = (lzma_stream)LZMA_STREAM_INIT;
    f->state = xz;
    f->read = read_xz;
    f->end = end_xz;
    /* xz -9 needs 65 MB. A file whose damaged header requests more than this is refused. */
    return lzma_stream_decoder(xz, 128u << 20, LZMA_CONCATENATED) == LZMA_OK;
}

/* ---- gzip ---- */

struct gzip {
    z_stream stream;
    bool inside; /* a member, of which a file may have several */
};

static int read_gzip(struct import_file *f, char *to, size_t room, size_t *got, struct mp_error *err)
{
    struct gzip *g = f->state;
    z_stream *s = &g->stream;
    s->next_out = (Bytef *)to;
    s->avail_out = (uInt)room;
    while (s->avail_out == room) {
        if (!s->avail_in) {
            s->next_in = f->packed;
            s->avail_in = (uInt)import_file_bytes(f, f->packed, IMPORT_PACKED);
        }
        if (!s->avail_in && g->inside)
            return import_file_fail(f, err, "gzip compression ends early");
        if (!s->avail_in)
            break;
        int status = inflate(s, Z_NO_FLUSH);
        g->inside = status != Z_STREAM_END;
        if (status != Z_OK && (status != Z_STREAM_END || inflateReset(s) != Z_OK))
            return import_file_fail(f, err, "damaged gzip compression");
    }
    *got = room - s->avail_out;
    return 0;
}

static void end_gzip(void *state)
{
    struct gzip *g = state;
    inflateEnd(&g->stream);
    free(g);
}

static bool begin_gzip(struct import_file *f)
{
    struct gzip *g = calloc(1, sizeof *g);
    if (!g)
        return false;
    g->inside = true;
    f->state = g;
    f->read = read_gzip;
    f->end = end_gzip;
    return inflateInit2(&g->stream, 15 + 16) == Z_OK; /* the largest window, in gzip's format */
}

/* ---- zstd ---- */

struct zstd {
    ZSTD_DCtx *context;
    ZSTD_inBuffer in;
    size_t left; /* 0: between two frames */
};

static int read_zstd(struct import_file *f, char *to, size_t room, size_t *got, struct mp_error *err)
{
    struct zstd *z = f->state;
    ZSTD_outBuffer out = {to, room, 0};
    while (!out.pos) {
        if (z->in.pos == z->in.size)
            z->in = (ZSTD_inBuffer){f->packed, import_file_bytes(f, f->packed, IMPORT_PACKED), 0};
        if (!z->in.size && z->left)
            return import_file_fail(f, err, "zstd compression ends early");
        if (!z->in.size)
            break;
        z->left = ZSTD_decompressStream(z->context, &out, &z->in);
        if (ZSTD_isError(z->left))
            return import_file_fail(f, err, "damaged zstd compression");
    }
    *got = out.pos;
    return 0;
}

static void end_zstd(void *state)
{
    struct zstd *z = state;
    ZSTD_freeDCtx(z->context);
    free(z);
}

static bool begin_zstd(struct import_file *f)
{
    struct zstd *z = calloc(1, sizeof *z);
    if (!z)
        return false;
    z->context = ZSTD_createDCtx();
    z->left = 1;
    f->state = z;
    f->read = read_zstd;
    f->end = end_zstd;
    return z->context != NULL;
}

/* ---- which one it is ---- */

static const struct packing {
    uint8_t magic[6];
    unsigned length;
    bool (*begin)(struct import_file *f);
} packings[] = {
    {{0xfd, '7', 'z', 'X', 'Z', 0}, 6, begin_xz},
    {{0x1f, 0x8b}, 2, begin_gzip},
    {{0x28, 0xb5, 0x2f, 0xfd}, 4, begin_zstd},
};

static int begin(struct import_file *f, struct mp_error *err)
{
    uint8_t first[6];
    size_t n = fread(first, 1, sizeof first, f->file);
    const char *dot = strrchr(f->path, '.');
    rewind(f->file);
    for (unsigned i = 0; i < sizeof packings / sizeof *packings; i++) {
        const struct packing *p = &packings[i];
        if (n >= p->length && !memcmp(first, p->magic, p->length))
            return p->begin(f) ? 0 : mp_fail(err, "%s: out of memory", f->path);
    }
    return dot && !strcmp(dot, ".tracez") ? tracez_begin(f, err) : 0;
}

int import_file_open(struct import_file *f, const char *path, import_tick *tick, void *self,
                     struct mp_error *err)
{
    *f = (struct import_file){
        .path = path, .file = fopen(path, "rb"), .read = read_plain, .tick = tick, .self = self};
    if (!f->file)
        return mp_fail(err, "%s: %s; the file must be readable", path, strerror(errno));
    f->packed = malloc(IMPORT_PACKED);
    int bad = f->packed ? begin(f, err) : mp_fail(err, "%s: out of memory", path);
    if (bad)
        import_file_close(f);
    return bad;
}

void import_file_close(struct import_file *f)
{
    if (f->state)
        f->end(f->state);
    free(f->packed);
    if (f->file)
        fclose(f->file);
    *f = (struct import_file){0};
}
