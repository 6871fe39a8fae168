/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded values can be read back; impossible ones are refused in one line. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "db/host.h"
#include "synthetic.h"

#define FILE_NAME "test_record.db"

static struct mp_error err;
static struct mp_db *db;

static int set_up(void **state)
{
    (void)state;
    db_remove(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mp_db_close(db);
    db = NULL;
    return 0;
}

static const struct mp_db_tenant tenant[2] = {
    {"ATAX", "small", 4, "a.gwt", {0x0123456789abcdef, 0xfedcba9876543210}, 99},
    {NULL, NULL, 3, NULL, {0, 0}, 0},
};

static void expect_text(const char *sql, const char *expected)
{
    char *text = db_text(db, sql, MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, expected);
    free(text);
}

static void test_a_run_from_begin_to_end(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(2, tenant);
    int64_t run = mp_db_run_begin(db, &info, &err);
    assert_int_equal(run, 1);
    assert_int_equal(db_number(db, "SELECT count(*) FROM run WHERE status = 'running' AND ended IS NULL"), 1);
    assert_int_equal(db_number(db,
                               "SELECT length(uuid) = 36 AND cores > 0 AND pid > 0 AND pid_started > 0"
                               " AND started LIKE '20__-__-__T__:__:__.___Z' AND length(boot) > 10 FROM run"),
                     1);
    expect_text("SELECT config, config_hash = machine_hash FROM run", "\"seed: 7\n\",0\n");
    expect_text("SELECT hash, bytes FROM run_input", "fedcba98765432100123456789abcdef,99\n");
    assert_int_equal(mp_db_run_find(db, &info, &err), 0);

    const struct mp_db_tenant_result results[2] = {{1, 2, 3, 4, 5, 6, 0}, {7, 8, 9, 10, 11, 12, 13}};
    const struct mp_db_totals totals = {100,  200,     300,  400,   0.5,   {0x22, 0x11},
                                        NULL, results, 9000, false, false, 4};
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    expect_text(
        "SELECT status, cycles, instructions, accesses, translations, seconds, accesses_per_second, digest,"
        " error, peak_memory > 100000, events, cut_at, threads FROM run",
        "done,100,200,300,400,0.5,600,00000000000000110000000000000022,,1,9000,,4\n");
    struct mp_db_tenant_result back[1];
    assert_int_equal(mp_db_tenant_results(db, run, 1, back, &err), 2);
    assert_memory_equal(back, results, sizeof back);
    assert_int_equal(mp_db_tenant_results(db, 77, 1, back, &err), 0);
}

/* A run that was cut has results, but no view takes it for a finished one. */
static void test_a_cut_run_is_not_finished(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(0, NULL);
    assert_true(mp_db_run_begin(db, &info, &err) > 0);
    CHECK(mp_db_run_end(db, MP_DB_INTERRUPTED, &(struct mp_db_totals){.cycles = 70, .cut = true}, &err));
    expect_text("SELECT status, cycles, cut_at FROM run", "interrupted,70,70\n");
    expect_text("SELECT r.status, l.run FROM runs r, latest_run l", "cut,\n");
    assert_int_equal(mp_db_run_find(db, &info, &err), 0);
}

/* Settings are committed with the run's row, so that a killed run has them. */
static void test_settings_are_rows_at_once(void **state)
{
    (void)state;
    struct mp_db *other;
    const struct mp_setting setting[] = {{"seed", NULL, NULL, UINT64_MAX},
                                         {"tlb.entries", "entries", NULL, 1024},
                                         {"tlb.policy", NULL, "star", 0},
                                         {"tenants.0.app", NULL, "007", 0}};
    struct mp_db_run_info info = db_info(0, NULL);
    info.nsettings = sizeof setting / sizeof *setting;
    info.setting = setting;
    CHECK(mp_db_run_begin(db, &info, &err));
    CHECK(mp_db_open(&other, FILE_NAME, MP_DB_READ, &err));
    char *text =
        db_text(other, "SELECT path, value, typeof(value), unit FROM parameter ORDER BY path", MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, "seed,-1,integer,\ntenants.0.app,007,text,\n"
                                                "tlb.entries,1024,integer,entries\ntlb.policy,star,text,\n");
    free(text);
    mp_db_close(other);
    struct mp_setting twice[] = {setting[1], setting[1]};
    info.setting = twice;
    info.nsettings = 2;
    assert_int_equal(mp_db_run_begin(db, &info, &err), -1);
    assert_int_equal(db_number(db, "SELECT count(*) FROM run"), 1);
}

static void test_configuration_hash_is_xxh3(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(0, NULL);
    info.config_text = "";
    CHECK(mp_db_run_begin(db, &info, &err));
    /* XXH3-128 of no bytes, seed 0: test vector of the xxHash specification */
    expect_text("SELECT config_hash FROM run", "99aa06d3014798d86001c324468d497f\n");
}

/* Of the same configuration; of the same inputs; failed runs do not count. */
static void test_how_long_such_a_run_took(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(1, tenant);
    struct mp_db_totals totals = {.seconds = 0.5};
    assert_true(mp_db_run_seconds(db, &info) == 0);
    CHECK(mp_db_run_begin(db, &info, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    info.revision = "another";
    totals.seconds = 1;
    CHECK(mp_db_run_begin(db, &info, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    totals.seconds = 9;
    CHECK(mp_db_run_begin(db, &info, &err));
    CHECK(mp_db_run_end(db, MP_DB_FAILED, &totals, &err));
    info.revision = "a third";
    assert_true(mp_db_run_seconds(db, &info) == 1);
    info.config_text = "another machine";
    assert_true(mp_db_run_seconds(db, &info) == 0.75);
    struct mp_db_tenant other[2] = {tenant[0], tenant[0]};
    info.tenant = other;
    info.ntenants = 2;
    assert_true(mp_db_run_seconds(db, &info) == 0);
    info.ntenants = 1;
    assert_true(mp_db_run_seconds(db, &info) == 0.75);
    other[0].trace_hash[1]++;
    assert_true(mp_db_run_seconds(db, &info) == 0);
    info.ntenants = 0;
    assert_true(mp_db_run_seconds(db, &info) == 0);
}

static void test_finding_a_run_again(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(2, tenant);
    const struct mp_db_totals totals = {.seconds = 0};
    for (int i = 0; i < 2; i++) {
        CHECK(mp_db_run_begin(db, &info, &err));
        CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    }
    CHECK(mp_db_run_begin(db, &info, &err));
    CHECK(mp_db_run_end(db, MP_DB_FAILED, NULL, &err));
    info.ntenants = 1; /* the second has no trace to compare */
    assert_int_equal(mp_db_run_find(db, &info, &err), 2);
    info.revision = "another";
    assert_int_equal(mp_db_run_find(db, &info, &err), 0);
    info = db_info(1, tenant);
    info.seed = 8;
    assert_int_equal(mp_db_run_find(db, &info, &err), 0);
    struct mp_db_tenant other = tenant[0];
    other.trace_hash[0]++;
    info = db_info(1, &other);
    assert_int_equal(mp_db_run_find(db, &info, &err), 0);
    info.ntenants = 0;
    assert_int_equal(mp_db_run_find(db, &info, &err), 2);
}

static void test_a_run_with_another_plugin_is_another(void **state)
{
    (void)state;
    struct mp_db_plugin plugin[] = {{"mine", "/home/mine.so", {1, 2}}, {"more", "/home/more.so", {3, 4}}};
    struct mp_db_run_info info = db_info(1, tenant);
    const struct mp_db_totals totals = {.seconds = 0};
    CHECK(mp_db_run_begin(db, &info, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    info.nplugins = 2;
    info.plugin = plugin;
    assert_int_equal(mp_db_run_find(db, &info, &err), 0);
    CHECK(mp_db_run_begin(db, &info, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    assert_int_equal(mp_db_run_find(db, &info, &err), 2);
    expect_text("SELECT name, path, hash FROM run_plugin WHERE run = 2",
                "mine,/home/mine.so,00000000000000020000000000000001\n"
                "more,/home/more.so,00000000000000040000000000000003\n");
    expect_text("SELECT count(DISTINCT machine_hash) FROM run", "2\n");
    expect_text("SELECT plugins FROM runs WHERE run = 2", "plugin=mine plugin=more\n");
    plugin[1].hash[1]++;
    assert_int_equal(mp_db_run_find(db, &info, &err), 0);
    info.nplugins = 0;
    assert_int_equal(mp_db_run_find(db, &info, &err), 1);
}

static void test_components_make_a_tree(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(2, tenant);
    CHECK(mp_db_run_begin(db, &info, &err));
    int tlb = mp_db_component(db, "gpu.gpc0.l2_tlb", "l2_tlb", &err);
    assert_int_equal(tlb, 2);
    assert_int_equal(mp_db_component(db, "gpu.gpc0.l2_tlb", "l2_tlb", &err), tlb);
    assert_int_equal(mp_db_component(db, "gpu.gpc0", "gpc", &err), 1);
    char path[64];
    for (int i = 0; i < 1000; i++) {
        snprintf(path, sizeof path, "gpu.sm%d.l1d", i);
        assert_int_equal(mp_db_component(db, path, "l1d", &err), 4 + 2 * i);
    }
    static const char *const bad[] = {"", ".", "gpu.", ".gpu", "gpu..sm"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mp_db_component(db, bad[i], "x", &err), -1);
        assert_non_null(strchr(err.text, ';'));
    }
    CHECK(mp_db_flush(db, &err));
    expect_text(
        "SELECT c.path, c.kind, p.path, p.kind FROM component c LEFT JOIN component p ON p.run = c.run AND"
        " p.id = c.parent WHERE c.id <= 2 ORDER BY c.id",
        "gpu,gpu,,\ngpu.gpc0,gpc,gpu,gpu\ngpu.gpc0.l2_tlb,l2_tlb,gpu.gpc0,gpc\n");
    expect_text("SELECT count(*), count(DISTINCT path) FROM component", "2003,2003\n");
    /* Ids start at 0 again in the next run. */
    CHECK(mp_db_run_begin(db, &info, &err));
    assert_int_equal(mp_db_component(db, "soc", "soc", &err), 0);
}

static void test_values_histograms_epochs(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(2, tenant);
    CHECK(mp_db_run_begin(db, &info, &err));
    int c = mp_db_component(db, "gpu", "gpu", &err);
    int m = mp_db_metric(db, "gpu", "hits", "lookups", "found", MP_DB_COUNTER, &err);
    int linear = mp_db_metric(db, "gpu", "use", "ways", "used", MP_DB_HISTOGRAM_LINEAR, &err);
    int log2 = mp_db_metric(db, "gpu", "latency", "cycles", "taken", MP_DB_HISTOGRAM_LOG2, &err);
    assert_int_equal(mp_db_metric(db, "gpu", "hits", "lookups", "found", MP_DB_COUNTER, &err), m);
    CHECK(mp_db_value(db, c, 0, m, 1, &err));
    CHECK(mp_db_value(db, c, 0, m, INT64_MAX, &err)); /* replaces */
    CHECK(mp_db_value(db, c, MP_DB_NO_TENANT, m, 5, &err));
    CHECK(mp_db_flush(db, &err));
    CHECK(mp_db_value(db, c, MP_DB_NO_TENANT, m, 6, &err)); /* after a flush, too */
    uint64_t bins[64] = {4, 3, 0, 2};
    CHECK(mp_db_histogram(db, c, 1, linear, 4, bins, &err));
    CHECK(mp_db_histogram(db, c, 1, log2, 64, bins, &err));
    bins[63] = 1;
    CHECK(mp_db_histogram(db, c, 1, log2, 64, bins, &err)); /* replaces it with its bins */
    CHECK(mp_db_epoch(db, 1000, c, 1, m, 10, &err));
    CHECK(mp_db_epoch(db, 2000, c, 1, m, 30, &err));
    CHECK(mp_db_run_end(db, MP_DB_INTERRUPTED, NULL, &err));
    expect_text("SELECT tenant, value FROM metrics ORDER BY tenant", ",6\n0,9223372036854775807\n");
    expect_text("SELECT metric, bin, low, high, count, total, below FROM distributions WHERE run = 1"
                " ORDER BY metric DESC, bin",
                "use,0,0,0,4,9,0\nuse,1,1,1,3,9,4\nuse,3,3,3,2,9,7\n"
                "latency,0,0,0,4,10,0\nlatency,1,1,1,3,10,4\nlatency,3,4,7,2,10,7\n"
                "latency,63,4611686018427387904,9223372036854775807,1,10,9\n");
    expect_text("SELECT cycle, component, tenant, metric, value FROM epochs WHERE run = 1",
                "1000,gpu,1,hits,10\n2000,gpu,1,hits,30\n");
    expect_text("SELECT status FROM run", "interrupted\n");
}

/* Sums over components, which are taken again with every flush. */
static void test_totals(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(2, tenant);
    CHECK(mp_db_run_begin(db, &info, &err));
    int a = mp_db_component(db, "gpu.sm0", "sm", &err), b = mp_db_component(db, "gpu.sm1", "sm", &err);
    int m = mp_db_metric(db, "sm", "issued", "instructions", "issued", MP_DB_COUNTER, &err);
    CHECK(mp_db_value(db, a, 0, m, UINT64_C(1) << 40, &err));
    CHECK(mp_db_value(db, b, 0, m, UINT32_MAX, &err));
    CHECK(mp_db_value(db, a, 1, m, INT64_MAX, &err));
    CHECK(mp_db_value(db, b, MP_DB_NO_TENANT, m, 5, &err));
    CHECK(mp_db_flush(db, &err));
    expect_text("SELECT tenant, components, value FROM total ORDER BY tenant",
                "-1,1,5\n0,2,1103806595071\n1,1,9223372036854775807\n");
    CHECK(mp_db_value(db, b, 0, m, 1, &err));               /* replaces */
    CHECK(mp_db_value(db, b, 1, m, 1, &err));               /* too much */
    CHECK(mp_db_value(db, a, MP_DB_NO_TENANT, m, 6, &err)); /* another */
    CHECK(mp_db_run_end(db, MP_DB_INTERRUPTED, NULL, &err));
    expect_text("SELECT tenant, components, value FROM total ORDER BY tenant",
                "-1,2,11\n0,2,1099511627777\n1,2,9223372036854775807\n");
    expect_text("SELECT component_kind, tenant, metric, value FROM counters ORDER BY tenant",
                "sm,,issued,11\nsm,0,issued,1099511627777\nsm,1,issued,9223372036854775807\n");
}

static void test_epochs_in_several_batches(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(1, tenant);
    for (int run = 0; run < 2; run++) {
        CHECK(mp_db_run_begin(db, &info, &err));
        int c = mp_db_component(db, "gpu", "gpu", &err);
        int m = mp_db_metric(db, "gpu", "hits", "lookups", "found", MP_DB_COUNTER, &err);
        for (uint64_t i = 0; i < 100000; i++)
            CHECK(mp_db_epoch(db, i, c, 0, m, i * 3, &err));
        CHECK(mp_db_run_end(db, MP_DB_FAILED, NULL, &err));
    }
    for (int run = 1; run <= 2; run++) {
        char sql[160];
        snprintf(sql, sizeof sql, "SELECT count(*), sum(cycle), sum(value) FROM epochs WHERE run = %d", run);
        expect_text(sql, "100000,4999950000,14999850000\n");
    }
    expect_text("SELECT count(*) FROM epoch_batch", "4\n");
}

static void test_dictionary_is_shared(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(1, tenant);
    for (int i = 0; i < 3; i++) {
        struct mp_db *other;
        CHECK(mp_db_open(&other, FILE_NAME, MP_DB_WRITE, &err));
        CHECK(mp_db_run_begin(other, &info, &err));
        int c = mp_db_component(other, "gpu", "gpu", &err);
        int m = mp_db_metric(other, "gpu", "hits", i == 2 ? "pages" : "lookups", i ? "newer" : "older",
                             MP_DB_COUNTER, &err);
        CHECK(mp_db_value(other, c, 0, m, (uint64_t)i, &err));
        CHECK(mp_db_run_end(other, MP_DB_FAILED, NULL, &err));
        mp_db_close(other);
    }
    expect_text("SELECT unit, description FROM metric ORDER BY id", "lookups,newer\npages,newer\n");
    expect_text("SELECT run, unit, value FROM metrics ORDER BY run", "1,lookups,0\n2,lookups,1\n3,pages,2\n");
}

static void refused(int result, const char *with)
{
    assert_int_equal(result, -1);
    if (!strstr(err.text, with) || strchr(err.text, '\n') || !strchr(err.text, ';'))
        fail_msg("unexpected: %s", err.text);
    err.text[0] = '\0';
}

static void test_what_cannot_be_right_is_refused(void **state)
{
    (void)state;
    uint64_t bins[4] = {1};
    refused(mp_db_value(db, 0, 0, 0, 0, &err), "no run is open");
    refused(mp_db_component(db, "gpu", "gpu", &err), "no run is open");
    refused(mp_db_flush(db, &err), "no run is open");
    refused(mp_db_run_end(db, MP_DB_DONE, NULL, &err), "no run is open");
    struct mp_db_run_info info = db_info(2, tenant);
    CHECK(mp_db_run_begin(db, &info, &err));
    int c = mp_db_component(db, "gpu", "gpu", &err);
    int m = mp_db_metric(db, "gpu", "hits", "lookups", "found", MP_DB_COUNTER, &err);
    int h = mp_db_metric(db, "gpu", "latency", "cycles", "taken", MP_DB_HISTOGRAM_LOG2, &err);
    refused(mp_db_value(db, c + 1, 0, m, 0, &err), "component 1: unknown");
    refused(mp_db_value(db, -1, 0, m, 0, &err), "component -1: unknown");
    refused(mp_db_value(db, c, 2, m, 0, &err), "tenant 2: unknown");
    refused(mp_db_value(db, c, -2, m, 0, &err), "tenant -2: unknown");
    refused(mp_db_value(db, c, 0, h + 1, 0, &err), "metric 2: unknown");
    refused(mp_db_value(db, c, 0, m, UINT64_C(1) << 63, &err), "too large");
    refused(mp_db_epoch(db, UINT64_MAX, c, 0, m, 0, &err), "too large");
    refused(mp_db_histogram(db, c, 0, m, 4, bins, &err), "not a histogram");
    refused(mp_db_histogram(db, c, 0, h, 0, bins, &err), "0 bins");
    refused(mp_db_histogram(db, c, 0, h, 65, bins, &err), "65 bins");
    int l = mp_db_metric(db, "gpu", "time", "cycles", "taken", MP_DB_HISTOGRAM_LOG_LINEAR, &err);
    refused(mp_db_histogram(db, c, 0, l, 1889, bins, &err), "1889 bins; 1 to 1888");
    refused(mp_db_run_end(db, MP_DB_DONE, NULL, &err), "totals");
    const struct mp_db_point point = {"p", "f", "s", "x", 1, true, "u", "", false};
    refused(mp_db_measured_point(db, &point, "r", 0, NULL, &err), "FOREIGN KEY");
    CHECK(mp_db_paper_point(db, &point, &err));
    refused(mp_db_measured_point(db, &point, "r", 1, (const int64_t[]){99}, &err), "FOREIGN KEY");
    assert_int_equal(db_number(db, "SELECT count(*) FROM measured_point"), 0);
}

static void test_points(void **state)
{
    (void)state;
    struct mp_db_run_info info = db_info(1, tenant);
    CHECK(mp_db_run_begin(db, &info, &err));
    struct mp_db_point point = {"star", "fig3", "W1", "ATAX", 0.9, true, "of alone", "read off", false};
    CHECK(mp_db_paper_point(db, &point, &err));
    point.value = 0.5;
    CHECK(mp_db_paper_point(db, &point, &err)); /* replaces */
    point.series = "W2";
    point.has_value = false;
    CHECK(mp_db_paper_point(db, &point, &err));
    point.series = "W1";
    for (int i = 1; i <= 2; i++) {
        point.value = 0.25 * i;
        point.derived = i == 2;
        CHECK(mp_db_measured_point(db, &point, "abc", 1, (const int64_t[]){1}, &err));
    }
    expect_text("SELECT series, paper_value, measured, ratio, note, runs, revision, derived FROM figures "
                "ORDER BY position",
                "W1,0.5,0.5,1,read off,1,abc,1\nW2,,,,read off,,,\n");
}

static void test_alive(void **state)
{
    (void)state;
    struct mp_db_host here;
    mp_db_host(&here);
    assert_int_equal(mp_db_alive(&here, 5, here.boot, here.pid, here.started), MP_DB_ALIVE);
    assert_int_equal(mp_db_alive(&here, 5, here.boot, here.pid, here.started + 1),
                     MP_DB_DEAD); /* another process has its id */
    assert_int_equal(mp_db_alive(&here, 5, here.boot, here.pid, 0), MP_DB_UNKNOWN);
    snprintf(here.boot, sizeof here.boot, "machine@name/boot1/pid:[1]");
    static const struct {
        const char *boot;
        enum mp_db_alive alive;
    } cases[] = {
        {"machine@name/boot1/pid:[2]", MP_DB_UNKNOWN}, /* another container */
        {"machine@name/boot0/pid:[1]", MP_DB_DEAD},    /* has booted since */
        {"machine@other/boot0/pid:[1]", MP_DB_UNKNOWN},
        {"other@name/boot0/pid:[1]", MP_DB_UNKNOWN},
        {"machine@name/boot0/pid:[1]/file:5", MP_DB_DEAD},
        {"machine@name/boot0/pid:[1]/file:6", MP_DB_UNKNOWN}, /* this is a copy of that file */
        {"machine@other/boot0/pid:[1]/file:5", MP_DB_UNKNOWN},
        {"example", MP_DB_UNKNOWN},
        {"", MP_DB_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_db_alive(&here, 5, cases[i].boot, 1, 1), cases[i].alive);
    snprintf(here.boot, sizeof here.boot, "@name/boot1/pid:[1]"); /* no machine id */
    assert_int_equal(mp_db_alive(&here, 5, "@name/boot0/pid:[1]", 1, 1), MP_DB_UNKNOWN);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_a_run_from_begin_to_end),
        TEST(test_a_cut_run_is_not_finished),
        TEST(test_settings_are_rows_at_once),
        TEST(test_configuration_hash_is_xxh3),
        TEST(test_how_long_such_a_run_took),
        TEST(test_finding_a_run_again),
        TEST(test_a_run_with_another_plugin_is_another),
        TEST(test_components_make_a_tree),
        TEST(test_values_histograms_epochs),
        TEST(test_totals),
        TEST(test_epochs_in_several_batches),
        TEST(test_dictionary_is_shared),
        TEST(test_what_cannot_be_right_is_refused),
        TEST(test_points),
        TEST(test_alive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
