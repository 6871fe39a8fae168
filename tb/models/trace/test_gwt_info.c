/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of gwt_info for a trace in which they can be counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/gwt.h"
#include "trace/gwt_info.h"

static void put_access(struct gwt_writer *w, enum gwt_op op, uint32_t pc, uint32_t mask, uint64_t base,
                       uint64_t step)
{
    struct gwt_event e = {
        .kind = GWT_ACCESS, .op = (uint8_t)op, .gap = 2, .mask = mask, .pc = pc, .bytes = 4};
    for (unsigned i = 0; i < (unsigned)__builtin_popcount(mask); i++)
        e.lane[i] = base + step * i;
    gwt_write_event(w, &e);
}

/* Per warp: a load of 1 line and page; a constant load of 32 lines on 1 page; a store of 16 lines on 4 pages;
 * an atomic by 5 lanes on 5 lines and pages. Launched twice with one work-group of two warps, and once with
 * two. */
static void write_trace_with(const char *path, bool timed)
{
    struct gwt_pc pcs[] = {{1, 'L', 1, 1}, {2, 'L', 2, 2}, {3, 'S', 1, 3}, {4, 'C', 1, 4}};
    struct gwt_kernel k = {"say \"hi\"", {1, 1, 1}, {64, 1, 1}, 0, 4, pcs, {NULL, NULL}};
    struct gwt_writer *w;
    struct mp_error err;
    assert_int_equal(gwt_writer_open(&w, path, &err), 0);
    gwt_write_alloc(w, 1, 0, 1 << 20);
    gwt_write_alloc(w, 2, 1 << 20, 4096);
    for (uint32_t launch = 0; launch < 3; launch++) {
        k.grid[0] = launch < 2 ? 1 : 2;
        if (launch && timed)
            gwt_write_time(w, launch * 1500u);
        gwt_write_kernel(w, &k);
        for (uint32_t i = 0; i < 2 * k.grid[0]; i++) {
            if (i % 2 == 0)
                gwt_write_cta(w, i / 2, 2);
            gwt_write_warp(w, i % 2, 32);
            put_access(w, GWT_LOAD, 0, 0xffffffff, 0, 4);
            put_access(w, GWT_LOAD, 1, 0xffffffff, 65536, 128);
            put_access(w, GWT_STORE, 2, 0x0000ffff, 131072, 16384);
            put_access(w, GWT_ATOMIC, 3, 0x1f, 0, 65536);
            gwt_write_event(w, &(struct gwt_event){.kind = GWT_BARRIER, .gap = 1});
            gwt_write_event(w, &(struct gwt_event){.kind = GWT_EXIT, .gap = 3});
        }
        gwt_write_kernel_end(w);
    }
    assert_int_equal(gwt_writer_close(w, &err), 0);
}

static void write_trace(const char *path)
{
    write_trace_with(path, false);
}

/* A stand-in for the demangler, which the trace library does not have: "mangled" becomes such a name. */
static char *demangle(const char *name)
{
    static const char *const known[][2] = {
        {"m1", "void space::copy<float, 4>(float*, int (*)(int))"},
        {"m2", "f(int)"},
        {"m3", "std::enable_if<(bool)1, void>::type (anonymous namespace)::scan<int>(long)"},
        {"m4", "void a_long_space::a_long_kernel_of_many_words<int, unsigned long, 1024>(int*)"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i][0]))
            return strdup(known[i][1]);
    return NULL;
}

static char *info(const char *path, bool json)
{
    char *text = NULL;
    size_t size;
    struct mp_error err = {""};
    FILE *out = open_memstream(&text, &size);
    if (gwt_info(path, json, demangle, out, &err))
        fail_msg("%s", err.text);
    fclose(out);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in\n%s", part, text);
}

static void test_json(void **state)
{
    (void)state;
    write_trace("info.gwt");
    char *text = info("info.gwt", true);
    static const char *const parts[] = {
        "\"file\": \"info.gwt\"",
        "\"kernel_launches\": 3,",
        "\"work_groups\": 4,",
        "\"warps\": 8,",
        "\"warp_instructions\": 96,",     /* 8 * (4 * 2 + 1 + 3) */
        "\"thread_instructions\": 2384,", /* 8 * (2 * (32 + 32 + 16 + 5) + 4 * 32) */
        "\"barriers\": 8,",
        "\"accesses\": 32,",
        "\"loads\": 16,",
        "\"stores\": 8,",
        "\"atomics\": 8,",
        "\"constant_accesses\": 8,",
        "\"lane_accesses\": 680,",
        "\"footprint_pages_64k\": 6,",
        "\"footprint_bytes\": 393216,",
        "\"allocated_bytes\": 1052672,",
        ("\"lines_128_per_access\": {\"mean\": 13.500000, \"1\": 8, \"2\": 0, \"3-4\": 0, \"5-8\": 8, "
         "\"9-16\": 8, "
         "\"17-32\": 8, \"33 or more\": 0}"),
        ("\"pages_64k_per_access\": {\"mean\": 2.750000, \"1\": 16, \"2\": 0, \"3-4\": 8, \"5-8\": 8, "
         "\"9-16\": 0, "
         "\"17-32\": 0, \"33 or more\": 0}"),
        ("{\"name\": \"say \\\"hi\\\"\", \"grid\": [1, 1, 1], \"block\": [64, 1, 1], \"launches\": 2, "
         "\"accesses\": 16, "
         "\"warp_instructions\": 48},"),
        "\"grid\": [2, 1, 1], \"block\": [64, 1, 1], \"launches\": 1, \"accesses\": 16",
        "\"warp_instructions\": 48}",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        has(text, parts[i]);
    FILE *f = fopen("info.gwt", "rb");
    fseek(f, 0, SEEK_END);
    char bytes[64];
    snprintf(bytes, sizeof bytes, "\"file_bytes\": %ld,\n  \"bits_per_access\": %.6f,", ftell(f),
             8.0 * (double)ftell(f) / 32);
    fclose(f);
    has(text, bytes);
    free(text);
}

static void test_table(void **state)
{
    (void)state;
    write_trace("info.gwt");
    char *text = info("info.gwt", false);
    has(text, "kernel launches                             3\n");
    has(text, "footprint                              393216 bytes\n");
    has(text, "128-byte lines per access: mean 13.500\n");
    has(text, "  17-32                     8 accesses   25.00 %\n");
    has(text, "say \"hi\"");
    free(text);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"m1", "m2",    "m3",
                                        "m4", "plain", "a_name_of_a_c_kernel_that_is_longer_than_any_column"};
    struct gwt_writer *w;
    struct mp_error err;
    assert_int_equal(gwt_writer_open(&w, "names.gwt", &err), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct gwt_kernel k = {.name = (char *)(uintptr_t)names[i], .grid = {1, 1, 1}, .block = {1, 1, 1}};
        gwt_write_kernel(w, &k);
        gwt_write_cta(w, 0, 1);
        gwt_write_warp(w, 0, 1);
        gwt_write_event(w, &(struct gwt_event){.kind = GWT_EXIT, .gap = 1});
        gwt_write_kernel_end(w);
    }
    assert_int_equal(gwt_writer_close(w, &err), 0);
    char *table = info("names.gwt", false), *json = info("names.gwt", true);
    has(table, "\nspace::copy<float, 4> ");
    has(table, "\nf ");
    has(table, "\n(anonymous namespace)::scan<int> ");
    has(table, "\na_long_space::a_long_k...ned long, 1024> ");
    has(table, "\nplain ");
    has(table, "\na_name_of_a_c_kernel_t...than_any_column ");
    has(json,
        "{\"name\": \"m1\", \"demangled\": \"void space::copy<float, 4>(float*, int (*)(int))\", \"grid\"");
    has(json, "a_long_kernel_of_many_words<int, unsigned long, 1024>(int*)\"");
    has(json, "{\"name\": \"plain\", \"grid\"");
    has(json, "\"a_name_of_a_c_kernel_that_is_longer_than_any_column\"");
    free(table);
    free(json);
}

static void test_times(void **state)
{
    (void)state;
    write_trace_with("times.gwt", true);
    char *table = info("times.gwt", false), *json = info("times.gwt", true);
    has(table, "times                                       2\n");
    has(table, "  the last                               3000 ns\n");
    has(json, "\"times\": 2,\n  \"last_time_ns\": 3000,\n");
    free(table);
    free(json);
    write_trace("info.gwt");
    table = info("info.gwt", false);
    assert_null(strstr(table, "times"));
    free(table);
}

static void test_bad_file(void **state)
{
    (void)state;
    struct mp_error err = {""};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(gwt_info("no-such.gwt", true, NULL, out, &err), -1);
    fclose(out);
    assert_int_equal(size, 0);
    assert_non_null(strstr(err.text, "no-such.gwt: "));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),  cmocka_unit_test(test_times),    cmocka_unit_test(test_table),
        cmocka_unit_test(test_names), cmocka_unit_test(test_bad_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
