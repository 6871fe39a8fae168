/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/revision.h"

const struct mp_db_point *paper_find(const struct mp_db_point *points, const char *figure, const char *series,
                                     const char *x)
{
    for (; points->paper; points++)
        if (!strcmp(points->figure, figure) && !strcmp(points->series, series) && !strcmp(points->x, x))
            return points;
    return NULL;
}

const char *paper_figure_name(const struct paper_context *c, const char *figure)
{
    static char name[64];
    if (c->size == PAPER_PAPER)
        snprintf(name, sizeof name, "%s", figure);
    else
        snprintf(name, sizeof name, "%s@%s", figure, paper_size_names[c->size]);
    return name;
}

int paper_store(const struct paper_context *c, const struct mp_db_point *points, const char *figure,
                const struct paper_measured *measured, unsigned n)
{
    const char *name = paper_figure_name(c, figure);
    struct mp_db *db;
    struct mp_error err;
    if (mp_db_open(&db, c->cli->db, MP_DB_WRITE, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int failed = 0;
    for (const struct mp_db_point *p = points; !failed && p->paper; p++) {
        struct mp_db_point point = *p;
        point.figure = name;
        if (!strcmp(p->figure, figure))
            failed = mp_db_paper_point(db, &point, &err);
    }
    for (unsigned i = 0; !failed && i < n; i++) {
        const struct paper_measured *m = &measured[i];
        const struct mp_db_point point = {
            .paper = points->paper, .figure = name, .series = m->series, .x = m->x, .value = m->value};
        failed = mp_db_measured_point(db, &point, MEMPATH_REVISION, m->nruns, m->runs, &err);
    }
    mp_db_close(db);
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}
