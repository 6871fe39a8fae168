/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/gwt_parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/gwt_format.h"

/* Reads a number called `what` in errors, from `least` to `most`. */
static int number(struct gwt_parser *p, uint64_t *value, const char *what, uint64_t least, uint64_t most,
                  struct mp_error *err)
{
    struct gwt_stream *s = &p->stream;
    if (gwt_stream_left(s) < GWT_VARINT_MAX && gwt_stream_fill(s, GWT_VARINT_MAX, err))
        return -1;
    uint64_t offset = gwt_stream_offset(s, s->at);
    struct gwt_varint v = {s->at, 0};
    if (s->at < s->end)
        v = gwt_varint(s->at);
    if (v.next == s->at || v.next > s->end || (!v.next && gwt_stream_left(s) < GWT_VARINT_MAX))
        return gwt_stream_fail(s, gwt_stream_offset(s, s->end), err,
                               "the file ends inside %s; a trace must be whole", what);
    if (!v.next)
        return gwt_stream_fail(s, offset, err, "%s does not fit in 64 bits; a varint has at most 10 bytes",
                               what);
    if (v.value < least || v.value > most)
        return gwt_stream_fail(s, offset, err, "%s is %" PRIu64 "; allowed are %" PRIu64 " to %" PRIu64, what,
                               v.value, least, most);
    s->at = v.next;
    *value = v.value;
    return 0;
}

static int number32(struct gwt_parser *p, uint32_t *value, const char *what, uint32_t least, uint32_t most,
                    struct mp_error *err)
{
    uint64_t wide = 0;
    if (number(p, &wide, what, least, most, err))
        return -1;
    *value = (uint32_t)wide;
    return 0;
}

static int byte(struct gwt_parser *p, uint8_t *value, const char *what, struct mp_error *err)
{
    struct gwt_stream *s = &p->stream;
    if (gwt_stream_fill(s, 1, err))
        return -1;
    if (!gwt_stream_left(s))
        return gwt_stream_fail(s, gwt_stream_offset(s, s->end), err,
                               "the file ends before %s; a trace must be whole", what);
    *value = *s->at++;
    return 0;
}

int gwt_parse_magic(struct gwt_parser *p, struct mp_error *err)
{
    struct gwt_stream *s = &p->stream;
    if (gwt_stream_fill(s, 4, err))
        return -1;
    p->checked = gwt_stream_left(s) >= 4 && !memcmp(s->at, GWT_MAGIC_CHECKED, 4);
    if (!p->checked && (gwt_stream_left(s) < 4 || memcmp(s->at, GWT_MAGIC, 4)))
        return gwt_stream_fail(s, 0, err,
                               "not a GWT trace; it must begin with the bytes " GWT_MAGIC
                               " or " GWT_MAGIC_CHECKED ", plain or inside zstd");
    s->at += 4;
    return 0;
}

/* Takes the tag of the next record if it is this one. */
static int optional(struct gwt_parser *p, char tag, bool *is, struct mp_error *err)
{
    struct gwt_stream *s = &p->stream;
    if (gwt_stream_fill(s, 1, err))
        return -1;
    *is = gwt_stream_left(s) && *s->at == (uint8_t)tag;
    s->at += *is;
    return 0;
}

int gwt_parse_properties(struct gwt_parser *p, struct mp_error *err)
{
    bool is = false;
    p->warp_lanes = GWT_WARP_LANES;
    p->recorded = 0;
    if (optional(p, 'L', &is, err) ||
        (is && number32(p, &p->warp_lanes, "the number of lanes of a warp", GWT_LANES, GWT_LANES, err)) ||
        optional(p, 'I', &is, err))
        return -1;
    return is ? number(p, &p->recorded, "the number of instructions recorded", 1, GWT_MOST_INSTRUCTIONS, err)
              : 0;
}

static int range(struct gwt_parser *p, struct gwt_record *r, const char *address, const char *bytes,
                 struct mp_error *err)
{
    return number(p, &r->va, address, 0, GWT_VA_LIMIT - 1, err) ||
                   number(p, &r->bytes, bytes, 1, GWT_VA_LIMIT - r->va, err)
               ? -1
               : 0;
}

static int kernel_name(struct gwt_parser *p, struct gwt_kernel *k, struct mp_error *err)
{
    struct gwt_stream *s = &p->stream;
    uint32_t n;
    if (number32(p, &n, "the length of the kernel's name", 1, GWT_MAX_NAME, err) ||
        gwt_stream_fill(s, n, err))
        return -1;
    if (gwt_stream_left(s) < n)
        return gwt_stream_fail(s, gwt_stream_offset(s, s->end), err,
                               "the file ends inside a kernel's name; a trace must be whole");
    for (uint32_t i = 0; i < n; i++)
        if (s->at[i] < 0x20 || s->at[i] > 0x7e)
            return gwt_stream_fail(s, gwt_stream_offset(s, s->at + i), err,
                                   "byte 0x%02x in a kernel's name; allowed is printable ASCII", s->at[i]);
    k->name = malloc(n + 1);
    if (!k->name)
        return mp_fail(err, "%s: out of memory", s->name);
    memcpy(k->name, s->at, n);
    k->name[n] = 0;
    s->at += n;
    return 0;
}

static int kernel_pc(struct gwt_parser *p, struct gwt_pc *pc, struct mp_error *err)
{
    uint8_t kind = 0;
    if (number(p, &pc->pc, "an instruction's address", 0, UINT64_MAX, err) ||
        byte(p, &kind, "an instruction's kind", err))
        return -1;
    if (kind != 'L' && kind != 'S' && kind != 'C')
        return gwt_stream_fail(&p->stream, gwt_stream_offset(&p->stream, p->stream.at - 1), err,
                               "instruction kind 0x%02x; allowed are L, S and C", kind);
    pc->kind = (char)kind;
    return number32(p, &pc->space, "an instruction's address space", GWT_GLOBAL, GWT_CONSTANT, err) ||
                   number32(p, &pc->line, "an instruction's source line", 0, UINT32_MAX, err)
               ? -1
               : 0;
}

/* The table grows as entries arrive, so that a damaged length does not request memory. */
static int kernel_pcs(struct gwt_parser *p, struct gwt_kernel *k, struct mp_error *err)
{
    uint32_t n, room = 0;
    if (number32(p, &n, "the length of the table of memory instructions", 0, GWT_MAX_PCS, err))
        return -1;
    while (k->npcs < n) {
        if (k->npcs == room) {
            room = room ? 2 * room : 64;
            struct gwt_pc *pcs = realloc(k->pcs, room * sizeof *pcs);
            if (!pcs)
                return mp_fail(err, "%s: out of memory", p->stream.name);
            k->pcs = pcs;
        }
        if (kernel_pc(p, &k->pcs[k->npcs], err))
            return -1;
        k->npcs++;
    }
    return 0;
}

/* As kernel_pcs, for what one access needs: indices above each other, of instructions that have a value. */
static int access_needs(struct gwt_parser *p, struct gwt_kernel *k, uint32_t *used, uint32_t *room,
                        struct mp_error *err)
{
    uint32_t n, least = 0;
    if (number32(p, &n, "the number of loads that an access needs", 0,
                 k->npcs < GWT_MAX_NEEDS - *used ? k->npcs : GWT_MAX_NEEDS - *used, err))
        return -1;
    while (n--) {
        if (*used == *room) {
            *room = *room ? 2 * *room : 64;
            uint32_t *pc = realloc(k->needs.pc, *room * sizeof *pc);
            if (!pc)
                return mp_fail(err, "%s: out of memory", p->stream.name);
            k->needs.pc = pc;
        }
        uint32_t *pc = &k->needs.pc[*used];
        const uint64_t offset = gwt_stream_offset(&p->stream, p->stream.at);
        if (number32(p, pc, "the index of a load that an access needs", least, k->npcs - 1, err))
            return -1;
        if (k->pcs[*pc].kind == 'S')
            return gwt_stream_fail(
                &p->stream, offset, err,
                "an access needs instruction %" PRIu32 ", a store; it must be a load or an atomic", *pc);
        least = *pc + 1;
        ++*used;
    }
    return 0;
}

static int kernel_needs(struct gwt_parser *p, struct gwt_kernel *k, struct mp_error *err)
{
    uint32_t used = 0, room = 0;
    bool is = false;
    if (optional(p, 'N', &is, err))
        return -1;
    if (!is)
        return 0;
    k->needs.end = calloc(k->npcs + 1u, sizeof *k->needs.end);
    if (!k->needs.end)
        return mp_fail(err, "%s: out of memory", p->stream.name);
    for (uint32_t i = 0; i < k->npcs; i++) {
        if (access_needs(p, k, &used, &room, err))
            return -1;
        k->needs.end[i] = used;
    }
    return 0;
}

void gwt_parse_reset(struct gwt_parser *p)
{
    free(p->kernel.name);
    free(p->kernel.pcs);
    free(p->kernel.needs.end);
    free(p->kernel.needs.pc);
    p->kernel = (struct gwt_kernel){0};
    p->in_kernel = false;
}

static int kernel(struct gwt_parser *p, struct mp_error *err)
{
    static const char *const grid_name[] = {"work-groups in x", "work-groups in y", "work-groups in z"};
    static const char *const block_name[] = {"work-items in x", "work-items in y", "work-items in z"};
    gwt_parse_reset(p);
    struct gwt_kernel *k = &p->kernel;
    if (kernel_name(p, k, err))
        return -1;
    p->ctas = 1;
    for (int i = 0; i < 3; i++) {
        if (number32(p, &k->grid[i], grid_name[i], 1, (uint32_t)(GWT_MAX_CTAS / p->ctas), err))
            return -1;
        p->ctas *= k->grid[i];
    }
    p->items = 1;
    for (int i = 0; i < 3; i++) {
        if (number32(p, &k->block[i], block_name[i], 1, GWT_MAX_BLOCK / p->items, err))
            return -1;
        p->items *= k->block[i];
    }
    p->nwarps = gwt_warps_of(p->items, p->warp_lanes);
    if (number32(p, &k->local_bytes, "the bytes of local memory", 0, UINT32_MAX, err) ||
        kernel_pcs(p, k, err) || kernel_needs(p, k, err))
        return -1;
    p->ctas_left = p->ctas;
    p->in_kernel = true;
    return 0;
}

static int cta(struct gwt_parser *p, struct gwt_record *r, struct mp_error *err)
{
    uint32_t nwarps;
    if (!p->ctas_left)
        return gwt_stream_fail(&p->stream, p->start, err,
                               "another work-group; the launch has %" PRIu64 " and all came before", p->ctas);
    if (number(p, &r->id, "a work-group's id", 0, p->ctas - 1, err) ||
        number32(p, &nwarps, "a work-group's number of warps", p->nwarps, p->nwarps, err))
        return -1;
    p->ctas_left--;
    return 0;
}

static int kernel_end(struct gwt_parser *p, struct mp_error *err)
{
    if (p->ctas_left)
        return gwt_stream_fail(&p->stream, p->start, err,
                               "the launch ends with %" PRIu64 " work-groups missing; all %" PRIu64
                               " of the grid must be there",
                               p->ctas_left, p->ctas);
    p->in_kernel = false;
    return 0;
}

/* The meaning of a tag: records of the first set are allowed inside a launch, those of the second outside. */
static const struct {
    char tag;
    enum gwt_record_kind kind;
    bool inside;
} records[] = {
    {'A', GWT_ALLOC, false},     {'F', GWT_FREE, false},   {'H', GWT_HOST_WRITE, false},
    {'D', GWT_HOST_READ, false}, {'K', GWT_KERNEL, false}, {'B', GWT_CTA, true},
    {'E', GWT_KERNEL_END, true}, {'M', GWT_MAP, false},    {'U', GWT_UNMAP, false},
    {'T', GWT_TIME, false},
};

static int fields(struct gwt_parser *p, struct gwt_record *r, struct mp_error *err)
{
    switch (r->kind) {
    case GWT_ALLOC:
        return number(p, &r->id, "a buffer's id", 0, UINT64_MAX, err) ||
                       range(p, r, "a buffer's address", "a buffer's size in bytes", err)
                   ? -1
                   : 0;
    case GWT_FREE:
        return number(p, &r->id, "a buffer's id", 0, UINT64_MAX, err);
    case GWT_MAP:
    case GWT_UNMAP:
        return range(p, r, "a mapping's address", "a mapping's size in bytes", err);
    case GWT_HOST_WRITE:
    case GWT_HOST_READ:
        return range(p, r, "a transfer's address", "a transfer's size in bytes", err);
    case GWT_TIME:
        return number(p, &r->time, "a time in ns", 0, GWT_MOST_TIME, err);
    case GWT_KERNEL:
        r->kernel = &p->kernel;
        return kernel(p, err);
    case GWT_CTA:
        return cta(p, r, err);
    default:
        return kernel_end(p, err);
    }
}

/* Reads the last record, which the checksum does not cover. */
static int checksum(struct gwt_parser *p, struct mp_error *err)
{
    struct gwt_stream *s = &p->stream;
    gwt_stream_hash(s);
    if (gwt_stream_fill(s, 1 + GWT_CHECKSUM + 1, err))
        return -1;
    if (gwt_stream_left(s) < 1 + GWT_CHECKSUM)
        return gwt_stream_fail(s, gwt_stream_offset(s, s->end), err,
                               "the file ends inside its checksum; a trace must be whole");
    memcpy(p->checksum, s->at + 1, GWT_CHECKSUM);
    s->at += 1 + GWT_CHECKSUM;
    s->hashed = s->at;
    if (gwt_stream_left(s))
        return gwt_stream_fail(s, gwt_stream_offset(s, s->at), err,
                               "bytes after the checksum; it must be the last record");
    return 0;
}

static int end_of_file(const struct gwt_parser *p, struct mp_error *err)
{
    if (p->in_kernel)
        return gwt_stream_fail(&p->stream, p->start, err,
                               "the file ends inside a kernel launch; it must end after the launch's E");
    if (p->checked)
        return gwt_stream_fail(&p->stream, p->start, err,
                               "the file ends without its checksum (X); a trace must be whole");
    return 0;
}

int gwt_parse_record(struct gwt_parser *p, struct gwt_record *r, struct mp_error *err)
{
    struct gwt_stream *s = &p->stream;
    *r = (struct gwt_record){.kind = GWT_END};
    if (gwt_stream_fill(s, 1, err))
        return -1;
    p->start = gwt_stream_offset(s, s->at);
    if (!gwt_stream_left(s))
        return end_of_file(p, err);
    if (p->checked && !p->in_kernel && *s->at == 'X')
        return checksum(p, err);
    uint8_t tag = *s->at++;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (tag == (uint8_t)records[i].tag && records[i].inside == p->in_kernel) {
            r->kind = records[i].kind;
            return fields(p, r, err);
        }
    return gwt_stream_fail(s, p->start, err, "record tag 0x%02x; allowed here are %s", tag,
                           p->in_kernel ? "B and E"
                           : p->checked ? "A, F, M, U, H, D, T and K, or the checksum (X)"
                                        : "A, F, M, U, H, D, T and K, or the end of the file");
}

int gwt_parse_warp(struct gwt_parser *p, uint32_t warp, struct gwt_warp_head *head, struct mp_error *err)
{
    struct gwt_stream *s = &p->stream;
    uint8_t tag = 0;
    uint32_t id;
    if (byte(p, &tag, "a warp", err))
        return -1;
    if (tag != 'W')
        return gwt_stream_fail(s, gwt_stream_offset(s, s->at - 1), err,
                               "record tag 0x%02x; warp %" PRIu32 " (W) of the work-group must come here",
                               tag, warp);
    return number32(p, &id, "a warp's number", warp, warp, err) ||
                   number(p, &head->events, "a warp's number of events", 1, GWT_MAX_WARP / 2, err) ||
                   number(p, &head->bytes, "the bytes of a warp's events", 2 * head->events, GWT_MAX_WARP,
                          err)
               ? -1
               : 0;
}
