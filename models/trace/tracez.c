/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/tracez.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/*
 * All numbers are little-endian.
 *   the header's text, up to a byte 0
 *   u32 bytes of the dictionary, u32 instructions of a chunk (a hint); the dictionary
 *   for each warp: u32 instructions, u32 chunks; for each chunk: u32 bytes, a zstd frame of lines, without
 * the last end at the index: u32 thread blocks; for each: u32 x, y, z, 7 u32 about its cluster, u32 warps;
 *       for each of these: u32 instructions, u32 chunks, u64 place in the file; for each chunk: u32
 * instructions u64 place of the index The index is read along with the instructions, so that memory does not
 * grow with the file.
 */
enum { DICTIONARY = 1 << 26, POSITION = 3, CLUSTER = 7 };

struct tracez {
    FILE *index; /* the same file */
    ZSTD_DCtx *zstd;
    ZSTD_inBuffer in;
    bool in_header, in_chunk, in_group, ended;
    uint32_t groups, warps, chunks; /* that are left: in the file, in the group, of the warp */
    uint32_t warp, packed;          /* number of the next warp; bytes of the chunk that are not read */
    char text[160];                 /* lines before the next chunk */
    size_t at, size;
};

static bool number(FILE *f, unsigned bytes, uint64_t *value)
{
    uint8_t b[8];
    if (fread(b, 1, bytes, f) != bytes)
        return false;
    *value = 0;
    for (unsigned i = bytes; i--;)
        *value = *value << 8 | b[i];
    return true;
}

static int index_ends(const struct import_file *f, struct mp_error *err)
{
    const struct tracez *z = f->state;
    return mp_fail(err, "%s: byte %" PRId64 ": the index ends early; the file must be whole", f->path,
                   (int64_t)ftello(z->index));
}

static int next_group(struct import_file *f, struct mp_error *err)
{
    struct tracez *z = f->state;
    uint64_t v[POSITION + CLUSTER + 1];
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++)
        if (!number(z->index, 4, &v[i]))
            return index_ends(f, err);
    z->groups--;
    z->in_group = true;
    z->warps = (uint32_t)v[POSITION + CLUSTER];
    z->warp = 0;
    z->size =
        (size_t)snprintf(z->text, sizeof z->text,
                         "#BEGIN_TB\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", v[0], v[1], v[2]);
    return 0;
}

static int next_warp(struct import_file *f, struct mp_error *err)
{
    struct tracez *z = f->state;
    uint64_t count, chunks, place, count_there, chunks_there;
    if (!number(z->index, 4, &count) || !number(z->index, 4, &chunks) || !number(z->index, 8, &place) ||
        place > INT64_MAX || fseeko(z->index, (off_t)(4 * chunks), SEEK_CUR))
        return index_ends(f, err);
    if (((uint64_t)ftello(f->file) != place && fseeko(f->file, (off_t)place, SEEK_SET)) ||
        !number(f->file, 4, &count_there) || !number(f->file, 4, &chunks_there))
        return import_file_fail(f, err, "the file ends before a warp of its index");
    if (count != count_there || chunks != chunks_there)
        return import_file_fail(f, err,
                                "a warp has other numbers of instructions and chunks than the index has");
    z->warps--;
    z->chunks = (uint32_t)chunks;
    z->size = (size_t)snprintf(z->text, sizeof z->text, "warp = %" PRIu32 "\ninsts = %" PRIu64 "\n",
                               z->warp++, count);
    return 0;
}

static int next_chunk(struct import_file *f, struct mp_error *err)
{
    struct tracez *z = f->state;
    uint64_t bytes;
    if (!number(f->file, 4, &bytes))
        return import_file_fail(f, err, "the file ends before a chunk");
    z->chunks--;
    z->packed = (uint32_t)bytes;
    z->in = (ZSTD_inBuffer){f->packed, 0, 0};
    z->in_chunk = true;
    ZSTD_DCtx_reset(z->zstd, ZSTD_reset_session_only); /* the dictionary stays */
    return 0;
}

/* The lines between chunks, or the begin of a chunk. */
static int advance(struct import_file *f, struct mp_error *err)
{
    struct tracez *z = f->state;
    z->at = z->size = 0;
    if (z->chunks)
        return next_chunk(f, err);
    if (z->warps)
        return next_warp(f, err);
    if (z->in_group) {
        z->in_group = false;
        z->size = (size_t)snprintf(z->text, sizeof z->text, "#END_TB\n");
        return 0;
    }
    if (z->groups)
        return next_group(f, err);
    z->ended = true;
    return 0;
}

static int read_chunk(struct import_file *f, ZSTD_outBuffer *out, struct mp_error *err)
{
    struct tracez *z = f->state;
    if (z->in.pos == z->in.size && z->packed) {
        size_t n = z->packed < IMPORT_PACKED ? z->packed : IMPORT_PACKED;
        if (import_file_bytes(f, f->packed, n) != n)
            return import_file_fail(f, err, "the file ends inside a chunk");
        z->packed -= (uint32_t)n;
        z->in = (ZSTD_inBuffer){f->packed, n, 0};
    }
    size_t before = out->pos, left = ZSTD_decompressStream(z->zstd, out, &z->in);
    if (ZSTD_isError(left))
        return import_file_fail(f, err, "damaged zstd compression of a chunk");
    if (!left) {
        if (z->packed || z->in.pos < z->in.size)
            return import_file_fail(f, err, "bytes after the zstd frame of a chunk");
        z->in_chunk = false;
        z->text[0] = '\n';
        z->at = 0;
        z->size = 1;
    } else if (out->pos == before && z->in.pos == z->in.size && !z->packed) {
        return import_file_fail(f, err, "zstd compression of a chunk ends early");
    }
    return 0;
}

static int read_header(struct import_file *f, ZSTD_outBuffer *out, struct mp_error *err)
{
    struct tracez *z = f->state;
    char *to = out->dst;
    int c = 0;
    while (out->pos < out->size && (c = getc(f->file)) > 0)
        to[out->pos++] = (char)c;
    if (c == EOF)
        return import_file_fail(f, err, "no byte 0 ends the header");
    z->in_header = c != 0;
    return 0;
}

static int read_tracez(struct import_file *f, char *to, size_t room, size_t *got, struct mp_error *err)
{
    struct tracez *z = f->state;
    ZSTD_outBuffer out = {to, room, 0};
    int bad = 0;
    while (!bad && out.pos < room && !z->ended) {
        if (z->in_header) {
            bad = read_header(f, &out, err);
        } else if (z->at < z->size) {
            size_t n = z->size - z->at < room - out.pos ? z->size - z->at : room - out.pos;
            memcpy(to + out.pos, z->text + z->at, n);
            z->at += n;
            out.pos += n;
        } else {
            bad = z->in_chunk ? read_chunk(f, &out, err) : advance(f, err);
        }
    }
    *got = out.pos;
    return bad;
}

static void end_tracez(void *state)
{
    struct tracez *z = state;
    if (z->index)
        fclose(z->index);
    ZSTD_freeDCtx(z->zstd);
    free(z);
}

static int load_dictionary(struct import_file *f, struct mp_error *err)
{
    struct tracez *z = f->state;
    uint64_t bytes, chunk;
    int c;
    do
        c = getc(f->file);
    while (c > 0);
    if (c == EOF || !number(f->file, 4, &bytes) || !number(f->file, 4, &chunk))
        return import_file_fail(f, err, "no header that a byte 0 ends, and two numbers");
    if (bytes > DICTIONARY)
        return import_file_fail(f, err, "a dictionary of more than 64 MB");
    void *dictionary = malloc(bytes + 1);
    if (!dictionary)
        return mp_fail(err, "%s: out of memory", f->path);
    bool good = import_file_bytes(f, dictionary, bytes) == bytes &&
                (!bytes || !ZSTD_isError(ZSTD_DCtx_loadDictionary(z->zstd, dictionary, bytes)));
    free(dictionary);
    return good ? 0 : import_file_fail(f, err, "a damaged zstd dictionary");
}

static int find_index(struct import_file *f, struct mp_error *err)
{
    struct tracez *z = f->state;
    uint64_t place, groups;
    if (fseeko(z->index, -8, SEEK_END) || !number(z->index, 8, &place) || place > INT64_MAX ||
        fseeko(z->index, (off_t)place, SEEK_SET) || !number(z->index, 4, &groups))
        return index_ends(f, err);
    z->groups = (uint32_t)groups;
    return 0;
}

bool tracez_is(const struct import_file *f)
{
    return f->read == read_tracez;
}

int tracez_begin(struct import_file *f, struct mp_error *err)
{
    struct tracez *z = calloc(1, sizeof *z);
    if (!z)
        return mp_fail(err, "%s: out of memory", f->path);
    f->state = z;
    f->end = end_tracez;
    f->read = read_tracez;
    z->in_header = true;
    z->zstd = ZSTD_createDCtx();
    z->index = fopen(f->path, "rb");
    if (!z->index || !z->zstd)
        return mp_fail(err, "%s: %s; the file must be readable", f->path, strerror(errno));
    if (load_dictionary(f, err) || find_index(f, err))
        return -1;
    rewind(f->file);
    return 0;
}
