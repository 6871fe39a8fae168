/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plot/chart_rows.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_run(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct chart_rows *c = self;
    (void)n;
    c->run = cli_have(realloc(c->run, (c->nruns + 1) * sizeof *c->run));
    c->apps = cli_have(realloc(c->apps, (c->nruns + 1) * sizeof *c->apps));
    c->apps[c->nruns] = chart_copy(cell[1].text);
    c->run[c->nruns++] = cell[0].integer;
}

#define APPS                                                                                                 \
    "(SELECT group_concat(app, ' ') FROM (SELECT ifnull(app, '?') AS app FROM tenant t "                     \
    "WHERE t.run = r.id ORDER BY tenant))"

static void add_number(void *self, unsigned n, const struct mp_db_cell *cell)
{
    (void)n;
    *(int64_t *)self = cell[0].type == SQLITE_NULL ? 0 : cell[0].integer;
}

/* The number of the study that is asked for, or the latest; 0: there is none. */
static int choose_study(const char *study, struct mp_db *db, int64_t *number, struct mp_error *err)
{
    static const char sql[] =
        "SELECT max(id) FROM study WHERE :study IS NULL OR id = CAST(:study AS INTEGER) OR name = :study";
    const struct mp_db_parameter parameter = {"study", study};
    *number = 0;
    if (mp_db_rows(db, sql, study ? 1 : 0, &parameter, 0, NULL, add_number, number, err))
        return -1;
    return *number || !study
               ? 0
               : mp_fail(err, "--study: no study '%s'; mempath query studies lists them", study);
}

/* The runs of a study in the order of its points, or the latest of each configuration. */
static int choose_runs(struct chart_rows *c, struct mp_db *db, struct mp_error *err)
{
    static const char of_study[] = "SELECT r.id, " APPS " FROM points p JOIN run r ON r.id = p.run "
                                   "WHERE p.study = :first AND r.status = 'done' ORDER BY p.number",
                      latest[] = "SELECT r.id, " APPS " FROM latest_run l JOIN run r ON r.id = l.run",
                      all[] = "SELECT max(id) AS id, " APPS " FROM run r WHERE status = 'done' AND role = "
                              "'requested' AND id BETWEEN :first AND :last GROUP BY config_hash ORDER BY 1";
    const struct chart_request *q = c->request;
    bool by_number = q->last || q->latest;
    int64_t study = 0;
    char first[24], last[24];
    if (!by_number && choose_study(q->study, db, &study, err))
        return -1;
    snprintf(first, sizeof first, "%" PRId64, study ? study : (int64_t)q->first);
    snprintf(last, sizeof last, "%" PRId64, q->last ? (int64_t)q->last : INT64_MAX);
    const struct mp_db_parameter window[] = {{"first", first}, {"last", last}};
    const char *sql = study ? of_study : q->latest ? latest : all;
    if (mp_db_rows(db, sql, study ? 1 : q->latest ? 0 : 2, window, 0, NULL, add_run, c, err))
        return -1;
    return c->nruns ? 0
                    : mp_fail(err, "plot: no finished run in %s; mempath query %s",
                              study       ? "this study"
                              : by_number ? "these numbers"
                                          : "this database",
                              study ? "studies" : "runs");
}

unsigned chart_path(const struct chart_rows *c, const char *path)
{
    unsigned p = 0;
    while (p < c->npaths && strcmp(c->path[p], path) != 0)
        p++;
    return p;
}

static void add_setting(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct chart_rows *c = self;
    unsigned p = chart_path(c, cell[1].text), run = 0;
    (void)n;
    if (p == CHART_PATHS)
        return;
    if (p == c->npaths) {
        c->path[c->npaths++] = chart_copy(cell[1].text);
        c->setting = cli_have(realloc(c->setting, (size_t)c->npaths * c->nruns * sizeof *c->setting));
        memset(&c->setting[(size_t)p * c->nruns], 0, c->nruns * sizeof *c->setting);
        c->unit[p] = chart_copy(cell[3].text);
    }
    while (c->run[run] != cell[0].integer)
        run++;
    c->setting[(size_t)p * c->nruns + run] = chart_copy(cell[2].text);
}

static void add_named(FILE *f, const char *path)
{
    fputc(',', f);
    mp_db_json_text(path, f);
}

/* Reads the parameters that differ between the runs, and those that the request names. */
static int read_settings(struct chart_rows *c, struct mp_db *db, struct mp_error *err)
{
    static const char sql[] =
        "WITH chosen AS (SELECT value AS run FROM json_each(:runs)), "
        "differing AS (SELECT path FROM chosen CROSS JOIN parameter p ON p.run = chosen.run GROUP BY path "
        "HAVING count(DISTINCT value) > 1 OR count(*) < (SELECT count(*) FROM chosen) "
        "UNION SELECT value FROM json_each(:named)) "
        "SELECT p.run, p.path, CAST(p.value AS TEXT), p.unit FROM chosen "
        "CROSS JOIN parameter p ON p.run = chosen.run WHERE p.path IN (SELECT path FROM differing)";
    char *runs = NULL, *named = NULL;
    size_t size;
    const struct chart_request *q = c->request;
    FILE *f = cli_have(open_memstream(&runs, &size));
    for (unsigned i = 0; i < c->nruns; i++)
        fprintf(f, "%c%" PRId64, i ? ',' : '[', c->run[i]);
    fputc(']', f);
    fclose(f);
    f = cli_have(open_memstream(&named, &size));
    fputs("[\"seed\"", f);
    for (unsigned k = 0; k < q->nagainst; k++)
        add_named(f, q->against[k]);
    for (unsigned k = 0; k < q->nby; k++)
        add_named(f, q->by[k]);
    for (unsigned k = 0; k < q->nwhere; k++)
        add_named(f, q->where[k].path);
    add_named(f, q->relative.path);
    fputc(']', f);
    fclose(f);
    const struct mp_db_parameter lists[] = {{"runs", runs}, {"named", named}};
    int result = mp_db_rows(db, sql, 2, lists, 0, NULL, add_setting, c, err);
    free(runs);
    free(named);
    if (!result && c->npaths == CHART_PATHS)
        result = mp_fail(
            err, "plot: these runs differ in more than %u parameters; --runs or --study chooses others",
            CHART_PATHS - 1);
    return result;
}

/* ---- the rows ---- */

/* Each SELECT has run, tenant, app, part, place, value, unit, roof. The first with rows is taken. */
static const struct source {
    const char *against, *metric; /* NULL: any; "": none */
    enum chart_kind kind;
    const char *sql;
} sources[] = {
    {NULL, "energy", CHART_STACK,
     "SELECT run, tenant, app, structure, NULL, sum(count * nanojoules) / 1000, 'microjoules', NULL "
     "FROM energy WHERE run = :run GROUP BY run, tenant, structure"},
    {"cycle", NULL, CHART_TIME,
     "SELECT e.run, e.tenant, t.app, NULL, e.cycle, "
     "iif(m.kind = 'gauge', e.value, "
     "e.value - lag(e.value, 1, 0) OVER (PARTITION BY e.tenant ORDER BY e.cycle)), "
     "e.unit || iif(m.kind = 'gauge', '', ' an epoch'), NULL "
     "FROM (SELECT run, tenant, cycle, kind, metric, unit, sum(value) AS value FROM epochs "
     "WHERE run = :run AND kind || '.' || metric = :metric GROUP BY run, tenant, cycle) e "
     "JOIN metric m ON m.component_kind = e.kind AND m.name = e.metric AND m.unit = e.unit "
     "LEFT JOIN tenant t ON t.run = e.run AND t.tenant = e.tenant ORDER BY e.cycle"},
    {"launch", NULL, CHART_LINES,
     "SELECT run, tenant, app, kernel, launch, CASE :metric "
     "WHEN 'cycles' THEN cycles "
     "WHEN 'instructions' THEN instructions "
     "WHEN 'accesses' THEN accesses "
     "WHEN 'translations' THEN translations "
     "WHEN 'l1_tlb_misses' THEN l1_tlb_misses "
     "WHEN 'l2_tlb_misses' THEN l2_tlb_misses "
     "WHEN 'l3_tlb_misses' THEN l3_tlb_misses "
     "WHEN 'walks' THEN walks "
     "WHEN 'l1_cache_misses' THEN l1_cache_misses "
     "WHEN 'l2_cache_misses' THEN l2_cache_misses "
     "WHEN 'dram_lines' THEN dram_lines "
     "END AS value, 'of a launch', NULL FROM kernels WHERE run = :run AND value IS NOT NULL"},
    {"", NULL, CHART_CDF,
     "SELECT d.run, d.tenant, t.app, NULL, d.high, 1.0 * (d.below + d.count) / d.total, d.unit, NULL "
     "FROM distributions d LEFT JOIN tenant t ON t.run = d.run AND t.tenant = d.tenant "
     "WHERE d.run = :run AND :metric IN (d.metric, d.component_kind || '.' || d.metric) "
     "ORDER BY d.high"},
    {NULL, NULL, CHART_LINES,
     "SELECT r.run, r.tenant, r.app, NULL, NULL, r.value, r.unit, "
     "CASE :metric WHEN 'dram.bandwidth' THEN (SELECT value FROM results x "
     "WHERE x.run = :run AND x.tenant IS r.tenant AND x.metric = 'dram.roof') END "
     "FROM results r WHERE r.run = :run AND r.metric = :metric AND r.value IS NOT NULL"},
    {NULL, NULL, CHART_LINES,
     "SELECT v.run, v.tenant, t.app, NULL, NULL, v.value, v.unit, NULL FROM counters v "
     "LEFT JOIN tenant t ON t.run = v.run AND t.tenant = v.tenant "
     "WHERE v.run = :run AND v.component_kind || '.' || v.metric = :metric"},
};

/* An application that a trace brought has no name. */
static char *name_of(const struct mp_db_cell *tenant, const char *app)
{
    char text[32];
    if (app || tenant->type == SQLITE_NULL)
        return chart_copy(app);
    snprintf(text, sizeof text, "tenant %" PRId64, tenant->integer);
    return chart_copy(text);
}

static void add_row(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct chart_rows *c = self;
    unsigned run = 0;
    (void)n;
    if (c->nrows == c->room) {
        c->room = c->room ? 2 * c->room : 256;
        c->row = cli_have(realloc(c->row, c->room * sizeof *c->row));
    }
    while (c->run[run] != cell[0].integer)
        run++;
    if (!c->metric_unit)
        c->metric_unit = chart_copy(cell[6].text);
    c->row[c->nrows++] = (struct chart_row){.run = run,
                                            .tenant = cell[1].type == SQLITE_NULL ? -1 : (int)cell[1].integer,
                                            .app = name_of(&cell[1], cell[2].text),
                                            .part = chart_copy(cell[3].text),
                                            .place = chart_copy(cell[4].text),
                                            .value = cell[5].real,
                                            .roof = cell[7].type == SQLITE_NULL ? (double)NAN : cell[7].real};
}

struct names {
    unsigned n;
    const char *name[512];
};

static void add_name(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct names *names = self;
    (void)n;
    if (names->n + 1 < sizeof names->name / sizeof *names->name)
        names->name[names->n++] = chart_copy(cell[0].text);
}

static int no_metric(const struct chart_rows *c, struct mp_db *db, struct mp_error *err)
{
    static const char sql[] =
        "SELECT DISTINCT metric FROM results WHERE run = :run UNION SELECT 'energy' UNION "
        "SELECT DISTINCT component_kind || '.' || metric FROM counters WHERE run = :run";
    const char *metric = c->request->metric, *against = c->request->nagainst ? c->request->against[0] : NULL;
    struct names names = {0};
    if (against && !strcmp(against, "cycle"))
        return mp_fail(
            err,
            "plot: no run has epochs of '%s'; mempath run --epochs CYCLES takes them, and mempath query "
            "epochs shows their names, as in l3_tlb.held",
            metric);
    if (against && !strcmp(against, "launch"))
        return mp_fail(err, "plot: no launch has '%s'; a column of mempath query kernels, from cycles on",
                       metric);
    if (mp_db_rows(db, sql, 0, NULL, 1, &c->run[c->nruns - 1], add_name, &names, err))
        return -1;
    cli_unknown(err, metric, names.name,
                "mempath plot lists pictures, mempath query results metrics, and KIND.COUNTER is any of "
                "mempath query counters",
                "plot: no picture or metric '%s' in these runs", metric);
    for (unsigned i = 0; i < names.n; i++)
        free((char *)(uintptr_t)names.name[i]);
    return -1;
}

static int read_rows(struct chart_rows *c, struct mp_db *db, struct mp_error *err)
{
    const struct mp_db_parameter metric = {"metric", c->request->metric};
    const char *against = c->request->nagainst ? c->request->against[0] : "";
    for (unsigned i = 0; i < sizeof sources / sizeof *sources && !c->nrows; i++) {
        const struct source *s = &sources[i];
        bool own = strcmp(against, "cycle") == 0 || strcmp(against, "launch") == 0;
        if ((s->against ? strcmp(s->against, against) != 0 : own) ||
            (s->metric && strcmp(s->metric, c->request->metric) != 0))
            continue;
        if (mp_db_rows(db, s->sql, strstr(s->sql, ":metric") ? 1 : 0, &metric, c->nruns, c->run, add_row, c,
                       err))
            return -1;
        c->kind = s->kind;
    }
    return c->nrows ? 0 : no_metric(c, db, err);
}

static void add_quantile(void *self, unsigned n, const struct mp_db_cell *cell)
{
    struct chart_rows *c = self;
    (void)n;
    if (cell[0].integer <= CHART_STUDENT)
        c->student[cell[0].integer] = cell[1].real;
}

int chart_rows_read(struct chart_rows *c, struct mp_db *db, struct mp_error *err)
{
    return mp_db_rows(db, "SELECT n, t FROM student", 0, NULL, 0, NULL, add_quantile, c, err) ||
                   choose_runs(c, db, err) || read_settings(c, db, err) || read_rows(c, db, err)
               ? -1
               : 0;
}

void chart_row_free(struct chart_row *row)
{
    free(row->app);
    free(row->part);
    free(row->place);
}

void chart_rows_free(struct chart_rows *c)
{
    for (unsigned i = 0; i < c->nrows; i++)
        chart_row_free(&c->row[i]);
    for (size_t i = 0; i < (size_t)c->npaths * c->nruns; i++)
        free(c->setting[i]);
    for (unsigned p = 0; p < c->npaths; p++) {
        free(c->path[p]);
        free(c->unit[p]);
    }
    for (unsigned i = 0; i < c->nruns; i++)
        free(c->apps[i]);
    free(c->row);
    free(c->setting);
    free(c->apps);
    free(c->run);
    free(c->metric_unit);
}
