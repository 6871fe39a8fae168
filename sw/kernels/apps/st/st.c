/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ST: a nine-point stencil over a grid with a halo that stays as it is, one or more times. Weights are powers
 * of two and elements are small integers, so float results are exact: a step adds a bit before the point and
 * three behind it.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

#include <string.h>

enum { GROUP = 64, ROWS = 16, PAD = 16 };

static const struct {
    uint32_t rows, columns, iterations;
    int limit; /* of the elements: 24 bits hold all results */
} sizes[APP_SCALES] = {{256, 256, 1, 255},
                       {8192, 8192, 1, 255},
                       {12288, 12288, 1, 255},
                       {320, 16384, 6, 1},
                       [APP_STAR_S] = {640, 8192, 6, 1},
                       [APP_UVM] = {1040, 2048, 6, 1}};

static void step(const float *in, float *out, uint32_t rows, uint32_t columns, uint32_t pitch)
{
    for (uint32_t y = 1; y <= rows; y++)
        for (uint32_t x = 1; x <= columns; x++) {
            const size_t at = (size_t)y * pitch + x;
            const float *above = in + at - pitch, *here = in + at, *below = in + at + pitch;
            out[at] = 0.5f * here[0] + 0.25f * (above[0] + below[0] + here[-1] + here[1]) +
                      0.125f * (above[-1] + above[1] + below[-1] + below[1]);
        }
}

/* `in` is changed. */
static int check(float *in, const float *out, uint32_t rows, uint32_t columns, uint32_t pitch, uint32_t steps)
{
    const size_t elements = (size_t)(rows + 2) * pitch;
    float *next = host_alloc(elements, sizeof *next), *from = in, *to = next;
    memcpy(next, in, elements * sizeof *next); /* the halo */
    for (uint32_t i = 0; i < steps; i++) {
        step(from, to, rows, columns, pitch);
        float *t = from;
        from = to;
        to = t;
    }
    int result = 0;
    for (uint32_t y = 1; y <= rows && !result; y++)
        for (uint32_t x = 1; x <= columns && !result; x++) {
            const size_t at = (size_t)y * pitch + x;
            result = check_float("ST: output", at, from[at], out[at], 0);
        }
    free(next);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t rows = sizes[scale].rows, columns = sizes[scale].columns;
    const uint32_t steps = sizes[scale].iterations;
    const uint32_t pitch = (columns + 2 + PAD - 1) / PAD * PAD;
    const size_t elements = (size_t)(rows + 2) * pitch, bytes = elements * sizeof(float);
    float *input = device_alloc(d, bytes);
    float *output = device_alloc(d, bytes);
    float *first = host_alloc(elements, sizeof *first), *from = input, *to = output;
    for (size_t i = 0; i < elements; i++)
        input[i] = (float)fill_small(seed, i, sizes[scale].limit);
    memcpy(first, input, bytes);
    device_wrote(d, input, bytes);
    if (steps > 1) { /* later steps read the output's halo */
        memcpy(output, input, bytes);
        device_wrote(d, output, bytes);
    }

    for (uint32_t i = 0; i < steps; i++) {
        DEVICE_RUN(d, "stencil", 2, DEVICE_SIZE(rows / ROWS, columns), DEVICE_SIZE(1, GROUP), &from, &to,
                   &pitch);
        float *t = from;
        from = to;
        to = t;
    }
    device_read(d, from, bytes);

    const int result = check(first, from, rows, columns, pitch, steps);
    free(first);
    device_free(d, output);
    device_free(d, input);
    return result;
}

const struct app app_st = {
    .name = "ST",
    .title = "Stencil 2D, nine points",
    .suite = "SHOC",
    .size = {"256 x 256 floats", "8192 x 8192 floats", "12288 x 12288 floats",
             "320 x 16384 floats, 6 iterations", [APP_STAR_S] = "640 x 8192 floats, 6 iterations",
             [APP_UVM] = "1040 x 2048 floats, 6 iterations"},
    .run = run,
    .instructions = 59289600 / 2, /* STAR Table II, two runs */
};
