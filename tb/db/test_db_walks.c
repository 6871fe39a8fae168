/* SPDX-License-Identifier: Apache-2.0 */
/* A window of page walks, recorded and read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_walks.db"

static struct mp_error err;

static const struct mp_db_walk walks[] = {
    {.page = 0x10000, .arrived = 5, .started = 90, .ended = 120, .levels = 2, .tenant = 1, .owner = 0},
    {.page = 1ull << 47, .arrived = 99, .started = 120, .ended = MP_DB_NOT_ENDED, .owner = 0},
    {.walker = 1, .started = 110, .ended = 111, .owner = MP_DB_NO_TENANT},
};
static const struct mp_db_walk_change waiting[] = {{100, 0, 1}, {100, 1, 0}, {120, 0, 0}};
static const struct mp_db_walk_change owners[] = {{100, 0, 0}, {150, 0, 1}};

static struct mp_db *with_run(void)
{
    static const struct mp_db_tenant tenant[2] = {{.app = "ATAX", .trace_path = "a"},
                                                  {.app = "FIR", .trace_path = "b"}};
    struct mp_db *db;
    struct mp_db_run_info info = db_info(2, tenant);
    db_remove(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    CHECK(mp_db_run_begin(db, &info, &err));
    return db;
}

static struct mp_db_walk_window window(struct mp_db *db)
{
    return (struct mp_db_walk_window){.component = mp_db_component(db, "gpu.walk", "walk", &err),
                                      .first = 100,
                                      .last = 200,
                                      .walkers = 2,
                                      .nwalks = 3,
                                      .nwaiting = 3,
                                      .nowners = 2,
                                      .walk = walks,
                                      .waiting = waiting,
                                      .owner = owners};
}

static void asked(struct mp_db *db, const char *sql, const char *expected)
{
    char *text = db_text(db, sql, MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, expected);
    free(text);
}

static void a_window_comes_out_as_it_went_in(void **state)
{
    struct mp_db *db = with_run();
    struct mp_db_totals totals = {0};
    (void)state;
    const struct mp_db_walk_window w = window(db);
    CHECK(mp_db_walk_window(db, &w, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    asked(db, "SELECT path, first, last, walkers FROM walk_window JOIN component ON id = component",
          "gpu.walk,100,200,2\n");
    asked(db, "window",
          "gpu.walk,0,5,90,120,85,1,FIR,0x10000,2,0,1\n"
          "gpu.walk,1,0,110,111,110,0,ATAX,0x0,0,,0\n"
          "gpu.walk,0,99,120,,21,0,ATAX,0x800000000000,0,0,0\n");
    asked(db, "SELECT cycle, tenant, walks FROM walk_waiting", "100,0,1\n100,1,0\n120,0,0\n");
    asked(db, "SELECT cycle, walker, tenant FROM walker_owner", "100,0,0\n150,0,1\n");
    mp_db_close(db);
}

static void one_window_per_system(void **state)
{
    struct mp_db *db = with_run();
    (void)state;
    const struct mp_db_walk_window w = window(db);
    CHECK(mp_db_walk_window(db, &w, &err));
    assert_int_equal(mp_db_walk_window(db, &w, &err), -1);
    asked(db, "SELECT count(*) FROM walk", "3\n"); /* whole or not at all */
    mp_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_comes_out_as_it_went_in),
        cmocka_unit_test(one_window_per_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
