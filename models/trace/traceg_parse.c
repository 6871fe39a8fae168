/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/traceg_parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/gwt_format.h"
#include "trace/traceg_lines.h"

/* Generic loads and stores see shared and local memory as windows of this size in the address space. */
#define WINDOW_BYTES (1u << 24)

/* The versions of the tracer that can be read. */
enum { OLDEST_VERSION = 1, NEWEST_VERSION = 5 };

struct parse {
    struct traceg_lines lines;
    struct mp_error *err;
    traceg_receiver *receiver;
    void *self;
    struct gwt_kernel kernel;
    char name[1024];
    uint64_t shared_window, local_window; /* 0 if unknown */
    uint64_t version;                     /* 0 until the header gives it */
    bool skip_unknown;
    bool line_numbers, grid_known, block_known, begun, in_cta, cta_known;
    uint32_t items, next_warp;
    uint32_t gap; /* instructions since the warp's last event */
    struct gwt_event event;
};

static int fail(struct parse *p, const char *what, const char *allowed)
{
    return mp_fail(p->err, "%s:%" PRIu64 ": %.200s; %s", p->lines.path, p->lines.line, what, allowed);
}

static int send(struct parse *p, const struct traceg_item *item)
{
    struct mp_error why = {""};
    if (!p->receiver(p->self, item, &why))
        return 0;
    return mp_fail(p->err, "%s:%" PRIu64 ": %.400s", p->lines.path, p->lines.line, why.text);
}

/* Returns the next word of the line at *at, 0-terminated, or NULL at the end of the line. */
static char *word(char **at)
{
    char *start = *at + strspn(*at, " \t");
    if (!*start)
        return NULL;
    char *end = start + strcspn(start, " \t");
    *at = *end ? end + 1 : end;
    *end = 0;
    return start;
}

static bool hex(const char *text, uint64_t *value)
{
    if (text && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    if (!text || !*text)
        return false;
    uint64_t v = 0;
    for (unsigned n = 0; *text; text++, n++) {
        int c = *text | 0x20;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0 || v >> 60)
            return false;
        v = v << 4 | (uint64_t)digit;
    }
    *value = v;
    return true;
}

static bool decimal(const char *text, int64_t *value)
{
    if (!text)
        return false;
    bool minus = *text == '-';
    text += minus;
    if (!*text)
        return false;
    int64_t v = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || v > (INT64_MAX - 9) / 10)
            return false;
        v = 10 * v + (*text - '0');
    }
    *value = minus ? -v : v;
    return true;
}

static bool count_of(const char *text, uint64_t most, uint64_t *value)
{
    int64_t v;
    if (!text || !decimal(text, &v) || v < 0 || (uint64_t)v > most)
        return false;
    *value = (uint64_t)v;
    return true;
}

/* "(x,y,z)" or "x,y,z" */
static bool triple(char *text, uint32_t value[3])
{
    text += *text == '(';
    char *end = text + strlen(text);
    if (end > text && end[-1] == ')')
        end[-1] = 0;
    for (int i = 0; i < 3; i++) {
        char *comma = strchr(text, ',');
        uint64_t v;
        if (!comma != (i == 2))
            return false;
        if (comma)
            *comma = 0;
        text += strspn(text, " ");
        if (!count_of(text, UINT32_MAX, &v))
            return false;
        value[i] = (uint32_t)v;
        if (comma)
            text = comma + 1;
    }
    return true;
}

/* Returns the value of a line "key = value", or NULL if the line has another key. */
static char *value_of(char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n))
        return NULL;
    line += n + strspn(line + n, " \t");
    if (*line != '=')
        return NULL;
    line++;
    line += strspn(line, " \t");
    char *end = line + strlen(line);
    while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = 0;
    return line;
}

/* Reads the header lines that matter. It ignores all others, because recordings contain wrong values in
 * them. */
static int header(struct parse *p, char *line)
{
    char *v;
    uint64_t n;
    if ((v = value_of(line, "-kernel name"))) {
        snprintf(p->name, sizeof p->name, "%s", *v ? v : "unnamed");
        for (char *c = p->name; *c; c++)
            if (*c < 0x20 || *c > 0x7e)
                *c = '?';
    } else if ((v = value_of(line, "-grid dim"))) {
        p->grid_known = triple(v, p->kernel.grid);
        if (!p->grid_known)
            return fail(p, "wrong grid dim", "it must be (x,y,z)");
    } else if ((v = value_of(line, "-block dim"))) {
        p->block_known = triple(v, p->kernel.block);
        if (!p->block_known)
            return fail(p, "wrong block dim", "it must be (x,y,z)");
    } else if ((v = value_of(line, "-shmem base_addr"))) {
        if (!hex(v, &p->shared_window))
            return fail(p, "wrong shmem base_addr", "it must be a hexadecimal number");
    } else if ((v = value_of(line, "-local mem base_addr"))) {
        if (!hex(v, &p->local_window))
            return fail(p, "wrong local mem base_addr", "it must be a hexadecimal number");
    } else if ((v = value_of(line, "-shmem"))) {
        p->kernel.local_bytes = count_of(v, UINT32_MAX, &n) ? (uint32_t)n : 0;
    } else if ((v = value_of(line, "-accelsim tracer version"))) {
        v[strcspn(v, ".")] = 0; /* the first tracers call themselves 1.2 */
        if (!count_of(v, NEWEST_VERSION, &p->version) || p->version < OLDEST_VERSION)
            return fail(p, "unknown accelsim tracer version", "allowed are 1 to 5");
    } else if ((v = value_of(line, "-enable lineinfo"))) {
        if (!count_of(v, 1, &n))
            return fail(p, "wrong enable lineinfo", "allowed are 0 and 1");
        p->line_numbers = n;
    }
    return 0;
}

static bool volume(const uint32_t size[3], uint64_t most, uint64_t *out)
{
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) {
        if (!size[i] || size[i] > most / n)
            return false;
        n *= size[i];
    }
    *out = n;
    return true;
}

static int begin_kernel(struct parse *p)
{
    uint64_t ctas, items;
    if (p->begun)
        return 0;
    if (!p->grid_known || !p->block_known)
        return fail(p, "no grid dim or block dim so far", "the header must give both");
    if (!volume(p->kernel.grid, GWT_MAX_CTAS, &ctas))
        return fail(p, "grid dim out of range", "allowed are 1 to 134217728 thread blocks");
    if (!volume(p->kernel.block, GWT_MAX_BLOCK, &items))
        return fail(p, "block dim out of range", "allowed are 1 to 4096 threads");
    if (!p->version)
        return fail(p, "no accelsim tracer version so far", "the header must give it: 1 to 5");
    p->items = (uint32_t)items;
    p->kernel.name = p->name;
    p->begun = true;
    return send(p, &(struct traceg_item){.kind = TRACEG_KERNEL, .kernel = &p->kernel});
}

#define SHARED "shared memory"
#define LOCAL  "local memory"

/* The memory instructions, by the opcode before its first dot. */
static const struct opcode {
    const char *name;
    char kind;
    uint8_t op;
    bool generic;          /* may also access the shared or the local window */
    const char *elsewhere; /* what it accesses instead of global memory, or NULL */
} opcodes[] = {
    {"LDG", 'L', GWT_LOAD, false, NULL},
    {"LDGSTS", 'L', GWT_LOAD, true, NULL},
    {"LD", 'L', GWT_LOAD, true, NULL},
    {"STG", 'S', GWT_STORE, false, NULL},
    {"ST", 'S', GWT_STORE, true, NULL},
    {"ATOM", 'C', GWT_ATOMIC, true, NULL},
    {"ATOMG", 'C', GWT_ATOMIC, false, NULL},
    {"RED", 'C', GWT_ATOMIC, true, NULL},
    {"REDG", 'C', GWT_ATOMIC, false, NULL},
    {.name = "LDS", .elsewhere = SHARED},
    {.name = "LDSM", .elsewhere = SHARED},
    {.name = "STS", .elsewhere = SHARED},
    {.name = "STSM", .elsewhere = SHARED},
    {.name = "ATOMS", .elsewhere = SHARED},
    {.name = "LDL", .elsewhere = LOCAL},
    {.name = "STL", .elsewhere = LOCAL},
    {.name = "LDC", .elsewhere = "constant memory"},
    {.name = "TEX", .elsewhere = "a texture"},
    {.name = "TLD", .elsewhere = "a texture"},
    {.name = "TLD4", .elsewhere = "a texture"},
    {.name = "TXD", .elsewhere = "a texture"},
    {.name = "SULD", .elsewhere = "a surface"},
    {.name = "SUST", .elsewhere = "a surface"},
    {.name = "SUATOM", .elsewhere = "a surface"},
    {.name = "SURED", .elsewhere = "a surface"},
    {.name = "CCTL", .elsewhere = "cache control"},
    {.name = "CCTLL", .elsewhere = "cache control"},
    {.name = "CCTLT", .elsewhere = "cache control"},
};

static const struct opcode *find_opcode(const char *name)
{
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (!strcmp(name, opcodes[i].name))
            return &opcodes[i];
    return NULL;
}

static int leave_out(struct parse *p, const char *opcode, const char *reason, uint32_t mask)
{
    return mask ? send(p, &(struct traceg_item){.kind = TRACEG_LEFT_OUT,
                                                .opcode = opcode,
                                                .reason = reason,
                                                .lanes = (uint32_t)__builtin_popcount(mask)})
                : 0;
}

static bool in_window(uint64_t window, uint64_t address)
{
    return window && address >= window && address - window < WINDOW_BYTES;
}

/* Removes the lanes that do not access global memory. */
static int drop_windows(struct parse *p, const char *opcode, struct gwt_event *e)
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
static int addresses(struct parse *p, char **at, struct gwt_event *e)
{
    uint64_t mode, base;
    unsigned active = (unsigned)__builtin_popcountll(e->mask);
    if (!count_of(word(at), 2, &mode))
        return fail(p, "wrong address mode",
                    "allowed are 0 (all), 1 (base and stride) and 2 (base and deltas)");
    if (!hex(word(at), &base))
        return fail(p, "missing or wrong address", "it must be a hexadecimal number");
    e->lane[0] = base;
    int64_t step = 0;
    char *text;
    if (mode == 1 && (!(text = word(at)) || !decimal(text, &step)))
        return fail(p, "missing or wrong stride", "it must be a decimal number");
    for (unsigned i = 1; i < active; i++) {
        if (mode == 0) {
            if (!hex(word(at), &e->lane[i]))
                return fail(p, "missing or wrong address",
                            "there must be a hexadecimal one for each active lane");
            continue;
        }
        if (mode == 2 && (!(text = word(at)) || !decimal(text, &step)))
            return fail(p, "missing or wrong delta",
                        "there must be a decimal one for each active lane after the first");
        e->lane[i] = e->lane[i - 1] + (uint64_t)step;
    }
    return 0;
}

static int send_event(struct parse *p, const struct gwt_pc *pc)
{
    p->event.gap = p->gap;
    p->gap = 0;
    return send(p, &(struct traceg_item){
                       .kind = TRACEG_EVENT, .event = &p->event, .pc = pc ? *pc : (struct gwt_pc){0}});
}

static int access(struct parse *p, char **at, const struct opcode *opcode, uint64_t width, struct gwt_pc *pc)
{
    struct gwt_event *e = &p->event;
    if (width > GWT_MAX_ACCESS)
        return fail(p, "access width out of range", "allowed are 1 to 1024 bytes");
    if (addresses(p, at, e) || (opcode->generic && drop_windows(p, opcode->name, e)))
        return -1;
    if (!e->mask)
        return 0;
    for (unsigned i = 0; i < (unsigned)__builtin_popcountll(e->mask); i++)
        if (e->lane[i] > GWT_VA_LIMIT - width)
            return fail(p, "address out of range", "an access must end at or below 2^48");
    e->kind = GWT_ACCESS;
    e->op = opcode->op;
    e->bytes = (uint32_t)width;
    pc->kind = opcode->kind;
    pc->space = GWT_GLOBAL;
    return send_event(p, pc);
}

/* An instruction with a width and active lanes is kept, or left out and counted. */
static int memory_instruction(struct parse *p, char **at, char *name, uint64_t width, struct gwt_pc *pc)
{
    name[strcspn(name, ".")] = 0;
    const struct opcode *opcode = find_opcode(name);
    if (opcode && !opcode->elsewhere)
        return access(p, at, opcode, width, pc);
    if (opcode || p->skip_unknown)
        return leave_out(p, name, opcode ? opcode->elsewhere : "unknown", p->event.mask);
    char what[100];
    snprintf(what, sizeof what, "unknown memory instruction '%.24s' of %" PRIu64 " bytes", name, width);
    return fail(
        p, what,
        "known are LDG, LDGSTS, LD, STG, ST, ATOM, ATOMG, RED, REDG and those that do not reach global "
        "memory; --skip-unknown leaves others out");
}

/* Reads registers: their number, then that number of names. */
static bool registers(char **at)
{
    uint64_t n;
    if (!count_of(word(at), 64, &n))
        return false;
    while (n--)
        if (!word(at))
            return false;
    return true;
}

static int instruction(struct parse *p, char *at, uint32_t lanes)
{
    struct gwt_pc pc = {0};
    uint64_t mask, width, n;
    for (int i = 0; p->version < 3 && i < 4; i++)
        if (!count_of(word(&at), UINT32_MAX, &n))
            return fail(p, "wrong thread block or warp before the instruction",
                        "tracers before version 3 write x, y, z and the warp");
    if (p->line_numbers) {
        if (!count_of(word(&at), UINT32_MAX, &n))
            return fail(p, "wrong source line", "it must be a decimal number");
        pc.line = (uint32_t)n;
    }
    if (!hex(word(&at), &pc.pc) || !hex(word(&at), &mask))
        return fail(p, "wrong instruction address or lane mask", "both must be hexadecimal numbers");
    if (mask & ~gwt_lane_mask(lanes))
        return fail(p, "the lane mask names lanes the warp does not have",
                    "only existing threads can be active");
    if (!registers(&at))
        return fail(p, "wrong destination registers", "their number and then as many names are expected");
    char *opcode = word(&at);
    if (!opcode)
        return fail(p, "the instruction ends before its opcode", "an instruction must be one whole line");
    if (!registers(&at) || !count_of(word(&at), UINT32_MAX, &width))
        return fail(p, "wrong source registers or access width", "numbers and register names are expected");
    p->event.mask = (uint32_t)mask;
    int status = 0;
    if (!strncmp(opcode, "BAR.SYNC", 8) || !strncmp(opcode, "BAR.RED", 7)) {
        p->event.kind = GWT_BARRIER;
        status = send_event(p, NULL);
    } else if (width && mask) {
        status = memory_instruction(p, &at, opcode, width, &pc);
    }
    p->gap++;
    return status;
}

/* Reads the next line that is not empty. Returns 1 at the end. */
static int next_line(struct parse *p, char **line)
{
    int status;
    do
        status = traceg_line(&p->lines, line, p->err);
    while (!status && !(*line)[strspn(*line, " \t")]);
    return status;
}

static int warp(struct parse *p, char *v)
{
    uint64_t id, count;
    char *line;
    uint32_t nwarps = gwt_warps_of(p->items, GWT_WARP_LANES);
    if (!p->in_cta || !p->cta_known)
        return fail(p, "a warp outside a thread block",
                    "it must come after #BEGIN_TB and the thread block's position");
    if (!count_of(v, nwarps - 1, &id) || id < p->next_warp)
        return fail(p, "wrong warp", "warps must come in ascending order and within the block");
    int status = next_line(p, &line);
    if (status < 0)
        return -1;
    char *insts = status ? NULL : value_of(line, "insts");
    if (!insts || !count_of(insts, UINT32_MAX - 1, &count))
        return fail(p, "no number of instructions after the warp", "a line 'insts = N' must follow");
    p->next_warp = (uint32_t)id + 1;
    if (send(p, &(struct traceg_item){.kind = TRACEG_WARP, .id = (uint32_t)id}))
        return -1;
    p->gap = 0;
    for (; count; count--) {
        status = next_line(p, &line);
        if (status < 0)
            return -1;
        if (status)
            return fail(p, "the file ends inside a warp",
                        "all instructions that 'insts' announced must be there");
        if (instruction(p, line, gwt_lanes_of(p->items, (uint32_t)id, GWT_WARP_LANES)))
            return -1;
    }
    p->event.kind = GWT_EXIT;
    return send_event(p, NULL);
}

static int cta(struct parse *p, char *v)
{
    uint32_t at[3];
    const uint32_t *grid = p->kernel.grid;
    if (!p->in_cta || p->cta_known)
        return fail(p, "a thread block's position out of place", "it must come once, after #BEGIN_TB");
    if (!triple(v, at) || at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2])
        return fail(p, "wrong thread block", "it must be x,y,z within the grid");
    p->cta_known = true;
    p->next_warp = 0;
    return send(p,
                &(struct traceg_item){.kind = TRACEG_CTA, .id = (at[2] * grid[1] + at[1]) * grid[0] + at[0]});
}

static int begin_cta(struct parse *p)
{
    if (p->in_cta)
        return fail(p, "#BEGIN_TB inside a thread block", "#END_TB must come first");
    p->in_cta = true;
    p->cta_known = false;
    return begin_kernel(p);
}

static int end_cta(struct parse *p)
{
    if (!p->in_cta || !p->cta_known)
        return fail(p, "#END_TB without a thread block",
                    "#BEGIN_TB and 'thread block = x,y,z' must come first");
    p->in_cta = false;
    return send(p, &(struct traceg_item){.kind = TRACEG_CTA_END});
}

static int one_line(struct parse *p, char *line)
{
    char *v;
    if (!strncmp(line, "#BEGIN_TB", 9))
        return begin_cta(p);
    if (!strncmp(line, "#END_TB", 7))
        return end_cta(p);
    if (*line == '#')
        return 0;
    if (*line == '-' && !p->begun)
        return header(p, line);
    if ((v = value_of(line, "thread block")))
        return cta(p, v);
    if ((v = value_of(line, "warp")))
        return warp(p, v);
    return fail(p, "unexpected line",
                "allowed are the header, #BEGIN_TB, 'thread block = x,y,z', 'warp = N', "
                "'insts = N' with N instructions, #END_TB");
}

int traceg_parse(const char *path, bool skip_unknown, traceg_receiver *receiver, void *self,
                 struct mp_error *err)
{
    struct parse *p = calloc(1, sizeof *p);
    if (!p)
        return mp_fail(err, "%s: out of memory", path);
    p->err = err;
    p->receiver = receiver;
    p->self = self;
    p->skip_unknown = skip_unknown;
    strcpy(p->name, "unnamed");
    int status = traceg_lines_open(&p->lines, path, err);
    char *line;
    if (!status) {
        while (!(status = next_line(p, &line)))
            if (one_line(p, line)) {
                status = -1;
                break;
            }
        if (status > 0 && p->in_cta)
            status = fail(p, "the file ends inside a thread block", "#END_TB must come first");
        if (status > 0)
            status = begin_kernel(p) || send(p, &(struct traceg_item){.kind = TRACEG_KERNEL_END}) ? -1 : 0;
        traceg_lines_close(&p->lines);
    }
    free(p);
    return status;
}
