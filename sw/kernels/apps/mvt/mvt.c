/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MVT: a product with a matrix and one with its transpose. Elements are small integers, so that every partial
 * sum is an integer below 2^24 (at most 4096 * 4 * 4 + 4) and float results are exact.
 */
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 256, LIMIT = 4 };

static const uint32_t sizes[APP_SCALES] = {256, 2048, [APP_MESC] = 4096};

static int check(const float *A, float *x1, const float *y1, float *x2, const float *y2, const float *got1,
                 const float *got2, uint32_t n)
{
    int result = 0;
    for (uint32_t i = 0; i < n; i++) {
        const float *row = A + (size_t)i * n;
        for (uint32_t j = 0; j < n; j++) {
            x1[i] += row[j] * y1[j];
            x2[j] += row[j] * y2[i];
        }
    }
    for (uint32_t i = 0; i < n && !result; i++)
        result = check_float("MVT: x1", i, x1[i], got1[i], 0) || check_float("MVT: x2", i, x2[i], got2[i], 0)
                     ? -1
                     : 0;
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t n = sizes[scale];
    const size_t items = device_whole_groups(n, GROUP);
    float *A = buffer_small(d, (size_t)n * n, seed, LIMIT);
    float *x1 = buffer_small(d, n, seed + 1, LIMIT), *x2 = buffer_small(d, n, seed + 2, LIMIT);
    float *y1 = buffer_small(d, n, seed + 3, LIMIT), *y2 = buffer_small(d, n, seed + 4, LIMIT);
    float *before1 = host_copy(x1, n, sizeof *x1), *before2 = host_copy(x2, n, sizeof *x2);

    DEVICE_RUN(d, "mvt_rows", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &A, &x1, &y1, &n);
    DEVICE_RUN(d, "mvt_columns", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &A, &x2, &y2, &n);
    device_read(d, x1, n * sizeof *x1);
    device_read(d, x2, n * sizeof *x2);

    const int result = check(A, before1, y1, before2, y2, x1, x2, n);
    free(before1);
    free(before2);
    device_free(d, y2);
    device_free(d, y1);
    device_free(d, x2);
    device_free(d, x1);
    device_free(d, A);
    return result;
}

const struct app app_mvt = {
    .name = "MVT",
    .title = "Products with a matrix and with its transpose",
    .suite = "Polybench",
    .size = {"256 x 256 floats", "2048 x 2048 floats", [APP_MESC] = "4096 x 4096 floats"},
    .run = run,
};
