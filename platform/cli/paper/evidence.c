/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/evidence.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/table_file.h"

/* In the note of a point that follows from other points of its figure (paper.h: not drawn). */
#define DERIVED "derived"
#define HEAD    "figure,series,x,value,revision,note"

static struct evidence_row *add(struct evidence *e)
{
    if (e->n == e->room) {
        e->room = e->room ? 2 * e->room : 256;
        e->row = cli_have(realloc(e->row, e->room * sizeof *e->row));
    }
    return &e->row[e->n++];
}

/* The whole file, malloc'ed; NULL with errno set. */
static char *read_file(const char *path)
{
    char *text = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    errno = 0;
    if (getdelim(&text, &room, 0, f) < 0 && !errno) {
        free(text);
        text = cli_have(strdup(""));
    }
    fclose(f);
    return text;
}

int evidence_parse(struct evidence *e, const char *path, char *text, struct mp_error *err)
{
    struct csv csv;
    *e = (struct evidence){.text = text};
    snprintf(e->path, sizeof e->path, "%s", path);
    int row = csv_open(&csv, e->path, e->text, HEAD, err);
    while (!row && (row = csv_row(&csv, err)) > 0) {
        char **f = csv.field;
        if (csv.nfields != 6)
            return mp_fail(err, "%s:%u: %u fields; 6 are needed", csv.name, csv.line, csv.nfields);
        struct evidence_row *r = add(e);
        *r = (struct evidence_row){
            .series = f[1], .x = f[2], .revision = f[4], .note = f[5], .drawn = !strstr(f[5], DERIVED)};
        snprintf(r->figure, sizeof r->figure, "%s", f[0]);
        row = csv_number(&csv, 3, &r->value, err);
    }
    return row;
}

int evidence_load(struct evidence *e, const char *folder, const char *paper, struct mp_error *err)
{
    char path[sizeof e->path];
    *e = (struct evidence){0};
    snprintf(path, sizeof path, "%s/%s.csv", folder, paper);
    char *text = read_file(path);
    if (text)
        return evidence_parse(e, path, text, err);
    snprintf(e->path, sizeof e->path, "%s", path);
    return errno == ENOENT ? 0 : mp_fail(err, "%s: %s; a readable file is needed", path, strerror(errno));
}

bool evidence_has(const struct evidence *e, const char *figure)
{
    for (unsigned i = 0; i < e->n; i++)
        if (!strcmp(e->row[i].figure, figure))
            return true;
    return false;
}

void evidence_free(struct evidence *e)
{
    free(e->text);
    free(e->row);
    *e = (struct evidence){0};
}

void evidence_replace(struct evidence *e, const char *figure, const struct paper_points *points,
                      const char *revision)
{
    struct evidence_row *old = e->row;
    unsigned n = e->n;
    bool placed = false;
    e->row = NULL;
    e->n = e->room = 0;
    for (unsigned i = 0; i <= n; i++) {
        bool here = i < n && !strcmp(old[i].figure, figure);
        for (unsigned k = 0; !placed && (here || i == n) && k < points->n; k++) {
            const struct paper_measured *m = &points->point[k];
            if (!isfinite(m->value))
                continue;
            struct evidence_row *r = add(e);
            *r = (struct evidence_row){.series = m->series,
                                       .x = m->x,
                                       .value = m->value,
                                       .revision = revision,
                                       .note = m->drawn ? "" : DERIVED,
                                       .drawn = m->drawn};
            snprintf(r->figure, sizeof r->figure, "%s", figure);
        }
        placed |= here;
        if (i < n && !here)
            *add(e) = old[i];
    }
    free(old);
}

static void rows(const void *self, FILE *f)
{
    const struct evidence *e = self;
    fputs("# SPDX-License-Identifier: Apache-2.0\n"
          "# What was measured, and at which revision. Written by: "
          "mempath reproduce PAPER[/FIGURE] --update\n" HEAD "\n",
          f);
    for (unsigned i = 0; i < e->n; i++) {
        const struct evidence_row *r = &e->row[i];
        char value[32];
        snprintf(value, sizeof value, "%.10g", r->value);
        csv_write(f, r->figure, ',');
        csv_write(f, r->series, ',');
        csv_write(f, r->x, ',');
        csv_write(f, value, ',');
        csv_write(f, r->revision, ',');
        csv_write(f, r->note, '\n');
    }
}

int evidence_save(const struct evidence *e, struct mp_error *err)
{
    return table_write(e->path, rows, e, err);
}

/* Collects the measured points that have a row, and those rows as points. */
static void pair_up(const struct evidence *e, const char *figure, const struct paper_points *points,
                    struct paper_points *now, struct paper_points *then)
{
    for (unsigned i = 0; i < e->n; i++) {
        const struct evidence_row *r = &e->row[i];
        if (strcmp(r->figure, figure) != 0)
            continue;
        const struct paper_measured *m = paper_measured(points, r->series, r->x);
        paper_add(then, r->series, r->value, "%s", r->x)->drawn = r->drawn;
        paper_add(now, r->series, m ? m->value : (double)NAN, "%s", r->x)->drawn = m && m->drawn;
    }
}

static const char *drawn_name(bool drawn)
{
    return drawn ? "a point of the figure" : DERIVED;
}

unsigned evidence_check(const struct evidence *e, const char *figure, const char *name,
                        const struct paper_claim *claims, const struct paper_points *points)
{
    struct paper_points now = {0}, then = {0};
    unsigned differences = 0;
    pair_up(e, figure, points, &now, &then);
    for (unsigned i = 0; i < then.n; i++) {
        double was = then.point[i].value, is = now.point[i].value;
        const struct paper_measured *m = paper_measured(points, then.point[i].series, then.point[i].x);
        if (m && m->drawn != then.point[i].drawn) {
            differences++;
            cli_fail(CLI_FAILED, "%s: %s: %s, %s: %s there, %s measured", e->path, figure,
                     then.point[i].series, then.point[i].x, drawn_name(then.point[i].drawn),
                     drawn_name(m->drawn));
        }
        if (fabs(is - was) <= fmax(EVIDENCE_TOLERANCE * fabs(was), EVIDENCE_ROUNDED))
            continue;
        differences++;
        cli_fail(CLI_FAILED, "%s: %s: %s, %s: %.6g there, %.6g measured", e->path, figure,
                 then.point[i].series, then.point[i].x, was, is);
    }
    for (const struct paper_claim *c = claims; c->figure; c++) {
        int was = strcmp(c->figure, name) ? -1 : paper_holds(c, &then);
        if (was < 0 || was == paper_holds(c, &now))
            continue;
        differences++;
        cli_fail(CLI_FAILED, "%s: %s: \"%s\": %s there; %s now", e->path, figure, c->text, paper_verdict(was),
                 paper_verdict(paper_holds(c, &now)));
    }
    free(now.point);
    free(then.point);
    return differences;
}
