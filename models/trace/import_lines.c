/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/import_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A bulk copy has an address for each of its pieces in one line. */
enum { TEXT = 1 << 21, LONGEST = 1 << 20 };

int import_lines_open(struct import_lines *l, const char *path, import_tick *tick, void *self,
                      struct mp_error *err)
{
    *l = (struct import_lines){0};
    if (import_file_open(&l->file, path, tick, self, err))
        return -1;
    l->text = malloc(TEXT + 1);
    if (l->text)
        return 0;
    import_lines_close(l);
    return mp_fail(err, "%s: out of memory", path);
}

void import_lines_close(struct import_lines *l)
{
    import_file_close(&l->file);
    free(l->text);
    *l = (struct import_lines){0};
}

int import_line(struct import_lines *l, char **line, struct mp_error *err)
{
    char *start = l->text + l->at, *end = memchr(start, '\n', l->size);
    while (!end && l->size <= LONGEST) {
        size_t got, before = l->size;
        memmove(l->text, start, l->size);
        start = l->text;
        l->at = 0;
        if (l->file.read(&l->file, l->text + before, TEXT - before, &got, err))
            return -1;
        l->size += got;
        end = memchr(start + before, '\n', got);
        if (!got)
            break;
    }
    if (!end && l->size > LONGEST)
        return mp_fail(err, "%s:%" PRIu64 ": the line is too long; allowed are %d bytes", l->file.path,
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
