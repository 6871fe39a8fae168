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

static int read_row(const struct csv *csv, struct headlines *h, struct mp_error *err)
{
    char *const *f = csv->field;
    if (csv->nfields != FIELDS)
        return mp_fail(err, "%s:%u: %u fields; %u are needed", csv->name, csv->line, csv->nfields, FIELDS);
    const int paper = paper_number(f[PAPER]), kind = kind_of(f[KIND]);
    const bool gain = !strcmp(f[AS], "gain");
    if (paper < 0)
        return mp_fail(err, "%s:%u: no paper '%s'", csv->name, csv->line, f[PAPER]);
    if (!gain && strcmp(f[AS], "value") != 0)
        return mp_fail(err, "%s:%u: as '%s'; value or gain", csv->name, csv->line, f[AS]);
    if (kind < 0 || !*f[WHY])
        return mp_fail(err, "%s:%u: kind '%s', why '%s'; cause, contradiction or open, and a reason",
                       csv->name, csv->line, f[KIND], f[WHY]);
    if (kind == HEADLINE_CAUSE && strncmp(f[WHY], "mempath ", 8) != 0)
        return mp_fail(err, "%s:%u: the cause '%s' is no command; mempath ...", csv->name, csv->line, f[WHY]);
    const struct mp_db_point *printed = paper_find(paper_data(f[PAPER])->point, f[FIGURE], f[SERIES], f[X]);
    if (!printed || !printed->has_value)
        return mp_fail(err, "%s:%u: db/papers/%s.csv has no %s,%s,%s", csv->name, csv->line, f[PAPER],
                       f[FIGURE], f[SERIES], f[X]);
    const struct paper_claim *claim = *f[ORDER] ? find_claim(f[PAPER], f[ORDER]) : NULL;
    if (*f[ORDER] && !claim)
        return mp_fail(err, "%s:%u: db/papers/%s_claims.csv does not say '%s'", csv->name, csv->line,
                       f[PAPER], f[ORDER]);
    const struct evidence *e = &h->evidence[paper];
    char name[64];
    evidence_name(f[PAPER], f[FIGURE], name);
    h->row = cli_have(realloc(h->row, (h->n + 1) * sizeof *h->row));
    struct headline *row = &h->row[h->n++];
    *row = (struct headline){.paper = f[PAPER],
                             .figure = f[FIGURE],
                             .what = f[WHAT],
                             .gain = gain,
                             .printed = gain ? 100 * (printed->value - 1) : printed->value,
                             .measured = measured(e, name, f[SERIES], f[X]),
                             .why = ""};
    if (gain)
        row->measured = 100 * (row->measured - 1);
    if (isnan(row->measured)) {
        row->verdict = HEADLINE_MISSING;
    } else if (fabs(row->measured / row->printed - 1) <= HEADLINE_CLOSE) {
        row->verdict = HEADLINE_AGREES;
    } else if (claim && claim_holds(e, f[PAPER], claim)) {
        row->verdict = HEADLINE_ORDER;
    } else {
        row->verdict = (enum headline_verdict)kind;
        row->why = f[WHY];
    }
    return 0;
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
    while (!row && (row = csv_row(&csv, err)) > 0)
        row = read_row(&csv, h, err);
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

const char *headline_verdict(const struct headline *h)
{
    static const char *const words[] = {[HEADLINE_AGREES] = "agrees",
                                        [HEADLINE_ORDER] = "agrees in order",
                                        [HEADLINE_CAUSE] = "differs, cause shown",
                                        [HEADLINE_CONTRADICTION] = "contradiction in the paper",
                                        [HEADLINE_OPEN] = "open",
                                        [HEADLINE_MISSING] = "not measured"};
    return words[h->verdict];
}

void headline_number(const struct headline *h, double value, char text[32])
{
    if (isnan(value))
        snprintf(text, 32, "-");
    else
        snprintf(text, 32, h->gain ? "%+.1f %%" : "%.4g", value);
}

static void ratio(const struct headline *h, char text[32])
{
    if (isnan(h->measured))
        snprintf(text, 32, "-");
    else
        snprintf(text, 32, "%.2f", h->measured / h->printed);
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
        char printed[32], is[32], by[32];
        headline_number(r, r->printed, printed);
        headline_number(r, r->measured, is);
        ratio(r, by);
        out_cell(t, "%s", title_of(r));
        out_cell(t, "%s", r->what);
        out_cell(t, "%s/%s", r->paper, r->figure);
        out_cell(t, "%s", printed);
        out_cell(t, "%s", is);
        out_cell(t, "%s", by);
        out_cell(t, "%s", headline_verdict(r));
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
        char printed[32], is[32], by[32];
        headline_number(r, r->printed, printed);
        headline_number(r, r->measured, is);
        ratio(r, by);
        fprintf(f, "| %s | %s | %s | %s | %s | %s | %s", title_of(r), r->what, r->figure, printed, is, by,
                headline_verdict(r));
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
        json_text(j, "verdict", headline_verdict(r));
        json_text(j, "why", *r->why ? r->why : NULL);
        json_end_object(j);
    }
    json_end_array(j);
}
