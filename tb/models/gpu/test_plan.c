/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the machines that exist: who has which blocks, in which order, and what is joined to what. */
#include "small_machine.h"

/* Every in port has exactly one link, and the numbers of the links are those that the models get. */
static void check(const struct mp_plan *plan)
{
    for (uint32_t i = 0; i < plan->blocks; i++) {
        uint32_t seen = 0;
        for (uint32_t k = 0; k < plan->links; k++)
            if (plan->link[k].to == i) {
                assert_true(plan->link[k].port < plan->block[i].ins);
                seen++;
                for (uint32_t j = 0; j < k; j++)
                    assert_false(plan->link[j].to == i && plan->link[j].port == plan->link[k].port);
            }
        assert_int_equal(seen, plan->block[i].ins);
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(plan->block[k].path, plan->block[i].path);
    }
}

static struct mp_plan two_instances(void)
{
    static const uint32_t slices[] = {1, 2};
    struct mp_machine m = small_machine();
    mp_machine_divide_slices(&m, 2, slices);
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    return plan;
}

static void test_instances_of_slices(void **state)
{
    struct mp_plan plan = two_instances();
    (void)state;
    assert_string_equal(paths(&plan, NULL), "gpu.mig0.walk gpu.mig0.l2d gpu.mig0.dram gpu.gpc0.l2_tlb"
                                            " gpu.gpc0.tpc0.l1_tlb gpu.gpc0.tpc0.sm0 gpu.gpc0.tpc0.sm0.l1d "
                                            "gpu.gpc0.tpc0.sm1 gpu.gpc0.tpc0.sm1.l1d"
                                            " gpu.gpc0.tpc1.l1_tlb gpu.gpc0.tpc1.sm0 gpu.gpc0.tpc1.sm0.l1d "
                                            "gpu.gpc0.tpc1.sm1 gpu.gpc0.tpc1.sm1.l1d"
                                            " gpu.mig1.walk gpu.mig1.l2d gpu.mig1.dram gpu.gpc1.l2_tlb"
                                            " gpu.gpc1.tpc0.l1_tlb gpu.gpc1.tpc0.sm0 gpu.gpc1.tpc0.sm0.l1d "
                                            "gpu.gpc1.tpc0.sm1 gpu.gpc1.tpc0.sm1.l1d"
                                            " gpu.gpc1.tpc1.l1_tlb gpu.gpc1.tpc1.sm0 gpu.gpc1.tpc1.sm0.l1d "
                                            "gpu.gpc1.tpc1.sm1 gpu.gpc1.tpc1.sm1.l1d"
                                            " gpu.gpc2.l2_tlb"
                                            " gpu.gpc2.tpc0.l1_tlb gpu.gpc2.tpc0.sm0 gpu.gpc2.tpc0.sm0.l1d "
                                            "gpu.gpc2.tpc0.sm1 gpu.gpc2.tpc0.sm1.l1d"
                                            " gpu.gpc2.tpc1.l1_tlb gpu.gpc2.tpc1.sm0 gpu.gpc2.tpc1.sm0.l1d "
                                            "gpu.gpc2.tpc1.sm1 gpu.gpc2.tpc1.sm1.l1d"
                                            " gpu.l3_tlb");
    assert_string_equal(links(&plan, "gpu.gpc0.tpc1.sm1"),
                        "0>gpu.gpc0.tpc1.l1_tlb:1/1 1>gpu.gpc0.tpc1.sm1.l1d:0/1");
    assert_string_equal(links(&plan, "gpu.gpc2.tpc0.sm1.l1d"), "0>gpu.mig1.l2d:5/2");
    assert_string_equal(links(&plan, "gpu.gpc2.tpc1.l1_tlb"), "0>gpu.gpc2.l2_tlb:1/2");
    assert_string_equal(links(&plan, "gpu.gpc2.l2_tlb"), "0>gpu.l3_tlb:2/2");
    assert_string_equal(links(&plan, "gpu.l3_tlb"), "0>gpu.mig0.walk:0/1 1>gpu.mig1.walk:0/2");
    assert_string_equal(links(&plan, "gpu.mig1.walk"), "");
    assert_string_equal(links(&plan, "gpu.mig1.l2d"),
                        "0>gpu.mig1.dram:0/2 1>gpu.mig1.dram:1/2 2>gpu.mig1.dram:2/2 3>gpu.mig1.dram:3/2");
    mp_plan_free(&plan);
}

static void test_parameters_fit_the_place(void **state)
{
    struct mp_plan plan = two_instances();
    (void)state;
    const struct mp_sm_params *sm = block_at(&plan, "gpu.gpc2.tpc0.sm1")->params;
    const struct mp_tlb_params *l1 = block_at(&plan, "gpu.gpc2.tpc1.l1_tlb")->params;
    const struct mp_tlb_params *l3 = block_at(&plan, "gpu.l3_tlb")->params;
    const struct mp_walk_params *walk = block_at(&plan, "gpu.mig1.walk")->params;
    const struct mp_cache_params *l1d = block_at(&plan, "gpu.gpc2.tpc0.sm1.l1d")->params;
    const struct mp_cache_params *l2d = block_at(&plan, "gpu.mig1.l2d")->params;
    const struct mp_dram_params *dram = block_at(&plan, "gpu.mig1.dram")->params;
    assert_int_equal(sm->id, 9);
    assert_int_equal(l1->ports, SMS_PER_TPC);
    assert_int_equal(l1->tenants, 2);
    assert_int_equal(l3->ports, SLICES);
    assert_int_equal(walk->geometry.walkers, 2 * 2);
    assert_int_equal(walk->geometry.tenants, 2);
    assert_int_equal(walk->ports, 1);
    assert_int_equal(l1d->ports, 1);
    assert_int_equal(l1d->links, 1);
    assert_int_equal(l2d->banks, 2 * 4);
    assert_int_equal(l2d->ports, 2 * TPCS * SMS_PER_TPC);
    assert_int_equal(l2d->links, 2 * 2);
    assert_int_equal(dram->channels, 2 * 2);
    assert_int_equal(dram->ports, 2 * 2);
    mp_plan_free(&plan);
}

/* Ways are divided by the slices of the tenants' instances. */
static void test_static_partition(void **state)
{
    static const uint32_t slices[] = {1, 2};
    struct mp_machine m = small_machine();
    (void)state;
    m.l3_tlb.policy = &mp_tlb_static;
    mp_machine_divide_slices(&m, 2, slices);
    struct mp_plan plan = plan_of(&m);
    const struct mp_tlb_params *l3 = block_at(&plan, "gpu.l3_tlb")->params;
    assert_int_equal(l3->geometry.tenant_ways[0], 3);
    assert_int_equal(l3->geometry.tenant_ways[1], 5);
    mp_plan_free(&plan);
}

static void test_unused_slices_are_not_built(void **state)
{
    static const uint32_t slices[] = {1};
    struct mp_machine m = small_machine();
    (void)state;
    mp_machine_divide_slices(&m, 1, slices);
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    assert_string_equal(paths(&plan, "l2_tlb"), "gpu.gpc0.l2_tlb");
    assert_string_equal(paths(&plan, "l1_tlb"), "gpu.gpc0.tpc0.l1_tlb gpu.gpc0.tpc1.l1_tlb");
    mp_plan_free(&plan);
}

/* One slice with six TPCs of one SM; five SMs are divided among two tenants. Two levels; walks read memory.
 */
static struct mp_machine shared_machine(void)
{
    static const uint32_t sms[] = {2, 3};
    struct mp_machine m = small_machine();
    m.slices = 1;
    m.tpcs = 6;
    m.sms_per_tpc = 1;
    m.walk.level_latency = 0;
    mp_machine_level(&m, "l3_tlb")->per = MP_PER_NONE;
    mp_machine_divide_sms(&m, 2, sms);
    return m;
}

static void test_sms_divided_among_tenants(void **state)
{
    struct mp_machine m = shared_machine();
    struct mp_plan plan = plan_of(&m);
    (void)state;
    check(&plan);
    assert_string_equal(paths(&plan, "sm"), "gpu.gpc0.tpc0.sm0 gpu.gpc0.tpc1.sm0 gpu.gpc0.tpc2.sm0"
                                            " gpu.gpc0.tpc3.sm0 gpu.gpc0.tpc4.sm0");
    assert_string_equal(paths(&plan, "l2_tlb"), "gpu.gpc0.l2_tlb");
    assert_string_equal(paths(&plan, "walk"), "gpu.walk");
    assert_string_equal(paths(&plan, "l3_tlb"), "");
    assert_int_equal(block_at(&plan, "gpu.gpc0.tpc1.sm0")->tenants, 1);
    assert_int_equal(block_at(&plan, "gpu.gpc0.tpc2.sm0")->tenants, 2);
    assert_int_equal(block_at(&plan, "gpu.l2d")->tenants, 3);
    assert_string_equal(links(&plan, "gpu.gpc0.l2_tlb"), "0>gpu.walk:0/1 1>gpu.walk:1/2");
    assert_string_equal(links(&plan, "gpu.walk"), "0>gpu.l2d:0/3");
    assert_string_equal(links(&plan, "gpu.gpc0.tpc4.sm0.l1d"), "0>gpu.l2d:5/2");
    mp_plan_free(&plan);
}

/* The last slice has one TPC of two, and the memory has five slices for three of SMs. */
static void test_short_slices_and_slices_of_memory(void **state)
{
    static const uint32_t sms[] = {SMS - SMS_PER_TPC};
    struct mp_machine m = small_machine();
    (void)state;
    m.short_slices = 1;
    m.memory_slices = 5;
    mp_machine_divide_sms(&m, 1, sms);
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    assert_int_equal(mp_machine_sms(&m), sms[0]);
    assert_string_equal(paths(&plan, "l1_tlb"),
                        "gpu.gpc0.tpc0.l1_tlb gpu.gpc0.tpc1.l1_tlb gpu.gpc1.tpc0.l1_tlb gpu.gpc1.tpc1.l1_tlb"
                        " gpu.gpc2.tpc0.l1_tlb");
    assert_int_equal(block_at(&plan, "gpu.gpc2.l2_tlb")->first_sm, 2 * SLICE_SMS);
    assert_int_equal(block_at(&plan, "gpu.gpc2.l2_tlb")->sms, SMS_PER_TPC);
    const struct mp_cache_params *l2d = block_at(&plan, "gpu.l2d")->params;
    const struct mp_dram_params *dram = block_at(&plan, "gpu.dram")->params;
    const struct mp_walk_params *walk = block_at(&plan, "gpu.walk")->params;
    assert_int_equal(l2d->banks, 5 * m.l2d.banks);
    assert_int_equal(dram->channels, 5 * m.dram.channels);
    assert_int_equal(walk->geometry.walkers, SLICES * m.walk.geometry.walkers);
    assert_true(mp_machine_memory(&m, m.slices) == 5 * PER_SLICE);
    mp_plan_free(&plan);
}

/* A full bank of the L2 does not hold requests to another bank. */
static void test_a_link_to_each_bank(void **state)
{
    static const uint32_t sms[] = {SMS};
    (void)state;
    struct mp_machine m = small_machine();
    m.walk.level_latency = 0;
    m.l2d.bank_ports = true;
    mp_machine_divide_sms(&m, 1, sms);
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    const uint32_t banks = SLICES * m.l2d.banks;
    const struct mp_plan_block *l1d = block_at(&plan, "gpu.gpc0.tpc0.sm1.l1d"),
                               *l2d = block_at(&plan, "gpu.l2d");
    assert_int_equal(l1d->links, banks);
    assert_int_equal(block_at(&plan, "gpu.walk")->links, banks);
    assert_int_equal(l2d->ins, (SMS + 1) * banks);
    assert_int_equal(((const struct mp_cache_params *)l1d->params)->links, banks);
    assert_int_equal(((const struct mp_cache_params *)l2d->params)->ports, (SMS + 1) * banks);
    mp_plan_free(&plan);
}

static void test_tlbs_of_the_tenants_own(void **state)
{
    struct mp_machine m = shared_machine();
    (void)state;
    mp_machine_level(&m, "l2_tlb")->per = MP_PER_TENANT;
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    assert_string_equal(paths(&plan, "l2_tlb"), "gpu.gpc0.l2_tlb0 gpu.gpc0.l2_tlb1");
    assert_string_equal(links(&plan, "gpu.gpc0.tpc1.l1_tlb"), "0>gpu.gpc0.l2_tlb0:1/1");
    assert_string_equal(links(&plan, "gpu.gpc0.tpc2.l1_tlb"), "0>gpu.gpc0.l2_tlb1:0/2");
    assert_string_equal(links(&plan, "gpu.gpc0.l2_tlb1"), "0>gpu.walk:1/2");
    assert_int_equal(block_at(&plan, "gpu.gpc0.l2_tlb1")->tenants, 2);
    mp_plan_free(&plan);
}

static void test_walkers_of_the_tenants_own(void **state)
{
    struct mp_machine m = shared_machine();
    (void)state;
    mp_machine_level(&m, "walk")->per = MP_PER_TENANT;
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    assert_string_equal(paths(&plan, "walk"), "gpu.walk0 gpu.walk1");
    assert_string_equal(links(&plan, "gpu.gpc0.l2_tlb"), "0>gpu.walk0:0/1 1>gpu.walk1:0/2");
    assert_string_equal(links(&plan, "gpu.walk1"), "0>gpu.l2d:1/2");
    mp_plan_free(&plan);
}

/* The level of an instance, or of the machine, instead of a slice's; and none. */
static void test_levels_elsewhere(void **state)
{
    static const uint32_t slices[] = {1, 2};
    struct mp_machine m = small_machine();
    (void)state;
    mp_machine_divide_slices(&m, 2, slices);
    mp_machine_level(&m, "l1_tlb")->per = MP_PER_SM;
    mp_machine_level(&m, "l2_tlb")->per = MP_PER_INSTANCE;
    mp_machine_level(&m, "dram")->per = MP_PER_MACHINE;
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    assert_string_equal(paths(&plan, "l2_tlb"), "gpu.mig0.l2_tlb gpu.mig1.l2_tlb");
    assert_string_equal(links(&plan, "gpu.gpc2.tpc1.sm0"),
                        "0>gpu.gpc2.tpc1.sm0.l1_tlb:0/2 1>gpu.gpc2.tpc1.sm0.l1d:0/2");
    assert_string_equal(links(&plan, "gpu.gpc2.tpc1.sm0.l1_tlb"), "0>gpu.mig1.l2_tlb:6/2");
    const struct mp_dram_params *dram = block_at(&plan, "gpu.dram")->params;
    assert_int_equal(dram->channels, 2 * SLICES);
    assert_int_equal(dram->ports, 2 * 2 * SLICES);
    mp_plan_free(&plan);

    mp_machine_level(&m, "l1_tlb")->per = MP_PER_NONE;
    mp_machine_level(&m, "l3_tlb")->per = MP_PER_NONE;
    plan = plan_of(&m);
    check(&plan);
    assert_string_equal(links(&plan, "gpu.gpc2.tpc1.sm0"),
                        "0>gpu.mig1.l2_tlb:6/2 1>gpu.gpc2.tpc1.sm0.l1d:0/2");
    assert_string_equal(links(&plan, "gpu.mig1.l2_tlb"), "0>gpu.mig1.walk:0/2");
    mp_plan_free(&plan);
}

/* The second-level data cache of a slice, of a tenant, and of the machine. */
static void test_data_caches_elsewhere(void **state)
{
    static const uint32_t slices[] = {1, 2};
    struct mp_machine m = small_machine();
    (void)state;
    mp_machine_divide_slices(&m, 2, slices);
    mp_machine_level(&m, "l2d")->per = MP_PER_SLICE;
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    assert_string_equal(paths(&plan, "l2d"), "gpu.gpc0.l2d gpu.gpc1.l2d gpu.gpc2.l2d");
    assert_string_equal(links(&plan, "gpu.gpc2.tpc1.sm0.l1d"), "0>gpu.gpc2.l2d:2/2");
    assert_string_equal(links(&plan, "gpu.gpc2.l2d"), "0>gpu.mig1.dram:4/2 1>gpu.mig1.dram:5/2"
                                                      " 2>gpu.mig1.dram:6/2 3>gpu.mig1.dram:7/2");
    assert_int_equal(((const struct mp_cache_params *)block_at(&plan, "gpu.gpc2.l2d")->params)->banks, 4);
    mp_plan_free(&plan);

    mp_machine_level(&m, "l2d")->per = mp_machine_level(&m, "dram")->per = MP_PER_MACHINE;
    m.walk.level_latency = 0;
    plan = plan_of(&m);
    check(&plan);
    const struct mp_cache_params *l2d = block_at(&plan, "gpu.l2d")->params;
    assert_int_equal(l2d->banks, SLICES * 4);
    assert_int_equal(l2d->ports, 2 + SMS);
    assert_int_equal(l2d->links, SLICES * 2);
    assert_int_equal(block_at(&plan, "gpu.l2d")->tenants, 3);
    assert_string_equal(links(&plan, "gpu.mig1.walk"), "0>gpu.l2d:5/2");
    mp_plan_free(&plan);

    m = shared_machine();
    mp_machine_level(&m, "l2d")->per = mp_machine_level(&m, "walk")->per = MP_PER_TENANT;
    plan = plan_of(&m);
    check(&plan);
    assert_string_equal(paths(&plan, "l2d"), "gpu.l2d0 gpu.l2d1");
    assert_string_equal(links(&plan, "gpu.gpc0.tpc4.sm0.l1d"), "0>gpu.l2d1:3/2");
    assert_string_equal(links(&plan, "gpu.walk1"), "0>gpu.l2d1:0/2");
    assert_string_equal(links(&plan, "gpu.l2d1"), "0>gpu.dram:2/2 1>gpu.dram:3/2");
    mp_plan_free(&plan);
}

/* One of several links that begin at the same out link is in use at a time. */
/* Each second-level data cache has a link to the host, and all caches know of its lines. */
static void test_memory_of_the_host(void **state)
{
    static const uint32_t slices[] = {1, 2};
    const struct mp_host_params host = {.latency = 1400, .line = 65536};
    struct mp_machine m = small_machine();
    (void)state;
    mp_machine_divide_slices(&m, 2, slices);
    struct mp_plan plan = plan_of(&m);
    assert_string_equal(paths(&plan, "host"), "");
    assert_string_equal(links(&plan, "gpu.mig0.l2d"), "0>gpu.mig0.dram:0/1 1>gpu.mig0.dram:1/1");
    assert_false(((const struct mp_cache_params *)block_at(&plan, "gpu.mig0.l2d")->params)->remote);
    mp_plan_free(&plan);

    mp_machine_add_host(&m, &host);
    plan = plan_of(&m);
    check(&plan);
    assert_string_equal(paths(&plan, "host"), "gpu.host");
    assert_string_equal(links(&plan, "gpu.mig0.l2d"),
                        "0>gpu.mig0.dram:0/1 1>gpu.mig0.dram:1/1 2>gpu.host:0/1");
    const struct mp_cache_params *l2d = block_at(&plan, "gpu.mig1.l2d")->params;
    const struct mp_cache_params *l1d = block_at(&plan, "gpu.gpc0.tpc0.sm0.l1d")->params;
    const struct mp_host_params *p = block_at(&plan, "gpu.host")->params;
    assert_true(l1d->remote && l2d->remote);
    assert_int_equal(l1d->hosts, 0);
    assert_int_equal(l2d->hosts, 1);
    assert_int_equal(l2d->links, 4);
    assert_int_equal(p->ports, 2);
    assert_int_equal(p->latency, 1400);
    mp_plan_free(&plan);
}

static void test_instances_that_vary(void **state)
{
    struct mp_machine m = small_machine();
    (void)state;
    mp_machine_level(&m, "walk")->per = MP_PER_TENANT; /* no tenant has a separate part */
    mp_machine_let_instances_vary(&m, 2);
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    assert_string_equal(paths(&plan, "walk"), "gpu.gpc0.walk gpu.gpc0to1.walk gpu.gpc0to2.walk gpu.gpc1.walk"
                                              " gpu.gpc1to2.walk gpu.gpc2.walk");
    assert_string_equal(links(&plan, "gpu.gpc2.tpc1.sm1.l1d"),
                        "0>gpu.gpc0to2.l2d:11/3 0>gpu.gpc1to2.l2d:7/3 0>gpu.gpc2.l2d:3/3");
    assert_string_equal(links(&plan, "gpu.l3_tlb"),
                        "0>gpu.gpc0.walk:0/1 0>gpu.gpc0to1.walk:0/1 0>gpu.gpc0to2.walk:0/1"
                        " 0>gpu.gpc1.walk:0/1 0>gpu.gpc1to2.walk:0/1 0>gpu.gpc2.walk:0/1"
                        " 1>gpu.gpc0.walk:1/2 1>gpu.gpc0to1.walk:1/2 1>gpu.gpc0to2.walk:1/2"
                        " 1>gpu.gpc1.walk:1/2 1>gpu.gpc1to2.walk:1/2 1>gpu.gpc2.walk:1/2");
    assert_int_equal(block_at(&plan, "gpu.l3_tlb")->outs, 2);
    assert_int_equal(
        ((const struct mp_walk_params *)block_at(&plan, "gpu.gpc0to2.walk")->params)->geometry.walkers,
        2 * 3);
    assert_string_equal(plan.block[0].path, "gpu.gpc0.l2_tlb"); /* slices come first */
    mp_plan_free(&plan);
}

/* The links of an L1 TLB to its next level and its peers: a ring of the machine, or one in each slice. */
static void test_rings(void **state)
{
    static const uint32_t slices[] = {1, 2}, sms[] = {5, 4};
    struct mp_machine m = small_machine();
    (void)state;
    mp_machine_level(&m, "l1_tlb")->per = MP_PER_SM;
    m.l1_tlb.exchange.policy = &mp_neighbour_neidty;
    mp_machine_divide_slices(&m, 2, slices);
    struct mp_plan plan = plan_of(&m);
    check(&plan);
    assert_string_equal(
        links(&plan, "gpu.gpc1.tpc0.sm0.l1_tlb"),
        "0>gpu.gpc1.l2_tlb:0/2 1>gpu.gpc1.tpc1.sm1.l1_tlb:0/2 2>gpu.gpc1.tpc0.sm1.l1_tlb:0/2");
    const struct mp_plan_block *first = &plan.block[mp_plan_find(&plan, "gpu.gpc1.tpc0.sm0.l1_tlb")];
    assert_int_equal(first->ring, 4);
    assert_int_equal(first->ring_place, 0);
    assert_int_equal(first->peer_sm[0], first->first_sm + 3);
    assert_int_equal(first->peer_sm[1], first->first_sm + 1);
    mp_plan_free(&plan);

    mp_machine_divide_sms(&m, 2, sms); /* SMs 0 to 4 and 5 to 8: the ring passes over the others */
    plan = plan_of(&m);
    check(&plan);
    const struct mp_plan_block *fifth = &plan.block[mp_plan_find(&plan, "gpu.gpc1.tpc0.sm0.l1_tlb")];
    assert_int_equal(fifth->ring, 9);
    assert_int_equal(fifth->ring_place, 4);
    assert_int_equal(fifth->tenants, 1);
    assert_int_equal(fifth->hears, 3); /* its right neighbour is the other tenant's */
    assert_int_equal(plan.block[mp_plan_find(&plan, "gpu.gpc0.tpc0.sm0.l1_tlb")].peer_sm[0], 8);
    mp_plan_free(&plan);

    m.l1_tlb.exchange.policy = &mp_neighbour_ring; /* groups of four, and one of one */
    m.l1_tlb.exchange.values = mp_design_defaults(&mp_neighbour_ring.design);
    plan = plan_of(&m);
    check(&plan);
    assert_int_equal(plan.block[mp_plan_find(&plan, "gpu.gpc0.tpc0.sm0.l1_tlb")].outs, 1 + 3);
    assert_int_equal(plan.block[mp_plan_find(&plan, "gpu.gpc2.tpc0.sm0.l1_tlb")].outs, 1);
    m.l1_tlb.exchange.sharing = true; /* and links to all */
    mp_plan_free(&plan);
    plan = plan_of(&m);
    check(&plan);
    assert_int_equal(plan.block[mp_plan_find(&plan, "gpu.gpc0.tpc0.sm0.l1_tlb")].outs, 1 + 8);
    assert_int_equal(plan.block[mp_plan_find(&plan, "gpu.gpc2.tpc0.sm0.l1_tlb")].outs, 1 + 8);
    mp_plan_free(&plan);

    struct mp_error err;
    mp_machine_level(&m, "l1_tlb")->per = MP_PER_SLICE;
    mp_machine_divide_slices(&m, 2, slices);
    assert_int_equal(mp_plan_init(&plan, &m, &err), -1);
    assert_string_equal(err.text, "machine: gpu.gpc0.l1_tlb: a ring of 1 blocks l1_tlb; more are needed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instances_of_slices),
        cmocka_unit_test(test_parameters_fit_the_place),
        cmocka_unit_test(test_static_partition),
        cmocka_unit_test(test_unused_slices_are_not_built),
        cmocka_unit_test(test_sms_divided_among_tenants),
        cmocka_unit_test(test_short_slices_and_slices_of_memory),
        cmocka_unit_test(test_a_link_to_each_bank),
        cmocka_unit_test(test_tlbs_of_the_tenants_own),
        cmocka_unit_test(test_walkers_of_the_tenants_own),
        cmocka_unit_test(test_levels_elsewhere),
        cmocka_unit_test(test_data_caches_elsewhere),
        cmocka_unit_test(test_memory_of_the_host),
        cmocka_unit_test(test_instances_that_vary),
        cmocka_unit_test(test_rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
