/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ST: a nine-point stencil over a grid with a halo. Weights are powers of two and elements are small
 * integers, so float results are exact.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { GROUP = 64, ROWS = 16, PAD = 16, LIMIT = 255 };

static const struct {
    uint32_t rows, columns;
} sizes[APP_SCALES] = {{256, 256}, {8192, 8192}, {12288, 12288}, {1024, 8192}, {1536, 12288}};

static int check(const float *in, const float *out, uint32_t rows, uint32_t columns, uint32_t pitch)
{
    for (uint32_t y = 1; y <= rows; y++)
        for (uint32_t x = 1; x <= columns; x++) {
            const size_t at = (size_t)y * pitch + x;
            const float *above = in + at - pitch, *here = in + at, *below = in + at + pitch;
            const float expected = 0.5f * here[0] + 0.25f * (above[0] + below[0] + here[-1] + here[1]) +
                                   0.125f * (above[-1] + above[1] + below[-1] + below[1]);
            if (check_float("ST: output", at, expected, out[at], 0))
                return -1;
        }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t rows = sizes[scale].rows, columns = sizes[scale].columns;
    const uint32_t pitch = (columns + 2 + PAD - 1) / PAD * PAD;
    const size_t elements = (size_t)(rows + 2) * pitch, bytes = elements * sizeof(float);
    float *input = device_alloc(d, bytes);
    float *output = device_alloc(d, bytes);
    for (size_t i = 0; i < elements; i++)
        input[i] = (float)fill_small(seed, i, LIMIT);
    device_wrote(d, input, bytes);

    DEVICE_RUN(d, "stencil", 2, DEVICE_SIZE(rows / ROWS, columns), DEVICE_SIZE(1, GROUP), &input, &output,
               &pitch);
    device_read(d, output, bytes);

    const int result = check(input, output, rows, columns, pitch);
    device_free(d, output);
    device_free(d, input);
    return result;
}

const struct app app_st = {
    .name = "ST",
    .title = "Stencil 2D, nine points",
    .suite = "SHOC",
    .size = {"256 x 256 floats", "8192 x 8192 floats", "12288 x 12288 floats", "1024 x 8192 floats",
             "1536 x 12288 floats"},
    .run = run,
};
