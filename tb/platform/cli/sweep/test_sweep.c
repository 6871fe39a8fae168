/* SPDX-License-Identifier: Apache-2.0 */
/* The runs that follow from a sweep's file, in their order, and files that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/sweep/plan.h"

static struct mp_error err;

static int load(struct sweep *s, const char *text)
{
    err.text[0] = 0;
    return sweep_load_text(s, "s.yaml", text, strlen(text), &err);
}

/* All runs, as "value value; value value". */
static void expect_runs(const char *text, const char *wanted)
{
    struct sweep s;
    char got[1024] = "";
    size_t n = 0;
    if (load(&s, text))
        fail_msg("%s", err.text);
    for (unsigned run = 0; run < s.nruns; run++) {
        n += (size_t)snprintf(got + n, sizeof got - n, "%s", run ? ";" : "");
        for (unsigned d = 0; d < s.ndimensions; d++)
            for (unsigned p = 0; p < s.dimension[d].npaths; p++)
                n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", d + p ? " " : "",
                                      sweep_value(&s, run, d, p));
    }
    assert_string_equal(got, wanted);
    sweep_free(&s);
}

static void refused(const char *text, const char *with)
{
    struct sweep s;
    assert_int_equal(load(&s, text), -1);
    if (!strstr(err.text, with) || strncmp(err.text, "s.yaml", 6) != 0 || !strchr(err.text, ';'))
        fail_msg("unexpected: %s", err.text);
    assert_int_equal(s.nruns, 0);
}

static void test_lists_ranges_zips(void **state)
{
    (void)state;
    expect_runs("experiments: demo\n", "demo");
    expect_runs("experiments: [demo, star/w2]\nparameters: {seed: [3, 1]}\n",
                "demo 3;demo 1;star/w2 3;star/w2 1");
    expect_runs("experiments: demo\nparameters: {seed: {from: 1, to: 6, step: 2}}\n", "demo 1;demo 3;demo 5");
    expect_runs("experiments: demo\nparameters: {seed: {from: 3, to: 25, times: 2}}\n",
                "demo 3;demo 6;demo 12;demo 24");
    expect_runs("experiments: demo\nparameters: {seed: {from: 7, to: 7}}\n", "demo 7");
    expect_runs(
        "experiments: demo\nparameters: {seed: {from: 9223372036854775806, to: 9223372036854775807}}\n",
        "demo 9223372036854775806;demo 9223372036854775807");
    expect_runs("experiments: demo\nzip: [{seed: [1, 2], l3_tlb.latency: [30, 40]}]\n",
                "demo 1 30;demo 2 40");
}

static void test_exclusions(void **state)
{
    (void)state;
    expect_runs("exclude: [{seed: 2, l3_tlb.latency: [30, 40]}, {experiment: demo, seed: 1}]\n"
                "parameters: {seed: [1, 2], l3_tlb.latency: [30, 40, 50]}\nexperiments: [demo, star/w2]\n",
                "demo 2 50;star/w2 1 30;star/w2 1 40;star/w2 1 50;star/w2 2 50");
    refused("experiments: demo\nparameters: {seed: 1}\nexclude: [{seed: 1}]\n", "every run is excluded");
    refused("experiments: demo\nparameters: {seed: [1, 2]}\nexclude: [{seed: 3}]\n",
            "s.yaml:3: exclude: seed is never 3");
    refused("experiments: demo\nexclude: [{seed: 3}]\n", "seed does not vary");
}

static void test_configurations(void **state)
{
    (void)state;
    struct sweep s;
    struct mp_config c;
    assert_int_equal(load(&s,
                          "experiments: star-a100-mig\n"
                          "parameters: {l3_tlb.latency: [33], walk.pwc_fill: [optimistic]}\nworkloads:\n"
                          "  two: [{app: MT, size: small, slices: 3}, {app: ST, size: small, slices: 2}]\n"
                          "  one: [{app: FIR, size: small, slices: 4}]\n"),
                     0);
    assert_int_equal(s.nruns, 2);
    assert_int_equal(sweep_config(&s, 0, &c, &err), 0);
    assert_int_equal(c.ntenants, 2);
    assert_string_equal(c.tenant[1].app, "ST");
    assert_string_equal(c.name, "star-a100-mig two");
    assert_int_equal(mp_config_value(&c, "l3_tlb.latency"), 33);
    assert_string_equal(mp_config_word(&c, "walk.method"), "optimistic"); /* which replaced walk.pwc_fill */
    mp_config_free(&c);
    assert_int_equal(sweep_config(&s, 1, &c, &err), 0);
    assert_int_equal(c.ntenants, 1);
    assert_int_equal(c.tenant[0].slices, 4);
    mp_config_free(&c);
    sweep_free(&s);
    assert_int_equal(load(&s, "experiments: demo\nparameters: {l3_tlb.ways: [8, 0]}\n"), 0);
    assert_int_equal(sweep_config(&s, 1, &c, &err), -1);
    assert_non_null(strstr(err.text, "s.yaml: run 2: --set l3_tlb.ways=0"));
    sweep_free(&s);
    assert_int_equal(load(&s, "experiments: star-a100-mig\n"), 0);
    assert_int_equal(sweep_config(&s, 0, &c, &err), -1);
    assert_non_null(strstr(err.text, "star-a100-mig has no tenants"));
    sweep_free(&s);
}

static void test_selection(void **state)
{
    (void)state;
    struct sweep s;
    bool *selected;
    assert_int_equal(load(&s, "experiments: demo\nparameters: {seed: {from: 1, to: 9}}\n"), 0);
    assert_int_equal(sweep_select(&s, "1,5-7,9", &selected, &err), 0);
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(selected[i], i == 0 || (i >= 4 && i <= 6) || i == 8);
    free(selected);
    assert_int_equal(sweep_select(&s, "10", &selected, &err), -1);
    assert_int_equal(sweep_select(&s, "3-2", &selected, &err), -1);
    assert_int_equal(sweep_select(&s, "1,", &selected, &err), -1);
    assert_int_equal(sweep_select(&s, "", &selected, &err), -1);
    sweep_free(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("", "no sweep");
    refused("parameters: {seed: 1}\n", "no experiments");
    refused("experiments: []\n", "0 values");
    refused("experiments: demo\nparameter: {seed: 1}\n", "did you mean 'parameters'");
    refused("experiments: demo\nparameters:\n  l3_tlb.polic: star\n",
            "s.yaml:3: unknown parameter l3_tlb.polic; did you mean");
    refused("experiments: demo\nparameters: {seed: [1, 2, 1]}\n", "1 is given twice");
    refused("experiments: demo\nparameters: {seed: 1}\nzip: [{seed: [1, 2], l3_tlb.latency: [1, 2]}]\n",
            "given twice");
    refused("experiments: demo\nzip: [{seed: [1, 2], l3_tlb.latency: [1]}]\n", "1 values, but seed has 2");
    refused("experiments: demo\nzip: [{seed: [1, 2]}]\n", "less than two");
    refused("experiments: demo\nparameters: {seed: {from: 2, to: 1}}\n", "no range");
    refused("experiments: demo\nparameters: {seed: {from: 0, to: 8, times: 2}}\n", "no range");
    refused("experiments: demo\nparameters: {seed: {from: 1, to: 9, times: 1}}\n", "too small");
    refused("experiments: demo\nparameters: {seed: {from: 1, till: 9}}\n", "'till' in a range");
    refused("experiments: demo\nparameters: {seed: {from: 1, to: 9999}}\n", "more than 4096");
    refused(
        "experiments: demo\nparameters: {seed: {from: 1, to: 4000}, l3_tlb.latency: {from: 1, to: 4000}}\n",
        "more than 100000 runs");
    refused("experiments: demo\nworkloads: {a: []}\n", "without a list");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_ranges_zips), cmocka_unit_test(test_exclusions),
        cmocka_unit_test(test_configurations),    cmocka_unit_test(test_selection),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
