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

#include <math.h>

enum { TILE = 64 };

static const double tolerance = 1.7e-6;

static const struct paged_size sizes[APP_SCALES] = {{2, 2, 64}, {4, 4, 256}, {8, 8, 512}};

/* The attention of one query to the tokens up to its own. */
static void attend(const struct paged *s, uint32_t r, uint32_t head, uint32_t query, const float *q,
                   const float *keys, const float *values, double *score, double out[PAGED_HEAD])
{
    double weights = 0, most = -INFINITY;
    memset(out, 0, PAGED_HEAD * sizeof *out);
    for (uint32_t t = 0; t <= query; t++) {
        const float *key = keys + paged_at(s, r, t, head);
        score[t] = 0;
        for (uint32_t k = 0; k < PAGED_HEAD; k++)
            score[t] += (double)q[k] * key[k] / 8;
        most = fmax(most, score[t]);
    }
    for (uint32_t t = 0; t <= query; t++) {
        const float *value = values + paged_at(s, r, t, head);
        const double weight = exp(score[t] - most);
        weights += weight;
        for (uint32_t k = 0; k < PAGED_HEAD; k++)
            out[k] += weight * value[k];
    }
    for (uint32_t k = 0; k < PAGED_HEAD; k++)
        out[k] /= weights;
}

static int check(const struct paged *s, const float *query, const float *keys, const float *values,
                 const float *got)
{
    const struct paged_size *z = s->size;
    double out[PAGED_HEAD], *score = host_alloc(z->most, sizeof *score);
    int result = 0;
    for (uint32_t r = 0; r < z->requests; r++)
        for (uint32_t t = 0; t < z->most; t++)
            for (uint32_t head = 0; head < z->heads && !result; head++) {
                const size_t at = (((size_t)r * z->most + t) * z->heads + head) * PAGED_HEAD;
                memset(out, 0, sizeof out); /* of tokens that the prompt does not have */
                if (t < s->length[r])
                    attend(s, r, head, t, query + at, keys, values, score, out);
                for (uint32_t k = 0; k < PAGED_HEAD && !result; k++)
                    result = check_float("PREFILL: out", at + k, out[k], got[at + k], tolerance);
            }
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
