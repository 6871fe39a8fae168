/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts for the console: what they send and when, and lines that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soc/script.h"

#define US UINT64_C(1000000) /* picoseconds */

static struct mp_script parsed(const char *text)
{
    struct mp_script s;
    struct mp_error err;
    assert_int_equal(mp_script_parse(&s, "t", text, strlen(text), &err), 0);
    return s;
}

/* All that is sent at this time. */
static const char *sent(struct mp_script *s, uint64_t us)
{
    static char text[512];
    size_t n = 0;
    for (int c; (c = mp_script_next(s, us * US)) >= 0;)
        text[n++] = (char)c;
    text[n] = '\0';
    return text;
}

static void print(struct mp_script *s, const char *text)
{
    for (; *text; text++)
        mp_script_printed(s, *text);
}

static void a_dialogue(void **state)
{
    (void)state;
    struct mp_script s =
        parsed("# comment\n\n  send one two  \nwait \"> \"\nsend \"\\x03\\\"\\\\\"\nwait done within 20ms\n");
    print(&s, "> "); /* before the step */
    assert_string_equal(sent(&s, 0), "one two\n");
    assert_string_equal(sent(&s, 1), "");
    print(&s, "x>");
    assert_string_equal(sent(&s, 2), "");
    print(&s, " ");
    assert_string_equal(sent(&s, 3), "\x03\"\\");
    print(&s, "dodone");
    assert_false(mp_script_cut(&s));
    assert_true(mp_script_done(&s));
    mp_script_free(&s);
}

/* A wait's time begins when its step does. */
static void times(void **state)
{
    (void)state;
    struct mp_error err;
    struct mp_script s = parsed("pause 5us\nsend a\nwait b within 3us\nwait c\n");
    assert_string_equal(sent(&s, 0), "");
    assert_string_equal(sent(&s, 4), "");
    assert_string_equal(sent(&s, 7), "a\n");
    assert_false(mp_script_late(&s, 9 * US, &err));
    assert_true(mp_script_late(&s, 10 * US, &err));
    assert_string_equal(err.text, "t:3: the console has not printed 'b' within 3 us");
    print(&s, "b");
    sent(&s, 20);
    assert_false(mp_script_late(&s, 10000019 * US, &err));
    assert_true(mp_script_late(&s, 10000020 * US, &err));
    assert_true(mp_script_cut(&s));
    mp_script_where(&s, &err);
    assert_string_equal(err.text, "t:4: the run has ended before this step has");
    mp_script_free(&s);
}

static void characters(void **state)
{
    (void)state;
    struct mp_script s;
    assert_int_equal(mp_script_characters(&s, "t", "a\0b", 3, NULL), 0);
    assert_int_equal(mp_script_next(&s, 0), 'a');
    assert_int_equal(mp_script_next(&s, 0), 0);
    assert_false(mp_script_done(&s));
    assert_false(mp_script_cut(&s));
    assert_int_equal(mp_script_next(&s, 0), 'b');
    assert_int_equal(mp_script_next(&s, 0), -1);
    assert_true(mp_script_done(&s));
    mp_script_free(&s);
    assert_int_equal(mp_script_characters(&s, "t", "", 0, NULL), 0);
    assert_true(mp_script_done(&s));
    mp_script_free(&s);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "t: no steps; send TEXT, wait TEXT [within TIME], or pause TIME"},
        {"\nsay x", "t:2: unknown step; send TEXT, wait TEXT [within TIME], or pause TIME"},
        {"send", "t:1: no text; send TEXT, wait TEXT [within TIME], or pause TIME"},
        {"sendx", "t:1: unknown step; send TEXT, wait TEXT [within TIME], or pause TIME"},
        {"send \"a", "t:1: no closing quote; \"TEXT\""},
        {"send \"\\q\"", "t:1: unknown character after \\; \\n, \\r, \\t, \\\", \\\\ or \\xHH"},
        {"send \"\\x1\"", "t:1: unknown character after \\; \\n, \\r, \\t, \\\", \\\\ or \\xHH"},
        {"send \"a\" b", "t:1: more than one step; one in a line"},
        {"wait \"\"", "t:1: a text of another length; 1 to 256 characters"},
        {"wait a within", NULL},
        {"wait a within 5", "t:1: no time; a time from 1us to 1000s, such as 20ms"},
        {"wait \"a\" within 0ms", "t:1: no such time; a time from 1us to 1000s, such as 20ms"},
        {"pause 1001s", "t:1: no such time; a time from 1us to 1000s, such as 20ms"},
        {"pause 3 ms", "t:1: no time; a time from 1us to 1000s, such as 20ms"},
        {"pause 3ms 4", "t:1: more than one step; one in a line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_script s;
        struct mp_error err = {""};
        int bad = mp_script_parse(&s, "t", cases[i].text, strlen(cases[i].text), &err);
        assert_int_equal(bad, cases[i].error ? -1 : 0);
        if (bad)
            assert_string_equal(err.text, cases[i].error);
        mp_script_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dialogue),
        cmocka_unit_test(times),
        cmocka_unit_test(characters),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
