/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FFT: forward 512-point complex transforms in place, in one or more passes over all data, each checked
 * against a transform in double.
 *
 * Tolerance: inputs are in [-1, 1), so the root mean square of a spectrum's elements is about sqrt(2 * 512 /
 * 3) = 18.5, where a float's last place is 2e-6. Three radix-8 steps and twiddles that are products of up to
 * seven factors round about twenty times. The tolerance of 1e-4 is two to three times that error, a millionth
 * of the largest possible element (724), and far below the effect of one wrong point (about 1). A second pass
 * multiplies errors, like all its inputs, by sqrt(512) = 23, and so does the tolerance.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

#include <string.h>

enum { POINTS = 512, LOG2 = 9, GROUP = 64 };

static const struct {
    uint32_t transforms, passes;
} sizes[APP_SCALES] = {{512, 1}, {65536, 1}, {393216, 1}, {24576, 2}};
static const double tolerance = 1e-4, growth = 22.7; /* of one pass, and for each further one */

struct complex_double {
    double re, im;
};

/* Decimation in time, radix 2. root[i] = exp(-2 pi i / POINTS). */
static void reference(struct complex_double *a, const struct complex_double *root)
{
    for (unsigned half = 1; half < POINTS; half *= 2)
        for (unsigned start = 0; start < POINTS; start += 2 * half)
            for (unsigned i = 0; i < half; i++) {
                const struct complex_double w = root[i * (POINTS / 2 / half)];
                struct complex_double *x = &a[start + i], *y = x + half;
                const struct complex_double t = {y->re * w.re - y->im * w.im, y->re * w.im + y->im * w.re};
                *y = (struct complex_double){x->re - t.re, x->im - t.im};
                *x = (struct complex_double){x->re + t.re, x->im + t.im};
            }
}

static unsigned reversed(unsigned i)
{
    unsigned r = 0;
    for (unsigned bit = 0; bit < LOG2; bit++)
        r |= (i >> bit & 1) << (LOG2 - 1 - bit);
    return r;
}

static int check(const float (*got)[2], uint32_t count, uint32_t passes, uint64_t seed)
{
    const double most = tolerance * pow(growth, passes - 1);
    struct complex_double root[POINTS / 2], a[POINTS], b[POINTS];
    for (unsigned i = 0; i < POINTS / 2; i++) {
        const double angle = 2 * M_PI * i / POINTS;
        root[i] = (struct complex_double){cos(angle), -sin(angle)};
    }
    for (uint32_t t = 0; t < count; t++) {
        const size_t first = (size_t)t * POINTS;
        for (unsigned i = 0; i < POINTS; i++) {
            const size_t element = 2 * (first + i);
            a[reversed(i)] = (struct complex_double){(double)fill_unit(seed, element),
                                                     (double)fill_unit(seed, element + 1)};
        }
        reference(a, root);
        for (uint32_t pass = 1; pass < passes; pass++) {
            for (unsigned i = 0; i < POINTS; i++)
                b[reversed(i)] = a[i];
            memcpy(a, b, sizeof a);
            reference(a, root);
        }
        for (unsigned i = 0; i < POINTS; i++)
            if (check_float("FFT: real part", first + i, a[i].re, (double)got[first + i][0], most) ||
                check_float("FFT: imaginary part", first + i, a[i].im, (double)got[first + i][1], most))
                return -1;
    }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t count = sizes[scale].transforms, passes = sizes[scale].passes;
    const size_t elements = (size_t)count * POINTS, bytes = elements * sizeof(float[2]);
    float(*data)[2] = device_alloc(d, bytes);
    for (size_t i = 0; i < 2 * elements; i++)
        data[i / 2][i % 2] = fill_unit(seed, i);
    device_wrote(d, data, bytes);

    for (uint32_t pass = 0; pass < passes; pass++)
        DEVICE_RUN(d, "fft1d_512", 1, DEVICE_SIZE((size_t)count * GROUP), DEVICE_SIZE(GROUP), &data);
    device_read(d, data, bytes);

    const int result = check((const float(*)[2])data, count, passes, seed);
    device_free(d, data);
    return result;
}

const struct app app_fft = {
    .name = "FFT",
    .title = "Fast Fourier transforms of 512 points",
    .suite = "SHOC",
    .size = {"2 MB: 512 transforms", "256 MB: 65536 transforms", "1.5 GB: 393216 transforms",
             "96 MB: 24576 transforms, 2 passes"},
    .run = run,
    .instructions = 409534464 / 4, /* STAR Table II, four runs */
};
