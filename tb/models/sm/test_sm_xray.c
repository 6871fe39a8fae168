/* SPDX-License-Identifier: Apache-2.0 */
/* An SM's part of an X-ray: warps by what they wait for, and accesses from their issue to their last line. */
#include "sm_bench.h"

struct seen {
    unsigned waits, queued, in_flight;
    uint64_t since, warps, issuing, lsu;
};

static void room(void *self, const char *name, uint64_t used, uint64_t most)
{
    struct seen *s = self;
    assert_true(!most || used <= most);
    if (!strcmp(name, "warps"))
        s->warps = used;
    if (!strcmp(name, "warps that may issue"))
        s->issuing = used;
    if (!strcmp(name, "load-store queue"))
        s->lsu = used;
}

static void wait(void *self, const struct mp_xray_wait *w)
{
    struct seen *s = self;
    assert_int_equal(w->sm, 3);
    s->waits++;
    s->since = w->since;
    s->queued += !strcmp(w->where, "load-store queue, warp");
    s->in_flight += !strcmp(w->where, "access of warp");
}

static struct seen look_at(uint64_t cycle)
{
    struct seen s = {0};
    const struct mp_xray x = {&s, room, wait};
    run_until(&b.wheel, cycle);
    mp_sm_xray(&b.sm, &x);
    return s;
}

static void begin(void)
{
    end_trace();
    start_what_fits();
}

static void test_a_warp_that_computes_is_not_blocked(void **state)
{
    const struct mp_sm_params p = base();
    (void)state;
    set_up(&p);
    b.tlb.done = b.cache.done = 0; /* answers come later, not in the call */
    one_cta(1);
    warp(0);
    load(1000, 32, 0, 4);
    point(GWT_EXIT, 1);
    begin();
    struct seen s = look_at(500);
    assert_true(mp_sm_may_issue(&b.sm, 0));
    assert_int_equal(s.waits, 0);
    assert_int_equal(s.warps, 1);
    assert_int_equal(s.issuing, 1);
    s = look_at(1000 + TLB + 1);
    assert_false(mp_sm_may_issue(&b.sm, 1));
    assert_int_equal(s.in_flight, 1);
    assert_int_equal(s.since, 1000);
    s = look_at(2000);
    assert_int_equal(s.waits, 0);
    assert_int_equal(s.warps, 0);
    assert_false(mp_sm_may_issue(&b.sm, 0));
}

/* Each access has 32 pages, and one page is translated in a cycle: later accesses wait in the queue. */
static void test_accesses_wait_in_the_queue_and_then_in_flight(void **state)
{
    const struct mp_sm_params p = base();
    (void)state;
    set_up(&p);
    b.tlb.done = b.cache.done = 0;
    one_cta(3);
    for (uint32_t w = 0; w < 3; w++) {
        warp(w);
        load(1, 32, w * 64 * PAGE, PAGE);
        point(GWT_EXIT, 1);
    }
    begin();
    struct seen s = look_at(10);
    assert_int_equal(s.waits, 3);
    assert_int_equal(s.in_flight, 1);
    assert_int_equal(s.queued, 2);
    assert_int_equal(s.lsu, 3);
    assert_false(mp_sm_may_issue(&b.sm, 0));
    s = look_at(45);
    assert_int_equal(s.waits, s.in_flight + s.queued);
    assert_int_equal(s.queued, 1);
    s = look_at(1000);
    assert_int_equal(s.waits, 0);
    assert_int_equal(b.accesses, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_a_warp_that_computes_is_not_blocked, tear_down),
        cmocka_unit_test_teardown(test_accesses_wait_in_the_queue_and_then_in_flight, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
