/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GRM, which is GRAMSCHM: modified Gram-Schmidt. Errors of a step grow in the later ones. Therefore the
 * reference makes the same operations in the same order for each element, and IEEE 754 defines all of them to
 * the bit, so float results are exact. A second check looks at Q R, which must be A.
 */
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 256 };

/* Columns, which are also the rows, and steps: columns that become orthonormal. */
static const struct {
    uint32_t n, steps;
} sizes[APP_SCALES] = {{64, 64}, {256, 256}, [APP_MESC] = {2048, 16}};

static void reference(float *A, float *R, float *Q, size_t n, size_t steps)
{
    for (size_t k = 0; k < steps; k++) {
        float squares = 0;
        for (size_t i = 0; i < n; i++)
            squares += A[i * n + k] * A[i * n + k];
        R[k * n + k] = sqrtf(squares);
        for (size_t i = 0; i < n; i++)
            Q[i * n + k] = A[i * n + k] / R[k * n + k];
        for (size_t i = 0; i < n; i++)
            for (size_t j = k + 1; j < n; j++)
                R[k * n + j] += Q[i * n + k] * A[i * n + j];
        for (size_t i = 0; i < n; i++)
            for (size_t j = k + 1; j < n; j++)
                A[i * n + j] -= Q[i * n + k] * R[k * n + j];
    }
}

/* before, the matrix, is changed. */
static int check(float *before, const float *R, const float *Q, size_t n, size_t steps)
{
    /* Each of n steps takes a product below 1 * sqrt(n) away from an element and rounds it to 2^-24 of that.
     */
    const double tolerance = (double)n * sqrt((double)n) * 0x1p-24;
    float *expected_R = host_alloc(n * n, sizeof *expected_R),
          *expected_Q = host_alloc(n * n, sizeof *expected_Q);
    int result = 0;
    for (size_t i = 0; i < n && !result; i += n / 8) /* some rows; all would take as long as the kernels */
        for (size_t j = 0; j < steps && !result; j++) {
            double sum = 0;
            for (size_t k = 0; k <= j; k++)
                sum += (double)Q[i * n + k] * (double)R[k * n + j];
            result = check_float("GRM: Q R", i * n + j, (double)before[i * n + j], sum, tolerance);
        }
    reference(before, expected_R, expected_Q, n, steps);
    for (size_t i = 0; i < n * n && !result; i++)
        if (check_float("GRM: R", i, expected_R[i], R[i], 0) ||
            check_float("GRM: Q", i, expected_Q[i], Q[i], 0))
            result = -1;
    free(expected_Q);
    free(expected_R);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t n = sizes[scale].n, steps = sizes[scale].steps;
    const size_t elements = (size_t)n * n, bytes = elements * sizeof(float);
    const size_t items = device_whole_groups(n, GROUP);
    float *A = buffer_unit(d, elements, seed);
    float *R = device_alloc(d, bytes), *Q = device_alloc(d, bytes);
    float *before = host_copy(A, elements, sizeof *A);

    for (uint32_t k = 0; k < steps; k++) {
        DEVICE_RUN(d, "gram_length", 1, DEVICE_SIZE(GROUP), DEVICE_SIZE(GROUP), &A, &R, &n, &n, &k);
        DEVICE_RUN(d, "gram_scale", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &A, &R, &Q, &n, &n, &k);
        DEVICE_RUN(d, "gram_remove", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &A, &R, &Q, &n, &n, &k);
    }
    device_read(d, R, bytes);
    device_read(d, Q, bytes);

    const int result = check(before, R, Q, n, steps);
    free(before);
    device_free(d, Q);
    device_free(d, R);
    device_free(d, A);
    return result;
}

const struct app app_grm = {
    .name = "GRM",
    .title = "Gram-Schmidt orthonormalisation (GRAMSCHM)",
    .suite = "Polybench",
    .size = {"64 x 64 floats", "256 x 256 floats", [APP_MESC] = "2048 x 2048 floats, 16 steps"},
    .run = run,
};
