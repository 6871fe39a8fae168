/* SPDX-License-Identifier: Apache-2.0 */
#include "host/link.h"

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t mp_host_send_line(struct mp_host_way *w, uint64_t now, uint32_t line)
{
    const uint64_t start = w->lines > now ? w->lines : now;
    uint64_t turn = 0; /* of a copy, before the line */
    if (start >= w->begin && start < w->copies) {
        const uint64_t gap = less(w->gaps, line);
        w->gaps -= gap;
        turn = line - gap;
    }
    w->copies += turn;
    w->delay += turn;
    return w->lines = start + turn + line;
}

uint64_t mp_host_send_copy(struct mp_host_way *w, uint64_t now, uint64_t from, uint64_t takes, uint64_t wire)
{
    const uint64_t start = from > w->copies ? from : w->copies;
    if (w->copies <= now) {
        w->begin = start;
        w->gaps = 0;
    } else {
        w->gaps += start - w->copies;
    }
    const uint64_t lines = w->lines > start ? w->lines - start : 0, gap = takes > wire ? takes - wire : 0;
    w->gaps += gap - less(gap, lines);
    return w->copies = start + takes + lines - less(gap, lines);
}
