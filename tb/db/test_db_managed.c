/* SPDX-License-Identifier: Apache-2.0 */
/* A window of managed memory, recorded and read back, and what the named queries make of it and of counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_managed.db"

static struct mp_error err;

/* A page comes twice. Copies in take 1000 cycles of the window, and copies out 100. */
static const struct mp_db_managed_action actions[] = {
    {"fault", 0, 1000, 1000, 0x200000, 1},     {"batch", 0, 1000, 1900, 0, 1},
    {"copy in", 0, 1100, 1200, 0x200000, 2},   {"copy out", 0, 1500, 1600, 0x200000, 2},
    {"copy in", 1, 1600, 2400, 0x40000000, 1}, {"copy in", 0, 2400, 2500, 0x200000, 1},
    {"replay", 0, 1900, 1900, 0, 0},
};
static const struct mp_db_managed_resident resident[] = {
    {0, 0x200000, 1200, 2}, {0, 0x200000, 1450, 0}, {0, 0x200000, 1450, 1}};

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

static struct mp_db_managed_window window(struct mp_db *db)
{
    return (struct mp_db_managed_window){.component = mp_db_component(db, "gpu.uvm", "uvm", &err),
                                         .first = 1000,
                                         .last = 3000,
                                         .page_bytes = 4096,
                                         .nactions = sizeof actions / sizeof *actions,
                                         .nresident = sizeof resident / sizeof *resident,
                                         .action = actions,
                                         .resident = resident};
}

static void asked(struct mp_db *db, const char *sql, const char *expected)
{
    char *text = db_text(db, sql, MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, expected);
    free(text);
}

static void end(struct mp_db *db)
{
    struct mp_db_totals totals = {0};
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
}

static void a_window_comes_out_as_it_went_in(void **state)
{
    struct mp_db *db = with_run();
    (void)state;
    const struct mp_db_managed_window w = window(db);
    CHECK(mp_db_managed_window(db, &w, &err));
    end(db);
    asked(db, "SELECT path, first, last, page_bytes FROM managed_window JOIN component ON id = component",
          "gpu.uvm,1000,3000,4096\n");
    asked(db, "uvm_actions",
          "gpu.uvm,fault,0,ATAX,1000,1000,0x200000,1\n"
          "gpu.uvm,batch,0,ATAX,1000,1900,,1\n"
          "gpu.uvm,copy in,0,ATAX,1100,1200,0x200000,2\n"
          "gpu.uvm,copy out,0,ATAX,1500,1600,0x200000,2\n"
          "gpu.uvm,copy in,1,FIR,1600,2400,0x40000000,1\n"
          "gpu.uvm,replay,0,ATAX,1900,1900,,0\n"
          "gpu.uvm,copy in,0,ATAX,2400,2500,0x200000,1\n");
    asked(db, "uvm_residency", "0,ATAX,0x200000,1200,2\n0,ATAX,0x200000,1450,1\n"); /* the last of a cycle */
    asked(db, "uvm_thrashing", "0,ATAX,0x200000,2,1200,2500\n");
    mp_db_close(db);
}

/* The twentieths have the cycles and the bytes of the copies. */
static void the_link_is_as_busy_as_its_copies(void **state)
{
    struct mp_db *db = with_run();
    (void)state;
    const struct mp_db_managed_window w = window(db);
    CHECK(mp_db_managed_window(db, &w, &err));
    end(db);
    char *text = db_text(db, "uvm_link", MP_DB_CSV), *rest = NULL;
    double in = 0, out = 0;
    unsigned lines = 0;
    strtok_r(text, "\n", &rest);
    for (char *line; (line = strtok_r(NULL, "\n", &rest)); lines++) {
        unsigned from, to;
        double share_in, share_out;
        assert_int_equal(sscanf(line, "gpu.uvm,%u,%u,%lf,%lf", &from, &to, &share_in, &share_out), 4);
        assert_int_equal(to - from, 100);
        in += share_in;
        out += share_out;
    }
    free(text);
    assert_int_equal(lines, 20);
    assert_true(in > 9.99 && in < 10.01 && out > 0.99 && out < 1.01);
    mp_db_close(db);
}

static void one_window_per_server(void **state)
{
    struct mp_db *db = with_run();
    (void)state;
    const struct mp_db_managed_window w = window(db);
    CHECK(mp_db_managed_window(db, &w, &err));
    assert_int_equal(mp_db_managed_window(db, &w, &err), -1);
    asked(db, "SELECT count(*) FROM managed_action", "7\n"); /* whole or not at all */
    mp_db_close(db);
}

/* Shares and rates that need no clock, which this run has not. */
static void counters_become_costs(void **state)
{
    static const struct {
        const char *name;
        uint64_t value;
    } counter[] = {
        {"entries", 40},       {"faults", 50},        {"batches", 10},     {"faulted", 20},
        {"prefetched", 60},    {"bytes_in", 327680},  {"busy_in", 40000},  {"fault_cycles", 500000},
        {"batch_cycles", 90},  {"notice_batches", 5}, {"counted", 20},     {"fetch_cycles", 30},
        {"prefetch_used", 45}, {"prefetch_lost", 6},  {"copy_cycles", 60}, {"interrupt_cycles", 10},
        {"host_faults", 5},    {"host_moved", 7},     {"held", 9},         {"naps", 3},
        {"pinned", 2},         {"unpinned", 1}};
    struct mp_db *db = with_run();
    (void)state;
    int server = mp_db_component(db, "gpu.uvm", "uvm", &err);
    for (unsigned i = 0; i < sizeof counter / sizeof *counter; i++) {
        int metric = mp_db_metric(db, "uvm", counter[i].name, "", "made up", MP_DB_COUNTER, &err);
        CHECK(mp_db_value(db, server, 0, metric, counter[i].value, &err));
    }
    end(db);
    asked(db, "SELECT faults, batches, faults_per_batch, faulted, prefetched, coverage FROM managed_memory",
          "40,10,4,20,60,0.6\n");
    asked(db, "SELECT accuracy, prefetch_lost FROM managed_memory", "0.75,6\n");
    asked(db, "SELECT host_faults, host_moved FROM managed_memory", "5,7\n");
    asked(db, "SELECT held, naps, pinned, unpinned FROM managed_memory", "9,3,2,1\n");
    asked(db, "SELECT part, cycles, share FROM fault_cost ORDER BY position",
          "interrupt,10,0.1\nfetch,30,0.3\ncopy,60,0.6\n");
    mp_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_comes_out_as_it_went_in),
        cmocka_unit_test(the_link_is_as_busy_as_its_copies),
        cmocka_unit_test(one_window_per_server),
        cmocka_unit_test(counters_become_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
