/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/number.h"

#define NOT_WHOLE "is not a whole number"

static void test_what_is_taken_and_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t least, most;
        const char *wrong; /* NULL: taken */
        uint64_t value;
    } table[] = {
        {"0", 0, 9, NULL, 0},
        {"9", 0, 9, NULL, 9},
        {"009", 0, 9, NULL, 9},
        {"010", 0, 10, NULL, 10}, /* decimal, not octal */
        {"0x1F", 0, 31, NULL, 31},
        {"18446744073709551615", 0, UINT64_MAX, NULL, UINT64_MAX},
        {"0xffffffffffffffff", 0, UINT64_MAX, NULL, UINT64_MAX},
        {"18446744073709551616", 0, UINT64_MAX, "is too large", 0},
        {"99999999999999999999", 0, UINT64_MAX, "is too large", 0},
        {"0x10000000000000000", 0, UINT64_MAX, "is too large", 0},
        {"10", 0, 9, "is too large", 0},
        {"0", 1, 9, "is too small", 0},
        {"-3", 0, 9, "is negative", 0},
        {"-0x3", 0, 9, "is negative", 0},
        {"-99999999999999999999", 0, 9, "is negative", 0},
        {"", 0, 9, NOT_WHOLE, 0},
        {"-", 0, 9, NOT_WHOLE, 0},
        {"--3", 0, 9, NOT_WHOLE, 0},
        {"+3", 0, 9, NOT_WHOLE, 0},
        {" 3", 0, 9, NOT_WHOLE, 0},
        {"3 ", 0, 9, NOT_WHOLE, 0},
        {"0x", 0, 9, NOT_WHOLE, 0},
        {"0x-3", 0, 9, NOT_WHOLE, 0},
        {"1.5", 0, 9, NOT_WHOLE, 0},
        {"1e3", 0, 9, NOT_WHOLE, 0},
        {"99999999999999999999x", 0, 9, NOT_WHOLE, 0},
        {"many", 0, 9, NOT_WHOLE, 0},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        uint64_t value = 77;
        const char *wrong =
            mp_number(table[i].text, strlen(table[i].text), table[i].least, table[i].most, &value);
        if (table[i].wrong)
            assert_string_equal(wrong, table[i].wrong);
        else
            assert_null(wrong);
        assert_int_equal(value, table[i].wrong ? 77 : table[i].value);
    }
}

static void test_no_more_than_its_length_is_read(void **state)
{
    uint64_t value;
    (void)state;
    assert_null(mp_number("123x", 2, 0, 99, &value));
    assert_int_equal(value, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_taken_and_what_is_refused),
        cmocka_unit_test(test_no_more_than_its_length_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
