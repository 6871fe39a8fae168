/* SPDX-License-Identifier: Apache-2.0 */
#include "../engine/fakes.h"

#include "engine/metric.h"
#include "tlb/reuse.h"

/* The naive way: a list of keys, most recent first; the distance is the place in it. */
struct stack {
    uint64_t *key;
    uint32_t length;
};

static uint64_t stack_touch(struct stack *s, uint64_t key)
{
    uint32_t i = 0;
    while (i < s->length && s->key[i] != key)
        i++;
    uint64_t distance = i < s->length ? i : MP_REUSE_NONE;
    if (i == s->length)
        s->length++;
    memmove(s->key + 1, s->key, i * sizeof *s->key);
    s->key[0] = key;
    return distance;
}

/* Skewed towards low numbers, so that all distances occur. */
static uint64_t skewed(struct rng *r, uint32_t keys)
{
    return rng_below(r, rng_below(r, keys) + 1);
}

static void exact_when_all_are_followed(uint32_t keys, uint32_t touches, struct rng *rng)
{
    struct stack s = {.key = malloc(keys * sizeof *s.key)};
    struct mp_reuse *r = mp_reuse_new(1);
    assert_non_null(s.key);
    assert_non_null(r);
    for (uint32_t i = 0; i < touches; i++) {
        uint64_t key = skewed(rng, keys) * 0x123456789abull;
        assert_int_equal(mp_reuse_touch(r, key), stack_touch(&s, key));
    }
    mp_reuse_free(r);
    free(s.key);
}

static void sample_of_one(void **state)
{
    (void)state;
    struct rng rng = rng_start("reuse", 41);
    exact_when_all_are_followed(1, 10000, &rng);    /* the time line is compacted without growing */
    exact_when_all_are_followed(2047, 40000, &rng); /* half of the time line in use */
    exact_when_all_are_followed(2500, 30000, &rng);
    exact_when_all_are_followed(9000, 30000, &rng); /* both tables grow */
}

static void a_cycle_over_all_keys(void **state)
{
    (void)state;
    struct mp_reuse *r = mp_reuse_new(1);
    assert_non_null(r);
    for (uint64_t i = 0; i < 200000; i++)
        assert_int_equal(mp_reuse_touch(r, i % 20000), i < 20000 ? MP_REUSE_NONE : 19999);
    mp_reuse_free(r);
}

/* Mean and distribution of one touch in eight, scaled, against those of all touches. The keys are numbered
 * anew each time, so that another eighth is drawn: an error that remains is a bias. */
static void a_sample_is_unbiased(void **state)
{
    (void)state;
    enum { KEYS = 4000, TOUCHES = 60000, DRAWS = 32 };
    struct rng rng = rng_start("reuse sample", 43);
    uint64_t all[MP_LOG2_BINS] = {0}, some[MP_LOG2_BINS] = {0};
    double all_sum = 0, some_sum = 0, all_count = 0, some_count = 0;
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        struct mp_reuse *every = mp_reuse_new(1), *eighth = mp_reuse_new(8);
        assert_non_null(every);
        assert_non_null(eighth);
        uint64_t salt = (uint64_t)rng_below(&rng, 4) << 48 | rng_next(&rng) >> 30;
        for (uint32_t i = 0; i < TOUCHES; i++) {
            uint64_t key = salt + skewed(&rng, KEYS); /* neighbouring pages of one address space */
            uint64_t exact = mp_reuse_touch(every, key), scaled = mp_reuse_touch(eighth, key);
            if (exact != MP_REUSE_NONE) {
                mp_log2_add(all, exact);
                all_sum += (double)exact;
                all_count++;
            }
            if (scaled != MP_REUSE_NONE) {
                assert_int_equal(scaled % 8, 0);
                mp_log2_add(some, scaled);
                some_sum += (double)scaled;
                some_count++;
            }
        }
        mp_reuse_free(every);
        mp_reuse_free(eighth);
    }
    double share = some_count / all_count, mean = (some_sum / some_count) / (all_sum / all_count);
    print_message("share %.4f (1/8 is 0.1250), mean of the sample %.4f of the exact one\n", share, mean);
    assert_true(share > 0.125 * 0.95 && share < 0.125 * 1.05);
    assert_true(mean > 0.95 && mean < 1.05);
    double all_below = 0, some_below = 0;
    for (unsigned bin = 0; bin < MP_LOG2_BINS; bin++) {
        all_below += (double)all[bin] / all_count;
        some_below += (double)some[bin] / some_count;
        if (bin >= 6) /* from 64 on: eight times the grain of the sample */
            assert_true(all_below - some_below < 0.02 && some_below - all_below < 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_of_one),
        cmocka_unit_test(a_cycle_over_all_keys),
        cmocka_unit_test(a_sample_is_unbiased),
    };
    return cmocka_run_group_tests_name("reuse", tests, NULL, NULL);
}
