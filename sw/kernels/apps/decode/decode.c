/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DECODE: a step of a language model's attention over a paged cache of keys and values, for a batch of
 * requests. The blocks of a request lie where a server has put them (paged.h).
 * Tolerance: exp() and the order of sums; ten times the largest difference that was measured at the paper
 * size.
 */
#include "../../device.h"
#include "../buffer.h"
#include "../check.h"
#include "../paged.h"

static const double tolerance = 1.5e-6;

static const struct paged_size sizes[APP_SCALES] = {{4, 4, 64}, {16, 8, 512}, {64, 8, 1024}};

static int check(const struct paged *s, const float *query, const float *keys, const float *values,
                 const float *got)
{
    const struct paged_size *z = s->size;
    double out[PAGED_HEAD], *score = host_alloc(z->most, sizeof *score);
    size_t *place = host_alloc(z->most, sizeof *place);
    int result = 0;
    for (uint32_t g = 0; g < z->requests * z->heads && !result; g++) {
        const uint32_t r = g / z->heads;
        const size_t at = (size_t)g * PAGED_HEAD;
        paged_places(s, r, g % z->heads, place);
        attention(query + at, keys, values, place, s->length[r], score, out);
        for (uint32_t k = 0; k < PAGED_HEAD && !result; k++)
            result = check_float("DECODE: out", at + k, out[k], got[at + k], tolerance);
    }
    free(place);
    free(score);
    return result;
}

static int step(struct device *d, struct paged *s, uint64_t seed)
{
    const struct paged_size *z = s->size;
    const uint32_t pool = z->requests * s->blocks;
    const size_t cache = (size_t)pool * PAGED_BLOCK * z->heads * PAGED_HEAD,
                 n = (size_t)z->requests * z->heads * PAGED_HEAD;
    float *query = buffer_unit(d, n, seed), *out = device_alloc(d, n * sizeof *out);
    float *keys = buffer_unit(d, cache, seed + 1), *values = buffer_unit(d, cache, seed + 2);
    uint32_t *tables = buffer_copy(d, s->table, pool * sizeof *tables);
    uint32_t *lengths = buffer_copy(d, s->length, z->requests * sizeof *lengths);
    const struct device_local score = {z->most * sizeof(float)};
    DEVICE_RUN(d, "decode", 1, DEVICE_SIZE(n), DEVICE_SIZE(PAGED_HEAD), &query, &keys, &values, &tables,
               &lengths, &s->blocks, &z->heads, &score, &out);
    device_read(d, out, n * sizeof *out);
    const int result = check(s, query, keys, values, out);
    void *const all[] = {lengths, tables, values, keys, out, query};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    struct paged s;
    paged_open(&s, &sizes[scale], seed + 3);
    const int result = step(d, &s, seed);
    paged_close(&s);
    return result;
}

const struct app app_decode = {
    .name = "DECODE",
    .title = "Attention over a paged cache of keys and values",
    .suite = "today",
    .size = {"4 requests of up to 64 tokens, 4 heads", "16 requests of up to 512 tokens, 8 heads (32 MB)",
             "64 requests of up to 1024 tokens, 8 heads (256 MB)"},
    .run = run,
};
