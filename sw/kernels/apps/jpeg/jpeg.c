/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JPEG: the decoder's inverse cosine transform, checked against its definition in double.
 *
 * Tolerance: a coefficient is an integer multiple of its quantiser's step, at most 400. A pixel is a few
 * hundred, where a float's last place is 1e-5. Each of two passes rounds about five times, which gives errors
 * of up to 7e-5 in 512 x 512 pixels. The tolerance of 5e-4 is seven times that.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

#include <string.h>

enum { SIDE = 8, TILE_X = 32, TILE_Y = 16, LEVELS = 24 };

static const uint32_t widths[APP_SCALES] = {160, 256, 512};
static const double tolerance = 5e-4;

/* Dequantised coefficients: high frequencies have few levels and coarse steps. */
static float coefficient(uint64_t seed, uint64_t index, uint32_t x, uint32_t y)
{
    const int frequency = (int)(x % SIDE + y % SIDE);
    return (float)(fill_small(seed, index, LEVELS / (1 + frequency)) * (16 + 4 * frequency));
}

/* pixel[y][x] = sum over v, u of c(v) c(u) cos((2y + 1) v pi / 16) cos((2x + 1) u pi / 16) f[v][u] / 4 */
static void reference(double pixel[SIDE][SIDE], const float *block, size_t width,
                      const double basis[SIDE][SIDE])
{
    double rows[SIDE][SIDE] = {{0}};
    for (unsigned v = 0; v < SIDE; v++)
        for (unsigned x = 0; x < SIDE; x++)
            for (unsigned u = 0; u < SIDE; u++)
                rows[v][x] += basis[u][x] * (double)block[v * width + u];
    memset(pixel, 0, SIDE * sizeof pixel[0]);
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++)
            for (unsigned v = 0; v < SIDE; v++)
                pixel[y][x] += basis[v][y] * rows[v][x];
}

static int check(const float *before, const float *got, uint32_t n)
{
    double basis[SIDE][SIDE], pixel[SIDE][SIDE];
    for (unsigned u = 0; u < SIDE; u++)
        for (unsigned x = 0; x < SIDE; x++)
            basis[u][x] = cos((2 * x + 1) * u * M_PI / 16) / (u ? 2 : 2 * sqrt(2));
    for (uint32_t top = 0; top < n; top += SIDE)
        for (uint32_t left = 0; left < n; left += SIDE) {
            const size_t first = (size_t)top * n + left;
            reference(pixel, before + first, n, (const double(*)[SIDE])basis);
            for (unsigned i = 0; i < SIDE * SIDE; i++) {
                const size_t at = first + (size_t)(i / SIDE) * n + i % SIDE;
                if (check_float("JPEG: pixel", at, pixel[i / SIDE][i % SIDE], (double)got[at], tolerance))
                    return -1;
            }
        }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t n = widths[scale];
    const size_t elements = (size_t)n * n, bytes = elements * sizeof(float);
    float *plane = device_alloc(d, bytes);
    float *before = host_alloc(elements, sizeof *before);
    for (uint32_t y = 0; y < n; y++)
        for (uint32_t x = 0; x < n; x++)
            plane[(size_t)y * n + x] = coefficient(seed, (uint64_t)y * n + x, x, y);
    memcpy(before, plane, bytes);
    device_wrote(d, plane, bytes);

    DEVICE_RUN(d, "idct", 3, DEVICE_SIZE(n / TILE_X * SIDE, n / TILE_Y * 4, 2), DEVICE_SIZE(SIDE, 4, 2),
               &plane, &n);
    device_read(d, plane, bytes);

    const int result = check(before, plane, n);
    free(before);
    device_free(d, plane);
    return result;
}

const struct app app_jpeg = {
    .name = "JPEG",
    .title = "Inverse cosine transform of an image's blocks",
    .suite = "MAFIA",
    .size = {"160 x 160 pixels", "256 x 256 pixels", "512 x 512 pixels"},
    .run = run,
};
