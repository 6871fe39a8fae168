/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the tags of a set with one tag, all at once where the processor can: without branches, because the
 * way that has the tag follows no pattern. */
#ifndef MP_ENGINE_MATCH_H
#define MP_ENGINE_MATCH_H

#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Bit i of the result: tag[i] is `wanted`. At most 64 tags. */
static inline uint64_t mp_match32(const uint32_t *tag, uint32_t count, uint32_t wanted)
{
    uint64_t found = 0;
    uint32_t i = 0;
#ifdef __AVX2__
    const __m256i all = _mm256_set1_epi32((int)wanted);
    for (; i + 8 <= count; i += 8) {
        __m256i same = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i_u *)(tag + i)), all);
        found |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)) << i;
    }
#endif
    for (; i < count; i++)
        found |= (uint64_t)(tag[i] == wanted) << i;
    return found;
}

static inline uint64_t mp_match64(const uint64_t *tag, uint32_t count, uint64_t wanted)
{
    uint64_t found = 0;
    uint32_t i = 0;
#ifdef __AVX2__
    const __m256i all = _mm256_set1_epi64x((long long)wanted);
    for (; i + 8 <= count; i += 8) {
        const __m256i_u *at = (const __m256i_u *)(tag + i);
        __m256i low = _mm256_cmpeq_epi64(_mm256_loadu_si256(at), all);
        __m256i high = _mm256_cmpeq_epi64(_mm256_loadu_si256(at + 1), all);
        uint32_t same = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
                        (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4;
        found |= (uint64_t)same << i;
    }
#endif
    for (; i < count; i++)
        found |= (uint64_t)(tag[i] == wanted) << i;
    return found;
}

/* Bit i of the result: value[i], of 16, is `wanted`. */
static inline uint32_t mp_match8(const uint8_t value[16], uint8_t wanted)
{
#ifdef __AVX2__
    const __m128i all = _mm_set1_epi8((char)wanted);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i_u *)value), all));
#else
    uint32_t found = 0;
    for (uint32_t i = 0; i < 16; i++)
        found |= (uint32_t)(value[i] == wanted) << i;
    return found;
#endif
}

/* Moves one tag of a set to its front, and those before it back by one. */
static inline void mp_to_front32(uint32_t *tag, uint32_t count, uint32_t way)
{
#ifdef __AVX2__
    static const uint8_t order[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 2, 3, 4, 5, 6, 7},
                                        {2, 0, 1, 3, 4, 5, 6, 7}, {3, 0, 1, 2, 4, 5, 6, 7},
                                        {4, 0, 1, 2, 3, 5, 6, 7}, {5, 0, 1, 2, 3, 4, 6, 7},
                                        {6, 0, 1, 2, 3, 4, 5, 7}, {7, 0, 1, 2, 3, 4, 5, 6}};
    if (count >= 8 && way < 8) {
        __m256i_u *first = (__m256i_u *)tag;
        __m256i from = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i_u *)order[way]));
        _mm256_storeu_si256(first, _mm256_permutevar8x32_epi32(_mm256_loadu_si256(first), from));
        return;
    }
#else
    (void)count;
#endif
    uint32_t front = tag[way];
    for (; way; way--)
        tag[way] = tag[way - 1];
    tag[0] = front;
}

#endif
