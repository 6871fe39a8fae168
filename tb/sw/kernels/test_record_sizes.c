/* SPDX-License-Identifier: Apache-2.0 */
/* Records every application at its sizes mesc, neidty and fgpu (the recorder's exit code says that results
 * were right) and looks at what the papers or their artifacts say of them. MEMPATH_RECORD is the recorder's
 * path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/gwt.h"

extern char **environ;

enum { MESC_BUDGET = 200000000 }; /* warp instructions of a trace */

static int record(const char *app, const char *size, const char *out)
{
    char *const argv[] = {
        MEMPATH_RECORD, (char *)(uintptr_t)app, "--size", (char *)(uintptr_t)size, "--quiet",
        "-o",           (char *)(uintptr_t)out, NULL};
    pid_t pid;
    int status;
    assert_int_equal(posix_spawn(&pid, MEMPATH_RECORD, NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Launches that a size implies; 0 where a random graph decides. */
static const struct recording {
    const char *app, *size;
    uint64_t launches;
} recordings[] = {
    {"ATAX", "mesc", 2},
    {"BFS", "mesc", 0},
    {"BICG", "mesc", 2},
    {"CORR", "mesc", 4},
    {"COVAR", "mesc", 3},
    {"GMV", "mesc", 1},
    {"GRM", "mesc", 3 * 16},
    {"MVT", "mesc", 2},
    {"NW", "mesc", 255},
    {"2DCONV", "mesc", 1},
    {"COLOR", "mesc", 0},
    {"HS", "mesc", 2},
    {"LUD", "mesc", 3 * 16 - 2},
    {"SRAD", "mesc", 7},
    {"SSSP", "mesc", 1 + 3 * 64},
    {"LUD", "neidty", 3 * 128 - 2},
    {"SRAD", "neidty", 4},
    {"BC", "neidty", 0},
    {"COLOR", "neidty", 0},
    {"MIS", "neidty", 0},
    {"PAGERANK", "neidty", 1 + 2 * 20},
    {"ATAX", "neidty", 2},
    {"ADI", "neidty", 2 * 2048 + 1},
    {"MMS", "fgpu", 1},
    {"SN", "fgpu", 66},
    {"VA", "fgpu", 1},
    {"SP", "fgpu", 1},
    {"FWT", "fgpu", 22},
    {"CFD", "fgpu", 8},
    {"ALEXNET", "fgpu", 24},
};

static void papers_sizes_record_and_open(void **state)
{
    (void)state;
    char path[] = "/tmp/record-sizeXXXXXX.gwt.zst";
    const int fd = mkstemps(path, 8);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
        const struct recording *e = &recordings[i];
        struct gwt_reader *r;
        struct mp_error err;
        if (record(e->app, e->size, path) != 0)
            fail_msg("%s at size %s: recording or its check failed", e->app, e->size);
        if (gwt_open(&r, path, &err) != 0)
            fail_msg("%s at size %s: %s", e->app, e->size, err.text);
        const struct gwt_totals *t = gwt_totals(r);
        assert_int_equal(t->warp_lanes, 32);
        if (e->launches && t->kernels != e->launches)
            fail_msg("%s at size %s: %llu launches, expected %llu", e->app, e->size,
                     (unsigned long long)t->kernels, (unsigned long long)e->launches);
        if (strcmp(e->size, "mesc") == 0 && t->instructions > MESC_BUDGET)
            fail_msg("%s at size mesc: %llu warp instructions, %d at most", e->app,
                     (unsigned long long)t->instructions, MESC_BUDGET);
        gwt_close(r);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(papers_sizes_record_and_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
