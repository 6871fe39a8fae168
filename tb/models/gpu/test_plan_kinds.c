/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of blocks and arrangements that no machine here has yet come in as rows of the levels. */
#include "small_machine.h"

static struct mp_machine shared_machine(uint32_t slices, uint32_t tpcs)
{
    static const uint32_t sms[] = {4, 4};
    struct mp_machine m = small_machine();
    m.slices = slices;
    m.tpcs = tpcs;
    mp_machine_level(&m, "l3_tlb")->per = MP_PER_NONE;
    mp_machine_divide_sms(&m, 2, sms);
    return m;
}

/* A block between the L1 TLBs and the L2 TLB. */
struct fabric_params {
    uint32_t hop, tlbs, below;
};

static void fit_fabric(void *params, const struct mp_block_place *place)
{
    struct fabric_params *p = params;
    p->tlbs = place->ins;
    p->below = place->outs[0];
}

static const struct mp_block_kind fabric = {
    .name = "fabric",
    .params_bytes = sizeof(struct fabric_params),
    .in = MP_LINK_TRANSLATION,
    .groups = 1,
    .out = {{"misses", MP_LINK_TRANSLATION, true}},
    .fit = fit_fabric,
};

static void test_a_fabric_of_neighbours(void **state)
{
    static const struct fabric_params one_hop = {.hop = 1};
    struct mp_machine m = shared_machine(1, 4);
    (void)state;
    m.level[m.levels++] = (struct mp_level){.name = "neighbours",
                                            .kind = &fabric,
                                            .per = MP_PER_INSTANCE,
                                            .home = MP_PER_INSTANCE,
                                            .params = &one_hop,
                                            .out = {{"l2_tlb", MP_FAN_TARGET}}};
    mp_machine_lead(&m, "l1_tlb", "neighbours");
    struct mp_plan plan = plan_of(&m);
    const struct fabric_params *p = block_at(&plan, "gpu.neighbours")->params;
    assert_string_equal(links(&plan, "gpu.gpc0.tpc1.l1_tlb"), "0>gpu.neighbours:1/1");
    assert_string_equal(links(&plan, "gpu.neighbours"), "0>gpu.gpc0.l2_tlb:0/3");
    assert_int_equal(p->hop, 1);
    assert_int_equal(p->tlbs, 4);
    assert_int_equal(p->below, 1);
    const struct mp_tlb_params *l1 = block_at(&plan, "gpu.gpc0.tpc1.l1_tlb")->params;
    assert_int_equal(l1->ports, SMS_PER_TPC);
    mp_plan_free(&plan);

    mp_machine_level(&m, "neighbours")->per = MP_PER_NONE;
    plan = plan_of(&m);
    assert_string_equal(links(&plan, "gpu.gpc0.tpc1.l1_tlb"), "0>gpu.gpc0.l2_tlb:1/1");
    mp_plan_free(&plan);
}

/* One TLB for all, as an IOMMU has it, and walks that read DRAM past the L2 cache. */
static void test_an_iommu(void **state)
{
    struct mp_machine m = shared_machine(1, 4);
    (void)state;
    m.walk.level_latency = 0;
    mp_machine_level(&m, "l2_tlb")->per = MP_PER_MACHINE;
    mp_machine_lead(&m, "walk", "dram");
    struct mp_plan plan = plan_of(&m);
    assert_string_equal(links(&plan, "gpu.gpc0.tpc3.l1_tlb"), "0>gpu.l2_tlb:3/2");
    assert_string_equal(links(&plan, "gpu.walk"), "0>gpu.dram:0/3 1>gpu.dram:1/3");
    assert_string_equal(links(&plan, "gpu.l2d"), "0>gpu.dram:2/3 1>gpu.dram:3/3");
    const struct mp_walk_params *walk = block_at(&plan, "gpu.walk")->params;
    const struct mp_dram_params *dram = block_at(&plan, "gpu.dram")->params;
    assert_int_equal(walk->links, 2);
    assert_int_equal(dram->channels, 2);
    assert_int_equal(dram->ports, 4);
    mp_plan_free(&plan);
}

/* Several tenants on any SM: each TLB sends the misses of a tenant to the TLB of that tenant. */
static void test_tenants_on_any_sm(void **state)
{
    struct mp_machine m = shared_machine(1, 4);
    (void)state;
    m.tenant[0] = (struct mp_machine_tenant){.sms = 8};
    m.tenant[1] = (struct mp_machine_tenant){.sms = 8};
    mp_machine_level(&m, "l2_tlb")->per = MP_PER_TENANT;
    struct mp_plan plan = plan_of(&m);
    assert_int_equal(block_at(&plan, "gpu.gpc0.tpc3.sm1")->tenants, 3);
    assert_string_equal(links(&plan, "gpu.gpc0.tpc1.l1_tlb"),
                        "0>gpu.gpc0.l2_tlb0:1/1 1>gpu.gpc0.l2_tlb1:1/2");
    mp_plan_free(&plan);
}

/* --- refusals --------------------------------------------------------------------------------------- */

static void refuse(const struct mp_machine *m, const char *why)
{
    struct mp_plan plan;
    struct mp_error err;
    assert_int_equal(mp_plan_init(&plan, m, &err), -1);
    assert_string_equal(err.text, why);
}

static void test_levels_that_do_not_fit(void **state)
{
    (void)state;
    struct mp_machine m = shared_machine(SLICES, TPCS);
    mp_machine_lead(&m, "l1_tlb", "l4_tlb");
    refuse(&m, "machine: l1_tlb leads to l4_tlb; the name of a level is needed");

    m = shared_machine(SLICES, TPCS);
    mp_machine_lead(&m, "l3_tlb", "l3_tlb");
    refuse(&m, "machine: l2_tlb leads round in a circle of levels without blocks");

    m = shared_machine(SLICES, TPCS); /* with three slices there are three L2 TLBs */
    mp_machine_level(&m, "l1_tlb")->per = MP_PER_MACHINE;
    refuse(&m, "machine: gpu.l1_tlb: several blocks l2_tlb answer the same tenant; one is needed");

    m = shared_machine(SLICES, TPCS); /* a cache does not know its tenants */
    mp_machine_divide_slices(&m, 2, (const uint32_t[]){1, 2});
    mp_machine_level(&m, "l2d")->per = MP_PER_MACHINE;
    refuse(&m,
           "machine: gpu.l2d: several blocks dram, and this kind of block cannot choose one; one is needed");

    m = shared_machine(SLICES, TPCS); /* a page-walk system does not know the slice of a page table */
    m.walk.level_latency = 0;
    mp_machine_level(&m, "l2d")->per = MP_PER_SLICE;
    refuse(&m, "machine: gpu.walk: several blocks l2d answer the same tenant; one is needed");

    m = small_machine(); /* several instances are there at a time */
    mp_machine_level(&m, "l2d")->per = MP_PER_MACHINE;
    mp_machine_let_instances_vary(&m, 2);
    refuse(&m, "machine: gpu.l2d: several blocks dram answer the same tenant; one is needed");

    m = shared_machine(SLICES, TPCS);
    mp_machine_level(&m, "l1_tlb")->per = MP_PER_TENANT;
    mp_machine_level(&m, "l2_tlb")->per = MP_PER_TENANT;
    m.tenant[0] = m.tenant[1] = (struct mp_machine_tenant){.sms = 8};
    refuse(&m, "machine: gpu.gpc0.tpc0.sm0: several blocks l1_tlb, and this kind of block cannot choose one; "
               "one is needed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_fabric_of_neighbours),
        cmocka_unit_test(test_an_iommu),
        cmocka_unit_test(test_tenants_on_any_sm),
        cmocka_unit_test(test_levels_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
