/* SPDX-License-Identifier: Apache-2.0 */
#include "../engine/fakes.h"

#include "map/spread.h"

/* Each aligned group of `count` units covers all places once, wherever among 2^32 units it lies. */
static void a_group_covers_every_place_once(uint32_t group, uint32_t count)
{
    static bool seen[512];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = ~group, unit = group * count + i;
        uint32_t place = mp_spread(unit, count, &found);
        assert_true(place < count);
        if (seen[place])
            fail_msg("group %u of %u: place %u twice", group, count, place);
        seen[place] = true;
        assert_int_equal(found, group);
    }
}

static void spread_is_a_permutation_of_every_group(void **state)
{
    (void)state;
    struct rng r = rng_start("spread", 9);
    for (uint32_t count = 1; count <= 512; count += count < 130 ? 1 : 61) {
        uint32_t groups = UINT32_MAX / count;
        for (uint32_t group = 0; group < 64; group++) {
            a_group_covers_every_place_once(group, count);
            a_group_covers_every_place_once(groups - 1 - group, count);
            a_group_covers_every_place_once(rng_below(&r, groups), count);
        }
    }
}

/* The reason to hash at all: a stride of a power of two must not fall on one place. */
static void strides_spread(void **state)
{
    (void)state;
    for (uint32_t shift = 0; shift < 18; shift++) {
        static const uint32_t counts[] = {2, 3, 4, 8, 10, 16, 80};
        for (unsigned k = 0; k < sizeof counts / sizeof *counts; k++) {
            uint32_t count = counts[k], hits[80] = {0};
            for (uint32_t i = 0; i < 4096; i++) {
                uint32_t group;
                hits[mp_spread(i << shift, count, &group)]++;
            }
            for (uint32_t p = 0; p < count; p++)
                assert_true(hits[p] * count <= 4096 * 3 / 2);
        }
    }
}

static void a_channel_serves_256_bytes_together(void **state)
{
    (void)state;
    for (uint32_t channels = 1; channels <= 10; channels++)
        for (uint64_t pa = 0; pa < 1u << 18; pa += 32) {
            assert_int_equal(mp_spread_channel(pa, channels), mp_spread_channel(pa & ~255ull, channels));
            assert_true(mp_spread_channel(pa, channels) < channels);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_is_a_permutation_of_every_group),
        cmocka_unit_test(strides_spread),
        cmocka_unit_test(a_channel_serves_256_bytes_together),
    };
    return cmocka_run_group_tests_name("spread", tests, NULL, NULL);
}
