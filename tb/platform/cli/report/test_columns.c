/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the report page: each of the three forms where it is the shortest, and what does not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "cli/cli.h"
#include "cli/report/columns.h"

static char *written(const struct columns *c, size_t budget)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&text, &size));
    columns_write(c, "t", budget, f);
    fclose(f);
    return cli_have(text);
}

static void add(struct columns *c, const char *column, int64_t value)
{
    const struct mp_db_cell cell = {.name = column, .type = SQLITE_INTEGER, .integer = value};
    columns_add(c, 1, &cell);
}

static void shortest_form(void **state)
{
    (void)state;
    static const struct {
        const char *expected;
        int64_t value[6];
    } cases[] = {
        {"{\"name\":\"n\",\"unit\":\"u\",\"v\":[1,2,3,4,5,6]}", {1, 2, 3, 4, 5, 6}},
        {"{\"name\":\"n\",\"unit\":\"u\",\"v\":[null,1234567],\"r\":[1,6]}",
         {1234567, 1234567, 1234567, 1234567, 1234567, 1234567}},
        {"{\"name\":\"n\",\"unit\":\"u\",\"v\":[null,123456789,89],\"i\":[1,2,1,2,1,2]}",
         {123456789, 89, 123456789, 89, 123456789, 89}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct columns *c = columns_new();
        for (unsigned k = 0; k < 6; k++)
            add(c, "n (u)", cases[i].value[k]);
        char *text = written(c, 1000);
        assert_non_null(strstr(text, cases[i].expected));
        assert_non_null(strstr(text, "\"t\":{\"rows\":6,"));
        free(text);
        columns_free(c);
    }
}

/* Many distinct values: the hash table grows, and each row keeps its value. */
static void many_values(void **state)
{
    (void)state;
    struct columns *c = columns_new();
    char expected[32000] = "";
    size_t n = 0;
    for (int64_t i = 0; i < 3000; i++) {
        add(c, "n", 7 * i);
        n += (size_t)snprintf(expected + n, sizeof expected - n, "%s%lld", i ? "," : "", (long long)(7 * i));
    }
    char *text = written(c, 100000);
    assert_non_null(strstr(text, expected));
    assert_int_equal(columns_rows(c), 3000);
    free(text);
    columns_free(c);
}

static void texts_and_nulls(void **state)
{
    (void)state;
    struct columns *c = columns_new();
    columns_text(c, columns_row(c), "x", "a\"\\\n\xff");
    unsigned row = columns_row(c); /* stays null */
    columns_real(c, columns_row(c), "x", 0.123456789);
    columns_real(c, row + 1, "y", 1.0 / 0.0);
    char *text = written(c, 1000);
    assert_non_null(strstr(text, "[\"a\\\"\\\\\\n\\ufffd\",null,0.12346]"));
    assert_non_null(strstr(text, "{\"name\":\"y\",\"v\":[null],\"r\":[0,3]}"));
    free(text);
    columns_free(c);
}

static void budget(void **state)
{
    (void)state;
    struct columns *c = columns_new();
    unsigned row = columns_row(c);
    columns_text(c, row, "short", "a");
    columns_text(c, row, "long", "a text that takes more than fifty bytes in all, with its column");
    columns_text(c, row, "last", "b");
    char *text = written(c, 60);
    assert_string_equal(text, "\"t\":{\"rows\":1,\"columns\":[\n{\"name\":\"short\",\"v\":[\"a\"]},\n"
                              "{\"name\":\"last\",\"v\":[\"b\"]}],\"left_out\":[\"long\"]}");
    free(text);
    columns_free(c);
}

static void constants(void **state)
{
    (void)state;
    struct columns *c = columns_new();
    for (unsigned i = 0; i < 2; i++) {
        unsigned row = columns_row(c);
        columns_text(c, row, "key", "same");
        columns_text(c, row, "same", "same");
        columns_text(c, row, "differs", i ? "a" : "b");
    }
    columns_drop_constant(c, 1);
    char *text = written(c, 1000);
    assert_non_null(strstr(text, "\"name\":\"key\""));
    assert_null(strstr(text, "\"name\":\"same\""));
    assert_non_null(strstr(text, "\"name\":\"differs\""));
    free(text);
    columns_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_form), cmocka_unit_test(many_values), cmocka_unit_test(texts_and_nulls),
        cmocka_unit_test(budget),        cmocka_unit_test(constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
