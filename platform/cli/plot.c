/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plot.h"

#include <errno.h>
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

static int draw(const char *terminal, const char *file, const char *title, const char *axis,
                const struct plot_bar *bars, unsigned n)
{
    FILE *f = popen("gnuplot 2>&1 1>/dev/null", "w");
    if (!f)
        return -1;
    fprintf(f, "set terminal %s size 1200,480\nset encoding utf8\nset output ", terminal);
    quote(f, file);
    fputs("\nset title ", f);
    quote(f, title);
    fputs("\nset ylabel ", f);
    quote(f, axis);
    fputs("\nset yrange [0:1.2]\nset grid y\nset boxwidth 0.9\nset style fill solid 0.85 noborder\n"
          "set xtics rotate by 60 right font ',10'\nset bmargin 6\nset key top right horizontal\nset xrange "
          "[-1:*]\n",
          f);
    data(f, bars, n);
    fputs("plot $bars using 1:($3==0?$2:NaN):xtic(5) with boxes lc rgb '#4c78a8' title 'measured', "
          "'' using 1:($3==1?$2:NaN) with boxes lc rgb '#54a24b' title 'harmonic mean', "
          "'' using 1:4 with points pt 9 ps 1.8 lc rgb '#e45756' title 'paper'\n",
          f);
    return pclose(f) == 0 ? 0 : -1;
}

int plot_bars(const struct cli *cli, const char *folder, const char *name, const char *title,
              const char *axis, const struct plot_bar *bars, unsigned n)
{
    static const char *const kind[][2] = {{"svg", "svg"}, {"pngcairo", "png"}};
    for (unsigned i = 0; i < 2; i++) {
        char file[PATH_MAX], part[PATH_MAX + 8];
        snprintf(file, sizeof file, "%s/%s.%s", folder, name, kind[i][1]);
        snprintf(part, sizeof part, "%s.part", file);
        if (draw(kind[i][0], part, title, axis, bars, n) || rename(part, file)) {
            unlink(part);
            return cli_fail(CLI_FAILED, "%s: could not be drawn; gnuplot and a folder that can be written",
                            file);
        }
        if (!cli->json)
            printf("%s\n", file);
    }
    return CLI_DONE;
}
