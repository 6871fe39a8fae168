/* SPDX-License-Identifier: Apache-2.0 */
/* Half the sub-entries, twice the sets or ways: each compared with the baseline's array of that geometry. */
#include "state.h"

#include "tlb/policy/subentry.h"

static const struct mp_tlb_geometry paper = {
    .sets = 128, .ways = 8, .sub_entries = 16, .latency = 40, .own = {{10}}};

static const struct {
    const struct mp_tlb_policy *policy;
    uint32_t more_sets, more_ways;
} halves[] = {
    {&mp_tlb_half_double_set, 2, 1}, {&mp_tlb_half_double_way, 1, 2}, {&mp_tlb_half_double_way_seq, 1, 2}};

#define HALVES (sizeof halves / sizeof *halves)

static void same_insertion(const struct inserted *a, const struct inserted *b)
{
    assert_string_equal(a->in.action, b->in.action);
    assert_int_equal(a->in.way, b->in.way);
    assert_int_equal(a->in.entry_evicted, b->in.entry_evicted);
    assert_int_equal(a->in.evicted_asid, b->in.evicted_asid);
    assert_int_equal(a->in.evicted_used, b->in.evicted_used);
    same_left(&a->left, &b->left);
}

/* Way of the tag in an array that answers the same. */
static bool late(const struct mp_tlb_policy *policy, const struct mp_subentry *same, uint16_t asid,
                 uint64_t vpn)
{
    int way = mp_subentry_way(same, asid, vpn);
    return policy == &mp_tlb_half_double_way_seq && (way < 0 || way >= (int)same->g.ways / 2);
}

static uint32_t hits, evictions, lates;

static void compare(unsigned which, const struct mp_tlb_geometry *g, struct rng *rng, uint32_t steps)
{
    const struct mp_tlb_policy *policy = halves[which].policy, *plain = &mp_tlb_subentry;
    struct mp_tlb_geometry half = *g;
    half.sub_entries /= 2;
    half.sets *= halves[which].more_sets;
    half.ways *= halves[which].more_ways;
    void *a = new_state(policy, g), *b = new_state(plain, &half);
    uint32_t pages = 3 * g->sets * g->ways * g->sub_entries;
    for (uint32_t step = 0; step < steps; step++) {
        uint16_t asid = (uint16_t)rng_below(rng, 3);
        uint64_t vpn = rng_below(rng, rng_percent(rng, 50) ? pages / 8 + 1 : pages),
                 pfn = rng_next(rng) >> 28;
        uint32_t what = rng_below(rng, 1000);
        if (what < 500) {
            bool slow = late(policy, b, asid, vpn);
            struct mp_tlb_hit other = plain->lookup(b, asid, vpn);
            bool found = is_there(policy, a, asid, vpn, other.pfn);
            assert_int_equal(found, other.found);
            assert_int_equal(policy->lookup(a, asid, vpn).cycles,
                             g->latency + (slow ? (uint32_t)g->own.v[0] : 0));
            hits += found;
            lates += slow && found;
        } else if (what < 950) {
            struct inserted mine = insert_page(policy, a, asid, vpn, pfn),
                            other = insert_page(plain, b, asid, vpn, pfn);
            same_insertion(&mine, &other);
            evictions += mine.in.entry_evicted;
        } else if (what < 997) {
            assert_int_equal(policy->invalidate_page(a, asid, vpn, NULL),
                             plain->invalidate_page(b, asid, vpn, NULL));
        } else if (what < 999) {
            assert_int_equal(policy->invalidate_asid(a, asid), plain->invalidate_asid(b, asid));
        } else {
            assert_int_equal(policy->invalidate_all(a), plain->invalidate_all(b));
        }
        if (step % 16 == 0)
            assert_int_equal(policy->occupancy(a, asid), plain->occupancy(b, asid));
    }
    free(a);
    free(b);
}

static void each_is_the_baseline_of_another_geometry(void **state)
{
    (void)state;
    struct rng rng = rng_start("half", 61);
    for (unsigned which = 0; which < HALVES; which++) {
        compare(which, &paper, &rng, 30000);
        for (uint32_t i = 0; i < 30; i++) {
            struct mp_tlb_geometry g = {.sets = rng_between(&rng, 1, 9),
                                        .ways = rng_between(&rng, 1, rng_percent(&rng, 20) ? 32 : 8),
                                        .sub_entries = 2u << rng_below(&rng, 4),
                                        .latency = rng_below(&rng, 50),
                                        .own = {{rng_below(&rng, 20)}}};
            compare(which, &g, &rng, 3000);
        }
    }
    assert_true(hits > 10000);
    assert_true(evictions > 10000);
    assert_true(lates > 1000);
}

/* Pages that share an entry in the baseline need two entries here; the number of entries per set is the
 * paper's.
 */
static void the_papers_numbers(void **state)
{
    (void)state;
    static const struct {
        uint32_t sets, ways;
    } want[] = {{256, 8}, {128, 16}, {128, 16}};
    for (unsigned which = 0; which < HALVES; which++) {
        const struct mp_tlb_policy *policy = halves[which].policy;
        void *tlb = new_state(policy, &paper);
        struct mp_tlb_insertion done = insert_page(policy, tlb, 0, 7, 1).in;
        assert_string_equal(done.action, "vacant");
        done = insert_page(policy, tlb, 0, 0, 2).in;
        assert_string_equal(done.action, "update"); /* 0 and 7 share an entry, */
        done = insert_page(policy, tlb, 0, 8, 3).in;
        assert_string_equal(done.action, "vacant"); /* 8 does not */
        for (uint32_t k = 1; k < want[which].ways; k++) {
            done = insert_page(policy, tlb, 0, (uint64_t)8 * want[which].sets * k, k).in;
            assert_string_equal(done.action, "vacant");
            assert_int_equal(done.way, k);
        }
        done = insert_page(policy, tlb, 1, (uint64_t)8 * want[which].sets * 50, 9).in;
        assert_string_equal(done.action, "evict");
        assert_int_equal(done.evicted_used, 2);
        assert_false(is_there(policy, tlb, 0, 7, 1));
        assert_true(is_there(policy, tlb, 0, 8, 3));
        free(tlb);
    }
}

static uint32_t cycles(void *tlb, uint64_t vpn)
{
    return mp_tlb_half_double_way_seq.lookup(tlb, 0, vpn).cycles;
}

static void two_batches_take_longer(void **state)
{
    (void)state;
    const struct mp_tlb_policy *policy = &mp_tlb_half_double_way_seq;
    const uint64_t next_tag = 8 * 128;
    void *tlb = new_state(policy, &paper);
    assert_int_equal(cycles(tlb, 0), 50); /* nowhere: both batches */
    for (uint32_t way = 0; way < 16; way++)
        assert_int_equal(insert_page(policy, tlb, 0, way * next_tag, way).in.way, way);
    for (uint32_t way = 0; way < 16; way++) {
        assert_int_equal(cycles(tlb, way * next_tag), way < 8 ? 40 : 50);
        assert_int_equal(cycles(tlb, way * next_tag + 1),
                         way < 8 ? 40 : 50); /* the tag, but not the sub-entry */
    }
    assert_int_equal(cycles(tlb, 16 * next_tag), 50);
    free(tlb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_the_baseline_of_another_geometry),
        cmocka_unit_test(the_papers_numbers),
        cmocka_unit_test(two_batches_take_longer),
    };
    return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
