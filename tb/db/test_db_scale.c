/* SPDX-License-Identifier: Apache-2.0 */
/* A question about one run takes the same steps however many runs the database has. Lists of runs do not read
 * their configurations. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synthetic.h"

#define OUT  "test_scale.db"
#define FROM "test_scale_from.db"
#define RUN  3 /* of db_synthetic, with two tenants */

static struct mp_error err;

static sqlite3 *raw_open(const char *path)
{
    sqlite3 *s;
    assert_int_equal(sqlite3_open(path, &s), SQLITE_OK);
    return s;
}

/* Adds the three runs of db_synthetic under new names. */
static void add_runs(unsigned copy)
{
    char sql[96];
    const char *const from[] = {FROM};
    struct mp_db_merged merged;
    sqlite3 *s = raw_open(FROM);
    snprintf(sql, sizeof sql, "UPDATE run SET uuid = 'copy %u of ' || id", copy);
    assert_int_equal(sqlite3_exec(s, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(s);
    CHECK(mp_db_merge(OUT, 1, from, NULL, &merged, &err));
    assert_int_equal(merged.runs, 3);
}

/* Executes a query about RUN. Returns the steps of SQLite's machine; *rows: the number of rows. */
static int steps_of(const struct mp_db_query *query, unsigned *rows)
{
    sqlite3 *s = raw_open(OUT);
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_prepare_v2(s, query->sql, -1, &q, NULL), SQLITE_OK);
    int at = sqlite3_bind_parameter_index(q, ":run"), result;
    assert_int_equal(sqlite3_bind_int(q, at, RUN), SQLITE_OK);
    for (*rows = 0; (result = sqlite3_step(q)) == SQLITE_ROW; ++*rows)
        ;
    assert_int_equal(result, SQLITE_DONE);
    int steps = sqlite3_stmt_status(q, SQLITE_STMTSTATUS_VM_STEP, 0);
    sqlite3_finalize(q);
    sqlite3_close(s);
    return steps;
}

/* Compares a tenant with all runs alone of an equal machine; here every copy has that machine. */
static bool grows(const struct mp_db_query *query)
{
    return !strcmp(query->name, "slowdown");
}

static void test_queries_of_one_run(void **state)
{
    (void)state;
    enum { FEW = 3, MANY = 30, QUERIES = 128 };
    int few[QUERIES];
    unsigned rows, rows_of_few[QUERIES], checked = 0;
    assert_true(mp_db_nqueries <= QUERIES);
    db_remove(OUT);
    db_synthetic(FROM);
    for (unsigned copy = 0; copy < MANY; copy++) {
        if (copy == FEW)
            for (unsigned i = 0; i < mp_db_nqueries; i++)
                if (strstr(mp_db_queries[i].parameters, ":run"))
                    few[i] = steps_of(&mp_db_queries[i], &rows_of_few[i]);
        add_runs(copy);
    }
    for (unsigned i = 0; i < mp_db_nqueries; i++) {
        const struct mp_db_query *query = &mp_db_queries[i];
        if (!strstr(query->parameters, ":run") || grows(query))
            continue;
        int many = steps_of(query, &rows);
        if (many > few[i] + few[i] / 10)
            fail_msg("%s: %d steps with %d runs, %d with %d", query->name, few[i], 3 * FEW, many, 3 * MANY);
        assert_int_equal(rows, rows_of_few[i]);
        checked++;
    }
    assert_true(checked > 20);
    db_remove(OUT);
    db_remove(FROM);
}

/* Every mempath that opens the file searches for killed runs (db/killed.c). */
static void test_opening(void **state)
{
    (void)state;
    struct mp_db *db;
    db_synthetic(FROM);
    CHECK(mp_db_open(&db, FROM, MP_DB_READ, &err));
    mp_db_close(db);
    sqlite3 *s = raw_open(FROM);
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_prepare_v2(s,
                                        "EXPLAIN QUERY PLAN SELECT id, boot, pid, pid_started FROM run"
                                        " WHERE status = 'running'",
                                        -1, &q, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_non_null(strstr((const char *)sqlite3_column_text(q, 3), "run_running"));
    sqlite3_finalize(q);
    sqlite3_close(s);
    db_remove(FROM);
}

/* Fails if a query reads rows of `run`, each of which holds a configuration as text. */
static void reads_no_rows_of_run(sqlite3 *s, const char *name, const char *sql)
{
    char explain[4096];
    sqlite3_stmt *q;
    snprintf(explain, sizeof explain, "EXPLAIN QUERY PLAN %s", sql);
    assert_true(strlen(explain) + 1 < sizeof explain);
    assert_int_equal(sqlite3_prepare_v2(s, explain, -1, &q, NULL), SQLITE_OK);
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *step = (const char *)sqlite3_column_text(q, 3);
        bool scan = !strcmp(step, "SCAN run") || !strcmp(step, "SCAN r");
        bool seek =
            !strncmp(step, "SEARCH r", 8) && !strstr(step, "COVERING") && !strstr(step, "SEARCH run_");
        if (scan || seek)
            fail_msg("%s: %s", name, step);
    }
    sqlite3_finalize(q);
}

/* Lists of all runs read indexes that have what they show (0022_listing.sql). */
static void test_lists(void **state)
{
    (void)state;
    static const char *const lists[] = {"runs", "speed", "workloads"};
    static const char ipc[] = "SELECT e.value, avg(i.ipc) FROM ipc i JOIN parameter e ON e.run = i.run AND "
                              "e.path = 'l3_tlb.entries'"
                              " GROUP BY e.value";
    unsigned checked = 0;
    db_synthetic(FROM);
    sqlite3 *s = raw_open(FROM);
    for (unsigned i = 0; i < mp_db_nqueries; i++)
        for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
            if (!strcmp(mp_db_queries[i].name, lists[k])) {
                reads_no_rows_of_run(s, lists[k], mp_db_queries[i].sql);
                checked++;
            }
    assert_int_equal(checked, sizeof lists / sizeof *lists);
    reads_no_rows_of_run(s, "IPC by a parameter", ipc);
    sqlite3_close(s);
    db_remove(FROM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queries_of_one_run),
                                       cmocka_unit_test(test_opening), cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
