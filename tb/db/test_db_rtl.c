/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of the RTL's cost, and their figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_rtl.db"

static struct mp_error err;

static const struct mp_db_rtl_figure figures[] = {
    {"star", "flops", "flops", 300, 300, MP_DB_IN_BOUNDS, false, 0},
    {"star", "cells", "cells", 2100, 2000, MP_DB_GREW, false, 0},
    {"star", "area", "um2", 1900.5, 2000, MP_DB_SHRANK, false, 0},
    {"dws", "flops", "flops", 253, 252, MP_DB_CHANGED, true, 192},
    {"dws", "area", "um2", 7, 0, MP_DB_UNBOUNDED, false, 0},
};

static const struct mp_db_rtl outside = {.status = MP_DB_RTL_OUTSIDE,
                                         .technology = "180 nm",
                                         .tools = "yosys 0.23",
                                         .revision = "0123456789ab",
                                         .seconds = 2.5,
                                         .nfigures = 5,
                                         .figure = figures};

static struct mp_db *fresh(void)
{
    struct mp_db *db;
    db_remove(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    return db;
}

static void asked(struct mp_db *db, const char *sql, const char *expected)
{
    char *text = db_text(db, sql, MP_DB_CSV);
    const char *rows = strchr(text, '\n') + 1; /* after the names of the columns */
    assert_string_equal(rows, expected);
    free(text);
}

static void test_every_verdict(void **state)
{
    struct mp_db *db = fresh();
    (void)state;
    assert_int_equal(mp_db_rtl(db, &outside, &err), 1);
    asked(db, "rtl",
          "star,flops,300,flops,300,held,\n"
          "star,cells,2100,cells,2000,grew,\n"
          "star,area,1900.5,um2,2000,shrank,\n"
          "dws,flops,253,flops,252,changed,192\n"
          "dws,area,7,um2,,,\n");
    asked(db, "SELECT status, technology, seconds, error, tools, revision FROM rtl",
          "outside,180 nm,2.5,,yosys 0.23,0123456789ab\n");
    mp_db_close(db);
}

static void test_the_latest_or_one(void **state)
{
    struct mp_db *db = fresh();
    struct mp_db_rtl held = outside, updated = outside, failed = outside;
    const struct mp_db_parameter first = {"rtl", "1"};
    (void)state;
    held.status = MP_DB_RTL_HELD;
    held.nfigures = 1;
    updated.status = MP_DB_RTL_UPDATED;
    failed.status = MP_DB_RTL_FAILED;
    failed.error = "a.sv:3: ERROR: syntax error";
    failed.nfigures = 0;
    assert_int_equal(mp_db_rtl(db, &held, &err), 1);
    assert_int_equal(mp_db_rtl(db, &updated, &err), 2);
    assert_int_equal(mp_db_rtl(db, &failed, &err), 3);
    asked(db, "rtl", "");
    char *text = db_text_with(db, "rtl", 1, &first, MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, "star,flops,300,flops,300,held,\n");
    free(text);
    asked(db, "SELECT id, status, error FROM rtl ORDER BY id",
          "1,held,\n2,updated,\n3,failed,a.sv:3: ERROR: syntax error\n");
    text = db_text(db, "rtl_runs", MP_DB_CSV);
    assert_non_null(strstr(text, ",failed,2.5,180 nm,yosys 0.23,0123456789ab,a.sv:3: ERROR: syntax error\n"));
    free(text);
    mp_db_close(db);
}

/* A row that contradicts itself is refused as a whole. */
static void test_a_failure_says_why(void **state)
{
    struct mp_db *db = fresh();
    struct mp_db_rtl silent = outside;
    (void)state;
    silent.status = MP_DB_RTL_FAILED;
    assert_int_equal(mp_db_rtl(db, &silent, &err), -1);
    assert_non_null(strstr(err.text, FILE_NAME));
    asked(db, "SELECT count(*) FROM rtl", "0\n");
    asked(db, "SELECT count(*) FROM rtl_figure", "0\n");
    mp_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_verdict),
        cmocka_unit_test(test_the_latest_or_one),
        cmocka_unit_test(test_a_failure_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
