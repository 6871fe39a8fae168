/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of co-simulations and their coverage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_cosim.db"

static struct mp_error err;

static const struct mp_db_cosim_point points[] = {{"vacant: none to alone", 5},
                                                  {"revert: stride to alone", 0}};

static const struct mp_db_cosim_line lines[] = {{"a.sv", 5, 70, "x = y;", NULL},
                                                {"a.sv", 6, 0, "y = x;", NULL},
                                                {"a.sv", 9, 0, "z = x;", NULL},
                                                {"b.sv", 1, 0, "end", "never"},
                                                {"b.sv", 2, 1, "if (a)", "never"}};

static const struct mp_db_cosim equal = {.block = "star",
                                         .mode = "star",
                                         .options = "stride=2",
                                         .seed = UINT64_MAX,
                                         .seeded = true,
                                         .status = MP_DB_EQUAL,
                                         .transactions = 3000,
                                         .clocks = 15000,
                                         .seconds = 0.5,
                                         .replay = "mempath cosim star",
                                         .tools = "verilator 5.006",
                                         .revision = "0123456789ab",
                                         .npoints = 2,
                                         .point = points,
                                         .nlines = 5,
                                         .line = lines};

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

static void test_equal_and_different(void **state)
{
    struct mp_db *db = fresh();
    struct mp_db_cosim other = equal;
    (void)state;
    other.status = MP_DB_DIFFERENT;
    other.stimuli = "a.txt";
    other.resets = 7;
    other.difference = "way";
    other.report = "* way 1\n";
    other.npoints = other.nlines = 0;
    assert_int_equal(mp_db_cosim(db, &equal, &err), 1);
    assert_int_equal(mp_db_cosim(db, &other, &err), 2);
    asked(db,
          "SELECT id, block, mode, options, seed, stimuli, status, transactions, clocks, "
          "transactions_per_minute,"
          " resets, points, points_taken, difference, report, tools FROM cosim ORDER BY id",
          "1,star,star,stride=2,-1,,equal,3000,15000,360000,0,2,1,,,verilator 5.006\n"
          "2,star,star,stride=2,-1,a.txt,different,3000,15000,360000,7,0,0,way,\"* way 1\n\",verilator "
          "5.006\n");
    asked(db, "coverage", "");
    struct mp_db_parameter first = {"cosim", "1"};
    char *text = db_text_with(db, "coverage", 1, &first, MP_DB_CSV);
    assert_string_equal(text, "name,taken\nvacant: none to alone,5\nrevert: stride to alone,0\n");
    free(text);
    asked(db, "lines", "a.sv,3,1,0,33.3,6 9\nb.sv,2,1,1,50,\n");
    asked(db, "lines_not_taken", "a.sv,6,y = x;,\na.sv,9,z = x;,\nb.sv,1,end,never\n");
    asked(db, "cosim",
          "2,star,star,stride=2,a.txt,18446744073709551615,different,3000,0.4,0/0,way\n"
          "1,star,star,stride=2,random,18446744073709551615,equal,3000,0.4,1/2,\n");
    mp_db_close(db);
}

/* Each status has a name and a difference that explains it. */
static void test_how_it_ended(void **state)
{
    struct mp_db *db = fresh();
    struct mp_db_cosim bad = equal;
    (void)state;
    bad.difference = "the RTL ended the simulation ($finish, a.sv:3)";
    for (int status = MP_DB_COSIM_BROKEN; status <= MP_DB_COSIM_CRASHED; status++) {
        bad.status = (enum mp_db_cosim_status)status;
        assert_true(mp_db_cosim(db, &bad, &err) > 0);
    }
    asked(db, "SELECT group_concat(status) FROM cosim", "\"broken,hung,crashed\"\n");
    bad.status = MP_DB_COSIM_INTERRUPTED;
    assert_int_equal(mp_db_cosim(db, &bad, &err), -1);
    mp_db_close(db);
}

/* A row that contradicts itself is refused as a whole. */
static void test_a_difference_is_told(void **state)
{
    struct mp_db *db = fresh();
    struct mp_db_cosim silent = equal;
    (void)state;
    silent.status = MP_DB_DIFFERENT;
    assert_int_equal(mp_db_cosim(db, &silent, &err), -1);
    assert_non_null(strstr(err.text, FILE_NAME));
    asked(db, "SELECT count(*) FROM cosim", "0\n");
    asked(db, "SELECT count(*) FROM cosim_point", "0\n");
    mp_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_and_different),
        cmocka_unit_test(test_how_it_ended),
        cmocka_unit_test(test_a_difference_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
