/* SPDX-License-Identifier: Apache-2.0 */
/* Pages without a translation: the owner keeps them, and the SM goes on with other pages until they are tried
 * again or given up. */
#include "sm_bench.h"

static bool absent[64]; /* by page of the heap */
static struct mp_req_queue kept;
static bool give_up_at_once;

static void translate_present(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    req->fault = absent[(req->va - HEAP) / PAGE];
    req->pa = req->va - HEAP + (1ull << 20); /* lines are not checked: see no_check */
}

static void no_check(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    (void)req;
}

static bool keep(void *self, struct mp_sm *sm, struct mp_req *page)
{
    assert_ptr_equal(self, &b);
    assert_true(absent[(page->va - HEAP) / PAGE]);
    b.faults++;
    if (give_up_at_once)
        mp_sm_give_up(sm, page);
    else
        mp_queue_push(&kept, page);
    return true;
}

/* Starts `warps` warps, each of which loads from `pages` pages (from page 0 on), `times` times with a barrier
 * after each. The TLB answers later, never in the call, so that answers can be faults. */
static void start(struct mp_sm_params p, uint32_t warps, uint32_t pages, uint32_t times)
{
    memset(absent, 0, sizeof absent);
    kept = (struct mp_req_queue){0};
    give_up_at_once = false;
    set_up(&p);
    b.owner.fault = keep;
    b.tlb.answer = translate_present;
    b.tlb.done = 0;
    b.cache.answer = no_check;
    one_cta(warps);
    for (uint32_t w = 0; w < warps; w++) {
        warp(w);
        for (uint32_t i = 0; i < times; i++) {
            load(3, pages, 0, PAGE);
            point(GWT_BARRIER, 2);
        }
        point(GWT_EXIT, 1);
    }
    end_trace();
}

static void replay(void)
{
    struct mp_req *page;
    struct mp_req_queue pages = kept;
    kept = (struct mp_req_queue){0};
    while ((page = mp_queue_pop(&pages)))
        mp_sm_retry(&b.sm, page);
}

/* Under both kinds of warp schedulers. */
static struct mp_sm_params params(unsigned i)
{
    struct mp_sm_params p = base();
    p.scheduler = mp_warp_scheduler_find(i ? "lrr" : "gto");
    return p;
}

static void count_faults(void *self, const struct mp_xray_wait *w)
{
    uint32_t *n = self;
    assert_int_equal(w->since, 3);
    *n += w->out == MP_XRAY_HERE && !w->outside && !strcmp(w->where, "page fault of warp");
}

static void no_room(void *self, const char *name, uint64_t used, uint64_t most)
{
    (void)self, (void)name, (void)used, (void)most;
}

/* In an X-ray, an access of which the owner has the rest is not on its way to a block below. */
static void an_access_that_waits_for_its_owner_is_not_lost(void **state)
{
    uint32_t n = 0;
    const struct mp_xray x = {&n, no_room, count_faults};
    (void)state;
    start(params(0), 1, 8, 1);
    absent[3] = true;
    start_what_fits();
    run_until(&b.wheel, 10);
    mp_sm_xray(&b.sm, &x);
    assert_int_equal(n, 0);
    run_dry(&b.wheel);
    mp_sm_xray(&b.sm, &x);
    assert_int_equal(n, 1);
    absent[3] = false;
    replay();
    run_dry(&b.wheel);
    assert_int_equal(b.ended, 1);
}

static void a_retry_ends_as_if_nothing_had_been(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        start(params(i), 4, 8, 2);
        absent[3] = absent[5] = true;
        start_what_fits();
        run_dry(&b.wheel);
        assert_int_equal(b.ended, 0);
        assert_int_equal(b.faults, 8); /* two pages of each warp's first access */
        assert_int_equal(b.accesses, 0);
        assert_int_equal(b.cache.seen, 4 * 6);
        replay();
        run_dry(&b.wheel);
        assert_int_equal(b.faults, 16); /* the pages are still absent */
        absent[3] = false;
        replay();
        run_dry(&b.wheel);
        assert_int_equal(b.faults, 20);
        absent[5] = false;
        replay();
        run_dry(&b.wheel);
        assert_int_equal(b.ended, 1);
        assert_int_equal(b.accesses, 8);
        assert_int_equal(b.cache.seen, 8 * 8);
        assert_int_equal(b.sm.stats[0].issued, 4 * (2 * 5 + 1));
        if (!i)
            tear_down(state);
    }
}

/* A data cache that is looked up before translation, with faults of lines. */
static void answer_virtual(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    assert_int_equal(req->pa, req->va);
    req->fault = absent[(req->va - HEAP) / PAGE] ? MP_FAULT_NOT_VALID : MP_FAULT_NONE;
    req->source = MP_FROM_TLB;
}

static void lines_with_virtual_addresses_fault_one_by_one(void **state)
{
    struct mp_sm_params p = base();
    (void)state;
    p.sends_virtual = true;
    start(p, 1, 8, 2);
    b.cache.answer = answer_virtual;
    b.cache.done = 0;
    absent[3] = absent[5] = true;
    start_what_fits();
    run_dry(&b.wheel);
    assert_int_equal(b.faults, 2);
    assert_int_equal(b.cache.seen, 8);
    assert_int_equal(b.ended, 0);
    replay(); /* the pages are still absent */
    run_dry(&b.wheel);
    assert_int_equal(b.faults, 4);
    assert_int_equal(b.sm.returned[0], 0);
    absent[3] = absent[5] = false;
    replay();
    run_dry(&b.wheel);
    assert_int_equal(b.ended, 1);
    assert_int_equal(b.accesses, 2);
    assert_int_equal(b.cache.seen, 2 * 8 + 4);
    assert_int_equal(b.sm.returned[0], 2);
    assert_int_equal(b.tlb.seen, 0);
}

/* The TLB holds requests at random: retries must wait as others do, and none is lost. */
static void retries_on_a_link_that_is_held(void **state)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        start(params(seed % 2), 6, 12, 3);
        b.rng.state = seed;
        b.tlb.hold = 30;
        b.cache.hold = 20;
        b.cache.done = 50;
        absent[1] = absent[2] = absent[7] = true;
        start_what_fits();
        for (unsigned turn = 0; !b.ended; turn++) {
            run_until(&b.wheel, b.wheel.now + rng_between(&b.rng, 1, 60));
            assert_true(turn < 10000);
            if (turn > 20)
                absent[turn % 8] = false;
            replay();
        }
        assert_int_equal(b.accesses, 18);
        assert_int_equal(b.cache.seen, 18 * 12);
        assert_null(kept.head);
        if (seed < 40)
            tear_down(state);
    }
}

static void a_stalled_sm_translates_retries_only(void **state)
{
    (void)state;
    start(params(1), 4, 4, 2);
    absent[0] = true;
    start_what_fits();
    while (!b.faults)
        run_until(&b.wheel, mp_wheel_next(&b.wheel));
    mp_sm_stall(&b.sm, true);
    run_dry(&b.wheel);
    uint32_t seen = b.tlb.seen, faults = b.faults;
    assert_true(seen < 8 && faults <= 2); /* those in flight, and the step that was scheduled */
    absent[0] = false;
    replay();
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.seen, seen + faults);
    mp_sm_stall(&b.sm, false);
    run_dry(&b.wheel);
    assert_int_equal(b.ended, 1);
    assert_int_equal(b.tlb.seen, 4 * 4 * 2 + faults);
}

/* Whenever the SM is aborted, each warp ends, and accesses that faulted are given up, as are those that fault
 * later. */
static void everything_ends_when_it_is_given_up(void **state)
{
    for (unsigned i = 0; i < 2; i++)
        for (uint64_t when = 1; when < 60; when++) {
            struct mp_sm_params p = params(i);
            struct mp_req *page;
            p.lsu_queue = 1; /* warps wait for room, too */
            start(p, 6, 6, 3);
            absent[2] = true;
            start_what_fits();
            run_until(&b.wheel, when);
            mp_wheel_advance(&b.wheel, when);
            give_up_at_once = true;
            mp_sm_abort(&b.sm, &b.owner);
            while ((page = mp_queue_pop(&kept)))
                mp_sm_give_up(&b.sm, page);
            run_dry(&b.wheel);
            assert_int_equal(b.ended, 1);
            assert_true(b.accesses < 18);
            assert_int_equal(b.sm.used, 0);
            assert_true(mp_sm_has_room(&b.sm, 8, 1000));
            tear_down(state);
        }
    start(base(), 1, 1, 1);
}

/* Pages in use are those of accesses that were issued before and have lines in flight, neither pages that
 * wait for a retry nor pages that have not been translated. */
static void translations_in_use(void **state)
{
    (void)state;
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    struct mp_sm_params p = base();
    p.lsu_queue = 8;
    start(p, 1, 4, 1);
    absent[1] = absent[2] = absent[3] = true;
    start_what_fits();
    assert_false(mp_sm_uses_translations_of(&b.sm, &all, 1000));
    run_until(&b.wheel, 3 + TLB + 1); /* page 0's line is with the cache */
    assert_int_equal(b.cache.seen, 1);
    assert_true(mp_sm_uses_translations_of(&b.sm, &all, 4));
    assert_false(mp_sm_uses_translations_of(&b.sm, &all, 3)); /* it was issued in cycle 3 */
    run_dry(&b.wheel);
    assert_int_equal(b.faults, 3);
    assert_false(mp_sm_uses_translations_of(&b.sm, &all, 1000));
    memset(absent, 0, sizeof absent);
    replay();
    run_until(&b.wheel, b.wheel.now + 2);
    assert_true(mp_sm_uses_translations_of(&b.sm, &all, 1000));
    run_dry(&b.wheel);
    assert_false(mp_sm_uses_translations_of(&b.sm, &all, 1000));
    assert_int_equal(b.ended, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_access_that_waits_for_its_owner_is_not_lost, tear_down),
        cmocka_unit_test_teardown(a_retry_ends_as_if_nothing_had_been, tear_down),
        cmocka_unit_test_teardown(lines_with_virtual_addresses_fault_one_by_one, tear_down),
        cmocka_unit_test_teardown(retries_on_a_link_that_is_held, tear_down),
        cmocka_unit_test_teardown(a_stalled_sm_translates_retries_only, tear_down),
        cmocka_unit_test_teardown(everything_ends_when_it_is_given_up, tear_down),
        cmocka_unit_test_teardown(translations_in_use, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
