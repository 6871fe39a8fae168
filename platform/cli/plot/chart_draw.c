/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/chart.h"
#include "cli/plot/plot.h"

/* An interval as an arrow with flat heads: yerrorbars would leave a hole in the mark below. */
#define WHISKERS    "heads size screen 0.004,90 lw 1.2"
#define LOGARITHMIC 8 /* an axis from 1 to 8, and longer, has equal steps for doublings */

static bool logarithmic(const struct chart_axis *x)
{
    return x->numeric && x->n > 2 && x->at[0] > 0 && x->at[x->n - 1] >= LOGARITHMIC * x->at[0];
}

static void axis_title(FILE *f, const char *axis, const char *name, const char *unit)
{
    char text[300];
    snprintf(text, sizeof text, "%s%s%s%s", name, unit && *unit ? " (" : "", unit ? unit : "",
             unit && *unit ? ")" : "");
    fprintf(f, "set %s ", axis);
    plot_quote(f, text);
    fputs(" noenhanced\n", f);
}

static void head(FILE *f, const struct chart *c)
{
    fputs("set title ", f);
    plot_quote(f, c->title);
    fputs(" noenhanced\nset grid y\nset border 3\nset tics out nomirror\n"
          "set key outside right top reverse Left noenhanced\nset style fill solid 0.9 noborder\n",
          f);
    axis_title(f, "xlabel", c->x.name, c->x.unit);
    if (c->kind == CHART_CDF)
        axis_title(f, "ylabel", c->unit, NULL);
    else
        axis_title(f, "ylabel", c->metric, c->unit);
}

/* The place and text of each value; the names of categories are rotated if they would touch each other. */
static void x_tics(FILE *f, const struct chart_axis *x, bool places)
{
    size_t letters = 0;
    for (unsigned i = 0; i < x->n; i++)
        letters += strlen(x->label[i]) + 2;
    fprintf(f, "set xtics %s(", letters > 110 ? "rotate by 35 right " : "");
    for (unsigned i = 0; i < x->n; i++) {
        fputs(i ? ", " : "", f);
        plot_quote(f, x->label[i]);
        fprintf(f, " %.15g", places ? x->at[i] : (double)i);
    }
    fputs(") noenhanced\n", f);
}

static double highest(const struct chart *c)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)c->series.n * c->y.n * c->x.n; i++) {
        const struct chart_cell *cell = &c->cell[i];
        double top = fmax(cell->high, cell->mean + cell->half);
        most = cell->n ? fmax(most, isfinite(cell->roof) ? fmax(top, cell->roof) : top) : most;
    }
    return most > 0 ? most : 1;
}

static bool intervals(const struct chart *c)
{
    for (size_t i = 0; i < (size_t)c->series.n * c->y.n * c->x.n; i++)
        if (c->cell[i].n > 1 && c->cell[i].half > 0)
            return true;
    return false;
}

static bool has_roof(const struct chart *c, unsigned series)
{
    for (unsigned i = 0; i < c->x.n; i++)
        if (isfinite(chart_cell(c, series, 0, i)->roof))
            return true;
    return false;
}

static bool overlaps(const struct chart *c)
{
    for (unsigned s = 0; s < c->series.n; s++)
        for (unsigned x = 0; x < c->x.n; x++)
            if (chart_overlaps(c, s, x))
                return true;
    return false;
}

/* Columns: x, mean, half, roof, the five of a box, and the place of a mark of overlap. */
static void series_data(FILE *f, const struct chart *c)
{
    bool bars = c->kind == CHART_BARS || c->kind == CHART_BOXES; /* whose places are counted */
    for (unsigned s = 0; s < c->series.n; s++) {
        bool begun = c->kind != CHART_CDF; /* a distribution rises from 0 at its smallest value */
        fprintf(f, "$s%u << END\n", s);
        for (unsigned i = 0; i < c->x.n; i++) {
            const struct chart_cell *cell = chart_cell(c, s, 0, i);
            if (cell->n && !begun)
                fprintf(f, "%.15g 0 0 NaN 0 0 0 0 0 NaN\n", c->x.at[i]);
            begun = begun || cell->n;
            if (cell->n)
                fprintf(f, "%.15g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g\n",
                        bars ? (double)i : c->x.at[i], cell->mean, cell->half, cell->roof, cell->low,
                        cell->quarter, cell->median, cell->three_quarters, cell->high,
                        chart_overlaps(c, s, i) ? fmax(cell->high, cell->mean + cell->half) : (double)NAN);
        }
        fputs("END\n", f);
    }
}

/* A difference whose intervals overlap may be one of seeds only. */
static void overlap_marks(FILE *f, unsigned series, double shift)
{
    fprintf(f, ", $s%u using ($1+%.4f):10:(\"≈\") with labels center offset 0,0.4 tc rgb '%s' notitle",
            series, shift, plot_colour(series));
}

static void overlap_key(FILE *f, const struct chart *c)
{
    char text[300];
    snprintf(text, sizeof text, "≈ overlaps %s", c->series.n > 1 ? c->series.label[0] : c->x.label[0]);
    fputs(", NaN with points pt 7 ps 0 title ", f);
    plot_quote(f, text);
}

/* Curves that coincide stay visible, since each is thinner than those below it, with a smaller mark. */
static void lines_script(FILE *f, const void *what)
{
    const struct chart *c = what;
    bool points = c->kind == CHART_LINES, bars = intervals(c), marks = overlaps(c);
    head(f, c);
    series_data(f, c);
    fprintf(f, "set yrange [0:%.9g]\n", c->kind == CHART_CDF ? 1.02 : 1.06 * highest(c));
    if (logarithmic(&c->x) && c->kind != CHART_TIME)
        fputs("set logscale x 2\n", f);
    if (points && c->x.n <= 14) {
        double room = logarithmic(&c->x) ? 1.2 : 0.05 * (c->x.at[c->x.n - 1] - c->x.at[0]);
        x_tics(f, &c->x, true);
        fprintf(f, "set xrange [%.9g:%.9g]\n", logarithmic(&c->x) ? c->x.at[0] / room : c->x.at[0] - room,
                logarithmic(&c->x) ? c->x.at[c->x.n - 1] * room : c->x.at[c->x.n - 1] + room);
    }
    fputs("plot ", f);
    for (unsigned s = 0; s < c->series.n; s++) {
        double width = 1.5 + 4.0 * (c->series.n - 1 - s) / c->series.n;
        fprintf(f, "%s$s%u using 1:2 with %s lw %.2f lc rgb '%s'", s ? ", " : "", s,
                points                 ? "linespoints"
                : c->kind == CHART_CDF ? "steps"
                                       : "lines",
                width, plot_colour(s));
        if (points)
            fprintf(f, " pt %u ps %.2f", 4 + s % 10, 0.8 + 0.15 * (c->series.n - s));
        fputs(" title ", f);
        plot_quote(f, c->series.label[s]);
        if (bars)
            fprintf(f, ", $s%u using 1:($2-$3):(0):(2*$3) with vectors " WHISKERS " lc rgb '%s' notitle", s,
                    plot_colour(s));
        if (has_roof(c, s))
            fprintf(f, ", $s%u using 1:4 with lines dt 2 lw 1.2 lc rgb '%s' title 'its roof'", s,
                    plot_colour(s));
        if (marks)
            overlap_marks(f, s, 0);
    }
    if (marks)
        overlap_key(f, c);
    fputc('\n', f);
}

/* Bars or boxes of one category are next to each other. */
static void bars_script(FILE *f, const void *what)
{
    const struct chart *c = what;
    double width = 0.84 / c->series.n;
    bool boxes = c->kind == CHART_BOXES, bars = intervals(c), marks = overlaps(c);
    head(f, c);
    series_data(f, c);
    x_tics(f, &c->x, false);
    fprintf(f, "set boxwidth %.4f\nset yrange [0:%.9g]\n", width * (boxes ? 0.8 : 0.95), 1.06 * highest(c));
    fprintf(f, "set xrange [-0.6:%.1f]\n", c->x.n - 0.4);
    fputs("plot ", f);
    for (unsigned s = 0; s < c->series.n; s++) {
        double at = (s - (c->series.n - 1) / 2.0) * width;
        if (boxes)
            fprintf(f,
                    "%s$s%u using ($1+%.4f):6:5:9:8 with candlesticks whiskerbars lw 1.2 fc rgb '%s' fs "
                    "solid 0.5 border lc "
                    "rgb '#333333' title ",
                    s ? ", " : "", s, at, plot_colour(s));
        else
            fprintf(f, "%s$s%u using ($1+%.4f):2 with boxes lc rgb '%s' title ", s ? ", " : "", s, at,
                    plot_colour(s));
        plot_quote(f, c->series.label[s]);
        if (boxes)
            fprintf(f, ", $s%u using ($1+%.4f):7:7:7:7 with candlesticks lw 2 lc rgb '#000000' notitle", s,
                    at);
        else if (bars)
            fprintf(f,
                    ", $s%u using ($1+%.4f):($2-$3):(0):(2*$3) with vectors " WHISKERS
                    " lc rgb '#333333' notitle",
                    s, at);
        if (has_roof(c, s))
            fprintf(f,
                    ", $s%u using ($1+%.4f):4:(%.4f) with xerrorbars dt 2 lw 1.5 ps 0 lc rgb '#333333' title "
                    "'roof'",
                    s, at, width / 2);
        if (marks)
            overlap_marks(f, s, at);
    }
    if (marks)
        overlap_key(f, c);
    fputc('\n', f);
}

static void stack_script(FILE *f, const void *what)
{
    const struct chart *c = what;
    head(f, c);
    fputs("$stack << END\n", f);
    for (unsigned i = 0; i < c->x.n; i++) {
        double sum = 0;
        fprintf(f, "%u 0", i);
        for (unsigned s = 0; s < c->series.n; s++) {
            const struct chart_cell *cell = chart_cell(c, s, 0, i);
            sum += cell->n ? cell->mean : 0;
            fprintf(f, " %.9g", sum);
        }
        fputc('\n', f);
    }
    fputs("END\nset yrange [0:*]\n", f);
    x_tics(f, &c->x, false);
    fprintf(f, "set xrange [-0.7:%.1f]\nplot ", c->x.n - 0.3);
    for (unsigned s = c->series.n; s-- > 0;) { /* the legend has the same order as the picture */
        fprintf(f,
                "$stack using 1:(($%u+$%u)/2):($1-0.35):($1+0.35):%u:%u with boxxyerror lc rgb '%s' title ",
                s + 2, s + 3, s + 2, s + 3, plot_colour(s));
        plot_quote(f, c->series.label[s]);
        fputs(s ? ", " : "\n", f);
    }
}

/* A panel for each series; the value is written into each place. */
static void heat_script(FILE *f, const void *what)
{
    const struct chart *c = what;
    unsigned across = c->series.n > 4 ? 3 : c->series.n > 1 ? 2 : 1;
    fprintf(f, "set multiplot layout %u,%u title ", (c->series.n + across - 1) / across, across);
    plot_quote(f, c->title);
    fputs(" noenhanced\nset border 3\nset tics out nomirror scale 0\nunset key\n"
          "set palette defined (0 '#f7fbff', 0.5 '#6baed6', 1 '#08306b')\n",
          f);
    axis_title(f, "xlabel", c->x.name, c->x.unit);
    axis_title(f, "ylabel", c->y.name, c->y.unit);
    axis_title(f, "cblabel", c->metric, c->unit);
    x_tics(f, &c->x, false);
    fputs("set ytics (", f);
    for (unsigned i = 0; i < c->y.n; i++) {
        fputs(i ? ", " : "", f);
        plot_quote(f, c->y.label[i]);
        fprintf(f, " %u", i);
    }
    fprintf(f, ") noenhanced\nset xrange [-0.5:%.1f]\nset yrange [-0.5:%.1f]\n", c->x.n - 0.5, c->y.n - 0.5);
    for (unsigned s = 0; s < c->series.n; s++) {
        double low = INFINITY, high = -INFINITY;
        fputs("$heat << END\n", f);
        for (unsigned y = 0; y < c->y.n; y++)
            for (unsigned x = 0; x < c->x.n; x++) {
                const struct chart_cell *cell = chart_cell(c, s, y, x);
                if (!cell->n)
                    continue;
                fprintf(f, "%u %u %.9g\n", x, y, cell->mean);
                low = fmin(low, cell->mean);
                high = fmax(high, cell->mean);
            }
        fputs("END\nset title ", f);
        plot_quote(f, c->series.n > 1 ? c->series.label[s] : "");
        fprintf(f, " noenhanced\nset cbrange [%.9g:%.9g]\n", low, high > low ? high : low + 1);
        fprintf(f,
                "plot $heat using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror lc palette fs "
                "solid 1 notitle, "
                "$heat using 1:2:(sprintf('%%.%ug', $3)):($3 > %.9g ? 0xffffff : 0x000000) with labels tc "
                "rgb variable notitle\n",
                high - low < 0.01 * fabs(high) ? 6u : 4u, (low + high) / 2);
    }
    fputs("unset multiplot\n", f);
}

static void (*const scripts[])(FILE *f, const void *what) = {
    [CHART_LINES] = lines_script, [CHART_BARS] = bars_script, [CHART_BOXES] = bars_script,
    [CHART_STACK] = stack_script, [CHART_HEAT] = heat_script, [CHART_CDF] = lines_script,
    [CHART_TIME] = lines_script,
};

static const char *const kind_names[] = {
    [CHART_LINES] = "lines", [CHART_BARS] = "bars",     [CHART_BOXES] = "boxes",
    [CHART_STACK] = "stack", [CHART_HEAT] = "heat map", [CHART_CDF] = "cumulative distribution",
    [CHART_TIME] = "time",
};

static void json_axis(struct out_json *j, const char *name, const struct chart_axis *axis)
{
    json_object(j, name);
    json_text(j, "name", axis->name);
    json_text(j, "unit", axis->unit);
    json_end_object(j);
}

static void json_cell(struct out_json *j, const struct chart *c, unsigned s, unsigned y, unsigned x)
{
    const struct chart_cell *cell = chart_cell(c, s, y, x);
    if (!cell->n)
        return;
    json_object(j, NULL);
    if (c->x.numeric)
        json_real(j, "x", c->x.at[x]);
    else
        json_text(j, "x", c->x.label[x]);
    if (c->kind == CHART_HEAT)
        json_text(j, "y", c->y.label[y]);
    json_real(j, "value", cell->mean);
    if (c->kind != CHART_HEAT && chart_overlaps(c, s, x))
        json_flag(j, "overlaps", true);
    json_count(j, "runs", cell->n);
    if (cell->n > 1) {
        json_real(j, "half_width", cell->half);
        json_real(j, "minimum", cell->low);
        json_real(j, "median", cell->median);
        json_real(j, "maximum", cell->high);
    }
    if (isfinite(cell->roof))
        json_real(j, "roof", cell->roof);
    json_end_object(j);
}

static void print_json(const struct chart *c, const char *output, const char *file)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_text(&j, "picture", kind_names[c->kind]);
    json_text(&j, "title", c->title);
    json_text(&j, "metric", c->metric);
    json_text(&j, "unit", c->unit);
    json_axis(&j, "x", &c->x);
    if (c->kind == CHART_HEAT)
        json_axis(&j, "y", &c->y);
    json_count(&j, "runs", c->nruns);
    json_array(&j, "series");
    for (unsigned s = 0; s < c->series.n; s++) {
        json_object(&j, NULL);
        json_text(&j, "name", c->series.label[s]);
        json_array(&j, "values");
        for (unsigned y = 0; y < c->y.n; y++)
            for (unsigned x = 0; x < c->x.n; x++)
                json_cell(&j, c, s, y, x);
        json_end_array(&j);
        json_end_object(&j);
    }
    json_end_array(&j);
    plot_json(&j, output, file);
    json_end_object(&j);
}

/* A name without what a file's name should not have. */
static void file_name(const struct chart *c, char name[128])
{
    snprintf(name, 128, "%s%s%s", c->metric, c->kind == CHART_CDF ? "" : "-",
             c->kind == CHART_CDF ? "" : c->x.name);
    for (char *at = name; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+", *at))
            *at = '-';
}

int chart_draw(const struct cli *cli, const struct chart *chart, const char *output)
{
    char name[128];
    file_name(chart, name);
    unsigned panels = chart->kind == CHART_HEAT ? chart->series.n : 1,
             rows = panels > 4 ? (panels + 2) / 3 : (panels + 1) / 2;
    int code = plot_pictures(cli, output, name, 40 + 440 * (rows ? rows : 1), scripts[chart->kind], chart);
    if (!code && cli->json)
        print_json(chart, output, name);
    return code;
}
