/* SPDX-License-Identifier: Apache-2.0 */
/* What the RTL costs, as tables. Our figures and the paper's are columns of their own: they come from
 * different methods. */
#include <string.h>

#include "cli/out.h"
#include "cli/rtl.h"

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

static const struct rtl_job *baseline_of(const struct rtl_job *jobs, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (jobs[i].design == &rtl_designs[RTL_BASELINE] && !jobs[i].failed)
            return &jobs[i];
    return NULL;
}

static void print_designs(const struct rtl_job *jobs, unsigned count, const struct rtl_bounds *bounds)
{
    static const char *const heads[] = {"design", "paper's bits", "entry bits", "flops",       "cells",
                                        "um2",    "in NAND2",     "period ns",  "to baseline", "equivalent"};
    struct out_table *t = out_table_new(sizeof heads / sizeof *heads, heads);
    const struct rtl_job *baseline = baseline_of(jobs, count);
    for (unsigned i = 0; i < count; i++) {
        const struct rtl_job *j = &jobs[i];
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
        out_cell(t, "%.0f", j->values.value[RTL_AREA] / j->nand2);
        figure(t, j, bounds, RTL_PERIOD);
        if (baseline && j->design->shares)
            out_cell(t, "%.2f", j->values.value[RTL_PERIOD] / baseline->values.value[RTL_PERIOD]);
        else
            out_cell(t, "-");
        out_cell(t, "yes"); /* or the job would have failed */
    }
    out_table_print(t, stdout);
}

static void print_tlbs(const struct rtl_job *jobs, unsigned count)
{
    static const char *const heads[] = {"whole TLB",  "SRAM mm2, 0.7", "SRAM mm2, 0.5", "logic mm2",
                                        "bits alone", "area, 0.7",     "area, 0.5",     "paper's CACTI"};
    const struct rtl_job *baseline = baseline_of(jobs, count);
    if (!baseline)
        return;
    struct out_table *t = out_table_new(sizeof heads / sizeof *heads, heads);
    for (unsigned i = 0; i < count; i++) {
        const struct rtl_job *j = &jobs[i];
        if (j->failed || !j->design->shares)
            continue;
        out_cell(t, "%s", j->design->name);
        for (unsigned e = 0; e < 2; e++)
            out_cell(t, "%.2f", 1e-6 * rtl_memory(&j->values, rtl_efficiency[e]));
        out_cell(t, "%.3f", 1e-6 * j->values.value[RTL_AREA]);
        out_cell(t, "%+.1f %%",
                 100 * (j->values.value[RTL_ENTRY_BITS] / baseline->values.value[RTL_ENTRY_BITS] - 1));
        for (unsigned e = 0; e < 2; e++)
            out_cell(t, "%+.1f %%", 100 * rtl_overhead(&j->values, &baseline->values, rtl_efficiency[e]));
        if (j->design->paper_overhead > 0)
            out_cell(t, "%+.1f %%", 100 * j->design->paper_overhead);
        else
            out_cell(t, "-");
    }
    putchar('\n');
    out_table_print(t, stdout);
}

static void print_full(const struct rtl_job *jobs, unsigned count, const struct rtl_bounds *bounds)
{
    for (unsigned i = 0; i < count; i++) {
        if (jobs[i].failed || !jobs[i].full || !jobs[i].design->full)
            continue;
        static const char *const heads[] = {"design", "figure", "value", "unit"};
        struct out_table *t = out_table_new(4, heads);
        for (unsigned f = 0; f < RTL_FIGURES; f++)
            if (rtl_figures[f].full) {
                out_cell(t, "%s", jobs[i].design->name);
                out_cell(t, "%s", rtl_figures[f].name);
                figure(t, &jobs[i], bounds, f);
                out_cell(t, "%s", rtl_figures[f].unit);
            }
        putchar('\n');
        out_table_print(t, stdout);
        printf("small: %s\n", jobs[i].design->small);
    }
}

void rtl_print(const struct rtl_job *jobs, unsigned count, const struct rtl_bounds *bounds)
{
    print_designs(jobs, count, bounds);
    print_tlbs(jobs, count);
    print_full(jobs, count, bounds);
    printf("\n%s\n", rtl_technology);
    if (baseline_of(jobs, count))
        printf("%s\n", rtl_assumptions);
}
