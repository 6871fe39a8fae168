/* SPDX-License-Identifier: Apache-2.0 */
/* Killed processes, several writers, full disks: earlier rows stay, and the failure is reported in one line.
 */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/handle.h"
#include "synthetic.h"

#define FILE_NAME "test_crash.db"

static struct mp_error err;

static void expect_text(struct mp_db *db, const char *sql, const char *expected)
{
    char *text = db_text(db, sql, MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, expected);
    free(text);
}

static const struct mp_db_tenant tenant = {"ATAX", "small", 4, "a.gwt", {1, 2}, 99};

/* Begins a run and records epochs; writes a byte to the pipe after `announce` of them. */
static int record_epochs(struct mp_db *db, uint64_t count, uint64_t announce, int pipe_end)
{
    struct mp_db_run_info info = db_info(1, &tenant);
    if (mp_db_run_begin(db, &info, &err) < 0)
        return -1;
    int c = mp_db_component(db, "gpu.l3_tlb", "l3_tlb", &err);
    int m = mp_db_metric(db, "l3_tlb", "hits", "lookups", "found", MP_DB_COUNTER, &err);
    for (uint64_t i = 0; i < count; i++) {
        if (mp_db_epoch(db, i, c, 0, m, i, &err))
            return -1;
        if (i + 1 == announce && write(pipe_end, "x", 1) != 1)
            return -1;
    }
    return 0;
}

static void test_a_killed_run_is_seen(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    struct mp_db *db;
    db_synthetic(FILE_NAME);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        /* The 65537th epoch writes the 65536 before it; the kill comes during the recording after that. */
        if (mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err) == 0)
            record_epochs(db, UINT64_MAX, 65537, ends[1]);
        _exit(1);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err)); /* while it runs */
    expect_text(db, "SELECT run, status, apps FROM runs WHERE run > 3", "4,running,ATAX/4g\n");
    mp_db_close(db);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
    char expected[96];
    snprintf(expected, sizeof expected, "4,killed,process %d ended without closing the run\n", (int)pid);
    expect_text(db, "SELECT run, status, error FROM runs WHERE run > 3", expected);
    expect_text(db, "SELECT run, status FROM runs WHERE run <= 3", "1,done\n2,done\n3,done\n");
    assert_true(db_number(db, "SELECT count(*) FROM epochs WHERE run = 4") >= 65536);
    expect_text(db, "SELECT count(*) = max(cycle) + 1 FROM epochs WHERE run = 4", "1\n");
    mp_db_close(db);
}

static void test_a_crashed_run_has_failed(void **state)
{
    (void)state;
    struct mp_db *db;
    db_synthetic(FILE_NAME);
    pid_t pid = fork();
    if (pid == 0) {
        if (mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err) == 0)
            record_epochs(db, 3, 0, -1);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    CHECK(mp_db_run_crashed(db, pid, "it divided by 0", &err));
    CHECK(mp_db_run_crashed(db, getpid(), "this process has run 1 to 3", &err));
    CHECK(mp_db_run_crashed(db, 1, "this one has none", &err));
    expect_text(db, "SELECT run, status, error FROM runs WHERE run > 3", "4,failed,it divided by 0\n");
    expect_text(db, "SELECT count(*) FROM run WHERE status = 'done' AND error IS NULL", "3\n");
    mp_db_close(db);
}

/* Starts a process that records run 4 into path until it is killed. If `over`, kills it, but leaves it a
 * zombie. */
static pid_t recording(const char *path, bool over)
{
    int ends[2];
    char byte;
    struct mp_db *db;
    db_synthetic(path);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (mp_db_open(&db, path, MP_DB_WRITE, &err) == 0)
            record_epochs(db, 1, 1, ends[1]);
        pause();
        _exit(1);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    siginfo_t ended;
    if (over) {
        kill(pid, SIGKILL);
        assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    }
    return pid;
}

/* Compares the status of run 4 that mempath sees when it opens the file to read. */
static void run_4_is(const char *path, const char *expected)
{
    struct mp_db *db;
    CHECK(mp_db_open(&db, path, MP_DB_READ, &err));
    expect_text(db, "SELECT status FROM runs WHERE run = 4", expected);
    mp_db_close(db);
}

/* In a container, a killed process may stay a zombie for ever. */
static void test_a_process_that_nobody_waited_for_is_dead(void **state)
{
    (void)state;
    pid_t pid = recording(FILE_NAME, true);
    run_4_is(FILE_NAME, "killed\n");
    waitpid(pid, NULL, 0);
}

static void copy(const char *from, const char *to)
{
    char command[200];
    snprintf(command, sizeof command, "rm -f %s-wal %s-shm && cat %s >%s", to, to, from, to);
    assert_int_equal(system(command), 0);
}

/* The run goes on in the original file, so its process says nothing about the copy. */
static void test_a_copy_is_not_judged(void **state)
{
    (void)state;
    struct mp_db *db;
    pid_t pid = recording(FILE_NAME, false);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
    sqlite3_wal_checkpoint_v2(db->sqlite, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    mp_db_close(db);
    copy(FILE_NAME, "test_copy.db");
    run_4_is(FILE_NAME, "running\n");
    run_4_is("test_copy.db", "running\n");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    run_4_is("test_copy.db", "running\n");
    run_4_is(FILE_NAME, "killed\n");
}

/* Runs as user nobody, since root may write anywhere. Exit code 77: the set-up failed. */
static int read_only_child(void)
{
    struct mp_db *db;
    struct stat before, after;
    if ((getuid() == 0 && (setgid(65534) || setuid(65534))) || access("ro_crash", W_OK) == 0 ||
        stat("ro_crash/x.db", &before))
        return 77;
    if (mp_db_open(&db, "ro_crash/x.db", MP_DB_READ, &err))
        return 1;
    if (db_number(db,
                  "SELECT count(*) FROM run WHERE id = 4 AND status = 'killed' AND error LIKE 'process %'") !=
        1)
        return 2;
    if (db_number(db, "SELECT count(*) FROM runs WHERE run = 4 AND status = 'killed'") != 1)
        return 3;
    if (db_number(db, "SELECT count(*) FROM runs WHERE status = 'done'") != 3 ||
        db_number(db, "SELECT count(*) FROM ipc") != 4)
        return 4;
    mp_db_close(db);
    if (stat("ro_crash/x.db", &after) || after.st_size != before.st_size ||
        after.st_mtim.tv_nsec != before.st_mtim.tv_nsec)
        return 5;
    return 0;
}

static void test_a_killed_run_is_seen_in_a_file_that_cannot_be_written(void **state)
{
    (void)state;
    sqlite3 *raw;
    chmod("ro_crash", 0755);
    mkdir("ro_crash", 0755);
    pid_t pid = recording("ro_crash/x.db", true);
    waitpid(pid, NULL, 0);
    /* Its write-ahead log, which a reader without write permission could not replay. */
    assert_int_equal(sqlite3_open("ro_crash/x.db", &raw), SQLITE_OK);
    assert_int_equal(sqlite3_exec(raw, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(raw);
    chmod("ro_crash/x.db", 0444);
    chmod("ro_crash", 0555);
    pid = fork();
    if (pid == 0)
        _exit(read_only_child());
    int status;
    waitpid(pid, &status, 0);
    chmod("ro_crash", 0755);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

/* A trace that is not of an application has its file's name; a tenant without an instance has no slices. */
static void test_who_ran_is_named(void **state)
{
    (void)state;
    struct mp_db *db;
    static const struct mp_db_tenant tenants[] = {{NULL, NULL, 2, "/a/b c/mine.gwt.zst", {1, 2}, 9},
                                                  {"MT", "small", 0, "mt.gwt", {3, 4}, 9}};
    db_synthetic(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    struct mp_db_run_info info = db_info(2, tenants);
    CHECK(mp_db_run_begin(db, &info, &err));
    expect_text(db, "SELECT apps FROM runs WHERE run = 4", "mine.gwt.zst/2g MT\n");
    mp_db_close(db);
}

static void test_a_living_run_stays_running(void **state)
{
    (void)state;
    struct mp_db *db;
    db_synthetic(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    struct mp_db_run_info info = db_info(1, &tenant);
    CHECK(mp_db_run_begin(db, &info, &err));
    mp_db_close(db); /* this process is alive: running */
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    expect_text(db, "SELECT status FROM runs WHERE run = 4", "running\n");
    mp_db_close(db);
}

static int writer(void)
{
    struct mp_db *db;
    const struct mp_db_totals totals = {.seconds = 1};
    if (mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err))
        return 1;
    for (int run = 0; run < 3; run++) {
        if (record_epochs(db, 70000, 0, -1) || mp_db_run_end(db, MP_DB_DONE, &totals, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 2;
        }
    }
    mp_db_close(db);
    return 0;
}

static void test_four_writers_at_once(void **state)
{
    (void)state;
    struct mp_db *db;
    int status;
    db_remove(FILE_NAME);
    for (int i = 0; i < 4; i++) {
        if (fork() == 0)
            _exit(writer());
    }
    for (int i = 0; i < 4; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
    expect_text(db, "SELECT count(*), count(DISTINCT uuid) FROM run WHERE status = 'done'", "12,12\n");
    for (int run = 1; run <= 12; run++) {
        char sql[160];
        snprintf(sql, sizeof sql,
                 "SELECT count(*), count(DISTINCT cycle), sum(value) FROM epochs WHERE run = %d", run);
        expect_text(db, sql, "70000,70000,2449965000\n");
    }
    expect_text(db, "SELECT count(*) FROM metric", "1\n");
    expect_text(db, "SELECT count(*) FROM pragma_foreign_key_list('run_input')", "2\n");
    mp_db_close(db);
}

/* Records until recording fails. Returns 0 if the error was one line with `expected` in it, and runs could be
 * read afterwards. */
static int fill(const char *path, const char *expected)
{
    struct mp_db *db;
    db_synthetic(path);
    if (mp_db_open(&db, path, MP_DB_WRITE, &err))
        return 2;
    if (record_epochs(db, 4000000, 0, -1) == 0 && mp_db_flush(db, &err) == 0)
        return 3;
    if (!strstr(err.text, expected) || strchr(err.text, '\n') || strncmp(err.text, path, strlen(path)) != 0) {
        fprintf(stderr, "unexpected: %s\n", err.text);
        return 4;
    }
    if (mp_db_run_end(db, MP_DB_FAILED, NULL, &err) == 0)
        return 5; /* values are lost, so the run must not look closed */
    mp_db_close(db);
    return 0;
}

static int check_after(const char *path)
{
    struct mp_db *db;
    if (mp_db_open(&db, path, MP_DB_READ, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 10;
    }
    if (db_number(db, "SELECT count(*) FROM run WHERE status = 'done'") != 3)
        return 11;
    if (db_number(db, "SELECT count(*) FROM runs WHERE run = 4 AND status IN ('running', 'killed')") != 1)
        return 12;
    if (db_number(db, "SELECT count(*) FROM ipc") != 4 ||
        db_number(db, "SELECT count(*) = max(cycle) + 1 FROM epochs WHERE run = 4") != 1)
        return 13;
    mp_db_close(db);
    return 0;
}

static int in_child(int (*child)(void))
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(child());
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int limited_child(void)
{
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {12 << 20, 12 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    return fill(FILE_NAME, "reading or writing failed");
}

static void test_file_size_limit(void **state)
{
    (void)state;
    assert_int_equal(in_child(limited_child), 0);
    assert_int_equal(check_after(FILE_NAME), 0);
}

/* A file system that only this child sees. */
static int small_disk_child(void)
{
    mkdir("small_disk", 0755);
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", "small_disk", "tmpfs", 0, "size=12m"))
        return 77;
    int result = fill("small_disk/x.db", "the disk is full");
    if (result)
        return result;
    result = check_after("small_disk/x.db");
    if (result)
        return result;
    /* No room even for a new file. */
    int fd = open("small_disk/filler", O_WRONLY | O_CREAT, 0644);
    static char zeros[4096];
    while (write(fd, zeros, sizeof zeros) > 0)
        continue;
    close(fd);
    struct mp_db *db;
    if (mp_db_open(&db, "small_disk/new.db", MP_DB_WRITE, &err) == 0 || !strstr(err.text, "the disk is full"))
        return 20;
    /* When there is room again, the next run is recorded in the same file. */
    unlink("small_disk/filler");
    unlink("small_disk/new.db");
    return check_after("small_disk/x.db");
}

static void test_full_disk(void **state)
{
    (void)state;
    int result = in_child(small_disk_child);
    if (result == 77)
        skip(); /* not root: the test with RLIMIT_FSIZE covers this */
    assert_int_equal(result, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_killed_run_is_seen),
        cmocka_unit_test(test_a_crashed_run_has_failed),
        cmocka_unit_test(test_a_process_that_nobody_waited_for_is_dead),
        cmocka_unit_test(test_a_copy_is_not_judged),
        cmocka_unit_test(test_a_killed_run_is_seen_in_a_file_that_cannot_be_written),
        cmocka_unit_test(test_who_ran_is_named),
        cmocka_unit_test(test_a_living_run_stays_running),
        cmocka_unit_test(test_four_writers_at_once),
        cmocka_unit_test(test_file_size_limit),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
