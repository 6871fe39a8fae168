/* SPDX-License-Identifier: Apache-2.0 */
/* Lane accesses per second of a whole recording (kernel, replay, compressed writing) of an ATAX-like pair of
 * kernels: rows (a row per lane) and columns (coalesced). The optional argument is the matrix's size; its
 * default is 2048. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PATH "bench_recorder.gwt.zst"

static int n = 2048;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void lane_accesses_per_second(void **state)
{
    (void)state;
    static const char *const kernels[] = {"rows", "columns"};
    const size_t size = (size_t)n;
    struct device *d;
    struct mp_error err;
    if (device_open(&d, "bench", &mp_module_recorder_test, PATH, PROGRESS_NONE, &err))
        fail_msg("%s", err.text);
    float *a = device_alloc(d, size * size * sizeof *a), *x = device_alloc(d, size * sizeof *x);
    float *t = device_alloc(d, size * sizeof *t), *y = device_alloc(d, size * sizeof *y);
    for (size_t i = 0; i < size * size; i++)
        a[i] = 1;
    for (size_t i = 0; i < size; i++)
        x[i] = 1;
    for (unsigned k = 0; k < 2; k++) {
        const uint64_t before = device_counts(d)->lane_accesses;
        const double begun = now();
        DEVICE_RUN(d, kernels[k], 1, DEVICE_SIZE(size), DEVICE_SIZE(256), &a, k ? &y : &x, &t, &n);
        const double seconds = now() - begun;
        const double accesses = (double)(device_counts(d)->lane_accesses - before);
        print_message("%-8s %.0f M lane accesses, %.2f s: %.1f M/s\n", kernels[k], accesses / 1e6, seconds,
                      accesses / seconds / 1e6);
        assert_true(accesses == 3.0 * (double)(size * size) + (double)size); /* the sum stays in a register */
    }
    for (size_t i = 0; i < size; i++)
        assert_true(t[i] == (float)n && y[i] == (float)size * (float)size);
    if (device_close(d, &err))
        fail_msg("%s", err.text);
    unlink(PATH);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        n = atoi(argv[1]);
    if (n < 256 || n > 16384 || n % 256) {
        fprintf(stderr, "%s: size %s; a multiple of 256 from 256 to 16384\n", argv[0], argv[1]);
        return 2;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(lane_accesses_per_second)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
