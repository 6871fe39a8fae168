/* SPDX-License-Identifier: Apache-2.0 */
/* The committed counts: reading, writing, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/bench/bench.h"

#define FILE_NAME "test_counts_bounds.csv"

static struct mp_error err;

static void refused(const char *line, const char *why)
{
    struct counts_bounds b = {0};
    assert_int_equal(counts_bounds_line("w2,100,5,4,3", &b, &err), 1);
    assert_int_equal(counts_bounds_line(line, &b, &err), -1);
    if (!strstr(err.text, why))
        fail_msg("'%s': '%s' does not say '%s'", line, err.text, why);
}

static void test_lines(void **state)
{
    (void)state;
    struct counts_bounds b = {0};
    assert_int_equal(counts_bounds_line("", &b, &err), 0);
    assert_int_equal(counts_bounds_line("# w2,1,1,1,1", &b, &err), 0);
    assert_int_equal(counts_bounds_line("dws,20000,2892.5,67.5,3.25", &b, &err), 1);
    assert_int_equal(counts_bounds_line("dws,30000,1,1,1", &b, &err), 1);
    assert_int_equal(b.n, 2);
    assert_string_equal(bench_case_name(b.bound[0].of), "dws");
    assert_int_equal(b.bound[0].until, 20000);
    assert_true(b.bound[0].value[COUNTS_INSTRUCTIONS] == 2892.5);
    assert_true(b.bound[0].value[COUNTS_L1_MISSES] == 67.5);
    assert_true(b.bound[0].value[COUNTS_L2_MISSES] == 3.25);
    refused("w", "no case 'w'");
    refused("w3,1,1,1,1", "no case 'w3'");
    refused(",1,1,1,1", "no case ''");
    refused("w2", "no bound");
    refused("w2,1,1,1", "no bound");
    refused("w2,1,1,1,", "no bound");
    refused("w2,1,1,1,1,1", "no bound");
    refused("w2,0,1,1,1", "no bound");
    refused("w2,1,-1,1,1", "no bound");
    refused("w2,1,nan,1,1", "no bound");
    refused("w2,1,1, 1,1", "no bound");
    refused("w2,1,1e99,1,1", "no bound");
    refused("w2,100,1,1,1", "a second bound for w2 until 100");
}

static void test_a_file(void **state)
{
    (void)state;
    struct counts_bounds b = {0}, back;
    assert_int_equal(counts_bounds_line("w10,10000,2435.5,90.95,13.01", &b, &err), 1);
    assert_int_equal(counts_bounds_line("w2,60000,5232,157.35,33.34", &b, &err), 1);
    assert_int_equal(counts_bounds_write(FILE_NAME, &b, &err), 0);
    assert_int_equal(counts_bounds_read(FILE_NAME, &back, &err), 0);
    assert_memory_equal(&b, &back, sizeof b);
    FILE *f = fopen(FILE_NAME, "a");
    assert_non_null(f);
    fputs("w2,60000,1,1,1\n", f);
    fclose(f);
    assert_int_equal(counts_bounds_read(FILE_NAME, &back, &err), -1);
    assert_non_null(strstr(err.text, FILE_NAME ":7: a second bound"));
    assert_int_equal(counts_bounds_read("no-such.csv", &back, &err), -1);
    f = fopen(FILE_NAME, "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(counts_bounds_read(FILE_NAME, &back, &err), -1);
    assert_non_null(strstr(err.text, "no bound"));
}

/* A full table refuses one line more. */
static void test_many_lines(void **state)
{
    (void)state;
    struct counts_bounds b = {0};
    char line[48];
    for (unsigned i = 1; i <= COUNTS_MAX_BOUNDS + 1; i++) {
        snprintf(line, sizeof line, "w2,%u,1,1,1", i);
        assert_int_equal(counts_bounds_line(line, &b, &err), i <= COUNTS_MAX_BOUNDS ? 1 : -1);
    }
    assert_non_null(strstr(err.text, "too many"));
}

static void test_cases(void **state)
{
    (void)state;
    bool chosen[BENCH_CASES];
    char set[BENCH_SETS][48];
    assert_int_equal(bench_cases_choose("dws,w2", chosen, &err), 0);
    for (unsigned i = 0; i < BENCH_CASES; i++) {
        const char *name = bench_case_name(i);
        assert_int_equal(chosen[i], strcmp(name, "dws") == 0 || strcmp(name, "w2") == 0);
        struct run_job job = {.force_tlm = false};
        assert_int_equal(bench_case_load(&job, i, "small"), 0);
        assert_int_equal(bench_case_sets(i, "small", set) >= job.config.ntenants, 1);
        for (unsigned t = 0; t < job.config.ntenants; t++)
            assert_string_equal(job.config.tenant[t].size, "small");
        mp_config_free(&job.config);
    }
    assert_int_equal(bench_cases_choose("w2,", chosen, &err), -1);
    assert_int_equal(bench_cases_choose("w1", chosen, &err), -1);
    assert_non_null(strstr(err.text, "no case 'w1'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_a_file),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
