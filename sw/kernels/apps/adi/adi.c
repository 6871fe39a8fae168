/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ADI: a step of alternating direction implicit integration. The reference makes the same operations in the
 * same order for each element, and IEEE 754 defines all of them to the bit, so float results are exact. One
 * work-group has the first 256 rows and columns at every size, so the rest of the arrays keeps its values.
 */
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 256 };

static const uint32_t sizes[APP_SCALES] = {64, 256, [APP_NEIDTY] = 2048};

static void reference_rows(const float *A, float *B, float *X, size_t n, size_t done)
{
    for (size_t r = 0; r < done; r++) {
        const float *a = A + r * n;
        float *b = B + r * n, *x = X + r * n;
        for (size_t i = 1; i < n; i++) {
            x[i] -= x[i - 1] * a[i] / b[i - 1];
            b[i] -= a[i] * a[i] / b[i - 1];
        }
        x[n - 1] /= b[n - 1];
        for (size_t i = n - 2; i >= 1; i--)
            x[i] = (x[i] - x[i - 1] * a[i - 1]) / b[i - 1];
    }
}

static void reference_columns(const float *A, float *B, float *X, size_t n, size_t done)
{
    for (size_t c = 0; c < done; c++) {
        for (size_t at = c + n; at < n * n; at += n) {
            X[at] -= X[at - n] * A[at] / B[at - n];
            B[at] -= A[at] * A[at] / B[at - n];
        }
        X[(n - 1) * n + c] /= B[(n - 1) * n + c];
        for (size_t at = (n - 2) * n + c; at >= n; at -= n)
            X[at] = (X[at] - X[at - n] * A[at - n]) / B[at];
    }
}

/* B and X are those before the step, and are changed. */
static int check(const float *A, float *B, float *X, const float *got_B, const float *got_X, size_t n)
{
    const size_t done = n < GROUP ? n : GROUP;
    reference_rows(A, B, X, n, done);
    reference_columns(A, B, X, n, done);
    for (size_t i = 0; i < n * n; i++)
        if (check_float("ADI: B", i, B[i], got_B[i], 0) || check_float("ADI: X", i, X[i], got_X[i], 0))
            return -1;
    return 0;
}

static void step(struct device *d, const float *A, float *B, float *X, uint32_t n)
{
    const size_t *const items = DEVICE_SIZE(GROUP);
    DEVICE_RUN(d, "adi_rows_forward", 1, items, items, &A, &B, &X, &n);
    DEVICE_RUN(d, "adi_rows_last", 1, items, items, &B, &X, &n);
    DEVICE_RUN(d, "adi_rows_back", 1, items, items, &A, &B, &X, &n);
    for (uint32_t i = 1; i < n; i++)
        DEVICE_RUN(d, "adi_columns_forward", 1, items, items, &A, &B, &X, &n, &i);
    DEVICE_RUN(d, "adi_columns_last", 1, items, items, &B, &X, &n);
    for (uint32_t i = n - 2; i >= 1; i--)
        DEVICE_RUN(d, "adi_columns_back", 1, items, items, &A, &B, &X, &n, &i);
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t n = sizes[scale];
    const size_t elements = (size_t)n * n, bytes = elements * sizeof(float);
    float *A = buffer_unit(d, elements, seed), *X = buffer_unit(d, elements, seed + 1);
    float *B = device_alloc(d, bytes);
    for (size_t i = 0; i < elements; i++)
        B[i] = 5 + fill_unit(seed + 2, i); /* larger than A's, so that quotients stay small */
    device_wrote(d, B, bytes);
    float *before_B = host_copy(B, elements, sizeof *B), *before_X = host_copy(X, elements, sizeof *X);

    step(d, A, B, X, n);
    device_read(d, B, bytes);
    device_read(d, X, bytes);

    const int result = check(A, before_B, before_X, B, X, n);
    free(before_X);
    free(before_B);
    device_free(d, B);
    device_free(d, X);
    device_free(d, A);
    return result;
}

const struct app app_adi = {
    .name = "ADI",
    .title = "Alternating direction implicit integration, one step",
    .suite = "Polybench",
    .size = {"64 x 64 floats", "256 x 256 floats", [APP_NEIDTY] = "2048 x 2048 floats"},
    .run = run,
};
