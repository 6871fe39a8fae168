/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a trace with another number of instructions between its events. */
#include <inttypes.h>

#include "trace/gwt.h"

struct scale {
    struct gwt_reader *reader;
    struct gwt_writer *writer;
    uint64_t from, to; /* instructions of the trace and of its copy */
};

__extension__ typedef unsigned __int128 wide;

/* to / from of a warp's first n instructions, rounded. */
static uint64_t scaled(const struct scale *s, uint64_t n)
{
    return (uint64_t)(((wide)n * s->to + s->from / 2) / s->from);
}

/* The writer takes each lane's address. */
static void fill_lanes(struct gwt_event *e)
{
    for (uint32_t i = 0; e->mode != GWT_SCATTER && i < e->active; i++)
        e->lane[i] = e->base + (uint64_t)e->stride * i;
}

static int copy_warp(const struct scale *s, struct gwt_warp *warp, struct mp_error *err)
{
    struct gwt_event e;
    uint64_t before = 0, written = 0;
    while (gwt_warp_next(warp, &e)) {
        before += e.gap;
        uint64_t gap = scaled(s, before) - written;
        if (gap > UINT32_MAX)
            return mp_fail(
                err, "a gap of %" PRIu32 " instructions would become %" PRIu64 "; allowed are up to %" PRIu32,
                e.gap, gap, UINT32_MAX);
        written += gap;
        e.gap = (uint32_t)gap;
        if (e.kind == GWT_ACCESS)
            fill_lanes(&e);
        gwt_write_event(s->writer, &e);
    }
    return 0;
}

static int copy_cta(const struct scale *s, struct gwt_cta *cta, struct mp_error *err)
{
    int failed = 0;
    gwt_write_cta(s->writer, cta->id, cta->nwarps);
    for (uint32_t i = 0; i < cta->nwarps && !failed; i++) {
        gwt_write_warp(s->writer, i, gwt_warp_lanes(cta->warp[i]));
        failed = copy_warp(s, cta->warp[i], err);
    }
    gwt_cta_release(s->reader, cta);
    return failed;
}

static int copy_record(const struct scale *s, const struct gwt_record *r, struct mp_error *err)
{
    switch (r->kind) {
    case GWT_ALLOC:
        gwt_write_alloc(s->writer, r->id, r->va, r->bytes);
        break;
    case GWT_FREE:
        gwt_write_free(s->writer, r->id);
        break;
    case GWT_MAP:
    case GWT_UNMAP:
        gwt_write_mapping(s->writer, r->kind, r->va, r->bytes);
        break;
    case GWT_HOST_WRITE:
    case GWT_HOST_READ:
        gwt_write_host(s->writer, r->kind, r->va, r->bytes);
        break;
    case GWT_TIME:
        gwt_write_time(s->writer, r->time);
        break;
    case GWT_KERNEL:
        gwt_write_kernel(s->writer, r->kernel);
        if (r->kernel->needs.end)
            gwt_write_needs(s->writer, &r->kernel->needs);
        break;
    case GWT_CTA:
        return copy_cta(s, r->cta, err);
    case GWT_KERNEL_END:
        gwt_write_kernel_end(s->writer);
        break;
    case GWT_END:
        break;
    }
    return 0;
}

static int copy(const struct scale *s, struct mp_error *err)
{
    const struct gwt_totals *t = gwt_totals(s->reader);
    struct gwt_record r = {.kind = GWT_ALLOC};
    if (!t->instructions || t->instructions > GWT_MOST_INSTRUCTIONS)
        return mp_fail(err, "a trace of %" PRIu64 " instructions cannot be scaled; 1 to 2^48",
                       t->instructions);
    gwt_write_warp_lanes(s->writer, (uint32_t)t->warp_lanes);
    gwt_write_recorded(s->writer, t->recorded ? t->recorded : t->instructions);
    while (r.kind != GWT_END)
        if (gwt_next(s->reader, &r, err) || copy_record(s, &r, err))
            return -1;
    return 0;
}

int gwt_scale(const char *from, const char *to, uint64_t instructions, struct mp_error *err)
{
    struct scale s = {.to = instructions};
    if (gwt_open(&s.reader, from, err))
        return -1;
    s.from = gwt_totals(s.reader)->instructions;
    int failed = gwt_writer_open(&s.writer, to, err);
    if (!failed && (failed = copy(&s, err)))
        gwt_writer_abandon(s.writer);
    else if (!failed)
        failed = gwt_writer_close(s.writer, err);
    gwt_close(s.reader);
    return failed;
}
