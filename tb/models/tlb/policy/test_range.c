/* SPDX-License-Identifier: Apache-2.0 */
/* The array of ranges and its policies, with several address spaces: what the array shows, what an insertion
 * removes, and large associativities. The rules of designs are tested by tb/platform/cli/replay. */
#include "../../engine/fakes.h"

#include "tlb/policy/range.h"

static const struct mp_tlb_policy *policy;
static void *array;
static struct mp_tlb_geometry g;

static int end(void **state)
{
    (void)state;
    free(array);
    array = NULL;
    return 0;
}

static void begin(const struct mp_tlb_policy *p, uint32_t sets, uint32_t ways, uint32_t sub_ways)
{
    struct mp_error err = {""};
    end(NULL);
    policy = p;
    g = (struct mp_tlb_geometry){
        .sets = sets, .ways = ways, .sub_entries = 1, .latency = 20, .own = {{sub_ways}}, .tenants = 1};
    if (!p->design.params)
        g.own = mp_design_defaults(&p->design);
    if (mp_tlb_check(p, &g, &err))
        fail_msg("%s", err.text);
    array = mp_tlb_state(p, &g);
}

static struct mp_tlb_left left;

static const char *insert(uint16_t asid, uint64_t vpn, uint64_t pfn, struct mp_span span)
{
    left.count = left.pages = 0;
    return policy->insert(array, asid, vpn, (struct mp_translation){pfn, span}, &left).action;
}

static void hits(uint16_t asid, uint64_t vpn, uint64_t pfn, uint32_t cycles)
{
    struct mp_tlb_hit hit = policy->lookup(array, asid, vpn);
    assert_true(hit.found);
    assert_int_equal(hit.pfn, pfn);
    assert_int_equal(hit.cycles, cycles);
}

static void misses(uint16_t asid, uint64_t vpn, uint32_t cycles)
{
    struct mp_tlb_hit hit = policy->lookup(array, asid, vpn);
    assert_false(hit.found);
    assert_int_equal(hit.cycles, cycles);
}

static const struct mp_span one = {.unit = 0};

static void an_entry_that_covers_the_new_one_is_kept(void **state)
{
    (void)state;
    begin(&mp_tlb_mesc, 1, 3, 3);
    insert(1, 64, 1064, (struct mp_span){.unit = 6, .before = 1, .after = 2}); /* pages 0 to 255 */
    insert(1, 512, 7, one);
    insert(1, 513, 9, one);
    assert_int_equal(policy->rank(array, 0, 0), 2);
    assert_string_equal(insert(1, 128, 1128, (struct mp_span){.unit = 6}), "update");
    assert_int_equal(left.count, 0);
    assert_int_equal(policy->rank(array, 0, 0), 0); /* it became the most recent one */
    assert_string_equal(insert(1, 513, 9, one), "update");
    assert_int_equal(left.count, 0);
    hits(1, 0, 1000, 20);
    hits(1, 255, 1255, 20);
    misses(1, 256, 21);
    assert_string_equal(insert(1, 514, 11, one), "evict"); /* page 512's entry is the oldest */
    assert_int_equal(left.run[0].vpn, 512);
}

static void what_left_is_listed(void **state)
{
    (void)state;
    begin(&mp_tlb_mesc, 1, 4, 4);
    for (uint64_t r = 0; r < 3; r++)
        insert(3, r * 64, 100 + r * 64, (struct mp_span){.unit = 6});
    insert(4, 64, 164, (struct mp_span){.unit = 6}); /* of another address space */
    assert_string_equal(insert(3, 70, 170, (struct mp_span){.unit = 6, .before = 1, .after = 6}), "vacant");
    assert_int_equal(left.count, 3);
    assert_int_equal(left.pages, 192);
    assert_int_equal(left.run[2].vpn, 128);
    assert_int_equal(left.run[2].unit, 6);
    assert_int_equal(policy->occupancy(array, 3), 512);
    assert_int_equal(policy->occupancy(array, 4), 64);
    left.count = left.pages = 0;
    assert_int_equal(policy->invalidate_page(array, 3, 511, &left), 512);
    assert_int_equal(left.count, 1);
    assert_int_equal(left.run[0].blocks, 0xff);
    assert_int_equal(policy->invalidate_page(array, 3, 511, &left), 0);
    assert_int_equal(policy->invalidate_asid(array, 4), 64);
    assert_int_equal(policy->invalidate_all(array), 0);
}

/* An old entry that maps a page of the new one elsewhere is wrong, and goes. */
static void a_contradiction_goes(void **state)
{
    (void)state;
    begin(&mp_tlb_colt, 4, 2, 0);
    insert(0, 5, 105, (struct mp_span){.before = 1, .after = 2});
    insert(0, 6, 9, (struct mp_span){.read_only = 1});
    assert_int_equal(left.count, 1);
    hits(0, 6, 9, 20);
    assert_true(policy->peek(array, 0, 6).span.read_only);
    misses(0, 5, 20);
}

static void spans_are_cut_at_groups(void **state)
{
    (void)state;
    begin(&mp_tlb_colt, 4, 2, 0);
    insert(0, 9, 109, (struct mp_span){.before = 5, .after = 20});
    hits(0, 8, 108, 20);
    hits(0, 11, 111, 20);
    misses(0, 7, 20);
    misses(0, 12, 20);
    insert(0, 77, 77, (struct mp_span){.unit = 6});
    assert_int_equal(policy->peek(array, 0, 77).span.before, 1);
    assert_int_equal(policy->peek(array, 0, 77).span.after, 2);
    begin(&mp_tlb_page, 4, 2, 0);
    insert(0, 450, 109, (struct mp_span){.unit = 6, .before = 7});
    hits(0, 450, 109, 20);
    misses(0, 449, 20);
    begin(&mp_tlb_thp, 1, 4, 0);
    insert(0, 9, 109, (struct mp_span){.unit = 6});
    misses(0, 8, 20);
    insert(0, 9 + 512, 512 + 9, (struct mp_span){.unit = 9});
    hits(0, 1023, 1023, 20);
    assert_int_equal(policy->peek(array, 0, 600).span.unit, 9);
}

/* 128 ways, more than a word of bits; the L1 TLB of MESC's Fig. 13. */
static void as_many_ways_as_figure_13(void **state)
{
    (void)state;
    begin(&mp_tlb_thp, 1, 128, 0);
    for (uint64_t i = 0; i < 128; i++)
        assert_string_equal(insert(0, i, i, one), "vacant");
    for (uint64_t i = 0; i < 128; i++)
        hits(0, i, i, 20);
    assert_string_equal(insert(0, 1000, 5, one), "evict");
    misses(0, 0, 20);
    assert_string_equal(insert(0, 300, 300, (struct mp_span){.unit = 9}), "vacant");
    assert_int_equal(left.count, 127); /* all but page 1000 */
    assert_int_equal(policy->occupancy(array, 0), 513);
    struct mp_error err;
    g.ways = 129;
    assert_int_equal(mp_tlb_check(&mp_tlb_page, &g, &err), -1);
    assert_string_equal(err.text, "ways: 129 are too many for page; 128 at most");
    g.ways = 4;
    g.own.v[0] = 5;
    assert_int_equal(mp_tlb_check(&mp_tlb_mesc, &g, &err), -1);
    assert_string_equal(err.text, "sub_ways: 5 are more than the ways of a set, 4; 1 to 4");
}

/* --- random ranges, each address space in order in memory, at its distance ----------------- */

struct shown {
    uint64_t pages[3];
    uint32_t entries;
};

static uint64_t frame_of(uint16_t asid, uint64_t vpn)
{
    return vpn + 1000 * (asid + 1u);
}

static void show(void *context, const struct mp_tlb_entry *e)
{
    struct shown *s = context;
    uint64_t pages = (uint64_t)(e->to.span.before + e->to.span.after + 1u) << e->to.span.unit;
    assert_int_equal(e->to.span.before, 0); /* seen from its first page */
    assert_int_equal(e->to.pfn, frame_of(e->asid, e->vpn));
    assert_int_equal(e->vpn >> e->to.span.unit, e->tag);
    assert_true(e->way < g.ways);
    s->pages[e->asid] += pages;
    s->entries++;
}

static void check_array(void)
{
    struct shown s = {{0}, 0};
    for (uint32_t set = 0; set < g.sets; set++) {
        uint64_t ranks = 0;
        assert_int_equal(policy->ways(array, set), g.ways);
        policy->each_entry(array, set, show, &s);
        for (uint32_t w = 0; w < g.ways; w++)
            ranks |= 1ull << policy->rank(array, set, w);
        assert_int_equal(ranks, (1ull << g.ways) - 1);
    }
    assert_int_equal(policy->ways(array, g.sets), 0);
    for (uint16_t asid = 0; asid < 3; asid++)
        assert_int_equal(policy->occupancy(array, asid), s.pages[asid]);
}

static struct mp_span random_span(struct rng *rng, uint64_t vpn)
{
    struct mp_span s = {.unit = (const uint8_t[]){0, 6, 9}[rng_below(rng, 3)] & 15};
    uint64_t unit = vpn >> s.unit, in = s.unit == 0 ? unit % 4 : s.unit == 6 ? unit % 8 : 0;
    uint64_t group = s.unit == 0 ? 4 : s.unit == 6 ? 8 : 1;
    s.before = rng_below(rng, (uint32_t)in + 1) & 31;
    s.after = rng_below(rng, (uint32_t)(group - in)) & 31;
    return s;
}

static void random_ranges(void **state)
{
    static const struct mp_tlb_policy *const policies[] = {&mp_tlb_page, &mp_tlb_colt, &mp_tlb_thp,
                                                           &mp_tlb_mesc, &mp_tlb_mesc_full_colt};
    struct rng rng = rng_start("ranges", 45);
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        for (unsigned round = 0; round < 4; round++) {
            begin(policies[i], rng_between(&rng, 1, 9), rng_between(&rng, 2, 20), 2);
            for (unsigned step = 0; step < 3000; step++) {
                uint16_t asid = (uint16_t)rng_below(&rng, 3);
                uint64_t vpn = rng_below(&rng, 4096), before = policy->occupancy(array, asid);
                struct mp_tlb_hit hit = policy->lookup(array, asid, vpn);
                if (hit.found)
                    assert_int_equal(hit.pfn, frame_of(asid, vpn));
                if (rng_percent(&rng, 5)) {
                    left.count = left.pages = 0;
                    uint32_t pages = policy->invalidate_page(array, asid, vpn, &left);
                    assert_int_equal(pages, left.pages);
                    assert_int_equal(pages > 0, hit.found);
                    assert_int_equal(policy->occupancy(array, asid), before - pages);
                    assert_false(policy->peek(array, asid, vpn).found);
                    continue;
                }
                insert(asid, vpn, frame_of(asid, vpn), random_span(&rng, vpn));
                assert_int_equal(policy->peek(array, asid, vpn).pfn, frame_of(asid, vpn));
                if (step % 100 == 0)
                    check_array();
            }
        }
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_entry_that_covers_the_new_one_is_kept),
        TEST(what_left_is_listed),
        TEST(a_contradiction_goes),
        TEST(spans_are_cut_at_groups),
        TEST(as_many_ways_as_figure_13),
        TEST(random_ranges),
    };
    return cmocka_run_group_tests_name("range", tests, NULL, NULL);
}
