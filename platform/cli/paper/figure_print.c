/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a figure as tables and JSON, and draws it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/paper/figure.h"
#include "cli/plot/plot.h"
#include "cli/run/results.h"

static const char *category_of(const struct figure_runs *r, const char *series)
{
    for (unsigned i = 0; i < r->n; i++)
        if (!strcmp(r->w[i].name, series))
            return r->w[i].category;
    return "";
}

/* Whether a workload has several rows of bars, each with a name. */
static bool has_rows(const struct figure_runs *r)
{
    return r->f->applications || figure_has_parts(r->f);
}

/* Bars have one row of points, one per variant. The row's name is that of the first point without its suffix.
 */
static unsigned row_name(const struct figure_runs *r, const struct paper_measured *first, char name[56])
{
    size_t cut = strlen(first->x) - strlen(figure_suffix(r, 0));
    bool plain = r->f->nvariants > 1 && !has_rows(r);
    snprintf(name, 56, "%.*s", plain ? 0 : (int)cut, first->x);
    return r->f->nvariants;
}

static const char *table_head(const struct figure_runs *r, unsigned v)
{
    return r->f->nvariants > 1 ? r->e->variant[r->f->variant[v]].label : "measured";
}

static void print_bars(const struct figure_runs *r, const struct paper_points *points)
{
    const char *heads[3 + FIGURE_VARIANTS] = {"workload", "category"};
    unsigned columns = 2;
    if (has_rows(r))
        heads[columns++] = r->f->applications ? "application" : "what";
    for (unsigned v = 0; v < r->f->nvariants; v++)
        heads[columns++] = table_head(r, v);
    struct out_table *t = out_table_new(columns, heads);
    const char *series = "";
    for (unsigned i = 0; i < points->n;) {
        const struct paper_measured *m = &points->point[i];
        char name[56];
        if (!m->drawn) {
            i++;
            continue;
        }
        unsigned n = row_name(r, m, name);
        bool first = strcmp(series, m->series) != 0;
        series = m->series;
        out_cell(t, "%s", first ? series : "");
        out_cell(t, "%s", first ? category_of(r, series) : "");
        if (has_rows(r))
            out_cell(t, "%s", name);
        for (unsigned v = 0; v < n; v++)
            results_cell(t, points->point[i++].value, 3);
    }
    out_table_print(t, stdout);
}

/* Splits a point's name into the curve's name and the abscissa, which is returned. */
static const char *curve_name(const struct paper_measured *m, char name[56])
{
    const char *space = strrchr(m->x, ' ');
    snprintf(name, 56, "%.*s", (int)(space - m->x), m->x);
    return space + 1;
}

static bool same_curve(const struct paper_measured *a, const struct paper_measured *b)
{
    char x[56], y[56];
    curve_name(a, x);
    curve_name(b, y);
    return a->drawn && b->drawn && !strcmp(a->series, b->series) && !strcmp(x, y);
}

static void print_curves(const struct figure_runs *r, const struct paper_points *points)
{
    static const char *const edges[][9] = {
        [METRIC_SUB_ENTRIES] = {"1", "2", "4", "7", "8", "12", "15", "evictions", "mean"},
        [METRIC_REUSE] = {"64", "256", "1024", "4096", "8192", "16384", "32768", "65536", "262144"}};
    const char *heads[11] = {"of", "curve"};
    memcpy(heads + 2, edges[r->f->metric], sizeof edges[0]);
    struct out_table *t = out_table_new(11, heads);
    for (unsigned i = 0; i < points->n; i++) {
        const struct paper_measured *m = &points->point[i];
        char name[56];
        if (!m->drawn || (i && same_curve(m, m - 1)))
            continue;
        curve_name(m, name);
        out_cell(t, "%s", m->series);
        out_cell(t, "%s", name);
        for (unsigned k = 0; k < 9; k++) {
            char x[80];
            snprintf(x, sizeof x, "%s %s", name, heads[2 + k]);
            const struct paper_measured *at = paper_measured(points, m->series, x);
            results_cell(t, at ? at->value : (double)NAN, strcmp(heads[2 + k], "evictions") ? 3 : 0);
        }
    }
    out_table_print(t, stdout);
}

void figure_numbers(const struct figure_runs *r, const struct paper_points *points, struct out_table *t)
{
    for (const struct mp_db_point *p = paper_data(r->e->paper)->point; p->paper; p++) {
        if (strcmp(p->figure, r->f->name) != 0)
            continue;
        const struct paper_measured *m = paper_measured(points, p->series, p->x);
        double measured = m ? m->value : (double)NAN;
        out_cell(t, "%s", r->f->name);
        out_cell(t, "%s", p->series);
        out_cell(t, "%s", p->x);
        out_cell(t, "%.3f", p->value);
        results_cell(t, measured, 3);
        results_cell(t, measured - p->value, 3);
        out_cell(t, "%s", p->note);
    }
}

void figure_claims(const struct figure_runs *r, const struct paper_points *points, struct out_table *t)
{
    for (const struct paper_claim *c = paper_data(r->e->paper)->claim; c->figure; c++) {
        if (strcmp(c->figure, r->f->name) != 0)
            continue;
        out_cell(t, "%s", r->f->name);
        out_cell(t, "%s", c->text);
        out_cell(t, "%s", paper_verdict(paper_holds(c, points)));
    }
}

struct out_table *figure_numbers_table(void)
{
    static const char *const heads[] = {"figure", "of", "what", "paper", "measured", "difference", "where"};
    return out_table_new(7, heads);
}

struct out_table *figure_claims_table(void)
{
    static const char *const heads[] = {"figure", "the text says", ""};
    return out_table_new(3, heads);
}

static bool has_numbers(const struct figure_runs *r)
{
    const struct mp_db_point *p = paper_data(r->e->paper)->point;
    while (p->paper && strcmp(p->figure, r->f->name) != 0)
        p++;
    return p->paper;
}

static bool has_claims(const struct figure_runs *r)
{
    const struct paper_claim *c = paper_data(r->e->paper)->claim;
    while (c->figure && strcmp(c->figure, r->f->name) != 0)
        c++;
    return c->figure;
}

void figure_print(const struct figure_runs *r, const struct paper_points *points)
{
    (figure_is_curves(r->f) ? print_curves : print_bars)(r, points);
    if (has_numbers(r)) {
        struct out_table *t = figure_numbers_table();
        figure_numbers(r, points, t);
        putchar('\n');
        out_table_print(t, stdout);
    }
    if (has_claims(r)) {
        struct out_table *t = figure_claims_table();
        figure_claims(r, points, t);
        putchar('\n');
        out_table_print(t, stdout);
    }
}

static void json_point(struct out_json *j, const struct figure_runs *r, const struct paper_measured *m)
{
    const struct mp_db_point *paper = paper_find(paper_data(r->e->paper)->point, r->f->name, m->series, m->x);
    json_object(j, NULL);
    json_text(j, "series", m->series);
    json_text(j, "x", m->x);
    json_real(j, "paper", paper ? paper->value : (double)NAN);
    json_real(j, "measured", m->value);
    json_array(j, "runs");
    for (unsigned i = 0; i < m->nruns; i++)
        json_count(j, NULL, (uint64_t)m->runs[i]);
    json_end_array(j);
    json_end_object(j);
}

void figure_json(const struct figure_runs *r, const struct paper_points *points, bool text_only,
                 struct out_json *j)
{
    char name[64];
    snprintf(name, sizeof name, "%s/%s", r->e->paper, r->f->name);
    json_object(j, NULL);
    json_text(j, "figure", name);
    json_text(j, "title", r->f->title);
    json_text(j, "size", paper_size_names[r->c->size]);
    json_array(j, "points");
    for (unsigned i = 0; i < points->n; i++) {
        const struct paper_measured *m = &points->point[i];
        if (!text_only || paper_find(paper_data(r->e->paper)->point, r->f->name, m->series, m->x))
            json_point(j, r, m);
    }
    json_end_array(j);
    json_array(j, "claims");
    for (const struct paper_claim *c = paper_data(r->e->paper)->claim; c->figure; c++) {
        if (strcmp(c->figure, r->f->name) != 0)
            continue;
        json_object(j, NULL);
        json_text(j, "claim", c->text);
        json_text(j, "verdict", paper_verdict(paper_holds(c, points)));
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

static int draw_bars(const struct figure_runs *r, const struct paper_points *points, const char *name,
                     const char *title)
{
    static const char *const one[] = {"measured", "mean"};
    const char *kinds[FIGURE_VARIANTS];
    struct plot_bar *bar = cli_alloc(points->n, sizeof *bar);
    char(*label)[56] = cli_alloc(points->n, sizeof *label);
    bool several = r->f->nvariants > 1;
    unsigned n = 0, group = several ? r->f->nvariants : 1;
    for (unsigned v = 0; v < r->f->nvariants; v++)
        kinds[v] = r->e->variant[r->f->variant[v]].label;
    for (unsigned i = 0; i < points->n; i++) {
        const struct paper_measured *m = &points->point[i];
        if (!m->drawn)
            continue;
        const struct mp_db_point *paper =
            paper_find(paper_data(r->e->paper)->point, r->f->name, m->series, m->x);
        unsigned v = n % group;
        row_name(r, &points->point[i - v], label[n]);
        if (!has_rows(r))
            label[n][0] = 0;
        bar[n] = (struct plot_bar){.group = m->series,
                                   .label = label[n],
                                   .kind = several ? v : !strcmp(m->x, "mean"),
                                   .value = m->value,
                                   .paper = paper ? paper->value : (double)NAN};
        n++;
    }
    const struct plot_bars bars = {
        .title = title,
        .axis = r->f->axis,
        .kind = several ? kinds : one,
        .nkinds = several ? r->f->nvariants : 2,
        .n = n,
        .bar = bar,
        .line = !figure_has_parts(r->f) && figure_metric(r->f)->reference ? 1 : (double)NAN};
    int code = plot_bars(r->c->cli, r->c->folder, name, &bars);
    free(bar);
    free(label);
    return code;
}

/* The colour by the curve's name, so that an application has one colour in its panel, alone or not. */
static unsigned colour_of(const struct plot_curve *curves, unsigned n)
{
    unsigned same = n, last = 0;
    for (unsigned i = n; i-- > 0 && !strcmp(curves[i].panel, curves[n].panel);) {
        same = !strcmp(curves[i].name, curves[n].name) ? i : same;
        last = curves[i].colour + 1 > last ? curves[i].colour + 1 : last;
    }
    return same < n ? curves[same].colour : last;
}

static int draw_curves(const struct figure_runs *r, const struct paper_points *points, const char *name,
                       const char *title)
{
    struct plot_curve *curve = cli_alloc(points->n, sizeof *curve);
    double(*at)[2] = cli_alloc(points->n, sizeof *at);
    char(*text)[2][56] = cli_alloc(points->n, sizeof *text);
    bool reuse = r->f->metric == METRIC_REUSE;
    unsigned n = 0;
    for (unsigned i = 0; i < points->n; i++) {
        const struct paper_measured *m = &points->point[i];
        if (!m->drawn)
            continue;
        if (!i || !same_curve(m, m - 1)) {
            struct plot_curve *c = &curve[n];
            const char *alone = strstr(m->series, " alone");
            snprintf(text[n][0], sizeof text[n][0], "%.*s",
                     alone ? (int)(alone - m->series) : (int)strlen(m->series), m->series);
            snprintf(text[n][0] + strlen(text[n][0]), 11, "%s%.8s", *category_of(r, text[n][0]) ? ", " : "",
                     category_of(r, text[n][0]));
            curve_name(m, text[n][1]);
            *c = (struct plot_curve){
                .panel = text[n][0], .name = text[n][1], .dashed = alone != NULL, .at = at + i};
            c->colour = colour_of(curve, n);
            n++;
        }
        at[i][0] = strtod(strrchr(m->x, ' '), NULL);
        at[i][1] = m->value;
        curve[n - 1].n++;
    }
    const struct plot_curves curves = {.title = title,
                                       .x_axis = reuse ? "pages" : "sub-entries in use",
                                       .axis = r->f->axis,
                                       .mark_name = "L3 TLB",
                                       .curve = curve,
                                       .n = n,
                                       .logarithmic = reuse,
                                       .mark = reuse ? 16384 : (double)NAN};
    int code = n ? plot_curves(r->c->cli, r->c->folder, name, &curves) : CLI_DONE;
    free(curve);
    free(at);
    free(text);
    return code;
}

int figure_draw(const struct figure_runs *r, const struct paper_points *points)
{
    char name[80], title[160];
    static const struct {
        const char *prefix, *word;
    } kinds[] = {{"table", "Table "}, {"fig", "Figure "}, {"", ""}};
    unsigned k = 0;
    while (strncmp(r->f->name, kinds[k].prefix, strlen(kinds[k].prefix)) != 0)
        k++;
    snprintf(name, sizeof name, "%s-%s", r->e->paper, paper_figure_name(r->c, r->f->name));
    snprintf(title, sizeof title, "%s (%s, %s%s)", r->f->title, r->e->title, kinds[k].word,
             r->f->name + strlen(kinds[k].prefix));
    return (figure_is_curves(r->f) ? draw_curves : draw_bars)(r, points, name, title);
}
