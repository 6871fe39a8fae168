/* SPDX-License-Identifier: Apache-2.0 */
/* Invalidation while launches run. Once it has ended, no line is requested at an address that the page
 * table contained before. Any values that firmware writes into registers and page tables must be handled. */
#include "mig_bench.h"

/* --- the requester of each line --------------------------------------------------------------------- */

/* Is connected between each SM and its L1 data cache. */
static struct spy {
    struct mp_target cache;
} spies[SMS];

/* By page of the buffer: the frame in the page table, and the previous frame as long as it may still be
 * used (0 if none). */
static uint64_t frame[PAGES], before[PAGES];
static uint64_t lines_seen, old_seen;
static unsigned stops;

static enum mp_answer look(void *self, unsigned port, struct mp_req *req, uint32_t *delay)
{
    const struct spy *s = self;
    uint64_t page = (req->va - HEAP) / PAGE, at = req->pa / PAGE * PAGE;
    (void)port;
    assert_true(page < PAGES);
    assert_true(at == frame[page] || at == before[page]);
    lines_seen++;
    old_seen += at != frame[page];
    return s->cache.request(s->cache.self, s->cache.port, req, delay);
}

static void spy_on(unsigned slices)
{
    for (unsigned s = 0; s < slices; s++)
        for (unsigned k = 0; k < SLICE_SMS; k++) {
            struct spy *spy = &spies[s * SLICE_SMS + k];
            struct mp_sm *sm = mp_mig_sm(&b.gpu, s * SLICE_SMS + k);
            spy->cache = sm->data.out.target;
            sm->data.out.target = mp_target_of(look, spy, 0);
        }
}

/* --- remapping -------------------------------------------------------------------------------------- */

static uint64_t next_frame;

static void move_page(struct table *t, uint64_t page)
{
    before[page] = frame[page];
    frame[page] = next_frame;
    next_frame += PAGE;
    if (next_frame == 2 * PER_SLICE)
        next_frame = MB;
    table_map(t, HEAP + page * PAGE, frame[page]);
}

/* All tables are replaced and the old ones are zeroed. This is safe only if the walk caches' entries are
 * removed. */
static void move_tables(struct table *t)
{
    struct table new = {t->root, t->next > t->root + MB / 2 ? t->root + 4096 : t->root + MB / 2 + 4096};
    for (uint64_t at = t->root; at < t->root + 4096; at += 8)
        if (mp_physmem_read64(&b.gpu.memory, at))
            mp_physmem_write64(&b.gpu.memory, at, 0);
    uint64_t half = new.next - 4096;
    for (uint64_t at = half == t->root ? half + 4096 : half; at < half + MB / 2; at += 8)
        if (mp_physmem_read64(&b.gpu.memory, at))
            mp_physmem_write64(&b.gpu.memory, at, 0);
    *t = new;
    for (uint64_t p = 0; p < PAGES; p++) {
        before[p] = frame[p];
        frame[p] = next_frame;
        next_frame = next_frame + PAGE == 2 * PER_SLICE ? MB : next_frame + PAGE;
        table_map(t, HEAP + p * PAGE, frame[p]);
    }
}

static void wait_for_invalidation(void)
{
    for (unsigned i = 0; R4(INV_STATUS) & MP_GPU_INV_STATUS_BUSY; i++) {
        go_on(1);
        assert_true(i < 100000);
    }
    assert_int_equal(R4(INV_STATUS), MP_MGMT_OK);
}

static void start_over(unsigned levels, struct table *t)
{
    set_up(levels);
    memset(before, 0, sizeof before);
    assert_int_equal(create(0, 2), MP_MGMT_OK);
    spy_on(2);
    table_make(t, 0);
    next_frame = MB;
    for (uint64_t p = 0; p < PAGES; p++)
        move_page(t, p);
    memset(before, 0, sizeof before);
    assert_int_equal(commit(5, 0, t->root), MP_MGMT_OK);
}

/* The launch stops, or ends. If it has stopped, it goes on at once, or when some pages have moved. */
static void stop_and_go_on(struct rng *r, struct table *t)
{
    if (preempt(0))
        return;
    for (unsigned i = 0; !R4(DONE_COUNT); i++) {
        while (R4(FAULT_COUNT))
            W4(FAULT_POP, 1);
        replay(5, false);
        go_on(100);
        assert_true(i < 1000);
    }
    if (R4(DONE_STATUS) != MP_MGMT_PREEMPTED)
        return;
    uint32_t context = R4(DONE_CONTEXT);
    W4(DONE_POP, 1);
    stops++;
    for (unsigned n = rng_below(r, 6); n; n--) {
        uint64_t page = rng_below(r, PAGES);
        move_page(t, page);
        invalidate(MP_MGMT_PAGE, 5, HEAP + page * PAGE);
        wait_for_invalidation();
    }
    memset(before, 0, sizeof before);
    assert_int_equal(resume(context), MP_MGMT_OK);
}

static void no_old_translation_after_the_end(void **state)
{
    struct rng r = rng_start("no_old_translation_after_the_end", 1);
    lines_seen = old_seen = stops = 0;
    for (unsigned round = 0; round < 60; round++) {
        struct table t;
        start_over(2 + round % 2, &t);
        launch(0, 5, 0, round);
        while (!R4(DONE_COUNT)) {
            uint64_t page = rng_below(&r, PAGES);
            unsigned kind = rng_below(&r, 10);
            go_on(rng_below(&r, 400));
            if (kind == 0) {
                move_tables(&t);
                invalidate(rng_percent(&r, 50) ? 7 : 6, 5, 0);
            } else {
                move_page(&t, page);
                invalidate(kind < 7 ? MP_MGMT_PAGE : MP_MGMT_ASID, 5, HEAP + page * PAGE + 77 * (kind % 2));
            }
            wait_for_invalidation();
            memset(before, 0, sizeof before);
            while (R4(FAULT_COUNT)) /* a walk read the tables while they were moved */
                W4(FAULT_POP, 1);
            replay(5, false);
            if (rng_percent(&r, 20))
                stop_and_go_on(&r, &t);
        }
        assert_int_equal(R4(DONE_STATUS), MP_MGMT_OK);
        assert_int_equal(count(5, MP_MGMT_ACCESSES), 2 * 12 * 3 * 20);
        if (round + 1 < 60)
            tear_down(state);
    }
    print_message("%llu lines, %llu at an address that had just been left; %u stops\n",
                  (unsigned long long)lines_seen, (unsigned long long)old_seen, stops);
    assert_true(old_seen > 0 && stops > 10); /* otherwise the test would prove nothing */
}

/* It ends although accesses wait for a replay and the buffer is full. */
static void faults_hold_up_no_invalidation(void **state)
{
    (void)state;
    struct table t;
    set_up(3);
    assert_int_equal(create(0, 3), MP_MGMT_OK);
    table_make(&t, 0);
    assert_int_equal(commit(5, 0, t.root), MP_MGMT_OK);
    launch(0, 5, 0, 1);
    settle();
    assert_true(R4(FAULT_HELD) > 0);
    for (uint32_t kind = 1; kind <= 7; kind++) {
        if (kind == 4)
            continue;
        invalidate(kind, 5, HEAP);
        wait_for_invalidation();
    }
    invalidate(MP_MGMT_ALL, 0, 0);
    invalidate(MP_MGMT_ALL, 0, 0);
    assert_int_equal(R4(INV_STATUS), MP_GPU_INV_STATUS_BUSY | MP_GPU_INV_STATUS_LOST);
    settle();
    assert_int_equal(R4(INV_STATUS), MP_GPU_INV_STATUS_LOST);
    assert_int_equal(replay(5, true), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_FAULTED);
}

/* Number of entries that left. */
static uint64_t remove_run(uint64_t first, uint64_t pages)
{
    W4(INV_BYTES, pages * PAGE);
    invalidate(MP_MGMT_PAGE, 5, HEAP + first * PAGE);
    wait_for_invalidation();
    return R8(INV_REMOVED);
}

/* A run removes what its pages would one by one, and nothing else. */
static void runs_of_pages(void **state)
{
    enum { FIRST = 5, RUN = 9 };
    struct table t;
    uint64_t single[PAGES], in_run = 0;
    start_over(3, &t);
    launch(0, 5, 0, 1);
    settle();
    for (uint64_t p = 0; p < PAGES; p++)
        single[p] = remove_run(p, p % 2); /* 0 is the page, too */
    for (uint64_t p = FIRST; p < FIRST + RUN; p++)
        in_run += single[p];
    tear_down(state);
    start_over(3, &t);
    launch(0, 5, 0, 1);
    settle();
    assert_true(in_run > 0);
    assert_int_equal(remove_run(FIRST, RUN), in_run);
    for (uint64_t p = 0; p < PAGES; p++)
        assert_int_equal(remove_run(p, 1), p - FIRST < RUN ? 0 : single[p]);
}

/* If only upper levels have changed, TLBs stay, and walk caches do not. */
static void tlbs_may_stay(void **state)
{
    (void)state;
    struct table t;
    start_over(3, &t);
    launch(0, 5, 0, 1);
    settle();
    invalidate(MP_MGMT_ASID | MP_GPU_INV_COMMAND_WALK_CACHE | MP_GPU_INV_COMMAND_TLBS_STAY, 5, 0);
    wait_for_invalidation();
    uint64_t tables = R8(INV_REMOVED);
    assert_true(tables > 0);
    invalidate(MP_MGMT_ASID | MP_GPU_INV_COMMAND_WALK_CACHE | MP_GPU_INV_COMMAND_TLBS_STAY, 5, 0);
    wait_for_invalidation();
    assert_int_equal(R8(INV_REMOVED), 0);
    invalidate(MP_MGMT_ASID | MP_GPU_INV_COMMAND_WALK_CACHE, 5, 0);
    wait_for_invalidation();
    assert_true(R8(INV_REMOVED) > tables);
}

/* --- arbitrary firmware ----------------------------------------------------------------------------- */

static uint32_t any_of(struct rng *r, const uint32_t *values, uint32_t n)
{
    return values[rng_below(r, n)];
}

static void write_anything(struct rng *r)
{
    static const uint32_t commands[] = {
        MP_GPU_MIG_COMMAND,  MP_GPU_AS_COMMIT,   MP_GPU_INV_COMMAND,  MP_GPU_WALK_APPLY, MP_GPU_TLB_APPLY,
        MP_GPU_FAULT_REPLAY, MP_GPU_COUNT_LATCH, MP_GPU_RUN_DOORBELL, MP_GPU_FAULT_POP,  MP_GPU_DONE_POP,
        MP_GPU_RUN_DOORBELL, MP_GPU_FAULT_POP,   MP_GPU_RUN_PREEMPT,  MP_GPU_RUN_RESUME, MP_GPU_RUN_RESUME,
        MP_GPU_RUN_DROP,     MP_GPU_FAULT_CANCEL};
    static const uint32_t small[] = {MP_GPU_MIG_INSTANCE, MP_GPU_MIG_SLICES,   MP_GPU_INV_ASID,
                                     MP_GPU_TLB_LEVEL,    MP_GPU_WALK_POLICY,  MP_GPU_WALK_INSTANCE,
                                     MP_GPU_TLB_POLICY,   MP_GPU_RUN_INSTANCE, MP_GPU_RUN_ASID,
                                     MP_GPU_RUN_WORKLOAD, MP_GPU_COUNT_ASID,   MP_GPU_WALK_EPOCH};
    switch (rng_below(r, 6)) {
    case 0:
        w4(any_of(r, small, 12), rng_below(r, rng_percent(r, 90) ? 4 : 12));
        break;
    case 1:
        w8(MP_GPU_AS_ROOT + 8 * rng_below(r, 3),
           rng_percent(r, 90) ? rng_below(r, 12) * 4096 * 1024 : rng_next(r));
        w4(MP_GPU_AS_CONFIG + 4 * rng_below(r, 3),
           rng_percent(r, 80) ? 1 | rng_below(r, 3) << 4 : (uint32_t)rng_next(r));
        W4(AS_COMMIT, rng_below(r, 3));
        break;
    case 2:
        W8(INV_VA, HEAP + rng_below(r, PAGES) * PAGE);
        W8(FAULT_CANCEL_VA, HEAP + rng_below(r, PAGES) * PAGE);
        W4(INV_BYTES, rng_below(r, 4) * PAGE);
        w8(MP_GPU_WALK_OWNED + 8 * rng_below(r, 8), rng_percent(r, 80) ? 0 : rng_next(r) & 15);
        break;
    default:
        w4(any_of(r, commands, 17), rng_below(r, rng_percent(r, 60) ? 3 : 16));
    }
}

/* Entries that point anywhere: to tables of other instances, to themselves, outside. */
static void scribble(struct rng *r)
{
    uint64_t table = rng_below(r, 12) * 4096ull * 1024 + rng_below(r, 4) * 4096ull;
    uint64_t va = HEAP + rng_below(r, PAGES) * PAGE;
    unsigned level = rng_below(r, 4);
    uint64_t entry = rng_below(r, 13) * 4096ull * 1024 + rng_below(r, 4) * 4096ull;
    entry |= rng_percent(r, 80) ? MP_PTE_VALID | (level == 3 ? MP_PTE_LEAF : 0) : rng_next(r);
    mp_physmem_write64(&b.gpu.memory, mp_pte_address(mp_page_format(PAGE), level, table, va), entry);
}

static void nothing_breaks(void **state)
{
    struct rng r = rng_start("nothing_breaks", 7);
    uint64_t launched = 0, given_up = 0;
    for (unsigned round = 0; round < 30; round++) {
        set_up(2 + round % 2);
        for (unsigned i = 0; i < 3000; i++) {
            write_anything(&r);
            for (unsigned k = rng_below(&r, 8); k; k--)
                scribble(&r);
            go_on(rng_below(&r, 300));
        }
        /* In the end firmware gives up everything that waits, and all launches end. */
        for (unsigned i = 0; i < 20; i++) {
            settle();
            for (unsigned a = 0; a < 8; a++)
                replay(a, true);
        }
        settle();
        for (unsigned n = 0; n < MP_MGMT_CONTEXTS; n++)
            drop(n);
        assert_int_equal(R4(RUN_QUEUED), 0);
        assert_int_equal(R4(FAULT_HELD), 0);
        assert_int_equal(b.opened, 0);
        assert_false(R4(INV_STATUS) & MP_GPU_INV_STATUS_BUSY);
        for (; R4(DONE_COUNT); launched++) {
            given_up += R4(DONE_STATUS) == MP_MGMT_FAULTED;
            W4(DONE_POP, 1);
        }
        for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
            assert_true(destroy(i) == MP_MGMT_OK || R4(MIG_STATUS) == MP_MGMT_NOT_THERE);
        if (round + 1 < 30)
            tear_down(state);
    }
    print_message("%llu launches at the end, %llu of them given up\n", (unsigned long long)launched,
                  (unsigned long long)given_up);
    assert_true(given_up > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_old_translation_after_the_end, tear_down),
        cmocka_unit_test_teardown(faults_hold_up_no_invalidation, tear_down),
        cmocka_unit_test_teardown(runs_of_pages, tear_down),
        cmocka_unit_test_teardown(tlbs_may_stay, tear_down),
        cmocka_unit_test_teardown(nothing_breaks, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
