/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of firmware: their rows during and after the run, and counters of no tenant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_db_firmware.db"

static struct mp_error err;

static void assert_text(struct mp_db *db, const char *sql, const char *expected)
{
    char *text = db_text(db, sql, MP_DB_CSV);
    char *first = strchr(text, '\n'); /* after the names of the columns */
    assert_non_null(first);
    assert_string_equal(first + 1, expected);
    free(text);
}

static struct mp_db *begin(void)
{
    static const struct mp_db_tenant nobody[8];
    static const struct mp_db_workload workloads[] = {
        {0, "MT", "small", {"mt.gwt", {1, 2}, 300}},
        {3, NULL, NULL, {"mine.gwt", {3, 4}, 500}},
    };
    static const struct mp_db_firmware firmware = {{"a/mm.elf", {0xa, 0xb}, 1000}, 2, workloads};
    const struct mp_db_run_info info = {.experiment = "mm.elf", .ntenants = 8, .tenant = nobody};
    struct mp_db *db;
    unlink(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    assert_int_equal(mp_db_firmware_begin(db, &firmware, &err), -1);
    assert_non_null(strstr(err.text, "no run is open"));
    assert_true(mp_db_run_begin(db, &info, &err) > 0);
    CHECK(mp_db_firmware_begin(db, &firmware, &err));
    return db;
}

static void test_while_it_runs(void **state)
{
    (void)state;
    struct mp_db *db = begin();
    assert_text(db, "SELECT image, hash, bytes, outcome FROM firmware",
                "a/mm.elf,000000000000000b000000000000000a,1000,\n");
    assert_text(db, "SELECT workload, app, trace, bytes FROM workload ORDER BY workload",
                "0,MT,mt.gwt,300\n3,,mine.gwt,500\n");
    assert_text(db, "SELECT status, apps FROM runs", "running,0=MT 3=?\n");
    mp_db_close(db);
}

static void test_ends(void **state)
{
    (void)state;
    static const struct {
        enum mp_db_outcome outcome;
        const char *row;
    } ends[] = {
        {MP_DB_FIRMWARE_FINISHED, "finished,7,100,2,3,4000,hello\n"},
        {MP_DB_FIRMWARE_LIMIT, "limit,,100,2,3,4000,hello\n"},
        {MP_DB_FIRMWARE_STUCK, "stuck,,100,2,3,4000,hello\n"},
        {MP_DB_FIRMWARE_INTERRUPTED, "interrupted,,100,2,3,4000,hello\n"},
    };
    for (unsigned i = 0; i < 4; i++) {
        struct mp_db *db = begin();
        const struct mp_db_firmware_end end = {ends[i].outcome, 7, 100, 2, 3, 4000, "hello"};
        const struct mp_db_totals totals = {.error = "it failed"};
        CHECK(mp_db_firmware_end(db, &end, &err));
        CHECK(mp_db_run_end(db, MP_DB_FAILED, &totals, &err));
        assert_int_equal(mp_db_firmware_end(db, &end, &err), -1);
        assert_text(db,
                    "SELECT outcome, exit_code, instructions, exceptions, interrupts, nanoseconds, console"
                    " FROM firmware",
                    ends[i].row);
        mp_db_close(db);
    }
}

static void test_causes_of_traps(void **state)
{
    (void)state;
    struct mp_db *db = begin();
    uint64_t causes[16] = {[5] = 4, [7] = 1};
    int core = mp_db_component(db, "soc.core", "core", &err);
    int metric = mp_db_metric(db, "core", "exceptions", "traps", "by cause", MP_DB_HISTOGRAM_LINEAR, &err);
    CHECK(mp_db_histogram(db, core, MP_DB_NO_TENANT, metric, 16, causes, &err));
    CHECK(mp_db_run_end(db, MP_DB_FAILED, NULL, &err));
    assert_text(
        db, "SELECT bin, count, tenant FROM histogram_bin JOIN histogram h ON h.id = histogram ORDER BY bin",
        "5,4,\n7,1,\n");
    mp_db_close(db);
}

static void test_injections(void **state)
{
    (void)state;
    struct mp_db *db = begin();
    static const struct mp_db_injection fault[] = {
        {"bus-error", "gpu", "event 9", "undetected", .happened = true, .cycle = 70},
        {"bus-error", "uart", "event 9", "recovered", .happened = true, .cycle = 75},
        {"walker-stuck", "", "event 2", "not reached", .drawn = true, .seed = 5}};
    CHECK(mp_db_injections(db, fault, 3, &err));
    assert_text(db, "injections",
                "1,,1,bus-error,gpu,event 9,70,undetected\n1,,2,bus-error,uart,event 9,75,recovered\n"
                "1,5,3,walker-stuck,,event 2,,not reached\n");
    assert_text(db, "recovery", "a/mm.elf,bus-error,2,1,0,0,1,0,50\na/mm.elf,walker-stuck,1,0,0,0,0,1,\n");
    CHECK(mp_db_run_end(db, MP_DB_FAILED, NULL, &err));
    assert_int_equal(mp_db_injections(db, fault, 3, &err), -1);
    mp_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_while_it_runs),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_causes_of_traps),
        cmocka_unit_test(test_injections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
