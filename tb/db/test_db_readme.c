/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of db/README.md and db/REFERENCE.md are what the queries print for the synthetic database.
 * After a change of a view, `test_db_readme --update` replaces them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../whole_file.h"
#include "synthetic.h"

#define PROMPT    "$ mempath query "
#define FILE_NAME "test_readme.db"

static const char *const pages[] = {README, REFERENCE};
#define PAGES (sizeof pages / sizeof *pages)

static struct mp_error err;

/* NAME [name=value ...], or one SQL statement in double quotes. */
static void answer(struct mp_db *db, char *command, FILE *out)
{
    struct mp_db_parameter parameter[4];
    unsigned n = 0;
    char *save, *what = command + 1;
    if (command[0] == '"') {
        what[strcspn(what, "\"")] = '\0';
    } else {
        what = strtok_r(command, " ", &save);
        for (char *p; n < 4 && (p = strtok_r(NULL, " ", &save));) {
            char *equals = strchr(p, '=');
            assert_non_null(equals);
            *equals = '\0';
            parameter[n++] = (struct mp_db_parameter){p, equals + 1};
        }
    }
    if (mp_db_query(db, what, n, parameter, MP_DB_TABLE, out, &err))
        fail_msg("%s", err.text);
}

/* Returns the page with the answer after each prompt, up to the next prompt or the end of the block. */
static char *render(const char *page)
{
    struct mp_db *db;
    char *text = NULL, *line = NULL;
    size_t size, room = 0;
    bool skipping = false;
    db_synthetic(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
    FILE *in = fopen(page, "r"), *out = open_memstream(&text, &size);
    assert_non_null(in);
    while (getline(&line, &room, in) > 0) {
        bool prompt = !strncmp(line, PROMPT, strlen(PROMPT));
        if (prompt || !strncmp(line, "```", 3))
            skipping = false;
        if (!skipping)
            fputs(line, out);
        if (!prompt)
            continue;
        line[strcspn(line, "\n")] = '\0';
        answer(db, line + strlen(PROMPT), out);
        skipping = true;
    }
    free(line);
    fclose(in);
    fclose(out);
    mp_db_close(db);
    return text;
}

static void test_examples_are_true(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PAGES; i++) {
        char *now = render(pages[i]), *there = whole_file(pages[i]);
        assert_non_null(strstr(there, PROMPT));
        assert_string_equal(there, now);
        free(now);
        free(there);
    }
}

static void test_every_view_and_query_is_explained(void **state)
{
    (void)state;
    struct mp_db *db;
    char *reference = whole_file(REFERENCE), *save, name[80];
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_READ, &err));
    char *views = db_text(db, "SELECT name FROM sqlite_schema WHERE type IN ('view', 'table')", MP_DB_CSV);
    strtok_r(views, "\n", &save);
    for (char *v; (v = strtok_r(NULL, "\n", &save));) {
        snprintf(name, sizeof name, "`%s`", v);
        if (!strstr(reference, name))
            fail_msg("%s is not in the reference", name);
    }
    for (unsigned i = 0; i < mp_db_nqueries; i++) {
        snprintf(name, sizeof name, "`%s`", mp_db_queries[i].name);
        if (!strstr(reference, name))
            fail_msg("query %s is not in the reference", name);
    }
    free(views);
    free(reference);
    mp_db_close(db);
}

static int update(void)
{
    for (unsigned i = 0; i < PAGES; i++) {
        char *now = render(pages[i]), fresh[4096];
        snprintf(fresh, sizeof fresh, "%s.new", pages[i]);
        FILE *f = fopen(fresh, "w");
        if (!f || fputs(now, f) < 0 || fclose(f) || rename(fresh, pages[i])) {
            perror(pages[i]);
            return 1;
        }
        free(now);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--update"))
        return update();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_are_true),
        cmocka_unit_test(test_every_view_and_query_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
