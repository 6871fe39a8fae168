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
    if (c->size == PAPER_STAR) /* MT_s and ST_s are smaller elsewhere, too */
        return strcmp(size, "paper") ? "star-s" : "star";
    unsigned rank = 0, less = PAPER_PAPER - c->size;
    while (rank < PAPER_PAPER && strcmp(paper_size_names[rank], size) != 0)
        rank++;
    return less ? paper_size_names[rank > less ? rank - less : 0] : size;
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

static double compared_with(const struct paper_claim *claim, const struct paper_points *points,
                            const char *series)
{
    if (!claim->than_x)
        return claim->than;
    const struct paper_measured *other =
        paper_measured(points, strcmp(claim->than_series, "*") ? claim->than_series : series, claim->than_x);
    return other ? other->value : (double)NAN;
}

int paper_holds(const struct paper_claim *claim, const struct paper_points *points)
{
    bool less = claim->relation == CLAIM_LESS || claim->relation == CLAIM_MOSTLY_LESS;
    bool most = claim->relation == CLAIM_MOSTLY_LESS || claim->relation == CLAIM_MOSTLY_MORE;
    unsigned count[2] = {0, 0}; /* of points for which it does not hold, and does */
    for (unsigned i = 0; i < points->n; i++) {
        const struct paper_measured *m = &points->point[i];
        if (!m->drawn && strcmp(claim->x, m->x) != 0)
            continue;
        if (most && !strcmp(m->series, "all"))
            continue;
        double than = compared_with(claim, points, m->series);
        if (!named(claim->series, m->series) || !named(claim->x, m->x) || !isfinite(m->value) ||
            !isfinite(than))
            continue;
        count[less ? m->value < than : m->value > than]++;
    }
    if (!count[0] && !count[1])
        return -1;
    return most ? count[1] > count[0] : !count[0];
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
                                          .note = m->drawn ? "drawn only" : "measured only",
                                          .derived = !m->drawn};
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
