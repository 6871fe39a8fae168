/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/walks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reads the rows of a SELECT with this number of whole numbers into *values; returns the number of rows, or
 * -1. */
static int64_t ask(struct mp_db *db, int64_t run, const char *sql, unsigned columns, int64_t **values,
                   struct mp_error *err)
{
    char *text = runs_ask(db, sql, run, MP_DB_CSV, err), *rest = NULL;
    size_t lines = 0, n = 0;
    *values = NULL;
    if (!text)
        return -1;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    *values = cli_alloc(lines * columns + 1, sizeof **values);
    strtok_r(text, "\r\n", &rest); /* the header */
    for (char *line; (line = strtok_r(NULL, "\r\n", &rest)); n++)
        for (unsigned c = 0; c < columns; c++) {
            (*values)[n * columns + c] = strtoll(line, &line, 10);
            line += *line == ',';
        }
    free(text);
    return (int64_t)n;
}

static int load_walks(struct mp_db *db, int64_t run, int64_t component, struct walks_system *s,
                      struct mp_error *err)
{
    char sql[256];
    int64_t *v;
    snprintf(sql, sizeof sql,
             "SELECT page, arrived, started, ifnull(ended, -1), walker, levels, tenant, asid, "
             "ifnull(owner, -1) FROM walk WHERE run = :run AND component = %" PRId64
             " ORDER BY walker, started",
             component);
    int64_t n = ask(db, run, sql, 9, &v, err);
    s->nwalks = n > 0 ? (size_t)n : 0;
    s->walk = cli_alloc(s->nwalks + 1, sizeof *s->walk);
    for (size_t i = 0; i < s->nwalks; i++) {
        const int64_t *r = v + 9 * i;
        s->walk[i] = (struct mp_db_walk){.page = (uint64_t)r[0],
                                         .arrived = (uint64_t)r[1],
                                         .started = (uint64_t)r[2],
                                         .ended = (uint64_t)r[3], /* -1: MP_DB_NOT_ENDED */
                                         .walker = (uint32_t)r[4],
                                         .levels = (uint32_t)r[5],
                                         .tenant = (unsigned)r[6],
                                         .asid = (unsigned)r[7],
                                         .owner = (int)r[8]};
    }
    free(v);
    return n < 0 ? -1 : 0;
}

static int load_changes(struct mp_db *db, int64_t run, const char *select, int64_t component, size_t *n,
                        struct mp_db_walk_change **change, struct mp_error *err)
{
    char sql[256];
    int64_t *v;
    snprintf(sql, sizeof sql, "%s WHERE run = :run AND component = %" PRId64 " ORDER BY cycle, 2", select,
             component);
    int64_t found = ask(db, run, sql, 3, &v, err);
    *n = found > 0 ? (size_t)found : 0;
    *change = cli_alloc(*n + 1, sizeof **change);
    for (size_t i = 0; i < *n; i++)
        (*change)[i] =
            (struct mp_db_walk_change){(uint64_t)v[3 * i], (uint32_t)v[3 * i + 1], (uint32_t)v[3 * i + 2]};
    free(v);
    return found < 0 ? -1 : 0;
}

static int load_path(struct mp_db *db, int64_t run, int64_t component, struct walks_system *s,
                     struct mp_error *err)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT path FROM component WHERE run = :run AND id = %" PRId64, component);
    char *text = runs_ask(db, sql, run, MP_DB_CSV, err);
    if (text)
        sscanf(text, "path %63s", s->path);
    free(text);
    return text ? 0 : -1;
}

static int load_system(struct mp_db *db, int64_t run, const int64_t *row, struct walks_system *s,
                       struct mp_error *err)
{
    s->first = (uint64_t)row[1];
    s->last = (uint64_t)row[2];
    s->walkers = (unsigned)row[3];
    return load_path(db, run, row[0], s, err) || load_walks(db, run, row[0], s, err) ||
                   load_changes(db, run, "SELECT cycle, tenant, walks FROM walk_waiting", row[0],
                                &s->nwaiting, &s->waiting, err) ||
                   load_changes(db, run, "SELECT cycle, walker, tenant FROM walker_owner", row[0],
                                &s->nowners, &s->owner, err)
               ? -1
               : 0;
}

/* Checks the numbers that are used as indices. */
static bool sane(const struct walks_system *s, unsigned tenants)
{
    bool good = true;
    for (size_t i = 0; i < s->nwalks; i++)
        good = good && s->walk[i].tenant < tenants && s->walk[i].owner < (int)tenants &&
               s->walk[i].walker < s->walkers;
    for (size_t i = 0; i < s->nwaiting; i++)
        good = good && s->waiting[i].of < tenants;
    for (size_t i = 0; i < s->nowners; i++)
        good = good && s->owner[i].of < s->walkers && s->owner[i].is < tenants;
    return good;
}

int walks_load(struct mp_db *db, int64_t run, struct walks *w, struct mp_error *err)
{
    int64_t *v;
    *w = (struct walks){0};
    if (runs_config(db, run, &w->run, &w->config, err))
        return -1;
    for (unsigned t = 0; t < w->config.ntenants; t++) {
        char app[56];
        snprintf(w->name[t], sizeof w->name[t], "%u: %s", t,
                 runs_tenant_name(&w->config.tenant[t], app, sizeof app));
    }
    int64_t n =
        ask(db, w->run,
            "SELECT component, first, last, walkers FROM walk_window w JOIN component c ON c.run = w.run "
            "AND c.id = component WHERE w.run = :run ORDER BY path",
            4, &v, err);
    w->system = cli_alloc(n > 0 ? (size_t)n : 1, sizeof *w->system);
    int failed = n < 0 ? -1 : 0;
    for (; !failed && w->n < n; w->n++) {
        struct walks_system *s = &w->system[w->n];
        failed = load_system(db, w->run, v + 4 * (size_t)w->n, s, err);
        if (!failed && !sane(s, w->config.ntenants))
            failed = mp_fail(err,
                             "run %" PRId64 ": its walks have no valid tenant or walker; only "
                             "mempath may write the database",
                             w->run);
    }
    free(v);
    if (!n)
        return mp_fail(
            err, "plot: run %" PRId64 " has no window of its walks; mempath run %s --trace-window FIRST:LAST",
            w->run, w->config.name);
    return failed;
}

void walks_free(struct walks *w)
{
    for (unsigned i = 0; i < w->n; i++) {
        free(w->system[i].walk);
        free(w->system[i].waiting);
        free(w->system[i].owner);
    }
    free(w->system);
    mp_config_free(&w->config);
    *w = (struct walks){0};
}

struct walks_part walks_part(const struct walks_system *s, const struct mp_db_walk *walk)
{
    bool begin = walk->started<s->first, end = walk->ended> s->last;
    return (struct walks_part){.from = begin ? s->first : walk->started,
                               .to = end ? s->last : walk->ended,
                               .stolen = walk->owner >= 0 && walk->owner != (int)walk->tenant,
                               .cut_begin = begin,
                               .cut_end = end};
}
