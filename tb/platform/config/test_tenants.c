/* SPDX-License-Identifier: Apache-2.0 */
/* Tenants: the workloads of the papers' tables, tenants that overrides change, differences of runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"

static void workloads_are_table_iii(void **state)
{
    (void)state;
    static const char *const table[11][3] = {
        {"MT", "ATAX", "BICG"}, {"MT", "ATAX", "ST"},   {"MT", "NW", "ST"},     {"MT_s", "ST_s", "FIR"},
        {"MT_s", "BFS", "PR"},  {"MT_s", "FFT", "FIR"}, {"NW", "CONV", "ST_s"}, {"ST_s", "NW", "FFT"},
        {"BFS", "BFS", "PR"},   {"ST_s", "FIR", "FFT"}, {"FFT", "FFT", "FIR"}};
    for (unsigned w = 0; w < 11; w++) {
        char name[16];
        snprintf(name, sizeof name, "star/w%u", w + 1);
        struct mp_config config;
        struct mp_error err;
        assert_int_equal(mp_config_load(&config, name, 0, NULL, &err), 0);
        assert_int_equal(config.ntenants, 3);
        for (unsigned t = 0; t < 3; t++) {
            bool small = strchr(table[w][t], '_');
            assert_int_equal(strncmp(config.tenant[t].app, table[w][t], strcspn(table[w][t], "_")), 0);
            assert_int_equal(strlen(config.tenant[t].app), strcspn(table[w][t], "_"));
            assert_string_equal(config.tenant[t].size, small ? "medium" : "paper");
            assert_int_equal(config.tenant[t].slices, t == 0 ? 3 : 2);
        }
        mp_config_free(&config);
    }
}

static void workloads_are_table_iv(void **state)
{
    (void)state;
    static const struct {
        const char *apps[6], *slices;
    } table[] = {{{"MT", "MT", "ATAX", "BICG"}, "2221"},
                 {{"MT", "ATAX", "ST", "NW"}, "2221"},
                 {{"MT", "BICG", "FFT", "FIR"}, "2221"},
                 {{"CONV", "NW", "ST", "ST"}, "2221"},
                 {{"CONV", "NW", "FFT", "FIR"}, "2221"},
                 {{"MT", "ATAX", "ST", "NW", "FFT"}, "22111"},
                 {{"MT", "ATAX", "BICG", "ST", "NW", "FFT"}, "211111"}};
    for (unsigned w = 0; w < sizeof table / sizeof *table; w++) {
        char name[16];
        snprintf(name, sizeof name, "star/w%u", w + 12);
        struct mp_config config;
        struct mp_error err;
        assert_int_equal(mp_config_load(&config, name, 0, NULL, &err), 0);
        assert_int_equal(config.ntenants, strlen(table[w].slices));
        for (unsigned t = 0; t < config.ntenants; t++) {
            assert_string_equal(config.tenant[t].app, table[w].apps[t]);
            assert_string_equal(config.tenant[t].size, "paper");
            assert_int_equal(config.tenant[t].slices, table[w].slices[t] - '0');
        }
        mp_config_free(&config);
    }
}

/* In a file or on the command line, in any case: one configuration, and one text. */
static void applications_have_one_name(void **state)
{
    static const char *const ways[][3] = {{"tenants.0.app=MT"}, {"tenants.0.app=mt"}, {"tenants.0.app=Mt"}};
    static const char lower[] =
        "preset: star-a100-mig\ntenants:\n  - {app: 2dconv, size: small, slices: 1}\n";
    struct mp_config config;
    struct mp_error err;
    (void)state;
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        assert_int_equal(mp_config_load(&config, "demo", 1, ways[i], &err), 0);
        assert_string_equal(config.tenant[0].app, "MT");
        assert_string_equal(config.changes, "tenants.0.app=MT");
        mp_config_free(&config);
    }
    assert_int_equal(mp_config_load_text(&config, "lower", lower, sizeof lower - 1, 0, NULL, &err), 0);
    assert_string_equal(config.tenant[0].app, "2DCONV");
    mp_config_free(&config);
}

static void a_title_says_what_is_changed(void **state)
{
    static const char *const one[] = {"l3_tlb.entries=2048"};
    static const char *const many[] = {"sm.warps=32",        "l3_tlb.entries=2048", "l2_tlb.latency=20",
                                       "tenants.size=small", "l1_tlb.latency=7",    "walk.scheduler=fcfs"};
    struct mp_config config;
    struct mp_error err;
    (void)state;
    assert_int_equal(mp_config_load(&config, "star-a100-mig", 0, NULL, &err), 0);
    char *title = mp_config_title(&config), *usual = strdup(config.description), expected[300];
    assert_string_equal(title, usual);
    free(title);
    mp_config_free(&config);
    assert_int_equal(mp_config_load(&config, "star-a100-mig", 1, one, &err), 0);
    title = mp_config_title(&config);
    snprintf(expected, sizeof expected, "%s (changed: l3_tlb.entries=2048)", usual);
    assert_string_equal(title, expected);
    free(title);
    free(usual);
    mp_config_free(&config);
    if (mp_config_load(&config, "demo", 6, many, &err))
        fail_msg("%s", err.text);
    title = mp_config_title(&config);
    assert_non_null(strstr(title, " (changed in 8 values)")); /* three tenants */
    free(title);
    mp_config_free(&config);
}

static void changes_tell_runs_apart(void **state)
{
    (void)state;
    static const struct {
        const char *name, *set[4], *changes;
    } table[] = {
        {"demo", {NULL}, ""},
        {"demo", {"l3_tlb.entries=2048"}, "l3_tlb.entries=2048"},
        {"demo",
         {"l3_tlb.policy=subentry"},
         "l3_tlb.policy=subentry"}, /* given, although it has this value already */
        {"demo",
         {"l3_tlb.policy=star", "sm.warps=32", "seed=3", "tenants.1.size=small"},
         "sm.warps=32 l3_tlb.policy=star tenants.1.size=small"},
        {"demo", {"tenants.0.trace=/a b.gwt"}, "tenants.0.trace=/a b.gwt"},
        {"demo",
         {"walk.per=tenant", "machine.sharing=mps", "tenants.slices=0"},
         "machine.sharing=mps walk.per=tenant tenants.0.slices=0 tenants.1.slices=0 tenants.2.slices=0"},
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct mp_config config, copy;
        struct mp_error err;
        unsigned n = 0;
        while (n < 4 && table[i].set[n])
            n++;
        if (mp_config_load(&config, table[i].name, n, table[i].set, &err))
            fail_msg("%s", err.text);
        assert_string_equal(config.changes, table[i].changes);
        char *text = mp_config_text(&config);
        assert_null(strstr(text, "changes"));
        free(text);
        assert_int_equal(mp_config_copy(&copy, &config), 0);
        assert_string_equal(copy.changes, table[i].changes);
        mp_config_free(&copy);
        mp_config_free(&config);
    }
}

/* A tenant's program on the command line replaces that of the experiment, in the order of the arguments. */
static void a_trace_replaces_an_app_and_an_app_a_trace(void **state)
{
    (void)state;
    static const struct {
        const char *set[5];
        const char *app, *size, *input, *trace, *error;
    } table[] = {
        {{"tenants.0.trace=/a.gwt"}, NULL, NULL, NULL, "/a.gwt", NULL},
        {{"tenants.0.input=/g.gr", "tenants.0.trace=/a.gwt"}, NULL, NULL, NULL, "/a.gwt", NULL},
        {{"tenants.0.trace=/a.gwt", "tenants.0.trace=/b.gwt"}, NULL, NULL, NULL, "/b.gwt", NULL},
        {{"tenants.0.trace=/a.gwt", "tenants.0.app=ST", "tenants.0.size=small"},
         "ST",
         "small",
         NULL,
         NULL,
         NULL},
        {{"tenants.0.size=small", "tenants.0.app=ST"}, "ST", "small", NULL, NULL, NULL},
        {{"tenants.0.trace="}, "MT", "medium", NULL, NULL, NULL}, /* an empty value only clears */
        {{"tenants.0.trace=/a.gwt", "tenants.0.app=ST"},
         .error = "--set tenants.0.app=ST: tenants.0 has no size; "
                  "small, medium, paper, star, star-s, mesc, neidty, fgpu or uvm"},
        {{"tenants.0.trace=/a.gwt", "tenants.0.size=small"},
         .error = "--set tenants.0.size=small: tenants.0 has a trace, which has its size already; only "
                  "trace and slices are allowed"},
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct mp_config config;
        struct mp_error err;
        unsigned n = 0;
        while (table[i].set[n])
            n++;
        int status = mp_config_load(&config, "demo", n, table[i].set, &err);
        if (table[i].error) {
            assert_int_equal(status, -1);
            assert_string_equal(err.text, table[i].error);
            continue;
        }
        if (status)
            fail_msg("%s", err.text);
        const struct mp_tenant_config *t = &config.tenant[0];
        const char *const is[] = {t->app, t->size, t->input, t->trace};
        const char *const wanted[] = {table[i].app, table[i].size, table[i].input, table[i].trace};
        for (unsigned f = 0; f < 4; f++)
            assert_string_equal(is[f] ? is[f] : "none", wanted[f] ? wanted[f] : "none");
        mp_config_free(&config);
    }
}

static void tenants_by_override(void **state)
{
    (void)state;
    struct mp_config config, copy;
    struct mp_error err;
    /* a bare machine gets its tenants from the command line, here an application alone */
    assert_int_equal(
        mp_config_load(&config, "star-a100-mig", 5,
                       (const char *[]){"tenants.0.app=MT", "tenants.0.size=paper", "tenants.0.slices=3",
                                        "tenants.1.trace=b.gwt", "tenants.1.slices=4"},
                       &err),
        0);
    assert_int_equal(config.ntenants, 2);
    assert_string_equal(config.tenant[0].app, "MT");
    char *here = getcwd(NULL, 0), path[4200];
    snprintf(path, sizeof path, "%s/b.gwt", here);
    free(here);
    assert_string_equal(config.tenant[1].trace, path);
    assert_null(config.tenant[1].app);
    assert_int_equal(mp_config_copy(&copy, &config), 0);
    mp_config_free(&config);
    assert_string_equal(copy.tenant[0].size, "paper");
    assert_int_equal(copy.tenant[1].slices, 4);
    mp_config_free(&copy);

    assert_int_equal(mp_config_load(&config, "star/w4", 2,
                                    (const char *[]){"tenants.size=small", "tenants.1.size=medium"}, &err),
                     0);
    assert_string_equal(config.tenant[0].size, "small");
    assert_string_equal(config.tenant[1].size, "medium");
    assert_string_equal(config.tenant[2].size, "small");
    mp_config_free(&config);
}

/* Sizes of pages are kept in one form, which a stored configuration has, too. */
static void pages_of_tenants(void **state)
{
    (void)state;
    static const struct {
        const char *set, *kept;
        uint64_t sizes, usual;
        uint32_t buffers;
    } cases[] = {
        {"", NULL, 65536, 65536, 0},
        {"64 KiB", "65536", 65536, 65536, 0},
        {"0x200000", "2097152", 2097152, 2097152, 0},
        {"auto", "auto", 65536 | 2097152, 0, 0},
        {"3=2 MiB", "3=2097152", 65536 | 2097152, 65536, 1},
        {"3=2 MiB,64 KiB,0=2MiB", "65536,3=2097152,0=2097152", 65536 | 2097152, 65536, 2},
        {"2 MiB,7=auto", "2097152,7=auto", 65536 | 2097152, 2097152, 1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_config config, again;
        struct mp_error err = {""};
        char set[80];
        snprintf(set, sizeof set, "tenants.1.page_bytes=%s", cases[i].set);
        assert_int_equal(mp_config_load(&config, "demo", 1, (const char *[]){set}, &err), 0);
        char *text = mp_config_text(&config);
        assert_int_equal(mp_config_load_text(&again, "again", text, strlen(text), 0, NULL, &err), 0);
        free(text);
        for (unsigned k = 0; k < 2; k++) {
            const struct mp_config *c = k ? &again : &config;
            const struct mp_page_choice p = mp_config_pages(c, 1);
            if (cases[i].kept)
                assert_string_equal(c->tenant[1].page_bytes, cases[i].kept);
            else
                assert_null(c->tenant[1].page_bytes);
            assert_int_equal(p.sizes, cases[i].sizes);
            assert_int_equal(p.usual, cases[i].usual);
            assert_int_equal(p.count, cases[i].buffers);
            assert_int_equal(mp_config_mixes_pages(c), cases[i].sizes != 65536);
            assert_int_equal(mp_config_pages(c, 0).sizes, 65536);
        }
        mp_config_free(&config);
        mp_config_free(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_are_table_iii),
        cmocka_unit_test(workloads_are_table_iv),
        cmocka_unit_test(applications_have_one_name),
        cmocka_unit_test(a_title_says_what_is_changed),
        cmocka_unit_test(changes_tell_runs_apart),
        cmocka_unit_test(a_trace_replaces_an_app_and_an_app_a_trace),
        cmocka_unit_test(tenants_by_override),
        cmocka_unit_test(pages_of_tenants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
