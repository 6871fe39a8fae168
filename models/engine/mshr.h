/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Miss status holding registers: the keys (pages or lines) that are being fetched, and the requests that wait
 * for each. Both entries and waiting requests per entry are limited.
 *
 * An entry takes half a line of the host's cache, because a GPU has 20,000 of them, which answers touch in no
 * order. So the request to the level below is not in it: a cache hands down the first of the requests that
 * wait, a TLB has a separate array.
 */
#ifndef MP_ENGINE_MSHR_H
#define MP_ENGINE_MSHR_H

#include <stdint.h>

#include "engine/link.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MSHR_BANK_BITS 11

struct mp_mshr {
    uint64_t key;
    struct mp_req *last; /* of those that wait, in a ring: its `next` is the first; NULL: none */
    union {
        uint64_t since; /* of a TLB: cycle of the miss */
        void *owner;    /* of a cache: with port and op, what the request that went down gets back */
    };
    uint16_t chain;  /* next entry of the hash chain or of the free list, +1 */
    uint16_t length; /* of the ring */
    union {
        uint16_t port; /* of a cache */
        uint16_t
            stale_from; /* of a TLB: an answer is stale if its page has 2^stale_from bytes or more. 0: none */
    };
    uint16_t bank : MP_MSHR_BANK_BITS, op : 3; /* bank: of a cache */
    uint16_t dirty : 1;                        /* of a cache: an atomic waits */
    uint16_t stale : 1; /* of a TLB: invalidated meanwhile, so the answer is not used, but asked for again */
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

static inline bool mp_mshr_full(const struct mp_mshr_file *file)
{
    return !file->spare;
}

static inline void mp_mshr_empty(struct mp_mshr *m)
{
    m->last = NULL;
    m->length = 0;
}

/* NULL if the file is full. The key must not be in it. */
static inline struct mp_mshr *mp_mshr_take(struct mp_mshr_file *file, uint64_t key)
{
    uint16_t index = file->spare;
    if (!index)
        return NULL;
    struct mp_mshr *m = &file->entry[index - 1];
    uint16_t *bucket = &file->bucket[mp_mix(key) & file->mask];
    file->spare = m->chain;
    m->key = key;
    m->chain = *bucket;
    mp_mshr_empty(m);
    *bucket = index;
    file->used++;
    return m;
}

static inline void mp_mshr_release(struct mp_mshr_file *file, struct mp_mshr *m)
{
    uint16_t index = (uint16_t)(m - file->entry + 1);
    uint16_t *link = &file->bucket[mp_mix(m->key) & file->mask];
    while (*link != index)
        link = &file->entry[*link - 1].chain;
    *link = m->chain;
    m->chain = file->spare;
    file->spare = index;
    file->used--;
}

static inline void mp_mshr_wait(struct mp_mshr *m, struct mp_req *req)
{
    if (m->last) {
        req->next = m->last->next;
        m->last->next = req;
    } else {
        req->next = req;
    }
    m->last = req;
    m->length++;
}

/* The requests that wait, as a list through `next` in order of arrival. NULL: there are none. None may be
 * added before mp_mshr_release() or mp_mshr_empty(). */
static inline struct mp_req *mp_mshr_list(struct mp_mshr *m)
{
    struct mp_req *last = m->last;
    if (!last)
        return NULL;
    struct mp_req *first = last->next;
    last->next = NULL;
    return first;
}

#ifdef __cplusplus
}
#endif
#endif
