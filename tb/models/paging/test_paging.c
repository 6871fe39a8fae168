/* SPDX-License-Identifier: Apache-2.0 */
/* The server of page faults without SMs: what it does in which cycle. */
#include <time.h>

#include "bench.h"

/* A page of the host comes after its copy: ceil(4096 / 12) cycles and the latency. */
static void a_fault_is_served(void **state)
{
    (void)state;
    struct mp_paging_params p = usual();
    struct mp_req req;
    set_up(&p);
    open(2 * MB);
    fault(&req, MP_LOAD, HEAP + 5 * PAGE);
    assert_int_equal(where(HEAP + 5 * PAGE), 0);
    run_dry(&b.wheel);
    uint32_t at = 0;
    const struct mp_paging_action *copy = next(MP_PAGING_COPIED_IN, &at);
    assert_non_null(copy);
    assert_int_equal(copy->ended - copy->began, 700 + 342);
    assert_int_equal(copy->va, HEAP + 5 * PAGE);
    assert_int_equal(copy->pages, 1);
    assert_int_equal(next(MP_PAGING_MAPPED, &at)->began, copy->ended);
    assert_in_range(where(HEAP + 5 * PAGE), 2 * MB, 66 * MB);
    assert_int_equal(no_sms_retried, 1);
}

/* The notices of a batch name two granules of a block, and one of another block, for which the first has to
 * leave: not before both services have ended. */
static void a_block_that_notices_serve_twice_leaves_after_both(void **state)
{
    (void)state;
    enum { ACCESSES = 4 };
    struct mp_paging_params p = usual();
    const uint64_t granule[] = {HEAP, HEAP + BIG, HEAP + 2 * MB};
    struct mp_req req[3];
    p.uvm.migrate = mp_uvm_migrate_find("counter");
    p.uvm.counter = ACCESSES;
    p.uvm.granule_bytes = BIG;
    p.uvm.chunks = 1;
    p.cost.block = 100;
    p.cost.copy = 7000; /* the first copy of 6162 cycles has ended when the victim is looked at */
    set_up(&p);
    open(4 * MB);
    for (uint32_t i = 0; i < 3; i++)
        fault(&req[i], MP_LOAD, granule[i]);
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(where(granule[i]) >= MP_HOST_MEMORY);
    b.actions = 0;
    for (uint32_t i = 0; i < 3 * ACCESSES; i++) {
        const struct mp_req line = {.va = granule[i / ACCESSES], .pa = where(granule[i / ACCESSES])};
        mp_paging_remote(b.paging, &line);
    }
    run_dry(&b.wheel);
    assert_int_equal(mp_paging_counters(b.paging, 0)->notices, 3);
    assert_int_equal(mp_paging_counters(b.paging, 0)->counted, 3 * BIG / PAGE);
    assert_int_equal(count(MP_PAGING_BATCH), 1);
    uint32_t at = 0;
    const struct mp_paging_action *mapped[2], *unmapped;
    for (uint32_t i = 0; i < 2; i++) {
        mapped[i] = next(MP_PAGING_MAPPED, &at);
        assert_int_equal(mapped[i]->va, granule[i]);
        assert_int_equal(mapped[i]->pages, BIG / PAGE);
    }
    unmapped = next(MP_PAGING_UNMAPPED, &at);
    assert_int_equal(unmapped->va, granule[0]);
    assert_int_equal(unmapped->pages, 2 * BIG / PAGE);
    assert_int_equal(next(MP_PAGING_MAPPED, &at)->va, granule[2]);
    assert_true(where(granule[0]) >= MP_HOST_MEMORY && where(granule[1]) >= MP_HOST_MEMORY);
    assert_in_range(where(granule[2]), 2 * MB, 66 * MB);
}

/* Accesses of two granules reach the count; each notice takes its time. */
static void notices_take_their_time(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct mp_paging_params p = usual();
        struct mp_req req[2];
        p.uvm.migrate = mp_uvm_migrate_find("counter");
        p.uvm.counter = 1;
        p.uvm.granule_bytes = BIG;
        p.cost.page = 70; /* no page faults in that batch */
        p.cost.notice = i * 500;
        set_up(&p);
        open(2 * MB);
        for (uint32_t k = 0; k < 2; k++)
            fault(&req[k], MP_LOAD, HEAP + k * BIG);
        run_dry(&b.wheel);
        cycles[i] = mp_paging_counters(b.paging, 0)->part_cycles[MP_PAGING_PAGE];
        for (uint32_t k = 0; k < 2; k++) {
            const struct mp_req line = {.va = HEAP + k * BIG, .pa = where(HEAP + k * BIG)};
            mp_paging_remote(b.paging, &line);
        }
        run_dry(&b.wheel);
        assert_int_equal(mp_paging_counters(b.paging, 0)->notices, 2);
        assert_true(where(HEAP + BIG) < MP_HOST_MEMORY);
        cycles[i] = mp_paging_counters(b.paging, 0)->part_cycles[MP_PAGING_PAGE] - cycles[i];
        tear_down(NULL);
    }
    assert_int_equal(cycles[1] - cycles[0], 2 * 500);
}

/* All but the interrupt, of a space. */
static uint64_t parts(unsigned asid)
{
    const struct mp_paging_stats *s = mp_paging_counters(b.paging, asid);
    uint64_t sum = 0;
    for (unsigned i = 0; i < MP_PAGING_PARTS; i++)
        sum += i == MP_PAGING_INTERRUPT ? 0 : s->part_cycles[i];
    return sum;
}

/* Two spaces share memory for one of two blocks, so that each takes that of the other. Their batches are of
 * one, of the other, of both, and of notices. */
static void parts_are_the_time_of_batches(void **state)
{
    static const enum mp_uvm_replay replays[] = {MP_UVM_REPLAY_BATCH_FLUSH, MP_UVM_REPLAY_BATCH,
                                                 MP_UVM_REPLAY_BLOCK, MP_UVM_REPLAY_ONCE};
    (void)state;
    for (uint32_t r = 0; r < sizeof replays / sizeof *replays; r++) {
        struct mp_paging_params p = usual();
        struct mp_req req[6];
        p.uvm.replay = replays[r];
        p.uvm.chunks = 2;
        p.uvm.migrate = mp_uvm_migrate_find("counter");
        p.uvm.counter = 1;
        p.cost = (struct mp_paging_costs){.interrupt = 3,
                                          .batch = 50,
                                          .entry = 7,
                                          .block = 110,
                                          .page = 13,
                                          .notice = 29,
                                          .copy = 170,
                                          .evict = 190,
                                          .replay = 23,
                                          .latency = 700,
                                          .gbps = 12,
                                          .zero_gbps = 100,
                                          .invalidation = 31};
        set_up(&p);
        open_in(0, 4 * MB);
        open_in(1, 4 * MB);
        for (uint32_t i = 0; i < 6; i++) {
            req[i] = (struct mp_req){
                .va = HEAP + i % 2 * 2 * MB, .asid = i % 3 == 0, .op = i < 4 ? MP_STORE : MP_LOAD};
            if (i == 4)
                run_dry(&b.wheel);
            mp_paging_fault(b.paging, NULL, &req[i]);
        }
        run_dry(&b.wheel);
        for (uint32_t i = 0; i < 2; i++) {
            const struct mp_req line = {.va = HEAP, .pa = where(HEAP + i * 2 * MB)};
            if (line.pa >= MP_HOST_MEMORY)
                mp_paging_remote(b.paging, &line);
        }
        run_dry(&b.wheel);
        uint64_t evictions = 0;
        for (unsigned a = 0; a < 2; a++) {
            const struct mp_paging_stats *s = mp_paging_counters(b.paging, a);
            assert_true(s->batches > 0 && s->batch_cycles > 0);
            assert_int_equal(parts(a), s->batch_cycles);
            evictions += s->evictions;
        }
        assert_true(evictions > 0);
        assert_int_equal(mp_paging_counters(b.paging, 0)->notice_batches, 1);
        tear_down(NULL);
    }
}

/* One block after the other in memory for one. Their copies are as long as all else together. */
static void turns(bool overlaps, uint64_t *in, uint64_t *out_ends)
{
    struct mp_paging_params p = usual();
    struct mp_req req[2];
    uint32_t at = 0;
    p.uvm.chunks = 1;
    p.overlaps = overlaps;
    set_up(&p);
    open(4 * MB);
    for (uint32_t i = 0; i < 2; i++) {
        fault(&req[i], MP_LOAD, HEAP + i * 2 * MB);
        run_dry(&b.wheel);
    }
    next(MP_PAGING_COPIED_IN, &at);
    *out_ends = next(MP_PAGING_COPIED_OUT, &at)->ended;
    *in = next(MP_PAGING_COPIED_IN, &at)->began;
    assert_int_equal(where(HEAP), 0);
    assert_true(where(HEAP + 2 * MB) != 0);
    tear_down(NULL);
}

static void with_a_unit_more_copies_in_overlap_with_copies_out(void **state)
{
    uint64_t in, out_ends;
    (void)state;
    turns(false, &in, &out_ends);
    assert_int_equal(in, out_ends);
    turns(true, &in, &out_ends);
    assert_int_equal(in, out_ends - 700 - 342); /* as soon as the entry of its victim is invalid */
}

static uint32_t chosen; /* lines of evictions ahead */

static void write_line(void *self, const char *text)
{
    (void)self;
    chosen += text[0] == 'E';
}

/* Three blocks in memory for two, of which one is to be free: after each service but the first, the oldest
 * leaves. */
static void memory_leaves_ahead_of_need(void **state)
{
    struct mp_paging_params p = usual();
    struct mp_req req[3];
    (void)state;
    p.uvm.chunks = 2;
    p.ahead = 1;
    p.cost.interrupt = 1000;
    set_up(&p);
    chosen = 0;
    mp_paging_trace(b.paging, write_line, NULL);
    open(6 * MB);
    for (uint32_t i = 0; i < 3; i++) {
        b.actions = 0;
        fault(&req[i], MP_LOAD, HEAP + i * 2 * MB);
        run_dry(&b.wheel);
        uint32_t at = 0;
        const uint64_t ended = next(MP_PAGING_BATCH, &at)->ended;
        const struct mp_paging_action *victim = next(MP_PAGING_VICTIM, &at);
        assert_int_equal(victim != NULL, i > 0);
        if (victim) {
            assert_int_equal(victim->va, HEAP + (i - 1) * 2 * MB);
            assert_int_equal(victim->began, ended + p.cost.interrupt);
        }
        assert_int_equal(count(MP_PAGING_BATCH), 1);
        assert_true(where(HEAP + i * 2 * MB) != 0);
    }
    const struct mp_paging_stats *s = mp_paging_counters(b.paging, 0);
    assert_int_equal(s->evictions, 2);
    assert_int_equal(s->batches, 3);
    assert_int_equal(parts(0), s->batch_cycles);
    assert_int_equal(chosen, 2);
}

/* ---- accesses of the host ---- */

/* Of three pages, the GPU has the one in the middle. */
static void a_page_comes_back_when_the_host_reads_it(void **state)
{
    struct mp_paging_params p = usual();
    struct mp_req req;
    uint64_t ended;
    (void)state;
    p.cost.host = 3000;
    p.cost.block = 500;
    p.cost.copy = 170;
    p.cost.evict = 100000; /* it is no victim */
    p.cost.invalidation = 31;
    set_up(&p);
    open(2 * MB);
    fault(&req, MP_STORE, HEAP + 5 * PAGE);
    run_dry(&b.wheel);
    const uint64_t begin = b.wheel.now, takes = 3000 + 500 + 31 + 170 + 700 + 342;
    b.actions = 0;
    host_reads(0, HEAP + 4 * PAGE + 8, 2 * PAGE, &ended);
    run_dry(&b.wheel);
    uint32_t at = 0;
    assert_int_equal(ended, begin + takes);
    assert_int_equal(where(HEAP + 5 * PAGE), 0);
    assert_int_equal(next(MP_PAGING_UNMAPPED, &at)->began, begin + 3500);
    assert_int_equal(next(MP_PAGING_INVALIDATED, &at)->ended, begin + 3531);
    assert_int_equal(next(MP_PAGING_COPIED_OUT, &at)->ended, ended);
    assert_int_equal(count(MP_PAGING_VICTIM) + count(MP_PAGING_BATCH), 0);
    const struct mp_paging_stats *s = mp_paging_counters(b.paging, 0);
    assert_int_equal(s->host_faults, 1);
    assert_int_equal(s->host_moved, 1);
    assert_int_equal(s->host_cycles, takes);
    assert_int_equal(s->bytes_out, PAGE);
    assert_int_equal(s->evictions + s->refetched, 0);
    host_reads(0, HEAP, 2 * MB, &ended); /* it has all */
    run_dry(&b.wheel);
    assert_int_equal(s->host_faults, 1);
    fault(&req, MP_LOAD, HEAP + 5 * PAGE);
    run_dry(&b.wheel);
    assert_int_equal(s->copied, 2);
    assert_int_equal(s->refetched, 0);
    assert_int_equal(parts(0), s->batch_cycles);
}

/* Memory for one block, which the host empties, is another's without a copy, and then that block's again. */
static void an_emptied_unit_is_evicted_without_a_copy(void **state)
{
    static const char *const designs[] = {"driver", "lru64k", "lru4k"};
    (void)state;
    for (uint32_t i = 0; i < sizeof designs / sizeof *designs; i++) {
        struct mp_paging_params p = usual();
        struct mp_req req[3];
        uint64_t ended;
        p.uvm.chunks = 1;
        p.uvm.evict = mp_uvm_evict_find(designs[i]);
        p.uvm.prefetch = mp_uvm_prefetch_find("tree");
        p.uvm.threshold = 1; /* all of a block comes with its first page */
        set_up(&p);
        open(4 * MB);
        fault(&req[0], MP_LOAD, HEAP);
        run_dry(&b.wheel);
        host_reads(0, HEAP, 2 * MB, &ended);
        run_dry(&b.wheel);
        const struct mp_paging_stats *s = mp_paging_counters(b.paging, 0);
        assert_int_equal(s->host_moved, 512);
        assert_true(s->host_faults < 32);
        b.actions = 0;
        fault(&req[1], MP_LOAD, HEAP + 2 * MB);
        run_dry(&b.wheel);
        const uint64_t units = 2 * MB / (p.uvm.evict->unit ? p.uvm.evict->unit : PAGE);
        assert_int_equal(s->evictions, units);
        assert_int_equal(s->evicted, 0);
        assert_int_equal(count(MP_PAGING_VICTIM), units);
        assert_int_equal(count(MP_PAGING_COPIED_OUT) + count(MP_PAGING_INVALIDATED), 0);
        assert_true(where(HEAP + 2 * MB) != 0);
        fault(&req[2], MP_LOAD, HEAP);
        run_dry(&b.wheel);
        assert_int_equal(s->evicted, 512);
        assert_true(where(HEAP) != 0 && !where(HEAP + 2 * MB));
        tear_down(NULL);
    }
}

/* The host of one space reads what has 16 faults, and the GPU has faults of the other meanwhile. */
static void faults_of_the_host_and_of_the_gpu_take_turns(void **state)
{
    enum { FAULTS = 16 };
    struct mp_paging_params p = usual();
    struct mp_req req[FAULTS + 1];
    uint64_t ended;
    (void)state;
    p.uvm.chunks = 3;
    p.cost.host = p.cost.interrupt = 10000;
    set_up(&p);
    open_in(0, 2 * MB);
    open_in(1, 2 * MB);
    for (uint32_t i = 0; i < FAULTS; i++)
        fault(&req[i], MP_LOAD, HEAP + i * PAGE);
    run_dry(&b.wheel);
    const uint64_t begin = b.wheel.now;
    b.actions = 0;
    host_reads(0, HEAP, 2 * MB, &ended);
    req[FAULTS] = (struct mp_req){.va = HEAP, .asid = 1, .op = MP_LOAD};
    assert_true(mp_paging_fault(b.paging, NULL, &req[FAULTS]));
    run_dry(&b.wheel);
    uint32_t at = 0;
    const struct mp_paging_action *batch = next(MP_PAGING_BATCH, &at);
    assert_int_equal(batch->began, begin + 10000 + 700 + 342 + 10000); /* after one fault of the host */
    assert_int_equal(ended, begin + FAULTS * (10000 + 700 + 342) + 10000 + batch->ended - batch->began);
    assert_int_equal(mp_paging_counters(b.paging, 0)->host_faults, FAULTS);
}

/* ---- lines on the link ---- */

enum { LINE = 699051, LINES = 90 }; /* 128 B at 12 B / ns, in 65536ths of a cycle */

static void send_lines(struct mp_host_way *way)
{
    for (uint32_t i = 0; i < LINES; i++)
        mp_host_send_line(way, b.wheel.now * MP_HOST_CYCLE, LINE);
}

/* Of 1042 cycles, the bytes of a page take 341.3 of the link. 90 lines need 960, of which 700.7 are left.
 */
static void lines_delay_copies_and_their_entries(void **state)
{
    struct mp_paging_params p = usual();
    struct mp_req req[2];
    uint64_t ended;
    (void)state;
    p.cost.interrupt = 50;
    p.uvm.chunks = 1;
    p.cost.block = 400; /* the next copy in is launched when the copy out has been delayed */
    set_up(&p);
    open(4 * MB);
    fault(&req[0], MP_LOAD, HEAP);
    run_until(&b.wheel, 50 + 400 + 10);
    send_lines(&b.link.in);
    run_dry(&b.wheel);
    uint32_t at = 0;
    assert_int_equal(next(MP_PAGING_MAPPED, &at)->began, 50 + 400 + 1042 + 260);
    /* A victim's copy out, and the copy in that waits for its frame. */
    const uint64_t begin = b.wheel.now;
    fault(&req[1], MP_LOAD, HEAP + 2 * MB);
    run_until(&b.wheel, begin + 50 + 10);
    send_lines(&b.link.out);
    run_dry(&b.wheel);
    assert_int_equal(next(MP_PAGING_COPIED_IN, &at)->began, begin + 50 + 1042 + 260);
    /* What the host reads comes later, too. */
    const uint64_t read = b.wheel.now;
    host_reads(0, HEAP + 2 * MB, PAGE, &ended);
    run_until(&b.wheel, read + 400 + 10);
    send_lines(&b.link.out);
    run_dry(&b.wheel);
    assert_int_equal(ended, read + 400 + 1042 + 260);
}

/* What the processor has accessed that was the last to do so is where it is. */
static void each_page_is_in_one_place(void **state)
{
    static const char *const evicts[] = {"driver", "lru64k", "tbne", "lru4k", "random", "hpe"},
                             *const migrates[] = {"first-touch", "counter", "host"};
    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        struct mp_paging_params p = usual();
        struct mp_req req[8];
        uint64_t ended[2] = {1, 1};
        draw = (seed + round) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        p.uvm.evict = mp_uvm_evict_find(evicts[roll(6)]);
        p.uvm.migrate = mp_uvm_migrate_find(migrates[roll(3)]);
        p.uvm.prefetch = mp_uvm_prefetch_find(roll(2) ? "tree" : "none");
        p.uvm.chunks = 2 + roll(3);
        p.uvm.counter = 2;
        p.uvm.write_back_dirty = roll(2);
        p.overlaps = roll(2);
        p.ahead = roll(2);
        p.from_host = roll(3);
        p.cost.interrupt = roll(2000);
        p.cost.host = roll(2000);
        set_up(&p);
        open_in(0, 8 * MB);
        open_in(1, 8 * MB);
        for (uint32_t i = 0; i < 40; i++) {
            const uint32_t s = roll(2), pages = 1 + roll(roll(4) ? 8 : 700);
            const uint64_t va = HEAP + roll(1024) * PAGE, last = va + roll(1000) * PAGE;
            b.actions = 0;
            const uint32_t n = roll(8);
            for (uint32_t k = 0; k < n; k++) {
                req[k] = (struct mp_req){.va = HEAP + roll(2048) * PAGE,
                                         .asid = (uint8_t)roll(2),
                                         .op = roll(2) ? MP_LOAD : MP_STORE};
                if (!where_in(req[k].asid, req[k].va))
                    assert_true(mp_paging_fault(b.paging, NULL, &req[k]));
            }
            host_reads(s, va, pages * PAGE, &ended[0]);
            if (roll(2))
                host_reads(1 - s, va, pages * PAGE, &ended[1]);
            for (uint32_t k = roll(4); k; k--) {
                run_until(&b.wheel, b.wheel.now + roll(3000));
                send_lines(roll(2) ? &b.link.in : &b.link.out);
            }
            run_dry(&b.wheel);
            assert_true(ended[0] != UINT64_MAX && ended[1] != UINT64_MAX);
            if (!n) /* nothing has come after the host */
                for (uint64_t at = va; at < va + pages * PAGE; at += PAGE)
                    assert_true(!where_in(s, at) || where_in(s, at) >= MP_HOST_MEMORY);
            struct mp_req one = {.va = last, .asid = (uint8_t)s, .op = MP_STORE};
            if (!where_in(s, last)) {
                assert_true(mp_paging_fault(b.paging, NULL, &one));
                run_dry(&b.wheel);
                assert_true(where_in(s, last) != 0 || p.ahead);
            }
            assert_true(frames_in_use() <= (p.uvm.chunks + p.overlaps) * 512);
        }
        const struct mp_paging_stats *s = mp_paging_counters(b.paging, 0);
        assert_int_equal(s->bytes_out, (s->written_back + s->host_moved) * PAGE);
        tear_down(NULL);
    }
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
    printf("seed %ju\n", (uintmax_t)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_fault_is_served, tear_down),
        cmocka_unit_test_teardown(a_block_that_notices_serve_twice_leaves_after_both, tear_down),
        cmocka_unit_test(notices_take_their_time),
        cmocka_unit_test(parts_are_the_time_of_batches),
        cmocka_unit_test(with_a_unit_more_copies_in_overlap_with_copies_out),
        cmocka_unit_test_teardown(memory_leaves_ahead_of_need, tear_down),
        cmocka_unit_test_teardown(a_page_comes_back_when_the_host_reads_it, tear_down),
        cmocka_unit_test(an_emptied_unit_is_evicted_without_a_copy),
        cmocka_unit_test_teardown(faults_of_the_host_and_of_the_gpu_take_turns, tear_down),
        cmocka_unit_test_teardown(lines_delay_copies_and_their_entries, tear_down),
        cmocka_unit_test(each_page_is_in_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
