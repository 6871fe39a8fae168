/* SPDX-License-Identifier: Apache-2.0 */
/* MMS: a dense matrix product with square tiles of both matrices in local memory. (MM has tiles of one
 * matrix.) Elements are integers from -2 to 2, so float sums (at most 4 * 320) are exact. */
#include "../buffer.h"
#include "../check.h"

enum { TILE = 32, LIMIT = 2 };

static const struct shape {
    uint32_t rows, inner, columns; /* multiples of TILE */
} shapes[APP_SCALES] = {{128, 128, 128}, {320, 320, 640}, [APP_FGPU] = {320, 320, 640}};

static int check(const struct shape *s, const float *a, const float *b, const float *got)
{
    float *expected = host_alloc(s->columns, sizeof *expected);
    int result = 0;
    for (size_t y = 0; y < s->rows && !result; y++) {
        memset(expected, 0, s->columns * sizeof *expected);
        for (size_t k = 0; k < s->inner; k++)
            for (size_t x = 0; x < s->columns; x++)
                expected[x] += a[y * s->inner + k] * b[k * s->columns + x];
        for (size_t x = 0; x < s->columns && !result; x++)
            result = check_float("MMS: product", y * s->columns + x, expected[x], got[y * s->columns + x], 0);
    }
    free(expected);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const struct shape *s = &shapes[scale];
    const size_t bytes = (size_t)s->rows * s->columns * sizeof(float);
    float *a = buffer_small(d, (size_t)s->rows * s->inner, seed, LIMIT);
    float *b = buffer_small(d, (size_t)s->inner * s->columns, seed + 1, LIMIT);
    float *c = device_alloc(d, bytes);

    DEVICE_RUN(d, "matrix_mul", 2, DEVICE_SIZE(s->columns, s->rows), DEVICE_SIZE(TILE, TILE), &a, &b, &c,
               &s->inner, &s->columns);
    device_read(d, c, bytes);

    const int result = check(s, a, b, c);
    device_free(d, c);
    device_free(d, b);
    device_free(d, a);
    return result;
}

const struct app app_mms = {
    .name = "MMS",
    .title = "Dense matrix product, square tiles",
    .suite = "CUDA samples",
    .size = {"128 x 128 by 128 x 128", "320 x 320 by 320 x 640", [APP_FGPU] = "320 x 320 by 320 x 640"},
    .run = run,
};
