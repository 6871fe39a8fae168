/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of NeiDty's directory over its entries and the width of its tags, next to that of the L1 TLB. */
#include <math.h>

#include "cli/out.h"
#include "cli/plot/plot.h"
#include "cli/rtl/rtl.h"

static unsigned l1_tlb(void)
{
    return (unsigned)rtl_design_named(RTL_L1_TLB, sizeof RTL_L1_TLB - 1);
}

/* Measured now, or committed. */
static struct rtl_values values_of(unsigned d, const struct rtl_job *jobs, unsigned count,
                                   const struct rtl_bounds *bounds)
{
    for (unsigned i = 0; i < count; i++)
        if (jobs[i].design == &rtl_designs[d] && !jobs[i].failed)
            return jobs[i].values;
    return bounds->of[d];
}

static bool has_all(const struct rtl_values *v)
{
    return v->has[RTL_FLOPS] && v->has[RTL_AREA] && v->has[RTL_PERIOD];
}

static bool is_measured(unsigned d, const struct rtl_job *jobs, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (jobs[i].design == &rtl_designs[d] && !jobs[i].failed)
            return true;
    return false;
}

static bool any_directory(const struct rtl_job *jobs, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (jobs[i].design->tag_bits && !jobs[i].failed)
            return true;
    return false;
}

void rtl_print_directories(FILE *f, const struct rtl_job *jobs, unsigned count,
                           const struct rtl_bounds *bounds)
{
    static const char *const heads[] = {"entries", "tag bits",  "flops",   "mm2",
                                        "to L1",   "period ns", "to L1's", "from"};
    const struct rtl_values tlb = values_of(l1_tlb(), jobs, count, bounds);
    if (!any_directory(jobs, count) || !has_all(&tlb))
        return;
    struct out_table *t = out_table_new(sizeof heads / sizeof *heads, heads);
    for (unsigned d = 0; d < rtl_ndesigns; d++) {
        const struct rtl_values v = values_of(d, jobs, count, bounds);
        if (!rtl_designs[d].tag_bits || !has_all(&v))
            continue;
        out_cell(t, "%u", rtl_designs[d].entries);
        out_cell(t, "%u", rtl_designs[d].tag_bits);
        out_cell(t, "%.0f", v.value[RTL_FLOPS]);
        out_cell(t, "%.3f", 1e-6 * v.value[RTL_AREA]);
        out_cell(t, "%.2f", v.value[RTL_AREA] / tlb.value[RTL_AREA]);
        out_cell(t, "%.2f", v.value[RTL_PERIOD]);
        out_cell(t, "%.2f", v.value[RTL_PERIOD] / tlb.value[RTL_PERIOD]);
        out_cell(t, is_measured(d, jobs, count) ? "measured" : "bounds");
    }
    fputc('\n', f);
    out_table_print(t, f);
    fprintf(f, "L1: l1_tlb, 32 entries in %.3f mm2, %.2f ns\n", 1e-6 * tlb.value[RTL_AREA],
            tlb.value[RTL_PERIOD]);
}

/* ---- the pictures ---- */

static int draw(const struct cli *cli, const char *folder, const char *name, const char *title,
                enum rtl_figure figure, const struct rtl_values all[RTL_MAX_DESIGNS])
{
    static const unsigned widths[] = {8, 13, 18};
    static const char *const kinds[] = {"tags of 8 bits", "tags of 13 bits", "tags of 18 bits"};
    struct plot_bar bar[RTL_MAX_DESIGNS];
    char groups[RTL_MAX_DESIGNS][16];
    struct plot_bars bars = {.title = title,
                             .axis = "L1 TLB of 32 entries = 1",
                             .kind = kinds,
                             .nkinds = 3,
                             .bar = bar,
                             .line = 1};
    for (unsigned entries = 8; entries <= 128; entries *= 2)
        for (unsigned w = 0; w < 3; w++)
            for (unsigned d = 0; d < rtl_ndesigns; d++) {
                if (rtl_designs[d].entries != entries || rtl_designs[d].tag_bits != widths[w] ||
                    !has_all(&all[d]))
                    continue;
                snprintf(groups[bars.n], sizeof groups[0], "%u entries", entries);
                bar[bars.n] = (struct plot_bar){groups[bars.n], "", w,
                                                all[d].value[figure] / all[l1_tlb()].value[figure], NAN};
                bars.n++;
            }
    if (!bars.n)
        return cli_fail(CLI_USAGE,
                        "rtl: no figures of directories to draw; mempath rtl --sweep measures them");
    return plot_bars(cli, folder, name, &bars);
}

int rtl_draw(const struct cli *cli, const char *folder, const struct rtl_job *jobs, unsigned count,
             const struct rtl_bounds *bounds)
{
    struct rtl_values all[RTL_MAX_DESIGNS] = {0};
    for (unsigned d = 0; d < rtl_ndesigns; d++)
        all[d] = values_of(d, jobs, count, bounds);
    if (!has_all(&all[l1_tlb()]))
        return cli_fail(CLI_USAGE, "rtl: no figures of l1_tlb to compare with; name l1_tlb, too");
    int area = draw(cli, folder, "rtl-neidty-area", "Area of NeiDty's directory", RTL_AREA, all);
    return area != CLI_DONE ? area
                            : draw(cli, folder, "rtl-neidty-period", "Clock period of NeiDty's directory",
                                   RTL_PERIOD, all);
}
