/* SPDX-License-Identifier: Apache-2.0 */
/* MM: a dense matrix product. Elements are integers from -2 to 2, so float sums (at most 4 * 992 * 2 + 2) are
 * exact. */
#include "../buffer.h"
#include "../check.h"

enum { WIDTH = 16, DEPTH = 8, ROWS = WIDTH * DEPTH, LIMIT = 2 };

static const struct shape {
    uint32_t m, n, depth; /* multiples of ROWS, WIDTH, DEPTH */
} shapes[APP_SCALES] = {
    {.m = 256, .n = 64, .depth = 64},
    {.m = 512, .n = 528, .depth = 496},
    {.m = 1024, .n = 1056, .depth = 992},
};

static const float alpha = 2.0f, beta = -1.0f;

static int check(const struct shape *s, const float *a, const float *b, const float *before, const float *got)
{
    float *column = host_alloc(s->m, sizeof *column);
    int result = 0;
    for (uint32_t j = 0; j < s->n && !result; j++) {
        const size_t first = (size_t)j * s->m;
        memset(column, 0, s->m * sizeof *column);
        for (uint32_t k = 0; k < s->depth; k++)
            for (uint32_t i = 0; i < s->m; i++)
                column[i] += a[(size_t)k * s->m + i] * b[(size_t)k * s->n + j];
        for (uint32_t i = 0; i < s->m && !result; i++)
            result = check_float("MM: product", first + i, beta * before[first + i] + alpha * column[i],
                                 got[first + i], 0);
    }
    free(column);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const struct shape *s = &shapes[scale];
    const size_t c_bytes = (size_t)s->m * s->n * sizeof(float);
    float *a = buffer_small(d, (size_t)s->m * s->depth, seed, LIMIT);
    float *b = buffer_small(d, (size_t)s->n * s->depth, seed + 1, LIMIT);
    float *c = buffer_small(d, (size_t)s->m * s->n, seed + 2, LIMIT);
    float *before = host_alloc(1, c_bytes);
    memcpy(before, c, c_bytes);

    DEVICE_RUN(d, "sgemm_nt", 2, DEVICE_SIZE(s->m / ROWS * WIDTH, s->n / WIDTH * DEPTH),
               DEVICE_SIZE(WIDTH, DEPTH), &a, &b, &c, &s->m, &s->n, &s->depth, &alpha, &beta);
    device_read(d, c, c_bytes);

    const int result = check(s, a, b, before, c);
    free(before);
    device_free(d, c);
    device_free(d, b);
    device_free(d, a);
    return result;
}

const struct app app_mm = {
    .name = "MM",
    .title = "Dense matrix product",
    .suite = "Parboil",
    .size = {"256 x 64, depth 64", "512 x 528, depth 496", "1024 x 1056, depth 992"},
    .run = run,
};
