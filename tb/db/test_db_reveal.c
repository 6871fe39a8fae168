/* SPDX-License-Identifier: Apache-2.0 */
/* Address functions that were found by time: their rows, and the query that prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_db_reveal.db"

static struct mp_error err;

static void assert_text(struct mp_db *db, const char *sql, const char *expected)
{
    char *text = db_text(db, sql, MP_DB_CSV);
    char *first = strchr(text, '\n'); /* after the names of the columns */
    assert_non_null(first);
    assert_string_equal(first + 1, expected);
    free(text);
}

static void what_was_found(void **state)
{
    static const struct mp_db_function function[] = {
        {"set", 1, "8", false}, {"set", 0, "7 9", false}, {"bank", 0, "10 12", true}};
    static const uint64_t pairs[] = {0, 5, 0, 2};
    const struct mp_db_reveal reveal = {.machine = "v100",
                                        .hidden = true,
                                        .seed = UINT64_MAX,
                                        .jitter = 16,
                                        .line_bytes = 128,
                                        .row_bytes = 2048,
                                        .ways = 48,
                                        .pair_limit = 428,
                                        .hit_limit = 309,
                                        .readings = 7,
                                        .nfunctions = 3,
                                        .function = function,
                                        .npairs = 4,
                                        .pairs = pairs};
    const struct mp_db_run_info info = {.experiment = "fgpu-v100"};
    const struct mp_db_totals totals = {.cycles = 1};
    struct mp_db *db;
    (void)state;
    unlink(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    assert_int_equal(mp_db_reveal(db, &reveal, &err), -1);
    assert_non_null(strstr(err.text, "no run is open"));
    assert_true(mp_db_run_begin(db, &info, &err) > 0);
    CHECK(mp_db_reveal(db, &reveal, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    assert_text(db, "SELECT machine, hidden_seed, jitter, line_bytes, row_bytes, ways FROM reveal",
                "v100,-1,16,128,2048,48\n");
    assert_text(db, "SELECT pair_limit, hit_limit, readings FROM reveal", "428,309,7\n");
    assert_text(db, "SELECT cycles, readings FROM reveal_pair ORDER BY cycles", "1,5\n3,2\n");
    assert_text(db, "reveal", "bank,0,10 12,equal\nset,0,7 9,different\nset,1,8,different\n");
    mp_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
