/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SRAD by tiles in local memory. The host makes the image's exponential, and before each iteration the
 * statistics of a corner of 128 x 128 elements.
 *
 * Tolerance: the image is 1 to e, where a float's last place is at most 2.4e-7, and each iteration rounds
 * some ten times. The tolerance of 3e-6 is ten times the largest difference that was measured.
 */
#include "../buffer.h"
#include "../check.h"
#include "srad.h"

enum { SIDE = 16, CORNER = 128, ITERATIONS = 2 };

static const double tolerance = 3e-6;

static double speckle_of(const float *image, const struct srad_size *s)
{
    double sum = 0, squares = 0;
    for (size_t c = 0; c < CORNER; c++)
        for (size_t r = 0; r < CORNER; r++) {
            const double value = (double)image[c * s->rows + r];
            sum += value;
            squares += value * value;
        }
    const double n = CORNER * CORNER, mean = sum / n;
    return (squares / n - mean * mean) / (mean * mean);
}

static int check(double *image, const double speckle[ITERATIONS], const float *got, const struct srad_size *s)
{
    const size_t n = (size_t)s->rows * s->columns;
    double *coefficient = host_alloc(n, sizeof *coefficient);
    int result = 0;
    for (unsigned i = 0; i < ITERATIONS; i++)
        srad_step(image, coefficient, s, speckle[i]);
    for (size_t i = 0; i < n && !result; i++)
        result = check_float("SRAD: image by tiles", i, image[i], (double)got[i], tolerance);
    free(coefficient);
    return result;
}

/* The kernels' columns are contiguous, so they see the image transposed. */
enum app_result srad_by_tiles(struct device *d, const struct srad_size *s, uint64_t seed)
{
    const size_t n = (size_t)s->rows * s->columns, bytes = n * sizeof(float);
    float *image = device_alloc(d, bytes), *coefficient = device_alloc(d, bytes);
    float *dn = device_alloc(d, bytes), *ds = device_alloc(d, bytes);
    float *dw = device_alloc(d, bytes), *de = device_alloc(d, bytes);
    double *before = host_alloc(n, sizeof *before), speckle[ITERATIONS];
    for (size_t i = 0; i < n; i++) {
        image[i] = expf(0.5f + 0.5f * fill_unit(seed, i));
        before[i] = (double)image[i];
    }
    device_wrote(d, image, bytes);

    for (unsigned i = 0; i < ITERATIONS; i++) {
        speckle[i] = speckle_of(image, s);
        const float noise = (float)speckle[i];
        DEVICE_RUN(d, "srad_tile", 2, DEVICE_SIZE(s->rows, s->columns), DEVICE_SIZE(SIDE, SIDE), &image, &dn,
                   &ds, &dw, &de, &coefficient, &s->rows, &s->columns, &noise);
        DEVICE_RUN(d, "srad2_tile", 2, DEVICE_SIZE(s->rows, s->columns), DEVICE_SIZE(SIDE, SIDE), &image, &dn,
                   &ds, &dw, &de, &coefficient, &s->rows, &s->columns, &srad_lambda);
        device_read(d, image, bytes);
    }

    const int result = check(before, speckle, image, s);
    free(before);
    void *const all[] = {de, dw, ds, dn, coefficient, image};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}
