/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/gwt_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "trace/gwt_format.h"
#include "trace/gwt_lines.h"

struct buffer {
    uint64_t id, va, bytes;
    bool mapped; /* a range, without an id */
};

struct check {
    struct gwt_parser *p;
    struct gwt_totals *t;
    struct gwt_firsts *firsts;
    struct gwt_tally *tally;  /* or NULL */
    struct gwt_totals before; /* the launch */
    struct gwt_pages pages;
    struct buffer *buffer; /* buffers allocated now, by address */
    uint32_t buffers, buffer_room;
    uint8_t *cta_seen; /* one bit per work-group of the launch */
    /* By pc: the address from which the warp's next base is counted; the address from which the next
     * warp's first base will be counted; the number of the last warp that used the pc. Between warps,
     * previous and first are equal. */
    uint64_t *previous, *first, *user;
    uint32_t *used; /* the pcs that this warp has used */
    uint64_t warp;  /* number in the file, from 1 */
};

static int no_memory(struct check *c, struct mp_error *err)
{
    return mp_fail(err, "%s: out of memory", c->p->stream.name);
}

/* Returns the index of the first buffer that ends above va. */
static uint32_t buffer_above(const struct check *c, uint64_t va)
{
    uint32_t low = 0, high = c->buffers;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->buffer[middle].va + c->buffer[middle].bytes > va)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Inserts a buffer, or a range that is mapped, which both lie apart from all others. */
static int insert(struct check *c, const struct buffer *b, struct mp_error *err)
{
    struct gwt_stream *s = &c->p->stream;
    const uint32_t at = buffer_above(c, b->va);
    if (at < c->buffers && c->buffer[at].va < b->va + b->bytes) {
        const struct buffer *other = &c->buffer[at];
        if (b->mapped || other->mapped)
            return gwt_stream_fail(s, c->p->start, err,
                                   "0x%" PRIx64 " and %" PRIu64 " bytes overlap %s at 0x%" PRIx64
                                   "; buffers and mapped ranges must lie apart",
                                   b->va, b->bytes, other->mapped ? "a mapped range" : "a buffer", other->va);
        return gwt_stream_fail(s, c->p->start, err,
                               "buffer %" PRIu64 " overlaps buffer %" PRIu64 "; buffers must lie apart",
                               b->id, other->id);
    }
    if (c->buffers == GWT_MAX_BUFFERS)
        return gwt_stream_fail(s, c->p->start, err, "too many buffers; allowed are %u at the same time",
                               GWT_MAX_BUFFERS);
    if (c->buffers == c->buffer_room) {
        c->buffer_room = c->buffer_room ? 2 * c->buffer_room : 64;
        struct buffer *buffer = realloc(c->buffer, c->buffer_room * sizeof *buffer);
        if (!buffer)
            return no_memory(c, err);
        c->buffer = buffer;
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the room was allocated just now or earlier */
    memmove(&c->buffer[at + 1], &c->buffer[at], (c->buffers - at) * sizeof *c->buffer);
    c->buffer[at] = *b;
    c->buffers++;
    return 0;
}

static void remove_at(struct check *c, uint32_t i)
{
    memmove(&c->buffer[i], &c->buffer[i + 1], (--c->buffers - i) * sizeof *c->buffer);
}

static int count(struct check *c, const struct buffer *b, struct mp_error *err)
{
    if (insert(c, b, err))
        return -1;
    c->t->allocated_bytes += b->bytes;
    if (c->t->top < b->va + b->bytes)
        c->t->top = b->va + b->bytes;
    return 0;
}

static int check_alloc(struct check *c, const struct gwt_record *r, struct mp_error *err)
{
    for (uint32_t i = 0; i < c->buffers; i++)
        if (c->buffer[i].id == r->id && !c->buffer[i].mapped)
            return gwt_stream_fail(
                &c->p->stream, c->p->start, err,
                "buffer %" PRIu64 " is allocated already; free it (F) first or use another id", r->id);
    return count(c, &(struct buffer){r->id, r->va, r->bytes, false}, err);
}

static int check_map(struct check *c, const struct gwt_record *r, struct mp_error *err)
{
    return count(c, &(struct buffer){0, r->va, r->bytes, true}, err);
}

/* What is unmapped was mapped: the ends of ranges stay. */
static int check_unmap(struct check *c, const struct gwt_record *r, struct mp_error *err)
{
    const uint64_t end = r->va + r->bytes;
    for (uint64_t va = r->va; va < end;) {
        const uint32_t at = buffer_above(c, va);
        const struct buffer b = at < c->buffers ? c->buffer[at] : (struct buffer){0};
        if (!b.mapped || b.va > va)
            return gwt_stream_fail(&c->p->stream, c->p->start, err,
                                   "0x%" PRIx64 " is not mapped; only mapped ranges (M) can be unmapped", va);
        const uint64_t b_end = b.va + b.bytes;
        remove_at(c, at);
        if ((b.va < va && insert(c, &(struct buffer){0, b.va, va - b.va, true}, err)) ||
            (b_end > end && insert(c, &(struct buffer){0, end, b_end - end, true}, err)))
            return -1;
        va = b_end;
    }
    return 0;
}

static int check_free(struct check *c, const struct gwt_record *r, struct mp_error *err)
{
    for (uint32_t i = 0; i < c->buffers; i++)
        if (c->buffer[i].id == r->id && !c->buffer[i].mapped) {
            remove_at(c, i);
            return 0;
        }
    return gwt_stream_fail(&c->p->stream, c->p->start, err,
                           "buffer %" PRIu64 " is not allocated; only allocated buffers can be freed", r->id);
}

static int check_kernel(struct check *c, struct mp_error *err)
{
    size_t n = c->p->kernel.npcs ? c->p->kernel.npcs : 1;
    free(c->cta_seen);
    free(c->previous);
    free(c->used);
    c->cta_seen = calloc(1, c->p->ctas / 8 + 1);
    c->previous = calloc(3 * n, sizeof *c->previous);
    c->used = malloc(n * sizeof *c->used);
    if (!c->cta_seen || !c->previous || !c->used)
        return no_memory(c, err);
    c->first = c->previous + n;
    c->user = c->first + n;
    c->before = *c->t;
    c->t->kernels++;
    c->t->with_needs += c->p->kernel.needs.end != NULL;
    return 0;
}

static int check_kernel_end(struct check *c, struct mp_error *err)
{
    if (c->tally && c->tally->launch(c->tally->context, &c->p->kernel, c->t->accesses - c->before.accesses,
                                     c->t->instructions - c->before.instructions))
        return no_memory(c, err);
    return 0;
}

/* The counts that one warp adds to the totals, in a separate struct so that they can stay in registers. */
struct sums {
    uint64_t accesses, lanes, lines, pages, instructions, thread_instructions, barriers;
};

static unsigned bin_of(unsigned units)
{
    return units <= 2 ? units - 1 : units <= 4 ? 2 : units <= 8 ? 3 : units <= 16 ? 4 : units <= 32 ? 5 : 6;
}

static void tally_access(const struct check *c, const struct gwt_event *e, unsigned lines, unsigned pages)
{
    c->tally->by_op[e->op]++;
    c->tally->by_space[c->p->kernel.pcs[e->pc].space]++;
    c->tally->by_lines[bin_of(lines)]++;
    c->tally->by_pages[bin_of(pages)]++;
}

/* Adds the access's pages to the trace's and returns their number, or 0 if memory runs out. */
static unsigned add_pages_apart(struct check *c, const struct gwt_event *e)
{
    uint64_t unit[GWT_UNITS_MAX];
    const unsigned n = gwt_units_apart(e, GWT_PAGE_SHIFT, unit);
    for (unsigned i = 0; i < n; i++)
        if (gwt_pages_add(&c->pages, unit[i]))
            return 0;
    return n;
}

static inline unsigned add_pages(struct check *c, const struct gwt_event *e, const struct gwt_span *span)
{
    uint64_t first, last;
    if (span->low >> GWT_PAGE_SHIFT == (span->high + e->bytes - 1) >> GWT_PAGE_SHIFT)
        return gwt_pages_add(&c->pages, span->low >> GWT_PAGE_SHIFT) ? 0 : 1;
    if (!gwt_units_range(e, GWT_PAGE_SHIFT, &first, &last))
        return add_pages_apart(c, e);
    for (uint64_t page = first; page <= last; page++)
        if (gwt_pages_add(&c->pages, page))
            return 0;
    return (unsigned)(last - first + 1);
}

static inline int count_access(struct check *c, struct sums *sum, const struct gwt_event *e)
{
    const struct gwt_span span = gwt_span(e);
    const unsigned lines = gwt_units_count(e, GWT_LINE_SHIFT, &span);
    const unsigned pages = add_pages(c, e, &span);
    sum->accesses++;
    sum->lanes += e->active;
    sum->lines += lines;
    sum->pages += pages;
    if (c->tally)
        tally_access(c, e, lines, pages);
    return pages ? 0 : -1;
}

static void add_sums(struct gwt_totals *t, const struct sums *s)
{
    t->accesses += s->accesses;
    t->lane_accesses += s->lanes;
    t->lines += s->lines;
    t->pages += s->pages;
    t->instructions += s->instructions;
    t->thread_instructions += s->thread_instructions;
    t->barriers += s->barriers;
}

/* Checks one warp's events. They are decoded in place, in the window. An event that extends past the
 * warp's bytes is a flaw. */
static int check_events(struct check *c, const struct gwt_warp_head *head, uint32_t lanes, uint32_t *firsts,
                        struct mp_error *err)
{
    struct gwt_stream *s = &c->p->stream;
    const uint32_t npcs = c->p->kernel.npcs;
    struct gwt_cursor cursor = gwt_cursor_at(c->previous, lanes, c->p->warp_lanes);
    struct gwt_event e;
    struct sums sum = {0};
    uint64_t left = head->bytes, events = 0;
    uint32_t used = 0;
    const char *flaw = NULL;
    *firsts = 0;
    c->warp++;
    do {
        if (gwt_stream_left(s) < GWT_EVENT_MAX && gwt_stream_left(s) < left) {
            if (gwt_stream_fill(s, GWT_EVENT_MAX, err))
                return -1;
            if (gwt_stream_left(s) < GWT_EVENT_MAX && gwt_stream_left(s) < left)
                return gwt_stream_fail(s, gwt_stream_offset(s, s->end), err,
                                       "the file ends inside a warp's events; a trace must be whole");
        }
        const uint8_t *next = gwt_decode(s->at, &cursor, &e, npcs, true, &flaw);
        if (__builtin_expect(next && (size_t)(next - s->at) > left, 0)) {
            flaw = "the event reaches past the warp's bytes; events must fill them exactly";
            next = NULL;
        }
        if (__builtin_expect(!next, 0))
            return gwt_stream_fail(s, gwt_stream_offset(s, s->at), err, "%s", flaw);
        left -= (size_t)(next - s->at);
        s->at = next;
        events++;
        sum.instructions += e.gap;
        sum.thread_instructions += (uint64_t)e.gap * e.active;
        if (e.kind == GWT_ACCESS) {
            if (c->user[e.pc] != c->warp) {
                c->user[e.pc] = c->warp;
                c->used[used++] = e.pc;
                c->first[e.pc] = e.base;
                *firsts = (uint32_t)(head->bytes - left);
            }
            if (count_access(c, &sum, &e))
                return no_memory(c, err);
        } else {
            sum.barriers += e.kind == GWT_BARRIER;
        }
    } while (e.kind != GWT_EXIT && left);
    add_sums(c->t, &sum);
    for (uint32_t i = 0; i < used; i++)
        c->previous[c->used[i]] = c->first[c->used[i]];
    if (e.kind != GWT_EXIT)
        return gwt_stream_fail(s, gwt_stream_offset(s, s->at), err,
                               "the warp's events end without an exit; the last must be 0x41");
    if (left)
        return gwt_stream_fail(s, gwt_stream_offset(s, s->at), err,
                               "%" PRIu64 " bytes follow the warp's exit; it must be the last event", left);
    if (events != head->events)
        return gwt_stream_fail(s, gwt_stream_offset(s, s->at), err,
                               "the warp has %" PRIu64 " events; its head says %" PRIu64, events,
                               head->events);
    return 0;
}

static int remember(struct check *c, uint32_t firsts, struct mp_error *err)
{
    struct gwt_firsts *f = c->firsts;
    if (f->count == f->room) {
        f->room = f->room ? 2 * f->room : 4096;
        uint32_t *bytes = realloc(f->bytes, f->room * sizeof *bytes);
        if (!bytes)
            return no_memory(c, err);
        f->bytes = bytes;
    }
    f->bytes[f->count++] = firsts;
    return 0;
}

static int check_cta(struct check *c, const struct gwt_record *r, struct mp_error *err)
{
    uint8_t *seen = &c->cta_seen[r->id / 8], bit = (uint8_t)(1u << r->id % 8);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a work-group follows its kernel */
    if (*seen & bit)
        return gwt_stream_fail(&c->p->stream, c->p->start, err,
                               "work-group %" PRIu64 " comes again; each comes once in a launch", r->id);
    *seen |= bit;
    c->t->ctas++;
    for (uint32_t w = 0; w < c->p->nwarps; w++) {
        struct gwt_warp_head head;
        uint32_t firsts;
        if (gwt_parse_warp(c->p, w, &head, err) ||
            check_events(c, &head, gwt_lanes_of(c->p->items, w, c->p->warp_lanes), &firsts, err) ||
            remember(c, firsts, err))
            return -1;
        c->t->warps++;
    }
    return 0;
}

static int check_time(struct check *c, const struct gwt_record *r, struct mp_error *err)
{
    if (r->time < c->t->last_time)
        return gwt_stream_fail(&c->p->stream, c->p->start, err,
                               "a time of %" PRIu64 " ns after one of %" PRIu64 "; times do not decrease",
                               r->time, c->t->last_time);
    c->t->times++;
    c->t->last_time = r->time;
    return 0;
}

static int check_record(struct check *c, const struct gwt_record *r, struct mp_error *err)
{
    switch (r->kind) {
    case GWT_ALLOC:
        return check_alloc(c, r, err);
    case GWT_FREE:
        return check_free(c, r, err);
    case GWT_MAP:
        return check_map(c, r, err);
    case GWT_UNMAP:
        return check_unmap(c, r, err);
    case GWT_TIME:
        return check_time(c, r, err);
    case GWT_KERNEL:
        return check_kernel(c, err);
    case GWT_CTA:
        return check_cta(c, r, err);
    case GWT_KERNEL_END:
        return check_kernel_end(c, err);
    default:
        return 0;
    }
}

int gwt_check(struct gwt_parser *p, struct gwt_totals *totals, struct gwt_firsts *firsts,
              struct gwt_tally *tally, struct mp_error *err)
{
    struct check c = {.p = p, .t = totals, .firsts = firsts, .tally = tally};
    struct gwt_stream *s = &p->stream;
    *totals = (struct gwt_totals){0};
    XXH3_state_t *hash = XXH3_createState();
    int failed = !hash ? no_memory(&c, err) : gwt_parse_magic(p, err);
    if (!failed) {
        struct gwt_record r = {.kind = GWT_ALLOC};
        XXH3_128bits_reset(hash);
        XXH3_128bits_update(hash, GWT_MAGIC, 4); /* the digest is the same with and without a checksum */
        s->hash = hash;
        s->hashed = s->at;
        failed = gwt_parse_properties(p, err);
        totals->warp_lanes = p->warp_lanes;
        totals->recorded = p->recorded;
        while (!failed && r.kind != GWT_END)
            failed = gwt_parse_record(p, &r, err) || check_record(&c, &r, err) ? -1 : 0;
    }
    if (!failed && !totals->kernels)
        failed = gwt_stream_fail(s, p->start, err,
                                 "the trace ends without a kernel launch; it must hold one (K) or more");
    if (!failed) {
        gwt_stream_hash(s);
        XXH128_hash_t digest = XXH3_128bits_digest(hash);
        totals->digest[0] = digest.high64;
        totals->digest[1] = digest.low64;
        totals->footprint_pages = c.pages.count;
        if (p->checked && (p->checksum[0] != digest.low64 || p->checksum[1] != digest.high64))
            failed = gwt_stream_fail(
                s, p->start, err,
                "the checksum does not fit what comes before; the file is damaged, a copy of it "
                "or a new recording is needed");
    }
    s->hash = NULL;
    XXH3_freeState(hash);
    gwt_pages_free(&c.pages);
    free(c.buffer);
    free(c.cta_seen);
    free(c.previous);
    free(c.used);
    return failed;
}
