/* SPDX-License-Identifier: Apache-2.0 */
/* How much of managed memory a trace has at a time, for the size of the pool and of its tables. */
#include <stdlib.h>

#include "paging/paging.h"

struct buffer {
    uint64_t id;
    uint32_t blocks;
};

struct count {
    struct buffer *buffer;
    uint32_t room;
    struct mp_paging_buffers now, most;
};

static uint32_t blocks_of(const struct gwt_record *r)
{
    const uint64_t end = r->va + (r->bytes ? r->bytes : 1) - 1;
    return (uint32_t)(end / MP_UVM_BLOCK_BYTES - r->va / MP_UVM_BLOCK_BYTES + 1);
}

static int allocate(struct count *c, const struct gwt_record *r)
{
    if (c->now.ranges == c->room) {
        const uint32_t room = c->room ? 2 * c->room : 16;
        struct buffer *more = realloc(c->buffer, room * sizeof *more);
        if (!more)
            return -1;
        c->buffer = more;
        c->room = room;
    }
    c->buffer[c->now.ranges++] = (struct buffer){r->id, blocks_of(r)};
    c->now.blocks += blocks_of(r);
    c->most.ranges = c->now.ranges > c->most.ranges ? c->now.ranges : c->most.ranges;
    c->most.blocks = c->now.blocks > c->most.blocks ? c->now.blocks : c->most.blocks;
    return 0;
}

static void release(struct count *c, uint64_t id)
{
    uint32_t i = 0;
    while (i < c->now.ranges && c->buffer[i].id != id)
        i++;
    if (i == c->now.ranges)
        return;
    c->now.blocks -= c->buffer[i].blocks;
    c->buffer[i] = c->buffer[--c->now.ranges];
}

static int read_all(struct count *c, struct gwt_reader *reader, struct mp_error *err)
{
    struct gwt_record r;
    do {
        if (gwt_next(reader, &r, err))
            return -1;
        if (r.kind == GWT_CTA)
            gwt_cta_release(reader, r.cta);
        if (r.kind == GWT_ALLOC && allocate(c, &r))
            return mp_fail(err, "out of memory");
        if (r.kind == GWT_FREE)
            release(c, r.id);
    } while (r.kind != GWT_END);
    return gwt_rewind(reader, err);
}

int mp_paging_add_buffers(struct mp_paging_buffers *sum, struct gwt_reader *reader, struct mp_error *err)
{
    struct count c = {.room = 0};
    const int bad = read_all(&c, reader, err);
    free(c.buffer);
    sum->ranges += c.most.ranges;
    sum->blocks += c.most.blocks;
    return bad;
}
