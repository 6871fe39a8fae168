/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/paper.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/revision.h"

const char *const paper_size_names[] = {"small", "medium", "paper", "star", NULL};

const char *paper_figure_name(const struct paper_context *c, const char *figure)
{
    static char name[64];
    if (c->size != PAPER_PAPER)
        snprintf(name, sizeof name, "%s@%s", figure, paper_size_names[c->size]);
    else
        snprintf(name, sizeof name, "%s", figure);
    return name;
}

const char *paper_input_size(const struct paper_context *c, const char *size)
{
    if (c->size == PAPER_STAR)
        return "star";
    unsigned rank = 0, less = PAPER_PAPER - c->size;
    while (paper_size_names[rank + 1] && strcmp(paper_size_names[rank], size) != 0)
        rank++;
    return paper_size_names[rank > less ? rank - less : 0];
}

void paper_add_run(struct paper_measured *m, int64_t run)
{
    for (unsigned i = 0; i < m->nruns; i++)
        if (m->runs[i] == run)
            return;
    assert(m->nruns < PAPER_RUNS);
    m->runs[m->nruns++] = run;
}

struct paper_measured *paper_add(struct paper_points *points, const char *series, double value, const char *x,
                                 ...)
{
    if (points->n == points->room) {
        points->room = points->room ? 2 * points->room : 64;
        points->point = cli_have(realloc(points->point, points->room * sizeof *points->point));
    }
    struct paper_measured *m = &points->point[points->n++];
    *m = (struct paper_measured){.value = value, .drawn = true};
    snprintf(m->series, sizeof m->series, "%s", series);
    va_list args;
    va_start(args, x);
    vsnprintf(m->x, sizeof m->x, x, args);
    va_end(args);
    return m;
}

const struct paper_measured *paper_measured(const struct paper_points *points, const char *series,
                                            const char *x)
{
    for (unsigned i = 0; i < points->n; i++)
        if (!strcmp(points->point[i].series, series) && !strcmp(points->point[i].x, x))
            return &points->point[i];
    return NULL;
}

static bool named(const char *pattern, const char *name)
{
    return !strcmp(pattern, "*") || !strcmp(pattern, name);
}

int paper_holds(const struct paper_claim *claim, const struct paper_points *points)
{
    double than = claim->than;
    int holds = -1;
    if (claim->than_x) {
        const struct paper_measured *other = paper_measured(points, claim->than_series, claim->than_x);
        than = other ? other->value : (double)NAN;
    }
    for (unsigned i = 0; i < points->n; i++) {
        const struct paper_measured *m = &points->point[i];
        if (!m->drawn && strcmp(claim->x, m->x) != 0)
            continue;
        if (!named(claim->series, m->series) || !named(claim->x, m->x) || !isfinite(m->value) ||
            !isfinite(than))
            continue;
        bool here = claim->relation == CLAIM_LESS ? m->value < than : m->value > than;
        holds = holds == 0 ? 0 : here;
    }
    return holds;
}

const char *paper_verdict(int holds)
{
    return holds < 0 ? "not measured" : holds ? "holds" : "does not hold";
}

static int store_paper(struct mp_db *db, const char *name, const struct mp_db_point *points,
                       const char *figure, struct mp_error *err)
{
    for (const struct mp_db_point *p = points; p->paper; p++) {
        struct mp_db_point point = *p;
        point.figure = name;
        if (!strcmp(p->figure, figure) && mp_db_paper_point(db, &point, err))
            return -1;
    }
    return 0;
}

int paper_store(const struct paper_context *c, const struct mp_db_point *points, const char *figure,
                const char *unit, const struct paper_points *measured)
{
    const char *name = paper_figure_name(c, figure);
    struct mp_db *db;
    struct mp_error err;
    if (mp_db_open(&db, c->cli->db, MP_DB_WRITE, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int failed = store_paper(db, name, points, figure, &err);
    for (unsigned i = 0; !failed && i < measured->n; i++) {
        const struct paper_measured *m = &measured->point[i];
        const struct mp_db_point point = {.paper = points->paper,
                                          .figure = name,
                                          .series = m->series,
                                          .x = m->x,
                                          .value = m->value,
                                          .unit = unit,
                                          .note = m->drawn ? "drawn only" : "measured only"};
        if (!isfinite(m->value))
            continue;
        struct mp_db_point drawn = point;
        drawn.value = 0;
        if (!paper_find(points, figure, m->series, m->x))
            failed = mp_db_paper_point(db, &drawn, &err);
        if (!failed)
            failed = mp_db_measured_point(db, &point, MEMPATH_REVISION, m->nruns, m->runs, &err);
    }
    mp_db_close(db);
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}
