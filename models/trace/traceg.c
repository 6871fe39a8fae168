/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/traceg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/gwt.h"
#include "trace/gwt_format.h"
#include "trace/gwt_lines.h"
#include "trace/traceg_lines.h"
#include "trace/traceg_parse.h"

/* A recording does not contain its buffers. They are taken to be whole pieces of this size, the unit in
 * which CUDA maps memory. */
enum { PIECE_SHIFT = 21 };

struct pc_table {
    struct gwt_pc *pc; /* sorted by address when complete */
    uint32_t count, room;
    uint32_t recent; /* index of the last pc found */
};

struct step { /* a line of the list */
    bool is_kernel;
    enum gwt_record_kind host; /* if it is not a kernel */
    uint64_t va, bytes;
    char *path;
    uint64_t line;
    struct pc_table pcs;
};

struct import {
    const char *list;
    const struct traceg_options *options;
    struct traceg_summary *summary;
    struct step *step;
    size_t steps, room;
    uint32_t kernels;
    struct gwt_pages pieces; /* pieces that are accessed or that the host writes */
    struct gwt_writer *writer;
    struct step *current;
    struct gwt_kernel kernel;
    uint32_t nwarps, next_warp;
    uint8_t *cta_seen;
};

static struct step *add_step(struct import *m)
{
    if (m->steps == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        struct step *step = realloc(m->step, m->room * sizeof *step);
        if (!step)
            return NULL;
        m->step = step;
    }
    m->step[m->steps] = (struct step){0};
    return &m->step[m->steps++];
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

/* Kernel files are in the folder of the list. A file may have been compressed after the list was written. */
static int add_kernel(struct import *m, struct step *s, const char *name, struct mp_error *err)
{
    const char *slash = strrchr(m->list, '/');
    int folder = slash && *name != '/' ? (int)(slash - m->list) + 1 : 0;
    if (asprintf(&s->path, "%.*s%s.xz", folder, m->list, name) < 0) {
        s->path = NULL;
        return mp_fail(err, "out of memory");
    }
    char *suffix = s->path + strlen(s->path) - 3;
    *suffix = 0;
    if (access(s->path, R_OK) && errno == ENOENT) {
        *suffix = '.';
        if (access(s->path, R_OK) && errno == ENOENT)
            *suffix = 0;
    }
    if (access(s->path, R_OK))
        return mp_fail(err, "%s:%" PRIu64 ": %.300s: %s; the kernel's file must be readable", m->list,
                       s->line, s->path, strerror(errno));
    s->is_kernel = true;
    m->kernels++;
    return 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n > k && !strcmp(text + n - k, end);
}

static int read_list(struct import *m, struct mp_error *err)
{
    struct traceg_lines lines;
    char *line;
    int status;
    if (traceg_lines_open(&lines, m->list, err))
        return -1;
    while (!(status = traceg_line(&lines, &line, err))) {
        size_t n = strlen(line);
        while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
            line[--n] = 0;
        if (!n || *line == '#')
            continue;
        struct step *s = add_step(m);
        if (!s) {
            status = mp_fail(err, "%s: out of memory", m->list);
            break;
        }
        s->line = lines.line;
        if (!strncmp(line, "MemcpyHtoD,", 11) || !strncmp(line, "MemcpyDtoH,", 11))
            status = add_copy(m, s, line, err);
        else if (ends_with(line, ".traceg") || ends_with(line, ".traceg.xz"))
            status = add_kernel(m, s, line, err);
        else
            status = mp_fail(err,
                             "%s:%" PRIu64 ": '%.100s'; allowed are MemcpyHtoD,0xADDRESS,BYTES and "
                             "names of .traceg or .traceg.xz files",
                             m->list, s->line, line);
        if (status)
            break;
    }
    traceg_lines_close(&lines);
    if (status > 0 && !m->kernels)
        return mp_fail(err, "%s: no kernel; the list must name one .traceg file or more", m->list);
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

static void count_left_out(struct traceg_summary *s, const struct traceg_item *item)
{
    unsigned row = 0;
    while (row < s->rows && (strcmp(s->left_out[row].opcode, item->opcode) != 0 ||
                             strcmp(s->left_out[row].reason, item->reason) != 0))
        row++;
    if (row == TRACEG_LEFT_OUT_ROWS) {
        row--;
        strcpy(s->left_out[row].opcode, "others");
        s->left_out[row].reason = "several reasons";
    }
    struct traceg_left_out *l = &s->left_out[row];
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

/* First pass: collects each kernel's instructions, the memory used, and what is left out. */
static int survey(void *self, const struct traceg_item *item, struct mp_error *err)
{
    struct import *m = self;
    const struct gwt_event *e = item->event;
    if (item->kind == TRACEG_LEFT_OUT)
        count_left_out(m->summary, item);
    if (item->kind != TRACEG_EVENT || e->kind != GWT_ACCESS)
        return 0;
    m->summary->accesses++;
    for (unsigned i = 0; i < (unsigned)__builtin_popcount(e->mask); i++)
        if (gwt_pages_add(&m->pieces, e->lane[i] >> PIECE_SHIFT) ||
            gwt_pages_add(&m->pieces, (e->lane[i] + e->bytes - 1) >> PIECE_SHIFT))
            return mp_fail(err, "out of memory; the set of used pages must fit");
    return add_pc(&m->current->pcs, &item->pc, err);
}

static void idle_warps(struct import *m, uint32_t until)
{
    uint32_t items = m->kernel.block[0] * m->kernel.block[1] * m->kernel.block[2];
    for (; m->next_warp < until; m->next_warp++) {
        gwt_write_warp(m->writer, m->next_warp, gwt_lanes_of(items, m->next_warp, GWT_WARP_LANES));
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

static int begin_kernel(struct import *m, const struct gwt_kernel *k, struct mp_error *err)
{
    m->kernel = *k;
    m->kernel.pcs = m->current->pcs.pc;
    m->kernel.npcs = m->current->pcs.count;
    m->nwarps = gwt_warps_of(k->block[0] * k->block[1] * k->block[2], GWT_WARP_LANES);
    free(m->cta_seen);
    m->cta_seen = calloc(1, (size_t)k->grid[0] * k->grid[1] * k->grid[2] / 8 + 1);
    if (!m->cta_seen)
        return mp_fail(err, "out of memory; the grid must fit");
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
static int convert(void *self, const struct traceg_item *item, struct mp_error *err)
{
    struct import *m = self;
    uint32_t items = m->kernel.block[0] * m->kernel.block[1] * m->kernel.block[2];
    struct gwt_event e;
    switch (item->kind) {
    case TRACEG_KERNEL:
        return begin_kernel(m, item->kernel, err);
    case TRACEG_CTA:
        return begin_cta(m, item->id, err);
    case TRACEG_WARP:
        idle_warps(m, item->id);
        gwt_write_warp(m->writer, item->id, gwt_lanes_of(items, item->id, GWT_WARP_LANES));
        m->next_warp = item->id + 1;
        return 0;
    case TRACEG_EVENT:
        e = *item->event;
        if (e.kind == GWT_ACCESS)
            e.pc = find_pc(&m->current->pcs, item->pc.pc);
        gwt_write_event(m->writer, &e);
        return 0;
    case TRACEG_LEFT_OUT:
        return 0;
    case TRACEG_CTA_END:
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

static int run_kernels(struct import *m, traceg_receiver *receiver, struct mp_error *err)
{
    const struct traceg_options *o = m->options;
    uint32_t done = 0;
    for (size_t i = 0; i < m->steps; i++) {
        struct step *s = m->current = &m->step[i];
        s->pcs.recent = 0;
        if (s->is_kernel) {
            if (o->progress && m->writer)
                o->progress(o->self, done, m->kernels, s->path);
            done++;
            if (traceg_parse(s->path, o->skip_unknown, receiver, m, err))
                return -1;
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
        if (s->is_kernel || !s->bytes)
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
    m->summary->kernels = m->kernels;
    if (write_buffers(m, err) || run_kernels(m, convert, err)) {
        gwt_writer_abandon(m->writer);
        return -1;
    }
    return gwt_writer_close(m->writer, err);
}

int traceg_import(const char *kernelslist, const char *out, const struct traceg_options *options,
                  struct traceg_summary *summary, struct mp_error *err)
{
    struct import m = {.list = kernelslist, .options = options, .summary = summary};
    *summary = (struct traceg_summary){0};
    int failed = import(&m, out, err);
    for (size_t i = 0; i < m.steps; i++) {
        free(m.step[i].path);
        free(m.step[i].pcs.pc);
    }
    free(m.step);
    free(m.cta_seen);
    gwt_pages_free(&m.pieces);
    return failed;
}
