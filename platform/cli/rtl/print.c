/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of the RTL as tables. Our figures and the paper's are separate columns, because they come from
 * different methods. */
#include <string.h>

#include "cli/out.h"
#include "cli/rtl/rtl.h"

static const char *const verdicts[] = {[MP_DB_UNBOUNDED] = "",
                                       [MP_DB_IN_BOUNDS] = "",
                                       [MP_DB_GREW] = " grew",
                                       [MP_DB_SHRANK] = " shrank",
                                       [MP_DB_CHANGED] = " changed"};

static void figure(struct out_table *t, const struct rtl_job *job, const struct rtl_bounds *bounds,
                   enum rtl_figure f)
{
    unsigned d = (unsigned)(job->design - rtl_designs);
    enum mp_db_rtl_verdict v =
        bounds->of[d].has[f] ? rtl_verdict(f, job->values.value[f], bounds->of[d].value[f]) : MP_DB_UNBOUNDED;
    if (job->values.has[f])
        out_cell(t, "%.*f%s", !strcmp(rtl_figures[f].unit, "ns") ? 2 : 0, job->values.value[f], verdicts[v]);
    else
        out_cell(t, "-");
}

static void print_designs(FILE *f, const struct rtl_job *jobs, unsigned count,
                          const struct rtl_bounds *bounds)
{
    static const char *const heads[] = {"design", "paper's bits", "entry bits", "flops",       "cells",
                                        "um2",    "in NAND2",     "period ns",  "to baseline", "equivalent"};
    struct out_table *t = out_table_new(sizeof heads / sizeof *heads, heads);
    for (unsigned i = 0; i < count; i++) {
        const struct rtl_job *j = &jobs[i];
        const struct rtl_job *baseline = rtl_baseline_job(jobs, count, j->design);
        if (j->failed)
            continue;
        out_cell(t, "%s", j->design->name);
        if (j->design->bits > 0)
            out_cell(t, "%.0f", j->design->bits);
        else
            out_cell(t, "-");
        figure(t, j, bounds, RTL_ENTRY_BITS);
        figure(t, j, bounds, RTL_FLOPS);
        figure(t, j, bounds, RTL_CELLS);
        figure(t, j, bounds, RTL_AREA);
        out_cell(t, "%.0f", j->values.value[RTL_AREA] / j->library->nand2_area);
        figure(t, j, bounds, RTL_PERIOD);
        if (baseline)
            out_cell(t, "%.2f", j->values.value[RTL_PERIOD] / baseline->values.value[RTL_PERIOD]);
        else
            out_cell(t, "-");
        out_cell(t, "yes"); /* always there, or the job would have failed */
    }
    out_table_print(t, f);
}

/* An SRAM is known at the node of the usual library only. */
static bool any_tlb(const struct rtl_job *jobs, unsigned count)
{
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any |= !jobs[i].library->own && rtl_baseline_job(jobs, count, jobs[i].design) != NULL;
    return any;
}

static void print_tlbs(FILE *f, const struct rtl_job *jobs, unsigned count)
{
    static const char *const heads[] = {"whole TLB", "SRAM mm2, 0.7", "SRAM mm2, 0.5", "logic mm2"};
    if (!any_tlb(jobs, count))
        return;
    struct out_table *t = out_table_new(sizeof heads / sizeof *heads, heads);
    for (unsigned i = 0; i < count; i++) {
        const struct rtl_job *j = &jobs[i];
        if (j->failed || !j->design->baseline)
            continue;
        out_cell(t, "%s", j->design->name);
        for (unsigned e = 0; e < 2; e++)
            out_cell(t, "%.2f", 1e-6 * rtl_memory(&j->values, j->design->tlb_entries, rtl_efficiency[e]));
        out_cell(t, "%.3f", 1e-6 * j->values.value[RTL_AREA]);
    }
    fputc('\n', f);
    out_table_print(t, f);
}

/* ---- by how much a TLB is larger than the baseline ---- */

enum method { PAPER, BITS, AREA, AREA_50, METHODS };

static const struct {
    const char *name, *counts;
} methods[METHODS] = {
    [PAPER] = {"the paper", "the entries' bits alone: their SRAM's area by CACTI, at 22 nm"},
    [BITS] = {"bits", "bits of an entry of this RTL"},
    [AREA] = {"area, 0.7", "SRAM of the entries and the logic of a set, at 180 nm; array efficiency 0.7"},
    [AREA_50] = {"area, 0.5", "the same; array efficiency 0.5"},
};

static double overhead(enum method m, const struct rtl_job *variant, const struct rtl_job *baseline)
{
    switch (m) {
    case PAPER:
        return variant->design->paper_overhead;
    case BITS:
        return rtl_bits_overhead(&variant->values, &baseline->values);
    default:
        return rtl_overhead(&variant->values, &baseline->values, variant->design->tlb_entries,
                            rtl_efficiency[m - AREA]);
    }
}

/* A row for each method: numbers of different methods cannot be compared, but ratios of two designs can. */
static void print_overheads(FILE *f, const struct rtl_job *jobs, unsigned count,
                            const struct rtl_job *baseline)
{
    const struct rtl_job *variant[RTL_MAX_DESIGNS];
    const char *heads[RTL_MAX_DESIGNS + 3];
    char ratio[64], first[64];
    unsigned n = 0, columns = 0;
    for (unsigned i = 0; i < count; i++)
        if (rtl_baseline_job(jobs, count, jobs[i].design) == baseline && !jobs[i].failed &&
            !jobs[i].library->own && &jobs[i] != baseline)
            variant[n++] = &jobs[i];
    if (!n)
        return;
    snprintf(first, sizeof first, "larger than %s", baseline->design->name);
    heads[columns++] = first;
    for (unsigned i = 0; i < n; i++)
        heads[columns++] = variant[i]->design->name;
    if (n > 1) {
        snprintf(ratio, sizeof ratio, "%s / %s", variant[1]->design->name, variant[0]->design->name);
        heads[columns++] = ratio;
    }
    heads[columns++] = "what is counted";
    struct out_table *t = out_table_new(columns, heads);
    for (enum method m = variant[0]->design->paper_overhead > 0 ? PAPER : BITS; m < METHODS; m++) {
        out_cell(t, "%s", methods[m].name);
        for (unsigned i = 0; i < n; i++)
            out_cell(t, "%+.1f %%", 100 * overhead(m, variant[i], baseline));
        if (n > 1)
            out_cell(t, "%.2f", overhead(m, variant[1], baseline) / overhead(m, variant[0], baseline));
        out_cell(t, "%s", methods[m].counts);
    }
    fputc('\n', f);
    out_table_print(t, f);
    fputs(
        "Each row has a different method, so numbers of two rows cannot be compared. Ratios of two designs\n"
        "by the same method can.\n",
        f);
    if (n == 1 && variant[0]->design->paper_overhead > 0)
        fputs("'mempath rtl star star4' has that ratio.\n", f);
}

static void print_full(FILE *f, const struct rtl_job *jobs, unsigned count, const struct rtl_bounds *bounds)
{
    for (unsigned i = 0; i < count; i++) {
        if (jobs[i].failed || !jobs[i].full || !jobs[i].design->full)
            continue;
        static const char *const heads[] = {"design", "figure", "value", "unit"};
        struct out_table *t = out_table_new(4, heads);
        for (enum rtl_figure r = 0; r < RTL_FIGURES; r++)
            if (rtl_figures[r].full) {
                out_cell(t, "%s", jobs[i].design->name);
                out_cell(t, "%s", rtl_figures[r].name);
                figure(t, &jobs[i], bounds, r);
                out_cell(t, "%s", rtl_figures[r].unit);
            }
        fputc('\n', f);
        out_table_print(t, f);
        fprintf(f, "small: %s\n", jobs[i].design->small);
    }
}

void rtl_print(FILE *f, const struct rtl_job *jobs, unsigned count, const struct rtl_bounds *bounds,
               const char *technology)
{
    print_designs(f, jobs, count, bounds);
    print_tlbs(f, jobs, count);
    for (unsigned i = 0; i < count; i++)
        if (rtl_is_baseline(jobs[i].design) && !jobs[i].failed)
            print_overheads(f, jobs, count, &jobs[i]);
    rtl_print_directories(f, jobs, count, bounds);
    print_full(f, jobs, count, bounds);
    fprintf(f, "\n%s\n", technology);
    if (any_tlb(jobs, count))
        fprintf(f, "%s\n", rtl_assumptions);
}
