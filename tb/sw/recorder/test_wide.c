/* SPDX-License-Identifier: Apache-2.0 */
/* The copy of a file with vectors of 32: what is renamed in it, and that the rest is unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/wide.h"

#define PRAGMA "#pragma OPENCL EXTENSION cl_qcom_extra_vector_types : enable\n"

static char folder[] = "/tmp/mempath-wide-XXXXXX", path[64], copy[64];

/* What is behind the copy's line directive and the pragma; NULL if there is no copy. */
static const char *copied(const char *text)
{
    static char read[4096];
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    unlink(copy);
    if (!wide_copy(path, copy))
        return NULL;
    f = fopen(copy, "r");
    read[fread(read, 1, sizeof read - 1, f)] = 0;
    fclose(f);
    char first[128];
    snprintf(first, sizeof first, "#line 1 \"%s\"\n", path);
    assert_memory_equal(read, first, strlen(first));
    return read + strlen(first) + strlen(PRAGMA);
}

static void names_of_elements(void **state)
{
    (void)state;
    static const struct {
        const char *text, *in_copy;
    } cases[] = {{"v.sg = w.sv;\n", "v.hi.s0 = w.hi.sf;\n"},
                 {"sg = sv; v.sf; v.s0; v.sw;\n", "sg = sv; v.sf; v.s0; v.sw;\n"},
                 {"v.sgh; v.sv_; v.si1;\n", "v.sgh; v.sv_; v.si1;\n"},
                 {"(v).lo.sp*v.sk\n", "(v).lo.hi.s9*v.hi.s4\n"},
                 {"\"v.sg\" v.sg\n", "\"v.sg\" v.hi.s0\n"},
                 {"\"\\\"v.sg\" v.sg\n", "\"\\\"v.sg\" v.hi.s0\n"},
                 {"\"\\\\\" v.sg\n", "\"\\\\\" v.hi.s0\n"},
                 {"// 3.5\" of v\nv.sh", "// 3.5\" of v\nv.hi.s1"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, PRAGMA "%s", cases[i].text);
        assert_string_equal(copied(text), cases[i].in_copy);
    }
    assert_null(copied("kernel void k(void) {}\n"));
    assert_null(copied(""));
    unlink(path);
    assert_false(wide_copy(path, copy));
}

/* Undoing the renaming gives the original. */
static void random_texts(void **state)
{
    (void)state;
    const unsigned seed = (unsigned)time(NULL);
    print_message("seed %u\n", seed);
    srand(seed);
    for (unsigned round = 0; round < 300; round++) {
        char text[sizeof PRAGMA + 200] = PRAGMA, undone[2048] = "";
        for (size_t at = strlen(text), n = at + (unsigned)rand() % 200; at < n; at++)
            text[at] = "..ssgvfw_1\"\\\n "[rand() % 14];
        size_t n = 0;
        for (const char *at = copied(text); *at; n++) {
            const bool renamed = strncmp(at, ".hi.s", 5) == 0; /* the texts have no h */
            const char digit[] = {renamed ? at[5] : '0', 0};
            n += renamed ? (size_t)sprintf(undone + n, ".s%c", (char)('g' + strtol(digit, NULL, 16))) - 1 : 0;
            undone[n] = renamed ? undone[n] : *at;
            at += renamed ? 6 : 1;
        }
        undone[n] = 0;
        assert_string_equal(undone, text + strlen(PRAGMA));
    }
}

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/wide.cl", folder);
    snprintf(copy, sizeof copy, "%s/copy.cl", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    unlink(copy);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_elements), cmocka_unit_test(random_texts)};
    return cmocka_run_group_tests(tests, begin, end);
}
