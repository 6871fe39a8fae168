/* SPDX-License-Identifier: Apache-2.0 */
/* The importer of MGPUSim's memory traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "rows.h"

static const char trace[] =
    "start, 0.000000001000, GPU[1].SA[0].L1VCache[0], 12, *mem.ReadReq, 0x100000040, 64\n"
    "start, 0.000000001000, GPU[1].L2Cache[0], 13, *mem.ReadReq, 0x100000040, 64\n"
    "step, 0.000000002000, 12, read-miss\n"
    "start, 0.000000003000, GPU[1].SA[0].L1VCache[1], 14, *mem.WriteReq, 0x100001040, 4\n"
    "end, 0.000000010000, 12\n"
    "start, 0.000000011000, GPU[1].SA[0].L1VCache[0], 15, read, 0x100002040, 64\n";

static int import_at(const char *from, const char *at, struct mp_error *err)
{
    struct import_summary summary;
    return import_recording(from, "mgpusim.gwt", &(struct import_options){.at = at}, &summary, err);
}

static void becomes(const char *from, const char *at, const char *rows)
{
    struct mp_error err;
    if (import_at(from, at, &err))
        fail_msg("%s", err.text);
    char *back = dumped("mgpusim.gwt");
    assert_string_equal(strchr(back, '\n') + 1, rows);
    free(back);
}

/* Each cache is a work-group of one warp; nanoseconds are instructions. Names of files do not matter. */
static void test_locations_are_warps(void **state)
{
    static const char vector_caches[] =
        "1,\"mgpusim\",2x1x1,32x1x1,0,,,,launch,,,,,,\n1,,,,,0,0,0,load,global,0,0x0,64,00000001,"
        "0x100000040\n"
        "1,,,,,0,0,10,load,global,0,0x0,64,00000001,0x100002040\n1,,,,,0,0,11,exit,,,,,,\n"
        "1,,,,,1,0,2,store,global,0,0x1,4,00000001,0x100001040\n1,,,,,1,0,3,exit,,,,,,\n";
    (void)state;
    put_text("mem.trace", trace);
    put_text("memory", trace);
    becomes("mem.trace", NULL, vector_caches);
    becomes("memory", NULL, vector_caches);
    becomes("memory", "GPU[1].L2*",
            "1,\"mgpusim\",1x1x1,32x1x1,0,,,,launch,,,,,,\n1,,,,,0,0,0,load,global,0,0x0,64,00000001,"
            "0x100000040\n"
            "1,,,,,0,0,1,exit,,,,,,\n");
}

static void test_flaws_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"start, 0.1, A.L1V, 1, read, 0x10, 64, 7\n", "bad.trace:1: wrong number of fields"},
        {"start, 0.1, A.L1V, 1, read, 0x10\n", "bad.trace:1: wrong number of fields"},
        {"step, 0.1, 1, x\nstart, x, A.L1V, 1, read, 0x10, 64\n", "bad.trace:2: wrong time"},
        {"start, -1, A.L1V, 1, read, 0x10, 64\n", "bad.trace:1: wrong time"},
        {"start, 0.1, A.L1V, 1, read, zz, 64\n", "bad.trace:1: wrong address or size"},
        {"start, 0.1, A.L1V, 1, read, 0x10, 0\n", "bad.trace:1: wrong address or size"},
        {"start, 0.1, A.L1V, 1, read, 0xffffffffffff, 64\n", "bad.trace:1: address out of range"},
        {"start, 0.1, A.L1V, 1, read, 0x10, 64\nhello\n", "bad.trace:2: no line of a memory trace"},
        {"start, 0.1, A.DRAM, 1, read, 0x10, 64\n", "no transaction at '*L1V*'; there are some at 'A.DRAM'"},
        {"end, 0.1, 1\n", "no transaction at '*L1V*'; the trace has none at all"},
    };
    unlink("mgpusim.gwt");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_error err = {""};
        put_text("bad.trace", cases[i].text);
        if (!import_at("bad.trace", NULL, &err))
            fail_msg("case %zu was taken", i);
        if (!strstr(err.text, cases[i].want) || !strstr(err.text, "; "))
            fail_msg("case %zu: want '%s', got '%s'", i, cases[i].want, err.text);
        assert_int_equal(access("mgpusim.gwt", F_OK), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locations_are_warps),
        cmocka_unit_test(test_flaws_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
