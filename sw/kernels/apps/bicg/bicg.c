/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BICG: q = A p and s = A^T r. Elements are small integers, so that every partial sum is an integer below
 * 2^24 (at most 64512 * 4 * 4) and float results are exact.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { GROUP = 256, LIMIT = 4 };

static const struct {
    uint32_t nx, ny;
} sizes[APP_SCALES] = {{256, 256}, {3072, 16384}, {64512, 4096}, {4096, 4096}, [APP_MESC] = {4096, 4096}};

static int check(const float *A, const float *p, const float *r, const float *q, const float *s, uint32_t nx,
                 uint32_t ny)
{
    float *sums = host_alloc(ny, sizeof *sums);
    int result = 0;
    for (uint32_t i = 0; i < nx && !result; i++) {
        const float *row = A + (size_t)i * ny;
        int32_t sum = 0;
        for (uint32_t j = 0; j < ny; j++) {
            sum += (int32_t)row[j] * (int32_t)p[j];
            sums[j] += row[j] * r[i];
        }
        result = check_float("BICG: q", i, sum, q[i], 0);
    }
    for (uint32_t j = 0; j < ny && !result; j++)
        result = check_float("BICG: s", j, sums[j], s[j], 0);
    free(sums);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t nx = sizes[scale].nx, ny = sizes[scale].ny;
    const size_t elements = (size_t)nx * ny;
    float *A = device_alloc(d, elements * sizeof *A);
    float *p = device_alloc(d, ny * sizeof *p);
    float *r = device_alloc(d, nx * sizeof *r);
    float *q = device_alloc(d, nx * sizeof *q);
    float *s = device_alloc(d, ny * sizeof *s);
    for (size_t i = 0; i < elements; i++)
        A[i] = (float)fill_small(seed, i, LIMIT);
    for (uint32_t j = 0; j < ny; j++)
        p[j] = (float)fill_small(seed + 1, j, LIMIT);
    for (uint32_t i = 0; i < nx; i++)
        r[i] = (float)fill_small(seed + 2, i, LIMIT);
    device_wrote(d, A, elements * sizeof *A);
    device_wrote(d, p, ny * sizeof *p);
    device_wrote(d, r, nx * sizeof *r);

    DEVICE_RUN(d, "bicg_q", 1, DEVICE_SIZE(device_whole_groups(nx, GROUP)), DEVICE_SIZE(GROUP), &A, &p, &q,
               &nx, &ny);
    DEVICE_RUN(d, "bicg_s", 1, DEVICE_SIZE(ny), DEVICE_SIZE(GROUP), &A, &r, &s, &nx, &ny);
    device_read(d, q, nx * sizeof *q);
    device_read(d, s, ny * sizeof *s);

    const int result = check(A, p, r, q, s, nx, ny);
    device_free(d, s);
    device_free(d, q);
    device_free(d, r);
    device_free(d, p);
    device_free(d, A);
    return result;
}

const struct app app_bicg = {
    .name = "BICG",
    .title = "Sub-kernels of the BiCGStab linear solver",
    .suite = "Polybench",
    .size = {"256 x 256 floats", "3072 x 16384 floats", "64512 x 4096 floats",
             "4096 x 4096 floats", [APP_MESC] = "4096 x 4096 floats"},
    .run = run,
    .instructions =
        64ull * (33 + 13 * 4096 + 28 + 17 * 4096), /* of the kernels; Table II has ten times as many */
};
