/* SPDX-License-Identifier: Apache-2.0 */
/* The committed figures of the RTL: reading, writing, both ends of what is allowed; what follows from them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/rtl/rtl.h"

#define FILE_NAME "test_rtl_bounds.csv"

static struct mp_error err;

static void test_both_directions(void **state)
{
    (void)state;
    static const enum rtl_figure near[] = {RTL_CELLS, RTL_AREA, RTL_PERIOD, RTL_LCS};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        assert_int_equal(rtl_verdict(near[i], 1000, 1000), MP_DB_IN_BOUNDS);
        assert_int_equal(rtl_verdict(near[i], 1019.9, 1000), MP_DB_IN_BOUNDS);
        assert_int_equal(rtl_verdict(near[i], 980.1, 1000), MP_DB_IN_BOUNDS);
        assert_int_equal(rtl_verdict(near[i], 1020.1, 1000), MP_DB_GREW);
        assert_int_equal(rtl_verdict(near[i], 979.9, 1000), MP_DB_SHRANK);
    }
    static const enum rtl_figure exact[] = {RTL_FLOPS, RTL_ENTRY_BITS};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        assert_int_equal(rtl_verdict(exact[i], 252, 252), MP_DB_IN_BOUNDS);
        assert_int_equal(rtl_verdict(exact[i], 253, 252), MP_DB_CHANGED);
        assert_int_equal(rtl_verdict(exact[i], 251, 252), MP_DB_CHANGED);
    }
}

static void refused(const char *line, const char *why)
{
    struct rtl_bounds b = {0};
    assert_int_equal(rtl_bounds_line("dws,area,5", &b, &err), 1);
    assert_int_equal(rtl_bounds_line(line, &b, &err), -1);
    if (!strstr(err.text, why))
        fail_msg("'%s': '%s' does not say '%s'", line, err.text, why);
}

static void test_lines(void **state)
{
    (void)state;
    struct rtl_bounds b = {0};
    assert_int_equal(rtl_bounds_line("", &b, &err), 0);
    assert_int_equal(rtl_bounds_line("# dws,flops,1", &b, &err), 0);
    assert_int_equal(rtl_bounds_line("subentry,period,4.125", &b, &err), 1);
    assert_true(b.of[RTL_BASELINE].has[RTL_PERIOD]);
    assert_true(b.of[RTL_BASELINE].value[RTL_PERIOD] == 4.125);
    assert_false(b.of[RTL_BASELINE].has[RTL_AREA]);
    refused("dws", "not a bound");
    refused("dws,", "not a bound");
    refused("dws,flops", "not a bound");
    refused("dw,flops,1", "no design 'dw'");
    refused(",flops,1", "no design ''");
    refused("dws,flop,1", "no figure 'flop'");
    refused("dws,ice40_period,1", "no figure");
    refused("dws,,1", "no figure");
    refused("dws,area,5", "a second bound for area of dws");
    static const char *const values[] = {"", "0", "-1", "nan", "inf", "1e13", "5 ", "5,", " 5", "0x"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char line[40];
        snprintf(line, sizeof line, "dws,cells,%s", values[i]);
        refused(line, "not a value of a figure");
    }
}

static void test_written_and_read(void **state)
{
    (void)state;
    struct rtl_bounds b = {0}, again;
    for (unsigned d = 0; d < rtl_ndesigns; d++)
        for (unsigned f = 0; f < RTL_FIGURES; f++)
            if (rtl_figures[f].bounded && (d + f) % 3) {
                b.of[d].has[f] = true;
                b.of[d].value[f] = f == RTL_PERIOD ? 4.5 + d : 1000 * d + f + 1;
            }
    assert_int_equal(rtl_bounds_write(FILE_NAME, &b, &err), 0);
    assert_int_equal(rtl_bounds_read(FILE_NAME, &again, &err), 0);
    assert_memory_equal(&b, &again, sizeof b);
    FILE *f = fopen(FILE_NAME, "a");
    assert_non_null(f);
    fputs("nobody,flops,3\n", f);
    fclose(f);
    assert_int_equal(rtl_bounds_read(FILE_NAME, &again, &err), -1);
    assert_non_null(strstr(err.text, FILE_NAME ":"));
    unlink(FILE_NAME);
    assert_int_equal(rtl_bounds_read(FILE_NAME, &again, &err), -1);
    assert_int_equal(rtl_bounds_write("no/such/folder/x", &b, &err), -1);
}

/* 50 bits of 864 are 5.79 %; logic weighs as what it is. */
static void test_a_whole_tlb(void **state)
{
    (void)state;
    struct rtl_values base = {.value = {[RTL_ENTRY_BITS] = 864}}, star = {.value = {[RTL_ENTRY_BITS] = 914}};
    assert_float_equal(rtl_memory(&base, 1024, 0.5), 128 * 8 * 864 * 4.73 / 0.5, 1e-3);
    assert_float_equal(rtl_overhead(&star, &base, 1024, 0.7), 50.0 / 864, 1e-9);
    assert_float_equal(rtl_overhead(&base, &base, 1024, 0.5), 0, 1e-9);
    base.value[RTL_AREA] = rtl_memory(&base, 1024, 0.5);
    star.value[RTL_AREA] = 2 * base.value[RTL_AREA];
    assert_float_equal(rtl_overhead(&star, &base, 1024, 0.5), (1 + 50.0 / 864 + 2) / 2 - 1, 1e-9);
}

/* Each method has a row, and the ratio of two designs by it: 131 bits more to 50 bits more is 2.62. */
static void test_what_is_counted(void **state)
{
    (void)state;
    static const double bits[] = {864, 914, 995};
    struct rtl_job jobs[3] = {0};
    const struct rtl_library library = {.nand2_area = 24};
    const struct rtl_bounds bounds = {0};
    for (unsigned i = 0; i < 3; i++) {
        jobs[i].design = &rtl_designs[RTL_BASELINE + i];
        jobs[i].library = &library;
        for (unsigned f = 0; f < RTL_FIGURES; f++)
            jobs[i].values.has[f] = !rtl_figures[f].full;
        jobs[i].values.value[RTL_ENTRY_BITS] = bits[i];
        jobs[i].values.value[RTL_PERIOD] = 4 + i;
    }
    static const struct {
        unsigned first, count;
        const char *says[6];
    } cases[] = {
        {0,
         3,
         {"star4 / star", "the paper", "+1.4 %", "CACTI, at 22 nm", "+15.2 %          2.62 ", "180 nm"}},
        {0, 2, {"the paper", "+1.4 %", "+5.8 %", "'mempath rtl star star4'", " 1.25 "}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);
        assert_non_null(f);
        rtl_print(f, jobs + cases[c].first, cases[c].count, &bounds, rtl_technology);
        fclose(f);
        for (unsigned i = 0; i < 6 && cases[c].says[i]; i++)
            if (!strstr(text, cases[c].says[i]))
                fail_msg("no '%s' in:\n%s", cases[c].says[i], text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_directions),  cmocka_unit_test(test_lines),
        cmocka_unit_test(test_written_and_read), cmocka_unit_test(test_a_whole_tlb),
        cmocka_unit_test(test_what_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
