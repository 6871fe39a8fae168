/* SPDX-License-Identifier: Apache-2.0 */
#include "fakes.h"

#include "engine/lru.h"

/* The packed order against a plain list of ways, most recent first. */
static void against_a_list(uint32_t ways, struct rng *r)
{
    uint64_t order[8];
    uint32_t list[64], steps = 2000;
    assert_true(mp_lru_bytes(ways) <= sizeof order);
    memset(order, 0xff, sizeof order);
    mp_lru_init(order, ways);
    for (uint32_t w = 0; w < ways; w++)
        list[w] = w;
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t way = rng_below(r, ways), at = 0;
        assert_int_equal(mp_lru_oldest(order, ways), list[ways - 1]);
        while (list[at] != way)
            at++;
        if (rng_percent(r, 20)) {
            assert_int_equal(mp_lru_renew(order, ways), way = list[ways - 1]);
            memmove(list + 1, list, (ways - 1) * sizeof *list);
            list[0] = way;
        } else if (rng_percent(r, 75)) {
            memmove(list + 1, list, at * sizeof *list);
            list[0] = way;
            mp_lru_touch(order, ways, way);
        } else {
            memmove(list + at, list + at + 1, (ways - 1 - at) * sizeof *list);
            list[ways - 1] = way;
            mp_lru_forget(order, ways, way);
        }
    }
    for (uint32_t n = ways;
         n-- > 0;) { /* the whole order: the oldest goes to the front, one after the other */
        assert_int_equal(mp_lru_oldest(order, ways), list[n]);
        mp_lru_touch(order, ways, list[n]);
    }
    const uint8_t *bytes = (const uint8_t *)order;
    for (size_t i = mp_lru_bytes(ways); i < sizeof order; i++)
        assert_int_equal(bytes[i], 0xff); /* nothing behind the order is written */
}

static void every_number_of_ways(void **state)
{
    (void)state;
    struct rng r = rng_start("lru", 15);
    for (uint32_t ways = 1; ways <= 64; ways++)
        against_a_list(ways, &r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_number_of_ways)};
    return cmocka_run_group_tests_name("lru", tests, NULL, NULL);
}
