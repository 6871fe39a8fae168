/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DECODE: a step of a language model's attention over a paged cache of keys and values, for a batch of
 * requests. The blocks of a request lie where a server has put them: it has served requests for a while, of
 * random lengths, that came and went, and gives each token beyond a block a block from its free list.
 * Tolerance: exp() and the order of sums; ten times the largest difference that was measured at the paper
 * size.
 */
#include "../../device.h"
#include "../buffer.h"
#include "../check.h"

#include <math.h>

enum { HEAD = 64, BLOCK = 16 };

static const double tolerance = 1.5e-6;

static const struct size {
    uint32_t requests, heads, most; /* most: tokens of a request, a multiple of BLOCK */
} sizes[APP_SCALES] = {{4, 4, 64}, {16, 8, 512}, {64, 8, 1024}};

/* ---- the server's blocks ---- */

struct server {
    const struct size *size;
    uint32_t blocks; /* of a request, at most */
    uint32_t *list;  /* free blocks, the next one last */
    uint32_t rest;
    uint32_t *table, *length, *wanted; /* of each request of the batch */
    uint64_t seed, draws;
};

static uint32_t draw(struct server *s, uint32_t below)
{
    return (uint32_t)(fill_random(s->seed, s->draws++) >> 33) % below;
}

static void evict(struct server *s, uint32_t r)
{
    for (uint32_t b = 0; b * BLOCK < s->length[r]; b++)
        s->list[s->rest++] = s->table[r * s->blocks + b];
    s->length[r] = 0;
}

static void grow(struct server *s, uint32_t r)
{
    if (s->length[r] % BLOCK == 0)
        s->table[r * s->blocks + s->length[r] / BLOCK] = s->list[--s->rest];
    s->length[r]++;
}

/* A request comes with a prompt, of a quarter to all of the length that it will reach. */
static void arrive(struct server *s, uint32_t r)
{
    const uint32_t most = s->size->most;
    s->wanted[r] = most / 4 + draw(s, most - most / 4) + 1;
    const uint32_t prompt = s->wanted[r] / 4 + draw(s, s->wanted[r] - s->wanted[r] / 4) + 1;
    for (uint32_t t = 0; t < prompt && t < s->wanted[r]; t++)
        grow(s, r);
}

/* Each step every request grows by a token; those that have reached their lengths leave, others come. */
static void serve(struct server *s)
{
    const uint32_t n = s->size->requests;
    for (uint32_t r = 0; r < n; r++)
        arrive(s, r);
    for (uint32_t step = 0; step < 2 * s->size->most; step++)
        for (uint32_t r = 0; r < n; r++) {
            if (s->length[r] < s->wanted[r]) {
                grow(s, r);
                continue;
            }
            evict(s, r);
            arrive(s, r);
        }
}

/* ---- the step ---- */

static size_t place(const struct server *s, uint32_t r, uint32_t t, uint32_t head)
{
    const size_t block = s->table[r * s->blocks + t / BLOCK];
    return ((block * BLOCK + t % BLOCK) * s->size->heads + head) * HEAD;
}

static void attend(const struct server *s, uint32_t r, uint32_t head, const float *q, const float *keys,
                   const float *values, double out[HEAD])
{
    double weights = 0, most = -INFINITY, *score = host_alloc(s->length[r], sizeof *score);
    memset(out, 0, HEAD * sizeof *out);
    for (uint32_t t = 0; t < s->length[r]; t++) {
        for (uint32_t k = 0; k < HEAD; k++)
            score[t] += (double)q[k] * keys[place(s, r, t, head) + k] / 8;
        most = fmax(most, score[t]);
    }
    for (uint32_t t = 0; t < s->length[r]; t++) {
        const double weight = exp(score[t] - most);
        weights += weight;
        for (uint32_t k = 0; k < HEAD; k++)
            out[k] += weight * values[place(s, r, t, head) + k];
    }
    for (uint32_t k = 0; k < HEAD; k++)
        out[k] /= weights;
    free(score);
}

static int check(const struct server *s, const float *query, const float *keys, const float *values,
                 const float *got)
{
    int result = 0;
    for (uint32_t g = 0; g < s->size->requests * s->size->heads && !result; g++) {
        double out[HEAD];
        attend(s, g / s->size->heads, g % s->size->heads, query + (size_t)g * HEAD, keys, values, out);
        for (uint32_t k = 0; k < HEAD && !result; k++)
            result = check_float("DECODE: out", (size_t)g * HEAD + k, out[k], got[(size_t)g * HEAD + k],
                                 tolerance);
    }
    return result;
}

static int step(struct device *d, struct server *s, uint64_t seed)
{
    const struct size *z = s->size;
    const uint32_t pool = z->requests * s->blocks;
    const size_t cache = (size_t)pool * BLOCK * z->heads * HEAD, n = (size_t)z->requests * z->heads * HEAD;
    float *query = buffer_unit(d, n, seed), *out = device_alloc(d, n * sizeof *out);
    float *keys = buffer_unit(d, cache, seed + 1), *values = buffer_unit(d, cache, seed + 2);
    uint32_t *tables = buffer_copy(d, s->table, pool * sizeof *tables);
    uint32_t *lengths = buffer_copy(d, s->length, z->requests * sizeof *lengths);
    const struct device_local score = {z->most * sizeof(float)};
    DEVICE_RUN(d, "decode", 1, DEVICE_SIZE(n), DEVICE_SIZE(HEAD), &query, &keys, &values, &tables, &lengths,
               &s->blocks, &z->heads, &score, &out);
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
    const struct size *z = &sizes[scale];
    struct server s = {.size = z, .blocks = z->most / BLOCK, .seed = seed + 3};
    s.rest = z->requests * s.blocks;
    s.list = host_alloc(s.rest, sizeof *s.list);
    s.table = host_alloc(s.rest, sizeof *s.table);
    s.length = host_alloc(z->requests, sizeof *s.length);
    s.wanted = host_alloc(z->requests, sizeof *s.wanted);
    for (uint32_t b = 0; b < s.rest; b++)
        s.list[b] = s.rest - 1 - b;
    serve(&s);
    const int result = step(d, &s, seed);
    free(s.wanted);
    free(s.length);
    free(s.table);
    free(s.list);
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
