/* SPDX-License-Identifier: Apache-2.0 */
/* Migrations, and files that mempath refuses to open. */
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/migrate.h"
#include "synthetic.h"

#define FILE_NAME "test_open.db"

static struct mp_error err;

static void refused(const char *path, enum mp_db_mode mode, const char *with)
{
    struct mp_db *db = (struct mp_db *)1;
    err.text[0] = '\0';
    assert_int_equal(mp_db_open(&db, path, mode, &err), -1);
    assert_null(db);
    if (!strstr(err.text, with) || strchr(err.text, '\n') || !strchr(err.text, ';') ||
        strncmp(err.text, path, strlen(path)) != 0)
        fail_msg("unexpected: %s", err.text);
}

static void raw(const char *path, const char *sql)
{
    sqlite3 *s;
    assert_int_equal(sqlite3_open(path, &s), SQLITE_OK);
    /* Without waiting for the disk: these files need not outlive a power failure. */
    assert_int_equal(sqlite3_exec(s, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(s, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(s);
}

static int64_t raw_number(const char *path, const char *sql)
{
    sqlite3 *s;
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_open(path, &s), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(s, sql, -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    int64_t v = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    sqlite3_close(s);
    return v;
}

static void test_new_file_has_the_newest_schema(void **state)
{
    (void)state;
    struct mp_db *db;
    db_remove(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    mp_db_close(db);
    assert_int_equal(raw_number(FILE_NAME, "PRAGMA user_version"), mp_db_nmigrations);
    assert_int_equal(raw_number(FILE_NAME, "SELECT count(*) FROM sqlite_schema WHERE name = 'figures'"), 1);
}

static void make_version(unsigned version)
{
    char sql[96];
    db_remove(FILE_NAME);
    for (unsigned v = 0; v < version; v++)
        raw(FILE_NAME, mp_db_migrations[v].sql);
    snprintf(sql, sizeof sql, "PRAGMA user_version = %u; PRAGMA application_id = %d", version,
             MP_DB_APPLICATION_ID);
    raw(FILE_NAME, sql);
}

/* The number of views that only one of the two files has, or that have another text there. */
static int64_t views_that_differ(const char *one, const char *other)
{
    char sql[512];
    snprintf(sql, sizeof sql,
             "ATTACH '%s' AS other; DROP TABLE IF EXISTS views_that_differ;"
             "CREATE TEMP VIEW a AS SELECT name, sql FROM main.sqlite_schema WHERE type = 'view';"
             "CREATE TEMP VIEW b AS SELECT name, sql FROM other.sqlite_schema WHERE type = 'view';"
             "CREATE TABLE views_that_differ AS SELECT * FROM (SELECT * FROM a EXCEPT SELECT * FROM b)"
             " UNION ALL SELECT * FROM (SELECT * FROM b EXCEPT SELECT * FROM a)",
             other);
    raw(one, sql);
    return raw_number(one, "SELECT count(*) FROM views_that_differ");
}

static void open_and_close(const char *path)
{
    struct mp_db *db;
    CHECK(mp_db_open(&db, path, MP_DB_WRITE, &err));
    mp_db_close(db);
}

static void test_each_older_version_is_brought_up_to_date(void **state)
{
    (void)state;
    db_remove("new.db");
    open_and_close("new.db");
    assert_true(raw_number("new.db", "SELECT count(*) > 25 FROM sqlite_schema WHERE type = 'view'"));
    for (unsigned version = 1; version <= mp_db_nmigrations; version++) {
        struct mp_db *db;
        make_version(version);
        raw(FILE_NAME, "INSERT INTO metric VALUES (1, 'k', 'kept', 'u', 'counter', 'd')");
        CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
        assert_int_equal(db_number(db, "SELECT count(*) FROM metric WHERE name = 'kept'"), 1);
        assert_int_equal(db_number(db, "SELECT count(*) FROM runs"), 0);
        mp_db_close(db);
        assert_int_equal(raw_number(FILE_NAME, "PRAGMA user_version"), mp_db_nmigrations);
        assert_int_equal(views_that_differ(FILE_NAME, "new.db"), 0);
    }
    db_remove("new.db");
}

/* The schema's version does not change with a view, so the views are compared themselves. */
static void test_views_of_another_mempath_are_replaced(void **state)
{
    (void)state;
    static const char *const others[] = {
        "DROP VIEW views_version", /* as before there was one */
        "DROP VIEW views_version; CREATE VIEW views_version AS SELECT 'another' AS hash",
    };
    db_remove("new.db");
    open_and_close("new.db");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        db_remove(FILE_NAME);
        open_and_close(FILE_NAME);
        raw(FILE_NAME, others[i]);
        raw(FILE_NAME, "DROP VIEW ipc; CREATE VIEW ipc AS SELECT 1 AS run; DROP VIEW runs");
        assert_true(views_that_differ(FILE_NAME, "new.db") >= 2);
        open_and_close(FILE_NAME);
        assert_int_equal(views_that_differ(FILE_NAME, "new.db"), 0);
    }
    db_remove("new.db");
}

static void test_a_users_view_stays(void **state)
{
    (void)state;
    for (unsigned version = 2; version <= mp_db_nmigrations; version += mp_db_nmigrations - 2) {
        make_version(version);
        raw(FILE_NAME, "CREATE VIEW mine AS SELECT id, experiment FROM run");
        open_and_close(FILE_NAME);
        assert_int_equal(raw_number(FILE_NAME, "SELECT count(*) FROM mine"), 0);
    }
}

/* A migration replaces the table of co-simulations; its rows and their coverage stay. */
static void test_coverage_outlives_a_new_table(void **state)
{
    struct mp_db *db;
    char sql[128];
    (void)state;
    db_remove(FILE_NAME);
    for (unsigned v = 0; v < 10; v++)
        raw(FILE_NAME, mp_db_migrations[v].sql);
    snprintf(sql, sizeof sql, "PRAGMA user_version = 10; PRAGMA application_id = %d", MP_DB_APPLICATION_ID);
    raw(FILE_NAME, sql);
    raw(FILE_NAME,
        "INSERT INTO cosim (id, block, mode, options, seed, status, transactions, clocks, seconds, points, "
        "points_taken, replay, tools, revision, host, started) VALUES (4, 'star', 'star', '', 1, 'equal', 9, "
        "9, 1, 1, "
        "1, 'r', 't', 'v', 'h', 's')");
    raw(FILE_NAME, "INSERT INTO cosim_point VALUES (4, 0, 'a point', 3)");
    raw(FILE_NAME, "INSERT INTO cosim_line VALUES (4, 'a.sv', 5, 70, 'x = y;', NULL)");
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
    assert_int_equal(db_number(db, "SELECT transactions FROM cosim WHERE id = 4"), 9);
    assert_int_equal(db_number(db, "SELECT taken FROM cosim_point WHERE cosim = 4"), 3);
    assert_int_equal(db_number(db, "SELECT taken FROM cosim_line WHERE cosim = 4"), 70);
    mp_db_close(db);
}

static void test_newer_schema_is_refused_and_left_alone(void **state)
{
    (void)state;
    db_synthetic(FILE_NAME);
    raw(FILE_NAME, "PRAGMA user_version = 9999");
    refused(FILE_NAME, MP_DB_WRITE, "schema version 9999 is from a newer mempath");
    refused(FILE_NAME, MP_DB_READ, "schema version 9999 is from a newer mempath");
    assert_int_equal(raw_number(FILE_NAME, "PRAGMA user_version"), 9999);
    assert_int_equal(raw_number(FILE_NAME, "SELECT count(*) FROM run"), 3);
}

static void test_other_files_are_refused(void **state)
{
    (void)state;
    db_remove(FILE_NAME);
    refused(FILE_NAME, MP_DB_READ, "no such database");
    assert_int_not_equal(access(FILE_NAME, F_OK), 0);
    refused("no_such_folder/x.db", MP_DB_WRITE, "cannot be created (No such file or directory)");
    refused(".", MP_DB_WRITE, "not a regular file");
    refused("/dev/full", MP_DB_WRITE, "not a regular file");

    FILE *f = fopen(FILE_NAME, "w");
    for (int i = 0; i < 1000; i++)
        fprintf(f, "this is a log file, line %d\n", i);
    fclose(f);
    refused(FILE_NAME, MP_DB_WRITE, "not an SQLite database");

    db_remove(FILE_NAME);
    raw(FILE_NAME, "CREATE TABLE bookmark (url TEXT)");
    refused(FILE_NAME, MP_DB_WRITE, "another program");
    assert_int_equal(raw_number(FILE_NAME, "SELECT count(*) FROM sqlite_schema"), 1);
}

/* With any byte of the header, or a sample of the others, inverted, a file is refused in one line or opened.
 * Nothing crashes. */
static void test_damaged_files(void **state)
{
    (void)state;
    struct stat st;
    db_synthetic(FILE_NAME);
    raw(FILE_NAME, "PRAGMA journal_mode = DELETE");
    assert_int_equal(stat(FILE_NAME, &st), 0);
    unsigned char *good = malloc((size_t)st.st_size);
    int fd = open(FILE_NAME, O_RDONLY);
    assert_int_equal(read(fd, good, (size_t)st.st_size), st.st_size);
    close(fd);
    unsigned opened = 0, not_opened = 0;
    for (off_t at = 0; at < st.st_size; at += at < 100 ? 1 : 15991) {
        struct mp_db *db;
        good[at] ^= 0xff;
        db_remove("damaged.db");
        fd = open("damaged.db", O_WRONLY | O_CREAT | O_TRUNC, 0644);
        assert_int_equal(write(fd, good, (size_t)st.st_size), st.st_size);
        close(fd);
        good[at] ^= 0xff;
        if (mp_db_open(&db, "damaged.db", MP_DB_WRITE, &err)) {
            assert_non_null(strchr(err.text, ';'));
            not_opened++;
            continue;
        }
        FILE *null = fopen("/dev/null", "w");
        for (unsigned q = 0; q < mp_db_nqueries; q++)
            mp_db_query(db, mp_db_queries[q].name, 0, NULL, MP_DB_CSV, null, &err);
        fclose(null);
        mp_db_close(db);
        opened++;
    }
    free(good);
    db_remove("damaged.db");
    assert_true(opened > 0 && not_opened > 0);
}

/* Runs in a child as user nobody, since root may write anywhere. Exit code 77: the set-up failed. */
static int in_child(int (*child)(void))
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(child());
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int read_only_child(void)
{
    struct mp_db *db;
    if (getuid() == 0 && (setgid(65534) || setuid(65534)))
        return 77;
    if (access("ro/x.db", R_OK) || access("ro", W_OK) == 0)
        return 77;
    if (mp_db_open(&db, "ro/x.db", MP_DB_WRITE, &err) == 0 ||
        !strstr(err.text, "ro/x.db: it cannot be written;"))
        return 1;
    if (mp_db_open(&db, "ro/new.db", MP_DB_WRITE, &err) == 0 ||
        !strstr(err.text, "cannot be created (Permission denied)"))
        return 2;
    if (mp_db_open(&db, "ro/x.db", MP_DB_READ, &err))
        return 3;
    if (db_number(db, "SELECT count(*) FROM ipc") != 4)
        return 4;
    mp_db_close(db);
    if (mp_db_open(&db, "ro/old.db", MP_DB_READ, &err) == 0 || !strstr(err.text, "is not this mempath's"))
        return 5;
    return 0;
}

static void test_read_only_directory(void **state)
{
    (void)state;
    char sql[128];
    chmod("ro", 0755);
    mkdir("ro", 0755);
    db_synthetic("ro/x.db");
    db_remove("ro/old.db");
    raw("ro/old.db", mp_db_migrations[0].sql);
    snprintf(sql, sizeof sql, "PRAGMA user_version = 1; PRAGMA application_id = %d", MP_DB_APPLICATION_ID);
    raw("ro/old.db", sql);
    chmod("ro/x.db", 0444);
    chmod("ro/old.db", 0444);
    chmod("ro", 0555);
    int result = in_child(read_only_child);
    chmod("ro", 0755);
    if (result == 77)
        skip();
    assert_int_equal(result, 0);
}

static int opener(void)
{
    struct mp_db *db;
    if (mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    mp_db_close(db);
    return 0;
}

static void test_processes_that_create_the_file_at_once(void **state)
{
    (void)state;
    db_remove(FILE_NAME);
    for (int i = 0; i < 6; i++) {
        if (fork() == 0)
            _exit(opener());
    }
    int status;
    for (int i = 0; i < 6; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(raw_number(FILE_NAME, "PRAGMA user_version"), mp_db_nmigrations);
}

static void test_without_wal_the_rollback_journal_serves(void **state)
{
    (void)state;
    /* A VFS without shared memory, as on file systems without write-ahead logs. */
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL), *dotfile = sqlite3_vfs_find("unix-dotfile");
    assert_non_null(dotfile);
    sqlite3_vfs_register(dotfile, 1);
    struct mp_db *db;
    db_synthetic(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
    assert_int_equal(db_number(db, "SELECT count(*) FROM ipc"), 4);
    mp_db_close(db);
    sqlite3_vfs_register(usual, 1);
    /* Byte 18 of the header is 1 with a rollback journal, 2 with a write-ahead log. */
    int fd = open(FILE_NAME, O_RDONLY);
    char byte;
    assert_int_equal(pread(fd, &byte, 1, 18), 1);
    close(fd);
    assert_int_equal(byte, 1);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    mp_db_close(db);
    fd = open(FILE_NAME, O_RDONLY);
    assert_int_equal(pread(fd, &byte, 1, 18), 1);
    close(fd);
    assert_int_equal(byte, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_file_has_the_newest_schema),
        cmocka_unit_test(test_views_of_another_mempath_are_replaced),
        cmocka_unit_test(test_a_users_view_stays),
        cmocka_unit_test(test_each_older_version_is_brought_up_to_date),
        cmocka_unit_test(test_coverage_outlives_a_new_table),
        cmocka_unit_test(test_newer_schema_is_refused_and_left_alone),
        cmocka_unit_test(test_other_files_are_refused),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_read_only_directory),
        cmocka_unit_test(test_processes_that_create_the_file_at_once),
        cmocka_unit_test(test_without_wal_the_rollback_journal_serves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
