/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recency order of a set's ways, most recent first, packed four bits a way into 64-bit words: one word orders
 * up to 16 ways, so that a whole set with its tags fits a cache line. Sets of up to 64 ways take a byte a
 * way.
 */
#ifndef MP_ENGINE_LRU_H
#define MP_ENGINE_LRU_H

#include <stdint.h>
#include <string.h>

#define MP_LRU_WORD_WAYS 16u

/* Bytes that the order of `ways` ways takes. */
static inline uint32_t mp_lru_bytes(uint32_t ways)
{
    return ways <= MP_LRU_WORD_WAYS ? 8 : (ways + 7) / 8 * 8;
}

/* Way 0 is the most recent, the last way the least. */
static inline void mp_lru_init(void *order, uint32_t ways)
{
    const uint64_t ascending = 0xfedcba9876543210ull;
    if (ways <= MP_LRU_WORD_WAYS)
        memcpy(order, &ascending, 8);
    else
        for (uint32_t w = 0; w < ways; w++)
            ((uint8_t *)order)[w] = (uint8_t)w;
}

/* Position of a way's nibble: the lowest zero nibble of order XOR (way in every nibble). */
static inline uint32_t mp_lru_position(uint64_t order, uint32_t way)
{
    uint64_t x = order ^ way * 0x1111111111111111ull;
    uint64_t zero = (x - 0x1111111111111111ull) & ~x & 0x8888888888888888ull;
    return (uint32_t)__builtin_ctzll(zero) & ~3u; /* in bits */
}

static inline void mp_lru_touch(void *order, uint32_t ways, uint32_t way)
{
    if (ways <= MP_LRU_WORD_WAYS) {
        uint64_t word;
        memcpy(&word, order, 8);
        if ((word & 15) == way) /* as most are */
            return;
        uint32_t at = mp_lru_position(word, way);
        uint64_t younger = (1ull << at) - 1;
        uint64_t older = ~(younger << 4 | 15);
        word = (word & older) | (word & younger) << 4 | way;
        memcpy(order, &word, 8);
        return;
    }
    uint8_t *list = order;
    uint8_t *at = memchr(list, (int)way, ways);
    memmove(list + 1, list, (size_t)(at - list));
    list[0] = (uint8_t)way;
}

/* Makes a way the least recently used, as if it had never been touched. */
static inline void mp_lru_forget(void *order, uint32_t ways, uint32_t way)
{
    if (ways <= MP_LRU_WORD_WAYS) {
        uint64_t word;
        memcpy(&word, order, 8);
        uint32_t at = mp_lru_position(word, way), last = 4 * (ways - 1);
        uint64_t younger = (1ull << at) - 1;
        uint64_t upto_last = last == 60 ? ~0ull : (1ull << (last + 4)) - 1;
        uint64_t moved = (word & upto_last & ~(younger << 4 | 15)) >> 4;
        word = (word & ~upto_last) | (uint64_t)way << last | moved | (word & younger);
        memcpy(order, &word, 8);
        return;
    }
    uint8_t *list = order;
    uint8_t *at = memchr(list, (int)way, ways);
    memmove(at, at + 1, (size_t)(list + ways - 1 - at));
    list[ways - 1] = (uint8_t)way;
}

static inline uint32_t mp_lru_newest(const void *order, uint32_t ways)
{
    return *(const uint8_t *)order &
           (ways <= MP_LRU_WORD_WAYS ? 15 : 255); /* little-endian: the first nibble */
}

static inline uint32_t mp_lru_oldest(const void *order, uint32_t ways)
{
    if (ways <= MP_LRU_WORD_WAYS) {
        uint64_t word;
        memcpy(&word, order, 8);
        return (uint32_t)(word >> 4 * (ways - 1)) & 15;
    }
    return ((const uint8_t *)order)[ways - 1];
}

/* Makes the least recently used way the most recent, and returns it: cheaper than a touch of any way. */
static inline uint32_t mp_lru_renew(void *order, uint32_t ways)
{
    uint32_t way = mp_lru_oldest(order, ways);
    if (ways <= MP_LRU_WORD_WAYS) {
        uint64_t word;
        memcpy(&word, order, 8);
        uint64_t used = ~0ull >> (64 - 4 * ways);
        word = (word & ~used) | (word << 4 & used) | way;
        memcpy(order, &word, 8);
        return way;
    }
    mp_lru_touch(order, ways, way);
    return way;
}

/* How many ways were used more recently. */
static inline uint32_t mp_lru_rank(const void *order, uint32_t ways, uint32_t way)
{
    if (ways <= MP_LRU_WORD_WAYS) {
        uint64_t word;
        memcpy(&word, order, 8);
        return mp_lru_position(word, way) / 4;
    }
    return (uint32_t)((const uint8_t *)memchr(order, (int)way, ways) - (const uint8_t *)order);
}

#endif
