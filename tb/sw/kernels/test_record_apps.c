/* SPDX-License-Identifier: Apache-2.0 */
/* Records every application at its small size (the recorder's exit code says that results were right) and
 * opens the traces. MEMPATH_RECORD is the recorder's path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/gwt.h"

extern char **environ;

static int record(const char *app, const char *size, const char *input, const char *out)
{
    char *const argv[] = {MEMPATH_RECORD,
                          (char *)(uintptr_t)app,
                          "--size",
                          (char *)(uintptr_t)size,
                          "-o",
                          (char *)(uintptr_t)out,
                          input ? "--input" : NULL,
                          (char *)(uintptr_t)input,
                          NULL};
    pid_t pid;
    int status;
    assert_int_equal(posix_spawn(&pid, MEMPATH_RECORD, NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* lane accesses: what the kernels' loops come to, where that does not depend on a random graph. */
static const struct expected {
    const char *app;
    uint64_t kernels, lane_accesses;
} expected[] = {
    {"ATAX", 2, 2 * 256 * 256 * 4},           /* load sum, A, x; store sum */
    {"BICG", 2, 2 * 256 * 256 * 4 + 2 * 256}, /* and set each sum to 0 */
    {"FFT", 1, 512 * 512 * 2},                /* each point loaded and stored */
    {"BFS", 0, 0},
    {"ST", 1,
     256 * 256 + 16 * 18 * (256 + 4 * 2)}, /* stores; 16 blocks of 18 rows, 4 of them with 2 halo columns */
    {"FIR", 1, 16384 * (2 * 16 + 1)},
    {"PR", 16, 0},
    {"MT", 1, 512 * 512 / 4 * 2}, /* four elements at once */
    {"NW", 8 + 7,
     8 * 8 * (64 * 64 * 2 + 2 * 64 + 1)}, /* tiles: similarity in, score out, row, column, corner */
    {"CONV", 5, 0},
    {"MM", 1, 8 * 128 * (64 + 8 + 2 * 16)},                   /* of A, of B, C loaded and stored */
    {"HS", 2, 2 * 132 * 132 + 2 * 114 * 114 + 2 * 100 * 100}, /* work-groups overlap by 4 cells, then by 2 */
    {"RAY", 1, 0},
    {"FFT256", 8, 8 * 32 * 256 * 2},
    {"LPS", 1, 20 * (2 * 100 * 32 + 14 * (100 + 6) + 6 * 32)}, /* a plane: its points, its groups' halos */
    {"JPEG", 1, 160 * 160 * 2},
    {"LIB", 2, 0},
    {"SRAD", 7, 98 * 60 * (2 + 3 + 2 + 14 + 11 + 2) + 4 * 12 + 2}, /* sums of 12 groups, and theirs */
    {"3DS", 1, 64 * 32 * (16 + 16) + 14 * (3 * 2 * 64 + 2 * 32)},  /* points; halos of 2 x 4 groups */
    {"BLK", 1, 20000 * 5},
    {"QTC", 0, 0},
    {"SAD", 2, 6 * 548 * (4 + 1) * (4 + 5)}, /* four blocks loaded, five stored */
    {"GUPS", 1, 480 * (2 * 256 + 1)},
    {"CORR", 4, 96 * (96 * 3 + 3) + 96 * (96 * 4 + 6) + 96 * 96 * 6 + 95 + 95 * 48 * (96 * 4 + 3)},
    {"COVAR", 3, 96 * (96 * 3 + 3) + 96 * 96 * 3 + 97 * 48 * (96 * 4 + 3)},
    {"GMV", 1, 256 * (256 * 8 + 3)}, /* x is loaded for each matrix */
    {"GRM", 3 * 64, 0},
    {"MVT", 2, 2 * 256 * 256 * 4},
    {"2DCONV", 1, 126 * 126 * (9 + 1)},
    {"COLOR", 0, 0},
    {"MIS", 0, 0},
    {"SSSP", 0, 0},
    {"BC", 0, 0},
    {"PAGERANK", 1 + 2 * 10, 0},
    {"LUD", 7 * 3 + 1,
     8 * (16 * 31) + 28 * (16 * 16 * 5 - 16) + 140 * 16 * 16 * 4}, /* blocks of each kernel */
    {"ADI", 2 + 63 + 1 + 62 + 1, 2 * 64 * (63 * 9 + 3 + 62 * 5)},  /* along rows, along columns */
    {"MMS", 1, 128 * 128 * (2 * 4 + 1)},
    {"SN", 1 + 3 + 2, 4096 * 4 * 6}, /* every launch loads and stores all keys and values */
    {"VA", 1, 32768 * 3},
    {"SP", 1, 32 * (2 * 2048 + 1)},
    {"FWT", 3 * 2 + 1, 8192 * (6 * 2 + 3)},
    {"CFD", 8, 0},
    {"ALEXNET", 2 * 8 + 2 + 3 + 3, 0},
    {"DECODE", 1, 0},
    {"EMBED", 1, 64 * 64 * (32 * 2 + 1)}, /* an index and a row for each, and the sum */
    {"MOE", 2, 32 * 64 * (64 * 2 + 2 + 1) + 16 * 64 * (2 * 2 + 1)},
    {"GNN", 1, 0},
    {"JOIN", 2, 0},
    {"PREFILL", 1, 0},
    {"GEMM", 1, 16 * 128 * (8 * 2 + 16)}, /* 8 steps, of A and of B; 16 pairs of sums */
    {"SPMM", 1, 0},
    {"SERVE", 2 * 8, 0},
};

static void small_sizes_record_and_open(void **state)
{
    (void)state;
    char path[] = "/tmp/record-appXXXXXX.gwt.zst";
    const int fd = mkstemps(path, 8);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct expected *e = &expected[i];
        struct gwt_reader *r;
        struct mp_error err;
        if (record(e->app, "small", NULL, path) != 0)
            fail_msg("%s: recording or its check failed", e->app);
        if (gwt_open(&r, path, &err) != 0)
            fail_msg("%s: %s", e->app, err.text);
        const struct gwt_totals *t = gwt_totals(r);
        if ((e->kernels && t->kernels != e->kernels) ||
            (e->lane_accesses && t->lane_accesses != e->lane_accesses))
            fail_msg("%s: %llu kernels and %llu lane accesses, expected %llu and %llu", e->app,
                     (unsigned long long)t->kernels, (unsigned long long)t->lane_accesses,
                     (unsigned long long)e->kernels, (unsigned long long)e->lane_accesses);
        assert_in_range(t->lane_accesses, 50000, 3000000);
        assert_true(t->instructions > t->accesses && t->thread_instructions > t->instructions);
        assert_true(t->lane_accesses > t->accesses && t->footprint_pages > 0);
        gwt_close(r);
    }
    unlink(path);
}

/* At size mesc, NW has smaller tiles and BFS other kernels. The graph has three levels, of the vertices 1,
 * then 2, 3 and 4, then 5, with two launches for each. */
static void structures_of_mesc_are_right(void **state)
{
    (void)state;
    static const struct {
        const char *app, *graph;
        uint64_t kernels, warps, lane_accesses;
    } table[] = {
        {"NW", NULL, 255, 128 * 128, 128 * 128 * (16 * 16 * 2 + 2 * 16 + 1)},
        {"BFS", "p sp 5 7\na 1 2 1\na 1 3 1\na 2 4 1\na 3 4 1\na 4 5 1\na 1 4 1\na 5 1 1\n", 6, 6 * 16, 0},
    };
    char path[] = "/tmp/record-appXXXXXX.gwt.zst", graph[] = "/tmp/record-graphXXXXXX.gr";
    close(mkstemps(path, 8));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct gwt_reader *r;
        struct mp_error err;
        if (table[i].graph) {
            FILE *f = fdopen(mkstemps(graph, 3), "w");
            assert_non_null(f);
            fputs(table[i].graph, f);
            fclose(f);
        }
        if (record(table[i].app, "mesc", table[i].graph ? graph : NULL, path) != 0)
            fail_msg("%s: recording or its check failed", table[i].app);
        if (gwt_open(&r, path, &err) != 0)
            fail_msg("%s: %s", table[i].app, err.text);
        assert_int_equal(gwt_totals(r)->warp_lanes, 32);
        assert_int_equal(gwt_totals(r)->kernels, table[i].kernels);
        assert_int_equal(gwt_totals(r)->warps, table[i].warps);
        if (table[i].lane_accesses)
            assert_int_equal(gwt_totals(r)->lane_accesses, table[i].lane_accesses);
        gwt_close(r);
    }
    unlink(graph);
    unlink(path);
}

/* Inputs of the STAR paper: wavefronts of 64 lanes in one of the runs of Table II, and the instructions that
 * it counts for them. The four that are recorded fastest. */
static void recovered_sizes_have_the_papers_wavefronts(void **state)
{
    (void)state;
    static const struct {
        const char *app, *size;
        uint64_t kernels, wavefronts, instructions;
    } table[] = {{"ATAX", "star", 2, 2 * 64, 7868096},
                 {"BICG", "star", 2, 2 * 64, 7868224},
                 {"MT", "star", 1, 65536 / 4, 146 * 65536 / 4},
                 {"ST", "star", 6, 61440 / 2, 965 * 61440 / 2},
                 {"ST", "star-s", 6, 61440 / 2, 965 * 61440 / 2}};
    char path[] = "/tmp/record-appXXXXXX.gwt.zst";
    const int fd = mkstemps(path, 8);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct gwt_reader *r;
        struct mp_error err;
        if (record(table[i].app, table[i].size, NULL, path) != 0)
            fail_msg("%s: recording or its check failed", table[i].app);
        if (gwt_open(&r, path, &err) != 0)
            fail_msg("%s: %s", table[i].app, err.text);
        assert_int_equal(gwt_totals(r)->warp_lanes, 64);
        assert_int_equal(gwt_totals(r)->kernels, table[i].kernels);
        assert_int_equal(gwt_totals(r)->warps, table[i].wavefronts);
        assert_true(fabs((double)gwt_totals(r)->instructions / (double)table[i].instructions - 1) < 1e-4);
        assert_true(gwt_totals(r)->recorded && gwt_totals(r)->recorded != gwt_totals(r)->instructions);
        gwt_close(r);
    }
    unlink(path);
}

static void graph_files_are_inputs(void **state)
{
    (void)state;
    static const char *const apps[] = {"BFS", "PR", "COLOR", "MIS", "SSSP", "BC", "PAGERANK"};
    static const char *const graphs[][2] = {
        {".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n5 5\n"},
        {".gr", "p sp 4 3\na 1 2 1\na 2 3 1\na 3 1 1\n"},
    };
    char out[] = "/tmp/record-appXXXXXX.gwt";
    const int fd = mkstemps(out, 4);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < 2; i++) {
        char graph[64]; /* a unique name, because two test runs may run at the same time */
        snprintf(graph, sizeof graph, "/tmp/record-graphXXXXXX%s", graphs[i][0]);
        FILE *f = fdopen(mkstemps(graph, (int)strlen(graphs[i][0])), "w");
        assert_non_null(f);
        fputs(graphs[i][1], f);
        fclose(f);
        for (size_t a = 0; a < sizeof apps / sizeof *apps; a++)
            if (record(apps[a], "small", graph, out) != 0)
                fail_msg("%s: recording or its check failed", apps[a]);
        unlink(graph);
    }
    assert_int_not_equal(record("BFS", "small", "/tmp/there-is-no-such.mtx", out), 0);
    unlink(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sizes_record_and_open),
        cmocka_unit_test(recovered_sizes_have_the_papers_wavefronts),
        cmocka_unit_test(structures_of_mesc_are_right),
        cmocka_unit_test(graph_files_are_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
