/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ALEXNET: one image through five convolutions, two normalisations, three poolings and three dense layers,
 * checked layer by layer against direct sums in double. Weights and image are random. A layer's weights are
 * so small that its outputs have about the size of its inputs.
 *
 * Tolerance: values are around 1, sums have up to 9216 products, and errors add up over the layers. The
 * tolerance of 1e-4 is thirteen times the largest difference that was measured, and far below the effect of
 * one wrong product.
 */
#include "../buffer.h"
#include "../check.h"

enum { TILE = 16, ITEMS = 256, POOL = 3, POOL_STRIDE = 2, NEAR = 2, IMAGE_CHANNELS = 3 };

static const double tolerance = 1e-4;

static const struct {
    uint32_t side, divisor; /* of the image; of all numbers of filters and of dense outputs */
} sizes[APP_SCALES] = {{67, 16}, {99, 4}, [APP_FGPU] = {227, 1}};

enum kind { CONVOLUTION, NORMALISE, POOLING, DENSE };

static const struct layer {
    enum kind kind;
    uint32_t outputs, kernel, stride, padding, groups;
    const char *name;
} layers[] = {
    {CONVOLUTION, 96, 11, 4, 0, 1, "ALEXNET: convolution 1"},
    {.kind = NORMALISE, .name = "ALEXNET: normalisation 1"},
    {.kind = POOLING, .name = "ALEXNET: pooling 1"},
    {CONVOLUTION, 256, 5, 1, 2, 2, "ALEXNET: convolution 2"},
    {.kind = NORMALISE, .name = "ALEXNET: normalisation 2"},
    {.kind = POOLING, .name = "ALEXNET: pooling 2"},
    {CONVOLUTION, 384, 3, 1, 1, 1, "ALEXNET: convolution 3"},
    {CONVOLUTION, 384, 3, 1, 1, 2, "ALEXNET: convolution 4"},
    {CONVOLUTION, 256, 3, 1, 1, 2, "ALEXNET: convolution 5"},
    {.kind = POOLING, .name = "ALEXNET: pooling 5"},
    {.kind = DENSE, .outputs = 4096, .name = "ALEXNET: dense layer 6"},
    {.kind = DENSE, .outputs = 4096, .name = "ALEXNET: dense layer 7"},
    {.kind = DENSE, .outputs = 1000, .name = "ALEXNET: dense layer 8"},
};
enum { LAYERS = sizeof layers / sizeof *layers };

/* One layer of a network of some size. The last one's outputs may be negative. */
struct stage {
    const struct layer *layer;
    uint32_t channels, side;        /* of the input */
    uint32_t outputs, outside;      /* of the output: channels, and the side of their planes */
    uint32_t depth;                 /* products of an output */
    float *weights, *bias, *output; /* on the device */
    bool last;
};

static size_t output_elements(const struct stage *s)
{
    return (size_t)s->outputs * s->outside * s->outside;
}

static void plan(struct stage stages[LAYERS], enum app_scale scale)
{
    uint32_t channels = IMAGE_CHANNELS, side = sizes[scale].side;
    for (unsigned i = 0; i < LAYERS; i++) {
        const struct layer *l = &layers[i];
        struct stage *s = &stages[i];
        *s = (struct stage){
            .layer = l, .channels = channels, .side = side, .outputs = channels, .outside = side};
        s->last = i == LAYERS - 1;
        if (l->outputs)
            s->outputs = l->outputs / sizes[scale].divisor;
        if (l->kind == CONVOLUTION) {
            s->outside = (side + 2 * l->padding - l->kernel) / l->stride + 1;
            s->depth = channels / l->groups * l->kernel * l->kernel;
        } else if (l->kind == POOLING) {
            s->outside = (side - POOL) / POOL_STRIDE + 1;
        } else if (l->kind == DENSE) {
            s->outside = 1;
            s->depth = channels * side * side;
        }
        channels = s->outputs;
        side = s->outside;
    }
}

static void allocate(struct device *d, struct stage *s, uint64_t seed)
{
    s->output = device_alloc(d, output_elements(s) * sizeof *s->output);
    if (!s->depth)
        return;
    const size_t n = (size_t)s->outputs * s->depth;
    const float size = sqrtf(6.0f / (float)s->depth);
    s->weights = device_alloc(d, n * sizeof *s->weights);
    for (size_t i = 0; i < n; i++)
        s->weights[i] = size * fill_unit(seed, i);
    device_wrote(d, s->weights, n * sizeof *s->weights);
    s->bias = buffer_unit(d, s->outputs, seed + 1);
}

static void convolve(struct device *d, const struct stage *s, const float *input, float *columns)
{
    const struct layer *l = s->layer;
    const uint32_t channels = s->channels / l->groups, filters = s->outputs / l->groups;
    const uint32_t pixels = s->outside * s->outside;
    for (uint32_t g = 0; g < l->groups; g++) {
        const float *in = input + (size_t)g * channels * s->side * s->side;
        const float *weights = s->weights + (size_t)g * filters * s->depth, *bias = s->bias + g * filters;
        float *out = s->output + (size_t)g * filters * pixels;
        DEVICE_RUN(d, "im2col", 1, DEVICE_SIZE(device_whole_groups((size_t)channels * pixels, ITEMS)),
                   DEVICE_SIZE(ITEMS), &in, &columns, &channels, &s->side, &l->kernel, &l->stride,
                   &l->padding, &s->outside);
        DEVICE_RUN(d, "product", 2,
                   DEVICE_SIZE(device_whole_groups(pixels, TILE), device_whole_groups(filters, TILE)),
                   DEVICE_SIZE(TILE, TILE), &weights, &columns, &bias, &out, &filters, &s->depth, &pixels);
    }
}

static void launch(struct device *d, const struct stage *s, const float *input, float *columns)
{
    const size_t items = device_whole_groups(output_elements(s), ITEMS);
    const uint32_t pixels = s->side * s->side, positive = !s->last;
    switch (s->layer->kind) {
    case CONVOLUTION:
        convolve(d, s, input, columns);
        break;
    case NORMALISE:
        DEVICE_RUN(d, "normalise", 1, DEVICE_SIZE(items), DEVICE_SIZE(ITEMS), &input, &s->output,
                   &s->channels, &pixels);
        break;
    case POOLING:
        DEVICE_RUN(d, "pool", 1, DEVICE_SIZE(items), DEVICE_SIZE(ITEMS), &input, &s->output, &s->channels,
                   &s->side, &s->outside);
        break;
    case DENSE:
        DEVICE_RUN(d, "dense", 1, DEVICE_SIZE((size_t)s->outputs * ITEMS), DEVICE_SIZE(ITEMS), &s->weights,
                   &input, &s->bias, &s->output, &s->depth, &positive);
        break;
    }
}

/* Adds a filter's plane of one input channel to an output plane. */
static void add_plane(double *out, const double *in, const float *weights, const struct stage *s)
{
    const struct layer *l = s->layer;
    for (uint32_t fy = 0; fy < l->kernel; fy++)
        for (uint32_t fx = 0; fx < l->kernel; fx++) {
            const double weight = (double)weights[fy * l->kernel + fx];
            for (uint32_t y = 0; y < s->outside; y++)
                for (uint32_t x = 0; x < s->outside; x++) {
                    const uint32_t sy = y * l->stride + fy - l->padding, sx = x * l->stride + fx - l->padding;
                    if (sy < s->side && sx < s->side)
                        out[y * s->outside + x] += weight * in[sy * s->side + sx];
                }
        }
}

static void reference_convolution(double *out, const double *in, const struct stage *s)
{
    const struct layer *l = s->layer;
    const uint32_t channels = s->channels / l->groups, filters = s->outputs / l->groups;
    const size_t pixels = (size_t)s->outside * s->outside, plane = (size_t)s->side * s->side;
    for (uint32_t f = 0; f < s->outputs; f++) {
        double *to = out + f * pixels;
        for (size_t p = 0; p < pixels; p++)
            to[p] = (double)s->bias[f];
        for (uint32_t c = 0; c < channels; c++)
            add_plane(to, in + (f / filters * channels + c) * plane,
                      s->weights + (size_t)f * s->depth + (size_t)c * l->kernel * l->kernel, s);
        for (size_t p = 0; p < pixels; p++)
            to[p] = fmax(to[p], 0);
    }
}

static double normalised(const double *in, const struct stage *s, size_t i)
{
    const size_t pixels = (size_t)s->side * s->side, c = i / pixels;
    double squares = 0;
    for (size_t near = c < NEAR ? 0 : c - NEAR; near <= c + NEAR && near < s->channels; near++)
        squares += in[near * pixels + i % pixels] * in[near * pixels + i % pixels];
    return in[i] / pow(2 + 1e-4 * squares, 0.75);
}

static double largest(const double *in, const struct stage *s, size_t i)
{
    const size_t pixels = (size_t)s->outside * s->outside, y = i % pixels / s->outside, x = i % s->outside;
    double most = -HUGE_VAL;
    for (size_t dy = 0; dy < POOL; dy++)
        for (size_t dx = 0; dx < POOL; dx++)
            most = fmax(most,
                        in[(i / pixels * s->side + POOL_STRIDE * y + dy) * s->side + POOL_STRIDE * x + dx]);
    return most;
}

static double weighted_sum(const double *in, const struct stage *s, size_t o)
{
    double sum = (double)s->bias[o];
    for (size_t i = 0; i < s->depth; i++)
        sum += (double)s->weights[o * s->depth + i] * in[i];
    return s->last ? sum : fmax(sum, 0);
}

static void reference(double *out, const double *in, const struct stage *s)
{
    if (s->layer->kind == CONVOLUTION) {
        reference_convolution(out, in, s);
        return;
    }
    for (size_t i = 0; i < output_elements(s); i++)
        out[i] = s->layer->kind == NORMALISE ? normalised(in, s, i)
                 : s->layer->kind == POOLING ? largest(in, s, i)
                                             : weighted_sum(in, s, i);
}

static int check(const struct stage stages[LAYERS], const float *image, size_t image_elements)
{
    double *in = host_alloc(image_elements, sizeof *in);
    int result = 0;
    for (size_t i = 0; i < image_elements; i++)
        in[i] = (double)image[i];
    for (unsigned l = 0; l < LAYERS && !result; l++) {
        const size_t n = output_elements(&stages[l]);
        double *out = host_alloc(n, sizeof *out);
        reference(out, in, &stages[l]);
        for (size_t i = 0; i < n && !result; i++)
            result = check_float(layers[l].name, i, out[i], (double)stages[l].output[i], tolerance);
        free(in);
        in = out;
    }
    free(in);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    struct stage stages[LAYERS];
    size_t most = 0; /* elements of the columns of a group */
    plan(stages, scale);
    const size_t image_elements = (size_t)IMAGE_CHANNELS * sizes[scale].side * sizes[scale].side;
    float *image = buffer_unit(d, image_elements, seed);
    for (unsigned l = 0; l < LAYERS; l++) {
        const size_t columns = (size_t)stages[l].depth * stages[l].outside * stages[l].outside;
        if (layers[l].kind == CONVOLUTION && columns > most)
            most = columns;
        allocate(d, &stages[l], seed + 2 * l + 1);
    }
    float *columns = device_alloc(d, most * sizeof *columns);

    const struct stage *last = &stages[LAYERS - 1];
    for (unsigned l = 0; l < LAYERS; l++)
        launch(d, &stages[l], l ? stages[l - 1].output : image, columns);
    device_read(d, last->output, output_elements(last) * sizeof *last->output);

    const int result = check(stages, image, image_elements);
    device_free(d, columns);
    for (unsigned l = LAYERS; l-- > 0;) {
        device_free(d, stages[l].output);
        if (stages[l].bias)
            device_free(d, stages[l].bias);
        if (stages[l].weights)
            device_free(d, stages[l].weights);
    }
    device_free(d, image);
    return result;
}

const struct app app_alexnet = {
    .name = "ALEXNET",
    .title = "Inference of one image by a network like AlexNet",
    .suite = "Caffe",
    .size = {"67 x 67 pixels, a sixteenth of the channels",
             "99 x 99 pixels, a quarter of the channels", [APP_FGPU] = "227 x 227 pixels"},
    .run = run,
};
