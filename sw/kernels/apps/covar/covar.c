/* SPDX-License-Identifier: Apache-2.0 */
/* COVAR: the covariance of all pairs of columns. The reference makes the same additions, products and
 * divisions in the same order for each element, so float results are exact. */
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 256, GROUP_X = 32, GROUP_Y = 8 };

/* Columns, which are also the rows, and elements of a row that are made. */
static const struct {
    uint32_t n, band;
} sizes[APP_SCALES] = {{96, 96}, {256, 256}, [APP_MESC] = {1024, 16}};

/* data is changed. */
static void reference(float *data, float *result, uint32_t n, uint32_t band)
{
    float *mean = host_alloc(n, sizeof *mean);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            mean[j] += data[i * n + j];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            data[i * n + j] -= mean[j] / (float)n;
    for (size_t i = 0; i < n; i++) {
        const float *row = data + i * n;
        for (size_t j = 0; j < n; j++)
            for (size_t k = j; k < n && k < j + band; k++)
                result[j * n + k] += row[j] * row[k];
    }
    free(mean);
}

static int check(float *data, const float *got, uint32_t n, uint32_t band)
{
    float *expected = host_alloc((size_t)n * n, sizeof *expected);
    int result = 0;
    reference(data, expected, n, band);
    for (size_t j = 0; j < n && !result; j++)
        for (size_t k = 0; k < n && !result; k++) /* the result is symmetric */
            result = check_float("COVAR: covariance", j * n + k, expected[j < k ? j * n + k : k * n + j],
                                 got[j * n + k], 0);
    free(expected);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t n = sizes[scale].n, band = sizes[scale].band;
    const size_t elements = (size_t)n * n, items = device_whole_groups(n, GROUP);
    float *data = buffer_unit(d, elements, seed);
    float *mean = device_alloc(d, n * sizeof *mean);
    float *covariance = device_alloc(d, elements * sizeof *covariance);
    float *before = host_copy(data, elements, sizeof *data);

    DEVICE_RUN(d, "covar_mean", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &data, &mean, &n, &n);
    DEVICE_RUN(d, "covar_centre", 2,
               DEVICE_SIZE(device_whole_groups(n, GROUP_X), device_whole_groups(n, GROUP_Y)),
               DEVICE_SIZE(GROUP_X, GROUP_Y), &data, &mean, &n, &n);
    DEVICE_RUN(d, "covar_pairs", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &data, &covariance, &n, &n,
               &band);
    device_read(d, covariance, elements * sizeof *covariance);

    const int result = check(before, covariance, n, band);
    free(before);
    device_free(d, covariance);
    device_free(d, mean);
    device_free(d, data);
    return result;
}

const struct app app_covar = {
    .name = "COVAR",
    .title = "Covariance of all pairs of columns",
    .suite = "Polybench",
    .size = {"96 x 96 floats", "256 x 256 floats", [APP_MESC] = "1024 x 1024 floats, 16 of each row"},
    .run = run,
};
