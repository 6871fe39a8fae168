/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "trace/gwt.h"
#include "trace/gwt_format.h"

enum { PENDING = 1 << 18 };

/* log2 of the bytes that a reader of this file keeps while it decompresses. Work-groups resemble their
 * neighbours, so that a larger window packs no better, and costs the reader pages and cache misses. */
enum { WRITTEN_WINDOW = 19 };

struct gwt_writer {
    struct mp_error error; /* the first failure */
    bool failed, begun;    /* begun: a record was written */
    char *path, *temporary;
    int fd;
    ZSTD_CCtx *zstd;    /* its frames have a checksum; NULL if plain */
    XXH3_state_t *hash; /* for the checksum of a plain trace, else NULL */
    uint8_t *packed;
    uint8_t *pending; /* uncompressed bytes not yet written */
    size_t pendings;
    /* the launch */
    bool in_kernel;
    uint32_t warp_lanes; /* of a full warp */
    uint32_t npcs, items, nwarps;
    uint64_t ctas, ctas_left, kernels;
    uint64_t time;      /* the last that was written, ns */
    uint64_t *previous; /* by pc: the address from which the next base is counted */
    uint64_t *first;    /* by pc: the first address of the warp */
    uint64_t *user;     /* by pc: the number of the last warp that used it */
    uint32_t *used;     /* the pcs that this warp has used */
    uint32_t useds;
    uint64_t warp_number;
    /* the work-group and the warp */
    uint32_t next_warp;
    bool in_warp;
    uint64_t all, mask;
    uint32_t active; /* number of lanes in mask */
    uint8_t *events; /* bytes of the warp's events */
    size_t events_size, events_room;
    uint64_t events_count;
    bool exited;
};

__attribute__((format(printf, 2, 3))) static void fail(struct gwt_writer *w, const char *format, ...)
{
    if (w->failed)
        return;
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mp_fail(&w->error, "%s: %s", w->path, text);
    w->failed = true;
}

static void write_all(struct gwt_writer *w, const uint8_t *bytes, size_t n)
{
    while (n && !w->failed) {
        ssize_t done = write(w->fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            fail(w, "%s; there must be room for the trace", strerror(errno));
            return;
        }
        bytes += done;
        n -= (size_t)done;
    }
}

/* Writes bytes to the file or through the compressor. The last call ends the compressor's frame. */
static void hand_on(struct gwt_writer *w, const uint8_t *bytes, size_t n, bool last)
{
    if (w->hash)
        XXH3_128bits_update(w->hash, bytes, n);
    if (!w->zstd) {
        write_all(w, bytes, n);
        return;
    }
    ZSTD_inBuffer in = {bytes, n, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {w->packed, ZSTD_CStreamOutSize(), 0};
        left = ZSTD_compressStream2(w->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            fail(w, "zstd: %s; compression must succeed", ZSTD_getErrorName(left));
            return;
        }
        write_all(w, w->packed, out.pos);
    } while (!w->failed && (last ? left > 0 : in.pos < in.size));
}

static void flush(struct gwt_writer *w, bool last)
{
    if (!w->failed)
        hand_on(w, w->pending, w->pendings, last);
    w->pendings = 0;
}

static void put(struct gwt_writer *w, const void *bytes, size_t n)
{
    if (n > PENDING - w->pendings)
        flush(w, false);
    if (n > PENDING) {
        if (!w->failed)
            hand_on(w, bytes, n, false);
        return;
    }
    memcpy(w->pending + w->pendings, bytes, n);
    w->pendings += n;
}

static void put_byte(struct gwt_writer *w, char byte)
{
    put(w, &byte, 1);
}

static void put_number(struct gwt_writer *w, uint64_t value)
{
    uint8_t bytes[GWT_VARINT_MAX];
    put(w, bytes, (size_t)(gwt_put_varint(bytes, value) - bytes));
}

static void drop(struct gwt_writer *w)
{
    if (w->fd >= 0)
        close(w->fd);
    ZSTD_freeCCtx(w->zstd);
    XXH3_freeState(w->hash);
    free(w->packed);
    free(w->pending);
    free(w->previous);
    free(w->used);
    free(w->events);
    free(w->path);
    free(w->temporary);
    free(w);
}

static bool set_up_zstd(struct gwt_writer *w)
{
    w->zstd = ZSTD_createCCtx();
    w->packed = malloc(ZSTD_CStreamOutSize());
    return w->zstd && w->packed &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, 3)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_enableLongDistanceMatching, 1)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_windowLog, WRITTEN_WINDOW)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1));
}

/* Writes the beginning of the trace. The hash covers the beginning of a trace without a checksum. */
static void begin(struct gwt_writer *w)
{
    if (w->hash) {
        XXH3_128bits_reset(w->hash);
        XXH3_128bits_update(w->hash, GWT_MAGIC, 4);
        write_all(w, (const uint8_t *)GWT_MAGIC_CHECKED, 4);
    } else {
        put(w, GWT_MAGIC, 4);
    }
}

static void write_checksum(struct gwt_writer *w)
{
    XXH128_hash_t digest = XXH3_128bits_digest(w->hash);
    uint8_t record[1 + GWT_CHECKSUM] = {'X'};
    memcpy(record + 1, &digest.low64, 8); /* the host is little-endian */
    memcpy(record + 9, &digest.high64, 8);
    write_all(w, record, sizeof record);
}

int gwt_writer_open(struct gwt_writer **out, const char *path, struct mp_error *err)
{
    size_t n = strlen(path);
    struct gwt_writer *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return mp_fail(err, "%s: out of memory", path);
    w->fd = -1;
    w->warp_lanes = GWT_WARP_LANES;
    w->path = strdup(path);
    w->temporary = malloc(n + 32);
    w->pending = malloc(PENDING);
    bool compressed = n > 4 && !strcmp(path + n - 4, ".zst");
    w->hash = compressed ? NULL : XXH3_createState();
    if (!w->path || !w->temporary || !w->pending || (compressed ? !set_up_zstd(w) : !w->hash)) {
        drop(w);
        return mp_fail(err, "%s: out of memory", path);
    }
    for (unsigned attempt = 0; w->fd < 0 && attempt < 100; attempt++) {
        snprintf(w->temporary, n + 32, "%s.%ld.%u.part", path, (long)getpid(), attempt);
        w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (w->fd < 0 && errno != EEXIST)
            break;
    }
    if (w->fd < 0) {
        mp_fail(err, "%s: %s; the folder must exist and be writable", path, strerror(errno));
        drop(w);
        return -1;
    }
    begin(w);
    *out = w;
    return 0;
}

/* Ends the current warp, if there is one. */
static void end_warp(struct gwt_writer *w)
{
    if (!w->in_warp)
        return;
    w->in_warp = false;
    if (!w->exited)
        fail(w, "warp %" PRIu32 " ends without an exit event; it must be its last", w->next_warp - 1);
    if (w->events_size > GWT_MAX_WARP)
        fail(w, "a warp's events take %zu bytes; allowed are up to %u", w->events_size, GWT_MAX_WARP);
    if (w->failed)
        return;
    put_number(w, w->events_count);
    put_number(w, w->events_size);
    put(w, w->events, w->events_size);
    for (uint32_t i = 0; i < w->useds; i++)
        w->previous[w->used[i]] = w->first[w->used[i]];
}

static void end_cta(struct gwt_writer *w)
{
    end_warp(w);
    if (w->next_warp != w->nwarps)
        fail(w, "a work-group ends after %" PRIu32 " warps; it must have %" PRIu32, w->next_warp, w->nwarps);
}

static bool outside_kernel(struct gwt_writer *w, const char *what)
{
    w->begun = true;
    if (w->in_kernel)
        fail(w, "%s inside a kernel launch; it must come before the launch or after its end", what);
    return !w->failed;
}

static bool valid_range(struct gwt_writer *w, const char *what, uint64_t va, uint64_t bytes)
{
    if (va >= GWT_VA_LIMIT || !bytes || bytes > GWT_VA_LIMIT - va)
        fail(w,
             "%s of %" PRIu64 " bytes at 0x%" PRIx64 "; allowed is 1 byte or more that ends at or below 2^48",
             what, bytes, va);
    return !w->failed;
}

void gwt_write_warp_lanes(struct gwt_writer *w, uint32_t lanes)
{
    if (w->begun)
        fail(w, "the lanes of a warp after other records; they must come first");
    else if (lanes != GWT_WARP_LANES && lanes != GWT_LANES)
        fail(w, "warps of %" PRIu32 " lanes; allowed are 32 and 64", lanes);
    if (w->failed || lanes == GWT_WARP_LANES)
        return;
    w->warp_lanes = lanes;
    put_byte(w, 'L');
    put_number(w, lanes);
}

void gwt_write_recorded(struct gwt_writer *w, uint64_t instructions)
{
    if (w->begun)
        fail(w, "the instructions recorded after other records; only the lanes of a warp may come before");
    else if (!instructions || instructions > GWT_MOST_INSTRUCTIONS)
        fail(w, "%" PRIu64 " instructions recorded; allowed are 1 to 2^48", instructions);
    if (w->failed)
        return;
    put_byte(w, 'I');
    put_number(w, instructions);
    w->begun = true;
}

void gwt_write_alloc(struct gwt_writer *w, uint64_t id, uint64_t va, uint64_t bytes)
{
    if (!outside_kernel(w, "an allocation") || !valid_range(w, "a buffer", va, bytes))
        return;
    put_byte(w, 'A');
    put_number(w, id);
    put_number(w, va);
    put_number(w, bytes);
}

void gwt_write_free(struct gwt_writer *w, uint64_t id)
{
    if (!outside_kernel(w, "a free"))
        return;
    put_byte(w, 'F');
    put_number(w, id);
}

static void write_range(struct gwt_writer *w, const char *what, uint8_t tag, uint64_t va, uint64_t bytes)
{
    char name[32];
    snprintf(name, sizeof name, "a %s", what);
    if (!outside_kernel(w, name) || !valid_range(w, name, va, bytes))
        return;
    put_byte(w, tag);
    put_number(w, va);
    put_number(w, bytes);
}

void gwt_write_mapping(struct gwt_writer *w, enum gwt_record_kind kind, uint64_t va, uint64_t bytes)
{
    write_range(w, "mapping", kind == GWT_MAP ? 'M' : 'U', va, bytes);
}

void gwt_write_host(struct gwt_writer *w, enum gwt_record_kind kind, uint64_t va, uint64_t bytes)
{
    write_range(w, "transfer", kind == GWT_HOST_WRITE ? 'H' : 'D', va, bytes);
}

void gwt_write_time(struct gwt_writer *w, uint64_t ns)
{
    if (!outside_kernel(w, "a time"))
        return;
    if (ns > GWT_MOST_TIME || ns < w->time) {
        fail(w, "a time of %" PRIu64 " ns after one of %" PRIu64 "; times do not decrease, and end at 2^48",
             ns, w->time);
        return;
    }
    w->time = ns;
    put_byte(w, 'T');
    put_number(w, ns);
}

static uint64_t volume(struct gwt_writer *w, const char *what, const uint32_t size[3], uint64_t limit)
{
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) {
        if (!size[i] || size[i] > limit / n) {
            fail(w, "%s %" PRIu32 " x %" PRIu32 " x %" PRIu32 "; allowed are 1 to %" PRIu64 " in all", what,
                 size[0], size[1], size[2], limit);
            return 1;
        }
        n *= size[i];
    }
    return n;
}

static void check_kernel(struct gwt_writer *w, const struct gwt_kernel *k)
{
    size_t n = k->name ? strlen(k->name) : 0;
    if (!n || n > GWT_MAX_NAME)
        fail(w, "a kernel's name of %zu bytes; allowed are 1 to %u", n, GWT_MAX_NAME);
    for (size_t i = 0; i < n && !w->failed; i++)
        if (k->name[i] < 0x20 || k->name[i] > 0x7e)
            fail(w, "byte 0x%02x in a kernel's name; allowed is printable ASCII", (unsigned char)k->name[i]);
    if (k->npcs > GWT_MAX_PCS)
        fail(w, "%" PRIu32 " memory instructions; allowed are up to %u", k->npcs, GWT_MAX_PCS);
    for (uint32_t i = 0; i < k->npcs && !w->failed; i++)
        if ((k->pcs[i].kind != 'L' && k->pcs[i].kind != 'S' && k->pcs[i].kind != 'C') ||
            (k->pcs[i].space != GWT_GLOBAL && k->pcs[i].space != GWT_CONSTANT))
            fail(w,
                 "memory instruction %" PRIu32 " has kind 0x%02x and space %" PRIu32
                 "; allowed are L, S or C, and 1 or 2",
                 i, (unsigned char)k->pcs[i].kind, k->pcs[i].space);
    w->ctas = w->ctas_left = volume(w, "a grid of", k->grid, GWT_MAX_CTAS);
    w->items = (uint32_t)volume(w, "a work-group of", k->block, GWT_MAX_BLOCK);
    w->nwarps = gwt_warps_of(w->items, w->warp_lanes);
}

void gwt_write_kernel(struct gwt_writer *w, const struct gwt_kernel *k)
{
    if (!outside_kernel(w, "a kernel launch"))
        return;
    check_kernel(w, k);
    size_t n = k->npcs ? k->npcs : 1;
    free(w->previous);
    free(w->used);
    w->previous = calloc(3 * n, sizeof *w->previous);
    w->used = malloc(n * sizeof *w->used);
    if (!w->previous || !w->used)
        fail(w, "out of memory");
    if (w->failed)
        return;
    w->first = w->previous + n;
    w->user = w->first + n;
    w->npcs = k->npcs;
    w->in_kernel = true;
    w->kernels++;
    w->next_warp = w->nwarps; /* as after a complete work-group, so that the next may begin */
    put_byte(w, 'K');
    put_number(w, strlen(k->name));
    put(w, k->name, strlen(k->name));
    for (int i = 0; i < 3; i++)
        put_number(w, k->grid[i]);
    for (int i = 0; i < 3; i++)
        put_number(w, k->block[i]);
    put_number(w, k->local_bytes);
    put_number(w, k->npcs);
    for (uint32_t i = 0; i < k->npcs; i++) {
        put_number(w, k->pcs[i].pc);
        put_byte(w, k->pcs[i].kind);
        put_number(w, k->pcs[i].space);
        put_number(w, k->pcs[i].line);
    }
}

void gwt_write_needs(struct gwt_writer *w, const struct gwt_needs *needs)
{
    if (w->failed)
        return;
    if (!w->in_kernel || w->ctas_left != w->ctas) {
        fail(w, "what accesses need outside the beginning of a launch; it must follow the launch");
        return;
    }
    put_byte(w, 'N');
    for (uint32_t i = 0, at = 0; i < w->npcs; i++) {
        put_number(w, needs->end[i] - at);
        for (; at < needs->end[i]; at++)
            put_number(w, needs->pc[at]);
    }
}

void gwt_write_cta(struct gwt_writer *w, uint32_t id, uint32_t nwarps)
{
    if (w->failed)
        return;
    if (!w->in_kernel) {
        fail(w, "a work-group outside a kernel launch; it must come inside one");
        return;
    }
    end_cta(w);
    if (!w->ctas_left || id >= w->ctas)
        fail(w, "work-group %" PRIu32 "; the launch has %" PRIu64 ", each once", id, w->ctas);
    if (nwarps != w->nwarps)
        fail(w, "a work-group of %" PRIu32 " warps; this launch's have %" PRIu32, nwarps, w->nwarps);
    w->ctas_left--;
    w->next_warp = 0;
    put_byte(w, 'B');
    put_number(w, id);
    put_number(w, nwarps);
}

void gwt_write_warp(struct gwt_writer *w, uint32_t warp, uint32_t lanes)
{
    if (w->failed)
        return;
    end_warp(w);
    if (!w->in_kernel || warp != w->next_warp || warp >= w->nwarps ||
        lanes != gwt_lanes_of(w->items, warp, w->warp_lanes)) {
        fail(w,
             "warp %" PRIu32 " with %" PRIu32
             " lanes; a work-group's warps come in order, the last with the lanes that are left",
             warp, lanes);
        return;
    }
    w->next_warp++;
    w->in_warp = true;
    w->exited = false;
    w->events_size = 0;
    w->events_count = 0;
    w->useds = 0;
    w->all = w->mask = gwt_lane_mask(lanes);
    w->active = lanes;
    w->warp_number++;
    put_byte(w, 'W');
    put_number(w, warp);
}

/* The shape of the addresses of an access: the distance of the first two, the OR of all, and whether all
 * neighbours are equally far apart. */
struct shape {
    uint64_t stride, bits;
    bool even; /* all neighbours are `stride` apart */
};

static inline struct shape shape_of(const uint64_t *lane, unsigned active)
{
    uint64_t step = active > 1 ? lane[1] - lane[0] : 0, other = 0, bits = lane[0];
    for (unsigned i = 1; i < active; i++) {
        other |= (lane[i] - lane[i - 1]) ^ step;
        bits |= lane[i];
    }
    return (struct shape){step, bits, !other};
}

static enum gwt_mode mode_of(const struct shape *s, uint32_t bytes)
{
    return !s->even ? GWT_SCATTER : s->stride == 0 ? GWT_SAME : s->stride == bytes ? GWT_UNIT : GWT_STRIDE;
}

static bool too_high(const struct gwt_event *e, unsigned active, uint64_t bits)
{
    if (bits <= GWT_VA_LIMIT - e->bytes) /* bits is the OR of all addresses, so no address exceeds it */
        return false;
    for (unsigned i = 0; i < active; i++)
        if (e->lane[i] > GWT_VA_LIMIT - e->bytes)
            return true;
    return false;
}

static bool valid_access(struct gwt_writer *w, const struct gwt_event *e, unsigned active, uint64_t bits)
{
    const char *flaw = NULL;
    if (!e->mask || e->mask & ~w->all)
        flaw = "wrong lane mask; it must name at least one lane and only lanes the warp has";
    else if (e->op > GWT_ATOMIC)
        flaw = "unknown operation; allowed are load, store and atomic";
    else if (e->pc >= w->npcs)
        flaw = "index past the kernel's table of memory instructions; it must be below the table's length";
    else if (e->bytes - 1 >= GWT_MAX_ACCESS)
        flaw = "bytes per lane out of range; allowed are 1 to 1024";
    else if (too_high(e, active, bits))
        flaw = "address out of range; an access must end at or below 2^48";
    if (flaw)
        fail(w, "event %" PRIu64 " of a warp: %s", w->events_count, flaw);
    return !flaw;
}

static uint8_t *put_access(struct gwt_writer *w, uint8_t *p, const struct gwt_event *e, unsigned active,
                           const struct shape *shape)
{
    enum gwt_mode mode = mode_of(shape, e->bytes);
    bool same = e->mask == w->mask;
    *p++ = (uint8_t)(e->op | (same ? GWT_H_SAME_MASK : 0) | (unsigned)mode << GWT_H_MODE_SHIFT);
    p = gwt_put_varint(p, e->gap);
    p = gwt_put_varint(p, e->pc);
    p = gwt_put_varint(p, e->bytes);
    if (!same) {
        memcpy(p, &e->mask, w->warp_lanes / 8); /* the host is little-endian */
        p += w->warp_lanes / 8;
        w->mask = e->mask;
        w->active = active;
    }
    p = gwt_put_varint(p, gwt_zigzag((int64_t)(e->lane[0] - w->previous[e->pc])));
    w->previous[e->pc] = e->lane[0];
    if (w->user[e->pc] != w->warp_number) {
        w->user[e->pc] = w->warp_number;
        w->used[w->useds++] = e->pc;
        w->first[e->pc] = e->lane[0];
    }
    if (mode == GWT_STRIDE)
        p = gwt_put_varint(p, gwt_zigzag((int64_t)shape->stride));
    if (mode == GWT_SCATTER)
        for (unsigned i = 1; i < active; i++)
            p = gwt_put_varint(p, gwt_zigzag((int64_t)(e->lane[i] - e->lane[i - 1])));
    return p;
}

void gwt_write_event(struct gwt_writer *w, const struct gwt_event *e)
{
    if (__builtin_expect(w->failed, 0))
        return;
    if (!w->in_warp || w->exited) {
        fail(w, "an event outside a warp; it must come after the warp's beginning and before its exit");
        return;
    }
    if (w->events_room - w->events_size < GWT_EVENT_MAX) {
        size_t room = w->events_room ? 2 * w->events_room : 1 << 16;
        uint8_t *events = realloc(w->events, room);
        if (!events) {
            fail(w, "out of memory");
            return;
        }
        w->events = events;
        w->events_room = room;
    }
    uint8_t *p = w->events + w->events_size;
    if (e->kind == GWT_ACCESS) {
        unsigned active = e->mask == w->mask ? w->active : (unsigned)__builtin_popcountll(e->mask);
        /* Most warps are full; a constant count lets the compiler use vectors. */
        struct shape shape =
            active == GWT_WARP_LANES ? shape_of(e->lane, GWT_WARP_LANES) : shape_of(e->lane, active);
        if (!valid_access(w, e, active, shape.bits))
            return;
        p = put_access(w, p, e, active, &shape);
    } else {
        *p++ = e->kind == GWT_BARRIER ? GWT_H_BARRIER : GWT_H_EXIT;
        p = gwt_put_varint(p, e->gap);
        w->exited = e->kind == GWT_EXIT;
    }
    w->events_size = (size_t)(p - w->events);
    w->events_count++;
}

void gwt_write_kernel_end(struct gwt_writer *w)
{
    if (w->failed)
        return;
    if (!w->in_kernel) {
        fail(w, "a kernel's end outside a launch; it must come inside one");
        return;
    }
    end_cta(w);
    if (w->ctas_left)
        fail(w, "the launch ends with %" PRIu64 " work-groups missing; all %" PRIu64 " must be written",
             w->ctas_left, w->ctas);
    w->in_kernel = false;
    put_byte(w, 'E');
}

void gwt_writer_abandon(struct gwt_writer *w)
{
    if (!w)
        return;
    unlink(w->temporary);
    drop(w);
}

int gwt_writer_close(struct gwt_writer *w, struct mp_error *err)
{
    if (w->in_kernel)
        fail(w, "the trace ends inside a kernel launch; the launch must be ended first");
    if (!w->kernels)
        fail(w, "the trace holds no kernel launch; it must hold one or more");
    flush(w, true);
    if (w->hash)
        write_checksum(w);
    if (!w->failed && close(w->fd))
        fail(w, "%s; there must be room for the trace", strerror(errno));
    else if (!w->failed)
        w->fd = -1;
    if (!w->failed && rename(w->temporary, w->path))
        fail(w, "%s; the name must be free or a file's", strerror(errno));
    if (w->failed) {
        if (err)
            *err = w->error;
        gwt_writer_abandon(w);
        return -1;
    }
    drop(w);
    return 0;
}
