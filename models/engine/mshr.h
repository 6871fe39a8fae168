/* SPDX-License-Identifier: Apache-2.0 */
/* Miss status holding registers: the keys (pages or lines) that are being fetched, the requests that wait for
 * each, and the request that fetches it. Both entries and waiting requests per entry are limited. */
#ifndef MP_ENGINE_MSHR_H
#define MP_ENGINE_MSHR_H

#include <stdalign.h>
#include <stdint.h>

#include "engine/link.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_mshr { /* a lookup reads the first cache line only */
    alignas(64) uint64_t key;
    struct mp_req_queue waiting;
    uint64_t since; /* cycle of the miss */
    void *set;      /* of a cache: the line's set; and its bank */
    uint16_t bank;
    uint16_t chain;                 /* next entry of the hash chain or of the free list, +1 */
    bool write;                     /* an atomic waits: the line will be dirty */
    bool stale;                     /* invalidated meanwhile: the answer is not used, but asked for again */
    alignas(64) struct mp_req down; /* the request to the next level; its owner is this entry */
};

#define MP_MSHR_MOST 65534u /* chains number the entries from 1 in 16 bits */

struct mp_mshr_file {
    struct mp_mshr *entry;
    uint16_t *bucket; /* first entry of each chain, +1; 0 is none */
    uint32_t mask;    /* of buckets */
    uint32_t capacity, used, merges;
    uint16_t spare;
};

/* -1: more than MP_MSHR_MOST entries, or out of memory. */
int mp_mshr_init(struct mp_mshr_file *file, uint32_t entries, uint32_t merges);
void mp_mshr_free(struct mp_mshr_file *file);

/* NULL if the file is full. The key must not be in it. */
struct mp_mshr *mp_mshr_take(struct mp_mshr_file *file, uint64_t key);
void mp_mshr_release(struct mp_mshr_file *file, struct mp_mshr *entry);

static inline uint64_t mp_mix(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15ull; /* 2^64 / golden ratio: neighbouring keys land far apart */
    return key ^ key >> 32;
}

static inline struct mp_mshr *mp_mshr_find(const struct mp_mshr_file *file, uint64_t key)
{
    for (uint16_t i = file->bucket[mp_mix(key) & file->mask]; i; i = file->entry[i - 1].chain)
        if (file->entry[i - 1].key == key)
            return &file->entry[i - 1];
    return NULL;
}

#ifdef __cplusplus
}
#endif
#endif
