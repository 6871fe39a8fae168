/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/error.h"

static void test_mp_fail_takes_no_error_or_fills_it(void **state)
{
    (void)state;
    struct mp_error err;
    assert_int_equal(mp_fail(&err, "%s: %d", "a", 3), -1);
    assert_string_equal(err.text, "a: 3");
    assert_int_equal(mp_fail(NULL, "a"), -1);
}

static void test_a_message_is_one_line_whatever_it_quotes(void **state)
{
    (void)state;
    struct mp_error err;
    mp_fail(&err, "%s: unknown", "a\nb\x7f\tc");
    assert_string_equal(err.text, "a?b??c: unknown");
}

static void test_distances(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        unsigned distance;
    } table[] = {
        {"", "", 0},       {"run", "run", 0},       {"run", "", 3},
        {"rn", "run", 1},  {"run", "ran", 1},       {"rnu", "run", 1},
        {"nur", "run", 2}, {"rpelya", "replay", 2}, {"kitten", "sitting", 3},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(mp_edit_distance(table[i].a, table[i].b), table[i].distance);
        assert_int_equal(mp_edit_distance(table[i].b, table[i].a), table[i].distance);
    }
}

static void test_only_the_first_64_letters_count(void **state)
{
    (void)state;
    char long_one[200], longer[300];
    memset(long_one, 'a', sizeof long_one - 1);
    memset(longer, 'a', sizeof longer - 1);
    long_one[sizeof long_one - 1] = longer[sizeof longer - 1] = 0;
    longer[64] = 'b';
    assert_int_equal(mp_edit_distance(long_one, longer), 0);
    assert_int_equal(mp_edit_distance(long_one, ""), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mp_fail_takes_no_error_or_fills_it),
        cmocka_unit_test(test_a_message_is_one_line_whatever_it_quotes),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_only_the_first_64_letters_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
