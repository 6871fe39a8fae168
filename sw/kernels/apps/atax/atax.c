/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ATAX: y = A^T (A x). The matrix is read twice: first neighbouring lanes read elements that are a row apart,
 * then they read neighbouring elements. Elements are -1, 0 and 1, so every partial sum is an integer below
 * 2^24 and float results are exact.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { GROUP = 256 };

static const struct {
    uint32_t nx, ny;
} sizes[APP_SCALES] = {{256, 256}, {3072, 16384}, {64512, 4096}, {384, 16384}, {8064, 4096}, {4096, 4096}};

static void reference(const float *A, const float *x, float *tmp, float *y, uint32_t nx, uint32_t ny)
{
    for (uint32_t i = 0; i < nx; i++) {
        const float *row = A + (size_t)i * ny;
        int32_t sum = 0;
        for (uint32_t j = 0; j < ny; j++)
            sum += (int32_t)row[j] * (int32_t)x[j];
        tmp[i] = (float)sum;
        for (uint32_t j = 0; j < ny; j++)
            y[j] += row[j] * tmp[i];
    }
}

static int check(const float *expected, const float *got, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++)
        if (check_float("ATAX: y", j, expected[j], got[j], 0))
            return -1;
    return 0;
}

/* The number of work-items, rounded up to whole work-groups. Work-items beyond n do nothing. */
static size_t groups_of(uint32_t n)
{
    return ((size_t)n + GROUP - 1) / GROUP * GROUP;
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

    DEVICE_RUN(d, "atax_ax", 1, DEVICE_SIZE(groups_of(nx)), DEVICE_SIZE(GROUP), &A, &x, &tmp, &nx, &ny);
    DEVICE_RUN(d, "atax_aty", 1, DEVICE_SIZE(ny), DEVICE_SIZE(GROUP), &A, &tmp, &y, &nx, &ny);
    device_read(d, y, ny * sizeof *y);

    float *expected_tmp = host_alloc(nx, sizeof *expected_tmp), *expected = host_alloc(ny, sizeof *expected);
    reference(A, x, expected_tmp, expected, nx, ny);
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
    .size = {"256 x 256 floats", "3072 x 16384 floats", "64512 x 4096 floats", "384 x 16384 floats",
             "8064 x 4096 floats", "4096 x 4096 floats"},
    .run = run,
};
