/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the running lane's code refers to, and the place that the lane has reached. */
#include "launch.h"

#include <stdio.h>
#include <string.h>

uint64_t *record_cursor, *record_limit;
struct record_work_item record_work_item;

const uint64_t *launch_segment(const struct launch *l)
{
    const uint64_t *at = l->stream + (l->logs ? l->running : l->running % l->warp_lanes) * l->pitch,
                   *last = NULL;
    while (at < record_cursor) {
        last = at;
        at += 1 + l->kernel->segments[*at].count;
    }
    return last;
}

struct record_place launch_place(const struct launch *l)
{
    const uint64_t *segment = launch_segment(l);
    return segment ? l->kernel->segments[*segment].place : (struct record_place){0};
}

const struct buffer *launch_buffer(const struct launch *l, uint32_t argument)
{
    if (argument >= l->kernel->narguments || (l->kernel->arguments[argument].kind != RECORD_GLOBAL &&
                                              l->kernel->arguments[argument].kind != RECORD_CONSTANT))
        return NULL;
    const void *pointer;
    memcpy(&pointer, l->args[argument], sizeof pointer);
    return arena_find(l->arena, arena_va(l->arena, pointer));
}

void launch_where(const struct launch *l, unsigned item, struct record_place at, char text[WHERE_TEXT])
{
    const struct record_work_item *id = &record_work_item;
    const char *slash = strrchr(l->what, '/'), *source = slash ? slash + 1 : l->what;
    char line[128] = "";
    if (at.line && at.file && strcmp(at.file, source) != 0)
        snprintf(line, sizeof line, "line %u of %.80s, ", at.line, at.file);
    else if (at.line)
        snprintf(line, sizeof line, "line %u, ", at.line);
    unsigned long long global[3];
    for (unsigned i = 0; i < 3; i++)
        global[i] = id->group_id[i] * id->local_size[i] + l->local_id[item][i];
    snprintf(text, WHERE_TEXT, "kernel %.100s, %swork-item (%llu,%llu,%llu)", l->kernel->name, line,
             global[0], global[1], global[2]);
}
