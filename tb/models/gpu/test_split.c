/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of each group of a machine, and how far groups may run ahead. */
#include "small_machine.h"

#include "gpu/split.h"

static char text[1024];

/* The groups by stage: "0: - | 1: gpu.mig0.l2d ... | ..."; of each group its first block, "-" if it has none.
 */
static const char *groups(const struct mp_plan *plan, const struct mp_split *s)
{
    size_t at = 0;
    for (uint32_t g = 0; g < s->groups; g++) {
        uint32_t i = 0;
        while (i < plan->blocks && s->group[i] != g)
            i++;
        bool new_stage = !g || s->stage[g] != s->stage[g - 1];
        at += (size_t)snprintf(text + at, sizeof text - at, "%s", !g ? "" : new_stage ? " | " : " ");
        at += (size_t)snprintf(text + at, sizeof text - at, "%s",
                               i < plan->blocks ? plan->block[i].path + strlen("gpu.") : "-");
    }
    return text;
}

static struct mp_machine divided(void)
{
    static const uint32_t slices[] = {1, 2};
    struct mp_machine m = small_machine();
    m.sm.dispatch_latency = 12;
    mp_machine_divide_slices(&m, 2, slices);
    return m;
}

static void expect_groups(const struct mp_machine *m, const char *expected, uint32_t lookahead)
{
    struct mp_plan plan = plan_of(m);
    struct mp_split s;
    assert_int_equal(mp_split_init(&s, &plan, m), 0);
    assert_string_equal(groups(&plan, &s), expected);
    assert_int_equal(s.lookahead, lookahead);
    for (uint32_t i = 0; i < plan.links; i++) { /* answers come to later stages, requests to earlier ones */
        uint32_t from = s.group[plan.link[i].from], to = s.group[plan.link[i].to];
        assert_true(from == to || s.stage[from] > s.stage[to]);
    }
    mp_split_free(&s);
    mp_plan_free(&plan);
}

#define WHOLE(first) first, 0

/* A walk with a fixed latency reads no memory, so memories and shared TLBs do not wait for each other. */
static void slices_run_ahead_of_what_they_share(void **state)
{
    struct mp_machine m = divided();
    (void)state;
    expect_groups(&m, "- | mig0.walk mig0.l2d mig1.l2d | gpc0.l2_tlb gpc1.l2_tlb gpc2.l2_tlb", 10);
}

static void the_shortest_lookahead_counts(void **state)
{
    struct mp_machine m = divided();
    (void)state;
    m.l1d.latency = 5;
    expect_groups(&m, "- | mig0.walk mig0.l2d mig1.l2d | gpc0.l2_tlb gpc1.l2_tlb gpc2.l2_tlb", 5);
    m.sm.dispatch_latency = 4;
    expect_groups(&m, "- | mig0.walk mig0.l2d mig1.l2d | gpc0.l2_tlb gpc1.l2_tlb gpc2.l2_tlb", 4);
}

/* Data caches that are looked up before translation know for their latency that they will send a line, but
 * not that they will ask a TLB: a TLB that slices share is in their group. */
static void virtual_data_caches_run_ahead_of_memory_only(void **state)
{
    struct mp_machine m = divided();
    (void)state;
    mp_machine_translate_late(&m);
    m.l1d.latency = 7;
    expect_groups(&m, "- | mig0.walk mig0.l2d mig1.l2d | gpc0.l2_tlb gpc1.l2_tlb gpc2.l2_tlb", 7);
    mp_machine_level(&m, "l1_tlb")->per = MP_PER_NONE;
    mp_machine_level(&m, "l2_tlb")->per = MP_PER_INSTANCE;
    m.l1d.latency = 20;
    expect_groups(&m, "- | mig0.walk mig0.l2d mig1.l2d | mig0.l2_tlb mig1.l2_tlb", 10);
}

/* Walks that read memory belong to it, and all memories to the L3 TLB's group. */
static void walks_through_memory_join_it(void **state)
{
    struct mp_machine m = divided();
    (void)state;
    m.walk.level_latency = 0;
    expect_groups(&m, "- | mig0.walk | gpc0.l2_tlb gpc1.l2_tlb gpc2.l2_tlb", 10);
}

static void without_lookahead_there_is_one_group(void **state)
{
    (void)state;
    struct mp_machine m = divided();
    m.l2_tlb.geometry.latency = 3;
    expect_groups(&m, WHOLE("mig0.walk"));
    m = divided();
    m.l1d.latency = 3;
    m.walk.level_latency = 0;
    expect_groups(&m, WHOLE("mig0.walk"));
    m = divided();
    m.sm.dispatch_latency = 3;
    expect_groups(&m, WHOLE("mig0.walk"));
}

/* The L1 TLBs' look-ups are too short for a link between groups. */
static void a_shared_l2_tlb_makes_one_group(void **state)
{
    struct mp_machine m = divided();
    (void)state;
    mp_machine_level(&m, "l2_tlb")->per = MP_PER_INSTANCE;
    expect_groups(&m, "- | mig0.walk mig0.l2d mig1.l2d | mig0.l2_tlb mig1.l2_tlb", 10);
    m = divided();
    mp_machine_level(&m, "l2_tlb")->per = MP_PER_MACHINE;
    mp_machine_level(&m, "l3_tlb")->per = MP_PER_NONE;
    mp_machine_level(&m, "l2d")->per = MP_PER_MACHINE;
    mp_machine_level(&m, "dram")->per = MP_PER_MACHINE;
    mp_machine_level(&m, "walk")->per = MP_PER_MACHINE;
    m.walk.level_latency = 0;
    expect_groups(&m, WHOLE("gpc0.tpc0.l1_tlb"));
}

/* TLBs that ask each other are in one group: with a ring in each slice, slices stay apart. */
static void a_ring_is_in_one_group(void **state)
{
    struct mp_machine m = divided();
    (void)state;
    mp_machine_level(&m, "l1_tlb")->per = MP_PER_SM;
    m.l1_tlb.geometry.latency = 20; /* which would do for links to other groups */
    m.l1_tlb.exchange.policy = &mp_neighbour_neidty;
    expect_groups(&m, "- | mig0.walk mig0.l2d mig1.l2d | gpc0.l2_tlb gpc1.l2_tlb gpc2.l2_tlb", 10);
    static const uint32_t sms[] = {8, 4};
    mp_machine_divide_sms(&m, 2, sms);
    expect_groups(&m, WHOLE("walk"));
    m.l1_tlb.exchange.policy = &mp_neighbour_none;
    m.l1_tlb.exchange.sharing = true;
    expect_groups(&m, WHOLE("walk"));
    m.l1_tlb.exchange.sharing = false;
    expect_groups(&m, "- | walk l2d | gpc0.l2_tlb gpc1.l2_tlb gpc2.l2_tlb", 10);
}

static void see_access(void *app, void *work, uint32_t warp, uint64_t issued)
{
    (void)app, (void)work, (void)warp, (void)issued;
}

/* A policy that looks at accesses decides by what SMs have done in the same cycle. */
static void owners_that_look_at_accesses_need_one_group(void **state)
{
    static const struct mp_dispatch_policy looks = {.access_done = see_access};
    struct mp_machine m = divided();
    (void)state;
    m.dispatch.policy = &looks;
    expect_groups(&m, WHOLE("mig0.walk"));
}

static void orders_are_unique(void **state)
{
    struct mp_machine m = divided();
    struct mp_plan plan = plan_of(&m);
    uint32_t most = mp_split_order_of_link(&plan, plan.links);
    bool *seen = calloc(most, sizeof *seen);
    (void)state;
    assert_non_null(seen);
    for (uint32_t i = 0; i < plan.blocks; i++)
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t order = k ? mp_split_order_of_sm(&plan, i) + k - 1 : mp_split_order_of_block(i);
            assert_true(order && order < most && !seen[order]);
            seen[order] = true;
        }
    for (uint32_t i = 0; i < plan.links; i++) {
        assert_false(seen[mp_split_order_of_link(&plan, i)]);
        seen[mp_split_order_of_link(&plan, i)] = true;
    }
    free(seen);
    mp_plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_run_ahead_of_what_they_share),
        cmocka_unit_test(the_shortest_lookahead_counts),
        cmocka_unit_test(virtual_data_caches_run_ahead_of_memory_only),
        cmocka_unit_test(walks_through_memory_join_it),
        cmocka_unit_test(without_lookahead_there_is_one_group),
        cmocka_unit_test(a_shared_l2_tlb_makes_one_group),
        cmocka_unit_test(a_ring_is_in_one_group),
        cmocka_unit_test(owners_that_look_at_accesses_need_one_group),
        cmocka_unit_test(orders_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
