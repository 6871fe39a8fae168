/* SPDX-License-Identifier: Apache-2.0 */
/* Studies are known by what they say; runs are claimed by processes that are alive. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_study.db"

static struct mp_error err;
static struct mp_db *db;

static int set_up(void **state)
{
    (void)state;
    db_synthetic(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mp_db_close(db);
    return 0;
}

static void change_file(const char *path, const char *sql)
{
    sqlite3 *s;
    assert_int_equal(sqlite3_open(path, &s), SQLITE_OK);
    if (sqlite3_exec(s, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(s));
    sqlite3_close(s);
}

static void change(const char *sql)
{
    change_file(FILE_NAME, sql);
}

static int64_t study_of(const char *name, const char *first, const char *second)
{
    const struct mp_db_axis axis = {0, "l3_tlb.policy", true};
    const char *const value[] = {first, second};
    const struct mp_db_study study = {name, NULL, 1, 2, &axis, value, value};
    int64_t id;
    CHECK(id = mp_db_study(db, &study, &err));
    return id;
}

static void a_study_is_its_axes_and_values(void **state)
{
    (void)state;
    const int64_t one = study_of("a", "star", "subentry");
    assert_int_equal(study_of("renamed", "star", "subentry"), one);
    assert_true(study_of("a", "subentry", "star") != one);
    assert_int_equal(db_number(db, "SELECT count(*) FROM study"), 3); /* with the synthetic one */
    assert_int_equal(db_number(db, "SELECT count(*) FROM point"), 3 + 2 + 2);
    assert_int_equal(db_number(db, "SELECT count(*) FROM study WHERE name = 'renamed'"), 1);
}

/* Two policies, three seeds: 95 % intervals by hand, t = 4.303. */
static void seeds_have_means_and_intervals(void **state)
{
    (void)state;
    static const uint64_t cycles[6] = {100, 110, 120, 200, 210, 220};
    const struct mp_db_axis axis[] = {{0, "l3_tlb.policy", true}, {1, "seed", true}};
    const char *const label[] = {"a", "b", "c", "d", "e", "f"};
    const char *const value[] = {"star", "1", "star", "2", "star", "3",
                                 "mask", "1", "mask", "2", "mask", "3"};
    const struct mp_db_study study = {"seeds", NULL, 2, 6, axis, label, value};
    const struct mp_db_tenant tenant = {"ATAX", "small", 4, "x", {7, 8}, 4096};
    struct mp_db_at at;
    CHECK(at.study = mp_db_study(db, &study, &err));
    for (unsigned i = 0; i < 6; i++) {
        const struct mp_db_tenant_result result = {.cycles = cycles[i], .instructions = 1000};
        const struct mp_db_totals totals = {.cycles = cycles[i], .tenant = &result};
        struct mp_db_run_info info = db_info(1, &tenant);
        at.number = i + 1;
        info.at = at;
        CHECK(mp_db_run_begin(db, &info, &err));
        CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    }
    char *text = db_text(db,
                         "SELECT label, seeds, mean, round(half_width, 2) FROM seed_means WHERE metric = "
                         "'cycles' ORDER BY first_point",
                         MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1,
                        "l3_tlb.policy=star,3,110,24.84\nl3_tlb.policy=mask,3,210,24.84\n");
    free(text);
    text = db_text(db, "seeds", MP_DB_CSV);
    assert_non_null(strstr(text, "l3_tlb.policy=mask,cycles,3,210,24.8434,above\n"));
    assert_non_null(strstr(text, "l3_tlb.policy=star,cycles,3,110,24.8434,\n"));
    free(text);
}

static void an_alone_run_is_not_the_latest(void **state)
{
    (void)state;
    const struct mp_db_tenant tenant = {"ATAX", "small", 4, "x", {7, 8}, 4096};
    const struct mp_db_tenant_result result = {.cycles = 100, .instructions = 1000};
    const struct mp_db_totals totals = {.tenant = &result};
    struct mp_db_run_info info = db_info(1, &tenant);
    int64_t run;
    info.role = MP_DB_ALONE;
    CHECK(run = mp_db_run_begin(db, &info, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    assert_int_equal(db_number(db, "SELECT run FROM latest_run"), 3);
    const struct mp_db_reference reference = {3, run, 0, "l3_tlb.policy=star"};
    CHECK(mp_db_references(db, &reference, 1, &err));
    assert_int_equal(db_number(db, "SELECT alone_run FROM slowdown WHERE run = 3 AND tenant = 0"), run);
    char *settings =
        db_text(db, "SELECT alone_settings FROM slowdown WHERE run = 3 ORDER BY tenant", MP_DB_CSV);
    assert_string_equal(settings, "alone_settings\nl3_tlb.policy=star\n\n");
    free(settings);
    assert_int_equal(db_number(db, "SELECT max(parent) FROM run"), 3);
    const struct mp_db_found found = {run, MP_DB_REQUESTED, {0, 0}};
    CHECK(mp_db_found(db, &found, 1, &err));
    assert_int_equal(db_number(db, "SELECT run FROM latest_run"), run);
}

static int64_t begin(struct mp_db *to, const struct mp_db_tenant *tenant)
{
    struct mp_db_run_info info = db_info(1, tenant);
    int64_t run;
    info.config_text = "claimed";
    info.claims = true;
    info.at = (struct mp_db_at){1, 3};
    CHECK(run = mp_db_run_begin(to, &info, &err));
    return run;
}

/* Two handles, as two processes. */
static void a_run_is_begun_once(void **state)
{
    (void)state;
    const struct mp_db_tenant tenant = {"ATAX", "small", 4, "x", {7, 8}, 4096};
    const struct mp_db_tenant_result result = {.cycles = 100, .instructions = 1000};
    const struct mp_db_totals totals = {.tenant = &result};
    struct mp_db *other;
    CHECK(mp_db_open(&other, FILE_NAME, MP_DB_WRITE, &err));
    assert_int_equal(begin(db, &tenant), 4);
    assert_int_equal(
        db_number(db, "SELECT count(*) FROM point_run WHERE study = 1 AND number = 3 AND run = 4"), 1);
    assert_int_equal(begin(other, &tenant), 0); /* another is at it */
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    assert_int_equal(begin(other, &tenant), 0); /* it is done */
    change("UPDATE run SET status = 'failed' WHERE id = 4");
    assert_int_equal(begin(other, &tenant), 5);
    change("UPDATE run SET pid = 2147483000 WHERE id = 5"); /* its process is gone */
    assert_int_equal(begin(db, &tenant), 6);
    mp_db_close(other);
}

static void a_silent_host_loses_its_claim(void **state)
{
    (void)state;
    const struct mp_db_tenant tenant = {"ATAX", "small", 4, "x", {7, 8}, 4096};
    struct mp_db *other;
    CHECK(mp_db_open(&other, FILE_NAME, MP_DB_WRITE, &err));
    assert_int_equal(begin(other, &tenant), 4);
    change("UPDATE run SET boot = 'elsewhere', beat = '2026-01-01T00:00:00.000Z' WHERE id = 4");
    CHECK(mp_db_run_beat(other, 4, &err));
    assert_int_equal(begin(db, &tenant), 0);
    change("UPDATE run SET beat = '2026-01-01T00:00:00.000Z' WHERE id = 4");
    assert_int_equal(begin(db, &tenant), 5);
    mp_db_close(other);
}

/* Each part of a study may come from another machine. */
static void merged_studies_are_one(void **state)
{
    (void)state;
    struct mp_db_merged merged;
    struct mp_db *all;
    const char *const from[] = {"test_study_a.db", "test_study_b.db"};
    for (unsigned i = 0; i < 2; i++)
        db_synthetic(from[i]);
    change_file(from[1], "UPDATE run SET uuid = 'b' || id"); /* other runs */
    db_remove("test_study_all.db");
    CHECK(mp_db_merge("test_study_all.db", 2, from, NULL, &merged, &err));
    CHECK(mp_db_merge("test_study_all.db", 2, from, NULL, &merged, &err)); /* again */
    CHECK(mp_db_open(&all, "test_study_all.db", MP_DB_READ, &err));
    assert_int_equal(db_number(all, "SELECT count(*) FROM study"), 1);
    assert_int_equal(db_number(all, "SELECT count(*) FROM point"), 3);
    assert_int_equal(db_number(all, "SELECT count(*) FROM point_value"), 6);
    char *runs = db_text(all, "SELECT number, run FROM point_run ORDER BY number, run", MP_DB_CSV);
    assert_string_equal(runs, "number,run\n1,1\n1,4\n2,3\n2,6\n");
    free(runs);
    mp_db_close(all);
}

static void references_and_parents_are_merged(void **state)
{
    (void)state;
    struct mp_db_merged merged;
    struct mp_db *all;
    const char *const from[] = {"test_study_a.db", FILE_NAME};
    db_synthetic(from[0]);
    const struct mp_db_reference reference = {3, 2, 1, ""};
    CHECK(mp_db_references(db, &reference, 1, &err));
    change("UPDATE run SET uuid = 'b' || id; UPDATE run SET parent = 3, role = 'alone' WHERE id = 2");
    db_remove("test_study_all.db");
    CHECK(mp_db_merge("test_study_all.db", 2, from, NULL, &merged, &err));
    CHECK(mp_db_open(&all, "test_study_all.db", MP_DB_READ, &err));
    assert_int_equal(db_number(all, "SELECT alone FROM reference WHERE run = 6 AND tenant = 1"), 5);
    assert_int_equal(db_number(all, "SELECT parent FROM run WHERE id = 5"), 6);
    mp_db_close(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_study_is_its_axes_and_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(seeds_have_means_and_intervals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_alone_run_is_not_the_latest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_is_begun_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_silent_host_loses_its_claim, set_up, tear_down),
        cmocka_unit_test_setup_teardown(merged_studies_are_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(references_and_parents_are_merged, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("study", tests, NULL, NULL);
}
