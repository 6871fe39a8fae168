/* SPDX-License-Identifier: Apache-2.0 */
/* SN: a bitonic sorting network over pairs of key and value; exact. Keys repeat, and the network may exchange
 * the values of equal keys, so these are compared as a set. */
#include "../buffer.h"
#include "../check.h"

enum { LOCAL = 1024, PAIRS = LOCAL / 2, GROUP = 256 };

/* Powers of two, over 1024. */
static const uint32_t sizes[APP_SCALES] = {1u << 12, 1u << 17, [APP_FGPU] = 1u << 20};

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A pair as one number, with the key first. */
static uint64_t *pairs_of(const uint32_t *key, const uint32_t *value, uint32_t n)
{
    uint64_t *p = host_alloc(n, sizeof *p);
    for (uint32_t i = 0; i < n; i++)
        p[i] = (uint64_t)key[i] << 32 | value[i];
    return p;
}

static int check(uint64_t *expected, const uint32_t *key, const uint32_t *value, uint32_t n)
{
    uint64_t *got = pairs_of(key, value, n);
    int result = 0;
    qsort(expected, n, sizeof *expected, by_number);
    for (uint32_t i = 0; i < n && !result; i++)
        result = check_int("SN: key", i, (int64_t)(expected[i] >> 32), key[i]);
    qsort(got, n, sizeof *got, by_number);
    for (uint32_t i = 0; i < n && !result; i++)
        result = check_int("SN: value, of equal keys in ascending order", i, (int64_t)(uint32_t)expected[i],
                           (int64_t)(uint32_t)got[i]);
    free(got);
    return result;
}

static void sort(struct device *d, const uint32_t *const from[2], uint32_t *const to[2], uint32_t n)
{
    DEVICE_RUN(d, "sort_local", 1, DEVICE_SIZE(n / 2), DEVICE_SIZE(PAIRS), &from[0], &from[1], &to[0],
               &to[1]);
    for (uint32_t size = 2 * LOCAL; size <= n; size *= 2) {
        for (uint32_t stride = size / 2; stride >= LOCAL; stride /= 2)
            DEVICE_RUN(d, "merge_global", 1, DEVICE_SIZE(n / 2), DEVICE_SIZE(GROUP), &to[0], &to[1], &n,
                       &size, &stride);
        DEVICE_RUN(d, "merge_local", 1, DEVICE_SIZE(n / 2), DEVICE_SIZE(PAIRS), &to[0], &to[1], &n, &size);
    }
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t n = sizes[scale], distinct = n / 2;
    const size_t bytes = n * sizeof(uint32_t);
    uint32_t *const from[2] = {device_alloc(d, bytes), device_alloc(d, bytes)};
    uint32_t *const to[2] = {device_alloc(d, bytes), device_alloc(d, bytes)};
    for (uint32_t i = 0; i < n; i++) {
        from[0][i] = (uint32_t)(fill_random(seed, i) >> 32) % distinct;
        from[1][i] = i;
    }
    uint64_t *expected = pairs_of(from[0], from[1], n);
    for (unsigned k = 0; k < 2; k++)
        device_wrote(d, from[k], bytes);

    sort(d, (const uint32_t *const *)from, to, n);
    for (unsigned k = 0; k < 2; k++)
        device_read(d, to[k], bytes);

    const int result = check(expected, to[0], to[1], n);
    free(expected);
    for (unsigned k = 2; k-- > 0;)
        device_free(d, to[k]);
    for (unsigned k = 2; k-- > 0;)
        device_free(d, from[k]);
    return result;
}

const struct app app_sn = {
    .name = "SN",
    .title = "Bitonic sorting network",
    .suite = "CUDA samples",
    .size = {"4096 pairs", "131072 pairs", [APP_FGPU] = "1048576 pairs"},
    .run = run,
};
