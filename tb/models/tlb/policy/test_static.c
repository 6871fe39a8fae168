/* SPDX-License-Identifier: Apache-2.0 */
/* Ways divided among tenants: the division, and each part against the inner policy alone. */
#include "state.h"

static void divide(uint32_t ways, uint32_t tenants, const uint32_t *slices, const uint32_t *want)
{
    uint32_t got[MP_TENANTS] = {0};
    mp_tlb_divide_ways(ways, tenants, slices, got);
    for (uint32_t t = 0; t < tenants; t++)
        assert_int_equal(got[t], want[t]);
}

static void the_division_by_hand(void **state)
{
    (void)state;
    static const struct {
        uint32_t ways, tenants, slices[MP_TENANTS], want[MP_TENANTS];
    } table[] = {
        {8, 3, {3, 2, 2}, {4, 2, 2}}, /* the paper's: 3.43, 2.29, 2.29 */
        {8, 1, {3}, {8}},
        {16, 3, {3, 2, 2}, {7, 5, 4}},      /* 6.86, 4.57, 4.57: the tie goes to tenant 1 */
        {8, 4, {2, 2, 2, 1}, {3, 2, 2, 1}}, /* workloads 12 to 16 */
        {8, 2, {4, 3}, {5, 3}},             /* 4.57, 3.43 */
        {8, 7, {1, 1, 1, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1, 1}},
        {3, 3, {4, 2, 1}, {1, 1, 1}},       /* 1.71, 0.86, 0.43: 2, 1, 0, and one is taken */
        {4, 4, {4, 1, 1, 1}, {1, 1, 1, 1}}, /* 2.29 and 0.57: 2, 1, 1, 0 */
        {4, 3, {7, 7, 1}, {2, 1, 1}},       /* 1.87, 1.87, 0.27: 2, 2, 0, and the higher tenant gives one */
        {2, 2, {3, 4}, {1, 1}},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        divide(table[i].ways, table[i].tenants, table[i].slices, table[i].want);
}

static void the_division_holds_its_rule(void **state)
{
    (void)state;
    struct rng rng = rng_start("division", 71);
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t tenants = rng_between(&rng, 1, MP_TENANTS), ways = rng_between(&rng, tenants, 64);
        uint32_t slices[MP_TENANTS], got[MP_TENANTS], all = 0, sum = 0;
        for (uint32_t t = 0; t < tenants; t++)
            all += slices[t] = rng_between(&rng, 1, 7);
        mp_tlb_divide_ways(ways, tenants, slices, got);
        bool none_too_small = true; /* every share is at least a way, so no way had to move */
        for (uint32_t t = 0; t < tenants; t++) {
            assert_true(got[t] >= 1);
            none_too_small = none_too_small && ways * slices[t] >= all;
            sum += got[t];
        }
        assert_int_equal(sum, ways);
        for (uint32_t t = 0; none_too_small && t < tenants; t++) {
            assert_true(got[t] * all + all > ways * slices[t]); /* less than a way from its share */
            assert_true(got[t] * all < ways * slices[t] + all);
            for (uint32_t k = 0; k < tenants; k++)
                if (slices[k] >= slices[t] && k < t)
                    assert_true(got[k] >= got[t]);
        }
    }
}

static uint32_t hits, evictions;

/* Every tenant sees what it would see alone on an array with its ways. */
static void compare(const struct mp_tlb_policy *policy, const struct mp_tlb_policy *inner,
                    const struct mp_tlb_geometry *g, struct rng *rng, uint32_t steps)
{
    void *all = new_state(policy, g), *alone[MP_TENANTS];
    uint32_t first[MP_TENANTS], from = 0, pages = 3 * g->sets * g->ways * g->sub_entries / g->tenants + 1;
    for (uint32_t t = 0; t < g->tenants; t++) {
        struct mp_tlb_geometry own = *g;
        own.ways = g->tenant_ways[t];
        alone[t] = new_state(inner, &own);
        first[t] = from;
        from += own.ways;
    }
    for (uint32_t step = 0; step < steps; step++) {
        uint16_t asid = (uint16_t)rng_below(rng, g->tenants);
        uint64_t vpn = rng_below(rng, rng_percent(rng, 50) ? pages / 8 + 1 : pages),
                 pfn = rng_next(rng) >> 28;
        uint32_t what = rng_below(rng, 1000);
        if (what < 500) {
            struct mp_tlb_hit other = inner->lookup(alone[asid], asid, vpn);
            bool found = is_there(policy, all, asid, vpn, other.pfn);
            assert_int_equal(found, other.found);
            assert_int_equal(policy->peek(all, asid, vpn).cycles, other.cycles);
            hits += found;
        } else if (what < 970) {
            struct inserted mine = insert_page(policy, all, asid, vpn, pfn),
                            other = insert_page(inner, alone[asid], asid, vpn, pfn);
            assert_string_equal(mine.in.action, other.in.action);
            assert_int_equal(mine.in.way, first[asid] + other.in.way);
            same_left(&mine.left, &other.left);
            assert_int_equal(left_of(&mine.left, asid), mine.left.pages); /* no other tenant loses pages */
            assert_int_equal(mine.in.entry_evicted, other.in.entry_evicted);
            evictions += mine.in.entry_evicted;
        } else if (what < 997) {
            assert_int_equal(policy->invalidate_page(all, asid, vpn, NULL),
                             inner->invalidate_page(alone[asid], asid, vpn, NULL));
        } else if (what < 999) {
            assert_int_equal(policy->invalidate_asid(all, asid), inner->invalidate_asid(alone[asid], asid));
        } else {
            uint32_t gone = 0;
            for (uint32_t t = 0; t < g->tenants; t++)
                gone += inner->invalidate_all(alone[t]);
            assert_int_equal(policy->invalidate_all(all), gone);
        }
        if (step % 16 == 0)
            assert_int_equal(policy->occupancy(all, asid), inner->occupancy(alone[asid], asid));
    }
    free(all);
    for (uint32_t t = 0; t < g->tenants; t++)
        free(alone[t]);
}

static void random_machines(const char *name, const struct mp_tlb_policy *policy,
                            const struct mp_tlb_policy *inner, uint64_t seed)
{
    struct rng rng = rng_start(name, seed);
    hits = evictions = 0;
    for (uint32_t i = 0; i < 40; i++) {
        struct mp_tlb_geometry g = {.sets = rng_between(&rng, 1, 9),
                                    .ways = rng_between(&rng, 8, rng_percent(&rng, 20) ? 64 : 16),
                                    .sub_entries = 16,
                                    .latency = 40,
                                    .own = {{10, 1u << rng_below(&rng, 3)}},
                                    .tenants = rng_between(&rng, 1, 8)};
        uint32_t slices[MP_TENANTS];
        for (uint32_t t = 0; t < g.tenants; t++)
            slices[t] = rng_between(&rng, 1, 4);
        mp_tlb_divide_ways(g.ways, g.tenants, slices, g.tenant_ways);
        compare(policy, inner, &g, &rng, 5000);
    }
    assert_true(hits > 5000);
    assert_true(evictions > 5000);
}

static void baseline_inside(void **state)
{
    (void)state;
    random_machines("static", &mp_tlb_static, &mp_tlb_subentry, 72);
}

static void star_inside(void **state)
{
    (void)state;
    random_machines("static-star", &mp_tlb_static_star, &mp_tlb_star, 73);
}

/* However much one tenant brings, the others' translations stay. */
static void a_greedy_tenant_takes_nothing_from_others(void **state)
{
    (void)state;
    const struct mp_tlb_geometry g = {
        .sets = 4, .ways = 8, .sub_entries = 16, .latency = 40, .tenants = 3, .tenant_ways = {4, 2, 2}};
    void *tlb = new_state(&mp_tlb_static, &g);
    for (uint64_t page = 0; page < 2 * 4 * 16; page++)
        insert_page(&mp_tlb_static, tlb, 1, page, page + 7);
    for (uint64_t page = 0; page < 100000; page++)
        insert_page(&mp_tlb_static, tlb, 0, page, page);
    assert_int_equal(mp_tlb_static.occupancy(tlb, 0), 4 * 4 * 16);
    assert_int_equal(mp_tlb_static.occupancy(tlb, 1), 2 * 4 * 16);
    for (uint64_t page = 0; page < 2 * 4 * 16; page++)
        assert_true(is_there(&mp_tlb_static, tlb, 1, page, page + 7));
    free(tlb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_division_by_hand),
        cmocka_unit_test(the_division_holds_its_rule),
        cmocka_unit_test(baseline_inside),
        cmocka_unit_test(star_inside),
        cmocka_unit_test(a_greedy_tenant_takes_nothing_from_others),
    };
    return cmocka_run_group_tests_name("static", tests, NULL, NULL);
}
