/* SPDX-License-Identifier: Apache-2.0 */
/* Tables from the database: one for each SELECT of db/report, and one row per tenant of a run with its
 * metrics. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/columns.h"
#include "cli/report/report.h"

/* Sections whose rows are those of a SELECT. */
static const char *const plain[] = {
    "studies", "axes",        "points",  "launches", "series",  "latencies",  "firmware",
    "rtl",     "rtl_history", "cosim",   "mutation", "speed",   "cost",       "windows",
    "walks",   "owners",      "waiting", "student",  "managed", "fault_cost", "resident"};
#define PLAIN (sizeof plain / sizeof *plain)

const char *report_file(const char *name)
{
    const struct report_file *f = report_files;
    while (f->name && strcmp(f->name, name) != 0)
        f++;
    return f->text;
}

/* The names of columns that are left out need room, too. */
size_t report_room(const struct report_data *d)
{
    off_t used = ftello(d->f) + 10000;
    return (size_t)used < d->limit ? d->limit - (size_t)used : 0;
}

static int ask(const struct report_data *d, const char *section, unsigned nruns, const int64_t *run,
               mp_db_row *row, void *self, struct mp_error *err)
{
    char file[48], first[24], last[24];
    snprintf(file, sizeof file, "%s.sql", section);
    snprintf(first, sizeof first, "%" PRIu64, d->first);
    snprintf(last, sizeof last, "%" PRIu64, d->last);
    const char *sql = report_file(file);
    const struct mp_db_parameter window[] = {{"first", first}, {"last", last}};
    return mp_db_rows(d->db, sql, strstr(sql, ":first") ? 2 : 0, window, nruns, run, row, self, err);
}

/* Writes a table and the comma before the next one, and frees it. */
static void finish(struct report_data *d, struct columns *c, const char *name)
{
    columns_write(c, name, report_room(d), d->f);
    fputs(",\n", d->f);
    columns_free(c);
}

static int write_plain(struct report_data *d, const char *section, struct mp_error *err)
{
    struct columns *c = columns_new();
    int result = ask(d, section, 0, NULL, columns_add, c, err);
    finish(d, c, section);
    return result;
}

/* ---- tables with a column for each parameter or metric ---- */

/* Rows are known by their run and tenant; rows of a run are neighbours. */
struct wide {
    struct columns *columns;
    unsigned n, room, at; /* at: where the last row was found */
    struct {
        int64_t run, tenant; /* tenant: -1 for NULL */
    } * row;
};

static unsigned add_key(struct wide *w, int64_t run, int64_t tenant)
{
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 256;
        w->row = cli_have(realloc(w->row, w->room * sizeof *w->row));
    }
    w->row[w->n].run = run;
    w->row[w->n++].tenant = tenant;
    return columns_row(w->columns);
}

/* The index of a row; w->n if there is none. */
static unsigned find_key(struct wide *w, int64_t run, int64_t tenant)
{
    for (unsigned i = 0; i < w->n; i++) {
        unsigned at = (w->at + i) % w->n;
        if (w->row[at].run == run && w->row[at].tenant == tenant)
            return w->at = at;
    }
    return w->n;
}

static int64_t or_none(const struct mp_db_cell *cell)
{
    return cell->type == SQLITE_NULL ? -1 : cell->integer;
}

static void add_tenant(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct wide *w = self;
    unsigned row = add_key(w, cell[0].integer, or_none(&cell[1]));
    for (unsigned i = 0; i < n; i++)
        columns_set(w->columns, row, columns_find(w->columns, cell[i].name, NULL), &cell[i]);
}

/* A row of run, tenant, metric, unit, value. What is of the run has a row without a tenant. */
static void add_metric(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct wide *w = self;
    (void)n;
    unsigned row = find_key(w, cell[0].integer, or_none(&cell[1])), none = w->n;
    if (row == none && cell[1].type == SQLITE_NULL) {
        row = add_key(w, cell[0].integer, -1);
        columns_set(w->columns, row, columns_find(w->columns, "run", NULL), &cell[0]);
    }
    if (row != none || cell[1].type == SQLITE_NULL)
        columns_set(w->columns, row, columns_find(w->columns, cell[2].text, cell[3].text), &cell[4]);
}

static struct wide tenants(const struct report_data *d, int64_t **run, unsigned *nruns, int *result,
                           struct mp_error *err)
{
    struct wide w = {.columns = columns_new()};
    *result = ask(d, "tenants", 0, NULL, add_tenant, &w, err);
    *run = cli_alloc(w.n + 1, sizeof **run);
    *nruns = 0;
    for (unsigned i = 0; i < w.n; i++)
        if (!i || w.row[i].run != w.row[i - 1].run)
            (*run)[(*nruns)++] = w.row[i].run;
    return w;
}

/* A table of metrics or counters, by tenant. Names of tenants are in the first only. */
static int write_metrics(struct report_data *d, const char *section, bool named, struct mp_error *err)
{
    int64_t *run;
    unsigned nruns;
    int result;
    struct wide w = tenants(d, &run, &nruns, &result, err);
    unsigned keys = columns_find(w.columns, "slices", NULL) + 1;
    if (!result)
        result = ask(d, section, nruns, run, add_metric, &w, err);
    if (!named) /* a counter that is the same everywhere has nothing to compare */
        columns_drop_constant(w.columns, keys);
    finish(d, w.columns, section);
    free(w.row);
    free(run);
    return result;
}

/* ---- parameters ---- */

static void add_run(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct wide *w = self;
    (void)n;
    add_key(w, cell[0].integer, -1);
    columns_set(w->columns, w->n - 1, 0, &cell[0]);
}

static void add_parameter(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct wide *w = self;
    unsigned row = find_key(w, cell[0].integer, -1);
    (void)n;
    if (row < w->n)
        columns_set(w->columns, row, columns_find(w->columns, cell[1].text, cell[3].text), &cell[2]);
}

static int write_parameters(struct report_data *d, struct mp_error *err)
{
    struct wide w = {.columns = columns_new()};
    columns_find(w.columns, "run", NULL);
    int result = ask(d, "runs", 0, NULL, add_run, &w, err);
    d->runs = w.n;
    if (!result)
        result = ask(d, "parameters", 0, NULL, add_parameter, &w, err);
    finish(d, w.columns, "parameters");
    free(w.row);
    return result;
}

int report_sections(struct report_data *d, struct mp_error *err)
{
    int result = write_plain(d, "runs", err);
    if (!result)
        result = write_parameters(d, err);
    for (unsigned i = 0; i < PLAIN && !result; i++)
        result = write_plain(d, plain[i], err);
    return result ? result : write_metrics(d, "metrics", true, err);
}

int report_counters(struct report_data *d, struct mp_error *err)
{
    return write_metrics(d, "counters", false, err);
}
