/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/access_csv.h"
#include "trace/gwt.h"
#include "trace/gwt_format.h"
#include "trace/gwt_lines.h"
#include "trace/import_lines.h"
#include "trace/mgpusim.h"
#include "trace/traceg_parse.h"

/* A recording does not contain its buffers. They are taken to be whole pieces of this size, the unit in
 * which CUDA maps memory. */
enum { PIECE_SHIFT = 21 };

struct pc_table {
    struct gwt_pc *pc; /* sorted by address when complete */
    uint32_t count, room;
    uint32_t recent; /* index of the last pc found */
};

struct step {                  /* a line of the list */
    import_parser *parse;      /* of a kernel's file, or NULL */
    enum gwt_record_kind host; /* if it is none */
    uint64_t va, bytes;
    char *path;
    uint64_t line;
};

struct import {
    const char *list;
    const struct import_options *options;
    struct import_summary *summary;
    struct step *step;
    size_t steps, room;
    uint32_t kernels;
    struct gwt_pages pieces; /* pieces that are accessed or that the host writes */
    struct gwt_writer *writer;
    struct pc_table *pcs; /* of each launch, in the order of the recording */
    uint32_t launches, launch_room, launch;
    struct import_progress progress;
    struct gwt_kernel kernel;
    uint64_t time;  /* the last one, ns */
    uint32_t lanes; /* of a full warp */
    uint32_t nwarps, next_warp;
    uint8_t *cta_seen;
};

/* Adds a step of this line of the list. */
static int add_step(struct import *m, uint64_t line, struct mp_error *err)
{
    if (m->steps == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        struct step *step = realloc(m->step, m->room * sizeof *step);
        if (!step) {
            mp_fail(err, "%s: out of memory", m->list);
            return -1;
        }
        m->step = step;
    }
    m->step[m->steps++] = (struct step){.line = line};
    return 0;
}

/* "MemcpyHtoD,0xADDRESS,BYTES" or "MemcpyDtoH,..." */
static int add_copy(struct import *m, struct step *s, const char *line, struct mp_error *err)
{
    char *end;
    s->host = strncmp(line, "MemcpyHtoD", 10) ? GWT_HOST_READ : GWT_HOST_WRITE;
    errno = 0;
    s->va = strtoull(line + 11, &end, 16);
    bool good = end > line + 11 && *end == ',';
    if (good) {
        char *digits = end + 1;
        s->bytes = strtoull(digits, &end, 10);
        good = end > digits && !*end && *digits >= '0' && *digits <= '9' && !errno && s->va < GWT_VA_LIMIT &&
               s->bytes <= GWT_VA_LIMIT - s->va;
    }
    return good ? 0
                : mp_fail(err,
                          "%s:%" PRIu64
                          ": wrong copy '%.100s'; it must be MemcpyHtoD,0xADDRESS,BYTES below 2^48",
                          m->list, s->line, line);
}

#define KERNEL_FILES ".trace, .traceg or .tracez files, maybe with .xz, .gz or .zst"

static const char *const packings[] = {"", ".xz", ".gz", ".zst"};
enum { PACKINGS = sizeof packings / sizeof *packings };

/* Whether a name has this ending, which a packing may follow. */
static bool is_packed(const char *name, const char *ending)
{
    const size_t n = strlen(name);
    for (unsigned p = 0; p < PACKINGS; p++) {
        const size_t packed = strlen(packings[p]), all = strlen(ending) + packed;
        if (n > all && !strcmp(name + n - packed, packings[p]) &&
            !strncmp(name + n - all, ending, all - packed))
            return true;
    }
    return false;
}

static bool is_kernel_file(const char *name)
{
    return is_packed(name, ".trace") || is_packed(name, ".traceg") || is_packed(name, ".tracez");
}

/* A file may have been compressed after the list was written. The path ends in ".zst", the longest packing.
 */
static int find_file(struct import *m, const struct step *s, struct mp_error *err)
{
    struct stat st;
    char *end = s->path + strlen(s->path) - strlen(".zst");
    for (unsigned p = 0; p < PACKINGS; p++) {
        memcpy(end, packings[p], strlen(packings[p]) + 1);
        if (!access(s->path, R_OK) && !stat(s->path, &st)) {
            m->progress.total += 2 * (uint64_t)st.st_size;
            return 0;
        }
        if (errno != ENOENT)
            break;
    }
    const int why = errno;
    *end = 0;
    return mp_fail(err, "%s:%" PRIu64 ": %.300s: %s; the kernel's file must be readable", m->list, s->line,
                   s->path, strerror(why));
}

/* Kernel files are in the folder of the list. */
static int add_kernel(struct import *m, struct step *s, const char *name, struct mp_error *err)
{
    const char *slash = strrchr(m->list, '/');
    int folder = slash && *name != '/' ? (int)(slash - m->list) + 1 : 0;
    if (asprintf(&s->path, "%.*s%s.zst", folder, m->list, name) < 0) {
        s->path = NULL;
        return mp_fail(err, "%s: out of memory", m->list);
    }
    s->parse = traceg_parse;
    m->kernels++;
    return find_file(m, s, err);
}

/* Rows of accesses, a memory trace, or a recording of one kernel need no list. */
static int only_file(struct import *m, import_parser *parse, struct mp_error *err)
{
    const char *slash = strrchr(m->list, '/');
    if (parse == traceg_parse && m->lanes != GWT_WARP_LANES)
        return mp_fail(err, "%s: warps of %u lanes; those of such a recording have 32", m->list,
                       (unsigned)m->lanes);
    if (add_step(m, 1, err) || add_kernel(m, &m->step[0], slash ? slash + 1 : m->list, err))
        return -1;
    m->step[0].parse = parse;
    return 0;
}

static bool begins_as_mgpusim(const char *path)
{
    struct import_lines lines;
    struct mp_error ignored;
    char *line;
    if (import_lines_open(&lines, path, NULL, NULL, &ignored))
        return false;
    bool begins = !import_line(&lines, &line, &ignored) && mgpusim_is(line);
    import_lines_close(&lines);
    return begins;
}

static int list_line(struct import *m, uint64_t number, char *line, struct mp_error *err)
{
    size_t n = strlen(line);
    while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
        line[--n] = 0;
    if (!n || *line == '#')
        return 0;
    if (add_step(m, number, err))
        return -1;
    struct step *s = &m->step[m->steps - 1];
    if (!strncmp(line, "MemcpyHtoD,", 11) || !strncmp(line, "MemcpyDtoH,", 11))
        return add_copy(m, s, line, err);
    if (is_kernel_file(line))
        return add_kernel(m, s, line, err);
    return mp_fail(
        err, "%s:%" PRIu64 ": '%.100s'; allowed are MemcpyHtoD,0xADDRESS,BYTES and names of " KERNEL_FILES,
        m->list, number, line);
}

static int read_list(struct import *m, struct mp_error *err)
{
    struct import_lines lines;
    char *line;
    int status;
    if (is_packed(m->list, ".csv"))
        return only_file(m, access_csv_parse, err);
    if (is_kernel_file(m->list) && !begins_as_mgpusim(m->list))
        return only_file(m, traceg_parse, err);
    if (import_lines_open(&lines, m->list, NULL, NULL, err))
        return -1;
    while (!(status = import_line(&lines, &line, err)) && (m->steps || !mgpusim_is(line)))
        if (list_line(m, lines.line, line, err)) {
            status = -1;
            break;
        }
    import_lines_close(&lines);
    if (!status)
        return only_file(m, mgpusim_parse, err);
    if (status > 0 && !m->kernels)
        return mp_fail(err, "%s: no kernel; the list must name one or more of " KERNEL_FILES, m->list);
    return status > 0 ? 0 : -1;
}

/* Returns the index of pc, or the index at which to insert it. */
static uint32_t find_pc(struct pc_table *t, uint64_t pc)
{
    if (t->recent + 1 < t->count && t->pc[t->recent + 1].pc == pc)
        return ++t->recent;
    uint32_t low = 0, high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->pc[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    t->recent = low;
    return low;
}

static int add_pc(struct pc_table *t, const struct gwt_pc *pc, struct mp_error *err)
{
    uint32_t at = find_pc(t, pc->pc);
    if (at < t->count && t->pc[at].pc == pc->pc)
        return 0;
    if (t->count == GWT_MAX_PCS)
        return mp_fail(err, "too many memory instructions; allowed are %u in a kernel", GWT_MAX_PCS);
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        struct gwt_pc *larger = realloc(t->pc, t->room * sizeof *larger);
        if (!larger)
            return mp_fail(err, "out of memory; the table of memory instructions must fit");
        t->pc = larger;
    }
    memmove(&t->pc[at + 1], &t->pc[at], (t->count - at) * sizeof *t->pc);
    t->pc[at] = *pc;
    t->count++;
    return 0;
}

static void count_left_out(struct import_summary *s, const struct import_item *item)
{
    unsigned row = 0;
    while (row < s->rows && (strcmp(s->left_out[row].opcode, item->opcode) != 0 ||
                             strcmp(s->left_out[row].reason, item->reason) != 0))
        row++;
    if (row == IMPORT_LEFT_OUT_ROWS) {
        row--;
        strcpy(s->left_out[row].opcode, "others");
        s->left_out[row].reason = "several reasons";
    }
    struct import_left_out *l = &s->left_out[row];
    if (row == s->rows) {
        snprintf(l->opcode, sizeof l->opcode, "%s", item->opcode);
        for (char *c = l->opcode; *c; c++)
            if (*c < 0x20 || *c > 0x7e)
                *c = '?';
        l->reason = item->reason;
        s->rows++;
    }
    l->instructions++;
    l->lanes += item->lanes;
}

static int add_launch(struct import *m, struct mp_error *err)
{
    if (m->launches == m->launch_room) {
        m->launch_room = m->launch_room ? 2 * m->launch_room : 64;
        struct pc_table *larger = realloc(m->pcs, m->launch_room * sizeof *larger);
        if (!larger)
            return mp_fail(err, "out of memory; launches must fit");
        m->pcs = larger;
    }
    m->pcs[m->launches++] = (struct pc_table){0};
    return 0;
}

/* First pass: collects each launch's instructions, the memory used, and what is left out. */
static int survey(void *self, const struct import_item *item, struct mp_error *err)
{
    struct import *m = self;
    const struct gwt_event *e = item->event;
    if (item->kind == IMPORT_KERNEL)
        return add_launch(m, err);
    if (item->kind == IMPORT_LEFT_OUT)
        count_left_out(m->summary, item);
    if (item->kind != IMPORT_EVENT || e->kind != GWT_ACCESS)
        return 0;
    m->summary->accesses++;
    for (unsigned i = 0; i < (unsigned)__builtin_popcountll(e->mask); i++)
        if (gwt_pages_add(&m->pieces, e->lane[i] >> PIECE_SHIFT) ||
            gwt_pages_add(&m->pieces, (e->lane[i] + e->bytes - 1) >> PIECE_SHIFT))
            return mp_fail(err, "out of memory; the set of used pages must fit");
    return add_pc(&m->pcs[m->launches - 1], &item->pc, err);
}

static void idle_warps(struct import *m, uint32_t until)
{
    uint32_t items = m->kernel.block[0] * m->kernel.block[1] * m->kernel.block[2];
    for (; m->next_warp < until; m->next_warp++) {
        gwt_write_warp(m->writer, m->next_warp, gwt_lanes_of(items, m->next_warp, m->lanes));
        gwt_write_event(m->writer, &(struct gwt_event){.kind = GWT_EXIT});
    }
}

static int begin_cta(struct import *m, uint32_t id, struct mp_error *err)
{
    if (m->cta_seen[id / 8] >> id % 8 & 1)
        return mp_fail(err, "thread block %" PRIu32 " comes again; each comes once", id);
    m->cta_seen[id / 8] |= (uint8_t)(1u << id % 8);
    m->next_warp = 0;
    gwt_write_cta(m->writer, id, m->nwarps);
    return 0;
}

static int begin_kernel(struct import *m, const struct gwt_kernel *k, uint64_t time, struct mp_error *err)
{
    struct pc_table *pcs = &m->pcs[m->launch++];
    pcs->recent = 0;
    m->kernel = *k;
    m->kernel.pcs = pcs->pc;
    m->kernel.npcs = pcs->count;
    m->nwarps = gwt_warps_of(k->block[0] * k->block[1] * k->block[2], m->lanes);
    free(m->cta_seen);
    m->cta_seen = calloc(1, (size_t)k->grid[0] * k->grid[1] * k->grid[2] / 8 + 1);
    if (!m->cta_seen)
        return mp_fail(err, "out of memory; the grid must fit");
    if (time && time < m->time)
        return mp_fail(err, "a time of %" PRIu64 " ns after one of %" PRIu64 "; times do not decrease", time,
                       m->time);
    if (time > m->time)
        gwt_write_time(m->writer, m->time = time);
    gwt_write_kernel(m->writer, &m->kernel);
    return 0;
}

static int end_kernel(struct import *m, struct mp_error *err)
{
    uint64_t ctas = (uint64_t)m->kernel.grid[0] * m->kernel.grid[1] * m->kernel.grid[2];
    for (uint64_t i = 0; i < ctas; i++)
        if (!(m->cta_seen[i / 8] >> i % 8 & 1))
            return mp_fail(err,
                           "the kernel ends without thread block %" PRIu64 "; all %" PRIu64
                           " of the grid must be there",
                           i, ctas);
    gwt_write_kernel_end(m->writer);
    return 0;
}

/* Second pass: writes the trace. */
static int convert(void *self, const struct import_item *item, struct mp_error *err)
{
    struct import *m = self;
    uint32_t items = m->kernel.block[0] * m->kernel.block[1] * m->kernel.block[2];
    struct gwt_event e;
    switch (item->kind) {
    case IMPORT_KERNEL:
        return begin_kernel(m, item->kernel, item->time, err);
    case IMPORT_CTA:
        return begin_cta(m, item->id, err);
    case IMPORT_WARP:
        idle_warps(m, item->id);
        gwt_write_warp(m->writer, item->id, gwt_lanes_of(items, item->id, m->lanes));
        m->next_warp = item->id + 1;
        return 0;
    case IMPORT_EVENT:
        e = *item->event;
        if (e.kind == GWT_ACCESS)
            e.pc = find_pc(&m->pcs[m->launch - 1], item->pc.pc);
        gwt_write_event(m->writer, &e);
        return 0;
    case IMPORT_LEFT_OUT:
        return 0;
    case IMPORT_CTA_END:
        idle_warps(m, m->nwarps);
        return 0;
    default:
        return end_kernel(m, err);
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Neighbouring pieces become one buffer. */
static int write_buffers(struct import *m, struct mp_error *err)
{
    uint64_t n = 0, id = 0, *piece = malloc((m->pieces.count + 1) * sizeof *piece);
    if (!piece)
        return mp_fail(err, "%s: out of memory", m->list);
    for (uint64_t i = 0; i < m->pieces.room; i++)
        if (m->pieces.slot[i])
            piece[n++] = m->pieces.slot[i] - 1;
    qsort(piece, n, sizeof *piece, by_number);
    for (uint64_t i = 0, last; i < n; i = last) {
        for (last = i + 1; last < n && piece[last] == piece[last - 1] + 1; last++)
            ;
        gwt_write_alloc(m->writer, ++id, piece[i] << PIECE_SHIFT, (last - i) << PIECE_SHIFT);
    }
    free(piece);
    if (id > GWT_MAX_BUFFERS)
        return mp_fail(err, "%s: the recording uses %" PRIu64 " separate buffers; allowed are %u", m->list,
                       id, GWT_MAX_BUFFERS);
    return 0;
}

static void tick(void *self, uint64_t bytes)
{
    struct import *m = self;
    m->progress.bytes += bytes;
    if (m->options->progress)
        m->options->progress(m->options->self, &m->progress);
}

static int run_kernels(struct import *m, import_receiver *receiver, struct mp_error *err)
{
    const struct import_parsing how = {.skip_unknown = m->options->skip_unknown,
                                       .memory = m->options->memory,
                                       .lanes = m->lanes,
                                       .at = m->options->at ? m->options->at : "*L1V*",
                                       .tick = tick,
                                       .receiver = receiver,
                                       .self = m};
    m->progress.kernels = m->kernels;
    m->progress.kernel = 0;
    for (size_t i = 0; i < m->steps; i++) {
        struct step *s = &m->step[i];
        if (s->parse) {
            m->progress.path = s->path;
            if (s->parse(s->path, &how, err))
                return -1;
            m->progress.kernel++;
        } else if (s->bytes && m->writer) {
            gwt_write_host(m->writer, s->host, s->va, s->bytes);
        }
    }
    return 0;
}

/* Memory that the host copies counts as used. The list may state a wrong size, so a copy of more than this
 * number of pieces is refused. */
static int survey_copies(struct import *m, struct mp_error *err)
{
    const uint64_t most = 1u << 20; /* 2 TB */
    for (size_t i = 0; i < m->steps; i++) {
        const struct step *s = &m->step[i];
        if (s->parse || !s->bytes)
            continue;
        uint64_t first = s->va >> PIECE_SHIFT, last = (s->va + s->bytes - 1) >> PIECE_SHIFT;
        if (last - first >= most)
            return mp_fail(err, "%s:%" PRIu64 ": a copy of %" PRIu64 " bytes; allowed are up to 2 TB",
                           m->list, s->line, s->bytes);
        for (; first <= last; first++)
            if (gwt_pages_add(&m->pieces, first))
                return mp_fail(err, "%s: out of memory", m->list);
    }
    return 0;
}

static int import(struct import *m, const char *out, struct mp_error *err)
{
    if (read_list(m, err) || survey_copies(m, err) || run_kernels(m, survey, err) ||
        gwt_writer_open(&m->writer, out, err))
        return -1;
    m->summary->kernels = m->launches;
    if (m->lanes != GWT_WARP_LANES)
        gwt_write_warp_lanes(m->writer, m->lanes);
    if (write_buffers(m, err) || run_kernels(m, convert, err)) {
        gwt_writer_abandon(m->writer);
        return -1;
    }
    return gwt_writer_close(m->writer, err);
}

int import_recording(const char *recording, const char *out, const struct import_options *options,
                     struct import_summary *summary, struct mp_error *err)
{
    struct import m = {.list = recording,
                       .lanes = options->lanes ? options->lanes : GWT_WARP_LANES,
                       .options = options,
                       .summary = summary};
    *summary = (struct import_summary){0};
    int failed = import(&m, out, err);
    for (size_t i = 0; i < m.steps; i++)
        free(m.step[i].path);
    for (uint32_t i = 0; i < m.launches; i++)
        free(m.pcs[i].pc);
    free(m.step);
    free(m.pcs);
    free(m.cta_seen);
    gwt_pages_free(&m.pieces);
    return failed;
}
