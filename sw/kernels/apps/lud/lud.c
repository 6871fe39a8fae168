/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LUD: LU decomposition without pivoting of a matrix whose diagonal dominates, checked against Doolittle's
 * algorithm in double.
 *
 * Tolerance: elements of U are up to n + 1 on the diagonal, where a float's last place is 2^-23 of that, and
 * are changed n / 16 times, in sums of 16 products below 1. The tolerance of n * 2^-18 is eight times the
 * largest difference that was measured at each size.
 */
#include "../buffer.h"
#include "../check.h"

enum { BLOCK = 16 };

static const uint32_t sizes[APP_SCALES] = {128, 384, [APP_MESC] = 256, [APP_NEIDTY] = 2048};

static void reference(double *a, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] /= a[k * n + k];
            for (size_t j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
}

static int check(double *before, const float *got, uint32_t n)
{
    const double tolerance = n * 0x1p-18;
    reference(before, n);
    for (size_t i = 0; i < (size_t)n * n; i++)
        if (check_float("LUD: L and U", i, before[i], (double)got[i], tolerance))
            return -1;
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t n = sizes[scale];
    const size_t elements = (size_t)n * n;
    float *matrix = device_alloc(d, elements * sizeof *matrix);
    double *before = host_alloc(elements, sizeof *before);
    for (size_t i = 0; i < elements; i++)
        before[i] = matrix[i] = fill_unit(seed, i) + (float)(i % (n + 1) == 0 ? n : 0);
    device_wrote(d, matrix, elements * sizeof *matrix);

    for (uint32_t first = 0; first < n; first += BLOCK) {
        const size_t left = n / BLOCK - first / BLOCK - 1; /* blocks behind the diagonal one */
        DEVICE_RUN(d, "lud_diagonal", 1, DEVICE_SIZE(BLOCK), DEVICE_SIZE(BLOCK), &matrix, &n, &first);
        if (left == 0)
            break;
        DEVICE_RUN(d, "lud_perimeter", 1, DEVICE_SIZE(left * 2 * BLOCK), DEVICE_SIZE(2 * BLOCK), &matrix, &n,
                   &first);
        DEVICE_RUN(d, "lud_internal", 2, DEVICE_SIZE(left * BLOCK, left * BLOCK), DEVICE_SIZE(BLOCK, BLOCK),
                   &matrix, &n, &first);
    }
    device_read(d, matrix, elements * sizeof *matrix);

    const int result = check(before, matrix, n);
    free(before);
    device_free(d, matrix);
    return result;
}

const struct app app_lud = {
    .name = "LUD",
    .title = "LU decomposition",
    .suite = "Rodinia",
    .size = {"128 x 128 floats",
             "384 x 384 floats", [APP_MESC] = "256 x 256 floats", [APP_NEIDTY] = "2048 x 2048 floats"},
    .run = run,
};
