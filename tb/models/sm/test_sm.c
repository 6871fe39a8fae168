/* SPDX-License-Identifier: Apache-2.0 */
/* An SM that runs small traces between a fake L1 TLB and a fake L1 data cache. */
#include "../engine/fakes.h"

#include <unistd.h>

#include "sm/sm.h"

#define HEAP  (1ull << 32) /* where the traces' one buffer lies */
#define PAGE  0x10000ull
#define LINE  128ull
#define TLB   3u  /* cycles of a translation */
#define CACHE 20u /* of a line */
#define MOST  256u

struct bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct mp_coalescer coalescer;
    struct mp_sm sm;
    struct fake_target tlb, cache;
    char path[64];
    struct gwt_writer *writer;
    struct gwt_reader *reader;
    struct gwt_cta *cta[MOST];
    uint32_t ctas, started, local_bytes;
    uint64_t done[MOST], accesses; /* cycle in which each work-group ended, in that order */
    uint32_t ended, faults;
};

static struct bench b;

static uint64_t frame_of(uint64_t va)
{
    return (va / PAGE * 5 + 3) % 65536 * PAGE;
}

static void translate(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    req->pa = frame_of(req->va) + req->va % PAGE;
}

static void load_line(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    assert_int_equal(req->pa, frame_of(req->va) + req->va % PAGE);
    assert_int_equal(req->va % LINE, 0);
}

static void start_what_fits(void)
{
    while (b.started < b.ctas && mp_sm_has_room(&b.sm, b.cta[b.started]->nwarps, b.local_bytes)) {
        b.started++;
        mp_sm_start_cta(&b.sm, b.cta[b.started - 1], b.local_bytes);
    }
}

static void access_done(void *self)
{
    (void)self;
    b.accesses++;
}

static void cta_done(void *self, struct mp_sm *sm, struct gwt_cta *cta)
{
    (void)self;
    assert_ptr_equal(sm, &b.sm);
    gwt_cta_release(b.reader, cta);
    b.done[b.ended++] = b.wheel.now;
    start_what_fits();
}

static void fault(void *self, const struct mp_req *req)
{
    (void)self;
    (void)req;
    b.faults++;
}

static struct mp_sm_params base(void)
{
    return (struct mp_sm_params){.id = 3,
                                 .warps = 8,
                                 .ctas = 4,
                                 .local_bytes = 1000,
                                 .schedulers = 1,
                                 .outstanding = 2,
                                 .lsu_queue = 4,
                                 .scheduler = mp_warp_scheduler_find("gto"),
                                 .coalescer = &b.coalescer,
                                 .tenants = 1};
}

static void set_up(const struct mp_sm_params *p)
{
    memset(&b, 0, sizeof b);
    b.coalescer.page_shift = 16;
    b.coalescer.line_shift = 7;
    b.rng = (struct rng){1};
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_sm_init(&b.sm, &b.wheel, p), 0);
    b.sm.owner = (struct mp_sm_owner){&b, access_done, cta_done, fault};
    b.tlb = fake_target_make(&b.wheel, &b.rng, TLB, TLB);
    b.tlb.answer = translate;
    b.tlb.done = 100;
    b.tlb.up = (struct mp_initiator){mp_sm_translated, mp_sm_translate_resume, &b.sm, 0};
    b.sm.translate.target = fake_target_end(&b.tlb);
    b.cache = fake_target_make(&b.wheel, &b.rng, CACHE, CACHE);
    b.cache.answer = load_line;
    b.cache.done = 100;
    b.cache.up = (struct mp_initiator){mp_sm_loaded, mp_sm_data_resume, &b.sm, 0};
    b.sm.data.target = fake_target_end(&b.cache);
}

static int tear_down(void **state)
{
    (void)state;
    gwt_close(b.reader);
    free(b.tlb.log);
    free(b.cache.log);
    mp_sm_free(&b.sm);
    mp_wheel_free(&b.wheel);
    return 0;
}

/* --- making a trace ---------------------------------------------------------------------------------------
 */

static void begin_trace(uint32_t ctas, uint32_t warps, uint32_t local_bytes)
{
    struct mp_error err;
    char name[] = "k";
    struct gwt_pc pc = {.pc = 0x10, .kind = 'L', .space = GWT_GLOBAL};
    struct gwt_kernel k = {.name = name,
                           .grid = {ctas, 1, 1},
                           .block = {32 * warps, 1, 1},
                           .local_bytes = local_bytes,
                           .npcs = 1,
                           .pcs = &pc};
    b.local_bytes = local_bytes;
    snprintf(b.path, sizeof b.path, "test_sm_%ld.gwt", (long)getpid());
    if (gwt_writer_open(&b.writer, b.path, &err))
        fail_msg("%s", err.text);
    gwt_write_alloc(b.writer, 1, HEAP, 1ull << 32);
    gwt_write_kernel(b.writer, &k);
}

static void end_trace(void)
{
    struct mp_error err;
    struct gwt_record r;
    gwt_write_kernel_end(b.writer);
    if (gwt_writer_close(b.writer, &err) || gwt_open(&b.reader, b.path, &err))
        fail_msg("%s", err.text);
    unlink(b.path);
    do {
        assert_int_equal(gwt_next(b.reader, &r, &err), 0);
        if (r.kind == GWT_CTA)
            b.cta[b.ctas++] = r.cta;
    } while (r.kind != GWT_END);
}

static void warp(uint32_t index)
{
    gwt_write_warp(b.writer, index, 32);
}

static struct gwt_event strided(uint32_t gap, uint32_t lanes, uint64_t offset, uint64_t stride)
{
    struct gwt_event e = {.kind = GWT_ACCESS, .op = GWT_LOAD, .gap = gap, .bytes = 4};
    e.active = (uint8_t)lanes;
    e.mask = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    for (uint32_t i = 0; i < lanes; i++)
        e.lane[i] = HEAP + offset + i * stride;
    return e;
}

static void load(uint32_t gap, uint32_t lanes, uint64_t offset, uint64_t stride)
{
    const struct gwt_event e = strided(gap, lanes, offset, stride);
    gwt_write_event(b.writer, &e);
}

static void point(enum gwt_event_kind kind, uint32_t gap)
{
    const struct gwt_event e = {.kind = (uint8_t)kind, .gap = gap};
    gwt_write_event(b.writer, &e);
}

/* A trace of one work-group is written between these two. */
static void one_cta(uint32_t warps)
{
    begin_trace(1, warps, 0);
    gwt_write_cta(b.writer, 0, warps);
}

static void run(void)
{
    end_trace();
    start_what_fits();
    run_dry(&b.wheel);
    assert_int_equal(b.ended, b.ctas);
}

static void cycles_of(const struct fake_target *t, uint32_t count, uint64_t first, uint64_t step)
{
    assert_int_equal(t->seen, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(t->log[i].when, first + i * step);
}

/* --- cycles by hand ---------------------------------------------------------------------------------------
 */

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

static void a_warp_has_so_many_accesses_under_way(void **state)
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
                     1 + TLB + CACHE + 1); /* the first is back, its own instruction issues */
    assert_int_equal(b.done[0], 1 + TLB + CACHE + 1 + TLB + CACHE);
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
    cycles_of(&b.tlb, 16, 1, 1); /* no cycle is lost between the two */
    assert_int_equal(b.sm.stats->lsu_stalls, 1);
    assert_int_equal(b.done[0], 16 + TLB + CACHE);
}

/* Three warps with three accesses each crowd a load-store queue of one; order[k] is the access that comes
 * k-th, three times the warp's number and its own. */
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

/* Nobody has its third access before everybody had a first. */
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

/* Warps that never have to wait, so that turns alone say when an access comes. */
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
        assert_int_equal(b.tlb.log[1].when, how[k].second); /* gto issues the first warp's exit in between */
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
        assert_int_equal(b.cache.log[i].when, 99 + i); /* the next one in the cycle of the resume */
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
    /* the held one is translated in cycle 103 and gets in line behind the three that were answered at once */
    assert_int_equal(b.cache.log[3].va, HEAP);
    assert_int_equal(b.done[0], 103 + TLB + CACHE);
}

/* --- room for work-groups ---------------------------------------------------------------------------------
 */

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

/* --- at random --------------------------------------------------------------------------------------------
 */

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
        gwt_write_event(b.writer, &e);
        e.mode = GWT_SCATTER; /* the same lines, whichever mode is written */
        mp_coalesce(&b.coalescer, &e, &out);
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
    assert_int_equal(b.sm.local_used, 0);
    assert_int_equal(b.faults, 0);
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
        cmocka_unit_test_teardown(one_access, tear_down),
        cmocka_unit_test_teardown(answers_that_come_later_cost_the_same, tear_down),
        cmocka_unit_test_teardown(a_page_and_a_line_a_cycle, tear_down),
        cmocka_unit_test_teardown(a_warp_has_so_many_accesses_under_way, tear_down),
        cmocka_unit_test_teardown(a_full_load_store_queue_stops_the_warps, tear_down),
        cmocka_unit_test_teardown(gto_gives_the_load_store_queue_to_the_oldest, tear_down),
        cmocka_unit_test_teardown(lrr_lets_warps_take_turns_at_the_load_store_queue, tear_down),
        cmocka_unit_test_teardown(turns_are_those_of_cycle_by_cycle, tear_down),
        cmocka_unit_test_teardown(a_barrier_waits_for_all_and_for_their_accesses, tear_down),
        cmocka_unit_test_teardown(a_warp_that_ends_is_not_waited_for, tear_down),
        cmocka_unit_test_teardown(schedulers_issue_side_by_side, tear_down),
        cmocka_unit_test_teardown(a_held_request_stops_its_stage_alone, tear_down),
        cmocka_unit_test_teardown(a_held_translation_stops_the_pages_behind_it, tear_down),
        cmocka_unit_test_teardown(room_by_warps_slots_and_local_memory, tear_down),
        cmocka_unit_test_teardown(work_group_slots_are_finite, tear_down),
        cmocka_unit_test_teardown(a_full_sm_of_64_warps, tear_down),
        cmocka_unit_test_teardown(everything_is_done_once, tear_down),
    };
    return cmocka_run_group_tests_name("sm", tests, NULL, NULL);
}
