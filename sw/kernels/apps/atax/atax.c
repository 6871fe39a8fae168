/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ATAX: y = A^T (A x). The matrix is read twice: first neighbouring lanes read elements that are a row apart,
 * then they read neighbouring elements. Elements are -1, 0 and 1, so every partial sum is an integer below
 * 2^24 and float results are exact.
 *
 * Size neidty has work-groups of 32 x 8, as PolyBench-ACC. Their eight rows of work-items add the same
 * products to the same sums. On the recording device, work-items never overtake each other between a load and
 * its store, so every sum is eight times the right one.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { GROUP = 256, GROUP_X = 32, GROUP_Y = 8 };

static const struct {
    uint32_t nx, ny;
} sizes[APP_SCALES] = {{256, 256},
                       {3072, 16384},
                       {64512, 4096},
                       {4096, 4096},
                       [APP_MESC] = {4096, 4096},
                       [APP_NEIDTY] = {4096, 4096}};

static void reference(const float *A, const float *x, float *tmp, float *y, uint32_t nx, uint32_t ny,
                      uint32_t times)
{
    for (uint32_t i = 0; i < nx; i++) {
        const float *row = A + (size_t)i * ny;
        int32_t sum = 0;
        for (uint32_t j = 0; j < ny; j++)
            sum += (int32_t)row[j] * (int32_t)x[j];
        tmp[i] = (float)(sum * (int32_t)times);
        for (uint32_t j = 0; j < ny; j++)
            y[j] += (float)times * row[j] * tmp[i];
    }
}

static int check(const float *expected, const float *got, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++)
        if (check_float("ATAX: y", j, expected[j], got[j], 0))
            return -1;
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t nx = sizes[scale].nx, ny = sizes[scale].ny;
    const size_t elements = (size_t)nx * ny;
    float *A = device_alloc(d, elements * sizeof *A);
    float *x = device_alloc(d, ny * sizeof *x);
    float *tmp = device_alloc(d, nx * sizeof *tmp);
    float *y = device_alloc(d, ny * sizeof *y);
    for (size_t i = 0; i < elements; i++)
        A[i] = (float)fill_small(seed, i, 1);
    for (uint32_t j = 0; j < ny; j++)
        x[j] = (float)fill_small(seed + 1, j, 1);
    device_wrote(d, A, elements * sizeof *A);
    device_wrote(d, x, ny * sizeof *x);
    device_wrote(d, tmp, nx * sizeof *tmp);
    device_wrote(d, y, ny * sizeof *y);

    if (scale == APP_NEIDTY) {
        const size_t across = device_whole_groups(nx, GROUP_X), down = device_whole_groups(ny, GROUP_X);
        DEVICE_RUN(d, "atax_ax_8", 2, DEVICE_SIZE(across, GROUP_Y), DEVICE_SIZE(GROUP_X, GROUP_Y), &A, &x,
                   &tmp, &nx, &ny);
        DEVICE_RUN(d, "atax_aty_8", 2, DEVICE_SIZE(down, GROUP_Y), DEVICE_SIZE(GROUP_X, GROUP_Y), &A, &tmp,
                   &y, &nx, &ny);
    } else {
        DEVICE_RUN(d, "atax_ax", 1, DEVICE_SIZE(device_whole_groups(nx, GROUP)), DEVICE_SIZE(GROUP), &A, &x,
                   &tmp, &nx, &ny);
        DEVICE_RUN(d, "atax_aty", 1, DEVICE_SIZE(ny), DEVICE_SIZE(GROUP), &A, &tmp, &y, &nx, &ny);
    }
    device_read(d, y, ny * sizeof *y);

    float *expected_tmp = host_alloc(nx, sizeof *expected_tmp), *expected = host_alloc(ny, sizeof *expected);
    reference(A, x, expected_tmp, expected, nx, ny, scale == APP_NEIDTY ? GROUP_Y : 1);
    const int result = check(expected, y, ny);
    free(expected_tmp);
    free(expected);
    device_free(d, y);
    device_free(d, tmp);
    device_free(d, x);
    device_free(d, A);
    return result;
}

const struct app app_atax = {
    .name = "ATAX",
    .title = "Matrix transpose and vector multiplication",
    .suite = "Polybench",
    .size = {"256 x 256 floats", "3072 x 16384 floats", "64512 x 4096 floats", "4096 x 4096 floats",
             [APP_MESC] = "4096 x 4096 floats", [APP_NEIDTY] = "4096 x 4096 floats, work-groups of 32 x 8"},
    .run = run,
    .instructions =
        64ull * (32 + 13 * 4096 + 27 + 17 * 4096), /* of the kernels; Table II has ten times as many */
};
