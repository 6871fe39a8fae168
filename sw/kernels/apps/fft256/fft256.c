/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FFT256: transforms of 256 points, one launch per radix-2 pass between two arrays, checked in double against
 * the sums that define a transform.
 *
 * Tolerance: inputs are in [-1, 1), so the root mean square of a spectrum's elements is sqrt(2 * 256 / 3) =
 * 13, where a float's last place is 1e-6. Each of the eight passes rounds about four times, and the angles
 * have errors of 2e-7. The tolerance of 1e-4 is about three times that error and far below the effect of one
 * wrong point (about 1).
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { POINTS = 256, GROUP = POINTS / 2 };

static const uint32_t transforms[APP_SCALES] = {32, 512, 1024};
static const double tolerance = 1e-4;

struct complex_double {
    double re, im;
};

static struct complex_double reference(const double (*x)[2], const struct complex_double *root, unsigned k)
{
    struct complex_double sum = {0, 0};
    for (unsigned n = 0; n < POINTS; n++) {
        const struct complex_double w = root[n * k % POINTS];
        sum.re += x[n][0] * w.re - x[n][1] * w.im;
        sum.im += x[n][0] * w.im + x[n][1] * w.re;
    }
    return sum;
}

static int check(const float (*got)[2], uint32_t count, uint64_t seed)
{
    struct complex_double root[POINTS];
    double x[POINTS][2];
    for (unsigned i = 0; i < POINTS; i++)
        root[i] = (struct complex_double){cos(2 * M_PI * i / POINTS), -sin(2 * M_PI * i / POINTS)};
    for (uint32_t t = 0; t < count; t++) {
        const size_t first = (size_t)t * POINTS;
        for (unsigned i = 0; i < 2 * POINTS; i++)
            x[i / 2][i % 2] = (double)fill_unit(seed, 2 * first + i);
        for (unsigned k = 0; k < POINTS; k++) {
            const struct complex_double e = reference((const double(*)[2])x, root, k);
            const float *g = got[first + k];
            if (check_float("FFT256: real part", first + k, e.re, (double)g[0], tolerance) ||
                check_float("FFT256: imaginary part", first + k, e.im, (double)g[1], tolerance))
                return -1;
        }
    }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t count = transforms[scale];
    const size_t elements = (size_t)count * POINTS, bytes = elements * sizeof(float[2]);
    float(*from)[2] = device_alloc(d, bytes);
    float(*to)[2] = device_alloc(d, bytes);
    for (size_t i = 0; i < 2 * elements; i++)
        from[i / 2][i % 2] = fill_unit(seed, i);
    device_wrote(d, from, bytes);

    for (uint32_t span = 1; span < POINTS; span *= 2) {
        DEVICE_RUN(d, "fft_pass", 1, DEVICE_SIZE((size_t)count * GROUP), DEVICE_SIZE(GROUP), &from, &to,
                   &span);
        float(*swap)[2] = from;
        from = to;
        to = swap;
    }
    device_read(d, from, bytes);

    const int result = check((const float(*)[2])from, count, seed);
    device_free(d, to);
    device_free(d, from);
    return result;
}

const struct app app_fft256 = {
    .name = "FFT256",
    .title = "Fast Fourier transforms of 256 points in eight launches",
    .suite = "Parboil",
    .size = {"32 transforms", "512 transforms", "1024 transforms"},
    .run = run,
};
