/* SPDX-License-Identifier: Apache-2.0 */
/* Energy: a structure of the papers has the value that CACTI gave for it, other geometries are scaled by the
 * formulas of the view, and what is counted follows from the design. Every counter of the run is 100 times
 * its place in the table.
 */
#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_energy.db"

static struct mp_error err;

static const struct counted {
    const char *path, *kind, *metric;
} counted[] = {
    {"gpu.l1_tlb", "l1_tlb", "lookups"},
    {"gpu.l1_tlb", "l1_tlb", "hits"},
    {"gpu.l1_tlb", "l1_tlb", "misses"},
    {"gpu.l1_tlb", "l1_tlb", "fills"},
    {"gpu.l3_tlb", "l3_tlb", "lookups"},
    {"gpu.l3_tlb", "l3_tlb", "fills"},
    {"gpu.l3_tlb.mesc", "mesc", "block_hits"},
    {"gpu.l3_tlb.mesc", "mesc", "pages_written"},
    {"gpu.l3_tlb.mesc", "mesc", "blocks_written"},
    {"gpu.walk", "walk", "walks"},
    {"gpu.walk", "walk", "pwc_lookups"},
    {"gpu.walk", "walk", "levels_read"},
    {"gpu.l1d", "l1d", "lookups"},
    {"gpu.dram", "dram", "row_misses"},
    {"gpu.dram", "dram", "writes"},
    {"gpu.dram", "dram", "reads"},
};
#define COUNTED (sizeof counted / sizeof *counted)

/* The structures of MESC's Table I. */
static const char parameters[] =
    "INSERT INTO parameter (run, path, value) VALUES (1, 'machine.line_bytes', 128), (1, 'walk.memory', "
    "'dram'),"
    "(1, 'l1_tlb.entries', 32), (1, 'l1_tlb.ways', 32), (1, 'l1_tlb.sub_entries', 1), (1, 'l1_tlb.policy', "
    "'page'),"
    "(1, 'l3_tlb.entries', 512), (1, 'l3_tlb.ways', 16), (1, 'l3_tlb.sub_entries', 1), (1, 'l3_tlb.policy', "
    "'mesc'),"
    "(1, 'l3_tlb.sub_ways', 8), (1, 'walk.pwc_entries', 1024), (1, 'walk.pwc_ways', 4), (1, 'walk.msc', 512),"
    "(1, 'walk.msc_ways', 8), (1, 'neighbours.policy', 'none'), (1, 'neighbours.directory', 32),"
    "(1, 'neighbours.tag_bits', 18), (1, 'l1d.bytes', 131072), (1, 'l1d.ways', 4)";

static struct mp_db *db;
static sqlite3 *raw;

static int set_up(void **state)
{
    (void)state;
    const struct mp_db_tenant atax = {"ATAX", "small", 7, "x", {1, 2}, 4096};
    const struct mp_db_tenant_result result = {.cycles = 100, .instructions = 1000};
    const struct mp_db_totals totals = {.tenant = &result};
    const struct mp_db_run_info info = db_info(1, &atax);
    db_remove(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    CHECK(mp_db_run_begin(db, &info, &err));
    CHECK(mp_db_component_kind(db, "l1_tlb", "tlb", 1, &err));
    CHECK(mp_db_component_kind(db, "l3_tlb", "tlb", 3, &err));
    CHECK(mp_db_component_kind(db, "mesc", "tlb.range", 0, &err));
    CHECK(mp_db_component_kind(db, "walk", "walk", 0, &err));
    CHECK(mp_db_component_kind(db, "l1d", "cache", 1, &err));
    CHECK(mp_db_component_kind(db, "dram", "dram", 0, &err));
    for (unsigned i = 0; i < COUNTED; i++) {
        int metric =
            mp_db_metric(db, counted[i].kind, counted[i].metric, "times", "counted", MP_DB_COUNTER, &err);
        int component = mp_db_component(db, counted[i].path, counted[i].kind, &err);
        CHECK(mp_db_value(db, component, 0, metric, 100 * (i + 1), &err));
    }
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    assert_int_equal(sqlite3_open(FILE_NAME, &raw), SQLITE_OK);
    assert_int_equal(sqlite3_exec(raw, parameters, NULL, NULL, NULL), SQLITE_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sqlite3_close(raw);
    mp_db_close(db);
    return 0;
}

static void set(const char *path, const char *value)
{
    char sql[160];
    snprintf(sql, sizeof sql, "UPDATE parameter SET value = %s WHERE path = '%s'", value, path);
    assert_int_equal(sqlite3_exec(raw, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_changes(raw), 1);
}

/* Rows add up; the energy of an access is the same in each. */
static double of(const char *column, const char *structure, const char *access)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT ifnull(%s(%s), 0) FROM energy WHERE run = 1 AND structure = '%s' AND access = '%s'",
             strcmp(column, "count") ? "max" : "sum", column, structure, access);
    return db_number(db, sql);
}

static void test_the_papers_structures_have_their_values(void **state)
{
    (void)state;
    static const struct {
        const char *structure, *access;
        double nanojoules;
    } anchors[] = {
        {"l1_tlb", "lookup", 0.00234053},
        {"l1_tlb", "read", 0.00121914},
        {"l3_tlb", "lookup", 0.00954344},
        {"l3_tlb", "write", 0.0108681},
        {"l3_tlb.subregions", "lookup", 0.00486303},
        {"l3_tlb.subregions", "write", 0.00562178},
        {"pwc", "lookup", 0.00524097},
        {"pwc", "write", 0.00934342},
        {"page_table", "read", 7.4590},
        {"dram", "activate", 0.1908047},
        {"dram", "read", 2 * 3.63409},
    };
    for (unsigned i = 0; i < sizeof anchors / sizeof *anchors; i++)
        assert_float_equal(of("nanojoules", anchors[i].structure, anchors[i].access), anchors[i].nanojoules,
                           1e-9);
}

static void test_counts_follow_the_design(void **state)
{
    (void)state;
    assert_float_equal(of("count", "l1_tlb", "lookup"), 100, 0);
    assert_float_equal(of("count", "l1_tlb", "read"), 200, 0);
    assert_float_equal(of("count", "l3_tlb.subregions", "lookup"), 500, 0);
    assert_float_equal(of("count", "l3_tlb.subregions", "write"), 900, 0);
    assert_float_equal(of("count", "l3_tlb", "write"), 800, 0);
    assert_float_equal(of("count", "pwc", "write"), 1200 - 1000, 0);
    assert_float_equal(of("count", "page_table", "read"), 1200, 0);
    assert_float_equal(of("count", "dram", "read"), 1600 - 1200, 0); /* the walks' own are in page_table */
    set("walk.memory", "'cached'");                                  /* now in the L2 cache and the DRAM */
    assert_float_equal(of("count", "page_table", "read"), 0, 0);
    assert_float_equal(of("count", "dram", "read"), 1600, 0);
    set("walk.memory", "'dram'");
    set("l3_tlb.policy", "'subentry'");
    assert_float_equal(of("count", "l3_tlb.subregions", "lookup"), 0, 0);
    set("l3_tlb.policy", "'mesc'");
    assert_float_equal(of("count", "directory", "lookup"), 0, 0);
    set("neighbours.policy", "'neidty'");
    assert_float_equal(of("count", "directory", "lookup"), 300, 0);
    assert_float_equal(of("nanojoules", "directory", "lookup"), 0.00180947, 1e-9);
    set("neighbours.policy", "'none'");
}

/* By hand: row + 0.0603 data sqrt(entries (tag + data)), for the structure and for that of the file. */
static void test_geometry_scales(void **state)
{
    (void)state;
    set("walk.pwc_entries", "128");
    assert_float_equal(
        of("nanojoules", "pwc", "lookup"),
        0.00524097 * (416 + 0.0603 * 64 * sqrt(128 * 104)) / (416 + 0.0603 * 64 * sqrt(1024 * 104)), 1e-9);
    set("walk.pwc_entries", "1024");
    set("l1_tlb.entries", "64"); /* twice the entries are compared */
    set("l1_tlb.ways", "64");
    assert_float_equal(of("nanojoules", "l1_tlb", "lookup"), 2 * 0.00234053, 1e-9);
    assert_float_equal(of("nanojoules", "l1_tlb", "read"), sqrt(2) * 0.00121914, 1e-9);
    set("l3_tlb.policy", "'subentry'");
    set("l3_tlb.entries", "1024");
    set("l3_tlb.ways", "8");
    set("l3_tlb.sub_entries", "16");
    assert_float_equal(of("nanojoules", "l3_tlb", "lookup"), 0.223582, 1e-9);
    set("l3_tlb.policy", "'star'"); /* CACTI: 0.239419 */
    assert_float_equal(of("nanojoules", "l3_tlb", "lookup"), 0.239419, 0.03 * 0.239419);
    assert_true(of("nanojoules", "l1d", "lookup") > 0.1 && of("nanojoules", "l1d", "lookup") < 0.3);
    double before = of("nanojoules", "l1d", "lookup");
    set("l1d.bytes", "524288");
    assert_true(of("nanojoules", "l1d", "lookup") > before && of("nanojoules", "l1d", "lookup") < 2 * before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_papers_structures_have_their_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts_follow_the_design, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_geometry_scales, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
