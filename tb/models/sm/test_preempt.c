/* SPDX-License-Identifier: Apache-2.0 */
/* Applications that stop between work-groups and go on later: nothing is lost or done twice, under every
 * dispatch policy and at every cycle. */
#include "app_bench.h"

enum { NONE = 1000 };

static uint32_t absent = NONE; /* page of the heap without a translation */

static void translate(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    req->source = MP_FROM_TLB;
    req->fault = req->va - HEAP < NONE * PAGE && (req->va - HEAP) / PAGE == absent;
    req->pa = req->va - HEAP;
}

static int tear_down(void **state)
{
    (void)state;
    absent = NONE;
    tear_down_tenants();
    return 0;
}

/* --- workloads ------------------------------------------------------------------------------------ */

static void start_random(uint32_t i, const struct mp_dispatch_policy *policy)
{
    begin_trace();
    for (uint32_t k = rng_between(&b.rng, 1, 3); k; k--)
        kernel_of_random_loads(rng_between(&b.rng, 1, 60), 1u << rng_below(&b.rng, 3), 0);
    start_tenant(i, policy, 0, 0, SMS);
}

/* --- what must hold --------------------------------------------------------------------------------- */

/* What the policy has added to the trace's instructions and accesses. */
struct added {
    uint64_t instructions, accesses;
};

static struct added added_by_policy(const struct mp_app *app)
{
    const struct mp_metric_table *table = app->p.dispatch->design.counters;
    const struct {
        uint64_t instructions, pops, foreign;
    } *persistent = app->counters;
    assert_true(!table || app->p.dispatch == mp_dispatch_policy_find("persistent"));
    return table ? (struct added){persistent->instructions, persistent->pops} : (struct added){0, 0};
}

static void nothing_is_on_the_sms(void)
{
    for (uint32_t k = 0; k < SMS; k++) {
        assert_int_equal(b.sm[k].used | b.sm[k].ready | b.sm[k].lsu_waiting, 0);
        assert_int_equal(b.sm[k].room.local_used | b.sm[k].room.warps_used, 0);
    }
}

static void all_was_done_once(uint32_t i)
{
    const struct mp_app *app = &tenants[i].app;
    const struct gwt_totals *all = gwt_totals(tenants[i].reader);
    const struct mp_sm_stats s = counted(i);
    const struct added added = added_by_policy(app);
    assert_int_equal(tenants[i].completed, 1);
    assert_int_equal(app->stats.completions, 1);
    assert_int_equal(app->stats.kernels, all->kernels);
    assert_int_equal(app->stats.accesses, all->accesses);
    assert_int_equal(s.issued, all->instructions + added.instructions);
    assert_true(s.accesses >= all->accesses + added.accesses);
    if (!added.instructions) {
        assert_int_equal(s.accesses, all->accesses);
        assert_int_equal(s.ctas, all->ctas);
    }
}

static void pass(uint64_t cycles)
{
    const uint64_t until = b.wheel.now + cycles;
    run_until(&b.wheel, until);
    mp_wheel_advance(&b.wheel, until);
}

/* Waits until the application has stopped or completed. Returns whether it has stopped. */
static bool preempt(uint32_t i)
{
    struct tenant *t = &tenants[i];
    const uint32_t before = t->preempted;
    if (t->completed)
        return false;
    mp_app_preempt(&t->app);
    run_dry(&b.wheel);
    assert_int_equal(t->preempted - before + t->completed, 1);
    return !t->completed;
}

/* --- tests ---------------------------------------------------------------------------------------- */

static uint32_t stops, in_kernels;

static void stop_often(uint32_t i)
{
    uint64_t cycles = 0;
    for (;;) {
        const uint64_t at = b.wheel.now;
        pass(rng_below(&b.rng, rng_percent(&b.rng, 20) ? 3 : 300));
        if (!preempt(i))
            break;
        nothing_is_on_the_sms();
        stops++;
        in_kernels += tenants[i].app.kernel != NULL;
        assert_true(tenants[i].app.stats.cycles >= cycles);
        assert_true(tenants[i].app.stats.cycles <= cycles + b.wheel.now - at);
        cycles = tenants[i].app.stats.cycles;
        pass(rng_below(&b.rng, 500)); /* which do not count */
        mp_app_restore(&tenants[i].app);
    }
    assert_true(tenants[i].app.stats.cycles >= cycles);
}

static void any_policy_stops_anywhere(void **state)
{
    b.rng = rng_start("any_policy_stops_anywhere", 5);
    for (uint32_t p = 0; mp_dispatch_policies[p]; p++) {
        in_kernels = stops = 0;
        for (uint32_t round = 0; round < 40; round++) {
            set_up_sms(8, translate);
            start_random(0, mp_dispatch_policies[p]);
            stop_often(0);
            all_was_done_once(0);
            nothing_is_on_the_sms();
            if (mp_dispatch_policies[p + 1] || round < 39)
                tear_down(state);
        }
        print_message("%s: %u stops, %u in kernels\n", mp_dispatch_policies[p]->design.name, stops,
                      in_kernels);
        assert_true(in_kernels > 50 && stops > in_kernels);
    }
}

/* Two applications have the SMs by turns. */
static void others_run_meanwhile(void **state)
{
    b.rng = rng_start("others_run_meanwhile", 6);
    for (uint32_t p = 0; mp_dispatch_policies[p]; p++) {
        bool left = true;
        set_up_sms(8, translate);
        start_random(0, mp_dispatch_policies[p]);
        pass(rng_below(&b.rng, 200));
        left = preempt(0);
        start_random(1, mp_dispatch_policies[p]);
        for (uint32_t turn = 1; left; turn ^= 1) {
            pass(rng_below(&b.rng, 1000));
            preempt(turn);
            left = !tenants[0].completed || !tenants[1].completed;
            const uint32_t next = tenants[turn ^ 1].completed ? turn : turn ^ 1;
            if (left)
                mp_app_restore(&tenants[next].app);
            turn = next ^ 1;
        }
        run_dry(&b.wheel);
        all_was_done_once(0);
        all_was_done_once(1);
        if (mp_dispatch_policies[p + 1])
            tear_down(state);
    }
}

/* At every cycle: in a kernel, in the launch latency, when all work-groups have begun. */
static void a_stop_at_each_cycle(void **state)
{
    uint64_t at = 0;
    for (bool ends = false; !ends; at++) {
        b.rng = (struct rng){99};
        set_up_sms(2, translate);
        begin_trace();
        kernel_of_random_loads(9, 2, 0);
        kernel_of_random_loads(7, 1, 0);
        start_tenant(0, NULL, 0, 0, SMS);
        pass(at);
        ends = tenants[0].completed;
        if (preempt(0)) {
            mp_app_restore(&tenants[0].app);
            run_dry(&b.wheel);
        }
        all_was_done_once(0);
        tear_down(state);
    }
    assert_true(at > 2 * LAUNCH);
    set_up_sms(2, translate); /* for tear_down */
}

/* A request that comes while everything that is left has begun, or between the last kernel and the end. */
static void nothing_left_to_begin_is_no_stop(void **state)
{
    (void)state;
    set_up_sms(8, translate);
    begin_trace();
    kernel(3, 1, 0);
    for (uint32_t c = 0; c < 3; c++)
        idle_cta(c, 1, 50);
    gwt_write_kernel_end(b.writer);
    start_tenant(0, NULL, 0, 0, SMS);
    pass(10);
    assert_int_equal(preempt(0), false);
    all_was_done_once(0);
    assert_int_equal(tenants[0].end, 50 + LAUNCH);
    tear_down(state);
    set_up_sms(8, translate);
    begin_trace();
    idle_kernel(50);
    start_tenant(0, NULL, 0, 0, SMS);
    pass(50 + LAUNCH / 2);
    assert_int_equal(preempt(0), false);
    assert_int_equal(tenants[0].end, 50 + LAUNCH);
}

/* The latency between kernels has passed when the application goes on; then it takes the one of a launch. */
static void between_kernels(void **state)
{
    (void)state;
    set_up_sms(8, translate);
    begin_trace();
    idle_kernel(50);
    idle_kernel(60);
    start_tenant(0, NULL, 0, 0, SMS);
    pass(60);
    assert_int_equal(preempt(0), true);
    assert_int_equal(b.wheel.now, 50 + LAUNCH);
    assert_int_equal(tenants[0].app.stats.cycles, 50 + LAUNCH);
    pass(1000);
    mp_app_restore(&tenants[0].app);
    run_dry(&b.wheel);
    all_was_done_once(0);
    assert_int_equal(tenants[0].app.stats.cycles, 50 + LAUNCH + LAUNCH + 60 + LAUNCH);
}

/* However early the next request is, a stopped application begins something. */
static void each_turn_makes_progress(void **state)
{
    b.rng = rng_start("each_turn_makes_progress", 8);
    for (uint32_t p = 0; mp_dispatch_policies[p]; p++) {
        set_up_sms(8, translate);
        start_random(0, mp_dispatch_policies[p]);
        while (preempt(0))
            mp_app_restore(&tenants[0].app);
        all_was_done_once(0);
        assert_true(tenants[0].preempted > 0);
        assert_true(tenants[0].preempted <=
                    gwt_totals(tenants[0].reader)->ctas + gwt_totals(tenants[0].reader)->kernels);
        if (mp_dispatch_policies[p + 1])
            tear_down(state);
    }
}

/* A page that faulted is served before the stop. */
static void faults_are_served_before(void **state)
{
    (void)state;
    set_up_sms(1, translate);
    b.rng = (struct rng){7};
    begin_trace();
    kernel_of_random_loads(40, 2, 0);
    start_tenant(0, NULL, 0, 0, SMS);
    tenants[0].keeps_faults = true;
    absent = 2;
    run_dry(&b.wheel);
    assert_true(tenants[0].faults > 0);
    mp_app_preempt(&tenants[0].app);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].preempted, 0);
    absent = NONE;
    for (struct mp_req *page; (page = mp_queue_pop(&tenants[0].kept));)
        mp_sm_retry(&b.sm[page->sm], page);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].preempted, 1);
    mp_app_restore(&tenants[0].app);
    run_dry(&b.wheel);
    all_was_done_once(0);
}

/* Given up while it is about to stop, it completes; given up when it has stopped, it does not. */
static void an_abort_wins(void **state)
{
    (void)state;
    set_up_sms(1, translate);
    b.rng = (struct rng){7};
    begin_trace();
    kernel_of_random_loads(40, 2, 0);
    start_tenant(0, NULL, 0, 0, SMS);
    pass(20);
    mp_app_preempt(&tenants[0].app);
    pass(1);
    mp_app_abort(&tenants[0].app);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].preempted, 0);
    assert_int_equal(tenants[0].completed, 1);
    assert_int_equal(tenants[0].app.stats.completions, 0);
    nothing_is_on_the_sms();
    tear_down(state);
    set_up_sms(1, translate);
    begin_trace();
    kernel_of_random_loads(40, 2, 0);
    start_tenant(0, NULL, 0, 0, SMS);
    pass(20);
    assert_int_equal(preempt(0), true);
    mp_app_abort(&tenants[0].app);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].completed, 0);
    assert_null(tenants[0].app.next_cta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(any_policy_stops_anywhere, tear_down),
        cmocka_unit_test_teardown(others_run_meanwhile, tear_down),
        cmocka_unit_test_teardown(a_stop_at_each_cycle, tear_down),
        cmocka_unit_test_teardown(nothing_left_to_begin_is_no_stop, tear_down),
        cmocka_unit_test_teardown(between_kernels, tear_down),
        cmocka_unit_test_teardown(each_turn_makes_progress, tear_down),
        cmocka_unit_test_teardown(faults_are_served_before, tear_down),
        cmocka_unit_test_teardown(an_abort_wins, tear_down),
    };
    return cmocka_run_group_tests_name("preempt", tests, NULL, NULL);
}
