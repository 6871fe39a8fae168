/* SPDX-License-Identifier: Apache-2.0 */
/* Owner tables of DWS are rewritten while walks are in flight, as firmware does when tenants come and go. */
#include "mig_bench.h"

enum { FCFS, STATIC, DWS, DWSPP }; /* walk.scheduler */
enum { WALKERS = 4 };              /* two walkers in each of two slices */

static uint32_t give(unsigned policy, uint64_t first, uint64_t second)
{
    W4(WALK_INSTANCE, 0);
    W4(WALK_POLICY, policy);
    W4(WALK_EPOCH, 10);
    w8(MP_GPU_WALK_OWNED, first);
    w8(MP_GPU_WALK_OWNED + 8, second);
    W4(WALK_APPLY, 1);
    return R4(WALK_STATUS);
}

/* Two address spaces on one instance; both map the same pages. */
static void ready(void)
{
    struct table t;
    assert_int_equal(create(0, 2), MP_MGMT_OK);
    table_make(&t, 0);
    for (uint64_t p = 0; p < PAGES; p++)
        table_map(&t, HEAP + p * PAGE, MB + p * PAGE);
    for (unsigned asid = 0; asid < 2; asid++)
        assert_int_equal(commit(asid, 0, t.root), MP_MGMT_OK);
}

/* Walks of a launch while walkers are taken from it and returned, every few cycles. */
static uint64_t walks_with(unsigned policy, bool rewritten, unsigned *rewrites)
{
    set_up(3);
    ready();
    assert_int_equal(give(policy, 0x3, 0xc), MP_MGMT_OK);
    assert_int_equal(launch(0, 0, 0, 70), MP_MGMT_OK);
    *rewrites = 0;
    for (unsigned i = 0; !R4(DONE_COUNT) && i < 100000; i++) {
        go_on(37);
        if (!rewritten)
            continue;
        assert_int_equal(give(policy, i % 2 ? 0x1 : 0x7, i % 2 ? 0xe : 0x8), MP_MGMT_OK);
        *rewrites += !mp_walk_idle(b.gpu.instance[0].walk);
    }
    settle();
    assert_int_equal(R4(DONE_TAG), 70);
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_OK);
    return count(0, MP_MGMT_WALKS);
}

static void owners_change_under_way(void **state)
{
    (void)state;
    unsigned rewrites;
    for (unsigned policy = STATIC; policy <= DWSPP; policy++) {
        uint64_t undisturbed = walks_with(policy, false, &rewrites);
        tear_down(NULL);
        assert_true(undisturbed >= PAGES);
        assert_true(walks_with(policy, true, &rewrites) >= PAGES);
        assert_true(rewrites > 10);
        if (policy != DWSPP)
            tear_down(NULL);
    }
}

static void nothing_else_does(void **state)
{
    (void)state;
    set_up(3);
    ready();
    assert_int_equal(give(DWS, 0x3, 0xc), MP_MGMT_OK);
    assert_int_equal(launch(0, 0, 0, 70), MP_MGMT_OK);
    while (mp_walk_idle(b.gpu.instance[0].walk))
        go_on(1);
    assert_int_equal(give(STATIC, 0x3, 0xc), MP_MGMT_BUSY);
    W4(WALK_QUEUE, 17);
    assert_int_equal(give(DWS, 0x3, 0xc), MP_MGMT_BUSY);
    W4(WALK_QUEUE, 0);
    assert_int_equal(give(DWS, 0, 0), MP_MGMT_BUSY); /* walkers that are divided evenly get no owners */
    assert_int_equal(give(DWS, 0x3, 0x4), MP_MGMT_BAD_VALUE);
    assert_int_equal(give(DWS, 0xf, 0), MP_MGMT_OK);
    const struct mp_walk *walk = b.gpu.instance[0].walk;
    for (unsigned w = 0; w < WALKERS; w++)
        assert_int_equal(walk->p.scheduler->owner(walk->intake.state, w), 0);
    assert_int_equal(give(DWS, 0x5, 0xa), MP_MGMT_OK);
    for (unsigned w = 0; w < WALKERS; w++)
        assert_int_equal(walk->p.scheduler->owner(walk->intake.state, w), w % 2);
    settle();
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_OK);
    assert_int_equal(give(STATIC, 0x3, 0xc), MP_MGMT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(owners_change_under_way, tear_down),
                                       cmocka_unit_test_teardown(nothing_else_does, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
