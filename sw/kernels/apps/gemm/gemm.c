/* SPDX-License-Identifier: Apache-2.0 */
/* GEMM: a product of matrices with tiles in the shape of tensor cores. At the paper size it is the last layer
 * of a language model, 64 tokens by 32768 words. Exact: sums of products of small integers. */
#include "../../device.h"
#include "../buffer.h"
#include "../check.h"

enum { TILE = 64, GROUP = 128, LIMIT = 4 };

static const struct {
    uint32_t rows, columns, inner; /* rows, columns: multiples of TILE; inner: of 16 */
} sizes[APP_SCALES] = {{256, 256, 128}, {512, 512, 256}, {64, 32768, 1024}};

/* n small integers as bfloat16, the upper half of a float. */
static uint16_t *narrow(struct device *d, size_t n, uint64_t seed)
{
    uint16_t *p = device_alloc(d, n * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        const float x = (float)fill_small(seed, i, LIMIT);
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        p[i] = (uint16_t)(bits >> 16);
    }
    device_wrote(d, p, n * sizeof *p);
    return p;
}

static int check(uint64_t seed, uint32_t rows, uint32_t columns, uint32_t inner, const float *got)
{
    int result = 0;
    float *row = host_alloc(columns, sizeof *row), *b = host_alloc((size_t)inner * columns, sizeof *b);
    for (size_t i = 0; i < (size_t)inner * columns; i++)
        b[i] = (float)fill_small(seed + 1, i, LIMIT);
    for (uint32_t r = 0; r < rows && !result; r++) {
        memset(row, 0, columns * sizeof *row);
        for (uint32_t k = 0; k < inner; k++) {
            const float a = (float)fill_small(seed, (size_t)r * inner + k, LIMIT);
            for (uint32_t c = 0; c < columns; c++)
                row[c] += a * b[(size_t)k * columns + c];
        }
        for (uint32_t c = 0; c < columns && !result; c++)
            result = check_float("GEMM: C", (size_t)r * columns + c, row[c], got[(size_t)r * columns + c], 0);
    }
    free(b);
    free(row);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    const uint32_t rows = sizes[scale].rows, columns = sizes[scale].columns, inner = sizes[scale].inner;
    const size_t n = (size_t)rows * columns;
    (void)file;
    uint16_t *a = narrow(d, (size_t)rows * inner, seed), *b = narrow(d, (size_t)inner * columns, seed + 1);
    float *c = device_alloc(d, n * sizeof *c);
    DEVICE_RUN(d, "gemm", 1, DEVICE_SIZE(n / (TILE * TILE) * GROUP), DEVICE_SIZE(GROUP), &a, &b, &columns,
               &inner, &c);
    device_read(d, c, n * sizeof *c);
    const int result = check(seed, rows, columns, inner, c);
    device_free(d, c);
    device_free(d, b);
    device_free(d, a);
    return result;
}

const struct app app_gemm = {
    .name = "GEMM",
    .title = "Matrix product with tiles of tensor cores",
    .suite = "today",
    .size = {"256 x 128 by 128 x 256", "512 x 256 by 256 x 512", "64 x 1024 by 1024 x 32768 (72 MB)"},
    .run = run,
};
