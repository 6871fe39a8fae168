/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of the files X_random.c: splitmix64, which any seed starts. */
#ifndef MP_RTL_RANDOM_H
#define MP_RTL_RANDOM_H

#include <stdint.h>

static inline uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number below the bound, which is not 0. */
static inline uint32_t below(uint64_t *random, uint32_t bound)
{
    return (uint32_t)((draw(random) >> 32) * bound >> 32);
}

#endif
