/* SPDX-License-Identifier: Apache-2.0 */
/* Address hashes: XOR folds, as GPUs use them so that strides of a power of two spread over banks and
 * channels. */
#ifndef MP_ENGINE_HASH_H
#define MP_ENGINE_HASH_H

#include <stdint.h>

/* All bits of `value` folded into its low 16 or so. */
static inline uint32_t mp_fold(uint64_t value)
{
    value ^= value >> 32;
    value ^= value >> 16;
    value ^= value >> 7;
    return (uint32_t)value;
}

/* Spreads consecutive units over `count` places: each aligned group of `count` units covers every place once,
 * in an order that differs from group to group. *group tells the group. Any count will do. */
static inline uint32_t mp_spread(uint64_t unit, uint32_t count, uint64_t *group)
{
    if (count == 1) {
        *group = unit;
        return 0;
    }
    uint64_t g = unit / count;
    *group = g;
    uint32_t place = (uint32_t)(unit - g * count) + mp_fold(g) % count; /* below 2 * count: no wrap */
    return place < count ? place : place - count;
}

/* DRAM channel of a physical address: 256 bytes go to one channel together. */
static inline uint32_t mp_channel(uint64_t pa, uint32_t channels)
{
    uint64_t group;
    return mp_spread(pa >> 8, channels, &group);
}

#endif
