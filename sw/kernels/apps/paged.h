/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a paged cache of keys and values, as a server of language models has them: it has served
 * requests for a while, of random lengths, that came and went, and gives each token beyond a block a block
 * from its free list. So the blocks of a request are scattered.
 */
#ifndef MP_KERNELS_PAGED_H
#define MP_KERNELS_PAGED_H

#include "attention.h"
#include "fill.h"

enum { PAGED_HEAD = ATTENTION_HEAD, PAGED_BLOCK = 16 /* tokens */ };

struct paged_size {
    uint32_t requests, heads, most; /* most: tokens of a request, a multiple of PAGED_BLOCK */
};

struct paged {
    const struct paged_size *size;
    uint32_t blocks; /* of a request, at most */
    uint32_t *list;  /* free blocks, the next one last */
    uint32_t rest;
    uint32_t *table, *length, *wanted; /* of each request of the batch */
    uint64_t seed, draws;
};

static inline uint32_t paged_draw(struct paged *s, uint32_t below)
{
    return (uint32_t)(fill_random(s->seed, s->draws++) >> 33) % below;
}

static inline void paged_evict(struct paged *s, uint32_t r)
{
    for (uint32_t b = 0; b * PAGED_BLOCK < s->length[r]; b++)
        s->list[s->rest++] = s->table[r * s->blocks + b];
    s->length[r] = 0;
}

static inline void paged_grow(struct paged *s, uint32_t r)
{
    if (s->length[r] % PAGED_BLOCK == 0)
        s->table[r * s->blocks + s->length[r] / PAGED_BLOCK] = s->list[--s->rest];
    s->length[r]++;
}

/* A request comes with a prompt, of a quarter to all of the length that it will reach. */
static inline void paged_arrive(struct paged *s, uint32_t r)
{
    const uint32_t most = s->size->most;
    s->wanted[r] = most / 4 + paged_draw(s, most - most / 4) + 1;
    const uint32_t prompt = s->wanted[r] / 4 + paged_draw(s, s->wanted[r] - s->wanted[r] / 4) + 1;
    for (uint32_t t = 0; t < prompt && t < s->wanted[r]; t++)
        paged_grow(s, r);
}

/* Each step every request grows by a token; those that have reached their lengths leave, others come. */
static inline void paged_serve(struct paged *s)
{
    const uint32_t n = s->size->requests;
    for (uint32_t r = 0; r < n; r++)
        paged_arrive(s, r);
    for (uint32_t step = 0; step < 2 * s->size->most; step++)
        for (uint32_t r = 0; r < n; r++) {
            if (s->length[r] < s->wanted[r]) {
                paged_grow(s, r);
                continue;
            }
            paged_evict(s, r);
            paged_arrive(s, r);
        }
}

static inline void paged_open(struct paged *s, const struct paged_size *size, uint64_t seed)
{
    *s = (struct paged){.size = size, .blocks = size->most / PAGED_BLOCK, .seed = seed};
    s->rest = size->requests * s->blocks;
    s->list = host_alloc(s->rest, sizeof *s->list);
    s->table = host_alloc(s->rest, sizeof *s->table);
    s->length = host_alloc(size->requests, sizeof *s->length);
    s->wanted = host_alloc(size->requests, sizeof *s->wanted);
    for (uint32_t b = 0; b < s->rest; b++)
        s->list[b] = s->rest - 1 - b;
    paged_serve(s);
}

static inline void paged_close(struct paged *s)
{
    free(s->wanted);
    free(s->length);
    free(s->table);
    free(s->list);
}

/* Where the cache has the numbers of a head for each of the request's tokens, in numbers. */
static inline void paged_places(const struct paged *s, uint32_t r, uint32_t head, size_t *at)
{
    for (uint32_t t = 0; t < s->length[r]; t++) {
        const size_t block = s->table[r * s->blocks + t / PAGED_BLOCK];
        at[t] = ((block * PAGED_BLOCK + t % PAGED_BLOCK) * s->size->heads + head) * PAGED_HEAD;
    }
}

#endif
