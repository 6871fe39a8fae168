/* SPDX-License-Identifier: Apache-2.0 */
/* MOE: a mixture of experts. A router sends each token to two experts, of which some are popular; the gather
 * of tokens and the experts' weights are what its memory path sees. Exact: sums of products of small
 * integers. */
#include "../../device.h"
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 64, LIMIT = 4 };

static const struct {
    uint32_t tokens, experts, width;
} sizes[APP_SCALES] = {{16, 4, 64}, {512, 16, 256}, {128, 64, 1024}};

/* An expert of a token: the second one differs from the first one. */
static uint32_t choose(uint64_t seed, uint32_t token, uint32_t which, uint32_t experts)
{
    const double u = (double)(fill_random(seed, 2 * (uint64_t)token) >> 11) * 0x1p-53;
    const uint32_t first = (uint32_t)(u * u * experts);
    const uint32_t step =
        1 + (uint32_t)(fill_random(seed, 2 * (uint64_t)token + 1) % (experts > 1 ? experts - 1 : 1));
    return which ? (first + step) % experts : first;
}

/* Sorts (token, which) by expert, and says where each has gone. */
static void route(uint64_t seed, uint32_t tokens, uint32_t experts, uint32_t *token, uint32_t *expert_of,
                  uint32_t *place)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < experts; e++)
        for (uint32_t i = 0; i < 2 * tokens; i++)
            if (choose(seed, i / 2, i % 2, experts) == e) {
                token[n] = i / 2;
                expert_of[n] = e;
                place[i] = n++;
            }
}

static int check(const float *x, const float *weight, uint64_t seed, uint32_t tokens, uint32_t experts,
                 uint32_t width, const float *got)
{
    int result = 0;
    float *y = host_alloc(width, sizeof *y);
    for (uint32_t t = 0; t < tokens && !result; t++) {
        memset(y, 0, width * sizeof *y);
        for (uint32_t which = 0; which < 2; which++) {
            const float *w = weight + (size_t)choose(seed, t, which, experts) * width * width;
            for (uint32_t k = 0; k < width; k++)
                for (uint32_t o = 0; o < width; o++)
                    y[o] += x[(size_t)t * width + k] * w[(size_t)k * width + o];
        }
        for (uint32_t o = 0; o < width && !result; o++)
            result = check_float("MOE: y", (size_t)t * width + o, y[o], got[(size_t)t * width + o], 0);
    }
    free(y);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t tokens = sizes[scale].tokens, experts = sizes[scale].experts, width = sizes[scale].width;
    const size_t n = (size_t)tokens * width, list = 2 * tokens * sizeof(uint32_t);
    float *x = buffer_small(d, n, seed, LIMIT);
    float *weight = buffer_small(d, (size_t)experts * width * width, seed + 1, LIMIT);
    float *part = device_alloc(d, 2 * n * sizeof *part), *y = device_alloc(d, n * sizeof *y);
    uint32_t *token = device_alloc(d, list), *expert_of = device_alloc(d, list),
             *place = device_alloc(d, list);
    route(seed + 2, tokens, experts, token, expert_of, place);
    device_wrote(d, token, list);
    device_wrote(d, expert_of, list);
    device_wrote(d, place, list);
    DEVICE_RUN(d, "expert", 1, DEVICE_SIZE(2 * n), DEVICE_SIZE(GROUP), &x, &weight, &token, &expert_of,
               &width, &part);
    DEVICE_RUN(d, "combine", 1, DEVICE_SIZE(n), DEVICE_SIZE(GROUP), &part, &place, &width, &y);
    device_read(d, y, n * sizeof *y);
    const int result = check(x, weight, seed + 2, tokens, experts, width, y);
    void *const all[] = {place, expert_of, token, y, part, weight, x};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}

const struct app app_moe = {
    .name = "MOE",
    .title = "Mixture of experts",
    .suite = "today",
    .size = {"16 tokens, 4 experts of 64 x 64", "512 tokens, 16 experts of 256 x 256 (4 MB)",
             "128 tokens, 64 experts of 1024 x 1024 (256 MB)"},
    .run = run,
};
