/* SPDX-License-Identifier: Apache-2.0 */
/* Models that are joined without SystemC answer requests along the links of the plan. */
#include "direct_bench.h"

static void test_a_request_passes_all_levels(void **state)
{
    struct bench b;
    const uint64_t va = 0x10000;
    uint64_t pa, began;
    (void)state;
    set_up(&b, false);
    pa = build_and_map(&b, va);

    probe(&b, "gpu.gpc1.tpc0.sm0", va);
    const struct prober *first = model_at(&b, "gpu.gpc1.tpc0.sm0"),
                        *second = model_at(&b, "gpu.gpc2.tpc1.sm1");
    /* Three TLBs, the page walk cache, and a fixed time per level of the table. */
    assert_int_equal(first->translated, 1 + 10 + 40 + 4 + 60 * b.m.walk.format->levels);
    assert_int_equal(first->line.pa, pa);
    assert_true(first->loaded > first->translated + 20 + 60 + 50);

    began = b.wheel.now;
    probe(&b, "gpu.gpc2.tpc1.sm1", va); /* of another slice: the L3 TLB has it, and the L2 cache */
    assert_int_equal(second->translated - began, 1 + 10 + 40);
    assert_int_equal(second->loaded - second->translated, 20 + 60);
    const struct mp_dram_stats *dram =
        block_at(&b.plan, "gpu.mig1.dram")->kind->stats(model_at(&b, "gpu.mig1.dram"));
    assert_int_equal(dram[1].reads, 1);

    const struct mp_scope scope = {.asid = 1, .va = va};
    uint64_t gone = 0;
    for (uint32_t i = 0; i < b.plan.blocks; i++)
        if (b.plan.block[i].kind->invalidate)
            gone += b.plan.block[i].kind->invalidate(b.d.model[i], &scope);
    assert_int_equal(gone, 2 + 2 + 1); /* two L1 TLBs, two L2 TLBs, the L3 TLB */
    began = b.wheel.now;
    probe(&b, "gpu.gpc2.tpc1.sm1", va); /* upper tables are still in the page walk cache */
    assert_int_equal(second->translated - began, 1 + 10 + 40 + 4 + 60);
    tear_down(&b);
}

/* A walk system and an L2 cache are initiators of the same channels, each with separate ports. */
static void test_walks_and_cache_share_dram(void **state)
{
    struct bench b;
    (void)state;
    set_up(&b, true);
    const uint64_t va = 0x10000, pa = build_and_map(&b, va);
    probe(&b, "gpu.gpc1.tpc0.sm0", va);
    const struct prober *p = model_at(&b, "gpu.gpc1.tpc0.sm0");
    const struct mp_dram *dram = model_at(&b, "gpu.mig1.dram");
    const struct mp_cache *l2d = model_at(&b, "gpu.mig1.l2d");
    assert_int_equal(p->line.pa, pa);
    assert_true(p->loaded > p->translated);
    assert_int_equal(dram->stats[1].reads, b.m.walk.format->levels + 1);
    assert_int_equal(l2d->stats[1].lookups, 1);
    tear_down(&b);
}

static void test_blocks_are_built_when_they_are_needed(void **state)
{
    struct bench b;
    (void)state;
    set_up(&b, false);
    uint32_t dram = mp_plan_find(&b.plan, "gpu.mig0.dram");
    assert_null(b.d.model[dram]);
    assert_int_equal(mp_direct_build(&b.d, dram), 0);
    void *model = b.d.model[dram];
    assert_non_null(model);
    assert_int_equal(mp_direct_build(&b.d, dram), 0);
    assert_ptr_equal(b.d.model[dram], model);
    assert_null(model_at(&b, "gpu.mig0.l2d"));
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_request_passes_all_levels),
        cmocka_unit_test(test_walks_and_cache_share_dram),
        cmocka_unit_test(test_blocks_are_built_when_they_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
