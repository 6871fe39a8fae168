/* SPDX-License-Identifier: Apache-2.0 */
/* An SM: barriers, schedulers that issue in the same cycle, back-pressure, room for work-groups. */
#include "sm_bench.h"

static void a_barrier_waits_for_all_and_for_their_accesses(void **state)
{
    (void)state;
    struct mp_sm_params p = base();
    p.schedulers = 2;
    set_up(&p);
    one_cta(2);
    warp(0);
    point(GWT_BARRIER, 10);
    point(GWT_EXIT, 4);
    warp(1);
    load(1, 32, 0, 4);
    point(GWT_BARRIER, 1);
    load(2, 32, 0, 4);
    point(GWT_EXIT, 1);
    run();
    const uint64_t passed = 1 + TLB + CACHE;
    assert_int_equal(b.tlb.log[1].when, passed + 2);
    assert_int_equal(b.done[0], passed + 2 + TLB + CACHE);
}

static void a_warp_that_ends_is_not_waited_for(void **state)
{
    (void)state;
    struct mp_sm_params p = base();
    p.schedulers = 2;
    set_up(&p);
    one_cta(2);
    warp(0);
    point(GWT_BARRIER, 5);
    point(GWT_EXIT, 1);
    warp(1);
    point(GWT_EXIT, 30);
    run();
    assert_int_equal(b.done[0], 31);
}

static void schedulers_issue_side_by_side(void **state)
{
    static const struct {
        const char *scheduler;
        uint32_t schedulers;
        uint64_t first, second; /* cycles of the translations */
    } how[] = {{"gto", 1, 10, 21}, {"gto", 2, 10, 11}, {"lrr", 1, 20, 21}, {"lrr", 2, 10, 11}};
    for (unsigned k = 0; k < 4; k++) {
        struct mp_sm_params p = base();
        p.scheduler = mp_warp_scheduler_find(how[k].scheduler);
        p.schedulers = how[k].schedulers;
        set_up(&p);
        one_cta(2);
        for (uint32_t w = 0; w < 2; w++) {
            warp(w);
            load(10, 32, w * LINE, 4);
            point(GWT_EXIT, 1);
        }
        run();
        assert_int_equal(b.tlb.log[0].when, how[k].first);
        assert_int_equal(b.tlb.log[1].when, how[k].second); /* gto issues the first warp's exit before it */
        if (k < 3)
            tear_down(state);
    }
}

static void a_held_request_stops_its_stage_alone(void **state)
{
    (void)state;
    const struct mp_sm_params p = base();
    set_up(&p);
    b.cache.stop = true;
    one_cta(1);
    warp(0);
    load(5, 4, 0, PAGE);
    point(GWT_EXIT, 1);
    end_trace();
    start_what_fits();
    run_dry(&b.wheel);
    cycles_of(&b.tlb, 4, 5, 1);
    assert_int_equal(b.cache.seen, 1);
    mp_wheel_advance(&b.wheel, 100);
    b.cache.stop = false;
    fake_target_go(&b.cache, NULL);
    run_dry(&b.wheel);
    assert_int_equal(b.cache.seen, 4);
    for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(b.cache.log[i].when, 99 + i); /* the next one is sent in the cycle of the resume */
    assert_int_equal(b.done[0], 102 + CACHE);
}

static void a_held_translation_stops_the_pages_behind_it(void **state)
{
    (void)state;
    const struct mp_sm_params p = base();
    set_up(&p);
    b.tlb.stop = true;
    one_cta(1);
    warp(0);
    load(5, 4, 0, PAGE);
    point(GWT_EXIT, 1);
    end_trace();
    start_what_fits();
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.seen, 1);
    mp_wheel_advance(&b.wheel, 100);
    b.tlb.stop = false;
    fake_target_go(&b.tlb, NULL);
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.seen, 4);
    assert_int_equal(b.tlb.log[1].when, 100);
    assert_int_equal(b.tlb.log[3].when, 102);
    /* the held one is translated in cycle 103, so it queues after the three that were answered in the call */
    assert_int_equal(b.cache.log[3].va, HEAP);
    assert_int_equal(b.done[0], 103 + TLB + CACHE);
}

/* --- room for work-groups ------------------------------------------------------------------------- */

static void room_by_warps_slots_and_local_memory(void **state)
{
    (void)state;
    const struct mp_sm_params p = base(); /* 8 warps, 4 work-groups, 1000 bytes */
    set_up(&p);
    begin_trace(5, 2, 300);
    for (uint32_t c = 0; c < 5; c++) {
        gwt_write_cta(b.writer, c, 2);
        for (uint32_t w = 0; w < 2; w++) {
            warp(w);
            point(GWT_EXIT, 10 * (c + 1));
        }
    }
    end_trace();
    assert_true(mp_sm_has_room(&b.sm, 8, 1000));
    assert_false(mp_sm_has_room(&b.sm, 9, 0));
    assert_false(mp_sm_has_room(&b.sm, 1, 1001));
    start_what_fits();
    assert_int_equal(b.started, 3); /* 900 bytes */
    assert_true(mp_sm_has_room(&b.sm, 2, 100));
    assert_false(mp_sm_has_room(&b.sm, 3, 100));
    assert_false(mp_sm_has_room(&b.sm, 2, 101));
    run_dry(&b.wheel);
    assert_int_equal(b.ended, 5);
    assert_true(mp_sm_has_room(&b.sm, 8, 1000));
    assert_int_equal(b.sm.stats->ctas, 5);
    b.local_bytes = 0;
    assert_int_equal(b.sm.stats->issued, 2 * (10 + 20 + 30 + 40 + 50));
}

static void work_group_slots_are_finite(void **state)
{
    (void)state;
    struct mp_sm_params p = base();
    p.ctas = 2;
    set_up(&p);
    begin_trace(3, 1, 0);
    for (uint32_t c = 0; c < 3; c++) {
        gwt_write_cta(b.writer, c, 1);
        warp(0);
        point(GWT_EXIT, 10);
    }
    end_trace();
    start_what_fits();
    assert_int_equal(b.started, 2);
    run_dry(&b.wheel);
    assert_int_equal(b.done[0], 10);
    assert_int_equal(b.done[1], 20); /* one scheduler: the warps issue one after the other */
    assert_int_equal(b.done[2], 30);
}

static void a_full_sm_of_64_warps(void **state)
{
    (void)state;
    struct mp_sm_params p = base();
    p.warps = 64;
    p.schedulers = 4;
    set_up(&p);
    begin_trace(2, 64, 0);
    for (uint32_t c = 0; c < 2; c++) {
        gwt_write_cta(b.writer, c, 64);
        for (uint32_t w = 0; w < 64; w++) {
            warp(w);
            load(1, 32, w * PAGE, 4);
            point(GWT_BARRIER, 1);
            point(GWT_EXIT, 1);
        }
    }
    run();
    assert_int_equal(b.sm.stats->accesses, 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_barrier_waits_for_all_and_for_their_accesses, tear_down),
        cmocka_unit_test_teardown(a_warp_that_ends_is_not_waited_for, tear_down),
        cmocka_unit_test_teardown(schedulers_issue_side_by_side, tear_down),
        cmocka_unit_test_teardown(a_held_request_stops_its_stage_alone, tear_down),
        cmocka_unit_test_teardown(a_held_translation_stops_the_pages_behind_it, tear_down),
        cmocka_unit_test_teardown(room_by_warps_slots_and_local_memory, tear_down),
        cmocka_unit_test_teardown(work_group_slots_are_finite, tear_down),
        cmocka_unit_test_teardown(a_full_sm_of_64_warps, tear_down),
    };
    return cmocka_run_group_tests_name("sm_ctas", tests, NULL, NULL);
}
