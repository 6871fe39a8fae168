/* SPDX-License-Identifier: Apache-2.0 */
/* An SM: cycles of accesses and of the load-store queue, calculated by hand. */
#include "sm_bench.h"

static void one_access(void **state)
{
    (void)state;
    const struct mp_sm_params p = base();
    set_up(&p);
    one_cta(1);
    warp(0);
    load(5, 32, 0, 4);
    point(GWT_EXIT, 1);
    run();
    cycles_of(&b.tlb, 1, 5, 0);
    cycles_of(&b.cache, 1, 5 + TLB, 0);
    assert_int_equal(b.done[0], 5 + TLB + CACHE); /* the exit waits for the load */
    const struct mp_sm_stats *s = b.sm.stats;
    assert_int_equal(s->issued, 6);
    assert_int_equal(s->accesses, 1);
    assert_int_equal(b.accesses, 1);
    assert_int_equal(s->pages, 1);
    assert_int_equal(s->lines, 1);
    assert_int_equal(s->access_cycles, TLB + CACHE);
    assert_int_equal(s->ctas, 1);
}

static void answers_that_come_later_cost_the_same(void **state)
{
    (void)state;
    const struct mp_sm_params p = base();
    set_up(&p);
    b.tlb.done = b.cache.done = 0;
    one_cta(1);
    warp(0);
    load(5, 32, 0, 4);
    point(GWT_EXIT, 1);
    run();
    assert_int_equal(b.cache.log[0].when, 5 + TLB);
    assert_int_equal(b.done[0], 5 + TLB + CACHE);
}

static void a_page_and_a_line_a_cycle(void **state)
{
    const struct mp_sm_params p = base();
    for (uint32_t k = 0; k < 2; k++) {
        set_up(&p);
        one_cta(1);
        warp(0);
        load(5, 8, 0, k ? PAGE : LINE);
        point(GWT_EXIT, 1);
        run();
        cycles_of(&b.tlb, k ? 8 : 1, 5, 1);
        cycles_of(&b.cache, 8, 5 + TLB, 1);
        assert_int_equal(b.done[0], 5 + TLB + 7 + CACHE);
        if (!k)
            tear_down(state);
    }
}

static void a_warp_has_a_limited_number_of_accesses_in_flight(void **state)
{
    (void)state;
    const struct mp_sm_params p = base(); /* two */
    set_up(&p);
    one_cta(1);
    warp(0);
    for (uint32_t i = 0; i < 3; i++)
        load(1, 32, i * LINE, 4);
    point(GWT_EXIT, 1);
    run();
    assert_int_equal(b.tlb.log[0].when, 1);
    assert_int_equal(b.tlb.log[1].when, 2);
    assert_int_equal(b.tlb.log[2].when,
                     1 + TLB + CACHE + 1); /* the first is answered, then the third issues */
    assert_int_equal(b.done[0], 1 + TLB + CACHE + 1 + TLB + CACHE);
}

static void a_scoreboard_makes_an_access_wait_for_what_it_needs(void **state)
{
    for (uint32_t scoreboard = 0; scoreboard < 2; scoreboard++) {
        struct mp_sm_params p = base();
        p.outstanding = 8;
        p.scoreboard = scoreboard;
        set_up(&p);
        one_cta(1);
        warp(0);
        for (uint32_t i = 0; i < 3; i++) {
            struct gwt_event e = strided(1, 32, i * LINE, 4);
            e.pc = i;
            gwt_write_event(b.writer, &e);
        }
        point(GWT_EXIT, 1);
        run();
        assert_int_equal(b.tlb.log[1].when, 2); /* needs nothing */
        assert_int_equal(b.tlb.log[2].when, scoreboard ? 1 + TLB + CACHE + 1 : 3);
        if (!scoreboard)
            tear_down(state);
    }
}

/* Of a hundred accesses, the first is answered last: a scoreboard knows 64, and loses none. */
static void a_scoreboard_loses_no_old_access(void **state)
{
    (void)state;
    struct mp_sm_params p = base();
    p.outstanding = 64;
    p.lsu_queue = 200;
    p.scoreboard = 1;
    set_up(&p);
    b.cache.least = b.cache.most = 1000;
    one_cta(1);
    warp(0);
    for (uint32_t i = 0; i < 100; i++) {
        struct gwt_event e = strided(0, 32, i * LINE, 4);
        e.pc = i == 99 ? 2 : i > 0;
        gwt_write_event(b.writer, &e);
    }
    point(GWT_EXIT, 1);
    run();
    assert_int_equal(b.tlb.seen, 100);
    assert_int_equal(mp_sm_in_flight(&b.sm)[0], 0);
}

static uint8_t named[3]; /* instructions of requests, in the order of their answers */
static void (*translate)(struct fake_target *t, struct mp_req *req);

static void note_instruction(struct fake_target *t, struct mp_req *req)
{
    named[t->answered - 1] = req->instruction;
    translate(t, req);
}

static void requests_name_their_instruction(void **state)
{
    (void)state;
    const struct mp_sm_params p = base();
    set_up(&p);
    translate = b.tlb.answer;
    b.tlb.answer = note_instruction;
    one_cta(1);
    warp(0);
    load(1, 2, 0, PAGE);
    load(1, 32, 2 * PAGE, 4);
    point(GWT_EXIT, 1);
    run();
    assert_int_equal(b.tlb.answered, 3);
    assert_int_equal(named[0], named[1]); /* two pages of one instruction */
    assert_int_equal(named[2], named[0] + 1);
}

static void a_full_load_store_queue_stops_the_warps(void **state)
{
    (void)state;
    struct mp_sm_params p = base();
    p.lsu_queue = 1;
    set_up(&p);
    one_cta(2);
    for (uint32_t w = 0; w < 2; w++) {
        warp(w);
        load(1, 8, w * 8 * PAGE, PAGE);
        point(GWT_EXIT, 1);
    }
    run();
    cycles_of(&b.tlb, 16, 1, 1); /* no cycle without a page between the two */
    assert_int_equal(b.sm.stats->lsu_stalls, 1);
    assert_int_equal(b.done[0], 16 + TLB + CACHE);
}

/* Three warps with three accesses each compete for a load-store queue of one. order[k] is the access that
 * comes as number k: three times the warp's number plus the access's. */
static void lsu_order(const char *scheduler, uint32_t order[9])
{
    struct mp_sm_params p = base();
    p.lsu_queue = 1;
    p.outstanding = 3;
    p.scheduler = mp_warp_scheduler_find(scheduler);
    set_up(&p);
    one_cta(3);
    for (uint32_t w = 0; w < 3; w++) {
        warp(w);
        for (uint32_t i = 0; i < 3; i++)
            load(0, 32, (3 * w + i) * PAGE, 4);
        point(GWT_EXIT, 0);
    }
    run();
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < 9; k++)
        least = b.tlb.log[k].va < least ? b.tlb.log[k].va : least;
    for (uint32_t k = 0; k < 9; k++)
        order[k] = (uint32_t)((b.tlb.log[k].va - least) / PAGE);
}

static void gto_gives_the_load_store_queue_to_the_oldest(void **state)
{
    (void)state;
    uint32_t order[9];
    lsu_order("gto", order);
    for (uint32_t k = 0; k < 9; k++)
        assert_int_equal(order[k], k);
}

/* No warp makes its third access before each has made its first. */
static void lrr_lets_warps_take_turns_at_the_load_store_queue(void **state)
{
    (void)state;
    uint32_t order[9], last_first = 0, first_third = 9;
    lsu_order("lrr", order);
    for (uint32_t k = 0; k < 9; k++) {
        if (order[k] % 3 == 0)
            last_first = k;
        if (order[k] % 3 == 2 && k < first_third)
            first_third = k;
    }
    assert_true(last_first < first_third);
}

/* The warps never have to wait, so that only turns decide when an access comes. */
static void turns_are_those_of_cycle_by_cycle(void **state)
{
    struct rng r = rng_start("turns", 151);
    for (uint32_t round = 0; round < 200; round++) {
        struct mp_sm_params p = base();
        uint32_t warps = rng_between(&r, 1, 16), gap[16][8], step[16] = {0}, left[16], last = 0,
                 alive = warps;
        p.warps = 16;
        p.outstanding = 8;
        p.lsu_queue = 256;
        p.scheduler = mp_warp_scheduler_find("lrr");
        set_up(&p);
        one_cta(warps);
        for (uint32_t w = 0; w < warps; w++) {
            uint32_t most = rng_percent(&r, 20) ? 1000 : 12;
            warp(w);
            for (uint32_t i = 0; i < 8; i++) {
                gap[w][i] = rng_below(&r, most);
                if (i < 7)
                    load(gap[w][i], 32, (8 * w + i) * PAGE, 4);
                else
                    point(GWT_EXIT, gap[w][i]);
            }
            left[w] = gap[w][0];
        }
        run();
        uint64_t free_at = 0;
        uint32_t seen = 0;
        for (uint64_t now = 0; alive; now++) {
            while (alive) {
                do
                    last = (last + 1) % 16;
                while (last >= warps || step[last] == 8);
                if (left[last]) {
                    left[last]--;
                    break;
                }
                if (++step[last] == 8) {
                    alive--;
                    continue;
                }
                left[last] = gap[last][step[last]];
                free_at = now > free_at ? now : free_at;
                assert_int_equal(b.tlb.log[seen].when, free_at++);
                assert_int_equal((b.tlb.log[seen++].va - HEAP) / PAGE, 8 * last + step[last] - 1);
            }
        }
        assert_int_equal(seen, 7 * warps);
        if (round < 199)
            tear_down(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_access, tear_down),
        cmocka_unit_test_teardown(answers_that_come_later_cost_the_same, tear_down),
        cmocka_unit_test_teardown(a_page_and_a_line_a_cycle, tear_down),
        cmocka_unit_test_teardown(a_warp_has_a_limited_number_of_accesses_in_flight, tear_down),
        cmocka_unit_test_teardown(a_scoreboard_makes_an_access_wait_for_what_it_needs, tear_down),
        cmocka_unit_test_teardown(a_scoreboard_loses_no_old_access, tear_down),
        cmocka_unit_test_teardown(requests_name_their_instruction, tear_down),
        cmocka_unit_test_teardown(a_full_load_store_queue_stops_the_warps, tear_down),
        cmocka_unit_test_teardown(gto_gives_the_load_store_queue_to_the_oldest, tear_down),
        cmocka_unit_test_teardown(lrr_lets_warps_take_turns_at_the_load_store_queue, tear_down),
        cmocka_unit_test_teardown(turns_are_those_of_cycle_by_cycle, tear_down),
    };
    return cmocka_run_group_tests_name("sm", tests, NULL, NULL);
}
