/* SPDX-License-Identifier: Apache-2.0 */
/* A database of an older revision: after the migrations, the named queries print what that revision printed.
 */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../whole_file.h"
#include "db/migrate.h"
#include "synthetic.h"

#define FILE_NAME "test_old.db"
#define ANSWERS   FIXTURE "/a5943b1.answers"

static struct mp_error err;
static struct mp_db *db;

static int set_up(void **state)
{
    (void)state;
    sqlite3 *s;
    char version[96], *dump = whole_file(FIXTURE "/a5943b1.sql");
    snprintf(version, sizeof version, "PRAGMA user_version = 10; PRAGMA application_id = %d",
             MP_DB_APPLICATION_ID);
    db_remove(FILE_NAME);
    assert_int_equal(sqlite3_open(FILE_NAME, &s), SQLITE_OK);
    assert_int_equal(sqlite3_exec(s, dump, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(s, version, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(s);
    free(dump);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mp_db_close(db);
    return 0;
}

/* "NAME [name=value ...]" */
static char *ask(const char *command)
{
    struct mp_db_parameter parameter[4];
    unsigned n = 0;
    char line[120], *save, *name, *p;
    snprintf(line, sizeof line, "%s", command);
    name = strtok_r(line, " ", &save);
    while (n < 4 && (p = strtok_r(NULL, " ", &save))) {
        char *equals = strchr(p, '=');
        assert_non_null(equals);
        *equals = '\0';
        parameter[n++] = (struct mp_db_parameter){p, equals + 1};
    }
    return db_text_with(db, name, n, parameter, MP_DB_CSV);
}

/* The query `walks` marks percentiles from bins that double in width: they have no largest value, and can be
 * wrong by 100 %. The queries `runs`, `latest` and `cosim` are not among the answers: they show columns that
 * the schema lacked then. */
static void test_queries_give_the_same_answers(void **state)
{
    (void)state;
    char *answers = whole_file(ANSWERS), *at = answers, *next;
    unsigned asked = 0;
    for (; at; at = next) {
        assert_true(!strncmp(at, "$ ", 2));
        char *text = strchr(at, '\n') + 1;
        text[-1] = '\0';
        if ((next = strstr(text, "\n$ ")))
            *++next = '\0';
        char *now = ask(at + 2);
        if (strcmp(now, text) != 0)
            fail_msg("query %s:\n%s\nnot\n%s", at + 2, now, text);
        free(now);
        if (next)
            *next = '$';
        asked++;
    }
    assert_true(asked > 50);
    free(answers);
}

static void expect(const char *sql, const char *expected)
{
    char *text = db_text(db, sql, MP_DB_CSV);
    assert_string_equal(strchr(text, '\n') + 1, expected);
    free(text);
}

static void test_kinds_and_levels_are_derived(void **state)
{
    (void)state;
    expect("SELECT name, kind, level FROM component_kind WHERE level IS NOT NULL ORDER BY name",
           "l1_tlb,tlb,1\nl1d,cache,1\nl2_tlb,tlb,2\nl2d,cache,2\nl3_tlb,tlb,3\n");
    expect("SELECT count(*) FROM component WHERE kind NOT IN (SELECT name FROM component_kind)", "0\n");
    expect(
        "SELECT component_kind, sum(value) = (SELECT sum(hits) FROM tlb_hit_rate h WHERE h.run = 2 AND"
        " h.level = component_kind) AS equal FROM counters WHERE run = 2 AND kind = 'tlb' AND metric = 'hits'"
        " GROUP BY level",
        "l1_tlb,1\nl2_tlb,1\nl3_tlb,1\n");
}

static void test_configurations_become_rows(void **state)
{
    (void)state;
    expect("SELECT run, count(*), sum(typeof(value) = 'integer') FROM parameter WHERE run IN (2, 6, 7) GROUP "
           "BY run",
           "2,96,76\n6,93,75\n7,87,73\n");
    expect(
        "SELECT path, value, typeof(value) FROM parameter WHERE run = 5 AND path IN ('seed', 'l3_tlb.policy',"
        " 'l3_tlb.entries', 'l2_tlb.per_tenant', 'dram.rp', 'tenants.2.app', 'tenants.2.slices') ORDER BY "
        "path",
        "dram.rp,14,integer\nl2_tlb.per_tenant,false,text\nl3_tlb.entries,512,integer\nl3_tlb.policy,star,"
        "text\n"
        "seed,1,integer\ntenants.2.app,ST,text\ntenants.2.slices,2,integer\n");
    expect("SELECT e.value, i.app, i.ipc > 0 FROM ipc i"
           " JOIN parameter e ON e.run = i.run AND e.path = 'l3_tlb.entries'"
           " JOIN parameter p ON p.run = i.run AND p.path = 'l3_tlb.policy' AND p.value = 'star'",
           "512,MT,1\n512,NW,1\n512,ST,1\n");
}

static void test_compare(void **state)
{
    (void)state;
    char *text = ask("compare run=2,5");
    assert_string_equal(text, "about,name,tenant,first,run,value,ratio\n"
                              "configuration,l3_tlb.policy,,subentry,5,star,\n"
                              "configuration,stats.epoch,,100000,5,0,0\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries_give_the_same_answers),
        cmocka_unit_test(test_kinds_and_levels_are_derived),
        cmocka_unit_test(test_configurations_become_rows),
        cmocka_unit_test(test_compare),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
