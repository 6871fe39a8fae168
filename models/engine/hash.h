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

/* How far a group's units are turned round: the high bits of a product with 2^32 / golden ratio, scaled to
 * [0, count), which keeps any stride of a power of two from falling on a few places. */
static inline uint32_t mp_turn(uint32_t group, uint32_t count)
{
    return (uint32_t)((uint64_t)(group * 0x9e3779b9u) * count >> 32);
}

/* Spreads consecutive units over `count` places: each aligned group of `count` units covers every place once,
 * in an order that differs from group to group. *group tells the group. Any count will do; units have 32
 * bits. */
static inline uint32_t mp_spread(uint32_t unit, uint32_t count, uint32_t *group)
{
    if (count == 1) {
        *group = unit;
        return 0;
    }
    uint32_t g = unit / count, place = unit - g * count + mp_turn(g, count);
    *group = g;
    return place < count ? place : place - count;
}

/* The unit that mp_spread puts there. */
static inline uint32_t mp_unspread(uint32_t group, uint32_t count, uint32_t place)
{
    uint32_t turn = count == 1 ? 0 : mp_turn(group, count);
    return group * count + (place >= turn ? place - turn : place + count - turn);
}

/* DRAM channel of a physical address: 256 bytes go to one channel together. */
static inline uint32_t mp_channel(uint64_t pa, uint32_t channels)
{
    uint32_t group;
    return mp_spread((uint32_t)(pa >> 8), channels, &group);
}

#endif
