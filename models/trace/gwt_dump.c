/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/gwt_dump.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "trace/gwt.h"
#include "trace/gwt_text.h"

static const char *const op_name[] = {"load", "store", "atomic"};
static const char *const kind_name[] = {[GWT_BARRIER] = "barrier", [GWT_EXIT] = "exit"};

struct printing {
    const struct gwt_dump *d;
    FILE *out;
    const struct gwt_kernel *kernel; /* of the launch that is printed, or NULL */
    uint64_t launch, rows;           /* launches so far; rows printed */
    uint32_t warp_lanes;
    bool head;     /* the columns have their names */
    bool times;    /* the trace has some; then a launch has a time in CSV */
    uint64_t time; /* the last one, ns */
};

/* Begins a row: in JSON, an object of the array. */
static void begin_row(struct printing *p)
{
    if (p->d->json)
        fputs(p->rows ? ",\n" : "[\n", p->out);
    p->rows++;
}

static bool selects_part(const struct gwt_dump *d)
{
    return d->kernel || d->launch != GWT_DUMP_ALL || d->group != GWT_DUMP_ALL || d->warp != GWT_DUMP_ALL;
}

static void print_memory(struct printing *p, const struct gwt_record *r)
{
    static const char *const json[] = {[GWT_ALLOC] = "alloc",
                                       [GWT_MAP] = "map",
                                       [GWT_UNMAP] = "unmap",
                                       [GWT_HOST_WRITE] = "host_write",
                                       [GWT_HOST_READ] = "host_read"};
    static const char *const text[] = {[GWT_ALLOC] = "is allocated",
                                       [GWT_MAP] = "are mapped",
                                       [GWT_UNMAP] = "are unmapped",
                                       [GWT_HOST_WRITE] = "are written by the host",
                                       [GWT_HOST_READ] = "are read by the host"};
    if (selects_part(p->d) || p->d->csv)
        return;
    begin_row(p);
    if (p->d->json && r->kind == GWT_FREE)
        fprintf(p->out, "{\"what\": \"free\", \"buffer\": %" PRIu64 "}", r->id);
    else if (p->d->json && r->kind == GWT_ALLOC)
        fprintf(p->out,
                "{\"what\": \"alloc\", \"buffer\": %" PRIu64 ", \"address\": %" PRIu64 ", \"bytes\": %" PRIu64
                "}",
                r->id, r->va, r->bytes);
    else if (p->d->json)
        fprintf(p->out, "{\"what\": \"%s\", \"address\": %" PRIu64 ", \"bytes\": %" PRIu64 "}", json[r->kind],
                r->va, r->bytes);
    else if (r->kind == GWT_FREE)
        fprintf(p->out, "buffer %" PRIu64 " is freed\n", r->id);
    else if (r->kind == GWT_ALLOC)
        fprintf(p->out, "buffer %" PRIu64 " %s: 0x%" PRIx64 ", %" PRIu64 " bytes\n", r->id, text[r->kind],
                r->va, r->bytes);
    else
        fprintf(p->out, "%" PRIu64 " bytes at 0x%" PRIx64 " %s\n", r->bytes, r->va, text[r->kind]);
}

static void print_time(struct printing *p, uint64_t ns)
{
    p->time = ns;
    if (selects_part(p->d) || p->d->csv)
        return;
    begin_row(p);
    fprintf(p->out,
            p->d->json ? "{\"what\": \"time\", \"nanoseconds\": %" PRIu64 "}"
                       : "not before %" PRIu64 " ns:\n",
            ns);
}

/* What the accesses by an instruction wait for, as addresses of instructions. */
static void print_needs(const struct printing *p, uint32_t pc)
{
    const struct gwt_kernel *k = p->kernel;
    for (uint32_t first = pc ? k->needs.end[pc - 1] : 0, i = first; i < k->needs.end[pc]; i++)
        fprintf(p->out, p->d->json ? "%s%" PRIu64 : "%s0x%" PRIx64, i > first ? ", " : "",
                k->pcs[k->needs.pc[i]].pc);
}

static void json_needs(const struct printing *p)
{
    const struct gwt_kernel *k = p->kernel;
    fputs(", \"needs\": [", p->out);
    for (uint32_t i = 0; i < k->npcs; i++) {
        fprintf(p->out, "%s{\"pc\": %" PRIu64 ", \"needs\": [", i ? ", " : "", k->pcs[i].pc);
        print_needs(p, i);
        fputs("]}", p->out);
    }
    fputs("]", p->out);
}

static void text_needs(const struct printing *p)
{
    const struct gwt_kernel *k = p->kernel;
    for (uint32_t i = 0; i < k->npcs; i++) {
        if (k->needs.end[i] == (i ? k->needs.end[i - 1] : 0))
            continue;
        fprintf(p->out, "instruction 0x%" PRIx64 " waits for ", k->pcs[i].pc);
        print_needs(p, i);
        fputc('\n', p->out);
    }
}

static void csv_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++)
        fprintf(f, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', f);
}

static void csv_launch(const struct printing *p)
{
    const struct gwt_kernel *k = p->kernel;
    if (p->rows == 1)
        fprintf(p->out,
                "launch,kernel,grid,block,local_bytes,group,warp,instruction,what,space,line,pc,bytes,mask,"
                "addresses%s\n",
                p->times ? ",time" : "");
    fprintf(p->out, "%" PRIu64 ",", p->launch);
    csv_text(p->out, k->name);
    fprintf(p->out,
            ",%" PRIu32 "x%" PRIu32 "x%" PRIu32 ",%" PRIu32 "x%" PRIu32 "x%" PRIu32 ",%" PRIu32
            ",,,,launch,,,,,,",
            k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->local_bytes);
    if (p->times)
        fprintf(p->out, ",%" PRIu64, p->time);
    fputc('\n', p->out);
}

static void print_launch(struct printing *p)
{
    const struct gwt_kernel *k = p->kernel;
    begin_row(p);
    if (p->d->csv) {
        csv_launch(p);
        return;
    }
    if (p->d->json) {
        fprintf(p->out, "{\"what\": \"launch\", \"launch\": %" PRIu64 ", \"kernel\": ", p->launch);
        gwt_json_text(p->out, k->name);
        fprintf(p->out,
                ", \"grid\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "], \"block\": [%" PRIu32 ", %" PRIu32
                ", %" PRIu32 "], \"local_bytes\": %" PRIu32,
                k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->local_bytes);
        if (k->needs.end)
            json_needs(p);
        fputs("}", p->out);
        return;
    }
    fprintf(p->out,
            "launch %" PRIu64 ": kernel %s, %" PRIu32 "x%" PRIu32 "x%" PRIu32 " work-groups of %" PRIu32
            "x%" PRIu32 "x%" PRIu32 " work-items, %" PRIu32 " bytes of local memory\n",
            p->launch, k->name, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2],
            k->local_bytes);
    if (k->needs.end)
        text_needs(p);
    p->head = false;
}

static void print_head(struct printing *p)
{
    fprintf(p->out, "%8s %5s %8s %12s  %-7s %-8s %6s %6s %6s  %-*s %s\n", "group", "warp", "event",
            "instruction", "what", "space", "line", "bytes", "lanes", (int)p->warp_lanes / 4, "mask",
            "address of each active lane (hex), or of the first + distance (bytes)");
    p->head = true;
}

static uint64_t lane_address(const struct gwt_event *e, unsigned lane)
{
    return e->mode == GWT_SCATTER ? e->lane[lane] : e->base + (uint64_t)e->stride * lane;
}

static void json_event(const struct printing *p, const struct gwt_event *e)
{
    if (e->kind != GWT_ACCESS) {
        fprintf(p->out, "\"%s\"}", kind_name[e->kind]);
        return;
    }
    const struct gwt_pc *pc = &p->kernel->pcs[e->pc];
    fprintf(p->out,
            "\"%s\", \"space\": \"%s\", \"line\": %" PRIu32 ", \"pc\": %" PRIu64 ", \"bytes\": %" PRIu32
            ", \"mask\": \"%0*" PRIx64 "\", \"addresses\": [",
            op_name[e->op], pc->space == GWT_CONSTANT ? "constant" : "global", pc->line, pc->pc, e->bytes,
            (int)p->warp_lanes / 4, e->mask);
    for (unsigned i = 0; i < e->active; i++)
        fprintf(p->out, "%s%" PRIu64, i ? ", " : "", lane_address(e, i));
    fputs("]}", p->out);
}

static void text_event(const struct printing *p, const struct gwt_event *e)
{
    if (e->kind != GWT_ACCESS) {
        fprintf(p->out, "%s\n", kind_name[e->kind]);
        return;
    }
    const struct gwt_pc *pc = &p->kernel->pcs[e->pc];
    fprintf(p->out, "%-7s %-8s %6" PRIu32 " %6" PRIu32 " %6u  %0*" PRIx64, op_name[e->op],
            pc->space == GWT_CONSTANT ? "constant" : "global", pc->line, e->bytes, e->active,
            (int)p->warp_lanes / 4, e->mask);
    for (unsigned i = 0; i < (e->mode == GWT_SCATTER ? e->active : 1u); i++)
        fprintf(p->out, " %" PRIx64, lane_address(e, i));
    if (e->mode != GWT_SCATTER && e->active > 1)
        fprintf(p->out, " %+" PRId64, e->stride);
    fputc('\n', p->out);
}

static void csv_event(const struct printing *p, const struct gwt_event *e)
{
    if (e->kind != GWT_ACCESS) {
        fprintf(p->out, "%s,,,,,,\n", kind_name[e->kind]);
        return;
    }
    const struct gwt_pc *pc = &p->kernel->pcs[e->pc];
    fprintf(p->out, "%s,%s,%" PRIu32 ",0x%" PRIx64 ",%" PRIu32 ",%0*" PRIx64 ",", op_name[e->op],
            pc->space == GWT_CONSTANT ? "constant" : "global", pc->line, pc->pc, e->bytes,
            (int)p->warp_lanes / 4, e->mask);
    for (unsigned i = 0; i < (e->mode == GWT_SCATTER ? e->active : 1u); i++)
        fprintf(p->out, "%s0x%" PRIx64, i ? " " : "", lane_address(e, i));
    if (e->mode != GWT_SCATTER && e->active > 1 && e->stride)
        fprintf(p->out, "%+" PRId64, e->stride);
    fputc('\n', p->out);
}

/* instruction: the number of instructions that the warp has issued before the event. */
static void print_event(struct printing *p, const struct gwt_cta *cta, uint32_t warp, uint64_t event,
                        uint64_t instruction, const struct gwt_event *e)
{
    if (!p->d->json && !p->d->csv && !p->head)
        print_head(p);
    begin_row(p);
    if (p->d->json)
        fprintf(p->out,
                "{\"launch\": %" PRIu64 ", \"group\": %" PRIu32 ", \"warp\": %" PRIu32 ", \"event\": %" PRIu64
                ", \"instruction\": %" PRIu64 ", \"what\": ",
                p->launch, cta->id, warp, event, instruction);
    else if (p->d->csv)
        fprintf(p->out, "%" PRIu64 ",,,,,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",", p->launch, cta->id, warp,
                instruction);
    else
        fprintf(p->out, "%8" PRIu32 " %5" PRIu32 " %8" PRIu64 " %12" PRIu64 "  ", cta->id, warp, event,
                instruction);
    (p->d->json ? json_event : p->d->csv ? csv_event : text_event)(p, e);
}

static void print_group(struct printing *p, const struct gwt_cta *cta)
{
    if (p->d->group != GWT_DUMP_ALL && p->d->group != cta->id)
        return;
    for (uint32_t w = 0; w < cta->nwarps; w++) {
        struct gwt_event e;
        uint64_t instruction = 0;
        if (p->d->warp != GWT_DUMP_ALL && p->d->warp != w)
            continue;
        for (uint64_t n = 0; n < p->d->end && gwt_warp_next(cta->warp[w], &e); n++) {
            instruction += e.gap;
            if (n >= p->d->first)
                print_event(p, cta, w, n, instruction, &e);
        }
    }
}

static bool is_selected(const struct printing *p, const struct gwt_kernel *k)
{
    return (p->d->launch == GWT_DUMP_ALL || p->d->launch == p->launch) &&
           (!p->d->kernel || !strcmp(p->d->kernel, k->name));
}

static int print_all(struct printing *p, struct gwt_reader *r, struct mp_error *err)
{
    struct gwt_record record;
    do {
        if (gwt_next(r, &record, err))
            return -1;
        if (record.kind == GWT_KERNEL) {
            p->launch++;
            p->kernel = is_selected(p, record.kernel) ? record.kernel : NULL;
            if (p->kernel)
                print_launch(p);
        } else if (record.kind == GWT_CTA) {
            if (p->kernel)
                print_group(p, record.cta);
            gwt_cta_release(r, record.cta);
        } else if (record.kind == GWT_TIME) {
            print_time(p, record.time);
        } else if (record.kind != GWT_KERNEL_END && record.kind != GWT_END) {
            print_memory(p, &record);
        }
    } while (record.kind != GWT_END && p->launch <= p->d->launch && !ferror(p->out));
    return 0;
}

int gwt_dump(const char *path, const struct gwt_dump *d, FILE *out, struct mp_error *err)
{
    struct gwt_reader *r;
    if (gwt_open_known(&r, path, d->known, err))
        return -1;
    struct printing p = {.d = d,
                         .out = out,
                         .warp_lanes = (uint32_t)gwt_totals(r)->warp_lanes,
                         .times = gwt_totals(r)->times > 0};
    int failed = print_all(&p, r, err);
    if (!failed && !p.rows)
        failed = mp_fail(err, "%s: it has no such launch; it has %" PRIu64 ", which trace info lists", path,
                         gwt_totals(r)->kernels);
    else if (!failed && d->json)
        fputs("\n]\n", out);
    gwt_close(r);
    return failed;
}
