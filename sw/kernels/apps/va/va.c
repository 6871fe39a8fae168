/* SPDX-License-Identifier: Apache-2.0 */
/* VA: the sum of two vectors of pairs of doubles. One addition rounds alike everywhere, so results are exact.
 */
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 256 };

static const uint32_t sizes[APP_SCALES] = {1u << 15, 1u << 18, [APP_FGPU] = 1u << 21, [APP_UVM] = 579072};

static double (*vector(struct device *d, size_t n, uint64_t seed))[2]
{
    double(*p)[2] = device_alloc(d, n * sizeof *p);
    for (size_t i = 0; i < 2 * n; i++)
        p[i / 2][i % 2] = (double)(int64_t)fill_random(seed, i) * 0x1p-63;
    device_wrote(d, p, n * sizeof *p);
    return p;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t n = sizes[scale];
    double(*a)[2] = vector(d, n, seed), (*b)[2] = vector(d, n, seed + 1);
    double(*c)[2] = device_alloc(d, n * sizeof *c);

    DEVICE_RUN(d, "vector_add", 1, DEVICE_SIZE(device_whole_groups(n, GROUP)), DEVICE_SIZE(GROUP), &a, &b, &c,
               &n);
    device_read(d, c, n * sizeof *c);

    int result = 0;
    for (size_t i = 0; i < 2 * (size_t)n && !result; i++)
        result = check_float("VA: sum", i, a[i / 2][i % 2] + b[i / 2][i % 2], c[i / 2][i % 2], 0);
    device_free(d, c);
    device_free(d, b);
    device_free(d, a);
    return result;
}

const struct app app_va = {
    .name = "VA",
    .title = "Sum of two vectors",
    .suite = "CUDA samples",
    .size = {"32768 pairs of doubles", "262144 pairs of doubles", [APP_FGPU] = "2097152 pairs of doubles",
             [APP_UVM] = "579072 pairs of doubles"},
    .run = run,
};
