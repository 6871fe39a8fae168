/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include <stdlib.h>

/* Quadrant probabilities in 1/65536: a = 0.57, a + b = 0.76, a + b + c = 0.95 (Graph500). */
enum { BITS = 16, UP_TO_A = 37356, UP_TO_B = 49807, UP_TO_C = 62259, MAX_SCALE = 28 };

static uint64_t next_random(uint64_t *state) /* SplitMix64 */
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A permutation of [0, 2^scale): multiplications by odd numbers and xors with a right shift are one-to-one.
 */
static uint32_t scramble(uint32_t v, uint32_t scale, uint64_t key)
{
    const uint32_t mask = (uint32_t)((UINT64_C(1) << scale) - 1), shift = (scale + 1) / 2;
    for (unsigned round = 0; round < 3; round++) {
        v = (v * ((uint32_t)(key >> (16 * round)) | 1u) + (uint32_t)key) & mask;
        v ^= v >> shift;
        v = (v * UINT32_C(0x9e3779b1)) & mask;
    }
    return v;
}

static void draw(uint32_t *source, uint32_t *target, uint32_t scale, uint64_t *state)
{
    uint64_t random = 0;
    *source = *target = 0;
    for (uint32_t level = 0; level < scale; level++) {
        if (level % (64 / BITS) == 0)
            random = next_random(state);
        const uint32_t r = random & ((1u << BITS) - 1);
        random >>= BITS;
        const uint32_t lower = r >= UP_TO_B, right = (r >= UP_TO_A && r < UP_TO_B) || r >= UP_TO_C;
        *source = *source << 1 | lower;
        *target = *target << 1 | right;
    }
}

int graph_generate(struct graph *g, const struct graph_rmat *r, uint64_t seed, struct mp_error *err)
{
    const uint64_t drawn = ((uint64_t)r->degree << (r->scale < 32 ? r->scale : 32)) >> r->half,
                   arcs = drawn * (1 + r->both_ways);
    if (r->scale > MAX_SCALE || r->degree == 0 || arcs > GRAPH_MAX_ARCS)
        return mp_fail(err, "R-MAT graph: scale %u, degree %u; scale up to %d and up to %u arcs are allowed",
                       r->scale, r->degree, MAX_SCALE, GRAPH_MAX_ARCS);
    uint32_t *source = malloc(arcs * sizeof *source), *target = malloc(arcs * sizeof *target);
    if (!source || !target) {
        free(source);
        free(target);
        return mp_fail(err, "R-MAT graph: out of memory for %llu arcs; a smaller scale is needed",
                       (unsigned long long)arcs);
    }
    uint64_t state = seed;
    const uint64_t key = next_random(&state);
    for (uint64_t i = 0; i < drawn; i++) {
        uint32_t from, to;
        draw(&from, &to, r->scale, &state);
        source[i] = scramble(from, r->scale, key);
        target[i] = scramble(to, r->scale, key);
        if (r->both_ways) {
            source[drawn + i] = target[i];
            target[drawn + i] = source[i];
        }
    }
    graph_build(g, UINT32_C(1) << r->scale, (uint32_t)arcs, source, target);
    return 0;
}
