/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Inside a gnuplot string in double quotes. */
static void quote(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        if (strchr("\"\\", *s))
            fputc('\\', f);
        fputc(*s, f);
    }
    fputc('"', f);
}

/* Bars of a group stand side by side, groups one bar apart; labels below, group names below those. */
static void data(FILE *f, const struct plot_bar *bars, unsigned n)
{
    unsigned place = 0;
    fputs("$bars << END\n", f);
    for (unsigned i = 0; i < n; i++, place++) {
        if (i && strcmp(bars[i].group, bars[i - 1].group) != 0)
            place++;
        fprintf(f, "%u %.6f %d ", place, bars[i].value, !strcmp(bars[i].label, "mean"));
        if (isfinite(bars[i].paper))
            fprintf(f, "%.6f ", bars[i].paper);
        else
            fputs("NaN ", f);
        quote(f, bars[i].label);
        fputc('\n', f);
    }
    fputs("END\n", f);
    place = 0;
    for (unsigned i = 0, first = 0; i < n; i++, place++) {
        if (i && strcmp(bars[i].group, bars[i - 1].group) != 0) {
            place++;
            first = place;
        }
        if (i + 1 == n || strcmp(bars[i].group, bars[i + 1].group) != 0) {
            fputs("set label ", f);
            quote(f, bars[i].group);
            fprintf(f, " at first %.1f, graph -0.17 center\n", (first + place) / 2.0);
        }
    }
}

struct bars {
    const char *title, *axis;
    const struct plot_bar *bar;
    unsigned n;
};

static void bars_script(FILE *f, const void *what)
{
    const struct bars *b = what;
    fputs("set title ", f);
    quote(f, b->title);
    fputs("\nset ylabel ", f);
    quote(f, b->axis);
    fputs("\nset yrange [0:1.2]\nset grid y\nset boxwidth 0.9\nset style fill solid 0.85 noborder\n"
          "set xtics rotate by 60 right font ',10'\nset bmargin 6\nset key top right horizontal\nset xrange "
          "[-1:*]\n",
          f);
    data(f, b->bar, b->n);
    fputs("plot $bars using 1:($3==0?$2:NaN):xtic(5) with boxes lc rgb '#4c78a8' title 'measured', "
          "'' using 1:($3==1?$2:NaN) with boxes lc rgb '#54a24b' title 'harmonic mean', "
          "'' using 1:4 with points pt 9 ps 1.8 lc rgb '#e45756' title 'paper'\n",
          f);
}

static int draw(const char *terminal, const char *file, void (*script)(FILE *f, const void *what),
                const void *what)
{
    FILE *f = popen("gnuplot 2>&1 1>/dev/null", "w");
    if (!f)
        return -1;
    fprintf(f, "set terminal %s size 1200,480\nset encoding utf8\nset output ", terminal);
    quote(f, file);
    fputc('\n', f);
    script(f, what);
    return pclose(f) == 0 ? 0 : -1;
}

/* Draws folder/name.svg and .png by a script. */
static int pictures(const struct cli *cli, const char *folder, const char *name,
                    void (*script)(FILE *f, const void *what), const void *what)
{
    static const char *const kind[][2] = {{"svg", "svg"}, {"pngcairo", "png"}};
    for (unsigned i = 0; i < 2; i++) {
        char file[PATH_MAX], part[PATH_MAX + 8];
        snprintf(file, sizeof file, "%s/%s.%s", folder, name, kind[i][1]);
        snprintf(part, sizeof part, "%s.part", file);
        if (draw(kind[i][0], part, script, what) || rename(part, file)) {
            unlink(part);
            return cli_fail(CLI_FAILED, "%s: could not be drawn; gnuplot and a folder that can be written",
                            file);
        }
        if (!cli->json)
            printf("%s\n", file);
    }
    return CLI_DONE;
}

int plot_bars(const struct cli *cli, const char *folder, const char *name, const char *title,
              const char *axis, const struct plot_bar *bars, unsigned n)
{
    const struct bars what = {title, axis, bars, n};
    return pictures(cli, folder, name, bars_script, &what);
}

/* Sums from below, and so few points that a picture shows each: every k-th. */
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

static void stack_script(FILE *f, const void *what)
{
    /* Told apart by colour-blind readers, too (Okabe and Ito). */
    static const char *const colour[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                         "#56b4e9", "#d55e00", "#f0e442", "#999999"};
    const struct plot_stack *s = what;
    bool long_run = s->cycle[s->n - 1] >= 1000000;
    stack_data(f, s, long_run ? 1e6 : 1e3);
    fputs("set title ", f);
    quote(f, s->title);
    fputs(" noenhanced\nset ylabel ", f);
    quote(f, s->axis);
    fprintf(f, "\nset xlabel '%s'\n", long_run ? "million cycles" : "thousand cycles");
    fprintf(f, "set yrange [0:%.9g]\nset xrange [0:%.9g]\n", 1.08 * (double)s->limit,
            (double)s->cycle[s->n - 1] / (long_run ? 1e6 : 1e3));
    fputs("set grid y front\nset tics out nomirror\nset border 3\nset format y '%.0f'\n"
          "set key outside right top reverse Left noenhanced\nset style fill solid 0.9 noborder\nplot ",
          f);
    fprintf(f, "%" PRIu64 " with lines dt 2 lw 1.5 lc rgb '#333333' title ", s->limit);
    quote(f, s->limit_name);
    for (unsigned k = s->nseries; k-- > 0;) { /* the legend has the highest on top, as the picture */
        fprintf(f, ", $stack using 1:%u:%u with filledcurves lc rgb '%s' title ", k + 2, k + 3,
                colour[k % 8]);
        quote(f, s->series[k]);
    }
    fputc('\n', f);
}

int plot_stack(const struct cli *cli, const char *folder, const char *name, const struct plot_stack *stack)
{
    return pictures(cli, folder, name, stack_script, stack);
}
