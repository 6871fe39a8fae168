/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default address map: XOR folds and a multiplicative hash, which spread strides of a power of two over
 * banks, sets and channels, for any number of banks and channels.
 */
#ifndef MP_MAP_SPREAD_H
#define MP_MAP_SPREAD_H

#include <stdint.h>

/* A line's place in a cache. `set` counts the sets of all banks: it is below banks * sets. */
struct mp_map_place {
    uint32_t bank, set;
};

/* An address's place in its channel. */
struct mp_map_row {
    uint64_t row;
    uint32_t bank;
};

/* Folds all bits of `value` into its low 16. */
static inline uint32_t mp_fold(uint64_t value)
{
    value ^= value >> 32;
    value ^= value >> 16;
    value ^= value >> 7;
    return (uint32_t)value;
}

/* The rotation of a group's units, below `count`: the high bits of a product with 2^32 / golden ratio, so
 * that no stride of a power of two falls on a few places. */
static inline uint32_t mp_turn(uint32_t group, uint32_t count)
{
    return (uint32_t)((uint64_t)(group * 0x9e3779b9u) * count >> 32);
}

/* Spreads consecutive units over `count` places: each aligned group of `count` units covers every place once,
 * in an order that differs from group to group. *group receives the number of the group. Any count is
 * allowed. */
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

/* One of any number of sets; most often a power of two, which needs no division. */
static inline uint32_t mp_set_of(uint32_t number, uint32_t sets)
{
    return sets & (sets - 1) ? number % sets : number & (sets - 1);
}

/* sets: a power of two; mp_map_spread_any takes any number. */
static inline struct mp_map_place mp_spread_place(uint32_t line, uint32_t banks, uint32_t sets)
{
    uint32_t group, bank = mp_spread(line, banks, &group);
    const struct mp_map_place place = {bank, bank * sets + (mp_fold(group) & (sets - 1))};
    return place;
}

/* 256 bytes go to one channel together. */
static inline uint32_t mp_spread_channel(uint64_t pa, uint32_t channels)
{
    uint32_t group;
    return mp_spread((uint32_t)(pa >> 8), channels, &group);
}

/* A row holds what a channel gets of row_bytes * channels consecutive bytes. */
static inline struct mp_map_row mp_spread_row(uint64_t pa, uint32_t channels, uint32_t banks,
                                              uint32_t row_bytes)
{
    uint64_t row = pa / ((uint64_t)row_bytes * channels);
    const struct mp_map_row at = {row, mp_fold(row) % banks};
    return at;
}

#endif
