/* SPDX-License-Identifier: Apache-2.0 */
/* Printed values of papers next to measured ones, from this database and from the committed evidence. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/embedded.h"
#include "cli/paper/evidence.h"
#include "cli/report/columns.h"
#include "cli/report/report.h"

/* How far a measured number may be from the paper's. */
static const struct {
    double within; /* relative */
    const char *verdict;
} verdicts[] = {{0.05, "agrees"}, {0.20, "near"}, {INFINITY, "differs"}};

struct papers {
    struct columns *numbers, *claims;
    const char *source; /* "this database" or "committed" */
    char paper[32], figure[64], revision[48];
    struct paper_points points; /* of this figure, so far */
};

/* The name of a paper that the program knows, which paper_data() keeps; else NULL. */
static const char *known(const char *paper)
{
    const struct cli_file *f = paper_files;
    while (f->name && strcmp(f->name, paper) != 0)
        f++;
    return f->name && !strchr(f->name, '_') ? f->name : NULL;
}

/* The size of the inputs, with which a figure's name ends; a name without it is of the paper's own size. */
static const char *inputs_of(const char *figure)
{
    const char *at = strchr(figure, '@');
    return at ? at + 1 : "paper";
}

static unsigned add_row(struct columns *c, const struct papers *p)
{
    char figure[sizeof p->figure];
    unsigned row = columns_row(c);
    snprintf(figure, sizeof figure, "%.*s", (int)strcspn(p->figure, "@"), p->figure);
    columns_text(c, row, "paper", p->paper);
    columns_text(c, row, "figure", figure);
    columns_text(c, row, "inputs", inputs_of(p->figure));
    return row;
}

static void add_number(struct papers *p, const struct mp_db_point *printed, double measured,
                       const char *revision)
{
    double off = measured / printed->value - 1;
    unsigned row = add_row(p->numbers, p), v = 0;
    while (!(fabs(off) <= verdicts[v].within) && v + 1 < sizeof verdicts / sizeof *verdicts)
        v++;
    columns_text(p->numbers, row, "of", printed->series);
    columns_text(p->numbers, row, "what", printed->x);
    columns_real(p->numbers, row, "printed", printed->value);
    columns_real(p->numbers, row, "measured", measured);
    columns_text(p->numbers, row, "unit", printed->unit);
    columns_find(p->numbers, "difference", "%");
    columns_real(p->numbers, row, "difference", 100 * off);
    columns_text(p->numbers, row, "verdict", verdicts[v].verdict);
    columns_text(p->numbers, row, "where in the paper", printed->note);
    columns_text(p->numbers, row, "source", p->source);
    columns_text(p->numbers, row, "revision", revision);
}

/* Ends a figure: the paper's statements about it. */
static void add_claims(struct papers *p)
{
    size_t n = strcspn(p->figure, "@");
    const char *paper = known(p->paper);
    const struct paper_claim *c = p->points.n && paper ? paper_data(paper)->claim : NULL;
    for (; c && c->figure; c++) {
        int holds =
            strlen(c->figure) == n && !strncmp(c->figure, p->figure, n) ? paper_holds(c, &p->points) : -1;
        if (holds < 0)
            continue;
        unsigned row = add_row(p->claims, p);
        columns_text(p->claims, row, "statement", c->text);
        columns_text(p->claims, row, "verdict", paper_verdict(holds));
        columns_text(p->claims, row, "source", p->source);
        columns_text(p->claims, row, "revision", p->revision);
    }
    p->points.n = 0;
}

static void add_point(struct papers *p, const char *paper, const char *figure, const char *series,
                      const char *x, double value, bool drawn, const char *revision)
{
    if (strcmp(p->paper, paper) != 0 || strcmp(p->figure, figure) != 0)
        add_claims(p);
    snprintf(p->paper, sizeof p->paper, "%s", paper);
    snprintf(p->figure, sizeof p->figure, "%s", figure);
    snprintf(p->revision, sizeof p->revision, "%s", revision);
    paper_add(&p->points, series, value, "%s", x)->drawn = drawn;
}

/* A row of measured.sql. */
static void add_measured(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct papers *p = self;
    (void)n;
    add_point(p, cell[0].text, cell[1].text, cell[2].text, cell[3].text, cell[4].real, !cell[9].integer,
              cell[5].text);
    const struct mp_db_point printed = {cell[0].text, cell[1].text, cell[2].text,
                                        cell[3].text, cell[6].real, true,
                                        cell[7].text, cell[8].text, cell[9].integer != 0};
    if (cell[6].text)
        add_number(p, &printed, cell[4].real, cell[5].text);
}

static int add_committed(struct papers *p, const char *paper, struct mp_error *err)
{
    char file[48];
    struct evidence e;
    snprintf(file, sizeof file, "%s.csv", paper);
    const char *text = report_file(file);
    int result = text ? evidence_parse(&e, file, cli_have(strdup(text)), err) : 0;
    for (unsigned i = 0; text && !result && i < e.n; i++) {
        const struct evidence_row *r = &e.row[i];
        char figure[sizeof r->figure];
        add_point(p, paper, r->figure, r->series, r->x, r->value, r->drawn, r->revision);
        snprintf(figure, sizeof figure, "%.*s", (int)strcspn(r->figure, "@"), r->figure);
        const struct mp_db_point *printed = paper_find(paper_data(paper)->point, figure, r->series, r->x);
        if (printed)
            add_number(p, printed, r->value, r->revision);
    }
    if (text)
        evidence_free(&e);
    add_claims(p);
    return result;
}

/* The pages of db/evidence, which have the causes of the differences. */
static void write_causes(struct report_data *d)
{
    const char *comma = "";
    fputs("\"causes\":{", d->f);
    for (const struct report_file *f = report_files; f->name; f++) {
        char paper[32];
        snprintf(paper, sizeof paper, "%.*s", (int)strcspn(f->name, "."), f->name);
        if (!strstr(f->name, ".md") || !known(paper))
            continue;
        fputs(comma, d->f);
        mp_db_json_text(paper, d->f);
        fputc(':', d->f);
        mp_db_json_text(f->text, d->f);
        comma = ",\n";
    }
    fputs("},\n", d->f);
}

/* By its column: a hash, as 12e456789012, may look like a number. */
static bool is_count(const char *column)
{
    return !strcmp(column, "done") || !strcmp(column, "goal") || !strcmp(column, "seconds");
}

/* The rows of `mempath evidence`: checks that take hours. */
static int write_nightly(struct report_data *d, struct mp_error *err)
{
    struct columns *c = columns_new();
    const char *file = report_file("nightly.csv");
    char *text = cli_have(strdup(file ? file : ""));
    struct csv csv = {.name = "db/evidence/nightly.csv", .text = text};
    const char *name[CSV_FIELDS] = {NULL};
    int row = csv_row(&csv, err);
    for (unsigned i = 0; row > 0 && i < csv.nfields; i++)
        name[i] = csv.field[i];
    while (row > 0 && (row = csv_row(&csv, err)) > 0) {
        unsigned at = columns_row(c);
        for (unsigned i = 0; i < csv.nfields && i < CSV_FIELDS && name[i]; i++) {
            if (is_count(name[i]))
                columns_real(c, at, name[i], strtod(csv.field[i], NULL));
            else
                columns_text(c, at, name[i], csv.field[i]);
        }
    }
    columns_write(c, "nightly", report_room(d), d->f);
    fputs(",\n", d->f);
    columns_free(c);
    free(text);
    return row < 0 ? -1 : 0;
}

int report_papers(struct report_data *d, struct mp_error *err)
{
    struct papers p = {.numbers = columns_new(), .claims = columns_new(), .source = "this database"};
    int result = mp_db_rows(d->db, report_file("measured.sql"), 0, NULL, 0, NULL, add_measured, &p, err);
    add_claims(&p);
    p.source = "committed";
    for (const struct cli_file *f = paper_files; f->name && !result; f++)
        if (known(f->name))
            result = add_committed(&p, f->name, err);
    columns_write(p.numbers, "numbers", report_room(d), d->f);
    fputs(",\n", d->f);
    columns_write(p.claims, "claims", report_room(d), d->f);
    fputs(",\n", d->f);
    write_causes(d);
    if (!result)
        result = write_nightly(d, err);
    columns_free(p.numbers);
    columns_free(p.claims);
    free(p.points.point);
    return result;
}
