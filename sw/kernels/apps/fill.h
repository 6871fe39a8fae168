/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deterministic inputs: element i of a stream is a function of the seed and of i only.
 * The mixing function is SplitMix64's finaliser (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", OOPSLA 2014).
 */
#ifndef MP_KERNELS_FILL_H
#define MP_KERNELS_FILL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline uint64_t fill_random(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A small integer in [-limit, limit]; float sums of such integers are exact. */
static inline int fill_small(uint64_t seed, uint64_t index, int limit)
{
    return (int)((fill_random(seed, index) >> 33) % (unsigned)(2 * limit + 1)) - limit;
}

/* A value in [-1, 1), a multiple of 2^-23. */
static inline float fill_unit(uint64_t seed, uint64_t index)
{
    return (float)(fill_random(seed, index) >> 40) * 0x1p-23f - 1.0f;
}

/* Zeroed host memory of n elements. If memory runs out, the program ends, as in device_alloc. */
static inline void *host_alloc(size_t n, size_t bytes)
{
    void *p = calloc(n, bytes);
    if (!p)
        abort();
    return p;
}

#endif
