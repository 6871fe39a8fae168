/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of accesses by granule: what they count, what they forget, and that they are found after others
 * left. */
#include "../engine/fakes.h"

#include "soc/access_counters.h"

#define BIG 65536ull
#define TWO 2097152ull

static struct mp_access_counters c;

static int teardown(void **state)
{
    (void)state;
    mp_access_counters_free(&c);
    return 0;
}

static void counts_by_granule(void **state)
{
    (void)state;
    assert_int_equal(mp_access_counters_init(&c, 64), 0);
    struct mp_access_counter *a = mp_access_count(&c, 3, 5 * TWO + 7, TWO);
    assert_int_equal(a->count, 1);
    assert_int_equal(a->met, 1);
    assert_false(a->noticed);
    a = mp_access_count(&c, 3, 6 * TWO - 1, TWO);
    assert_int_equal(a->count, 2);
    assert_int_equal(a->met, 0x80000001);
    assert_int_equal(mp_access_count(&c, 3, 6 * TWO, TWO)->count, 1);
    assert_int_equal(mp_access_count(&c, 2, 6 * TWO - 1, TWO)->count, 1); /* of another space */
    a = mp_access_count(&c, 4, 5 * TWO + 3 * BIG, BIG);
    assert_int_equal(a->met, 8);
    a = mp_access_count(&c, 4, 5 * TWO + 4 * BIG - 1, BIG);
    assert_int_equal(a->count, 2);
    assert_int_equal(a->met, 8);
    assert_int_equal(mp_access_count(&c, 4, 5 * TWO + 4 * BIG, BIG)->count, 1);
    a = mp_access_count(&c, 7, (1ull << 57) - 1, BIG);
    assert_int_equal(a->met, 0x80000000);
}

static void saturates(void **state)
{
    (void)state;
    assert_int_equal(mp_access_counters_init(&c, 1), 0);
    for (unsigned i = 1; i < 70000; i++)
        assert_int_equal(mp_access_count(&c, 0, 0, TWO)->count, i < 65535 ? i : 65535);
}

static void counters_run_out(void **state)
{
    (void)state;
    assert_int_equal(mp_access_counters_init(&c, 16), 0);
    for (unsigned i = 0; i < 16; i++)
        assert_non_null(mp_access_count(&c, 0, i * BIG, BIG));
    assert_null(mp_access_count(&c, 0, 16 * BIG, BIG));
    assert_int_equal(mp_access_count(&c, 0, 3 * BIG, BIG)->count, 2);
    mp_access_clear(&c, 0, 16 * BIG, BIG); /* has none */
    assert_null(mp_access_count(&c, 0, 16 * BIG, BIG));
    mp_access_clear(&c, 0, 3 * BIG, BIG);
    assert_int_equal(mp_access_count(&c, 0, 16 * BIG, BIG)->count, 1);
    mp_access_clear_all(&c, 0);
    assert_int_equal(c.used, 0);
}

/* --- random ------------------------------------------------------------------------------------------ */

enum { SPACES = 8, GRANULES = 40, COUNTERS = 64 };

static struct {
    unsigned count, met;
    bool noticed;
} model[SPACES][GRANULES];

static unsigned used(void)
{
    unsigned n = 0;
    for (unsigned a = 0; a < SPACES; a++)
        for (unsigned g = 0; g < GRANULES; g++)
            n += model[a][g].count > 0;
    return n;
}

/* Even spaces have granules of 64 KB, far apart. */
static uint64_t bytes_of(unsigned asid)
{
    return asid % 2 ? TWO : BIG;
}

static uint64_t address_of(struct rng *r, unsigned asid, unsigned granule)
{
    return granule * 977ull * bytes_of(asid) + rng_below(r, (uint32_t)bytes_of(asid));
}

static void access_one(struct rng *r, unsigned asid, unsigned granule)
{
    const uint64_t va = address_of(r, asid, granule);
    const bool counts = model[asid][granule].count || used() < COUNTERS;
    struct mp_access_counter *a = mp_access_count(&c, asid, va, bytes_of(asid));
    assert_int_equal(a != NULL, counts);
    if (!a)
        return;
    model[asid][granule].count++;
    model[asid][granule].met |= 1u << va / BIG % 32;
    assert_int_equal(a->count, model[asid][granule].count);
    assert_int_equal(a->met, model[asid][granule].met);
    assert_int_equal(a->noticed, model[asid][granule].noticed);
    a->noticed = model[asid][granule].noticed = rng_percent(r, 20);
}

static void at_random(void **state)
{
    struct rng r = rng_start("access counters", 1);
    (void)state;
    memset(model, 0, sizeof model);
    assert_int_equal(mp_access_counters_init(&c, COUNTERS), 0);
    for (unsigned i = 0; i < 200000; i++) {
        const unsigned asid = rng_below(&r, SPACES), granule = rng_below(&r, GRANULES),
                       what = rng_below(&r, 1000);
        if (what < 650) {
            access_one(&r, asid, granule);
        } else if (what < 995) {
            mp_access_clear(&c, asid, address_of(&r, asid, granule), bytes_of(asid));
            memset(&model[asid][granule], 0, sizeof model[asid][granule]);
        } else {
            mp_access_clear_all(&c, asid);
            memset(model[asid], 0, sizeof model[asid]);
        }
        assert_int_equal(c.used, used());
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
    const struct CMUnitTest tests[] = {TEST(counts_by_granule), TEST(saturates), TEST(counters_run_out),
                                       TEST(at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
