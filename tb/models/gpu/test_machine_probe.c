/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probers on SMs of an assembled machine see the latencies of its levels. Their address space has another
 * number than their tenant, and every block counts for the tenant.
 */
#include "small_machine.h"

#include "gpu/direct.h"
#include "sm/prober.h"
#include "vm/frames/allocator.h"
#include "vm/page_table.h"

enum { TENANT = 1, ASID = 3 };
enum { L1_TLB = 1, L2_TLB = 10, L3_TLB = 40, L1D = 20, L2D = 60 }; /* of small_machine.c */

static const uint64_t heap = 0x10000;

static struct bench {
    struct mp_machine m;
    struct mp_coalescer coalescer;
    struct mp_plan plan;
    struct mp_direct d;
    struct mp_wheel wheel;
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_page_table table;
    uint64_t reported;
} b;

static void *model_at(const char *path)
{
    return b.d.model[mp_plan_find(&b.plan, path)];
}

static int set_up(void **state)
{
    static const uint32_t slices[] = {1, 2};
    uint64_t pa;
    (void)state;
    b = (struct bench){.m = small_machine(), .coalescer = {.page_shift = 12, .line_shift = 7}};
    b.m.sm.coalescer = &b.coalescer;
    b.m.walk.memory = &b.memory;
    mp_machine_divide_slices(&b.m, 2, slices);
    b.plan = plan_of(&b.m);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_physmem_init(&b.memory, SLICES * b.m.memory_per_slice), 0);
    const struct mp_frames_params frames = {
        .base = b.m.memory_per_slice, .bytes = b.m.memory_per_slice, .page_bytes = b.m.page_bytes};
    assert_int_equal(mp_frames_init(&b.frames, &mp_frames_ascending, &frames, NULL), 0);
    assert_int_equal(mp_page_table_init(&b.table, b.m.walk.format, &b.memory, &b.frames, 0, NULL), 0);
    assert_int_equal(mp_frames_take_page(&b.frames, 0, &pa, NULL), 0);
    assert_int_equal(mp_page_table_map(&b.table, heap, pa, 0, NULL), 0);
    assert_int_equal(mp_direct_init(&b.d, &b.plan, &b.wheel), 0);
    assert_int_equal(mp_direct_build_all(&b.d), 0);
    block_at(&b.plan, "gpu.mig1.walk")
        ->kind->set_root(model_at("gpu.mig1.walk"), ASID, b.table.format, b.table.root);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mp_direct_free(&b.d);
    mp_plan_free(&b.plan);
    mp_frames_free(&b.frames);
    mp_physmem_free(&b.memory);
    mp_wheel_free(&b.wheel);
    return 0;
}

static void report(void *self, uint64_t cycles)
{
    assert_ptr_equal(self, &b);
    b.reported = cycles;
}

static void latencies_are_those_of_the_levels(void **state)
{
    const uint64_t va[] = {heap, heap, heap + 128, heap + 4}, table = 4 + 60 * b.m.walk.format->levels;
    const struct mp_dram_params *d = &b.m.dram;
    uint64_t open =
        1 + d->cas + d->burst + d->transport; /* the first command comes the cycle after the arrival */
    uint64_t cold = open + d->rcd, cycles[4];
    (void)state;
    struct mp_prober first;
    mp_prober_init(&first, model_at("gpu.gpc1.tpc0.sm0"), ASID, TENANT);
    assert_int_equal(mp_prober_chase(&first, va, 4, cycles, report, &b), 0);
    run_dry(&b.wheel);
    assert_int_equal(first.faults, 0);
    assert_int_equal(cycles[0], L1_TLB + L2_TLB + L3_TLB + table + L1D + L2D + cold);
    assert_int_equal(cycles[1], L1_TLB + L1D);
    assert_in_range(cycles[2], L1_TLB + L1D + L2D + open, L1_TLB + L1D + L2D + cold);
    assert_int_equal(cycles[3], L1_TLB + L1D);
    assert_int_equal(b.reported, cycles[0] + cycles[1] + cycles[2] + cycles[3] + 3);

    struct mp_prober second; /* the L3 TLB and the L2 cache are the same */
    mp_prober_init(&second, model_at("gpu.gpc2.tpc1.sm1"), ASID, TENANT);
    assert_int_equal(mp_prober_pair(&second, heap, heap + 128, cycles, report, &b), 0);
    run_dry(&b.wheel);
    assert_int_equal(cycles[0], L1_TLB + L2_TLB + L3_TLB + L1D + L2D);
    assert_true(b.reported >= cycles[0] + 1);
}

static void blocks_count_for_the_tenant(void **state)
{
    (void)state;
    struct mp_prober p;
    mp_prober_init(&p, model_at("gpu.gpc1.tpc0.sm0"), ASID, TENANT);
    assert_int_equal(mp_prober_chase(&p, &heap, 1, NULL, report, &b), 0);
    run_dry(&b.wheel);
    const struct mp_sm *sm = model_at("gpu.gpc1.tpc0.sm0");
    const struct mp_tlb *l3 = model_at("gpu.l3_tlb");
    assert_int_equal(sm->stats[TENANT].accesses, 1);
    assert_int_equal(l3->stats[TENANT].lookups, 1);
    assert_int_equal(l3->stats[TENANT].fills, 1);
    assert_int_equal(l3->stats[0].lookups, 0);
    const struct mp_walk_stats *walks =
        block_at(&b.plan, "gpu.mig1.walk")->kind->stats(model_at("gpu.mig1.walk"));
    assert_int_equal(walks[TENANT].walks, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(latencies_are_those_of_the_levels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_count_for_the_tenant, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("machine_probe", tests, NULL, NULL);
}
