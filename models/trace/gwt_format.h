/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of GWT: limits, varints, and the decoding of one event. The check at opening and the
 * simulator's hot path share the decoder. README.md in this folder describes the format.
 */
#ifndef MP_TRACE_GWT_FORMAT_H
#define MP_TRACE_GWT_FORMAT_H

#include <string.h>

#include "trace/gwt.h"

#define GWT_MAGIC         "GWT1"
#define GWT_MAGIC_CHECKED "GWT2" /* as GWT1, but the stream ends in a checksum */
#define GWT_CHECKSUM      16u    /* bytes of the checksum, after its tag */

/* The limits prevent a damaged header from requesting memory or time that no real trace needs. */
#define GWT_VA_LIMIT    (1ull << 48) /* one past the highest address that the page tables translate */
#define GWT_MAX_NAME    65535u
#define GWT_MAX_PCS     16384u
#define GWT_MAX_NEEDS   (1u << 22) /* of all instructions of a launch */
#define GWT_MAX_CTAS    (1u << 27) /* work-groups per launch */
#define GWT_MAX_BLOCK   4096u      /* work-items per work-group */
#define GWT_MAX_ACCESS  1024u      /* bytes per lane */
#define GWT_MAX_WARP    (1u << 31) /* bytes per warp stream */
#define GWT_MAX_BUFFERS 65536u     /* buffers allocated at the same time */
#define GWT_ZSTD_WINDOW 27         /* log2 of the number of bytes that a reader keeps while it decompresses */
#define GWT_VARINT_MAX  10u
#define GWT_MAX_WAIT    31u   /* of a step; an access that may leave as many behind does not wait */
#define GWT_EVENT_MAX   1024u /* an upper bound: head, four fields, mask and 63 deltas are 679 bytes */
#define GWT_LINE_SHIFT  7     /* struct gwt_totals counts 128-byte lines */
#define GWT_PAGE_SHIFT  16    /* and 64 KB pages */

enum { GWT_H_BARRIER = 0x40, GWT_H_EXIT = 0x41, GWT_H_OP = 3, GWT_H_SAME_MASK = 4, GWT_H_MODE_SHIFT = 3 };

struct gwt_varint {
    const uint8_t *next; /* NULL if the number does not fit in 64 bits */
    uint64_t value;
};

static inline struct gwt_varint gwt_varint_long(const uint8_t *p)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
        uint64_t byte = *p++;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return (struct gwt_varint){p, value};
    }
    uint64_t last = *p++;
    return (struct gwt_varint){last <= 1 ? p : NULL, value | last << 63};
}

static inline struct gwt_varint gwt_varint(const uint8_t *p)
{
    if (__builtin_expect(*p < 0x80, 1))
        return (struct gwt_varint){p + 1, *p};
    return gwt_varint_long(p);
}

#define GWT_LAST_BYTES 0x8080808080808080ull /* a byte without this bit is a varint's last one */

/* Skips n varints, eight bytes at a time. GWT_EVENT_MAX bytes can be read at p. */
static inline const uint8_t *gwt_skip_varints(const uint8_t *p, unsigned n)
{
    for (; n; p += 8) {
        uint64_t x;
        memcpy(&x, p, sizeof x); /* the host is little-endian */
        uint64_t last = ~x & GWT_LAST_BYTES;
        unsigned here = (unsigned)__builtin_popcountll(last);
        if (here >= n) {
            while (--n)
                last &= last - 1;
            return p + (unsigned)__builtin_ctzll(last) / 8 + 1;
        }
        n -= here;
    }
    return p;
}

static inline uint8_t *gwt_put_varint(uint8_t *p, uint64_t value)
{
    while (value >= 0x80) {
        *p++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *p++ = (uint8_t)value;
    return p;
}

static inline int64_t gwt_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ -(value & 1));
}
static inline uint64_t gwt_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline uint64_t gwt_lane_mask(uint32_t lanes)
{
    return lanes >= 64 ? UINT64_MAX : (1ull << lanes) - 1;
}

/* The number of warps of a work-group with that many work-items, and the lanes that exist in its warp
 * `warp`. A full warp has warp_lanes lanes. */
static inline uint32_t gwt_warps_of(uint32_t items, uint32_t warp_lanes)
{
    return (items + warp_lanes - 1) / warp_lanes;
}
static inline uint32_t gwt_lanes_of(uint32_t items, uint32_t warp, uint32_t warp_lanes)
{
    uint32_t left = items - warp * warp_lanes;
    return left < warp_lanes ? left : warp_lanes;
}

/* Reads a mask of active lanes, which has one bit per lane of a full warp. 8 bytes can be read at p. */
static inline uint64_t gwt_get_mask(const uint8_t *p, uint32_t warp_lanes)
{
    uint64_t mask;
    memcpy(&mask, p, sizeof mask); /* the host is little-endian */
    return warp_lanes == GWT_LANES ? mask : (uint32_t)mask;
}

/* The state of decoding one warp. */
struct gwt_cursor {
    uint64_t *previous;        /* by pc: the address from which the next base is counted */
    uint64_t mask;             /* of the previous access */
    uint8_t active;            /* number of lanes in mask; counting again is a call on x86-64 */
    uint8_t lanes, warp_lanes; /* that exist; of a full warp */
};

static inline struct gwt_cursor gwt_cursor_at(uint64_t *previous, uint32_t lanes, uint32_t warp_lanes)
{
    return (struct gwt_cursor){previous, gwt_lane_mask(lanes), (uint8_t)lanes, (uint8_t)lanes,
                               (uint8_t)warp_lanes};
}

/* A flaw of an event: what was found and what is allowed. */
#define GWT_FLAW(text)                                                                                       \
    do {                                                                                                     \
        *flaw = text;                                                                                        \
        return NULL;                                                                                         \
    } while (0)

#define GWT_FIELD(variable)                                                                                  \
    do {                                                                                                     \
        struct gwt_varint field_ = gwt_varint(p);                                                            \
        if (checked && __builtin_expect(!field_.next, 0))                                                    \
            GWT_FLAW("a number does not fit in 64 bits; a varint has at most 10 bytes");                     \
        p = field_.next;                                                                                     \
        (variable) = field_.value;                                                                           \
    } while (0)

/* Decodes the event at p, where GWT_EVENT_MAX bytes can be read, but for the lanes after the first of a
 * scattered access, and returns the address after what it decoded. With `checked`, every field is checked,
 * NULL is returned for a flaw, and npcs is the length of the pc table. `checked` must be a constant. */
__attribute__((always_inline)) static inline const uint8_t *
gwt_decode_head(const uint8_t *p, struct gwt_cursor *c, struct gwt_event *e, uint32_t npcs, bool checked,
                const char **flaw)
{
    const unsigned h = p[0];
    uint64_t gap, pc, bytes, value;
    if (__builtin_expect(h >= GWT_H_BARRIER, 0)) {
        if (checked && h > GWT_H_EXIT)
            GWT_FLAW("unknown event head; allowed are accesses (0 to 0x1e), 0x40 barrier and 0x41 exit");
        p++;
        GWT_FIELD(gap);
        if (checked && gap > UINT32_MAX)
            GWT_FLAW("gap too large; allowed are 0 to 4294967295 instructions");
        e->kind = h == GWT_H_BARRIER ? GWT_BARRIER : GWT_EXIT;
        e->op = e->mode = 0;
        e->active = c->lanes;
        e->gap = (uint32_t)gap;
        e->mask = gwt_lane_mask(c->lanes);
        e->pc = 0;
        e->bytes = 0;
        e->base = 0;
        e->stride = 0;
        return p;
    }
    const unsigned op = h & GWT_H_OP, mode = h >> GWT_H_MODE_SHIFT;
    if (checked && (op > GWT_ATOMIC || mode > GWT_SCATTER))
        GWT_FLAW("unknown event head; allowed are accesses (0 to 0x1e), 0x40 barrier and 0x41 exit");
    uint32_t head;
    memcpy(&head, p, sizeof head);
    if (__builtin_expect(!(head & 0x80808000u),
                         1)) { /* three one-byte fields at once; the host is little-endian */
        gap = head >> 8 & 0x7f;
        pc = head >> 16 & 0x7f;
        bytes = head >> 24;
        p += 4;
    } else {
        p++;
        GWT_FIELD(gap);
        GWT_FIELD(pc);
        GWT_FIELD(bytes);
        if (checked && gap > UINT32_MAX)
            GWT_FLAW("gap too large; allowed are 0 to 4294967295 instructions");
    }
    if (checked && __builtin_expect(pc >= npcs, 0))
        GWT_FLAW("index past the kernel's table of memory instructions; it must be below the table's length");
    if (checked && __builtin_expect(bytes - 1 >= GWT_MAX_ACCESS, 0))
        GWT_FLAW("bytes per lane out of range; allowed are 1 to 1024");
    if (!(h & GWT_H_SAME_MASK)) {
        c->mask = gwt_get_mask(p, c->warp_lanes);
        p += c->warp_lanes / 8;
        if (checked && (!c->mask || c->mask & ~gwt_lane_mask(c->lanes)))
            GWT_FLAW("wrong lane mask; it must name at least one lane and only lanes the warp has");
        c->active = (uint8_t)__builtin_popcountll(c->mask);
    }
    const uint64_t mask = c->mask;
    const unsigned active = c->active;
    GWT_FIELD(value);
    const uint64_t base = c->previous[pc] + (uint64_t)gwt_unzigzag(value);
    c->previous[pc] = base;
    e->kind = GWT_ACCESS;
    e->op = (uint8_t)op;
    e->mode = (uint8_t)mode;
    e->active = (uint8_t)active;
    e->gap = (uint32_t)gap;
    e->mask = mask;
    e->pc = (uint32_t)pc;
    e->bytes = (uint32_t)bytes;
    e->base = base;
    if (checked && __builtin_expect(base > GWT_VA_LIMIT - bytes, 0))
        GWT_FLAW("address out of range; an access must end at or below 2^48");
    e->stride = mode == GWT_UNIT ? (int64_t)bytes : 0;
    if (mode == GWT_SCATTER)
        return p;
    if (mode == GWT_STRIDE) {
        GWT_FIELD(value);
        e->stride = gwt_unzigzag(value);
        if (checked && (e->stride > (int64_t)GWT_VA_LIMIT || e->stride < -(int64_t)GWT_VA_LIMIT))
            GWT_FLAW("stride out of range; allowed are -2^48 to 2^48");
    }
    if (checked && __builtin_expect(base + (uint64_t)e->stride * (active - 1) > GWT_VA_LIMIT - bytes, 0))
        GWT_FLAW("address out of range; an access must end at or below 2^48");
    return p;
}

/* As gwt_decode_head, with the lanes of scattered accesses. */
__attribute__((always_inline)) static inline const uint8_t *gwt_decode(const uint8_t *p, struct gwt_cursor *c,
                                                                       struct gwt_event *e, uint32_t npcs,
                                                                       bool checked, const char **flaw)
{
    uint64_t value;
    p = gwt_decode_head(p, c, e, npcs, checked, flaw);
    if ((checked && !p) || e->kind != GWT_ACCESS || e->mode != GWT_SCATTER)
        return p;
    uint64_t a = e->base;
    e->lane[0] = a;
    for (unsigned i = 1; i < e->active; i++) {
        GWT_FIELD(value);
        a += (uint64_t)gwt_unzigzag(value);
        e->lane[i] = a;
        if (checked && __builtin_expect(a > GWT_VA_LIMIT - e->bytes, 0))
            GWT_FLAW("address out of range; an access must end at or below 2^48");
    }
    return p;
}

#endif
