/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/headlines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/paper/reproduce.h"

#define FILE_NAME "db/papers/headlines.csv"
#define HEAD      "paper,figure,series,x,as,what,order,kind,why"
enum { PAPER, FIGURE, SERIES, X, AS, WHAT, ORDER, KIND, WHY, FIELDS };

/* Position in reproduce_paper_name(), or -1. */
static int paper_number(const char *name)
{
    for (int i = 0; reproduce_paper_name((unsigned)i); i++)
        if (!strcmp(reproduce_paper_name((unsigned)i), name))
            return i;
    return -1;
}

/* The figure's name in the evidence, at the size that the paper's name alone reproduces. */
static void evidence_name(const char *paper, const char *figure, char name[64])
{
    const struct paper_context c = {.size =
                                        reproduce_evaluation(paper)->recovered ? PAPER_STAR : PAPER_PAPER};
    snprintf(name, 64, "%s", paper_figure_name(&c, figure));
}

static double measured(const struct evidence *e, const char *figure, const char *series, const char *x)
{
    for (unsigned i = 0; i < e->n; i++)
        if (!strcmp(e->row[i].figure, figure) && !strcmp(e->row[i].series, series) && !strcmp(e->row[i].x, x))
            return e->row[i].value;
    return (double)NAN;
}

static const struct paper_claim *find_claim(const char *paper, const char *text)
{
    const struct paper_claim *c = paper_data(paper)->claim;
    while (c->figure && strcmp(c->text, text) != 0)
        c++;
    return c->figure ? c : NULL;
}

static bool claim_holds(const struct evidence *e, const char *paper, const struct paper_claim *claim)
{
    struct paper_points points = {0};
    char name[64];
    evidence_name(paper, claim->figure, name);
    for (unsigned i = 0; i < e->n; i++)
        if (!strcmp(e->row[i].figure, name))
            paper_add(&points, e->row[i].series, e->row[i].value, "%s", e->row[i].x)->drawn = e->row[i].drawn;
    bool holds = paper_holds(claim, &points) == 1;
    free(points.point);
    return holds;
}

static const char *const kinds[] = {
    [HEADLINE_CAUSE] = "cause", [HEADLINE_CONTRADICTION] = "contradiction", [HEADLINE_OPEN] = "open"};

static int kind_of(const char *word)
{
    for (int k = HEADLINE_CAUSE; k <= HEADLINE_OPEN; k++)
        if (!strcmp(kinds[k], word))
            return k;
    return -1;
}

/* Refuses a row that has no number of a paper, or no reason. */
static int check_row(const struct csv *csv, struct mp_error *err)
{
    char *const *f = csv->field;
    if (csv->nfields != FIELDS)
        return mp_fail(err, "%s:%u: %u fields; %u are needed", csv->name, csv->line, csv->nfields, FIELDS);
    if (paper_number(f[PAPER]) < 0)
        return mp_fail(err, "%s:%u: no paper '%s'", csv->name, csv->line, f[PAPER]);
    if (strcmp(f[AS], "gain") != 0 && strcmp(f[AS], "value") != 0)
        return mp_fail(err, "%s:%u: as '%s'; value or gain", csv->name, csv->line, f[AS]);
    if (kind_of(f[KIND]) < 0 || !*f[WHY])
        return mp_fail(err, "%s:%u: kind '%s', why '%s'; cause, contradiction or open, and a reason",
                       csv->name, csv->line, f[KIND], f[WHY]);
    if (kind_of(f[KIND]) == HEADLINE_CAUSE && strncmp(f[WHY], "mempath ", 8) != 0)
        return mp_fail(err, "%s:%u: the cause '%s' is no command; mempath ...", csv->name, csv->line, f[WHY]);
    const struct mp_db_point *printed = paper_find(paper_data(f[PAPER])->point, f[FIGURE], f[SERIES], f[X]);
    if (!printed || !printed->has_value)
        return mp_fail(err, "%s:%u: db/papers/%s.csv has no %s,%s,%s", csv->name, csv->line, f[PAPER],
                       f[FIGURE], f[SERIES], f[X]);
    if (*f[ORDER] && !find_claim(f[PAPER], f[ORDER]))
        return mp_fail(err, "%s:%u: db/papers/%s_claims.csv does not say '%s'", csv->name, csv->line,
                       f[PAPER], f[ORDER]);
    return 0;
}

static double as_compared(bool gain, double value)
{
    return gain ? 100 * (value - 1) : value;
}

static enum headline_verdict judge(const struct headline *h, char *const *f, const struct evidence *e)
{
    if (isnan(h->measured))
        return HEADLINE_MISSING;
    if (fabs(h->measured / h->printed - 1) <= HEADLINE_CLOSE)
        return HEADLINE_AGREES;
    if (*f[ORDER] && claim_holds(e, f[PAPER], find_claim(f[PAPER], f[ORDER])))
        return HEADLINE_ORDER;
    return (enum headline_verdict)kind_of(f[KIND]);
}

static void add_row(struct headlines *h, char *const *f)
{
    const struct evidence *e = &h->evidence[paper_number(f[PAPER])];
    const bool gain = !strcmp(f[AS], "gain");
    char name[64];
    evidence_name(f[PAPER], f[FIGURE], name);
    h->row = cli_have(realloc(h->row, (h->n + 1) * sizeof *h->row));
    struct headline *row = &h->row[h->n++];
    *row = (struct headline){
        .paper = f[PAPER],
        .figure = f[FIGURE],
        .what = f[WHAT],
        .gain = gain,
        .printed =
            as_compared(gain, paper_find(paper_data(f[PAPER])->point, f[FIGURE], f[SERIES], f[X])->value),
        .measured = as_compared(gain, measured(e, name, f[SERIES], f[X]))};
    row->verdict = judge(row, f, e);
    row->why = row->verdict < HEADLINE_CAUSE || row->verdict == HEADLINE_MISSING ? "" : f[WHY];
}

int headlines_parse(struct headlines *h, char *text, const char *folder, struct mp_error *err)
{
    struct csv csv;
    unsigned papers = 0;
    while (reproduce_paper_name(papers))
        papers++;
    *h = (struct headlines){.text = text, .evidence = cli_alloc(papers, sizeof *h->evidence)};
    int row = csv_open(&csv, FILE_NAME, text, HEAD, err);
    for (unsigned i = 0; !row && i < papers; i++)
        row = evidence_load(&h->evidence[i], folder, reproduce_paper_name(i), err);
    while (!row && (row = csv_row(&csv, err)) > 0) {
        row = check_row(&csv, err);
        if (!row)
            add_row(h, csv.field);
    }
    return row;
}

int headlines_read(struct headlines *h, const char *folder, struct mp_error *err)
{
    return headlines_parse(h, paper_text("headlines", ""), folder, err);
}

void headlines_free(struct headlines *h)
{
    for (unsigned i = 0; h->evidence && reproduce_paper_name(i); i++)
        evidence_free(&h->evidence[i]);
    free(h->evidence);
    free(h->row);
    free(h->text);
    *h = (struct headlines){0};
}

static const char *verdict_of(const struct headline *h)
{
    static const char *const words[] = {[HEADLINE_AGREES] = "agrees",
                                        [HEADLINE_ORDER] = "agrees in order",
                                        [HEADLINE_CAUSE] = "differs, cause shown",
                                        [HEADLINE_CONTRADICTION] = "contradiction in the paper",
                                        [HEADLINE_OPEN] = "open",
                                        [HEADLINE_MISSING] = "not measured"};
    return words[h->verdict];
}

/* The numbers of a row, as both tables show them. */
struct numbers {
    char printed[32], measured[32], ratio[32];
};

/* "+28.7 %" of a gain, otherwise "0.52". */
static void number(const struct headline *h, double value, char text[32])
{
    if (isnan(value))
        snprintf(text, 32, "-");
    else
        snprintf(text, 32, h->gain ? "%+.1f %%" : "%.4g", value);
}

static struct numbers numbers_of(const struct headline *h)
{
    struct numbers n = {.ratio = "-"};
    number(h, h->printed, n.printed);
    number(h, h->measured, n.measured);
    if (!isnan(h->measured))
        snprintf(n.ratio, sizeof n.ratio, "%.2f", h->measured / h->printed);
    return n;
}

static const char *title_of(const struct headline *h)
{
    return reproduce_evaluation(h->paper)->title;
}

void headlines_print(const struct headlines *h, FILE *f)
{
    static const char *const heads[] = {"paper",    "headline", "figure", "printed",
                                        "measured", "ratio",    "verdict"};
    struct out_table *t = out_table_new(7, heads);
    for (unsigned i = 0; i < h->n; i++) {
        const struct headline *r = &h->row[i];
        const struct numbers n = numbers_of(r);
        out_cell(t, "%s", title_of(r));
        out_cell(t, "%s", r->what);
        out_cell(t, "%s/%s", r->paper, r->figure);
        out_cell(t, "%s", n.printed);
        out_cell(t, "%s", n.measured);
        out_cell(t, "%s", n.ratio);
        out_cell(t, "%s", verdict_of(r));
    }
    out_table_print(t, f);
}

/* Commands as code. */
static void why_markdown(const struct headline *r, FILE *f)
{
    const char *quote = r->verdict == HEADLINE_CAUSE ? "`" : "";
    if (*r->why)
        fprintf(f, ": %s%s%s", quote, r->why, quote);
}

void headlines_markdown(const struct headlines *h, FILE *f)
{
    fputs("| paper | headline | figure | printed | measured | ratio | verdict "
          "|\n|---|---|---|---|---|---|---|\n",
          f);
    for (unsigned i = 0; i < h->n; i++) {
        const struct headline *r = &h->row[i];
        const struct numbers n = numbers_of(r);
        fprintf(f, "| %s | %s | %s | %s | %s | %s | %s", title_of(r), r->what, r->figure, n.printed,
                n.measured, n.ratio, verdict_of(r));
        why_markdown(r, f);
        fputs(" |\n", f);
    }
}

void headlines_json(const struct headlines *h, struct out_json *j)
{
    json_array(j, "headlines");
    for (unsigned i = 0; i < h->n; i++) {
        const struct headline *r = &h->row[i];
        json_object(j, NULL);
        json_text(j, "paper", r->paper);
        json_text(j, "figure", r->figure);
        json_text(j, "headline", r->what);
        json_text(j, "unit", r->gain ? "per cent" : NULL);
        json_real(j, "printed", r->printed);
        json_real(j, "measured", r->measured);
        json_real(j, "ratio", r->measured / r->printed);
        json_text(j, "verdict", verdict_of(r));
        json_text(j, "why", *r->why ? r->why : NULL);
        json_end_object(j);
    }
    json_end_array(j);
}
