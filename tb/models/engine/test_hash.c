/* SPDX-License-Identifier: Apache-2.0 */
#include "fakes.h"

#include "engine/hash.h"
#include "engine/metric.h"

/* Each aligned group of `count` units covers all places once, wherever in a 64-bit address space it lies. */
static void a_group_covers_every_place_once(uint64_t group, uint32_t count)
{
    static bool seen[512];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t told = 0;
        uint32_t place = mp_spread(group * count + i, count, &told);
        assert_true(place < count);
        if (seen[place])
            fail_msg("group %#llx of %u: place %u twice", (unsigned long long)group, count, place);
        seen[place] = true;
        assert_int_equal(told, group);
    }
}

static void spread_is_a_permutation_of_every_group(void **state)
{
    (void)state;
    struct rng r = rng_start("spread", 9);
    for (uint32_t count = 1; count <= 512; count += count < 130 ? 1 : 61) {
        for (uint64_t group = 0; group < 64; group++)
            a_group_covers_every_place_once(group, count);
        for (uint32_t i = 0; i < 64; i++) {
            a_group_covers_every_place_once(rng_next(&r) >> 10 >> rng_below(&r, 40), count);
            /* a fold near 2^32, where a sum in 32 bits would wrap */
            uint64_t near = 0xffffffffu - rng_below(&r, 600);
            near ^= near >> 16;
            near ^= near >> 7 ^ near >> 14 ^ near >> 21 ^ near >> 28;
            a_group_covers_every_place_once(near & 0xffffffffu, count);
        }
    }
}

/* The reason to hash at all: a stride of a power of two must not fall on one place. */
static void strides_spread(void **state)
{
    (void)state;
    for (uint32_t shift = 0; shift < 16; shift++) {
        uint32_t hits[16] = {0}, most = 0;
        for (uint64_t i = 0; i < 4096; i++) {
            uint64_t group;
            hits[mp_spread(i << shift, 16, &group)]++;
        }
        for (uint32_t p = 0; p < 16; p++)
            most = hits[p] > most ? hits[p] : most;
        assert_true(most <= 2 * 4096 / 16);
    }
}

static void a_channel_serves_256_bytes_together(void **state)
{
    (void)state;
    for (uint32_t channels = 1; channels <= 10; channels++)
        for (uint64_t pa = 0; pa < 1u << 18; pa += 32) {
            assert_int_equal(mp_channel(pa, channels), mp_channel(pa & ~255ull, channels));
            assert_true(mp_channel(pa, channels) < channels);
        }
}

static void log2_bins(void **state)
{
    (void)state;
    uint64_t bins[MP_LOG2_BINS] = {0};
    mp_log2_add(bins, 0);
    assert_int_equal(bins[0], 1);
    for (unsigned k = 1; k < MP_LOG2_BINS - 1; k++) {
        mp_log2_add(bins, 1ull << (k - 1));
        mp_log2_add(bins, (1ull << k) - 1);
        assert_int_equal(bins[k], 2);
    }
    mp_log2_add(bins, UINT64_MAX);
    assert_int_equal(bins[MP_LOG2_BINS - 1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_is_a_permutation_of_every_group),
        cmocka_unit_test(strides_spread),
        cmocka_unit_test(a_channel_serves_256_bytes_together),
        cmocka_unit_test(log2_bins),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
