/* SPDX-License-Identifier: Apache-2.0 */
/* Random SMs and traces: each instruction, page and line is processed once. */
#include "sm_bench.h"
#include "step_of.h"

struct expected {
    uint64_t issued, accesses, pages, lines;
};

static void random_warp(struct expected *x, uint32_t index)
{
    static struct mp_coalesced out;
    warp(index);
    for (uint32_t n = rng_below(&b.rng, 12); n; n--) {
        uint32_t gap = rng_between(&b.rng, 0, rng_percent(&b.rng, 50) ? 3 : 60);
        x->issued += gap;
        if (rng_percent(&b.rng, 15)) {
            point(GWT_BARRIER, gap);
            continue;
        }
        struct gwt_event e = strided(gap, rng_between(&b.rng, 1, 32), 0, 0);
        static const uint32_t reach[] = {64, 4096, 1000000};
        uint32_t range = reach[rng_below(&b.rng, 3)];
        uint64_t start = HEAP + rng_below(&b.rng, 100000000);
        for (uint32_t i = 0; i < e.active; i++)
            e.lane[i] = start + rng_below(&b.rng, range);
        e.op = (uint8_t)rng_below(&b.rng, 3);
        e.pc = rng_below(&b.rng, 3);
        gwt_write_event(b.writer, &e);
        e.mode = GWT_SCATTER; /* the same lines, whatever mode the writer chooses */
        uint8_t bytes[GWT_EVENT_MAX];
        const struct gwt_step step = step_of(&e, bytes);
        mp_coalesce(&b.coalescer, &step, &out);
        x->accesses++;
        x->pages += out.pages;
        x->lines += out.lines;
    }
    uint32_t gap = rng_below(&b.rng, 5);
    x->issued += gap;
    point(GWT_EXIT, gap);
}

static void random_run(void)
{
    struct rng rng = b.rng;
    struct mp_sm_params p = base();
    struct expected x = {0};
    uint32_t warps = rng_between(&rng, 1, 16);
    p.warps = warps * rng_between(&rng, 1, 64 / warps);
    p.ctas = rng_between(&rng, 1, 8);
    p.schedulers = rng_between(&rng, 1, 4);
    p.outstanding = rng_between(&rng, 1, 5);
    p.lsu_queue = rng_between(&rng, 1, 6);
    p.scoreboard = rng_below(&rng, 2);
    p.scheduler = mp_warp_schedulers[rng_below(&rng, 2)];
    set_up(&p);
    b.rng = rng;
    struct fake_target *end[] = {&b.tlb, &b.cache};
    for (uint32_t i = 0; i < 2; i++) {
        end[i]->least = rng_below(&b.rng, 5);
        end[i]->most = end[i]->least + rng_below(&b.rng, 200);
        end[i]->done = rng_below(&b.rng, 60);
        end[i]->hold = rng_below(&b.rng, 40);
    }
    uint32_t ctas = rng_between(&b.rng, 1, 12);
    begin_trace(ctas, warps, 100);
    for (uint32_t c = 0; c < ctas; c++) {
        gwt_write_cta(b.writer, c, warps);
        for (uint32_t w = 0; w < warps; w++)
            random_warp(&x, w);
    }
    run();
    const struct mp_sm_stats *s = b.sm.stats;
    assert_int_equal(s->issued, x.issued);
    assert_int_equal(s->accesses, x.accesses);
    assert_int_equal(b.accesses, x.accesses);
    assert_int_equal(s->pages, x.pages);
    assert_int_equal(s->lines, x.lines);
    assert_int_equal(b.tlb.seen, x.pages);
    assert_int_equal(b.cache.seen, x.lines);
    assert_int_equal(s->ctas, ctas);
    assert_int_equal(b.sm.used | b.sm.ready | b.sm.lsu_waiting, 0);
    assert_int_equal(b.sm.lsu_count, 0);
    assert_int_equal(b.sm.room.local_used, 0);
    assert_int_equal(b.faults, 0);
    for (uint32_t w = 0; p.scoreboard && w < p.warps; w++)
        assert_int_equal(mp_sm_in_flight(&b.sm)[w], 0);
    uint32_t spare = 0;
    for (const struct mp_access *a = b.sm.spare_access; a; a = a->next)
        spare++;
    assert_int_equal(spare, p.warps * p.outstanding);
    for (uint32_t i = 1; i < b.tlb.seen; i++) /* one a cycle */
        assert_true(b.tlb.log[i].when > b.tlb.log[i - 1].when);
    for (uint32_t i = 1; i < b.cache.seen; i++)
        assert_true(b.cache.log[i].when > b.cache.log[i - 1].when);
}

static void everything_is_done_once(void **state)
{
    struct rng rng = rng_start("sm", 141);
    for (uint32_t i = 0; i < 60; i++) {
        b.rng = rng;
        random_run();
        rng = b.rng;
        tear_down(state);
    }
    b.rng = rng;
    random_run();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(everything_is_done_once, tear_down),
    };
    return cmocka_run_group_tests_name("sm_random", tests, NULL, NULL);
}
