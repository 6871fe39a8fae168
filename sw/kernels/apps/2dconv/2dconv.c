/* SPDX-License-Identifier: Apache-2.0 */
/* 2DCONV: a 3 x 3 filter over a matrix. Elements and weights are small integers, so results are exact. */
#include "../buffer.h"
#include "../check.h"

enum { GROUP_X = 32, GROUP_Y = 8, LIMIT = 255 };

static const uint32_t sizes[APP_SCALES] = {128, 2048, [APP_MESC] = 4096};

/* Around the centre, by rows; different for each direction, so that no two can be exchanged. */
static const float ring[8] = {2, 5, -8, -3, 9, 4, 7, 10}, centre = 6;

static int check(const float *in, const float *got, uint32_t n)
{
    for (uint32_t y = 1; y + 1 < n; y++)
        for (uint32_t x = 1; x + 1 < n; x++) {
            const size_t at = (size_t)y * n + x;
            float sum = centre * in[at];
            for (int k = 0; k < 8; k++) {
                const int place = k < 4 ? k : k + 1; /* in the filter of 9, without the centre */
                sum += ring[k] * in[(long)at + (place / 3 - 1) * (long)n + place % 3 - 1];
            }
            if (check_float("2DCONV: output", at, sum, got[at], 0))
                return -1;
        }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t n = sizes[scale];
    const size_t elements = (size_t)n * n;
    float *in = buffer_small(d, elements, seed, LIMIT);
    float *out = device_alloc(d, elements * sizeof *out);

    DEVICE_RUN(d, "conv2d", 2, DEVICE_SIZE(device_whole_groups(n, GROUP_X), device_whole_groups(n, GROUP_Y)),
               DEVICE_SIZE(GROUP_X, GROUP_Y), &in, &out, &n, &n, &ring, &centre);
    device_read(d, out, elements * sizeof *out);

    const int result = check(in, out, n);
    device_free(d, out);
    device_free(d, in);
    return result;
}

const struct app app_2dconv = {
    .name = "2DCONV",
    .title = "Convolution of a matrix with a 3 x 3 filter",
    .suite = "Polybench",
    .size = {"128 x 128 floats", "2048 x 2048 floats", [APP_MESC] = "4096 x 4096 floats"},
    .run = run,
};
