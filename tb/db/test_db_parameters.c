/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that the migration makes of a stored configuration are those that a new run records. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"
#include "db/migrate.h"
#include "synthetic.h"

#define FILE_NAME "test_parameters.db"

static struct mp_error err;

static void record(const struct mp_config *config, unsigned *n)
{
    struct mp_db *db;
    char *text = mp_config_text(config);
    struct mp_setting *setting = mp_config_settings(config, n);
    struct mp_db_run_info info = db_info(0, NULL);
    info.config_text = text;
    info.seed = config->seed;
    info.nsettings = *n;
    info.setting = setting;
    db_remove(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    CHECK(mp_db_run_begin(db, &info, &err));
    mp_db_close(db);
    free(setting);
    free(text);
}

static const char *migration(const char *name)
{
    for (unsigned i = 0; i < mp_db_nmigrations; i++) {
        if (!strcmp(mp_db_migrations[i].name, name))
            return mp_db_migrations[i].sql;
    }
    fail_msg("no migration %s", name);
    return NULL;
}

static void same_rows(const struct mp_config *config, const char *name)
{
    sqlite3 *s;
    sqlite3_stmt *q;
    unsigned n;
    record(config, &n);
    assert_int_equal(sqlite3_open(FILE_NAME, &s), SQLITE_OK);
    assert_int_equal(sqlite3_exec(s,
                                  "PRAGMA synchronous = OFF;"
                                  "CREATE TEMP TABLE given AS SELECT path, value FROM parameter;"
                                  "DROP TABLE parameter",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(s, migration("0014_parameters"), NULL, NULL, NULL), SQLITE_OK);
    static const char different[] =
        "SELECT path, value FROM (SELECT path, typeof(value), value FROM given EXCEPT"
        " SELECT path, typeof(value), value FROM parameter) UNION ALL"
        " SELECT path, value FROM (SELECT path, typeof(value), value FROM parameter EXCEPT"
        " SELECT path, typeof(value), value FROM given)";
    assert_int_equal(sqlite3_prepare_v2(s, different, -1, &q, NULL), SQLITE_OK);
    if (sqlite3_step(q) == SQLITE_ROW)
        fail_msg("%s: %s is '%s' in one of the two only", name, (const char *)sqlite3_column_text(q, 0),
                 (const char *)sqlite3_column_text(q, 1));
    sqlite3_finalize(q);
    assert_int_equal(sqlite3_prepare_v2(s, "SELECT count(*) FROM parameter", -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(q, 0), n);
    assert_true(n > mp_nparams());
    sqlite3_finalize(q);
    sqlite3_close(s);
}

static void test_shipped_configurations(void **state)
{
    (void)state;
    for (unsigned i = 0; mp_config_name(i); i++) {
        struct mp_config config;
        CHECK(mp_config_load(&config, mp_config_name(i), 0, NULL, &err));
        same_rows(&config, mp_config_name(i));
        mp_config_free(&config);
    }
}

static void replace(char **text, const char *with)
{
    free(*text);
    *text = strdup(with);
}

/* Texts with what YAML, JSON or SQL treats specially. */
static void test_awkward_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"a \"b\"\\n\tc\nd: e",
                                        "tenants:",
                                        "  - app: \"x\"",
                                        "\\",
                                        "\\\\u0001",
                                        "1024",
                                        "it's 'x', [1, 2] - {y} # z",
                                        "été",
                                        " ",
                                        "\"",
                                        "- "};
    struct mp_config config;
    CHECK(mp_config_load(&config, "demo", 0, NULL, &err));
    config.seed = UINT64_MAX;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        replace(&config.description, texts[i]);
        replace(&config.tenant[1].trace, texts[i]);
        replace(&config.tenant[2].app, texts[i]);
        same_rows(&config, texts[i]);
    }
    mp_config_free(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_configurations),
        cmocka_unit_test(test_awkward_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
