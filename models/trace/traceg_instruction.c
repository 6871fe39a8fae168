/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction: [line] PC mask destinations opcode sources width [addresses] [more]. */
#include <inttypes.h>
#include <string.h>

#include "trace/gwt_format.h"
#include "trace/import_words.h"
#include "trace/traceg_state.h"

/* Generic loads and stores see shared and local memory as windows of this size in the address space. */
#define WINDOW_BYTES (1u << 24)

#define SHARED  "shared memory"
#define LOCAL   "local memory"
#define TEXTURE "a texture"
#define SURFACE "a surface"
#define TENSOR  "tensor memory"
#define CACHES  "cache control"

enum form {
    LANES,   /* an address for each active lane */
    GENERIC, /* likewise; it may also access the shared or the local window */
    BULK,    /* a copy of many pieces that the warp starts: by descriptor (tensor), or of contiguous bytes */
};

/* The memory instructions, by the opcode before its first dot. */
static const struct opcode {
    const char *name;
    char kind;
    uint8_t op;
    enum form form;
    const char *elsewhere; /* what it accesses instead of global memory, or NULL */
} opcodes[] = {
    {"LDG", 'L', GWT_LOAD, LANES, NULL},
    {"LDGSTS", 'L', GWT_LOAD, GENERIC, NULL},
    {"LD", 'L', GWT_LOAD, GENERIC, NULL},
    {"STG", 'S', GWT_STORE, LANES, NULL},
    {"ST", 'S', GWT_STORE, GENERIC, NULL},
    {"ATOM", 'C', GWT_ATOMIC, GENERIC, NULL},
    {"ATOMG", 'C', GWT_ATOMIC, LANES, NULL},
    {"RED", 'C', GWT_ATOMIC, GENERIC, NULL},
    {"REDG", 'C', GWT_ATOMIC, LANES, NULL},
    {"UTMALDG", 'L', GWT_LOAD, BULK, NULL},
    {"UTMASTG", 'S', GWT_STORE, BULK, NULL},
    {"UTMAREDG", 'C', GWT_ATOMIC, BULK, NULL},
    {"UTMAPF", 'L', GWT_LOAD, BULK, NULL},
    {"UBLKCP", 'L', GWT_LOAD, BULK, NULL},
    {"UBLKRED", 'C', GWT_ATOMIC, BULK, NULL},
    {"UBLKPF", 'L', GWT_LOAD, BULK, NULL},
    {.name = "LDS", .elsewhere = SHARED},
    {.name = "LDSM", .elsewhere = SHARED},
    {.name = "STS", .elsewhere = SHARED},
    {.name = "STSM", .elsewhere = SHARED},
    {.name = "STAS", .elsewhere = SHARED},
    {.name = "REDAS", .elsewhere = SHARED},
    {.name = "ATOMS", .elsewhere = SHARED},
    {.name = "ARRIVES", .elsewhere = SHARED},
    {.name = "SYNCS", .elsewhere = SHARED},
    {.name = "LDL", .elsewhere = LOCAL},
    {.name = "STL", .elsewhere = LOCAL},
    {.name = "LDC", .elsewhere = "constant memory"},
    {.name = "LDCU", .elsewhere = "constant memory"},
    {.name = "ULDC", .elsewhere = "constant memory"},
    {.name = "TEX", .elsewhere = TEXTURE},
    {.name = "TLD", .elsewhere = TEXTURE},
    {.name = "TLD4", .elsewhere = TEXTURE},
    {.name = "TXD", .elsewhere = TEXTURE},
    {.name = "SULD", .elsewhere = SURFACE},
    {.name = "SUST", .elsewhere = SURFACE},
    {.name = "SUATOM", .elsewhere = SURFACE},
    {.name = "SURED", .elsewhere = SURFACE},
    {.name = "LDT", .elsewhere = TENSOR},
    {.name = "LDTM", .elsewhere = TENSOR},
    {.name = "STT", .elsewhere = TENSOR},
    {.name = "STTM", .elsewhere = TENSOR},
    {.name = "UTCCP", .elsewhere = TENSOR},
    {.name = "CCTL", .elsewhere = CACHES},
    {.name = "CCTLL", .elsewhere = CACHES},
    {.name = "CCTLT", .elsewhere = CACHES},
    {.name = "UTMACCTL", .elsewhere = CACHES},
};

static const struct opcode *find_opcode(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (!strncmp(name, opcodes[i].name, length) && !opcodes[i].name[length])
            return &opcodes[i];
    return NULL;
}

/* The bytes of each lane by the opcode's suffix, which is right where the tracer's number is wrong
 * ("LDG.E.128", "LDG.E.U8"); 0: it has none. */
static uint32_t bytes_by_suffix(const char *opcode)
{
    static const struct {
        const char *suffix;
        uint32_t bytes;
    } widths[] = {{"U8", 1}, {"S8", 1}, {"8", 1},   {"U16", 2},  {"S16", 2}, {"16", 2},
                  {"32", 4}, {"64", 8}, {"96", 12}, {"128", 16}, {"256", 32}};
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at, '.')) {
        size_t length = strcspn(++at, ".");
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            if (strlen(widths[i].suffix) == length && !strncmp(at, widths[i].suffix, length))
                return widths[i].bytes;
    }
    return 0;
}

static int leave_out(struct traceg_state *p, const char *opcode, const char *reason, uint64_t mask)
{
    return mask ? traceg_send(p, &(struct import_item){.kind = IMPORT_LEFT_OUT,
                                                       .opcode = opcode,
                                                       .reason = reason,
                                                       .lanes = (uint32_t)__builtin_popcountll(mask)})
                : 0;
}

static bool in_window(uint64_t window, uint64_t address)
{
    return window && address >= window && address - window < WINDOW_BYTES;
}

/* Removes the lanes that do not access global memory. */
static int drop_windows(struct traceg_state *p, const char *opcode, struct gwt_event *e)
{
    unsigned kept = 0, i = 0;
    uint32_t shared = 0, local = 0;
    for (unsigned lane = 0; lane < GWT_WARP_LANES; lane++) {
        if (!(e->mask >> lane & 1))
            continue;
        uint64_t a = e->lane[i++];
        if (in_window(p->shared_window, a))
            shared |= 1u << lane;
        else if (in_window(p->local_window, a))
            local |= 1u << lane;
        else
            e->lane[kept++] = a;
    }
    e->mask &= ~(shared | local);
    return leave_out(p, opcode, SHARED, shared) || leave_out(p, opcode, LOCAL, local) ? -1 : 0;
}

/* Reads "mode addresses", which follows the width. Yields one address per active lane. */
static int lane_addresses(struct traceg_state *p, char **at, struct gwt_event *e)
{
    uint64_t mode, base;
    unsigned active = (unsigned)__builtin_popcountll(e->mask);
    if (!import_count(import_word(at), 2, &mode))
        return traceg_fail(p, "wrong address mode",
                           "allowed are 0 (all), 1 (base and stride) and 2 (base and deltas)");
    if (!import_hex(import_word(at), &base))
        return traceg_fail(p, "missing or wrong address", "it must be a hexadecimal number");
    e->lane[0] = base;
    int64_t step = 0;
    if (mode == 1 && !import_decimal(import_word(at), &step))
        return traceg_fail(p, "missing or wrong stride", "it must be a decimal number");
    for (unsigned i = 1; i < active; i++) {
        if (mode == 0) {
            if (!import_hex(import_word(at), &e->lane[i]))
                return traceg_fail(p, "missing or wrong address",
                                   "there must be a hexadecimal one for each active lane");
            continue;
        }
        if (mode == 2 && !import_decimal(import_word(at), &step))
            return traceg_fail(p, "missing or wrong delta",
                               "there must be a decimal one for each active lane after the first");
        e->lane[i] = e->lane[i - 1] + (uint64_t)step;
    }
    return 0;
}

/* Sends an access of the event's lanes. */
static int send_access(struct traceg_state *p, const struct opcode *opcode, uint64_t bytes, struct gwt_pc *pc)
{
    struct gwt_event *e = &p->event;
    for (unsigned i = 0; i < (unsigned)__builtin_popcountll(e->mask); i++)
        if (e->lane[i] > GWT_VA_LIMIT - bytes)
            return traceg_fail(p, "address out of range", "an access must end at or below 2^48");
    e->kind = GWT_ACCESS;
    e->op = opcode->op;
    e->bytes = (uint32_t)bytes;
    pc->kind = opcode->kind;
    pc->space = GWT_GLOBAL;
    return traceg_send_event(p, pc);
}

static int access_lanes(struct traceg_state *p, char **at, const struct opcode *opcode, uint64_t bytes,
                        struct gwt_pc *pc)
{
    struct gwt_event *e = &p->event;
    if (lane_addresses(p, at, e) || (opcode->form == GENERIC && drop_windows(p, opcode->name, e)))
        return -1;
    return e->mask ? send_access(p, opcode, bytes, pc) : 0;
}

/* What a bulk copy has before its addresses: barrier, multicast [its thread blocks], bytes, bytes outside of
 * the tensor, 3 (all) or 4 (base and deltas), the number of pieces. */
struct bulk {
    uint64_t bytes, mode, base, pieces;
};

static bool bulk_head(char **at, struct bulk *b)
{
    uint64_t ignored, multicast;
    return import_hex(import_word(at), &ignored) && import_count(import_word(at), 1, &multicast) &&
           (!multicast || import_hex(import_word(at), &ignored)) &&
           import_count(import_word(at), UINT32_MAX, &b->bytes) &&
           import_count(import_word(at), UINT32_MAX, &ignored) &&
           import_count(import_word(at), 4, &b->mode) && b->mode >= 3 &&
           (b->mode == 3 || import_hex(import_word(at), &b->base)) &&
           import_count(import_word(at), UINT32_MAX, &b->pieces);
}

static unsigned words_of(const char *text)
{
    unsigned n = 0;
    while (*(text += strspn(text, " \t"))) {
        n++;
        text += strcspn(text, " \t");
    }
    return n;
}

/* A warp starts a bulk copy once, whatever its mask. Its pieces become accesses of as many lanes as the warp
 * has. Tracers before version 6 write no addresses of bulk copies. */
static int access_bulk(struct traceg_state *p, char **at, const struct opcode *opcode, uint64_t bytes,
                       uint32_t lanes, struct gwt_pc *pc)
{
    enum { HEAD_WORDS = 6 };
    struct gwt_event *e = &p->event;
    struct bulk b = {0};
    int64_t step;
    if (words_of(*at) < HEAD_WORDS)
        return leave_out(p, opcode->name, "pieces not recorded", e->mask);
    if (!bulk_head(at, &b))
        return traceg_fail(
            p, "wrong bulk copy",
            "barrier, 0 or 1 for multicast (and its mask), bytes, bytes outside, mode 3 or 4, and the "
            "number of pieces are expected");
    if (!bytes && b.pieces)
        bytes = b.bytes / b.pieces;
    if (b.pieces && (!bytes || bytes > GWT_MAX_ACCESS))
        return traceg_fail(p, "width of a bulk copy's pieces out of range", "allowed are 1 to 1024 bytes");
    uint64_t address = b.base;
    unsigned n = 0;
    for (uint64_t i = 0; i < b.pieces; i++) {
        if (b.mode == 3 ? !import_hex(import_word(at), &address)
                        : i && !import_decimal(import_word(at), &step))
            return traceg_fail(p, "missing or wrong address of a bulk copy",
                               "there must be one for each piece: hexadecimal, or a decimal step");
        address += b.mode == 4 && i ? (uint64_t)step : 0;
        e->lane[n++] = address;
        if (n < lanes && i + 1 < b.pieces)
            continue;
        e->mask = gwt_lane_mask(n);
        n = 0;
        if (send_access(p, opcode, bytes, pc))
            return -1;
    }
    return 0;
}

/* UBLKCP.G.S writes global memory, UBLKCP.S.G reads it; a copy between shared memories does neither. */
static const struct opcode *direction(const struct opcode *opcode, const char *suffixes)
{
    static const struct opcode store = {"UBLKCP", 'S', GWT_STORE, BULK, NULL},
                               shared = {.name = "UBLKCP", .elsewhere = SHARED};
    if (strcmp(opcode->name, store.name) != 0)
        return opcode;
    return !strncmp(suffixes, ".G", 2) ? &store : !strncmp(suffixes, ".S.S", 4) ? &shared : opcode;
}

static int unknown(struct traceg_state *p, const char *opcode, uint64_t width)
{
    char what[100];
    snprintf(what, sizeof what, "unknown memory instruction '%.24s' of %" PRIu64 " bytes", opcode, width);
    return traceg_fail(
        p, what,
        "known are LDG, LDGSTS, LD, STG, ST, ATOM, ATOMG, RED, REDG, UTMALDG, UTMASTG, UTMAREDG, UTMAPF, "
        "UBLKCP, UBLKRED, UBLKPF and those that do not reach global memory; --skip-unknown leaves others "
        "out");
}

/* An instruction with active lanes that accesses memory is kept, or left out and counted. */
static int memory_instruction(struct traceg_state *p, char **at, char *name, uint64_t width, uint32_t lanes,
                              struct gwt_pc *pc)
{
    const size_t length = strcspn(name, ".");
    const struct opcode *opcode = find_opcode(name, length);
    const uint32_t suffix = bytes_by_suffix(name);
    if (opcode)
        opcode = direction(opcode, name + length);
    name[length] = 0;
    if (!opcode && !width)
        return 0;
    if (!opcode && !p->skip_unknown)
        return unknown(p, name, width);
    if (!opcode || opcode->elsewhere)
        return width ? leave_out(p, name, opcode ? opcode->elsewhere : "unknown", p->event.mask) : 0;
    if (opcode->form == BULK)
        return access_bulk(p, at, opcode, width, lanes, pc);
    if (!width)
        return leave_out(p, name, "no addresses recorded", p->event.mask);
    if (width > GWT_MAX_ACCESS)
        return traceg_fail(p, "access width out of range", "allowed are 1 to 1024 bytes");
    return access_lanes(p, at, opcode, suffix ? suffix : width, pc);
}

/* Reads registers: their number, then that number of names. */
static bool registers(char **at)
{
    uint64_t n;
    if (!import_count(import_word(at), 64, &n))
        return false;
    while (n--)
        if (!import_word(at))
            return false;
    return true;
}

/* Of a raw recording: an LDGSTS has two lines, the first with its addresses in shared memory. */
static bool first_of_pair(struct traceg_state *p, const char *opcode)
{
    if (!p->raw || strncmp(opcode, "LDGSTS", 6) != 0)
        return false;
    p->copied = !p->copied;
    return p->copied;
}

int traceg_instruction(struct traceg_state *p, char *at, uint32_t lanes)
{
    struct gwt_pc pc = {0};
    uint64_t mask, width, n;
    for (int i = 0; !p->raw && p->version < 3 && i < 4; i++)
        if (!import_count(import_word(&at), UINT32_MAX, &n))
            return traceg_fail(p, "wrong thread block or warp before the instruction",
                               "tracers before version 3 write x, y, z and the warp");
    if (p->line_numbers) {
        if (!import_count(import_word(&at), UINT32_MAX, &n))
            return traceg_fail(p, "wrong source line", "it must be a decimal number");
        pc.line = (uint32_t)n;
    }
    if (!import_hex(import_word(&at), &pc.pc) || !import_hex(import_word(&at), &mask))
        return traceg_fail(p, "wrong instruction address or lane mask", "both must be hexadecimal numbers");
    if (mask & ~gwt_lane_mask(lanes))
        return traceg_fail(p, "the lane mask names lanes the warp does not have",
                           "only existing threads can be active");
    if (!registers(&at))
        return traceg_fail(p, "wrong destination registers",
                           "their number and then as many names are expected");
    char *opcode = import_word(&at);
    if (!opcode)
        return traceg_fail(p, "the instruction ends before its opcode",
                           "an instruction must be one whole line");
    if (!strncmp(opcode, "REPLAY_", 7)) /* a mark around instructions that repeat */
        return 0;
    if (!registers(&at))
        return traceg_fail(p, "wrong source registers", "their number and then as many names are expected");
    if (strstr(opcode, "GMMA")) { /* the number after its registers is no width */
        p->gap++;
        return 0;
    }
    if (!import_count(import_word(&at), UINT32_MAX, &width))
        return traceg_fail(p, "missing or wrong access width", "it must be a number of bytes");
    if (first_of_pair(p, opcode))
        return 0;
    p->event.mask = (uint32_t)mask;
    int status = 0;
    if (!strncmp(opcode, "BAR.SYNC", 8) || !strncmp(opcode, "BAR.RED", 7)) {
        p->event.kind = GWT_BARRIER;
        status = traceg_send_event(p, NULL);
    } else if (mask) {
        status = memory_instruction(p, &at, opcode, width, lanes, &pc);
    }
    p->gap++;
    return status;
}
