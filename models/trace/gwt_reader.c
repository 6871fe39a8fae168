/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "trace/gwt.h"
#include "trace/gwt_check.h"
#include "trace/gwt_format.h"
#include "trace/gwt_known.h"
#include "trace/gwt_parse.h"

enum { HEADERS = 1 << 13 }; /* bytes of the window: a warp's events are taken past it */

/* What a warp's accesses need, as numbers of its accesses, which count from 1. */
struct order {
    const struct needs *needs;
    uint32_t *last;            /* by pc: the newest access */
    uint32_t accesses, needed; /* so far; the newest that any of them needs */
};

/* 48 bytes: more would be a cache line more for each warp. After the exit, `at` is `end`, as was checked. */
struct gwt_warp {
    const uint8_t *at, *end;
    struct gwt_cursor cursor;
    struct order *order; /* NULL: what accesses need is not known, or not followed */
};

/* A copy of what a launch's accesses need: work-groups may outlive the parser's. */
struct needs {
    struct needs *next;
    uint32_t *pc, end[];
};

/* A work-group in memory: the bytes of its warps as in the file, one warp after the other, and each warp's
 * addresses by pc. A released work-group is kept and used again for the next one. */
struct cta {
    struct gwt_cta shown;
    struct gwt_warp *warps;
    uint32_t warp_room, order_room;
    uint8_t *bytes;
    size_t byte_room;
    uint64_t *previous;
    struct order *order; /* of each warp, if needs are followed, as `last` */
    uint32_t *last;      /* by warp and pc, as previous */
    size_t previous_room;
    struct cta *next; /* list of all work-groups */
    struct cta *spare;
};

struct gwt_reader {
    struct gwt_parser parser;
    struct gwt_totals totals;
    struct gwt_firsts firsts;
    uint64_t warp;   /* number of the next warp in the file */
    uint64_t *first; /* by pc: the first address in the last warp that used it */
    uint64_t *user;  /* by pc: the number of that warp, from 1 */
    bool ended, follows;
    struct needs *needs; /* the launch's first */
    struct cta *all, *spare;
    uint32_t taken; /* number of work-groups that are in use */
    size_t usual;   /* bytes of the last work-group */
};

/* Checks the file unless the folder has a record of it. */
static int check(struct gwt_reader *r, const char *folder, struct mp_error *err)
{
    struct gwt_identity file;
    if (!folder)
        return gwt_check(&r->parser, &r->totals, &r->firsts, NULL, err) || gwt_rewind(r, err) ? -1 : 0;
    if (gwt_stream_identify(&r->parser.stream, file.hash, err) || gwt_stream_rewind(&r->parser.stream, err))
        return -1;
    file.bytes = r->parser.stream.file_bytes;
    if (gwt_known_find(folder, &file, &r->totals, &r->firsts))
        return gwt_rewind(r, err);
    /* The record is of the bytes that were hashed: rewinding finds that the file changed since then. */
    if (gwt_check(&r->parser, &r->totals, &r->firsts, NULL, err) || gwt_rewind(r, err))
        return -1;
    gwt_known_keep(folder, &file, &r->totals, &r->firsts);
    return 0;
}

static int open_reader(struct gwt_reader **out, const char *name, const void *data, size_t size,
                       const char *folder, struct mp_error *err)
{
    struct gwt_reader *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return mp_fail(err, "%s: out of memory", name);
    if (gwt_stream_open(&r->parser.stream, name, data, size, err)) {
        free(r);
        return -1;
    }
    if (check(r, folder, err)) {
        gwt_close(r);
        return -1;
    }
    r->parser.stream.ahead = HEADERS;
    *out = r;
    return 0;
}

int gwt_open(struct gwt_reader **out, const char *path, struct mp_error *err)
{
    return open_reader(out, path, NULL, 0, NULL, err);
}

int gwt_open_known(struct gwt_reader **out, const char *path, const char *folder, struct mp_error *err)
{
    return open_reader(out, path, NULL, 0, folder, err);
}

int gwt_open_memory(struct gwt_reader **out, const char *name, const void *data, size_t size,
                    struct mp_error *err)
{
    return open_reader(out, name, size ? data : "", size, NULL, err);
}

static void free_ctas(struct gwt_reader *r)
{
    while (r->all) {
        struct cta *c = r->all;
        r->all = c->next;
        free(c->warps);
        free(c->shown.warp);
        free(c->bytes);
        free(c->previous);
        free(c->order);
        free(c->last);
        free(c);
    }
    r->spare = NULL;
}

static void free_needs(struct gwt_reader *r)
{
    while (r->needs) {
        struct needs *n = r->needs;
        r->needs = n->next;
        free(n->pc);
        free(n);
    }
}

void gwt_close(struct gwt_reader *r)
{
    if (!r)
        return;
    free_ctas(r);
    free_needs(r);
    gwt_parse_reset(&r->parser);
    gwt_stream_close(&r->parser.stream);
    free(r->firsts.bytes);
    free(r->first);
    free(r->user);
    free(r);
}

const struct gwt_totals *gwt_totals(const struct gwt_reader *r)
{
    return &r->totals;
}

uint64_t gwt_file_bytes(const struct gwt_reader *r)
{
    return r->parser.stream.file_bytes;
}

int gwt_rewind(struct gwt_reader *r, struct mp_error *err)
{
    gwt_parse_reset(&r->parser);
    r->warp = 0;
    r->ended = false;
    return gwt_stream_rewind(&r->parser.stream, err) || gwt_parse_magic(&r->parser, err) ||
                   gwt_parse_properties(&r->parser, err)
               ? -1
               : 0;
}

static int no_memory(const struct gwt_reader *r, struct mp_error *err)
{
    return mp_fail(err, "%s: out of memory", r->parser.stream.name);
}

void gwt_follow_needs(struct gwt_reader *r)
{
    r->follows = true;
}

static int copy_needs(struct gwt_reader *r, const struct gwt_kernel *k, struct mp_error *err)
{
    if (!r->follows || !k->needs.end || !k->npcs)
        return 0;
    const uint32_t n = k->needs.end[k->npcs - 1];
    struct needs *needs = malloc(sizeof *needs + k->npcs * sizeof *needs->end);
    uint32_t *pc = malloc((n + 1u) * sizeof *pc);
    if (!needs || !pc) {
        free(needs);
        free(pc);
        return no_memory(r, err);
    }
    *needs = (struct needs){r->needs, pc};
    memcpy(needs->end, k->needs.end, k->npcs * sizeof *needs->end);
    if (n)
        memcpy(pc, k->needs.pc, n * sizeof *pc);
    r->needs = needs;
    return 0;
}

static int begin_kernel(struct gwt_reader *r, struct mp_error *err)
{
    if (!r->taken) { /* a trace may have a few large work-groups after many small ones */
        free_ctas(r);
        free_needs(r);
    }
    if (copy_needs(r, &r->parser.kernel, err))
        return -1;
    size_t n = r->parser.kernel.npcs ? r->parser.kernel.npcs : 1;
    free(r->first);
    free(r->user);
    r->first = calloc(n, sizeof *r->first);
    r->user = calloc(n, sizeof *r->user);
    return r->first && r->user ? 0 : no_memory(r, err);
}

/* Provides room for the launch's number of warps and pcs, and uses again what an earlier work-group had. */
static struct cta *take_cta(struct gwt_reader *r)
{
    struct cta *c = r->spare;
    if (c) {
        r->spare = c->spare;
    } else {
        c = calloc(1, sizeof *c);
        if (!c)
            return NULL;
        c->next = r->all;
        r->all = c;
    }
    r->taken++;
    const uint32_t nwarps = r->parser.nwarps;
    const size_t previous = (size_t)nwarps * r->parser.kernel.npcs;
    if (c->warp_room < nwarps) {
        free(c->warps);
        free(c->shown.warp);
        c->warp_room = 0;
        c->warps = malloc(nwarps * sizeof *c->warps);
        c->shown.warp = malloc(nwarps * sizeof(struct gwt_warp *));
        if (!c->warps || !c->shown.warp)
            return NULL;
        for (uint32_t i = 0; i < nwarps; i++)
            c->shown.warp[i] = &c->warps[i];
        c->warp_room = nwarps;
    }
    if (r->follows && c->order_room < nwarps) {
        free(c->order);
        c->order_room = 0;
        c->order = malloc(nwarps * sizeof *c->order);
        if (!c->order)
            return NULL;
        c->order_room = nwarps;
    }
    if (c->previous_room < previous || !c->previous || (r->follows && !c->last)) {
        free(c->previous);
        free(c->last);
        c->previous = malloc((previous + 1) * sizeof *c->previous);
        c->last = r->follows ? malloc((previous + 1) * sizeof *c->last) : NULL;
        c->previous_room = previous;
        if (!c->previous || (r->follows && !c->last))
            return NULL;
    }
    return c;
}

/* A work-group that gets its first room expects to be as large as the last one. */
static bool make_room(struct cta *c, size_t bytes, size_t usual)
{
    if (c->byte_room >= bytes)
        return true;
    size_t room = c->byte_room ? 2 * c->byte_room : (usual + 4096) & ~(size_t)4095;
    while (room < bytes)
        room *= 2;
    uint8_t *larger = realloc(c->bytes, room);
    if (!larger)
        return false;
    c->bytes = larger;
    c->byte_room = room;
    return true;
}

/* Appends `bytes` bytes of the stream to the work-group, after its *used bytes. GWT_EVENT_MAX readable
 * bytes remain after them. */
static int copy_bytes(struct gwt_reader *r, struct cta *c, size_t *used, uint64_t bytes, struct mp_error *err)
{
    struct gwt_stream *s = &r->parser.stream;
    if (!make_room(c, *used + bytes + GWT_EVENT_MAX, r->usual))
        return no_memory(r, err);
    ptrdiff_t n = gwt_stream_take(s, c->bytes + *used, bytes, err);
    if (n < 0)
        return -1;
    *used += (size_t)n;
    if ((size_t)n < bytes)
        return gwt_stream_fail(s, gwt_stream_offset(s, s->end), err,
                               "the file changed while it was in use; a trace must stay as it is");
    return 0;
}

/* Advances the launch's first addresses past one warp, whose first `bytes` bytes contain them all. */
static void scan_firsts(struct gwt_reader *r, const uint8_t *p, uint32_t bytes, uint64_t all)
{
    const uint8_t *end = p + bytes;
    const uint64_t number = r->warp + 1;
    const uint32_t warp_lanes = r->parser.warp_lanes;
    uint64_t mask = all;
    while (p < end) {
        const unsigned h = *p++;
        p = gwt_varint(p).next;
        if (h >= GWT_H_BARRIER)
            continue;
        struct gwt_varint pc = gwt_varint(p);
        p = gwt_varint(pc.next).next;
        if (!(h & GWT_H_SAME_MASK)) {
            mask = gwt_get_mask(p, warp_lanes);
            p += warp_lanes / 8;
        }
        struct gwt_varint base = gwt_varint(p);
        if (r->user[pc.value] != number) {
            r->user[pc.value] = number;
            r->first[pc.value] += (uint64_t)gwt_unzigzag(base.value);
        }
        p = base.next;
        const unsigned mode = h >> GWT_H_MODE_SHIFT;
        if (mode >= GWT_STRIDE)
            p = gwt_skip_varints(p, mode == GWT_STRIDE ? 1 : (unsigned)__builtin_popcountll(mask) - 1);
    }
}

/* The launch has the first needs of the list, if it has any. A work-group has `last` if needs are followed.
 */
static struct order *new_order(const struct gwt_reader *r, const struct cta *c, uint32_t warp)
{
    const uint32_t npcs = r->parser.kernel.npcs;
    if (!c->last || !r->parser.kernel.needs.end || !npcs)
        return NULL;
    uint32_t *last = c->last + (size_t)warp * npcs;
    memset(last, 0, npcs * sizeof *last);
    c->order[warp] = (struct order){.needs = r->needs, .last = last};
    return &c->order[warp];
}

static int load_cta(struct gwt_reader *r, uint32_t id, struct gwt_cta **out, struct mp_error *err)
{
    struct gwt_parser *p = &r->parser;
    const uint32_t npcs = p->kernel.npcs;
    struct cta *c = take_cta(r);
    if (!c)
        return no_memory(r, err);
    c->shown.id = id;
    c->shown.nwarps = p->nwarps;
    size_t used = 0;
    if (!make_room(c, GWT_EVENT_MAX, r->usual))
        return no_memory(r, err);
    for (uint32_t i = 0; i < p->nwarps; i++) {
        struct gwt_warp *w = &c->warps[i];
        struct gwt_warp_head head;
        size_t start = used;
        if (gwt_parse_warp(p, i, &head, err) || copy_bytes(r, c, &used, head.bytes, err))
            return -1;
        w->order = new_order(r, c, i);
        const uint32_t lanes = gwt_lanes_of(p->items, i, p->warp_lanes);
        w->cursor = gwt_cursor_at(c->previous + (size_t)i * npcs, lanes, p->warp_lanes);
        w->end = (const uint8_t *)(uintptr_t)used; /* an offset until the buffer no longer moves */
        memcpy(w->cursor.previous, r->first, npcs * sizeof *r->first);
        scan_firsts(r, c->bytes + start, r->firsts.bytes[r->warp], w->cursor.mask);
        r->warp++;
    }
    r->usual = used + GWT_EVENT_MAX;
    memset(c->bytes + used, 0, GWT_EVENT_MAX);
    const uint8_t *at = c->bytes;
    for (uint32_t i = 0; i < p->nwarps; i++) {
        c->warps[i].at = at;
        at = c->warps[i].end = c->bytes + (uintptr_t)c->warps[i].end;
    }
    *out = &c->shown;
    return 0;
}

int gwt_next(struct gwt_reader *r, struct gwt_record *record, struct mp_error *err)
{
    if (r->ended) {
        *record = (struct gwt_record){.kind = GWT_END};
        return 0;
    }
    if (gwt_parse_record(&r->parser, record, err))
        return -1;
    r->ended = record->kind == GWT_END;
    if (record->kind == GWT_KERNEL)
        return begin_kernel(r, err);
    if (record->kind == GWT_CTA)
        return load_cta(r, (uint32_t)record->id, &record->cta, err);
    return 0;
}

void gwt_cta_release(struct gwt_reader *r, struct gwt_cta *cta)
{
    struct cta *c = (struct cta *)cta; /* the caller has a pointer to its first member */
    c->spare = r->spare;
    r->spare = c;
    r->taken--;
}

bool gwt_warp_next(struct gwt_warp *w, struct gwt_event *event)
{
    const char *flaw;
    if (__builtin_expect(w->at >= w->end, 0))
        return false;
    w->at = gwt_decode(w->at, &w->cursor, event, 0, false, &flaw);
    return true;
}

/* The `wait` of the warp's next access. */
static uint16_t wait_of(struct order *o, uint32_t pc)
{
    for (uint32_t i = pc ? o->needs->end[pc - 1] : 0; i < o->needs->end[pc]; i++) {
        uint32_t access = o->last[o->needs->pc[i]];
        o->needed = access > o->needed ? access : o->needed;
    }
    uint32_t newer = o->accesses - o->needed;
    o->last[pc] = ++o->accesses;
    return o->needed && newer < GWT_MAX_WAIT ? (uint16_t)(newer + 1) : 0;
}

/* follows must be a constant: without it, nothing in the loop is about what accesses need. */
__attribute__((always_inline)) static inline uint32_t decode_steps(struct gwt_warp *w, struct gwt_step *step,
                                                                   uint32_t room, bool follows)
{
    struct gwt_cursor cursor = w->cursor;
    const uint8_t *at = w->at;
    uint32_t n = 0;
    while (n < room && at < w->end) {
        struct gwt_event e;
        const char *flaw;
        at = gwt_decode_head(at, &cursor, &e, 0, false, &flaw);
        step[n] = (struct gwt_step){.base = e.base,
                                    .stride = e.stride,
                                    .gap = e.gap,
                                    .bytes = e.bytes & 2047u,
                                    .active = e.active,
                                    .kind = e.kind & 3u,
                                    .op = e.op & 3u,
                                    .mode = e.mode & 3u};
        if (e.mode == GWT_SCATTER) { /* of an access */
            step[n].deltas = at;
            at = gwt_skip_varints(at, e.active - 1u);
        }
        if (follows && e.kind == GWT_ACCESS)
            step[n].wait = wait_of(w->order, e.pc) & 31u;
        n++;
    }
    w->cursor = cursor;
    w->at = at;
    return n;
}

static __attribute__((noinline)) uint32_t decode_following(struct gwt_warp *w, struct gwt_step *step,
                                                           uint32_t room)
{
    return decode_steps(w, step, room, true);
}

uint32_t gwt_warp_steps(struct gwt_warp *w, struct gwt_step *step, uint32_t room)
{
    return __builtin_expect(w->order != NULL, 0) ? decode_following(w, step, room)
                                                 : decode_steps(w, step, room, false);
}

void gwt_step_lanes(const struct gwt_step *step, uint64_t lane[GWT_LANES])
{
    const uint8_t *p = step->deltas;
    uint64_t a = lane[0] = step->base;
    for (unsigned i = 1; i < step->active; i++) {
        struct gwt_varint delta = gwt_varint(p);
        p = delta.next;
        lane[i] = a += (uint64_t)gwt_unzigzag(delta.value);
    }
}

uint32_t gwt_warp_lanes(const struct gwt_warp *w)
{
    return w->cursor.lanes;
}
