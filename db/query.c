/* SPDX-License-Identifier: Apache-2.0 */
/* Runs queries: one SELECT at a time, and none that writes. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "db/format.h"
#include "db/sql.h"

static const char *const harmless_pragmas[] = {"table_info",       "table_xinfo", "table_list",  "index_list",
                                               "foreign_key_list", "index_info",  "user_version"};

/* Refuses statements that pass sqlite3_stmt_readonly and yet have an effect. It must let the others pass:
 * SQLite creates a table when it sets up a table-valued function such as json_each. */
static int authorize(void *context, int action, const char *a, const char *b, const char *database,
                     const char *by)
{
    (void)context, (void)database, (void)by;
    switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
        return SQLITE_DENY;
    case SQLITE_FUNCTION:
        return b && !strcmp(b, "load_extension") ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        for (size_t i = 0; a && i < sizeof harmless_pragmas / sizeof *harmless_pragmas; i++) {
            if (!strcmp(a, harmless_pragmas[i]) && (!b || strcmp(a, "user_version") != 0))
                return SQLITE_OK;
        }
        return SQLITE_DENY;
    default:
        return SQLITE_OK;
    }
}

static bool is_name(const char *text)
{
    for (; *text; text++) {
        if (!islower((unsigned char)*text) && !isdigit((unsigned char)*text) && *text != '_')
            return false;
    }
    return true;
}

static const struct mp_db_query *named_query(const char *name, struct mp_error *err)
{
    char all[400] = "";
    for (unsigned i = 0; i < mp_db_nqueries; i++) {
        if (!strcmp(mp_db_queries[i].name, name))
            return &mp_db_queries[i];
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", mp_db_queries[i].name);
    }
    mp_fail(err, "query %.40s: unknown; a SELECT statement, or %s", name, all);
    return NULL;
}

static void bind(sqlite3_stmt *s, int at, const char *text)
{
    char *end;
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    if (*text && !*end && !errno) {
        sqlite3_bind_int64(s, at, integer);
        return;
    }
    double real = strtod(text, &end);
    if (*text && !*end && !isalpha((unsigned char)*text))
        sqlite3_bind_double(s, at, real);
    else
        sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

static int fail_parameter(sqlite3_stmt *s, const char *what, const char *name, struct mp_error *err)
{
    char all[256] = "";
    for (int p = 1; p <= sqlite3_bind_parameter_count(s); p++) {
        const char *known = sqlite3_bind_parameter_name(s, p);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, " %s", known ? known : "?");
    }
    return mp_fail(err, "query %.60s: no parameter %s; %s%s", what, name,
                   all[0] ? "its parameters are" : "it has none", all);
}

/* Parameters of named queries whose values are those of a column. */
static const struct row_parameter {
    const char *name, *table, *column;
    bool numbers; /* ids; otherwise texts, which are few */
} row_parameters[] = {
    {"run", "run", "id", true},
    {"cosim", "cosim", "id", true},
    {"rtl", "rtl", "id", true},
    {"mutation", "mutation", "id", true},
    {"block", "register", "block", false},
    {"paper", "paper_point", "paper", false},
    {"figure", "paper_point", "figure", false},
    {"kind", "(SELECT name AS kind FROM component_kind UNION SELECT kind FROM component_kind)", "kind",
     false},
    {"level", "component_kind", "level", false},
    {"path", "parameter", "path", false},
    {"metric", "metric", "name", false},
};

static const struct row_parameter *find_row_parameter(const char *name)
{
    for (size_t i = 0; i < sizeof row_parameters / sizeof *row_parameters; i++) {
        if (!strcmp(row_parameters[i].name, name))
            return &row_parameters[i];
    }
    return NULL;
}

/* Lists the values of a parameter: "1 to 10", "l1_tlb, l2_tlb", or that there are none. */
static int list_rows(struct mp_db *db, const struct row_parameter *p, char *text, size_t size,
                     struct mp_error *err)
{
    sqlite3_stmt *s;
    char *sql = p->numbers
                    ? sqlite3_mprintf("SELECT min(id) || ' to ' || max(id) FROM %s", p->table)
                    : sqlite3_mprintf(
                          "SELECT group_concat(x, ', ') FROM (SELECT DISTINCT %s AS x FROM %s ORDER BY x)",
                          p->column, p->table);
    if (!sql)
        return mp_db_out_of_memory(err);
    int result = mp_db_prepare(db, &s, sql, err);
    sqlite3_free(sql);
    if (result)
        return -1;
    const char *rows = sqlite3_step(s) == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
    if (rows)
        snprintf(text, size, "%.*s%s", (int)size - 8, rows, strlen(rows) > size - 8 ? " ..." : "");
    else
        snprintf(text, size, "the database has none yet");
    sqlite3_finalize(s);
    return 0;
}

/* Whether run=all is allowed: the query handles a missing run itself. */
static bool takes_all_runs(const struct mp_db_query *query)
{
    return strstr(query->sql, "ifnull(:run,") != NULL;
}

/* Whether the query takes a list of runs, "3,7". */
static bool takes_run_list(const struct mp_db_query *query)
{
    return strstr(query->sql, "'[' || :run || ']'") != NULL;
}

static int check_run_list(struct mp_db *db, const struct mp_db_query *query, const char *list,
                          struct mp_error *err)
{
    unsigned runs = 0;
    for (const char *p = list; *p; runs++) {
        char sql[80], rows[360];
        size_t digits = strspn(p, "0123456789");
        int64_t found = 0;
        if (!digits || digits > 18 || (p[digits] && (p[digits] != ',' || !p[digits + 1])))
            return mp_fail(err, "query %s: run %.60s is not a list; join runs by commas, as in run=3,7",
                           query->name, list);
        snprintf(sql, sizeof sql, "SELECT 1 FROM run WHERE id = %.*s", (int)digits, p);
        if (mp_db_number(db, sql, 0, &found, err) ||
            (!found && list_rows(db, find_row_parameter("run"), rows, sizeof rows, err)))
            return -1;
        if (!found)
            return mp_fail(err, "query %s: no run %.*s; %s", query->name, (int)digits, p, rows);
        p += digits + (p[digits] == ',');
    }
    return runs > 1 ? 0
                    : mp_fail(err, "query %s: only one run; name two or more, as in run=3,7", query->name);
}

/* A row that does not exist would give an empty answer, which would look like a run in which nothing
 * happened. */
static int check_row(struct mp_db *db, const struct mp_db_query *query,
                     const struct mp_db_parameter *parameter, struct mp_error *err)
{
    const struct row_parameter *p = find_row_parameter(parameter->name);
    char rows[360];
    sqlite3_stmt *s = NULL;
    bool run = !strcmp(parameter->name, "run");
    if (!p || (run && takes_all_runs(query) && !strcmp(parameter->value, "all")))
        return 0;
    if (run && (takes_run_list(query) || strchr(parameter->value, ',')))
        return check_run_list(db, query, parameter->value, err);
    bool pattern = !strcmp(p->name, "path");
    char *sql = pattern ? sqlite3_mprintf("SELECT 1 FROM %s WHERE %s GLOB ?1 OR instr(%s, ?1)", p->table,
                                          p->column, p->column)
                        : sqlite3_mprintf("SELECT 1 FROM %s WHERE %s = ?1", p->table, p->column);
    if (!sql)
        return mp_db_out_of_memory(err);
    int result = mp_db_prepare(db, &s, sql, err);
    sqlite3_free(sql);
    if (result)
        return -1;
    bind(s, 1, parameter->value);
    bool found = sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    if (found || list_rows(db, p, rows, sizeof rows, err))
        return found ? 0 : -1;
    return mp_fail(err, "query %s: no %s %.60s; %s%s", query->name, p->name, parameter->value, rows,
                   run && takes_all_runs(query) ? ", or all" : "");
}

/* Refuses a query without a parameter that it needs: one that it compares by `= :x` without `:x IS NULL`. */
static int check_given(struct mp_db *db, const struct mp_db_query *query, unsigned n,
                       const struct mp_db_parameter *parameter, struct mp_error *err)
{
    for (size_t i = 0; i < sizeof row_parameters / sizeof *row_parameters; i++) {
        const struct row_parameter *p = &row_parameters[i];
        char name[32], is_null[48], rows[360];
        bool given = !strcmp(p->name, "run");
        for (unsigned k = 0; k < n; k++)
            given = given || !strcmp(parameter[k].name, p->name);
        snprintf(name, sizeof name, "= :%s", p->name);
        snprintf(is_null, sizeof is_null, ":%s IS NULL", p->name);
        if (given || !strstr(query->sql, name) || strstr(query->sql, is_null))
            continue;
        if (list_rows(db, p, rows, sizeof rows, err))
            return -1;
        return mp_fail(err, "query %s: no %s; %s=VALUE, of %s", query->name, p->name, p->name, rows);
    }
    return 0;
}

/* A missing :run is the latest finished run; in a list, the latest two. Bound here and not by ifnull(:run,
 * (SELECT
 * ...)) in the query, because SQLite hands only plain values down into the views, where they reach an index.
 */
static int bind_latest(struct mp_db *db, sqlite3_stmt *s, int at, const char *what,
                       const struct mp_db_query *named, struct mp_error *err)
{
    static const char latest_one[] = "SELECT run FROM latest_run",
                      latest_two[] = "SELECT max(id) FROM run WHERE status = 'done' AND role = 'requested'"
                                     " AND id < (SELECT run FROM latest_run)";
    bool list = named && takes_run_list(named);
    int64_t latest, before = 0;
    char runs[48];
    if (mp_db_number(db, latest_one, 0, &latest, err) ||
        (list && mp_db_number(db, latest_two, 0, &before, err)))
        return -1;
    if (named && !latest)
        return mp_fail(
            err, "query %s: no finished run; start one with mempath run, or name run=N (mempath query runs)",
            what);
    if (list && !before)
        return mp_fail(
            err, "query %s: only one finished run; name two or more, as in run=3,7 (mempath query runs)",
            what);
    snprintf(runs, sizeof runs, "%lld,%lld", (long long)before, (long long)latest);
    if (list)
        sqlite3_bind_text(s, at, runs, -1, SQLITE_TRANSIENT);
    else
        sqlite3_bind_int64(s, at, latest);
    return 0;
}

/* Whether the parameter is a list of runs, and the query takes one: then it is run for each of them. */
static bool runs_one_by_one(const struct mp_db_query *query, const struct mp_db_parameter *parameter)
{
    return query && !takes_run_list(query) && !strcmp(parameter->name, "run") &&
           strchr(parameter->value, ',');
}

static int bind_parameters(struct mp_db *db, sqlite3_stmt *s, const char *what,
                           const struct mp_db_query *named, unsigned n,
                           const struct mp_db_parameter *parameter, struct mp_error *err)
{
    int run = sqlite3_bind_parameter_index(s, ":run");
    bool given = false;
    for (unsigned i = 0; i < n; i++)
        given = given || !strcmp(parameter[i].name, "run");
    if (run && !given && bind_latest(db, s, run, what, named, err))
        return -1;
    for (unsigned i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, ":%s", parameter[i].name);
        int at = sqlite3_bind_parameter_index(s, name);
        bool all = named && at == run && takes_all_runs(named) && !strcmp(parameter[i].value, "all");
        if (all)
            sqlite3_bind_null(s, at);
        else if (at == run && runs_one_by_one(named, parameter + i))
            sqlite3_bind_int64(s, at, strtoll(parameter[i].value, NULL, 10));
        else if (at)
            bind(s, at, parameter[i].value);
        else
            return fail_parameter(s, what, name, err);
    }
    return 0;
}

/* Whether only blanks, semicolons and comments follow the statement. */
static bool nothing_follows(struct mp_db *db, const char *tail)
{
    while (*tail) {
        sqlite3_stmt *s;
        const char *next;
        if (sqlite3_prepare_v2(db->sqlite, tail, -1, &s, &next) != SQLITE_OK || s) {
            sqlite3_finalize(s);
            return false;
        }
        if (next == tail)
            break;
        tail = next;
    }
    return true;
}

static int prepare_query(struct mp_db *db, sqlite3_stmt **s, const char *what, const char *sql,
                         struct mp_error *err)
{
    const char *tail;
    int code = sqlite3_prepare_v2(db->sqlite, sql, -1, s, &tail);
    if (code == SQLITE_AUTH)
        return mp_fail(err, "query %.60s: %s; queries only read: one SELECT statement", what,
                       sqlite3_errmsg(db->sqlite));
    if (code != SQLITE_OK)
        return mp_fail(err, "query %.60s: %s; one SELECT statement over the tables and views of the database",
                       what, sqlite3_errmsg(db->sqlite));
    if (!*s || !nothing_follows(db, tail))
        return mp_fail(err, "query %.60s: %s; one SELECT statement", what,
                       *s ? "more than one statement" : "no statement");
    if (!sqlite3_stmt_readonly(*s))
        return mp_fail(
            err, "query %.60s: it would change the database; queries only read: one SELECT statement", what);
    return 0;
}

static bool says_run(sqlite3_stmt *s)
{
    for (int i = 0; i < sqlite3_column_count(s); i++)
        if (!strcmp(sqlite3_column_name(s, i), "run"))
            return true;
    return false;
}

/* Prepares a named query again, with a column of the run to which a row belongs. */
static int add_run_column(struct mp_db *db, sqlite3_stmt **s, const struct mp_db_query *named,
                          struct mp_error *err)
{
    char *sql = sqlite3_mprintf("SELECT :run AS run, * FROM (%.*s)",
                                (int)(strrchr(named->sql, ';') - named->sql), named->sql);
    sqlite3_finalize(*s);
    *s = NULL;
    int result = sql ? prepare_query(db, s, named->name, sql, err) : mp_db_out_of_memory(err);
    sqlite3_free(sql);
    return result;
}

/* Prepares a query with its parameters; *s is for the caller to finalize either way. */
static int start_query(struct mp_db *db, sqlite3_stmt **s, const char *name_or_sql, unsigned nparameters,
                       const struct mp_db_parameter *parameter, const char **runs, struct mp_error *err)
{
    const char *sql = name_or_sql;
    const struct mp_db_query *named = NULL;
    *s = NULL;
    if (is_name(name_or_sql)) {
        named = named_query(name_or_sql, err);
        if (!named)
            return -1;
        sql = named->sql;
    }
    int result = prepare_query(db, s, name_or_sql, sql, err);
    *runs = NULL;
    for (unsigned i = 0; i < nparameters && !result; i++)
        if (runs_one_by_one(named, &parameter[i]) && sqlite3_bind_parameter_index(*s, ":run"))
            *runs = strchr(parameter[i].value, ',');
    if (*runs && !says_run(*s))
        result = add_run_column(db, s, named, err);
    if (!result)
        result = bind_parameters(db, *s, name_or_sql, named, nparameters, parameter, err);
    for (unsigned i = 0; named && i < nparameters && !result; i++)
        result = check_row(db, named, &parameter[i], err);
    if (named && !result)
        result = check_given(db, named, nparameters, parameter, err);
    return result;
}

int mp_db_query(struct mp_db *db, const char *name_or_sql, unsigned nparameters,
                const struct mp_db_parameter *parameter, enum mp_db_format format, FILE *out,
                struct mp_error *err)
{
    sqlite3_stmt *s;
    const char *runs;
    sqlite3_set_authorizer(db->sqlite, authorize, NULL);
    int result = start_query(db, &s, name_or_sql, nparameters, parameter, &runs, err);
    if (!result)
        result = mp_db_write_rows(db, s, runs, format, out, err);
    sqlite3_finalize(s);
    sqlite3_set_authorizer(db->sqlite, NULL, NULL);
    return result;
}

static int each_row(struct mp_db *db, sqlite3_stmt *s, const char *runs, struct mp_db_cell *cell,
                    mp_db_row *row, void *self, struct mp_error *err)
{
    int columns = sqlite3_column_count(s), code;
    while ((code = mp_db_next_row(s, &runs)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            cell[i] =
                (struct mp_db_cell){.name = sqlite3_column_name(s, i), .type = sqlite3_column_type(s, i)};
            cell[i].integer = sqlite3_column_int64(s, i);
            cell[i].real = sqlite3_column_double(s, i);
            cell[i].text = (const char *)sqlite3_column_text(s, i); /* last, because it may convert */
        }
        row(self, (unsigned)columns, cell);
    }
    return code == SQLITE_DONE ? 0 : mp_db_fail_sqlite(db, err);
}

int mp_db_rows(struct mp_db *db, const char *name_or_sql, unsigned nparameters,
               const struct mp_db_parameter *parameter, unsigned nruns, const int64_t *run, mp_db_row *row,
               void *self, struct mp_error *err)
{
    sqlite3_stmt *s;
    const char *runs;
    sqlite3_set_authorizer(db->sqlite, authorize, NULL);
    int result = start_query(db, &s, name_or_sql, nparameters, parameter, &runs, err);
    struct mp_db_cell *cell = result ? NULL : calloc((size_t)sqlite3_column_count(s), sizeof *cell);
    if (!cell && !result)
        result = mp_db_out_of_memory(err);
    if (cell && !run)
        result = each_row(db, s, runs, cell, row, self, err);
    for (unsigned i = 0; cell && run && i < nruns && !result; i++) {
        sqlite3_reset(s);
        sqlite3_bind_int64(s, sqlite3_bind_parameter_index(s, ":run"), run[i]);
        result = each_row(db, s, NULL, cell, row, self, err);
    }
    free(cell);
    sqlite3_finalize(s);
    sqlite3_set_authorizer(db->sqlite, NULL, NULL);
    return result;
}
