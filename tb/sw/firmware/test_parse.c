/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "parse.h"

static void words(void **state)
{
    (void)state;
    char *w[PARSE_WORDS], line[64];
    strcpy(line, "  map 0\t0x1000  64K ");
    assert_int_equal(parse_words(line, w), 4);
    assert_string_equal(w[0], "map");
    assert_string_equal(w[1], "0");
    assert_string_equal(w[2], "0x1000");
    assert_string_equal(w[3], "64K");
    strcpy(line, " \t ");
    assert_int_equal(parse_words(line, w), 0);
    strcpy(line, "1 2 3 4 5 6 7 8 9 10 11 12 ");
    assert_int_equal(parse_words(line, w), 12);
    strcpy(line, "1 2 3 4 5 6 7 8 9 10 11 12 13");
    assert_int_equal(parse_words(line, w), -1);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        uint64_t value;
    } good[] = {{"0", 0},
                {"007", 7},
                {"18446744073709551615", UINT64_MAX},
                {"0xFfffffffffffffff", UINT64_MAX},
                {"64K", 65536},
                {"0x10M", 16 << 20},
                {"5G", 5ull << 30},
                {"17179869183G", 17179869183ull << 30}};
    static const char *const bad[] = {"",
                                      "x",
                                      "0x",
                                      "-1",
                                      "+1",
                                      "1k",
                                      "1KB",
                                      "0xg",
                                      "12a",
                                      "1 ",
                                      "K",
                                      "17179869184G",
                                      "18446744073709551616",
                                      "0x10000000000000000"};
    uint64_t value;
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(parse_number(good[i].word, &value));
        assert_int_equal(value, good[i].value);
    }
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(parse_number(bad[i], &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
