/* SPDX-License-Identifier: Apache-2.0 */
#include "fakes.h"

#include "engine/match.h"

/* Sets of every size, with few different tags, so that several match; what follows the set matches too. */
static void every_size_against_a_loop(void **state)
{
    (void)state;
    struct rng r = rng_start("match", 3);
    uint32_t narrow[65];
    uint64_t wide[65];
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t count = round % 64 + 1, tags = rng_between(&r, 1, 9), wanted = rng_below(&r, tags);
        uint64_t high = (uint64_t)rng_below(&r, 2) << 40, expected = 0, expected_wide = 0;
        for (uint32_t i = 0; i < count; i++) {
            narrow[i] = rng_below(&r, tags);
            wide[i] = narrow[i] | (uint64_t)rng_below(&r, 2) << 40;
            expected |= (uint64_t)(narrow[i] == wanted) << i;
            expected_wide |= (uint64_t)(wide[i] == (wanted | high)) << i;
        }
        narrow[count] = wanted;
        wide[count] = wanted | high;
        assert_int_equal(mp_match32(narrow, count, wanted), expected);
        assert_int_equal(mp_match64(wide, count, wanted | high), expected_wide);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_size_against_a_loop)};
    return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
