/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PREFILL: a language model's causal attention for whole prompts over a paged cache of keys and values. The
 * blocks of a request lie where a server has put them (paged.h). Tolerance: exp() and the order of sums; ten
 * times the largest difference that was measured at the paper size.
 */
#include "../../device.h"
#include "../buffer.h"
#include "../check.h"
#include "../paged.h"

enum { TILE = 64 };

static const double tolerance = 1.7e-6;

static const struct paged_size sizes[APP_SCALES] = {{2, 2, 64}, {4, 4, 256}, {8, 8, 512}};

static int check_token(const float *got, const double out[PAGED_HEAD], size_t at)
{
    for (uint32_t k = 0; k < PAGED_HEAD; k++)
        if (check_float("PREFILL: out", at + k, out[k], got[at + k], tolerance))
            return -1;
    return 0;
}

/* A token attends to those up to its own; rows beyond the prompt are not written. */
static int check(const struct paged *s, const float *query, const float *keys, const float *values,
                 const float *got)
{
    const struct paged_size *z = s->size;
    double *score = host_alloc(z->most, sizeof *score);
    size_t *place = host_alloc(z->most, sizeof *place);
    int result = 0;
    for (uint32_t g = 0; g < z->requests * z->heads && !result; g++) {
        const uint32_t r = g / z->heads, head = g % z->heads;
        paged_places(s, r, head, place);
        for (uint32_t t = 0; t < z->most && !result; t++) {
            const size_t at = (((size_t)r * z->most + t) * z->heads + head) * PAGED_HEAD;
            double out[PAGED_HEAD] = {0};
            if (t < s->length[r])
                attention(query + at, keys, values, place, t + 1, score, out);
            result = check_token(got, out, at);
        }
    }
    free(place);
    free(score);
    return result;
}

static int prompts(struct device *d, const struct paged *s, uint64_t seed)
{
    const struct paged_size *z = s->size;
    const uint32_t pool = z->requests * s->blocks, tiles = (z->most + TILE - 1) / TILE;
    const size_t n = (size_t)z->requests * z->most * z->heads * PAGED_HEAD;
    float *query = buffer_unit(d, n, seed), *out = device_alloc(d, n * sizeof *out);
    float *keys = buffer_unit(d, n, seed + 1), *values = buffer_unit(d, n, seed + 2);
    uint32_t *tables = buffer_copy(d, s->table, pool * sizeof *tables);
    uint32_t *lengths = buffer_copy(d, s->length, z->requests * sizeof *lengths);
    DEVICE_RUN(d, "prefill", 1, DEVICE_SIZE((size_t)z->requests * z->heads * tiles * TILE), DEVICE_SIZE(TILE),
               &query, &keys, &values, &tables, &lengths, &s->blocks, &z->heads, &tiles, &out);
    device_read(d, out, n * sizeof *out);
    const int result = check(s, query, keys, values, out);
    void *const all[] = {lengths, tables, values, keys, out, query};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    struct paged s;
    (void)file;
    paged_open(&s, &sizes[scale], seed + 3);
    const int result = prompts(d, &s, seed);
    paged_close(&s);
    return result;
}

const struct app app_prefill = {
    .name = "PREFILL",
    .title = "Attention of prompts over a paged cache",
    .suite = "today",
    .size = {"2 requests of up to 64 tokens, 2 heads", "4 requests of up to 256 tokens, 4 heads (1 MB)",
             "8 requests of up to 512 tokens, 8 heads (32 MB)"},
    .run = run,
};
