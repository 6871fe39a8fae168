/* SPDX-License-Identifier: Apache-2.0 */
/* Each view of the synthetic database, compared with numbers computed by hand from the tables in synthetic.c.
 */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_views.db"

static struct mp_error err;
static struct mp_db *db;

static int set_up(void **state)
{
    (void)state;
    db_synthetic(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mp_db_close(db);
    return 0;
}

static const struct view_case {
    const char *view, *sql, *expected;
} cases[] = {
    {"runs", "SELECT run, started, experiment, status, apps, cycles, accesses_per_second FROM runs",
     "1,2026-01-31T12:00:01.000Z,atax-alone,done,ATAX/4g,10000,800\n"
     "2,2026-01-31T12:00:02.000Z,fir-alone,done,FIR/3g,4000,500\n"
     "3,2026-01-31T12:00:03.000Z,both,done,ATAX/4g FIR/3g,20000,1300\n"},
    {"latest_run", "SELECT run FROM latest_run", "3\n"},
    {"simulation_speed",
     "SELECT run, accesses_per_second, translations_per_second, cycles_per_second, peak_memory_mib, "
     "build_type, cores"
     " FROM simulation_speed WHERE run = 3",
     "3,1300,3000,40000,24,Release,2\n"},
    {"ipc", "SELECT tenant, app, slices, ipc, thread_ipc FROM ipc WHERE run = 3",
     "0,ATAX,4,0.4,12.8\n1,FIR,3,0.75,24\n"},
    {"alone", "SELECT run, slices, cycles, hash FROM alone ORDER BY run",
     "1,4,10000,000000000000aaaa0000000000001111\n2,3,4000,000000000000bbbb0000000000002222\n"},
    {"slowdown",
     "SELECT run, tenant, app, cycles, alone_run, alone_cycles, relative_performance, slowdown FROM slowdown",
     "3,0,ATAX,20000,1,10000,0.5,2\n3,1,FIR,4000,2,4000,1,1\n"},
    /* 2 / (2 + 1), 0.5 + 1, 2, 1 / 2 */
    {"workload_performance",
     "SELECT run, apps, harmonic_mean, weighted_speedup, max_slowdown, fairness FROM workload_performance",
     "3,ATAX FIR,0.6666666666666666,1.5,2,0.5\n"},
    {"tlb_hit_rate",
     "SELECT level, tenant, app, lookups, hits, misses, mshr_merges, evictions, hit_rate FROM tlb_hit_rate"
     " WHERE run = 3 ORDER BY level, tenant",
     "l1_tlb,0,ATAX,1000,600,400,80,,0.6\nl1_tlb,1,FIR,500,450,50,10,,0.9\n"
     "l2_tlb,0,ATAX,320,160,160,40,64,0.5\nl2_tlb,1,FIR,40,30,10,0,4,0.75\n"
     "l3_tlb,0,ATAX,120,90,30,0,,0.75\nl3_tlb,1,FIR,10,8,2,0,,0.8\n"},
    {"l2_tlb_mpki", "SELECT tenant, app, misses, mpki, thread_mpki FROM l2_tlb_mpki WHERE run = 1",
     "0,ATAX,160,20,0.625\n"},
    {"tlb_mpki", "SELECT level, tenant, misses, mpki FROM tlb_mpki WHERE run = 1 ORDER BY level",
     "l1_tlb,0,400,50\nl2_tlb,0,160,20\nl3_tlb,0,30,3.75\n"},
    {"counters",
     "SELECT component_kind, level, tenant, value, unit FROM counters"
     " WHERE run = 3 AND kind = 'tlb' AND metric = 'misses' ORDER BY level, tenant",
     "l1_tlb,1,0,400,lookups\nl1_tlb,1,1,50,lookups\nl2_tlb,2,0,160,lookups\nl2_tlb,2,1,10,lookups\n"
     "l3_tlb,3,0,30,lookups\nl3_tlb,3,1,2,lookups\n"},
    {"sub_entry_use",
     "SELECT tenant, app, sub_entries, evictions, fraction, cumulative FROM sub_entry_use WHERE run = 3",
     "0,ATAX,1,6,0.5,0.5\n0,ATAX,2,3,0.25,0.75\n0,ATAX,16,3,0.25,1\n1,FIR,16,2,1,1\n"},
    {"sub_entry_use_mean", "SELECT tenant, evictions, mean_sub_entries FROM sub_entry_use_mean WHERE run = 3",
     "0,12,5\n1,2,16\n"},
    {"reuse_distance",
     "SELECT app, from_pages, to_pages, reuses, round(cumulative, 4) FROM reuse_distance WHERE run = 3",
     "ATAX,1,1,10,0.1111\nATAX,4,7,20,0.3333\nATAX,512,1023,60,1\nFIR,0,0,8,1\n"},
    {"walk_counts",
     "SELECT walks, queue_cycles, walk_cycles, pwc_lookups, pwc_hits FROM walk_counts WHERE run = 3",
     "30,3000,9000,90,81\n2,0,500,6,3\n"},
    /* 10 walks of 200 cycles, in 200 to 203, and 20 of 500, in 496 to 503; two of 250, in 248 to 251. */
    {"walk_latency",
     "SELECT app, walks, mean_cycles, mean_queueing, mean_walking, p50, p90, p99, maximum, "
     "error_percent FROM walk_latency WHERE run = 3 ORDER BY tenant",
     "ATAX,30,400,100,300,499.5,499.5,499.5,500,1.6\nFIR,2,250,0,250,249.5,249.5,249.5,250,1.6\n"},
    {"percentiles",
     "SELECT component_kind, metric, unit, tenant, count, p50, round(p95, 4), maximum, error_percent FROM "
     "percentiles"
     " WHERE run = 3 AND metric = 'sub_entries_at_eviction'",
     "l3_tlb,sub_entries_at_eviction,sub-entries,0,12,1,16,,0\nl3_tlb,sub_entries_at_eviction,sub-entries,1,"
     "2,"
     "16,16,,0\n"},
    {"distributions",
     "SELECT tenant, scale, bin, low, high, count, total, below, maximum FROM distributions WHERE run = 2 "
     "AND "
     "metric = 'walk_latency'",
     "0,log_linear,126,248,251,2,2,0,250\n"},
    {"page_walk_cache",
     "SELECT app, lookups, hits, hit_rate FROM page_walk_cache WHERE run = 3 ORDER BY tenant",
     "ATAX,90,81,0.9\nFIR,6,3,0.5\n"},
    {"cache_hit_rate",
     "SELECT level, app, lookups, hits, writebacks, hit_rate FROM cache_hit_rate WHERE run = 3 ORDER BY "
     "level, tenant",
     "l1d,ATAX,2000,500,0,0.25\nl1d,FIR,800,600,0,0.75\nl2d,ATAX,1400,700,70,0.5\nl2d,FIR,200,100,0,0.5\n"},
    /* 770 lines in 20000 cycles; 3850 busy cycles of two channels in 20000 cycles */
    {"dram_use",
     "SELECT app, reads, writes, row_hit_rate, lines_per_kcycle, utilisation FROM dram_use WHERE run = 3"
     " ORDER BY tenant",
     "ATAX,700,70,0.8,38.5,0.09625\nFIR,100,0,0.9,25,0.0625\n"},
    {"back_pressure",
     "SELECT level, app, lookups, mshr_merges, stalls, stalls_per_1000 FROM back_pressure WHERE run = 3 AND "
     "stalls > 0"
     " ORDER BY level",
     "l1_tlb,ATAX,1000,80,20,20\nl1d,ATAX,2000,100,40,20\nl2_tlb,ATAX,320,40,8,25\n"},
    {"sm_activity",
     "SELECT app, sms, issued, ipc_per_sm, accesses, mean_access_cycles, lsu_stalls FROM sm_activity WHERE "
     "run = 3",
     "ATAX,2,8000,0.2,3000,400,900\nFIR,2,3000,0.375,500,200,100\n"},
    {"simulation_cost",
     "SELECT run, cut_at, instructions_per_translation, l1_misses_per_translation, "
     "l2_misses_per_translation, "
     "instructions_per_event, l1_misses_per_event, l2_misses_per_event FROM simulation_cost",
     "3,,4000,100,20,500,12.5,2.5\n"},
    {"student", "SELECT count(*), min(n), max(n), max(t), min(t) FROM student", "29,2,30,12.706,2.045\n"},
    {"seed_means", "SELECT label, metric, seeds, mean FROM seed_means", ""}, /* see test_db_study.c */
    {"kernels",
     "SELECT run, tenant, app, launch, kernel, began, cycles, instructions, walks, dram_lines FROM kernels",
     "3,0,ATAX,1,atax_rows,0,9000,3000,,50\n3,0,ATAX,2,atax_columns,10000,10000,5000,,20\n"},
    {"points",
     "SELECT name, number, label, run, status, apps, cycles, ipc, weighted_speedup, max_slowdown, fairness, "
     "alone "
     "FROM points ORDER BY number",
     "shared,1,atax,1,done,ATAX,10000,0.8,,,,\nshared,2,both,3,done,ATAX FIR,20000,1.15,1.5,2,0.5,\n"
     "shared,3,fir twice,,,,,,,,,\n"},
    {"estimates", "SELECT run, tenant, app, name, value, half_width, windows, detail FROM estimates",
     ""}, /* see below */
    /* 30 walks read 90 lines; see test_db_energy.c */
    {"energy",
     "SELECT tenant, app, part, access, count, round(nanojoules, 5) FROM energy WHERE run = 3 AND structure "
     "= 'l1_tlb'"
     " ORDER BY access, tenant",
     "0,ATAX,translation,lookup,1000,0.00234\n0,ATAX,translation,lookup,120,0.00234\n"
     "1,FIR,translation,lookup,500,0.00234\n1,FIR,translation,lookup,10,0.00234\n"
     "0,ATAX,translation,read,600,0.00122\n1,FIR,translation,read,450,0.00122\n"},
    {"energy_counts",
     "SELECT tenant, part, access, count FROM energy_counts WHERE run = 3 AND structure = 'l3_tlb'"
     " ORDER BY tenant, access",
     "0,translation,lookup,120\n0,translation,read,90\n1,translation,lookup,10\n1,translation,read,8\n"},
    {"energy_terms",
     "SELECT name, factor, part, of_parent, structure, access FROM energy_terms JOIN metric m ON m.id = "
     "metric"
     " WHERE run = 3 AND structure IN ('pwc', 'dram')"
     " ORDER BY structure, access, factor",
     "row_misses,1,data,0,dram,activate\nreads,1,data,0,dram,read\nwrites,1,data,0,dram,write\n"
     "pwc_lookups,1,translation,0,pwc,lookup\nwalks,-1,translation,0,pwc,write\n"
     "levels_read,1,translation,0,pwc,write\n"},
    {"energy_costs",
     "SELECT access, round(nanojoules, 5) FROM energy_costs WHERE run = 3 AND structure = 'l1_tlb' ORDER BY "
     "access",
     "lookup,0.00234\nread,0.00122\nwrite,0.00146\n"},
    {"launch_energy",
     "SELECT tenant, launch, part, structure, access, count, round(nanojoules, 5) FROM launch_energy WHERE "
     "run = 3"
     " ORDER BY launch, access",
     "0,1,data,dram,read,40,7.26818\n0,1,data,dram,write,10,7.26818\n"
     "0,2,data,dram,read,20,7.26818\n0,2,data,dram,write,0,7.26818\n"},
    {"structures",
     "SELECT structure, class, entries, row, tag, data FROM structures WHERE run = 3 ORDER BY structure",
     "dram,dram,1,1024,0,1024\nl1_tlb,full,32,3200,36,64\nl3_tlb,wide,2048,7792,60,914\npage_table,page_"
     "table,1,1024,0,1024\n"
     "pwc,pwc,128,832,40,64\n"},
    {"results",
     "SELECT tenant, app, metric, value, unit FROM results WHERE run = 3 AND metric GLOB 'l3_tlb*' ORDER BY "
     "metric, tenant",
     "0,ATAX,l3_tlb.hit_rate,0.75,of look-ups\n1,FIR,l3_tlb.hit_rate,0.8,of look-ups\n"
     "0,ATAX,l3_tlb.mpki,3.75,misses per 1000 warp instructions\n"
     "1,FIR,l3_tlb.mpki,0.6666666666666666,misses per 1000 warp instructions\n"
     "0,ATAX,l3_tlb.stalls,0,per 1000 look-ups\n1,FIR,l3_tlb.stalls,0,per 1000 look-ups\n"},
    {"views_version", "SELECT length(hash) FROM views_version", "64\n"},
    {"metrics",
     "SELECT component, tenant, value, unit FROM metrics WHERE run = 1 AND kind = 'l2_tlb' AND metric = "
     "'evictions'"
     " ORDER BY component",
     "gpu.gpc0.l2_tlb,0,32,translations\ngpu.gpc1.l2_tlb,0,32,translations\n"},
    {"epochs",
     "SELECT cycle, component, kind, tenant, metric, value, unit FROM epochs WHERE run = 2 ORDER BY cycle",
     "1000,gpu.gpc0.l3_tlb,l3_tlb,0,misses,1,lookups\n2000,gpu.gpc0.l3_tlb,l3_tlb,0,misses,4,lookups\n"
     "3000,gpu.gpc0.l3_tlb,l3_tlb,0,misses,9,lookups\n"},
    {"figures",
     "SELECT series, x, paper_value, measured, round(ratio, 4), runs FROM figures ORDER BY position",
     "both,ATAX,0.6,0.5,0.8333,1 3\nboth,FIR,,,,\n"},
    /* No tenant here is managed; test_db_managed has values. */
    {"managed_memory", "SELECT run, tenant, faults FROM managed_memory", ""},
    {"fault_cost", "SELECT run, tenant, part, cycles FROM fault_cost", ""},
};

static void test_view(void **state)
{
    const struct view_case *c = *state;
    char *text = db_text(db, c->sql, MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, c->expected);
    free(text);
}

static void test_every_view_has_a_case(void **state)
{
    (void)state;
    char *text = db_text(db, "SELECT name FROM sqlite_schema WHERE type = 'view'", MP_DB_CSV);
    char *save, *name;
    strtok_r(text, "\n", &save); /* the header */
    unsigned views = 0;
    while ((name = strtok_r(NULL, "\n", &save))) {
        bool found = false;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            found = found || !strcmp(cases[i].view, name);
        if (!found)
            fail_msg("view %s has no case", name);
        views++;
    }
    assert_int_equal(views, sizeof cases / sizeof *cases);
    free(text);
}

/* An older run alone of the same revision precedes a newer one of another revision. A different machine never
 * counts. */
static void test_which_run_alone_is_compared(void **state)
{
    (void)state;
    struct mp_db *other;
    db_synthetic("test_views_alone.db");
    CHECK(mp_db_open(&other, "test_views_alone.db", MP_DB_WRITE, &err));
    const struct mp_db_tenant atax = {"ATAX", "small", 4, "x", {0x1111, 0xaaaa}, 4096};
    const struct mp_db_tenant_result result = {.cycles = 16000, .instructions = 8000};
    const struct mp_db_totals totals = {.tenant = &result};
    struct mp_db_run_info info = db_info(1, &atax);
    info.revision = "older";
    CHECK(mp_db_run_begin(other, &info, &err));
    CHECK(mp_db_run_end(other, MP_DB_DONE, &totals, &err));
    assert_int_equal(db_number(other, "SELECT alone_run FROM slowdown WHERE run = 3 AND tenant = 0"), 1);
    info = db_info(1, &atax);
    info.machine_text = "another machine";
    CHECK(mp_db_run_begin(other, &info, &err));
    CHECK(mp_db_run_end(other, MP_DB_DONE, &totals, &err));
    assert_int_equal(db_number(other, "SELECT alone_run FROM slowdown WHERE run = 3 AND tenant = 0"), 1);
    info = db_info(1, &atax);
    CHECK(mp_db_run_begin(other, &info, &err));
    CHECK(mp_db_run_end(other, MP_DB_DONE, &totals, &err));
    assert_int_equal(db_number(other, "SELECT alone_run FROM slowdown WHERE run = 3 AND tenant = 0"), 6);
    assert_int_equal(db_number(other, "SELECT 100 * slowdown FROM slowdown WHERE run = 3 AND tenant = 0"),
                     125);
    mp_db_close(other);
}

static void record_value(struct mp_db *to, const char *path, const char *kind, const char *metric,
                         uint64_t value)
{
    int m = mp_db_metric(to, kind, metric, "requests", "counted", MP_DB_COUNTER, &err);
    int c = mp_db_component(to, path, kind, &err);
    CHECK(mp_db_value(to, c, 0, m, value, &err));
}

static void expect(struct mp_db *from, const char *sql, const char *expected)
{
    char *text = db_text(from, sql, MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, expected);
    free(text);
}

/* A fourth TLB level, a third cache level, and a design's own component, which no view names. */
static void test_views_show_what_nothing_named_before(void **state)
{
    (void)state;
    struct mp_db *other;
    db_remove("test_views_new.db");
    CHECK(mp_db_open(&other, "test_views_new.db", MP_DB_WRITE, &err));
    const struct mp_db_tenant atax = {"ATAX", "small", 4, "x", {1, 2}, 4096};
    const struct mp_db_tenant_result result = {.cycles = 100, .instructions = 1000};
    const struct mp_db_totals totals = {.tenant = &result};
    const struct mp_db_run_info info = db_info(1, &atax);
    static const char *const counted[] = {"lookups", "hits", "misses", "mshr_merges", "stalls"};
    CHECK(mp_db_run_begin(other, &info, &err));
    CHECK(mp_db_component_kind(other, "l4_tlb", "tlb", 4, &err));
    CHECK(mp_db_component_kind(other, "l3d", "cache", 3, &err));
    for (uint64_t i = 0; i < 5; i++) {
        record_value(other, "gpu.l4_tlb", "l4_tlb", counted[i], 10 * (5 - i));
        record_value(other, "gpu.l3d", "l3d", counted[i], 20 * (5 - i));
    }
    record_value(other, "gpu.l4_tlb.colouring", "colouring", "recoloured", 7);
    CHECK(mp_db_run_end(other, MP_DB_DONE, &totals, &err));
    expect(other, "SELECT level, lookups, hits, hit_rate FROM tlb_hit_rate WHERE run = 1",
           "l4_tlb,50,40,0.8\n");
    expect(other, "SELECT level, mpki FROM tlb_mpki WHERE run = 1", "l4_tlb,30\n");
    expect(other, "SELECT count(*) FROM l2_tlb_mpki WHERE run = 1", "0\n");
    expect(other, "SELECT level, misses FROM cache_hit_rate WHERE run = 1", "l3d,60\n");
    expect(other, "SELECT level, stalls, stalls_per_1000 FROM back_pressure WHERE run = 1 ORDER BY level",
           "l3d,20,200\nl4_tlb,10,200\n");
    expect(other,
           "SELECT kind, level, metric, value FROM counters WHERE run = 1 AND component_kind = 'colouring'",
           "colouring,,recoloured,7\n");
    mp_db_close(other);
}

/* Only a declaration replaces a kind that an earlier process declared. */
static void test_kinds_are_a_dictionary(void **state)
{
    (void)state;
    static const char sql[] = "SELECT name, kind, level FROM component_kind WHERE name = 'l2_tlb'";
    for (unsigned declared = 0; declared < 2; declared++) {
        struct mp_db *other;
        const struct mp_db_run_info info = db_info(0, NULL);
        db_synthetic("test_views_kinds.db");
        CHECK(mp_db_open(&other, "test_views_kinds.db", MP_DB_WRITE, &err));
        CHECK(mp_db_run_begin(other, &info, &err));
        if (declared)
            CHECK(mp_db_component_kind(other, "l2_tlb", "buffer", 0, &err));
        assert_true(mp_db_component(other, "gpu.l2_tlb", "l2_tlb", &err) >= 0);
        CHECK(mp_db_run_end(other, MP_DB_FAILED, NULL, &err));
        expect(other, sql, declared ? "l2_tlb,buffer,\n" : "l2_tlb,tlb,2\n");
        mp_db_close(other);
    }
}

/* No version writes estimates any more. */
static void test_estimates_of_older_versions_are_read(void **state)
{
    (void)state;
    struct mp_db *other;
    sqlite3 *s;
    db_synthetic("test_views_estimates.db");
    assert_int_equal(sqlite3_open("test_views_estimates.db", &s), SQLITE_OK);
    assert_int_equal(sqlite3_exec(s,
                                  "INSERT INTO estimate (run, tenant, name, unit, value, half_width, windows)"
                                  " VALUES (3, 1, 'ipc', 'instructions/cycle', 1.5, 0.25, 8);"
                                  "UPDATE run SET status = 'interrupted', detail = 0.125 WHERE id = 3",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(s);
    CHECK(mp_db_open(&other, "test_views_estimates.db", MP_DB_READ, &err));
    expect(other, "SELECT run, app, name, value, half_width, unit, windows, detail FROM estimates",
           "3,FIR,ipc,1.5,0.25,instructions/cycle,8,0.125\n");
    expect(other, "SELECT run, status FROM runs ORDER BY run", "1,done\n2,done\n3,estimate\n");
    expect(other, "SELECT run FROM latest_run", "2\n");
    mp_db_close(other);
}

int main(void)
{
    enum { NCASES = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[NCASES + 5];
    for (size_t i = 0; i < NCASES; i++)
        tests[i] = (struct CMUnitTest){cases[i].view, test_view, NULL, NULL, (void *)&cases[i]};
    tests[NCASES] = (struct CMUnitTest)cmocka_unit_test(test_every_view_has_a_case);
    tests[NCASES + 1] = (struct CMUnitTest)cmocka_unit_test(test_which_run_alone_is_compared);
    tests[NCASES + 2] = (struct CMUnitTest)cmocka_unit_test(test_views_show_what_nothing_named_before);
    tests[NCASES + 3] = (struct CMUnitTest)cmocka_unit_test(test_kinds_are_a_dictionary);
    tests[NCASES + 4] = (struct CMUnitTest)cmocka_unit_test(test_estimates_of_older_versions_are_read);
    return cmocka_run_group_tests_name("views", tests, set_up, tear_down);
}
