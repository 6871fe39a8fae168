/* SPDX-License-Identifier: Apache-2.0 */
/* Warp accesses as rows: each column's rule, flaws, and traces at random that come back from their rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random_trace.h"
#include "rows.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Cuts the text into lines and sorts them. */
static unsigned sorted_lines(char *text, char ***lines)
{
    unsigned n = 0, room = 0;
    *lines = NULL;
    for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (n == room) {
            room = room ? 2 * room : 64;
            *lines = realloc(*lines, room * sizeof **lines);
            assert_non_null(*lines);
        }
        (*lines)[n++] = line;
    }
    qsort(*lines, n, sizeof **lines, by_text);
    return n;
}

/* ---- what the columns say ---- */

#define HEAD                                                                                                 \
    "launch,kernel,grid,block,local_bytes,group,warp,instruction,what,space,line,pc,bytes,mask,addresses\n"

static void test_columns(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *back; /* without the line of names */
    } cases[] = {
        /* Only where and which addresses: loads of 4 bytes by all lanes of warp 0, an instruction each. */
        {"group,addresses\n0,0x1000\n0,0x2000+4\n",
         "1,\"kernel\",1x1x1,32x1x1,0,,,,launch,,,,,,\n1,,,,,0,0,0,load,global,0,0x0,4,ffffffff,0x1000\n"
         "1,,,,,0,0,1,load,global,0,0x0,4,ffffffff,0x2000+4\n1,,,,,0,0,2,exit,,,,,,\n"},
        /* Columns and rows in another order; a work-group and a warp without rows. */
        {"addresses,warp,group,what\n0x3000+128,1,2,store\n\n0x1000 0x2000 0x1800,1,0,atomic\n",
         "1,\"kernel\",3x1x1,64x1x1,0,,,,launch,,,,,,\n1,,,,,0,0,0,exit,,,,,,\n"
         "1,,,,,0,1,0,atomic,global,0,0x2,4,00000007,0x1000 0x2000 0x1800\n1,,,,,0,1,1,exit,,,,,,\n"
         "1,,,,,1,0,0,exit,,,,,,\n1,,,,,1,1,0,exit,,,,,,\n1,,,,,2,0,0,exit,,,,,,\n"
         "1,,,,,2,1,0,store,global,0,0x1,4,ffffffff,0x3000+128\n1,,,,,2,1,1,exit,,,,,,\n"},
        /* Everything, with a row for the launch anywhere, and quotes. */
        {HEAD
         "2,,,,,0,0,3,store,global,7,0x20,8,000000ff,0x7f0000000000-8\n"
         "1,\"a<int, \"\"b\"\">\",2x1,40,128,,,,launch,,,,,,\n"
         "1,,,,,1,1,1,load,constant,,,,3,0x1000 0x1004\n1,,,,,1,1,5,barrier,,,,,,\n1,,,,,1,1,9,exit,,,,,,\n",
         "1,\"a<int, "
         "\"\"b\"\">\",2x1x1,40x1x1,128,,,,launch,,,,,,\n1,,,,,0,0,0,exit,,,,,,\n1,,,,,0,1,0,exit,,,,,,\n"
         "1,,,,,1,0,0,exit,,,,,,\n1,,,,,1,1,1,load,constant,0,0x0,4,00000003,0x1000+4\n1,,,,,1,1,5,barrier,,,"
         ",,,\n"
         "1,,,,,1,1,9,exit,,,,,,\n2,\"kernel\",1x1x1,32x1x1,0,,,,launch,,,,,,\n"
         "2,,,,,0,0,3,store,global,7,0x20,8,000000ff,0x7f0000000000-8\n2,,,,,0,0,4,exit,,,,,,\n"},
        /* Times of launches. */
        {"launch,group,what,addresses,time\n1,0,,0x1000,500\n2,,launch,,\n3,,launch,,700\n3,0,exit,,700\n2,0,"
         "exit\n",
         "1,\"kernel\",1x1x1,32x1x1,0,,,,launch,,,,,,,500\n1,,,,,0,0,0,load,global,0,0x0,4,ffffffff,0x1000\n"
         "1,,,,,0,0,1,exit,,,,,,\n2,\"kernel\",1x1x1,32x1x1,0,,,,launch,,,,,,,500\n2,,,,,0,0,0,exit,,,,,,\n"
         "3,\"kernel\",1x1x1,32x1x1,0,,,,launch,,,,,,,700\n3,,,,,0,0,0,exit,,,,,,\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_error err;
        put_text("rows.csv", cases[i].rows);
        if (import_rows("rows.csv", "rows.gwt", 0, 0, &err))
            fail_msg("case %zu: %s", i, err.text);
        char *back = dumped("rows.gwt");
        assert_string_equal(strchr(back, '\n') + 1, cases[i].back);
        free(back);
    }
}

static void test_flaws_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *want;
    } cases[] = {
        {"", "bad.csv:0: no row"},
        {"group,addresses\n", "bad.csv:1: no row"},
        {"group,adresses\n", "bad.csv:1: unknown column 'adresses'; the first line has names of columns"},
        {"group,group,addresses\n", "bad.csv:1: repeated column 'group'"},
        {"group,warp\n", "bad.csv:1: no column group or addresses; both are needed"},
        {"group,addresses\n0,0x10,7\n", "bad.csv:2: more fields than the first line has"},
        {"group,addresses\n\nx,0x10\n",
         "bad.csv:3: column group: 'x'; allowed are numbers from 0 to 134217727"},
        {"group,warp,addresses\n0,128,0x10\n",
         "bad.csv:2: column warp: '128'; allowed are numbers from 0 to 127"},
        {"group,bytes,addresses\n0,0,0x10\n",
         "bad.csv:2: column bytes: '0'; allowed are numbers from 1 to 1024"},
        {"group,launch,addresses\n0,0,0x10\n", "bad.csv:2: column launch: '0'; allowed are numbers from 1"},
        {"group,launch,addresses\n0,2,0x10\n", "launch 1; it must have a row"},
        {"group,what,addresses\n0,read,0x10\n", "column what: 'read'; allowed are load, store"},
        {"group,mask,addresses\n0,xyz,0x10\n", "column mask: 'xyz'; allowed are numbers from 1"},
        {"group,mask,addresses\n0,1ffffffff,0x10\n", "column mask: '1ffffffff'; only existing lanes"},
        {"group,mask,addresses\n0,3,0x10 0x20 0x30\n", "column addresses"},
        {"group,addresses\n0,\n", "column addresses: ''; allowed are 0xADDRESS"},
        {"group,addresses\n0,0x10+x\n", "column addresses: '0x10+x'"},
        {"group,addresses\n0,zz\n", "column addresses: 'zz'"},
        {"group,addresses\n0,0xffffffffffff\n", "an access must end at or below 2^48"},
        {"group,grid,addresses\n3,2x1,0x10\n",
         "launch 1; its grid must have 1 to 134217728 work-groups, and those"},
        {"group,grid,addresses\n0,0x1,0x10\n", "column grid: '0x1'; it must be X, XxY or XxYxZ"},
        {"group,grid,addresses\n0,1x1x1x1,0x10\n", "column grid: '1x1x1x1'"},
        {"group,block,warp,addresses\n0,64,2,0x10\n", "launch 1; its block must have 1 to 4096 work-items"},
        {"group,addresses\n100000000,0x10\n", "more than 1048576 work-groups without rows"},
        {"group,kernel,addresses\n0,a,0x10\n0,b,0x10\n",
         "bad.csv:3: column kernel: 'b'; a launch has one kernel"},
        {"group,instruction,addresses\n0,5,0x10\n0,4,0x10\n",
         "bad.csv:3: column instruction: '4'; a warp's rows"},
        {"group,launch,addresses,time\n0,1,0x10,7\n0,2,0x10,6\n",
         "a time of 6 ns after one of 7; times do not decrease"},
        {"group,addresses,time\n0,0x10,281474976710657\n",
         "column time: '281474976710657'; allowed are numbers from 0 to 281474976710656"},
        {"group,what,addresses\n0,exit,\n0,load,0x10\n", "bad.csv:3: a row after the warp's exit"},
    };
    unlink("bad.gwt");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_error err = {""};
        put_text("bad.csv", cases[i].rows);
        if (!import_rows("bad.csv", "bad.gwt", 0, 0, &err))
            fail_msg("case %zu was taken", i);
        if (strncmp(err.text, "bad.csv:", 8) != 0 || !strstr(err.text, cases[i].want) ||
            !strstr(err.text, "; "))
            fail_msg("case %zu: want '%s', got '%s'", i, cases[i].want, err.text);
        assert_int_equal(access("bad.gwt", F_OK), -1);
    }
}

/* Traces at random: their rows become a trace with the same rows, however little memory sorting has. */
static void test_random_traces_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const struct random_shape shape = {.seed = seed,
                                           .kernels = 3,
                                           .max_grid = 5,
                                           .max_block = 100,
                                           .max_events = 20,
                                           .warp_lanes = seed % 2 ? 32 : 64};
        struct mp_error err;
        char **there, **back;
        if (random_write(&shape, "random.gwt", &err))
            fail_msg("seed %d: %s", (int)seed, err.text);
        char *rows = dumped("random.gwt");
        put_text("random.csv", rows);
        if (import_rows("random.csv", "back.gwt", shape.warp_lanes, seed % 3 ? 0 : 5000, &err))
            fail_msg("seed %d: %s", (int)seed, err.text);
        char *again = dumped("back.gwt");
        const unsigned n = sorted_lines(rows, &there);
        assert_int_equal(sorted_lines(again, &back), n);
        assert_true(n > 100);
        for (unsigned i = 0; i < n; i++)
            assert_string_equal(back[i], there[i]);
        free(there);
        free(back);
        free(rows);
        free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_flaws_are_named),
        cmocka_unit_test(test_random_traces_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
