/* SPDX-License-Identifier: Apache-2.0 */
#include "../engine/fakes.h"

#include "sm/scheduler.h"

static unsigned oldest(uint64_t ready, const uint64_t *age)
{
    int best = -1;
    for (int slot = 0; slot < 64; slot++)
        if (ready >> slot & 1 && (best < 0 || age[slot] < age[best]))
            best = slot;
    return (unsigned)best;
}

/* Draws ages, all different as on an SM, and returns a set of ready warps, which is sometimes small. */
static uint64_t draw(struct rng *r, uint64_t *age)
{
    for (uint64_t i = 0; i < 64; i++)
        age[i] = i;
    for (uint32_t i = 63; i; i--) {
        uint32_t k = rng_below(r, i + 1);
        uint64_t other = age[k];
        age[k] = age[i];
        age[i] = other;
    }
    uint64_t ready = rng_next(r);
    while (!ready || rng_percent(r, 40))
        ready = ready ? ready & rng_next(r) : 1ull << rng_below(r, 64);
    return ready;
}

static void gto_keeps_the_warp_then_takes_the_oldest(void **state)
{
    (void)state;
    const struct mp_warp_scheduler *gto = mp_warp_scheduler_find("gto");
    struct rng r = rng_start("gto", 121);
    uint64_t age[64];
    assert_non_null(gto);
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t ready = draw(&r, age);
        unsigned last = rng_below(&r, 64);
        assert_int_equal(mp_oldest_warp(ready, age), oldest(ready, age));
        bool same = rng_below(&r, 2);
        assert_int_equal(gto->pick(ready, age, last, same),
                         same && ready >> last & 1 ? last : oldest(ready, age));
    }
    assert_false(gto->takes_turns);
}

static void lrr_takes_the_next_one(void **state)
{
    (void)state;
    const struct mp_warp_scheduler *lrr = mp_warp_scheduler_find("lrr");
    struct rng r = rng_start("lrr", 122);
    uint64_t age[64];
    assert_non_null(lrr);
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t ready = draw(&r, age);
        unsigned last = rng_below(&r, 64), next = last;
        do
            next = (next + 1) % 64;
        while (!(ready >> next & 1));
        assert_int_equal(lrr->pick(ready, age, last, true), next);
    }
    assert_true(lrr->takes_turns);
    assert_null(mp_warp_scheduler_find("fifo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gto_keeps_the_warp_then_takes_the_oldest),
        cmocka_unit_test(lrr_takes_the_next_one),
    };
    return cmocka_run_group_tests_name("warp schedulers", tests, NULL, NULL);
}
