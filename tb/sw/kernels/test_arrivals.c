/* SPDX-License-Identifier: Apache-2.0 */
/* Files of requests to SERVE: what is read, and each flaw. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "apps/serve/arrivals.h"

static int read_text(struct arrivals *a, const char *text, struct mp_error *err)
{
    FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(f);
    int result = arrivals_read(a, f, "r.txt", 64, err);
    fclose(f);
    return result;
}

static void requests_are_read(void **state)
{
    (void)state;
    struct arrivals a;
    struct mp_error err = {""};
    if (read_text(&a, "# requests\n0 10 54\n\n  7\t1 1 \n7 63 1\n", &err))
        fail_msg("%s", err.text);
    assert_int_equal(a.count, 3);
    assert_int_equal(a.list[0].prompt, 10);
    assert_int_equal(a.list[0].tokens, 54);
    assert_int_equal(a.list[1].ns, 7);
    assert_int_equal(a.list[2].prompt, 63);
    arrivals_free(&a);
}

static void flaws_are_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"# none\n", "r.txt:2: no request; a line NANOSECONDS PROMPT TOKENS for each"},
        {"5 1 1\n4 1 1\n", "r.txt:2: the time in ns is missing, not a number or out of range; an integer "
                           "from 5 to 140737488355328"},
        {"5 0 1\n", "r.txt:1: the prompt's number of tokens is missing, not a number or out of range; an "
                    "integer from 1 to 63"},
        {"5 60 5\n",
         "r.txt:1: the number of tokens is missing, not a number or out of range; an integer from 1 to 4 "},
        {"5 60\n", "r.txt:1: the number of tokens is missing"},
        {"5 60 1 x\n", "r.txt:1: \"x\" after the last field; \"NANOSECONDS PROMPT TOKENS\" is allowed"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arrivals a;
        struct mp_error err = {""};
        assert_int_equal(read_text(&a, cases[i][0], &err), -1);
        assert_null(a.list);
        if (strncmp(err.text, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("case %u: '%s'", i, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_read),
        cmocka_unit_test(flaws_are_named),
    };
    return cmocka_run_group_tests_name("arrivals", tests, NULL, NULL);
}
