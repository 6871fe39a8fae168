/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plot/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Anything that gnuplot reads in double quotes is written as its code: a backquote would run a command. */
void plot_quote(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        if (strchr("\"\\`", *s) || (unsigned char)*s < ' ')
            fprintf(f, "\\%03o", (unsigned char)*s);
        else
            fputc(*s, f);
    }
    fputc('"', f);
}

/* By Okabe and Ito. */
static const char *const colour[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                     "#56b4e9", "#d55e00", "#f0e442", "#999999"};
#define HEIGHT     480u /* pixels */
#define WIDTH      1200
#define BARS_WIDTH 1080 /* pixels: width of the axis of a bar chart */
#define CHARACTER  8.5  /* pixels: mean width of a letter of group names */
#define COLOURS    (sizeof colour / sizeof *colour)

const char *plot_colour(unsigned i)
{
    return colour[i % COLOURS];
}

static bool new_group(const struct plot_bars *b, unsigned i)
{
    return i == 0 || strcmp(b->bar[i].group, b->bar[i - 1].group) != 0;
}

/* Bars that are relative to a line are cut if they are far beyond it, and labelled with their value. */
static double top_of(const struct plot_bars *b)
{
    double top = 0;
    for (unsigned i = 0; i < b->n; i++) {
        top = b->bar[i].value > top ? b->bar[i].value : top;
        top = b->bar[i].paper > top ? b->bar[i].paper : top;
    }
    return isfinite(b->line) && top > 5 ? 5 : 1.08 * top;
}

/* Bars of many groups have no names, and group names that would touch each other are rotated. */
static bool crowded(const struct plot_bars *b)
{
    unsigned groups = 0;
    for (unsigned i = 0; i < b->n; i++)
        groups += new_group(b, i);
    return groups > 20;
}

/* Whether group names are rotated: in crowded pictures, and where a name is wider than its bars and the gap
 * to the next group. Below names of bars they are not. */
static bool rotated(const struct plot_bars *b)
{
    unsigned groups = 0, first = 0;
    bool wide = false, labels = false;
    for (unsigned i = 0; i < b->n; i++)
        groups += new_group(b, i);
    for (unsigned i = 0; i < b->n; i++) {
        first = new_group(b, i) ? i : first;
        double room = (double)(i + 2 - first) * BARS_WIDTH / (b->n + groups);
        if (i + 1 == b->n || new_group(b, i + 1))
            wide = wide || (double)(strlen(b->bar[i].group) + 1) * CHARACTER > room;
        labels = labels || *b->bar[i].label;
    }
    return crowded(b) || (wide && !labels);
}

/* Draws the bars of a group next to each other, groups one bar apart, with labels below, and group names
 * below those. */
static void bar_data(FILE *f, const struct plot_bars *b, double top)
{
    unsigned place = 0;
    fputs("$bars << END\n", f);
    for (unsigned i = 0; i < b->n; i++, place++) {
        const struct plot_bar *bar = &b->bar[i];
        bool labelled = new_group(b, i) || strcmp(bar->label, bar[-1].label) != 0;
        place += i && new_group(b, i);
        fprintf(f, "%u %.6f %u ", place, isfinite(bar->value) ? bar->value : 0, bar->kind);
        if (isfinite(bar->paper))
            fprintf(f, "%.6f ", bar->paper);
        else
            fputs("NaN ", f);
        plot_quote(f, labelled && !crowded(b) ? bar->label : "");
        fputc('\n', f);
    }
    fputs("END\n", f);
    place = 0;
    for (unsigned i = 0, first = 0; i < b->n; i++, place++) {
        const struct plot_bar *bar = &b->bar[i];
        place += i && new_group(b, i);
        first = new_group(b, i) ? place : first;
        if (bar->value > top)
            fprintf(f,
                    "set label '%.1f' at first %u, graph 0.98 right rotate by 90 font ',9' tc rgb 'white'\n",
                    bar->value, place);
        if (i + 1 == b->n || new_group(b, i + 1)) {
            fputs("set label ", f);
            plot_quote(f, bar->group);
            fprintf(f, " at first %.1f, graph %s\n", (first + place) / 2.0,
                    rotated(b)    ? "-0.03 right rotate by 60 font ',9'"
                    : *bar->label ? "-0.17 center"
                                  : "-0.05 center");
        }
    }
}

static bool has_kind(const struct plot_bars *b, unsigned kind)
{
    unsigned i = 0;
    while (i < b->n && b->bar[i].kind != kind)
        i++;
    return i < b->n;
}

static void bars_script(FILE *f, const void *what)
{
    const struct plot_bars *b = what;
    double top = top_of(b);
    bool labels = rotated(b), paper = false;
    for (unsigned i = 0; i < b->n; i++) {
        labels = labels || *b->bar[i].label;
        paper = paper || isfinite(b->bar[i].paper);
    }
    fputs("set title ", f);
    plot_quote(f, b->title);
    fputs("\nset ylabel ", f);
    plot_quote(f, b->axis);
    fprintf(f,
            "\nset yrange [0:%.6g]\nset grid y\nset boxwidth 0.9\nset style fill solid 0.9 noborder\n"
            "set xtics rotate by 60 right font ',%u' scale 0 noenhanced\nset ytics nomirror\nset border "
            "3\nset bmargin %u\n"
            "set key outside top right horizontal noenhanced\nset xrange [-1:*]\n",
            top, b->n > 60 ? 8 : 10, labels ? 6 : 2);
    bar_data(f, b, top);
    fputs("plot ", f);
    for (unsigned k = 0; k < b->nkinds; k++) {
        if (!has_kind(b, k))
            continue;
        fprintf(f, "$bars using 1:($3==%u?$2:NaN):xtic(5) with boxes lc rgb '%s' title ", k,
                colour[k % COLOURS]);
        plot_quote(f, b->kind[k]);
        fputs(", ", f);
    }
    if (isfinite(b->line))
        fprintf(f, "%.6g with lines lw 1 lc rgb '#333333' notitle, ", b->line);
    fputs(paper ? "$bars using 1:4 with points pt 9 ps 1.6 lc rgb '#000000' title 'paper'\n"
                : "NaN notitle\n",
          f);
}

static unsigned panels_of(const struct plot_curves *c)
{
    unsigned n = 0;
    for (unsigned i = 0; i < c->n; i++)
        n += i == 0 || strcmp(c->curve[i].panel, c->curve[i - 1].panel) != 0;
    return n;
}

static unsigned across_of(unsigned panels)
{
    return panels > 4 ? 3 : panels > 1 ? 2 : 1;
}

static void curve_data(FILE *f, const struct plot_curves *c)
{
    for (unsigned i = 0; i < c->n; i++) {
        fprintf(f, "$curve%u << END\n", i);
        for (unsigned k = 0; k < c->curve[i].n; k++)
            fprintf(f, "%.9g %.6f\n", c->curve[i].at[k][0], c->curve[i].at[k][1]);
        fputs("END\n", f);
    }
}

/* Draws the curves from `first` on that share its panel; returns the index after them. */
static unsigned panel(FILE *f, const struct plot_curves *c, unsigned first)
{
    unsigned i = first;
    fputs("set title ", f);
    plot_quote(f, c->curve[first].panel);
    fputs("\nplot ", f);
    if (isfinite(c->mark)) {
        fprintf(f, "'+' using (%.9g):($0/100) every ::0::100 with lines dt 3 lc rgb '#333333' title ",
                c->mark);
        plot_quote(f, c->mark_name);
        fputs(", ", f);
    }
    for (; i < c->n && !strcmp(c->curve[i].panel, c->curve[first].panel); i++) {
        const struct plot_curve *curve = &c->curve[i];
        fprintf(f, "%s$curve%u using 1:2 with lines lw %s dt %s lc rgb '%s' ", i > first ? ", " : "", i,
                curve->dashed ? "1" : "2", curve->dashed ? "2" : "1", colour[curve->colour % COLOURS]);
        if (curve->dashed)
            fputs("notitle", f);
        else {
            fputs("title ", f);
            plot_quote(f, curve->name);
        }
    }
    fputc('\n', f);
    return i;
}

static void curves_script(FILE *f, const void *what)
{
    const struct plot_curves *c = what;
    unsigned panels = panels_of(c), across = across_of(panels);
    curve_data(f, c);
    fprintf(f, "set multiplot layout %u,%u title ", (panels + across - 1) / across, across);
    plot_quote(f, c->title);
    fputs("\nset xlabel ", f);
    plot_quote(f, c->x_axis);
    fputs("\nset ylabel ", f);
    plot_quote(f, c->axis);
    fprintf(f,
            "\nset yrange [0:1.02]\nset grid\nset border 3\nset tics nomirror\nset samples 101\n"
            "set key outside right center reverse Left noenhanced font ',9'\n%s",
            c->logarithmic ? "set logscale x 2\nset format x '2^{%L}'\nset xrange [1:*]\nset xtics 16\n"
                           : "set xrange [0:16]\nset xtics 4\n");
    for (unsigned i = 0; i < c->n;)
        i = panel(f, c, i);
    fputs("unset multiplot\n", f);
}

/* Terminal, ending, and its unit in pixels. */
static const struct picture_kind {
    const char *terminal, *ending;
    double unit;
} picture_kinds[] = {{"svg", "svg", 1}, {"pngcairo", "png", 1}, {"pdfcairo", "pdf", 96}};
#define PICTURE_KINDS (sizeof picture_kinds / sizeof *picture_kinds)
#define IN_FOLDERS    2u /* a folder gets the first ones */

static int draw(const struct picture_kind *kind, unsigned height, const char *file,
                void (*script)(FILE *f, const void *what), const void *what)
{
    FILE *f = popen("gnuplot 2>&1 1>/dev/null", "w");
    if (!f)
        return -1;
    fprintf(f, "set terminal %s size %.9g,%.9g\nset encoding utf8\nset output ", kind->terminal,
            WIDTH / kind->unit, height / kind->unit);
    plot_quote(f, file);
    fputc('\n', f);
    script(f, what);
    return pclose(f) == 0 ? 0 : -1;
}

/* The picture's kind if output is a file, PICTURE_KINDS if it is a folder. */
static unsigned kind_of_file(const char *output)
{
    const char *dot = strrchr(output, '.');
    unsigned k = 0;
    while (k < PICTURE_KINDS && (!dot || dot == output || strcmp(dot + 1, picture_kinds[k].ending) != 0))
        k++;
    return k;
}

bool plot_is_file(const char *output)
{
    return kind_of_file(output) < PICTURE_KINDS;
}

/* The name of the file of this kind; false if output is a file of another kind. */
static bool file_of_kind(const char *output, const char *name, unsigned kind, char file[PATH_MAX])
{
    unsigned only = kind_of_file(output);
    if (only < PICTURE_KINDS)
        snprintf(file, PATH_MAX, "%s", output);
    else
        snprintf(file, PATH_MAX, "%s/%s.%s", output, name, picture_kinds[kind].ending);
    return only == PICTURE_KINDS ? kind < IN_FOLDERS : only == kind;
}

void plot_json(struct out_json *j, const char *output, const char *name)
{
    char file[PATH_MAX];
    for (unsigned k = 0; k < PICTURE_KINDS; k++)
        if (file_of_kind(output, name, k, file))
            json_text(j, picture_kinds[k].ending, file);
}

int plot_pictures(const struct cli *cli, const char *output, const char *name, unsigned height,
                  void (*script)(FILE *f, const void *what), const void *what)
{
    if (!plot_is_file(output) && mkdir(output, 0777) && errno != EEXIST)
        return cli_fail(CLI_USAGE,
                        "%s: %s; name a folder that exists or can be created, or FILE.svg, .png or .pdf",
                        output, strerror(errno));
    for (unsigned k = 0; k < PICTURE_KINDS; k++) {
        char file[PATH_MAX], part[PATH_MAX + 8];
        if (!file_of_kind(output, name, k, file))
            continue;
        snprintf(part, sizeof part, "%s.part", file);
        if (draw(&picture_kinds[k], height, part, script, what) || rename(part, file)) {
            unlink(part);
            return cli_fail(CLI_FAILED, "%s: could not be drawn; gnuplot and a writable folder are needed",
                            file);
        }
        if (!cli->json)
            printf("%s\n", file);
    }
    return CLI_DONE;
}

int plot_bars(const struct cli *cli, const char *output, const char *name, const struct plot_bars *bars)
{
    return plot_pictures(cli, output, name, HEIGHT, bars_script, bars);
}

int plot_curves(const struct cli *cli, const char *output, const char *name, const struct plot_curves *curves)
{
    unsigned panels = panels_of(curves), rows = (panels + across_of(panels) - 1) / across_of(panels);
    return plot_pictures(cli, output, name, rows > 1 ? 40 + 330 * rows : HEIGHT, curves_script, curves);
}

/* Prints cumulative sums, for every k-th point only, so that a picture can show each. */
static void stack_data(FILE *f, const struct plot_stack *s, double unit)
{
    unsigned step = s->n / 2000 + 1;
    fputs("$stack << END\n", f);
    for (unsigned i = 0; i < s->n; i += step) {
        uint64_t sum = 0;
        fprintf(f, "%.9g 0", (double)s->cycle[i] / unit);
        for (unsigned k = 0; k < s->nseries; k++) {
            sum += s->value[i * s->nseries + k];
            fprintf(f, " %" PRIu64, sum);
        }
        fputc('\n', f);
    }
    fputs("END\n", f);
}

static uint64_t highest(const struct plot_stack *s)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < s->n; i++) {
        uint64_t sum = 0;
        for (unsigned k = 0; k < s->nseries; k++)
            sum += s->value[(size_t)i * s->nseries + k];
        most = sum > most ? sum : most;
    }
    return most;
}

static void stack_script(FILE *f, const void *what)
{
    const struct plot_stack *s = what;
    bool long_run = s->cycle[s->n - 1] >= 1000000;
    uint64_t most = highest(s);
    bool far = most < s->limit / 4; /* the limit would leave the values at the bottom */
    stack_data(f, s, long_run ? 1e6 : 1e3);
    fputs("set title ", f);
    plot_quote(f, s->title);
    fputs(" noenhanced\nset ylabel ", f);
    plot_quote(f, s->axis);
    fprintf(f, "\nset xlabel '%s'\n", long_run ? "million cycles" : "thousand cycles");
    fprintf(f, "set yrange [0:%.9g]\nset xrange [0:%.9g]\n",
            far && most ? 1.15 * (double)most : 1.08 * (double)s->limit,
            (double)s->cycle[s->n - 1] / (long_run ? 1e6 : 1e3));
    fputs("set grid y front\nset tics out nomirror\nset border 3\nset format y '%.0f'\n"
          "set key outside right top reverse Left noenhanced\nset style fill solid 0.9 noborder\nplot ",
          f);
    if (far)
        fputs("keyentry ", f);
    else
        fprintf(f, "%" PRIu64 " ", s->limit);
    fprintf(f, "with lines dt 2 lw 1.5 lc rgb '#333333' title ");
    char limit[120];
    snprintf(limit, sizeof limit, "%s%s", s->limit_name, far ? " (above)" : "");
    plot_quote(f, limit);
    for (unsigned k = s->nseries; k-- > 0;) { /* the legend has the same order as the picture */
        fprintf(f, ", $stack using 1:%u:%u with filledcurves lc rgb '%s' title ", k + 2, k + 3,
                colour[k % COLOURS]);
        plot_quote(f, s->series[k]);
    }
    fputc('\n', f);
}

int plot_stack(const struct cli *cli, const char *output, const char *name, const struct plot_stack *stack)
{
    return plot_pictures(cli, output, name, HEIGHT, stack_script, stack);
}

/* ---- histograms ---- */

static void boxes_of(FILE *f, const struct plot_histogram *h, bool above)
{
    bool some = false;
    for (unsigned i = 0; i < h->n; i++)
        some = some || (h->at[i][0] >= h->limit) == above;
    if (!some) /* gnuplot warns of plots without points */
        return;
    fprintf(f, "$h using ($1 %s %" PRIu64 " ? $1 : NaN):2 with boxes lc rgb '%s' title ", above ? ">=" : "<",
            h->limit, colour[above]);
    plot_quote(f, above ? h->above : h->below);
    fputs(", ", f);
}

static void histogram_script(FILE *f, const void *what)
{
    const struct plot_histogram *h = what;
    uint64_t first = h->at[0][0], last = h->at[h->n - 1][0], most = 1;
    fputs("$h << END\n", f);
    for (unsigned i = 0; i < h->n; i++) {
        fprintf(f, "%" PRIu64 " %" PRIu64 "\n", h->at[i][0], h->at[i][1]);
        most = h->at[i][1] > most ? h->at[i][1] : most;
    }
    fputs("END\nset title ", f);
    plot_quote(f, h->title);
    fputs(" noenhanced\nset xlabel ", f);
    plot_quote(f, h->x_axis);
    fputs("\nset ylabel ", f);
    plot_quote(f, h->axis);
    first = first < h->limit ? first : h->limit;
    last = last > h->limit ? last : h->limit;
    fprintf(f,
            "\nset logscale y\nset yrange [0.5:%" PRIu64 "]\nset xrange [%.1f:%.1f]\nset boxwidth 1\n"
            "set style fill solid 0.9 noborder\nset grid y\nset border 3\nset tics out nomirror\n"
            "set key outside top right horizontal noenhanced\n"
            "set arrow from first %" PRIu64 ", graph 0 to first %" PRIu64 ", graph 1 nohead dt 2 lc rgb "
            "'#333333'\nplot ",
            2 * most, (double)first - 5.5, (double)last + 5.5, h->limit, h->limit);
    boxes_of(f, h, false);
    boxes_of(f, h, true);
    fputs("keyentry with lines dt 2 lc rgb '#333333' title ", f);
    plot_quote(f, h->limit_name);
    fputc('\n', f);
}

int plot_histogram(const struct cli *cli, const char *output, const char *name,
                   const struct plot_histogram *histogram)
{
    return plot_pictures(cli, output, name, HEIGHT, histogram_script, histogram);
}

/* ---- rows over time ---- */

#define STEPS_HEIGHT 210u /* pixels: height of the lower panel, with its axis */
#define ABOVE_ROWS   60u

static unsigned row_height(const struct plot_rows *r)
{
    return r->nrows <= 24 ? 22 : r->nrows <= 48 ? 14 : 10;
}

static unsigned rows_height(const struct plot_rows *r)
{
    return ABOVE_ROWS + r->nrows * row_height(r) + STEPS_HEIGHT;
}

/* Prints x, y, and the corners of a box. Within a row, counted from the top, a box extends from `foot` to
 * `top`. */
static void slice_data(FILE *f, const char *name, size_t n, const struct plot_slice *slice, double foot,
                       double top)
{
    fprintf(f, "$%s << END\n", name);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%" PRIu64 " %u %" PRIu64 " %" PRIu64 " %.2f %.2f %u %d\n", slice[i].from, slice[i].row,
                slice[i].from, slice[i].to, slice[i].row + foot, slice[i].row + top, slice[i].kind,
                slice[i].marked);
    fputs("END\n", f);
}

static void step_data(FILE *f, const struct plot_rows *r)
{
    for (unsigned k = 0; k < r->nkinds; k++) {
        uint64_t value = 0;
        fprintf(f, "$step%u << END\n", k);
        for (size_t i = 0; i < r->nsteps; i++)
            if (r->step[i].kind == k) {
                value = r->step[i].value;
                fprintf(f, "%" PRIu64 " %" PRIu64 "\n", r->step[i].x, value);
            }
        fprintf(f, "%" PRIu64 " %" PRIu64 "\nEND\n", r->last, value);
    }
}

static void row_labels(FILE *f, const struct plot_rows *r)
{
    fputs("set ytics (", f);
    for (unsigned i = 0; i < r->nrows; i++) {
        fputs(i ? ", " : "", f);
        plot_quote(f, r->row[i]);
        fprintf(f, " %u", i);
    }
    fprintf(f, ") scale 0 noenhanced font ',%u'\n", row_height(r) > 12 ? 9 : 7);
}

/* Plots the boxes of a kind if there are any, because gnuplot warns of plots without points. */
static void boxes(FILE *f, const char *data, size_t n, const struct plot_slice *slice, unsigned kind,
                  bool marked, const char *style)
{
    bool some = false;
    for (size_t i = 0; i < n; i++)
        some = some || (slice[i].kind == kind && slice[i].marked == marked);
    if (some)
        fprintf(
            f,
            "$%s using 1:($7==%u && $8==%d ? $2 : NaN):3:4:5:6 with boxxyerror fc rgb '%s' fs %s notitle, ",
            data, kind, marked, colour[kind % COLOURS], style);
}

static void slices_script(FILE *f, const struct plot_rows *r)
{
    bool marked = false;
    char outlined[64];
    for (size_t i = 0; i < r->nslices; i++)
        marked = marked || r->slice[i].marked;
    fputs("plot ", f);
    for (unsigned k = 0; k < r->nkinds; k++) {
        snprintf(outlined, sizeof outlined, "transparent pattern 2 border lc rgb '%s'", colour[k % COLOURS]);
        boxes(f, "slice", r->nslices, r->slice, k, false, "solid 0.85 border lc rgb 'white'");
        boxes(f, "slice", r->nslices, r->slice, k, true, outlined);
        boxes(f, "strip", r->nstrips, r->strip, k, false, "solid 1 noborder");
    }
    for (unsigned k = 0; k < r->nkinds; k++) {
        fprintf(f, "keyentry with boxes fc rgb '%s' fs solid 0.85 title ", colour[k % COLOURS]);
        plot_quote(f, r->kind[k]);
        fputs(", ", f);
    }
    if (marked) {
        fputs("keyentry with boxes fc rgb '#333333' fs transparent pattern 2 border lc rgb '#333333' title ",
              f);
        plot_quote(f, r->marked_name);
        fputs(", ", f);
    }
    fputs("NaN notitle\n", f);
}

/* The right end of the rows on the screen, which leaves room for the names of the legend. */
static double rows_right(const struct plot_rows *r)
{
    size_t longest = strlen(r->marked_name);
    for (unsigned k = 0; k < r->nkinds; k++)
        longest = strlen(r->kind[k]) > longest ? strlen(r->kind[k]) : longest;
    return 1 - (85 + CHARACTER * 1.1 * (double)longest) / WIDTH;
}

static void rows_script(FILE *f, const void *what)
{
    const struct plot_rows *r = what;
    double height = rows_height(r), edge = STEPS_HEIGHT / height, right = rows_right(r);
    slice_data(f, "slice", r->nslices, r->slice, -0.42, r->nstrips ? 0.22 : 0.42);
    slice_data(f, "strip", r->nstrips, r->strip, 0.27, 0.42);
    step_data(f, r);
    fputs("set multiplot\nset title ", f);
    plot_quote(f, r->title);
    fprintf(f,
            " noenhanced\nset lmargin at screen 0.11\nset rmargin at screen %.4f\nset border 3\n"
            "set xrange [%" PRIu64 ":%" PRIu64 "]\nset format x ''\nset tics out nomirror\n"
            "set key at screen %.4f, screen %.4f left top reverse Left noenhanced\n",
            right, r->first, r->last, right + 0.01, 1 - (double)ABOVE_ROWS / height);
    fprintf(f, "set tmargin at screen %.4f\nset bmargin at screen %.4f\nset yrange [%.1f:-0.7]\nset ylabel ",
            1 - (double)ABOVE_ROWS / height, edge, r->nrows - 0.3);
    plot_quote(f, r->rows_axis);
    fputc('\n', f);
    row_labels(f, r);
    slices_script(f, r);
    uint64_t most = 1;
    for (size_t i = 0; i < r->nsteps; i++)
        most = r->step[i].value > most ? r->step[i].value : most;
    fprintf(f,
            "unset title\nunset key\nset tmargin at screen %.4f\nset bmargin at screen %.4f\nset format x "
            "'%%.0f'\nset yrange [0:%.9g]\nset ytics %s scale 1 font ',9'\nset grid y\nset xlabel ",
            edge - 14 / height, 68 / height, 1.05 * (double)most, most < 5 ? "1" : "auto");
    plot_quote(f, r->x_axis);
    fputs("\nset ylabel ", f);
    plot_quote(f, r->steps_axis);
    fputs("\nplot ", f);
    for (unsigned k = 0; k < r->nkinds; k++)
        fprintf(f, "%s$step%u using 1:2 with steps lw 1.5 lc rgb '%s'", k ? ", " : "", k,
                colour[k % COLOURS]);
    fputs("\nunset multiplot\n", f);
}

int plot_rows(const struct cli *cli, const char *output, const char *name, const struct plot_rows *rows)
{
    return plot_pictures(cli, output, name, rows_height(rows), rows_script, rows);
}
