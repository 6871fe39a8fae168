/* SPDX-License-Identifier: Apache-2.0 */
/* CORR: the correlation of all pairs of columns. The reference makes the same operations in the same order
 * for each element, and IEEE 754 defines all of them to the bit, so float results are exact. */
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 256, GROUP_X = 32, GROUP_Y = 8 };

/* Columns, which are also the rows, and elements of a row that are made. */
static const struct {
    uint32_t n, band;
} sizes[APP_SCALES] = {{96, 96}, {256, 256}, [APP_MESC] = {1024, 16}};
static const float smallest = 0.005f;

/* Subtracts the mean of each column and divides by its standard deviation and the root of n. */
static void normalise(float *data, uint32_t n)
{
    float *mean = host_alloc(n, sizeof *mean), *deviation = host_alloc(n, sizeof *deviation);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            mean[j] += data[i * n + j];
    for (size_t j = 0; j < n; j++)
        mean[j] /= (float)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const float away = data[i * n + j] - mean[j];
            deviation[j] += away * away;
        }
    for (size_t j = 0; j < n; j++) {
        deviation[j] = sqrtf(deviation[j] / (float)n);
        if (deviation[j] <= smallest)
            deviation[j] = 1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            data[i * n + j] = (data[i * n + j] - mean[j]) / (sqrtf((float)n) * deviation[j]);
    free(deviation);
    free(mean);
}

static int check(float *data, const float *got, uint32_t n, uint32_t band)
{
    float *expected = host_alloc((size_t)n * n, sizeof *expected);
    int result = 0;
    normalise(data, n);
    for (size_t i = 0; i < n; i++) {
        const float *row = data + i * n;
        for (size_t j = 0; j < n; j++)
            for (size_t k = j + 1; k < n && k <= j + band; k++)
                expected[j * n + k] += row[j] * row[k];
    }
    for (size_t j = 0; j < n; j++)
        expected[j * n + j] = 1;
    for (size_t j = 0; j < n && !result; j++)
        for (size_t k = 0; k < n && !result; k++) /* the result is symmetric */
            result = check_float("CORR: correlation", j * n + k, expected[j < k ? j * n + k : k * n + j],
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
    float *deviation = device_alloc(d, n * sizeof *deviation);
    float *correlation = device_alloc(d, elements * sizeof *correlation);
    float *before = host_copy(data, elements, sizeof *data);
    correlation[elements - 1] = 1;
    device_wrote(d, &correlation[elements - 1], sizeof *correlation);

    DEVICE_RUN(d, "corr_mean", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &data, &mean, &n, &n);
    DEVICE_RUN(d, "corr_deviation", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &data, &mean, &deviation, &n,
               &n);
    DEVICE_RUN(d, "corr_normalise", 2,
               DEVICE_SIZE(device_whole_groups(n, GROUP_X), device_whole_groups(n, GROUP_Y)),
               DEVICE_SIZE(GROUP_X, GROUP_Y), &data, &mean, &deviation, &n, &n);
    DEVICE_RUN(d, "corr_pairs", 1, DEVICE_SIZE(items), DEVICE_SIZE(GROUP), &data, &correlation, &n, &n,
               &band);
    device_read(d, correlation, elements * sizeof *correlation);

    const int result = check(before, correlation, n, band);
    free(before);
    device_free(d, correlation);
    device_free(d, deviation);
    device_free(d, mean);
    device_free(d, data);
    return result;
}

const struct app app_corr = {
    .name = "CORR",
    .title = "Correlation of all pairs of columns",
    .suite = "Polybench",
    .size = {"96 x 96 floats", "256 x 256 floats", [APP_MESC] = "1024 x 1024 floats, 16 of each row"},
    .run = run,
};
