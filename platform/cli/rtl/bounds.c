/* SPDX-License-Identifier: Apache-2.0 */
/* The designs, the committed bounds of their figures, the comparison with measured ones, and the area of a
 * TLB. */
#include <stdlib.h>
#include <string.h>

#include "cli/rtl/rtl.h"
#include "cli/table_file.h"

#define TOLERANCE 0.02
#define CELL_UM2  4.73

const struct rtl_design rtl_designs[] = {
#include "cli/rtl/costs.def"
};
const unsigned rtl_ndesigns = sizeof rtl_designs / sizeof *rtl_designs;
_Static_assert(sizeof rtl_designs / sizeof *rtl_designs <= RTL_MAX_DESIGNS,
               "arrays of designs are large enough");

const struct rtl_figure_kind rtl_figures[RTL_FIGURES] = {
    [RTL_ENTRY_BITS] = {"entry_bits", "bits", .bounded = true, .exact = true},
    [RTL_FLOPS] = {"flops", "flops", .bounded = true, .exact = true},
    [RTL_CELLS] = {"cells", "cells", .bounded = true},
    [RTL_AREA] = {"area", "um2", .bounded = true},
    [RTL_PERIOD] = {"period", "ns", .bounded = true},
    [RTL_LCS] = {"ice40_cells", "logic cells", .bounded = true, .full = true},
    [RTL_LC_PERIOD] = {"ice40_period", "ns", .full = true},
    [RTL_CLOCKS] = {"netlist_clocks", "clocks", .full = true},
    [RTL_SMALL] = {"small_period", "ns", .full = true},
    [RTL_WIRED] = {"small_wired_period", "ns", .full = true},
};

enum mp_db_rtl_verdict rtl_verdict(enum rtl_figure f, double value, double bound)
{
    if (rtl_figures[f].exact)
        return value < bound || value > bound ? MP_DB_CHANGED : MP_DB_IN_BOUNDS;
    return value > bound * (1 + TOLERANCE)   ? MP_DB_GREW
           : value < bound * (1 - TOLERANCE) ? MP_DB_SHRANK
                                             : MP_DB_IN_BOUNDS;
}

int rtl_design_named(const char *name, size_t length)
{
    for (unsigned d = 0; d < rtl_ndesigns; d++)
        if (!strncmp(rtl_designs[d].name, name, length) && !rtl_designs[d].name[length])
            return (int)d;
    return -1;
}

static int figure_named(const char *name, size_t length)
{
    for (unsigned f = 0; f < RTL_FIGURES; f++)
        if (rtl_figures[f].bounded && !strncmp(rtl_figures[f].name, name, length) &&
            !rtl_figures[f].name[length])
            return (int)f;
    return -1;
}

int rtl_bounds_line(const char *line, struct rtl_bounds *bounds, struct mp_error *err)
{
    if (!*line || *line == '#')
        return 0;
    size_t first = strcspn(line, ","), second = line[first] ? strcspn(line + first + 1, ",") : 0;
    const char *figure = line + first + (line[first] != 0), *value = figure + second;
    if (!line[first] || *value != ',')
        return mp_fail(err, "'%.60s' is not a bound; design,figure,value", line);
    int d = rtl_design_named(line, first), f = figure_named(figure, second);
    if (d < 0)
        return mp_fail(err, "no design '%.*s'; mempath rtl --help lists them", first < 60 ? (int)first : 60,
                       line);
    if (f < 0)
        return mp_fail(err, "no figure '%.*s'; entry_bits, flops, cells, area, period or ice40_cells",
                       second < 60 ? (int)second : 60, figure);
    if (bounds->of[d].has[f])
        return mp_fail(err, "a second bound for %.*s of %.*s; one each", (int)second, figure, (int)first,
                       line);
    char *end = NULL;
    value++;
    double number = strchr("0123456789", *value) && *value ? strtod(value, &end) : -1;
    if (!(number > 0 && number < 1e12) || *end)
        return mp_fail(err, "'%.60s' is not a value of a figure; a number above 0", value);
    bounds->of[d].has[f] = true;
    bounds->of[d].value[f] = number;
    return 1;
}

static int row(void *bounds, const char *line, struct mp_error *err)
{
    return rtl_bounds_line(line, bounds, err);
}

int rtl_bounds_read(const char *path, struct rtl_bounds *bounds, struct mp_error *err)
{
    memset(bounds, 0, sizeof *bounds);
    return table_read(path, "the bounds of the RTL are needed", row, bounds, err);
}

static void rows(const void *self, FILE *f)
{
    const struct rtl_bounds *bounds = self;
    fprintf(f, "# SPDX-License-Identifier: Apache-2.0\n"
               "# What the RTL takes: area in um2, period in ns. "
               "Bits and flops are exact, the others may differ by 2 %%.\n"
               "# Written by: mempath rtl --update\n");
    for (unsigned d = 0; d < rtl_ndesigns; d++)
        for (unsigned i = 0; i < RTL_FIGURES; i++)
            if (bounds->of[d].has[i])
                fprintf(f, "%s,%s,%.*f\n", rtl_designs[d].name, rtl_figures[i].name, i == RTL_PERIOD ? 3 : 0,
                        bounds->of[d].value[i]);
}

int rtl_bounds_write(const char *path, const struct rtl_bounds *bounds, struct mp_error *err)
{
    return table_write(path, rows, bounds, err);
}

const char rtl_technology[] = "180 nm academic library, typical corner, ideal wires";
const char rtl_assumptions[] =
    "SRAM of the same node: the entries of all sets, 4.73 um2 a bit, array efficiency "
    "0.7 to 0.5; recency left out";
const double rtl_efficiency[2] = {0.7, 0.5};

bool rtl_is_baseline(const struct rtl_design *d)
{
    return d->baseline && !strcmp(d->baseline, d->name);
}

const struct rtl_design *rtl_baseline_of(const struct rtl_design *d)
{
    return d->baseline ? &rtl_designs[rtl_design_named(d->baseline, strlen(d->baseline))] : NULL;
}

const struct rtl_job *rtl_baseline_job(const struct rtl_job *jobs, unsigned count, const struct rtl_design *d)
{
    const struct rtl_design *baseline = rtl_baseline_of(d);
    for (unsigned i = 0; i < count; i++)
        if (baseline && jobs[i].design == baseline && !jobs[i].failed)
            return &jobs[i];
    return NULL;
}

double rtl_memory(const struct rtl_values *variant, unsigned entries, double efficiency)
{
    return entries * variant->value[RTL_ENTRY_BITS] * CELL_UM2 / efficiency;
}

double rtl_bits_overhead(const struct rtl_values *variant, const struct rtl_values *baseline)
{
    return variant->value[RTL_ENTRY_BITS] / baseline->value[RTL_ENTRY_BITS] - 1;
}

double rtl_overhead(const struct rtl_values *variant, const struct rtl_values *baseline, unsigned entries,
                    double efficiency)
{
    return (rtl_memory(variant, entries, efficiency) + variant->value[RTL_AREA]) /
               (rtl_memory(baseline, entries, efficiency) + baseline->value[RTL_AREA]) -
           1;
}
