/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CONV: a convolution layer, 3 x 3 filters with padding 1. Pixels, weights and biases are integers from -2 to
 * 2, so that sums (at most 576 * 4 + 2) are exact in floats.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

#include <string.h>

enum { SIDE = 3, TILE = 16, PATCH = 8, BIAS_GROUP = 64, LIMIT = 2 };

struct layer {
    uint32_t images, channels, height, width, filters;
};

static const struct layer sizes[APP_SCALES] = {
    {.images = 2, .channels = 3, .height = 32, .width = 32, .filters = 20},
    {.images = 8, .channels = 16, .height = 64, .width = 64, .filters = 32},
    {.images = 100, .channels = 64, .height = 64, .width = 64, .filters = 64},
    {.images = 16, .channels = 64, .height = 64, .width = 64, .filters = 64},
};

struct arrays {
    float *images, *weights, *bias, *output;
};

/* Adds one filter element's contribution to a plane, row by row, over the part of the image that it covers.
 */
static void add_shifted(float *sum, const float *plane, float weight, const struct layer *l, int dy, int dx)
{
    const int h = (int)l->height, w = (int)l->width;
    for (int y = dy < 0 ? -dy : 0; y < h - (dy > 0 ? dy : 0); y++) {
        const float *from = plane + (y + dy) * w + dx;
        float *to = sum + y * w;
        for (int x = dx < 0 ? -dx : 0; x < w - (dx > 0 ? dx : 0); x++)
            to[x] += weight * from[x];
    }
}

static int check(const struct layer *l, const struct arrays *a)
{
    const size_t plane = (size_t)l->height * l->width;
    float *sum = host_alloc(plane, sizeof *sum);
    int result = 0;
    for (uint32_t n = 0; n < l->images && !result; n++)
        for (uint32_t f = 0; f < l->filters && !result; f++) {
            for (size_t i = 0; i < plane; i++)
                sum[i] = a->bias[f];
            for (uint32_t c = 0; c < l->channels; c++)
                for (int e = 0; e < SIDE * SIDE; e++)
                    add_shifted(sum, a->images + (n * l->channels + c) * plane,
                                a->weights[(f * l->channels + c) * SIDE * SIDE + (uint32_t)e], l,
                                e / SIDE - 1, e % SIDE - 1);
            const size_t first = ((size_t)n * l->filters + f) * plane;
            for (size_t i = 0; i < plane && !result; i++)
                result = check_float("CONV: output", first + i, sum[i], a->output[first + i], 0);
        }
    free(sum);
    return result;
}

static size_t padded(size_t n)
{
    return (n + TILE - 1) / TILE * TILE;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const struct layer *l = &sizes[scale];
    const uint32_t plane = l->height * l->width, pixels = l->images * plane;
    const uint32_t depth = l->channels * SIDE * SIDE, filters = l->filters;
    const size_t elements = (size_t)pixels * l->channels,
                 out_bytes = (size_t)pixels * filters * sizeof(float);
    const size_t weight_bytes = (size_t)filters * depth * sizeof(float);
    const struct arrays a = {.images = device_alloc(d, elements * sizeof(float)),
                             .weights = device_alloc(d, weight_bytes),
                             .bias = device_alloc(d, filters * sizeof(float)),
                             .output = device_alloc(d, out_bytes)};
    float *columns = device_alloc(d, (size_t)pixels * depth * sizeof(float));
    float *weights_across = device_alloc(d, weight_bytes);
    float *bias_rows = device_alloc(d, out_bytes), *product = device_alloc(d, out_bytes);
    for (size_t i = 0; i < elements; i++)
        a.images[i] = (float)fill_small(seed, i, LIMIT);
    for (uint32_t i = 0; i < filters * depth; i++)
        a.weights[i] = (float)fill_small(seed + 1, i, LIMIT);
    for (uint32_t i = 0; i < filters; i++)
        a.bias[i] = (float)fill_small(seed + 2, i, LIMIT);
    device_wrote(d, a.images, elements * sizeof(float));
    device_wrote(d, a.weights, weight_bytes);
    device_wrote(d, a.bias, filters * sizeof(float));

    DEVICE_RUN(d, "im2col", 2, DEVICE_SIZE(l->width, (size_t)l->height * l->images),
               DEVICE_SIZE(PATCH, PATCH), &a.images, &columns, &l->channels, &l->height, &l->width);
    DEVICE_RUN(d, "repeat_bias", 1, DEVICE_SIZE((size_t)pixels * filters), DEVICE_SIZE(BIAS_GROUP), &a.bias,
               &bias_rows, &filters);
    DEVICE_RUN(d, "transpose", 3, DEVICE_SIZE(padded(depth), padded(filters), 1), DEVICE_SIZE(TILE, TILE, 1),
               &a.weights, &weights_across, &filters, &depth);
    DEVICE_RUN(d, "gemm", 2, DEVICE_SIZE(padded(filters), padded(pixels)), DEVICE_SIZE(TILE, TILE), &columns,
               &weights_across, &bias_rows, &product, &depth, &pixels, &filters);
    DEVICE_RUN(d, "transpose", 3, DEVICE_SIZE(padded(filters), padded(plane), l->images),
               DEVICE_SIZE(TILE, TILE, 1), &product, &a.output, &plane, &filters);
    device_read(d, a.output, out_bytes);

    const int result = check(l, &a);
    float *const all[] = {product, bias_rows, weights_across, columns, a.output, a.bias, a.weights, a.images};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}

const struct app app_conv = {
    .name = "CONV",
    .title = "Convolution 2D layer, 3 x 3 filters",
    .suite = "DNN-Mark",
    .size = {"2 images of 3 x 32 x 32, 20 filters", "8 images of 16 x 64 x 64, 32 filters",
             "100 images of 64 x 64 x 64, 64 filters", "16 images of 64 x 64 x 64, 64 filters"},
    .run = run,
    .instructions = 2629570744 / 4, /* STAR Table II, four runs */
};
