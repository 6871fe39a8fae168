/* SPDX-License-Identifier: Apache-2.0 */
/* SP: scalar products of pairs of vectors. Elements are small integers, so every partial sum is an integer
 * below 2^24 (at most 4096 * 8 * 8) and float results are exact. */
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 256, GROUPS = 128, LIMIT = 8 };

static const struct {
    uint32_t pairs, elements;
} sizes[APP_SCALES] = {{32, 2048}, {256, 4096}, [APP_FGPU] = {256, 4096}};

static int check(const float *a, const float *b, const float *got, uint32_t pairs, uint32_t elements)
{
    for (size_t p = 0; p < pairs; p++) {
        int32_t sum = 0;
        for (size_t i = p * elements; i < (p + 1) * elements; i++)
            sum += (int32_t)a[i] * (int32_t)b[i];
        if (check_float("SP: product", p, sum, got[p], 0))
            return -1;
    }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t pairs = sizes[scale].pairs, elements = sizes[scale].elements;
    float *a = buffer_small(d, (size_t)pairs * elements, seed, LIMIT);
    float *b = buffer_small(d, (size_t)pairs * elements, seed + 1, LIMIT);
    float *c = device_alloc(d, pairs * sizeof *c);

    DEVICE_RUN(d, "scalar_products", 1, DEVICE_SIZE(GROUPS * GROUP), DEVICE_SIZE(GROUP), &a, &b, &c, &pairs,
               &elements);
    device_read(d, c, pairs * sizeof *c);

    const int result = check(a, b, c, pairs, elements);
    device_free(d, c);
    device_free(d, b);
    device_free(d, a);
    return result;
}

const struct app app_sp = {
    .name = "SP",
    .title = "Scalar products of pairs of vectors",
    .suite = "CUDA samples",
    .size = {"32 pairs of 2048 floats", "256 pairs of 4096 floats", [APP_FGPU] = "256 pairs of 4096 floats"},
    .run = run,
};
