/* SPDX-License-Identifier: Apache-2.0 */
/* Output formats, parameters, and that queries change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "synthetic.h"

#define FILE_NAME "test_query.db"

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

static void expect(const char *sql, enum mp_db_format format, const char *expected)
{
    char *text = db_text(db, sql, format);
    assert_string_equal(text, expected);
    free(text);
}

#define ODD                                                                                                  \
    "SELECT 1 AS n, 0.1 AS r, NULL AS none, 'a \"b\", c' AS t, x'00ff' AS b"                                 \
    " UNION ALL SELECT -22, 1234567.0, 'x', 'd' || char(10) || 'é', NULL"

static void test_table(void **state)
{
    (void)state;
    expect(ODD, MP_DB_TABLE,
           "  n        r  none  t         b\n"
           "---  -------  ----  --------  ---------\n"
           "  1      0.1  -     a \"b\", c  (2 bytes)\n"
           "-22  1234567  x     d é       -\n");
    expect("SELECT 1 AS n WHERE 0", MP_DB_TABLE, "n\n-\n");
    expect("SELECT 12 AS number, 'x' AS mixed UNION ALL SELECT 3, 45", MP_DB_TABLE,
           "number  mixed\n------  -----\n    12  x\n     3  45\n");
    /* A single text of several lines, such as a configuration, is printed as it is. */
    expect("SELECT 'a: 1' || char(10) || 'b: 2' || char(10) AS config", MP_DB_TABLE, "a: 1\nb: 2\n");
}

static void test_json(void **state)
{
    (void)state;
    expect(ODD, MP_DB_JSON,
           "[\n{\"n\":1,\"r\":0.1,\"none\":null,\"t\":\"a \\\"b\\\", c\",\"b\":\"00ff\"},\n"
           "{\"n\":-22,\"r\":1234567,\"none\":\"x\",\"t\":\"d\\né\",\"b\":null}\n]\n");
    expect("SELECT 1 AS n WHERE 0", MP_DB_JSON, "[]\n");
    expect("SELECT cast(x'61ff62c3' AS TEXT) || char(1) AS t, 9e999 AS inf, 1.0 / 3 AS third", MP_DB_JSON,
           "[\n{\"t\":\"a\\ufffdb\\ufffd\\u0001\",\"inf\":null,\"third\":0.3333333333333333}\n]\n");
}

static void test_csv(void **state)
{
    (void)state;
    expect(ODD, MP_DB_CSV, "n,r,none,t,b\n1,0.1,,\"a \"\"b\"\", c\",00ff\n-22,1234567,x,\"d\né\",\n");
    expect("SELECT 1 AS n WHERE 0", MP_DB_CSV, "n\n");
}

static void refused(const char *sql, const char *with)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    err.text[0] = '\0';
    int result = mp_db_query(db, sql, 0, NULL, MP_DB_JSON, f, &err);
    fclose(f);
    if (result != -1 || size || !strstr(err.text, with) || strchr(err.text, '\n') || !strchr(err.text, ';'))
        fail_msg("%s: result %d, output \"%s\", error \"%s\"", sql, result, text, err.text);
    free(text);
}

static void test_only_reading(void **state)
{
    (void)state;
    static const char *const writes[] = {
        "DELETE FROM run",
        "UPDATE run SET status = 'done'",
        "INSERT INTO metric VALUES (99, 'a', 'b', 'c', 'counter', 'd')",
        "DROP TABLE run",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t (a)",
        "ATTACH 'other.db' AS other",
        "VACUUM INTO 'other.db'",
        "PRAGMA user_version = 5",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA wal_checkpoint",
        "PRAGMA query_only = OFF",
        "BEGIN",
        "COMMIT",
        "WITH x AS (SELECT 1) DELETE FROM run",
        "DELETE FROM run RETURNING id",
    };
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        refused(writes[i], "only read");
    refused("SELECT 1; DELETE FROM run", "more than one statement");
    refused("SELECT 1; SELECT 2", "more than one statement");
    refused("SELECT load_extension('x')", "not authorized");
    refused("", "unknown");
    refused("-- nothing", "no statement");
    refused("SELECT nosuch FROM run", "no such column");
    refused("SELEKT 1", "syntax error");
    refused("nosuch", "unknown; a SELECT statement, or back_pressure, caches,");
    refused("SELECT abs(-9223372036854775807 - 1)", "integer overflow");
    expect("SELECT count(*) AS n FROM run; -- fine ;\n ; ", MP_DB_CSV, "n\n3\n");
    assert_true(db_number(db, "PRAGMA user_version") >= 2);
    expect("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3) SELECT sum(x) AS s "
           "FROM c",
           MP_DB_CSV, "s\n6\n");
    /* The handle can record afterwards. */
    struct mp_db_run_info info = db_info(0, NULL);
    assert_int_equal(mp_db_run_begin(db, &info, &err), 4);
}

static void test_parameters(void **state)
{
    (void)state;
    char *text = db_text_with(db, "SELECT typeof(:a), :a, typeof(:b), :b, typeof(:c), :c, :d AS d", 3,
                              (const struct mp_db_parameter[]){{"a", "-7"}, {"b", "1e3"}, {"c", "7 sisters"}},
                              MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, "integer,-7,real,1000,text,7 sisters,\n");
    free(text);
    text = db_text_with(db, "SELECT run FROM ipc WHERE run = :run", 0, NULL, MP_DB_CSV);
    assert_string_equal(text, "run\n3\n3\n");
    free(text);
    text = db_text_with(db, "SELECT run FROM ipc WHERE run = :run", 1,
                        (const struct mp_db_parameter[]){{"run", "2"}}, MP_DB_CSV);
    assert_string_equal(text, "run\n2\n");
    free(text);
    const struct mp_db_parameter nosuch = {"tenant", "1"};
    assert_int_equal(mp_db_query(db, "ipc", 1, &nosuch, MP_DB_CSV, stdout, &err), -1);
    assert_string_equal(err.text, "query ipc: no parameter :tenant; its parameters are :run");
    assert_int_equal(mp_db_query(db, "runs", 1, &nosuch, MP_DB_CSV, stdout, &err), -1);
    assert_string_equal(err.text, "query runs: no parameter :tenant; it has none");
}

/* Answers about rows that do not exist would be empty tables. */
static void test_rows_that_are_not_there(void **state)
{
    (void)state;
    static const struct {
        const char *query;
        unsigned n;
        struct mp_db_parameter parameter[2];
        const char *error;
    } table[] = {
        {"ipc", 1, {{"run", "99"}}, "query ipc: no run 99; 1 to 4"},
        {"latest", 1, {{"run", "0"}}, "query latest: no run 0; 1 to 4"},
        {"config", 1, {{"run", "abc"}}, "query config: no run abc; 1 to 4"},
        {"coverage", 1, {{"cosim", "7"}}, "query coverage: no cosim 7; 1 to "},
        {"rtl", 1, {{"rtl", "-1"}}, "query rtl: no rtl -1; 1 to "},
        {"mutants", 1, {{"mutation", "2"}}, "query mutants: no mutation 2; 1 to "},
        {"registers", 1, {{"block", "GPV"}}, "query registers: no block GPV; "},
        {"figures", 1, {{"paper", "moon"}}, "query figures: no paper moon; "},
        {"metrics", 1, {{"kind", "l4_tlb"}}, "query metrics: no kind l4_tlb; "},
        {"epochs", 2, {{"kind", "l3_tlb"}, {"metric", "no such"}}, "query epochs: no metric no such; "},
        {"epochs", 1, {{"kind", "l3_tlb"}}, "query epochs: no metric; metric=VALUE, of "},
        {"epochs", 0, {{NULL, NULL}}, "query epochs: no kind; kind=VALUE, of "},
        {"counters", 1, {{"level", "4"}}, "query counters: no level 4; 1, 2, 3"},
        {"parameters", 1, {{"run", "99"}}, "query parameters: no run 99; 1 to 4, or all"},
        {"parameters", 1, {{"path", "l9_*"}}, "query parameters: no path l9_*; l1_tlb.entries, "},
        {"ipc", 1, {{"run", "all"}}, "query ipc: no run all; 1 to 4"},
        {"compare", 1, {{"run", "3"}}, "query compare: only one run; name two or more, as in run=3,7"},
        {"ipc", 1, {{"run", "1,99"}}, "query ipc: no run 99; 1 to 4"},
        {"ipc", 1, {{"run", "1,"}}, "query ipc: run 1, is not a list; join runs by commas"},
        {"compare", 1, {{"run", "1,99"}}, "query compare: no run 99; 1 to 4"},
        {"compare", 1, {{"run", "1,"}}, "query compare: run 1, is not a list; join runs by commas"},
        {"compare", 1, {{"run", "1,2]') --"}}, "query compare: run 1,2]') -- is not a list; "},
        {"compare", 1, {{"run", "all"}}, "query compare: run all is not a list; "},
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);
        assert_int_equal(
            mp_db_query(db, table[i].query, table[i].n, table[i].parameter, MP_DB_TABLE, f, &err), -1);
        fclose(f);
        assert_int_equal(size, 0);
        free(text);
        if (strncmp(err.text, table[i].error, strlen(table[i].error)) != 0)
            fail_msg("%s: '%s', not '%s'", table[i].query, err.text, table[i].error);
    }
}

static void expect_with(const char *query, const char *name, const char *value, const char *expected)
{
    const struct mp_db_parameter only = {name, value};
    char *text = db_text_with(db, query, 1, &only, MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, expected);
    free(text);
}

/* A query of one run takes a list, too, and gives the rows of each run in turn. */
static void test_a_list_of_runs(void **state)
{
    static const enum mp_db_format formats[] = {MP_DB_CSV, MP_DB_TABLE};
    char one[40], *of[4], *both;
    (void)state;
    for (unsigned f = 0; f < 2; f++) {
        const unsigned heads = f ? 2 : 1; /* lines */
        for (unsigned i = 0; i < 4; i++) {
            snprintf(one, sizeof one, "%u", i ? i : 3);
            of[i] = db_text_with(db, "tlb", 1, &(struct mp_db_parameter){"run", one}, formats[f]);
        }
        both = db_text_with(db, "tlb", 1, &(struct mp_db_parameter){"run", "3,1,2"}, formats[f]);
        unsigned lines = 0, expected = heads;
        for (const char *c = both; *c; c++)
            lines += *c == '\n';
        for (unsigned i = 1; i < 4; i++)
            for (const char *c = of[i]; *c; c++)
                expected += *c == '\n';
        assert_int_equal(lines, expected - 3 * heads);
        if (!f)
            assert_int_equal(strncmp(both, of[0], strlen(of[0])), 0);
        for (unsigned i = 0; i < 4; i++)
            free(of[i]);
        free(both);
    }
    char *text = db_text_with(db, "config", 1, &(struct mp_db_parameter){"run", "1,2"}, MP_DB_CSV);
    assert_int_equal(strncmp(text, "run,config\n1,", 13), 0);
    assert_non_null(strstr(text, "\n2,"));
    free(text);
}

static void test_parameters_query(void **state)
{
    (void)state;
    expect_with("parameters", "path", "l3_tlb.*",
                "3,l3_tlb.entries,2048,entries\n3,l3_tlb.latency,40,cycles\n3,l3_tlb.policy,star,\n"
                "3,l3_tlb.sub_entries,16,sub-entries\n3,l3_tlb.ways,8,ways\n");
    expect_with("parameters", "path", "polic", "3,l1_tlb.policy,subentry,\n3,l3_tlb.policy,star,\n");
    expect_with("parameters", "run", "2",
                "2,l1_tlb.entries,32,entries\n2,l1_tlb.policy,subentry,\n2,l1_tlb.sub_entries,1,sub-entries\n"
                "2,l1_tlb.ways,32,ways\n2,l3_tlb.entries,1024,entries\n2,l3_tlb.latency,40,cycles\n"
                "2,l3_tlb.policy,star,\n2,l3_tlb.sub_entries,16,sub-entries\n2,l3_tlb.ways,8,ways\n"
                "2,machine.clock_mhz,1000,\n2,machine.line_bytes,128,B\n2,machine.sharing,mig,\n2,seed,7,\n"
                "2,walk.memory,fixed,\n2,walk.pwc_entries,128,entries\n2,walk.pwc_ways,8,ways\n");
    char *text =
        db_text_with(db, "parameters", 2,
                     (const struct mp_db_parameter[]){{"run", "all"}, {"path", "l3*.entries"}}, MP_DB_CSV);
    assert_string_equal(text, "run,path,value,unit\n1,l3_tlb.entries,1024,entries\n"
                              "2,l3_tlb.entries,1024,entries\n3,l3_tlb.entries,2048,entries\n");
    free(text);
}

/* ATAX takes twice as many cycles in run 3 as in run 1. Tenant 0 of run 2 is FIR. */
static void test_compare_query(void **state)
{
    (void)state;
    expect_with("compare", "run", "1,1", "");
    expect_with("compare", "run", "1,3",
                "program,trace,1,,3,000000000000bbbb0000000000002222,\n"
                "configuration,l3_tlb.entries,,1024,3,2048,2\n"
                "result,cycles,0,10000,3,20000,2\nresult,cycles,1,,3,4000,\n"
                "result,ipc,0,0.8,3,0.4,0.5\nresult,ipc,1,,3,0.75,\n"
                "result,l1_tlb hit rate,1,,3,0.9,\nresult,l1d hit rate,1,,3,0.75,\n"
                "result,l2_tlb hit rate,1,,3,0.75,\nresult,l2d hit rate,1,,3,0.5,\n"
                "result,l3_tlb hit rate,1,,3,0.8,\n"
                "result,walk mean cycles,1,,3,250,\nresult,walk walks,1,,3,2,\n");
    char *three = db_text_with(
        db, "compare", 2, (const struct mp_db_parameter[]){{"run", "1,2,3"}, {"kind", "walk"}}, MP_DB_CSV);
    assert_non_null(strstr(three, "result,walk walk_cycles,0,9000,2,500,0.05555555555555555\n"
                                  "result,walk walk_cycles,1,,3,500,\n"));
    assert_null(strstr(three, "tlb hit rate"));
    free(three);
}

static void test_nothing_is_done_yet(void **state)
{
    (void)state;
    struct mp_db *empty;
    const struct mp_db_parameter one = {"run", "1"};
    db_remove("test_empty.db");
    CHECK(mp_db_open(&empty, "test_empty.db", MP_DB_WRITE, &err));
    assert_int_equal(mp_db_query(empty, "ipc", 0, NULL, MP_DB_TABLE, stdout, &err), -1);
    assert_string_equal(
        err.text,
        "query ipc: no finished run; start one with mempath run, or name run=N (mempath query runs)");
    assert_int_equal(mp_db_query(empty, "ipc", 1, &one, MP_DB_TABLE, stdout, &err), -1);
    assert_string_equal(err.text, "query ipc: no run 1; the database has none yet");
    char *text = db_text(empty, "runs", MP_DB_JSON); /* a list may be empty */
    assert_string_equal(text, "[]\n");
    free(text);
    struct mp_db_run_info info = db_info(0, NULL);
    CHECK(mp_db_run_begin(empty, &info, &err));
    CHECK(mp_db_run_end(empty, MP_DB_DONE, &(struct mp_db_totals){0}, &err));
    assert_int_equal(mp_db_query(empty, "compare", 0, NULL, MP_DB_TABLE, stdout, &err), -1);
    assert_string_equal(
        err.text,
        "query compare: only one finished run; name two or more, as in run=3,7 (mempath query runs)");
    mp_db_close(empty);
}

/* With a plugin. Begins a run that stays running, so that the latest finished run stays the same. */
static void run_of_firmware(void)
{
    static const struct mp_db_tenant nobody[1];
    static const struct mp_db_plugin plugin = {"mine", "/home/mine.so", {1, 2}};
    const struct mp_db_run_info info = {
        .experiment = "mm.elf", .nplugins = 1, .plugin = &plugin, .ntenants = 1, .tenant = nobody};
    const struct mp_db_firmware firmware = {{"mm.elf", {1, 2}, 1000}, 0, NULL};
    assert_true(mp_db_run_begin(db, &info, &err) > 0);
    CHECK(mp_db_firmware_begin(db, &firmware, &err));
    const struct mp_db_injection fault[] = {
        {"interrupt-lost", "gpu-queue", "event 2", "recovered", .happened = true, .cycle = 70},
        {"bus-error", "gpu", "event 9", "not reached", .drawn = true, .seed = 5}};
    CHECK(mp_db_injections(db, fault, 2, &err));
}

static void test_named_queries(void **state)
{
    (void)state;
    run_of_firmware();
    assert_true(mp_db_nqueries >= 15);
    for (unsigned i = 0; i < mp_db_nqueries; i++) {
        const struct mp_db_query *q = &mp_db_queries[i];
        assert_true(strlen(q->description) > 10);
        assert_true(i == 0 || strcmp(mp_db_queries[i - 1].name, q->name) < 0);
        assert_int_equal(strstr(q->parameters, ":run") != NULL, strstr(q->sql, ":run") != NULL);
        struct mp_db_parameter only[] = {{"kind", "l3_tlb"}, {"metric", "misses"}};
        bool epochs = !strcmp(q->name, "epochs"), seeds = !strcmp(q->name, "seeds"),
             managed = !strncmp(q->name, "uvm", 3); /* test_db_managed */
        char *text = db_text_with(db, q->name, epochs ? 2 : 0, only, MP_DB_CSV), *rows = strchr(text, '\n');
        if (!seeds && !managed && (!rows || !rows[1])) /* no study of seeds */
            fail_msg("%s: no rows from the synthetic database", q->name);
        free(text);
    }
    CHECK(mp_db_run_end(db, MP_DB_FAILED, NULL, &err));
}

static void test_output_that_cannot_be_written(void **state)
{
    (void)state;
    for (enum mp_db_format format = MP_DB_TABLE; format <= MP_DB_CSV; format++) {
        FILE *f = fopen("/dev/full", "w");
        assert_non_null(f);
        assert_int_equal(mp_db_query(db, "metrics", 0, NULL, format, f, &err), -1);
        assert_non_null(strstr(err.text, "output"));
        fclose(f);
    }
}

/* Adds run, tenant and app of each row to a text. */
static void add_row(void *self, unsigned n, const struct mp_db_cell *cell)
{
    char *text = self;
    size_t used = strlen(text);
    assert_int_equal(n, 3);
    assert_string_equal(cell[2].name, "app");
    snprintf(text + used, 100 - used, "%lld %lld %s;", (long long)cell[0].integer, (long long)cell[1].real,
             cell[2].text ? cell[2].text : "-");
}

static void test_rows(void **state)
{
    (void)state;
    static const char sql[] = "SELECT run, tenant, app FROM tenant WHERE run = :run ORDER BY tenant DESC";
    const struct mp_db_parameter second = {"run", "2"};
    const int64_t runs[] = {3, 7, 1};
    char latest[100] = "", one[100] = "", each[100] = "", none[100] = "";
    CHECK(mp_db_rows(db, sql, 0, NULL, 0, NULL, add_row, latest, &err));
    assert_string_equal(latest, "3 1 FIR;3 0 ATAX;");
    CHECK(mp_db_rows(db, sql, 1, &second, 0, NULL, add_row, one, &err));
    assert_string_equal(one, "2 0 FIR;");
    CHECK(mp_db_rows(db, sql, 0, NULL, 3, runs, add_row, each, &err));
    assert_string_equal(each, "3 1 FIR;3 0 ATAX;1 0 ATAX;");
    CHECK(mp_db_rows(db, sql, 0, NULL, 0, runs, add_row, none, &err));
    assert_string_equal(none, "");
    assert_int_equal(mp_db_rows(db, "DELETE FROM run", 0, NULL, 0, NULL, add_row, none, &err), -1);
    assert_int_equal(mp_db_rows(db, "moon", 0, NULL, 0, NULL, add_row, none, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_only_reading),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_rows_that_are_not_there),
        cmocka_unit_test(test_a_list_of_runs),
        cmocka_unit_test(test_parameters_query),
        cmocka_unit_test(test_compare_query),
        cmocka_unit_test(test_nothing_is_done_yet),
        cmocka_unit_test(test_named_queries),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_output_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
