/* SPDX-License-Identifier: Apache-2.0 */
/* Functional mode in the middle of a run: each instruction is executed once, in one mode or the other, and
 * each slot has as many accesses in flight afterwards as before. */
#include "app_bench.h"

static uint32_t warmed;
static bool warms;

static void translate(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    req->pa = req->va - HEAP;
}

static void warm(void *self, struct mp_req *req)
{
    (void)self;
    req->pa = req->va - HEAP;
    warmed++;
}

/* Work-groups of two warps with barriers, more than the SM holds. */
static void start(void)
{
    set_up_sms(4, translate);
    warmed = 0;
    begin_trace();
    kernel(40, 2, 0);
    for (uint32_t c = 0; c < 40; c++) {
        gwt_write_cta(b.writer, c, 2);
        for (uint32_t w = 0; w < 2; w++) {
            gwt_write_warp(b.writer, w, 32);
            for (uint32_t p = 0; p < 6; p++) {
                load(3 + w, HEAP + p * PAGE + c * LINE);
                if (p % 2)
                    barrier(1);
            }
            leave(2);
        }
    }
    gwt_write_kernel_end(b.writer);
    start_tenant(0, NULL, 0, 0, 1);
    b.sm[0].translate.out.target.warm = warm;
    b.sm[0].data.out.target.warm = warm;
}

/* Ends the run, in which functional mode executes this many instructions every `period` cycles. */
static void finish(uint64_t instructions, uint64_t period)
{
    struct mp_sm *sm = &b.sm[0];
    while (!tenants[0].completed && mp_wheel_next(&b.wheel) != MP_NEVER) {
        uint16_t before[8], after[8];
        uint64_t when = b.wheel.now + period;
        run_until(&b.wheel, when);
        if (b.wheel.now < when)
            mp_wheel_advance(&b.wheel, when);
        for (uint32_t w = 0; w < 8; w++)
            before[w] = sm->warp[w].outstanding;
        assert_int_equal(mp_sm_freeze(sm), 0);
        uint64_t done = instructions ? mp_sm_run_ahead(sm, instructions, warms) : 0;
        assert_true(!sm->used || done >= instructions);
        mp_sm_thaw(sm);
        for (uint32_t w = 0; w < 8; w++) {
            after[w] = sm->warp[w].outstanding;
            assert_int_equal(after[w], before[w]);
        }
    }
    const struct gwt_totals *all = gwt_totals(tenants[0].reader);
    const struct mp_sm_stats s = counted(0);
    assert_int_equal(tenants[0].completed, 1);
    assert_int_equal(s.issued, all->instructions);
    assert_int_equal(s.accesses, all->accesses);
    assert_int_equal(s.ctas, all->ctas);
    if (warms)
        assert_int_equal(s.pages + warmed / 2, all->accesses);
    else
        assert_int_equal(warmed, 0);
}

static void test_each_instruction_once(void **state)
{
    static const uint64_t instructions[] = {1, 7, 50}, period[] = {11, 40, 97};
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++) {
            for (unsigned with = 0; with < 2; with++) {
                warms = with;
                start();
                finish(instructions[i], period[k]);
                assert_true(!warms || warmed > 0);
                tear_down_tenants();
            }
        }
}

static void test_nothing_executed_changes_nothing(void **state)
{
    (void)state;
    start();
    run_dry(&b.wheel);
    uint64_t end = tenants[0].end;
    tear_down_tenants();
    start();
    finish(0, 13);
    assert_int_equal(tenants[0].end, end);
    assert_int_equal(warmed, 0);
    tear_down_tenants();
}

/* An application whose kernel ends in functional mode launches the next one when it is asked to. */
static void test_launches_wait(void **state)
{
    struct mp_sm *sm = &b.sm[0];
    (void)state;
    warms = true;
    set_up_sms(4, translate);
    begin_trace();
    for (uint32_t k = 0; k < 2; k++) {
        kernel(1, 1, 0);
        gwt_write_cta(b.writer, 0, 1);
        gwt_write_warp(b.writer, 0, 32);
        load(3, HEAP);
        leave(2);
        gwt_write_kernel_end(b.writer);
    }
    start_tenant(0, NULL, 0, 0, 1);
    sm->translate.out.target.warm = sm->data.out.target.warm = warm;
    struct mp_app *a = &tenants[0].app;
    run_until(&b.wheel, 1);
    assert_non_null(a->kernel);
    mp_app_freeze(a);
    assert_int_equal(mp_sm_freeze(sm), 0);
    mp_sm_run_ahead(sm, 100, true);
    assert_true(a->waits && !a->kernel);
    run_until(&b.wheel, b.wheel.now + 2 * LAUNCH);
    assert_true(a->waits && !a->kernel);
    mp_app_go_on(a);
    assert_true(!a->waits && a->kernel);
    assert_int_equal(a->stats.kernels, 2);
    mp_sm_run_ahead(sm, 100, true);
    assert_true(a->waits);
    uint64_t thawed = b.wheel.now;
    mp_sm_thaw(sm);
    mp_app_thaw(a, 7);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].completed, 1);
    assert_int_equal(tenants[0].end, thawed + 7);
    tear_down_tenants();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_instruction_once),
        cmocka_unit_test(test_nothing_executed_changes_nothing),
        cmocka_unit_test(test_launches_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
