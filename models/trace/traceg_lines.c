/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/traceg_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 17, PACKED = 1 << 16, LONGEST = 1 << 16 };

int traceg_lines_open(struct traceg_lines *l, const char *path, struct mp_error *err)
{
    static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    *l = (struct traceg_lines){.path = path, .file = fopen(path, "rb")};
    if (!l->file)
        return mp_fail(err, "%s: %s; the file must be readable", path, strerror(errno));
    l->text = malloc(TEXT + 1);
    l->packed = malloc(PACKED);
    bool good = l->text && l->packed;
    if (good && fread(l->packed, 1, sizeof magic, l->file) == sizeof magic &&
        !memcmp(l->packed, magic, sizeof magic)) {
        lzma_stream *xz = malloc(sizeof *xz);
        if (xz)
            *xz = (lzma_stream)LZMA_STREAM_INIT;
        l->xz = xz;
        /* xz -9 needs 65 MB. A file whose damaged header requests more than this is refused. */
        good = xz && lzma_stream_decoder(xz, 128u << 20, LZMA_CONCATENATED) == LZMA_OK;
    }
    rewind(l->file);
    if (good)
        return 0;
    traceg_lines_close(l);
    return mp_fail(err, "%s: out of memory", path);
}

void traceg_lines_close(struct traceg_lines *l)
{
    if (l->xz)
        lzma_end(l->xz);
    free(l->xz);
    free(l->packed);
    free(l->text);
    if (l->file)
        fclose(l->file);
    *l = (struct traceg_lines){0};
}

static int read_xz(struct traceg_lines *l, char *to, size_t room, size_t *got, struct mp_error *err)
{
    lzma_stream *xz = l->xz;
    xz->next_out = (uint8_t *)to;
    xz->avail_out = room;
    while (xz->avail_out == room) {
        if (!xz->avail_in) {
            xz->next_in = l->packed;
            xz->avail_in = fread(l->packed, 1, PACKED, l->file);
        }
        lzma_ret ret = lzma_code(xz, xz->avail_in ? LZMA_RUN : LZMA_FINISH);
        if (ret == LZMA_STREAM_END)
            break;
        if (ret != LZMA_OK)
            return mp_fail(
                err, "%s:%" PRIu64 ": damaged xz compression (liblzma error %d); the file must be whole",
                l->path, l->line + 1, (int)ret);
    }
    *got = room - xz->avail_out;
    return 0;
}

static int refill(struct traceg_lines *l, size_t *got, struct mp_error *err)
{
    memmove(l->text, l->text + l->at, l->size);
    l->at = 0;
    size_t room = TEXT - l->size;
    *got = 0;
    if (l->xz) {
        if (read_xz(l, l->text + l->size, room, got, err))
            return -1;
    } else {
        *got = fread(l->text + l->size, 1, room, l->file);
    }
    if (ferror(l->file))
        return mp_fail(err, "%s: %s; the file must be readable", l->path, strerror(errno));
    l->size += *got;
    return 0;
}

int traceg_line(struct traceg_lines *l, char **line, struct mp_error *err)
{
    char *start = l->text + l->at, *end = memchr(start, '\n', l->size);
    while (!end && l->size <= LONGEST) {
        size_t got;
        if (refill(l, &got, err))
            return -1;
        start = l->text;
        end = memchr(start, '\n', l->size);
        if (!got)
            break;
    }
    if (!end && l->size > LONGEST)
        return mp_fail(err, "%s:%" PRIu64 ": the line is too long; allowed are %d bytes", l->path,
                       l->line + 1, (int)LONGEST);
    if (!end && !l->size)
        return 1;
    size_t taken = end ? (size_t)(end - start) + 1 : l->size;
    if (!end)
        end = start + l->size;
    l->at += taken;
    l->size -= taken;
    l->line++;
    if (end > start && end[-1] == '\r')
        end--;
    *end = 0;
    *line = start;
    return 0;
}
