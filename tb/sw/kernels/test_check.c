/* SPDX-License-Identifier: Apache-2.0 */
/* The comparisons of every application's results: values that pass, values that fail, and the message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apps/check.h"

static void integers_are_exact(void **state)
{
    (void)state;
    assert_int_equal(check_int("x", 3, -7, -7), 0);
    assert_int_equal(check_int("x", 3, -7, -6), -1);
    assert_int_equal(check_int("x", 3, INT64_C(1) << 60, (INT64_C(1) << 60) + 1), -1);
}

static void floats_keep_to_the_tolerance(void **state)
{
    (void)state;
    assert_int_equal(check_float("x", 0, 1.0, 1.0, 0), 0);
    assert_int_equal(check_float("x", 0, 1.0, nextafter(1.0, 2.0), 0), -1);
    assert_int_equal(check_float("x", 0, 1.0, 1.25, 0.25), 0);
    assert_int_equal(check_float("x", 0, 1.0, 0.5, 0.25), -1);
    assert_int_equal(check_float("x", 0, 1.0, NAN, 0.25), -1);
    assert_int_equal(check_float("x", 0, 1.0, INFINITY, 0.25), -1);
}

static void the_message_names_element_expected_and_got(void **state)
{
    (void)state;
    char text[200] = "";
    FILE *f = tmpfile();
    const int kept = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(fileno(f), STDERR_FILENO);
    const int result = check_int("MT: output", 17, 12, 13);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_int_equal(result, -1);
    assert_string_equal(text, "MT: output[17]: expected 12, got 13; allowed difference 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(floats_keep_to_the_tolerance),
        cmocka_unit_test(the_message_names_element_expected_and_got),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
