/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/gwt_info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/gwt_check.h"
#include "trace/gwt_format.h"
#include "trace/gwt_text.h"

enum { NAME_WIDTH = 40 };

static const char *const bin_name[GWT_BINS] = {"1", "2", "3-4", "5-8", "9-16", "17-32", "33 or more"};
static const char *const op_name[] = {"load", "store", "atomic"};

/* The launches of one kernel with the same grid and block. */
struct kernel_row {
    char *name, *source_name; /* as in the trace; demangled, or NULL */
    uint32_t grid[3], block[3];
    uint64_t launches, accesses, instructions;
};

struct info {
    struct gwt_totals totals;
    struct gwt_tally tally;
    uint64_t file_bytes;
    struct kernel_row *kernel;
    uint32_t kernels;
    gwt_demangle_fn *demangle;
};

static struct kernel_row *kernel_row(struct info *i, const struct gwt_kernel *k)
{
    for (uint32_t n = 0; n < i->kernels; n++) {
        struct kernel_row *row = &i->kernel[n];
        if (!strcmp(row->name, k->name) && !memcmp(row->grid, k->grid, sizeof k->grid) &&
            !memcmp(row->block, k->block, sizeof k->block))
            return row;
    }
    struct kernel_row *kernel = realloc(i->kernel, (i->kernels + 1) * sizeof *kernel);
    if (!kernel)
        return NULL;
    i->kernel = kernel;
    struct kernel_row *row = &kernel[i->kernels];
    *row = (struct kernel_row){.name = strdup(k->name)};
    if (!row->name)
        return NULL;
    if (i->demangle)
        row->source_name = i->demangle(row->name);
    memcpy(row->grid, k->grid, sizeof k->grid);
    memcpy(row->block, k->block, sizeof k->block);
    i->kernels++;
    return row;
}

static int count_launch(void *context, const struct gwt_kernel *k, uint64_t accesses, uint64_t instructions)
{
    struct kernel_row *row = kernel_row(context, k);
    if (!row)
        return -1;
    row->launches++;
    row->accesses += accesses;
    row->instructions += instructions;
    return 0;
}

/* Reads the trace once. */
static int survey(struct info *i, const char *path, struct mp_error *err)
{
    struct gwt_parser p = {0};
    struct gwt_firsts firsts = {0};
    if (gwt_stream_open(&p.stream, path, NULL, 0, err))
        return -1;
    i->tally.launch = count_launch;
    i->tally.context = i;
    i->file_bytes = p.stream.file_bytes;
    const int failed = gwt_check(&p, &i->totals, &firsts, &i->tally, err);
    gwt_parse_reset(&p);
    gwt_stream_close(&p.stream);
    free(firsts.bytes);
    return failed;
}

static double per(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static void dimensions(char text[48], const uint32_t d[3])
{
    snprintf(text, 48, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, d[0], d[1], d[2]);
}

static void print_spread(FILE *out, const char *what, uint64_t units, const uint64_t bin[GWT_BINS],
                         uint64_t accesses)
{
    fprintf(out, "\n%s per access: mean %.3f\n", what, per(units, accesses));
    for (int b = 0; b < GWT_BINS; b++)
        fprintf(out, "  %-12s %14" PRIu64 " accesses  %6.2f %%\n", bin_name[b], bin[b],
                100 * per(bin[b], accesses));
}

static void print_row(FILE *out, const char *what, uint64_t value, const char *unit)
{
    fprintf(out, "%-28s %16" PRIu64 "%s%s\n", what, value, *unit ? " " : "", unit);
}

/* Finds, in "void space::f<float, 4>(float*, int)", the part between the return type and the parameters. */
static void bare_name(const char *name, size_t *begin, size_t *length)
{
    static const char nameless[] = "(anonymous namespace)";
    int depth = 0;
    size_t i = 0;
    *begin = 0;
    for (; name[i]; i++) {
        depth += name[i] == '<' || name[i] == '(';
        depth -= name[i] == '>' || name[i] == ')';
        if (depth == 1 && name[i] == '(') { /* the parameters begin here, except after: */
            if (strncmp(name + i, nameless, sizeof nameless - 1) != 0)
                break;
            i += sizeof nameless - 2;
            depth--;
        } else if (depth == 0 && name[i] == ' ')
            *begin = i + 1;
    }
    *length = i - *begin;
}

static void short_name(const struct kernel_row *k, char text[NAME_WIDTH + 1])
{
    enum { FRONT = 22, BACK = NAME_WIDTH - FRONT - 3 };
    const char *name = k->source_name ? k->source_name : k->name;
    size_t begin = 0, length = strlen(name);
    if (k->source_name)
        bare_name(name, &begin, &length);
    name += begin;
    if (length <= NAME_WIDTH)
        snprintf(text, NAME_WIDTH + 1, "%.*s", (int)length, name);
    else
        snprintf(text, NAME_WIDTH + 1, "%.*s...%.*s", FRONT, name, BACK, name + length - BACK);
}

static void print_table(const struct info *i, const char *path, FILE *out)
{
    const struct gwt_totals *t = &i->totals;
    fprintf(out, "%s\n", path);
    fprintf(out, "%-28s %016" PRIx64 "%016" PRIx64 " (XXH3-128)\n", "digest", t->digest[0], t->digest[1]);
    print_row(out, "file size", i->file_bytes, "bytes");
    fprintf(out, "%-28s %16.3f bits\n", "stored per access", per(8 * i->file_bytes, t->accesses));
    print_row(out, "lanes of a full warp", t->warp_lanes, "");
    print_row(out, "kernel launches", t->kernels, "");
    print_row(out, "work-groups", t->ctas, "");
    print_row(out, "warps", t->warps, "");
    print_row(out, "warp instructions", t->instructions, "");
    if (t->recorded)
        print_row(out, "  recorded, before scaling", t->recorded, "");
    if (t->times) {
        print_row(out, "times", t->times, "");
        print_row(out, "  the last", t->last_time, "ns");
    }
    print_row(out, "thread instructions", t->thread_instructions, "");
    print_row(out, "barriers", t->barriers, "warp arrivals");
    print_row(out, "accesses", t->accesses, "warp accesses");
    for (int op = 0; op < 3; op++) {
        char name[32];
        snprintf(name, sizeof name, "  %ss", op_name[op]);
        print_row(out, name, i->tally.by_op[op], "warp accesses");
    }
    print_row(out, "  to constant memory", i->tally.by_space[GWT_CONSTANT], "warp accesses");
    fprintf(out, "%-28s %16.3f lanes\n", "active per access", per(t->lane_accesses, t->accesses));
    print_row(out, "footprint", t->footprint_pages, "pages of 64 KB");
    print_row(out, "footprint", t->footprint_pages << GWT_PAGE_SHIFT, "bytes");
    print_row(out, "allocated", t->allocated_bytes, "bytes");
    print_spread(out, "128-byte lines", t->lines, i->tally.by_lines, t->accesses);
    print_spread(out, "64 KB pages", t->pages, i->tally.by_pages, t->accesses);
    fprintf(out, "\n%-*s %16s %14s %9s %16s %18s\n", NAME_WIDTH, "kernel", "grid (groups)", "block (items)",
            "launches", "accesses", "warp instructions");
    for (uint32_t n = 0; n < i->kernels; n++) {
        const struct kernel_row *k = &i->kernel[n];
        char grid[48], block[48], name[NAME_WIDTH + 1];
        short_name(k, name);
        dimensions(grid, k->grid);
        dimensions(block, k->block);
        fprintf(out, "%-*s %16s %14s %9" PRIu64 " %16" PRIu64 " %18" PRIu64 "\n", NAME_WIDTH, name, grid,
                block, k->launches, k->accesses, k->instructions);
    }
}

static void json_number(FILE *out, const char *name, uint64_t value)
{
    fprintf(out, "  \"%s\": %" PRIu64 ",\n", name, value);
}

static void json_spread(FILE *out, const char *name, uint64_t units, const uint64_t bin[GWT_BINS],
                        uint64_t accesses)
{
    fprintf(out, "  \"%s_per_access\": {\"mean\": %.6f", name, per(units, accesses));
    for (int b = 0; b < GWT_BINS; b++)
        fprintf(out, ", \"%s\": %" PRIu64, bin_name[b], bin[b]);
    fprintf(out, "},\n");
}

static void print_json(const struct info *i, const char *path, FILE *out)
{
    const struct gwt_totals *t = &i->totals;
    fprintf(out, "{\n  \"file\": ");
    gwt_json_text(out, path);
    fprintf(out, ",\n  \"digest_xxh3_128\": \"%016" PRIx64 "%016" PRIx64 "\",\n", t->digest[0], t->digest[1]);
    json_number(out, "file_bytes", i->file_bytes);
    fprintf(out, "  \"bits_per_access\": %.6f,\n", per(8 * i->file_bytes, t->accesses));
    json_number(out, "warp_lanes", t->warp_lanes);
    json_number(out, "kernel_launches", t->kernels);
    json_number(out, "work_groups", t->ctas);
    json_number(out, "warps", t->warps);
    json_number(out, "warp_instructions", t->instructions);
    if (t->recorded)
        json_number(out, "recorded_warp_instructions", t->recorded);
    if (t->times) {
        json_number(out, "times", t->times);
        json_number(out, "last_time_ns", t->last_time);
    }
    json_number(out, "thread_instructions", t->thread_instructions);
    json_number(out, "barriers", t->barriers);
    json_number(out, "accesses", t->accesses);
    json_number(out, "loads", i->tally.by_op[GWT_LOAD]);
    json_number(out, "stores", i->tally.by_op[GWT_STORE]);
    json_number(out, "atomics", i->tally.by_op[GWT_ATOMIC]);
    json_number(out, "constant_accesses", i->tally.by_space[GWT_CONSTANT]);
    json_number(out, "lane_accesses", t->lane_accesses);
    json_number(out, "footprint_pages_64k", t->footprint_pages);
    json_number(out, "footprint_bytes", t->footprint_pages << GWT_PAGE_SHIFT);
    json_number(out, "allocated_bytes", t->allocated_bytes);
    json_spread(out, "lines_128", t->lines, i->tally.by_lines, t->accesses);
    json_spread(out, "pages_64k", t->pages, i->tally.by_pages, t->accesses);
    fprintf(out, "  \"kernels\": [");
    for (uint32_t n = 0; n < i->kernels; n++) {
        const struct kernel_row *k = &i->kernel[n];
        fprintf(out, "%s\n    {\"name\": ", n ? "," : "");
        gwt_json_text(out, k->name);
        if (k->source_name) {
            fprintf(out, ", \"demangled\": ");
            gwt_json_text(out, k->source_name);
        }
        fprintf(out,
                ", \"grid\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "], \"block\": [%" PRIu32 ", %" PRIu32
                ", %" PRIu32 "], \"launches\": %" PRIu64 ", \"accesses\": %" PRIu64
                ", \"warp_instructions\": %" PRIu64 "}",
                k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->launches,
                k->accesses, k->instructions);
    }
    fprintf(out, "\n  ]\n}\n");
}

int gwt_info(const char *path, bool json, gwt_demangle_fn *demangle, FILE *out, struct mp_error *err)
{
    struct info i = {.demangle = demangle};
    const int failed = survey(&i, path, err);
    if (!failed)
        (json ? print_json : print_table)(&i, path, out);
    for (uint32_t n = 0; n < i.kernels; n++) {
        free(i.kernel[n].name);
        free(i.kernel[n].source_name);
    }
    free(i.kernel);
    return failed;
}
