/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GMV, which is GESUMMV: the weighted sum of two products of a matrix and a vector. Elements and weights are
 * small integers, so that every partial sum is an integer below 2^24 (at most 5 * 4096 * 4 * 4) and float
 * results are exact.
 */
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 256, LIMIT = 4 };

static const uint32_t sizes[APP_SCALES] = {256, 2048, [APP_MESC] = 4096};
static const float alpha = 3.0f, beta = -2.0f;

static int check(const float *A, const float *B, const float *x, const float *got, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        float a = 0, b = 0;
        for (size_t j = 0, at = (size_t)i * n; j < n; j++, at++) {
            a += A[at] * x[j];
            b += B[at] * x[j];
        }
        if (check_float("GMV: y", i, alpha * a + beta * b, got[i], 0))
            return -1;
    }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t n = sizes[scale];
    float *A = buffer_small(d, (size_t)n * n, seed, LIMIT);
    float *B = buffer_small(d, (size_t)n * n, seed + 1, LIMIT);
    float *x = buffer_small(d, n, seed + 2, LIMIT);
    float *tmp = buffer_small(d, n, 0, 0), *y = buffer_small(d, n, 0, 0);

    DEVICE_RUN(d, "gesummv", 1, DEVICE_SIZE(device_whole_groups(n, GROUP)), DEVICE_SIZE(GROUP), &A, &B, &x,
               &tmp, &y, &n, &alpha, &beta);
    device_read(d, y, n * sizeof *y);

    const int result = check(A, B, x, y, n);
    device_free(d, y);
    device_free(d, tmp);
    device_free(d, x);
    device_free(d, B);
    device_free(d, A);
    return result;
}

const struct app app_gmv = {
    .name = "GMV",
    .title = "Weighted sum of two matrix-vector products (GESUMMV)",
    .suite = "Polybench",
    .size = {"256 x 256 floats", "2048 x 2048 floats", [APP_MESC] = "4096 x 4096 floats"},
    .run = run,
};
