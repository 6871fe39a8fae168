/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/import_group.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { USUAL = 256 << 20, FIRST = 1 << 16, PIECE = 1 << 16, LEVEL = 1 };

/* Before each text, in memory and in the file. */
struct head {
    uint64_t key, number;
    uint64_t bytes; /* of the text, with its end */
};

struct entry { /* place of a head in memory */
    uint64_t key;
    size_t at;
};

/* A sorted part: a zstd stream in the file. */
struct part {
    off_t at, end; /* bytes that are not read yet */
    ZSTD_DCtx *zstd;
    ZSTD_inBuffer in;
    uint8_t *packed; /* PIECE bytes */
    struct head head;
    char *text;
    size_t room;
};

struct import_group {
    size_t memory, used, room;
    uint8_t *bytes;
    struct entry *entry;
    size_t entries, entry_room, shown; /* shown: entries that were returned, if there is no file */
    FILE *file;
    struct part *part;
    unsigned parts, *heap, waiting; /* heap: parts with a line, the one with the smallest key first */
};

struct import_group *import_group_new(size_t memory)
{
    struct import_group *g = calloc(1, sizeof *g);
    if (g)
        g->memory = memory ? memory : USUAL;
    return g;
}

static int no_memory(struct mp_error *err)
{
    return mp_fail(err, "out of memory; lines of a recording are sorted");
}

static int no_file(struct mp_error *err)
{
    return mp_fail(err, "temporary file: %s; TMPDIR must name a folder with room for the recording",
                   strerror(errno));
}

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->at > y->at) - (x->at < y->at);
}

static int open_file(struct import_group *g, struct mp_error *err)
{
    char name[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/mempath-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(name);
    if (fd < 0)
        return no_file(err);
    unlink(name);
    g->file = fdopen(fd, "w+b");
    return g->file ? 0 : no_file(err);
}

static int compress(struct import_group *g, ZSTD_CCtx *zstd, const void *bytes, size_t n,
                    ZSTD_EndDirective how, struct mp_error *err)
{
    uint8_t packed[PIECE];
    ZSTD_inBuffer in = {bytes, n, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {packed, sizeof packed, 0};
        left = ZSTD_compressStream2(zstd, &out, &in, how);
        if (ZSTD_isError(left))
            return no_memory(err);
        if (fwrite(packed, 1, out.pos, g->file) != out.pos)
            return no_file(err);
    } while (in.pos < in.size || (how == ZSTD_e_end && left));
    return 0;
}

static int write_entries(struct import_group *g, ZSTD_CCtx *zstd, struct mp_error *err)
{
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
    for (size_t i = 0; i < g->entries; i++) {
        const uint8_t *bytes = g->bytes + g->entry[i].at;
        struct head head;
        memcpy(&head, bytes, sizeof head);
        if (compress(g, zstd, bytes, sizeof head + head.bytes, ZSTD_e_continue, err))
            return -1;
    }
    return compress(g, zstd, NULL, 0, ZSTD_e_end, err);
}

/* Moves what is in memory to the file. */
static int write_part(struct import_group *g, struct mp_error *err)
{
    if (!g->file && open_file(g, err))
        return -1;
    struct part *larger = realloc(g->part, (g->parts + 1) * sizeof *larger);
    if (!larger)
        return no_memory(err);
    g->part = larger;
    g->part[g->parts] = (struct part){.at = ftello(g->file)};
    qsort(g->entry, g->entries, sizeof *g->entry, by_key);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    int bad = zstd ? write_entries(g, zstd, err) : no_memory(err);
    ZSTD_freeCCtx(zstd);
    g->part[g->parts++].end = ftello(g->file);
    g->entries = g->used = 0;
    return bad;
}

/* Returns the array with room for `wanted` elements, or NULL, and the array stays. */
static void *grown(void *array, size_t *room, size_t wanted, size_t size)
{
    size_t larger = *room ? *room : FIRST;
    while (larger < wanted)
        larger *= 2;
    if (larger == *room)
        return array;
    void *moved = realloc(array, larger * size);
    if (moved)
        *room = larger;
    return moved;
}

int import_group_add(struct import_group *g, const struct import_keyed *line, struct mp_error *err)
{
    struct head head = {line->key, line->number, strlen(line->text) + 1};
    const size_t bytes = sizeof head + head.bytes;
    if (g->entries && g->used + bytes > g->memory && write_part(g, err))
        return -1;
    uint8_t *larger = grown(g->bytes, &g->room, g->used + bytes, 1);
    if (!larger)
        return no_memory(err);
    g->bytes = larger;
    struct entry *longer = grown(g->entry, &g->entry_room, g->entries + 1, sizeof *longer);
    if (!longer)
        return no_memory(err);
    g->entry = longer;
    g->entry[g->entries++] = (struct entry){line->key, g->used};
    memcpy(g->bytes + g->used, &head, sizeof head);
    memcpy(g->bytes + g->used + sizeof head, line->text, head.bytes);
    g->used += bytes;
    return 0;
}

/* ---- merging ---- */

/* Reads bytes of a part. At its end, *got is less than n. */
static int unpack(struct import_group *g, struct part *p, void *to, size_t n, size_t *got,
                  struct mp_error *err)
{
    ZSTD_outBuffer out = {to, n, 0};
    while (out.pos < n) {
        if (p->in.pos == p->in.size && p->at < p->end) {
            size_t piece = p->end - p->at < PIECE ? (size_t)(p->end - p->at) : PIECE;
            ssize_t there = pread(fileno(g->file), p->packed, piece, p->at);
            if (there <= 0)
                return no_file(err);
            p->at += there;
            p->in = (ZSTD_inBuffer){p->packed, (size_t)there, 0};
        }
        size_t before = out.pos, left = ZSTD_decompressStream(p->zstd, &out, &p->in);
        if (ZSTD_isError(left))
            return mp_fail(err, "temporary file: %s; it must stay as it is", ZSTD_getErrorName(left));
        if (out.pos == before && p->in.pos == p->in.size && p->at == p->end)
            break;
    }
    *got = out.pos;
    return 0;
}

/* Returns 1 at the end of the part. */
static int next_of_part(struct import_group *g, struct part *p, struct mp_error *err)
{
    size_t got = 0;
    if (unpack(g, p, &p->head, sizeof p->head, &got, err))
        return -1;
    if (!got)
        return 1;
    char *larger = grown(p->text, &p->room, p->head.bytes, 1);
    if (!larger)
        return no_memory(err);
    p->text = larger;
    return unpack(g, p, p->text, p->head.bytes, &got, err);
}

/* The line of an earlier part came earlier. */
static bool before(const struct import_group *g, unsigned a, unsigned b)
{
    const struct part *x = &g->part[a], *y = &g->part[b];
    return x->head.key != y->head.key ? x->head.key < y->head.key : a < b;
}

static void sink(struct import_group *g, unsigned at)
{
    for (;;) {
        unsigned least = at;
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2 && child < g->waiting; child++)
            if (before(g, g->heap[child], g->heap[least]))
                least = child;
        if (least == at)
            return;
        unsigned part = g->heap[at];
        g->heap[at] = g->heap[least];
        g->heap[least] = part;
        at = least;
    }
}

int import_group_sort(struct import_group *g, struct mp_error *err)
{
    if (!g->parts) {
        qsort(g->entry, g->entries, sizeof *g->entry, by_key);
        return 0;
    }
    if (write_part(g, err))
        return -1;
    free(g->bytes);
    g->bytes = NULL;
    g->room = 0;
    g->heap = calloc(g->parts, sizeof *g->heap);
    if (!g->heap)
        return no_memory(err);
    if (fflush(g->file))
        return no_file(err);
    for (unsigned i = 0; i < g->parts; i++) {
        struct part *p = &g->part[i];
        p->zstd = ZSTD_createDCtx();
        p->packed = malloc(PIECE);
        if (!p->zstd || !p->packed)
            return no_memory(err);
        int status = next_of_part(g, p, err);
        if (status < 0)
            return -1;
        if (!status)
            g->heap[g->waiting++] = i;
    }
    for (unsigned i = g->waiting / 2; i--;)
        sink(g, i);
    g->shown = 0;
    return 0;
}

static int next_merged(struct import_group *g, struct import_keyed *line, struct mp_error *err)
{
    if (g->shown && g->waiting) { /* the part of the line before */
        int status = next_of_part(g, &g->part[*g->heap], err);
        if (status < 0)
            return -1;
        if (status)
            *g->heap = g->heap[--g->waiting];
        sink(g, 0);
    }
    g->shown = 1;
    if (!g->waiting)
        return 1;
    const struct part *p = &g->part[*g->heap];
    *line = (struct import_keyed){p->head.key, p->head.number, p->text};
    return 0;
}

int import_group_next(struct import_group *g, struct import_keyed *line, struct mp_error *err)
{
    if (g->parts)
        return next_merged(g, line, err);
    if (g->shown == g->entries)
        return 1;
    uint8_t *bytes = g->bytes + g->entry[g->shown++].at;
    struct head head;
    memcpy(&head, bytes, sizeof head);
    *line = (struct import_keyed){head.key, head.number, (char *)bytes + sizeof head};
    return 0;
}

void import_group_free(struct import_group *g)
{
    if (!g)
        return;
    for (unsigned i = 0; i < g->parts; i++) {
        ZSTD_freeDCtx(g->part[i].zstd);
        free(g->part[i].packed);
        free(g->part[i].text);
    }
    free(g->part);
    free(g->heap);
    free(g->bytes);
    free(g->entry);
    if (g->file)
        fclose(g->file);
    free(g);
}
