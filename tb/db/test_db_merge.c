/* SPDX-License-Identifier: Apache-2.0 */
/* Merged databases have the same runs, each once, with all that belongs to them. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "synthetic.h"

#define A   "test_merge_a.db"
#define B   "test_merge_b.db"
#define OUT "test_merge_out.db"

static struct mp_error err;

static struct mp_db *open_to_read(const char *path)
{
    struct mp_db *db;
    CHECK(mp_db_open(&db, path, MP_DB_READ, &err));
    return db;
}

static void raw(const char *path, const char *sql)
{
    sqlite3 *s;
    assert_int_equal(sqlite3_open(path, &s), SQLITE_OK);
    assert_int_equal(sqlite3_exec(s, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(s, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(s));
    sqlite3_close(s);
}

/* Every row refers to rows that exist. */
static void expect_references(const char *path)
{
    sqlite3 *s;
    sqlite3_stmt *check;
    assert_int_equal(sqlite3_open(path, &s), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(s, "PRAGMA foreign_key_check", -1, &check, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(check), SQLITE_DONE);
    sqlite3_finalize(check);
    sqlite3_close(s);
}

/* A database with one run, whose dictionary of metrics has other numbers than that of db_synthetic. */
static void other(const char *path)
{
    static const struct mp_db_tenant tenant = {"MT", "small", 3, "m.gwt", {5, 6}, 7};
    struct mp_db *db;
    struct mp_db_run_info info = db_info(1, &tenant);
    const struct mp_db_tenant_result result = {1, 2, 3, 4, 5, 6, 7};
    const struct mp_db_totals totals = {.cycles = 9, .seconds = 1, .tenant = &result};
    const uint64_t bins[4] = {1, 0, 3, 4};
    db_remove(path);
    CHECK(mp_db_open(&db, path, MP_DB_WRITE, &err));
    CHECK(mp_db_run_begin(db, &info, &err));
    int sm = mp_db_component(db, "gpu.odd0", "odd", &err);
    int hist = mp_db_metric(db, "odd", "lengths", "cycles", "made up", MP_DB_HISTOGRAM_LINEAR, &err);
    int counter = mp_db_metric(db, "odd", "lookups", "requests", "made up", MP_DB_COUNTER, &err);
    CHECK(mp_db_histogram(db, sm, 0, hist, 4, bins, &err));
    CHECK(mp_db_value(db, sm, 0, counter, 77, &err));
    for (uint64_t i = 0; i < 10; i++)
        CHECK(mp_db_epoch(db, i, sm, 0, counter, i, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    mp_db_close(db);
}

static struct mp_db_merged merge(const char *out, unsigned n, const char *const *from)
{
    struct mp_db_merged m;
    CHECK(mp_db_merge(out, n, from, NULL, &m, &err));
    return m;
}

/* Every table of runs, through what all named queries and views make of it. Run numbers differ by `by`. */
static void expect_same(struct mp_db *from, struct mp_db *to, int64_t runs, int64_t by)
{
    static const char *const asked[] = {
        "SELECT uuid, experiment, status, config, cycles, digest, started, changes FROM run WHERE id = :run",
        "SELECT tenant, app, size, slices, cycles, instructions FROM tenant WHERE run = :run ORDER BY tenant",
        "SELECT tenant, trace, hash, bytes FROM run_input WHERE run = :run ORDER BY tenant",
        "SELECT path, value, unit FROM parameter WHERE run = :run ORDER BY path",
        "SELECT id, parent, path, kind FROM component WHERE run = :run ORDER BY id",
        "SELECT component, component_kind, name, tenant, value FROM value JOIN metric ON metric.id = metric"
        " WHERE run = :run ORDER BY component, component_kind, name, tenant",
        "SELECT component, component_kind, name, tenant, total, bin, low, count FROM histogram h"
        " JOIN metric ON metric.id = metric JOIN histogram_bin b ON b.histogram = h.id"
        " WHERE run = :run ORDER BY component, component_kind, name, tenant, bin",
        "SELECT component, metric, tenant, cycle, value FROM epochs WHERE run = :run ORDER BY component, "
        "metric, "
        "tenant, cycle",
        "SELECT tenant, level, lookups, hits, hit_rate FROM tlb_hit_rate WHERE run = :run ORDER BY level, "
        "tenant",
        "SELECT tenant, app, walks, mean_cycles, p99 FROM walk_latency WHERE run = :run ORDER BY tenant",
        "SELECT walker, started, ended, page, owner FROM walk WHERE run = :run ORDER BY component, walker, "
        "started",
    };
    for (int64_t run = 1; run <= runs; run++) {
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
            char old[24], new[24];
            snprintf(old, sizeof old, "%lld", (long long)run);
            snprintf(new, sizeof new, "%lld", (long long)(run + by));
            const struct mp_db_parameter p = {"run", old}, q = {"run", new};
            char *a = db_text_with(from, asked[i], 1, &p, MP_DB_CSV),
                 *b = db_text_with(to, asked[i], 1, &q, MP_DB_CSV);
            assert_string_equal(a, b);
            free(a);
            free(b);
        }
    }
}

static void test_all_that_belongs_to_a_run(void **state)
{
    (void)state;
    const char *const both[] = {A, B};
    db_synthetic(A);
    other(B);
    db_remove(OUT);
    struct mp_db_merged m = merge(OUT, 1, &both[1]); /* a new file */
    assert_int_equal(m.runs, 1);
    m = merge(OUT, 2, both); /* an existing one, in which one of the files is already */
    assert_int_equal(m.files, 2);
    assert_int_equal(m.runs, 3);
    assert_int_equal(m.there, 1);
    struct mp_db *a = open_to_read(A), *b = open_to_read(B), *out = open_to_read(OUT);
    assert_true(db_number(a, "SELECT count(*) FROM epoch") > 0 &&
                db_number(a, "SELECT count(*) FROM walk") > 0);
    expect_same(b, out, 1, 0);
    expect_same(a, out, 3, 1);
    expect_references(OUT);
    char *indexes_a =
        db_text(a, "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name", MP_DB_CSV);
    char *indexes =
        db_text(out, "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name", MP_DB_CSV);
    assert_string_equal(indexes, indexes_a);
    free(indexes_a);
    free(indexes);
    mp_db_close(a);
    mp_db_close(b);
    mp_db_close(out);
}

static void test_a_repetition_adds_nothing(void **state)
{
    (void)state;
    const char *const both[] = {B, A};
    db_remove(OUT);
    assert_int_equal(merge(OUT, 2, both).runs, 4);
    struct mp_db *db = open_to_read(OUT);
    double rows = db_number(db, "SELECT (SELECT count(*) FROM value) + (SELECT count(*) FROM epoch)"
                                " + (SELECT count(*) FROM histogram_bin) + (SELECT count(*) FROM metric)");
    mp_db_close(db);
    struct mp_db_merged m = merge(OUT, 2, both);
    assert_int_equal(m.runs, 0);
    assert_int_equal(m.there, 4);
    db = open_to_read(OUT);
    assert_true(rows > 0);
    assert_true(db_number(db,
                          "SELECT (SELECT count(*) FROM value) + (SELECT count(*) FROM epoch)"
                          " + (SELECT count(*) FROM histogram_bin) + (SELECT count(*) FROM metric)") == rows);
    mp_db_close(db);
}

static void test_runs_that_have_not_ended_stay_out(void **state)
{
    (void)state;
    const char *const a[] = {A};
    db_synthetic(A);
    raw(A, "UPDATE run SET status = 'running', boot = 'elsewhere' WHERE id = 2");
    db_remove(OUT);
    struct mp_db_merged m = merge(OUT, 1, a);
    assert_int_equal(m.runs, 2);
    assert_int_equal(m.running, 1);
    raw(A, "UPDATE run SET status = 'done' WHERE id = 2");
    m = merge(OUT, 1, a);
    assert_int_equal(m.runs, 1);
    assert_int_equal(m.there, 2);
}

static void refused(const char *from, const char *with)
{
    struct mp_db_merged m;
    assert_int_equal(mp_db_merge(OUT, 1, &from, NULL, &m, &err), -1);
    if (!strstr(err.text, with) || strncmp(err.text, from, strlen(from)) != 0 || !strchr(err.text, ';'))
        fail_msg("unexpected: %s", err.text);
}

static void test_refusals_leave_the_file_as_it_was(void **state)
{
    (void)state;
    const char *const a[] = {A};
    db_synthetic(A);
    other(B);
    db_remove(OUT);
    raw(B, "PRAGMA user_version = 999");
    refused(B, "from a newer mempath");
    assert_int_equal(access(OUT, F_OK), -1);
    merge(OUT, 1, a);
    refused(B, "from a newer mempath");
    refused(OUT, "the database to merge into");
    refused("test_merge_none.db", "no such database");
    other(B);
    raw(B, "DROP TABLE value"); /* in the middle of copying */
    refused(B, "cannot be copied");
    struct mp_db *db = open_to_read(OUT);
    assert_int_equal(db_number(db, "SELECT count(*) FROM run"), 3);
    assert_int_equal(db_number(db, "SELECT count(*) FROM component WHERE kind = 'odd'"), 0);
    mp_db_close(db);
    volatile sig_atomic_t stop = 1;
    struct mp_db_merged m;
    other(B);
    const char *const b[] = {B};
    assert_int_equal(mp_db_merge(OUT, 1, b, &stop, &m, &err), -1);
    assert_non_null(strstr(err.text, "interrupted"));
    assert_int_equal(m.runs, 0);
}

/* 200 files of a megabyte. */
static void test_many_files_in_seconds(void **state)
{
    (void)state;
    enum { FILES = 200 };
    static char name[FILES][40], command[8192];
    const char *path[FILES];
    other(B);
    struct mp_db *db;
    CHECK(mp_db_open(&db, B, MP_DB_WRITE, &err));
    static const struct mp_db_tenant tenant = {"MT", "small", 3, "m.gwt", {5, 6}, 7};
    struct mp_db_run_info info = db_info(1, &tenant);
    const struct mp_db_totals totals = {.cycles = 9, .seconds = 1};
    CHECK(mp_db_run_begin(db, &info, &err));
    int sm = mp_db_component(db, "gpu.odd0", "odd", &err);
    int counter = mp_db_metric(db, "odd", "lookups", "requests", "made up", MP_DB_COUNTER, &err);
    for (uint64_t i = 0; i < 40000; i++)
        CHECK(mp_db_epoch(db, i * 100000, sm, 0, counter, i * 1000003, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    mp_db_close(db);
    for (unsigned i = 0; i < FILES; i++) {
        char sql[96];
        snprintf(name[i], sizeof name[i], "test_merge_%u.db", i);
        path[i] = name[i];
        snprintf(command, sizeof command, "cp %s %s", B, name[i]);
        assert_int_equal(system(command), 0); /* NOLINT: the names are constants */
        snprintf(sql, sizeof sql, "UPDATE run SET uuid = 'file %u run ' || id", i);
        raw(name[i], sql);
    }
    db_remove(OUT);
    clock_t began = clock(); /* of the processor: the machine may be busy */
    assert_int_equal(merge(OUT, FILES, path).runs, 2 * FILES);
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    db = open_to_read(OUT);
    double rows = db_number(db, "SELECT count(*) FROM epoch");
    mp_db_close(db);
    assert_true(rows == 40010.0 * FILES);
    printf("%.0f rows of %u files in %.1f s\n", rows, FILES, seconds);
    assert_true(seconds < 20); /* four times what it takes */
    for (unsigned i = 0; i < FILES; i++)
        db_remove(name[i]);
    db_remove(OUT);
}

/* With an argument, the test that takes long. */
int main(int argc, char **argv)
{
    (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_that_belongs_to_a_run),
        cmocka_unit_test(test_a_repetition_adds_nothing),
        cmocka_unit_test(test_runs_that_have_not_ended_stay_out),
        cmocka_unit_test(test_refusals_leave_the_file_as_it_was),
    };
    const struct CMUnitTest many[] = {cmocka_unit_test(test_many_files_in_seconds)};
    return argc > 1 ? cmocka_run_group_tests(many, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
