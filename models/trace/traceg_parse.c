/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/traceg_parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/gwt_format.h"
#include "trace/import_group.h"
#include "trace/import_words.h"
#include "trace/traceg_state.h"
#include "trace/tracez.h"

/* The versions of the tracer that can be read. */
enum { OLDEST_VERSION = 1, NEWEST_VERSION = 6 };

/* "PATH:LINE", or the instruction where lines are not those of a file. */
static const char *place(const struct traceg_state *p, char text[600])
{
    const struct import_file *f = &p->lines.file;
    if (!tracez_is(f) || !p->in_warp)
        snprintf(text, 600, "%.400s:%" PRIu64, f->path, p->line);
    else
        snprintf(text, 600,
                 "%.400s: thread block %" PRIu32 ",%" PRIu32 ",%" PRIu32 ", warp %" PRIu32
                 ", instruction %" PRIu32,
                 f->path, p->at[0], p->at[1], p->at[2], p->warp, p->instruction);
    return text;
}

int traceg_fail(struct traceg_state *p, const char *what, const char *allowed)
{
    char text[600];
    return mp_fail(p->err, "%s: %.200s; %s", place(p, text), what, allowed);
}

int traceg_send(struct traceg_state *p, const struct import_item *item)
{
    struct mp_error why = {""};
    char text[600];
    if (!p->receiver(p->self, item, &why))
        return 0;
    return mp_fail(p->err, "%s: %.400s", place(p, text), why.text);
}

int traceg_send_event(struct traceg_state *p, const struct gwt_pc *pc)
{
    p->event.gap = p->gap;
    p->gap = 0;
    return traceg_send(p, &(struct import_item){
                              .kind = IMPORT_EVENT, .event = &p->event, .pc = pc ? *pc : (struct gwt_pc){0}});
}

/* ---- the header ---- */

static int read_name(struct traceg_state *p, char *v)
{
    snprintf(p->name, sizeof p->name, "%s", *v ? v : "unnamed");
    for (char *c = p->name; *c; c++)
        if (*c < 0x20 || *c > 0x7e)
            *c = '?';
    return 0;
}

static int read_grid(struct traceg_state *p, char *v)
{
    p->grid_known = import_triple(v, p->kernel.grid);
    return p->grid_known ? 0 : traceg_fail(p, "wrong grid dim", "it must be (x,y,z)");
}

static int read_block(struct traceg_state *p, char *v)
{
    p->block_known = import_triple(v, p->kernel.block);
    return p->block_known ? 0 : traceg_fail(p, "wrong block dim", "it must be (x,y,z)");
}

static int read_shared_window(struct traceg_state *p, char *v)
{
    return import_hex(v, &p->shared_window)
               ? 0
               : traceg_fail(p, "wrong shmem base_addr", "it must be a hexadecimal number");
}

static int read_local_window(struct traceg_state *p, char *v)
{
    return import_hex(v, &p->local_window)
               ? 0
               : traceg_fail(p, "wrong local mem base_addr", "it must be a hexadecimal number");
}

static int read_shared_bytes(struct traceg_state *p, char *v)
{
    uint64_t n;
    p->kernel.local_bytes = import_count(v, UINT32_MAX, &n) ? (uint32_t)n : 0;
    return 0;
}

static int read_version(struct traceg_state *p, char *v)
{
    v[strcspn(v, ".")] = 0; /* the first tracers call themselves 1.2 */
    return import_count(v, NEWEST_VERSION, &p->version) && p->version >= OLDEST_VERSION
               ? 0
               : traceg_fail(p, "unknown accelsim tracer version", "allowed are 1 to 6");
}

static int read_line_numbers(struct traceg_state *p, char *v)
{
    uint64_t n;
    if (!import_count(v, 1, &n))
        return traceg_fail(p, "wrong enable lineinfo", "allowed are 0 and 1");
    p->line_numbers = n;
    return 0;
}

/* The header lines that matter. All others are ignored, because recordings contain wrong values in them. */
static int header(struct traceg_state *p, char *line)
{
    static const struct {
        const char *key;
        int (*read)(struct traceg_state *p, char *value);
    } fields[] = {
        {"-kernel name", read_name},
        {"-grid dim", read_grid},
        {"-block dim", read_block},
        {"-shmem base_addr", read_shared_window},
        {"-local mem base_addr", read_local_window},
        {"-shmem", read_shared_bytes},
        {"-accelsim tracer version", read_version},
        {"-enable lineinfo", read_line_numbers},
    };
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        char *value = import_value(line, fields[i].key);
        if (value)
            return fields[i].read(p, value);
    }
    return 0;
}

static int begin_kernel(struct traceg_state *p)
{
    uint64_t ctas, items;
    if (p->begun)
        return 0;
    if (!p->grid_known || !p->block_known)
        return traceg_fail(p, "no grid dim or block dim so far", "the header must give both");
    if (!import_volume(p->kernel.grid, GWT_MAX_CTAS, &ctas))
        return traceg_fail(p, "grid dim out of range", "allowed are 1 to 134217728 thread blocks");
    if (!import_volume(p->kernel.block, GWT_MAX_BLOCK, &items))
        return traceg_fail(p, "block dim out of range", "allowed are 1 to 4096 threads");
    if (!p->version)
        return traceg_fail(p, "no accelsim tracer version so far", "the header must give it: 1 to 6");
    p->items = (uint32_t)items;
    p->nwarps = gwt_warps_of(p->items, GWT_WARP_LANES);
    p->kernel.name = p->name;
    p->begun = true;
    return traceg_send(p, &(struct import_item){.kind = IMPORT_KERNEL, .kernel = &p->kernel});
}

/* ---- thread blocks and warps ---- */

static int begin_warp(struct traceg_state *p, uint32_t id)
{
    p->warp = id;
    p->next_warp = id + 1;
    p->instruction = p->gap = 0;
    p->copied = false;
    p->in_warp = true;
    return traceg_send(p, &(struct import_item){.kind = IMPORT_WARP, .id = id});
}

static int one_instruction(struct traceg_state *p, char *line)
{
    int bad = traceg_instruction(p, line, gwt_lanes_of(p->items, p->warp, GWT_WARP_LANES));
    p->instruction++;
    return bad;
}

static int end_warp(struct traceg_state *p)
{
    p->event.kind = GWT_EXIT;
    int bad = traceg_send_event(p, NULL);
    p->in_warp = false;
    return bad;
}

static int begin_cta(struct traceg_state *p, const uint32_t at[3])
{
    const uint32_t *grid = p->kernel.grid;
    p->cta_known = true;
    p->next_warp = 0;
    memcpy(p->at, at, sizeof p->at);
    return traceg_send(
        p, &(struct import_item){.kind = IMPORT_CTA, .id = (at[2] * grid[1] + at[1]) * grid[0] + at[0]});
}

static int end_cta(struct traceg_state *p)
{
    p->in_cta = false;
    return traceg_send(p, &(struct import_item){.kind = IMPORT_CTA_END});
}

/* Reads the next line that is not empty. Returns 1 at the end. */
static int next_line(struct traceg_state *p, char **line)
{
    int status;
    do
        status = import_line(&p->lines, line, p->err);
    while (!status && !(*line)[strspn(*line, " \t")]);
    p->line = p->lines.line;
    return status;
}

/* ---- lines in groups ---- */

static int grouped_warp(struct traceg_state *p, char *v)
{
    uint64_t id, count;
    char *line;
    if (!p->in_cta || !p->cta_known)
        return traceg_fail(p, "a warp outside a thread block",
                           "it must come after #BEGIN_TB and the thread block's position");
    if (!import_count(v, p->nwarps - 1, &id) || id < p->next_warp)
        return traceg_fail(p, "wrong warp", "warps must come in ascending order and within the block");
    int status = next_line(p, &line);
    if (status < 0)
        return -1;
    if (status || !import_count(import_value(line, "insts"), UINT32_MAX - 1, &count))
        return traceg_fail(p, "no number of instructions after the warp", "a line 'insts = N' must follow");
    if (begin_warp(p, (uint32_t)id))
        return -1;
    for (; count; count--) {
        status = next_line(p, &line);
        if (status < 0)
            return -1;
        if (status)
            return traceg_fail(p, "the file ends inside a warp",
                               "all instructions that 'insts' announced must be there");
        if (one_instruction(p, line))
            return -1;
    }
    return end_warp(p);
}

static int grouped_cta(struct traceg_state *p, char *v)
{
    uint32_t at[3];
    const uint32_t *grid = p->kernel.grid;
    if (!p->in_cta || p->cta_known)
        return traceg_fail(p, "a thread block's position out of place", "it must come once, after #BEGIN_TB");
    if (!import_triple(v, at) || at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2])
        return traceg_fail(p, "wrong thread block", "it must be x,y,z within the grid");
    return begin_cta(p, at);
}

static int grouped_begin(struct traceg_state *p)
{
    if (p->in_cta)
        return traceg_fail(p, "#BEGIN_TB inside a thread block", "#END_TB must come first");
    p->in_cta = true;
    p->cta_known = false;
    return begin_kernel(p);
}

static int grouped_end(struct traceg_state *p)
{
    if (!p->in_cta || !p->cta_known)
        return traceg_fail(p, "#END_TB without a thread block",
                           "#BEGIN_TB and 'thread block = x,y,z' must come first");
    return end_cta(p);
}

/* Which thread blocks form a cluster does not matter here. */
static bool of_cluster(const char *line)
{
    return !strncmp(line, "cluster ", 8);
}

static int grouped_line(struct traceg_state *p, char *line)
{
    char *v;
    if (!strncmp(line, "#BEGIN_TB", 9))
        return grouped_begin(p);
    if (!strncmp(line, "#END_TB", 7))
        return grouped_end(p);
    if (*line == '#' || (p->cta_known && of_cluster(line)))
        return 0;
    if (*line == '-' && !p->begun)
        return header(p, line);
    if ((v = import_value(line, "thread block")))
        return grouped_cta(p, v);
    if ((v = import_value(line, "warp")))
        return grouped_warp(p, v);
    return traceg_fail(p, "unexpected line",
                       "allowed are the header, #BEGIN_TB, 'thread block = x,y,z', 'warp = N', "
                       "'insts = N' with N instructions, #END_TB");
}

/* ---- lines in the order of their execution ---- */

enum { POSITION_WORDS = 4, CLUSTER_WORDS = 7 };

/* The number of words before the instruction: x, y, z of the thread block and the warp; newer tracers add
 * seven about the cluster. Where the mask, of eight digits, would be without these, there is a position in y
 * or z otherwise, which has five at most. */
static unsigned words_before(const struct traceg_state *p, const char *line)
{
    const unsigned mask = POSITION_WORDS + (p->line_numbers ? 1 : 0) + 1;
    for (unsigned i = 0; i < mask; i++) {
        line += strspn(line, " \t");
        line += strcspn(line, " \t");
    }
    line += strspn(line, " \t");
    return POSITION_WORDS + (strcspn(line, " \t") == 8 ? 0 : CLUSTER_WORDS);
}

/* Reads the words before the instruction. The key orders by thread block, then by warp. */
static int raw_key(struct traceg_state *p, char **line, unsigned words, uint64_t *key)
{
    uint64_t v[POSITION_WORDS + CLUSTER_WORDS] = {0};
    const uint32_t *grid = p->kernel.grid;
    for (unsigned i = 0; i < words; i++)
        if (!import_count(import_word(line), UINT32_MAX, &v[i]))
            return traceg_fail(p, "wrong thread block or warp before the instruction",
                               "x, y, z, the warp and maybe seven numbers of the cluster are expected");
    if (v[0] >= grid[0] || v[1] >= grid[1] || v[2] >= grid[2] || v[3] >= p->nwarps)
        return traceg_fail(p, "wrong thread block or warp", "they must be within the grid and the block");
    *key = ((v[2] * grid[1] + v[1]) * grid[0] + v[0]) * p->nwarps + v[3];
    return 0;
}

static int collect_raw(struct traceg_state *p, char *line, struct import_group *g)
{
    const unsigned words = words_before(p, line);
    int status = 0;
    for (; !status; status = next_line(p, &line)) {
        struct import_keyed keyed = {.number = p->line};
        if (*line == '#' || *line == '-')
            continue;
        if (raw_key(p, &line, words, &keyed.key))
            return -1;
        keyed.text = line;
        if (import_group_add(g, &keyed, p->err))
            return -1;
    }
    return status < 0 ? -1 : import_group_sort(g, p->err);
}

/* The lines of a warp follow each other now, and its thread block's warps. */
static int sorted_line(struct traceg_state *p, const struct import_keyed *line, uint64_t last)
{
    const uint64_t cta = line->key / p->nwarps;
    const uint32_t *grid = p->kernel.grid;
    const bool begins = last == UINT64_MAX || last / p->nwarps != cta;
    p->line = line->number;
    if (last != line->key && last != UINT64_MAX && (end_warp(p) || (begins && end_cta(p))))
        return -1;
    if (begins && begin_cta(p, (uint32_t[]){(uint32_t)(cta % grid[0]), (uint32_t)(cta / grid[0] % grid[1]),
                                            (uint32_t)(cta / grid[0] / grid[1])}))
        return -1;
    if (last != line->key && begin_warp(p, (uint32_t)(line->key % p->nwarps)))
        return -1;
    return one_instruction(p, line->text);
}

static int send_sorted(struct traceg_state *p, struct import_group *g)
{
    struct import_keyed line;
    uint64_t last = UINT64_MAX;
    int status;
    while (!(status = import_group_next(g, &line, p->err))) {
        if (sorted_line(p, &line, last))
            return -1;
        last = line.key;
    }
    if (status > 0 && last != UINT64_MAX && (end_warp(p) || end_cta(p)))
        return -1;
    return status < 0 ? -1 : 0;
}

/* From its first instruction on. */
static int raw_file(struct traceg_state *p, char *line, size_t memory)
{
    p->raw = true;
    if (begin_kernel(p))
        return -1;
    struct import_group *g = import_group_new(memory);
    int bad =
        g ? collect_raw(p, line, g) || send_sorted(p, g) : traceg_fail(p, "out of memory", "more is needed");
    import_group_free(g);
    return bad ? -1 : 0;
}

static int parse(struct traceg_state *p, size_t memory)
{
    char *line;
    int status;
    while (!(status = next_line(p, &line))) {
        if (!p->begun && strspn(line, "0123456789"))
            return raw_file(p, line, memory);
        if (grouped_line(p, line))
            return -1;
    }
    if (status > 0 && p->in_cta)
        return traceg_fail(p, "the file ends inside a thread block", "#END_TB must come first");
    return status > 0 ? begin_kernel(p) : -1;
}

int traceg_parse(const char *path, const struct import_parsing *how, struct mp_error *err)
{
    struct traceg_state *p = calloc(1, sizeof *p);
    if (!p)
        return mp_fail(err, "%s: out of memory", path);
    p->err = err;
    p->receiver = how->receiver;
    p->self = how->self;
    p->skip_unknown = how->skip_unknown;
    strcpy(p->name, "unnamed");
    int bad = import_lines_open(&p->lines, path, how->tick, how->self, err);
    if (!bad) {
        bad = parse(p, how->memory) || traceg_send(p, &(struct import_item){.kind = IMPORT_KERNEL_END}) ? -1
                                                                                                        : 0;
        import_lines_close(&p->lines);
    }
    free(p);
    return bad;
}
