/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HS: three steps of a chip's temperatures, two in the first launch and one in the second. Temperatures and
 * powers start as integers and factors are powers of two, so each step adds four binary places and float
 * results are exact.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

#include <string.h>

enum { SIDE = 16, PYRAMID = 2, STEPS = 3, USEFUL = SIDE - 2 * PYRAMID, WARMEST = 127, POWER = 15 };

static const int32_t widths[APP_SCALES] = {100, 256, 512, [APP_MESC] = 512, [APP_UVM] = 1024};

static const float cap = 0.5f, rx = 0.25f, ry = 0.25f, rz = 0.125f, ambient = 80.0f;

static void reference_step(float *after, const float *before, const float *power, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const int at = y * n + x;
            const float t = before[at], north = before[y > 0 ? at - n : at],
                        south = before[y < n - 1 ? at + n : at], west = before[x > 0 ? at - 1 : at],
                        east = before[x < n - 1 ? at + 1 : at];
            after[at] = t + cap * (power[at] + ry * (north + south - 2 * t) + rx * (west + east - 2 * t) +
                                   rz * (ambient - t));
        }
}

static int check(float *now, const float *power, const float *got, int n)
{
    float *next = host_alloc((size_t)n * (size_t)n, sizeof *next), *a = now, *b = next;
    int result = 0;
    for (int step = 0; step < STEPS; step++) {
        reference_step(b, a, power, n);
        float *swap = a;
        a = b;
        b = swap;
    }
    for (size_t i = 0; i < (size_t)n * (size_t)n && !result; i++)
        result = check_float("HS: temperature", i, a[i], got[i], 0);
    free(next);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const int32_t n = widths[scale], border = PYRAMID;
    const size_t elements = (size_t)n * (size_t)n, bytes = elements * sizeof(float);
    const size_t global = ((size_t)n + USEFUL - 1) / USEFUL * SIDE;
    float *power = device_alloc(d, bytes);
    float *from = device_alloc(d, bytes);
    float *to = device_alloc(d, bytes);
    float *start = host_alloc(elements, sizeof *start);
    for (size_t i = 0; i < elements; i++) {
        power[i] = (float)(fill_random(seed, i) % (POWER + 1));
        start[i] = from[i] = (float)(fill_random(seed + 1, i) % (WARMEST + 1));
    }
    device_wrote(d, power, bytes);
    device_wrote(d, from, bytes);

    for (int32_t done = 0, steps; done < STEPS; done += steps) {
        steps = STEPS - done < PYRAMID ? STEPS - done : PYRAMID;
        DEVICE_RUN(d, "hotspot", 2, DEVICE_SIZE(global, global), DEVICE_SIZE(SIDE, SIDE), &power, &from, &to,
                   &n, &n, &border, &steps, &cap, &rx, &ry, &rz, &ambient);
        float *swap = from;
        from = to;
        to = swap;
    }
    device_read(d, from, bytes);

    const int result = check(start, power, from, n);
    free(start);
    device_free(d, to);
    device_free(d, from);
    device_free(d, power);
    return result;
}

const struct app app_hs = {
    .name = "HS",
    .title = "Temperatures of a chip, three steps",
    .suite = "Rodinia",
    .size = {"100 x 100 cells", "256 x 256 cells",
             "512 x 512 cells", [APP_MESC] = "512 x 512 cells", [APP_UVM] = "1024 x 1024 cells"},
    .run = run,
};
