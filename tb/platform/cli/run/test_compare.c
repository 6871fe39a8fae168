/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/run/compare.h"

static void test_values_become_overrides(void **state)
{
    (void)state;
    struct compare c = {0};
    struct mp_error err;
    assert_int_equal(compare_parse(&c, "l3_tlb.policy=subentry,star,half-double-set", &err), 0);
    assert_string_equal(c.path, "l3_tlb.policy");
    assert_int_equal(c.n, 3);
    assert_string_equal(c.override[0], "l3_tlb.policy=subentry");
    assert_string_equal(c.override[2], "l3_tlb.policy=half-double-set");
    assert_string_equal(compare_value(&c, 1), "star");
    assert_int_equal(compare_parse(&c, "walk.queue=1,2", &err), -1);
    assert_string_equal(err.text, "--compare: given twice; compare one parameter");
}

static void test_refusals(void **state)
{
    (void)state;
    char path[128], value[256];
    memset(path, 'p', sizeof path);
    memcpy(path + 64, "=1,2", 5);
    memset(value, 'v', sizeof value);
    memcpy(value, "a=", 2);
    memcpy(value + 96, ",2", 3);
    const char *const cases[][2] = {
        {"l3_tlb.entries", "has no values; path=value,value"},
        {"=1,2", "has no values; path=value,value"},
        {path, "has no values; path=value,value"},
        {"a.b=", "a value of a.b is empty"},
        {"a.b=1,", "a value of a.b is empty"},
        {"a.b=1,,2", "a value of a.b is empty"},
        {"a.b=1", "only one value of a.b; give two or more"},
        {"a.b=1,2,1", "a.b=1 is given twice"},
        {value, "is too long; at most 95 characters"},
        {"a=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "more than 16 values; at most 16"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct compare c = {0};
        struct mp_error err = {""};
        assert_int_equal(compare_parse(&c, cases[i][0], &err), -1);
        if (!strstr(err.text, cases[i][1]))
            fail_msg("'%s' gives '%s'", cases[i][0], err.text);
    }
    struct compare c = {0};
    struct mp_error err;
    assert_int_equal(compare_parse(&c, "a=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", &err), 0);
}

static struct run_job finished(char *app, char *other, uint64_t cycles, uint64_t other_cycles)
{
    struct run_job job = {.outcome = RUN_DONE};
    job.config.ntenants = 2;
    job.config.tenant[0] = (struct mp_tenant_config){.app = app, .slices = 2};
    job.config.tenant[1] = (struct mp_tenant_config){.app = other, .slices = 2};
    job.result.tenant[0] = (struct mp_tenant_result){.cycles = cycles, .instructions = 1000};
    job.result.tenant[1] = (struct mp_tenant_result){.cycles = other_cycles, .instructions = 5000};
    return job;
}

static void test_speedup_and_its_mean(void **state)
{
    (void)state;
    char mt[] = "MT", st[] = "ST", nw[] = "NW";
    struct run_job jobs[] = {finished(mt, st, 1000, 2000), finished(mt, st, 500, 4000),
                             finished(mt, nw, 500, 2000), finished(mt, st, 500, 2000)};
    assert_float_equal(compare_speedup(jobs, 0, 0), 1, 1e-12);
    assert_float_equal(compare_speedup(jobs, 1, 0), 2, 1e-12);
    assert_float_equal(compare_speedup(jobs, 1, 1), 0.5, 1e-12);
    assert_float_equal(compare_mean_speedup(jobs, 1), 2 / (1 / 2.0 + 1 / 0.5), 1e-12);
    /* Another application is not compared, and then there is no mean. */
    assert_float_equal(compare_speedup(jobs, 2, 0), 2, 1e-12);
    assert_true(isnan(compare_speedup(jobs, 2, 1)));
    assert_true(isnan(compare_mean_speedup(jobs, 2)));
    jobs[3].config.ntenants = 1;
    assert_true(isnan(compare_speedup(jobs, 3, 1)));
    assert_float_equal(compare_mean_speedup(jobs, 3), 2, 1e-12);
    /* A run that was stopped has numbers, but not those of a whole run. */
    jobs[1].outcome = RUN_INTERRUPTED;
    assert_true(isnan(compare_speedup(jobs, 1, 0)));
    jobs[0].outcome = RUN_INTERRUPTED;
    assert_true(isnan(compare_speedup(jobs, 2, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_become_overrides),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_speedup_and_its_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
