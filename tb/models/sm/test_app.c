/* SPDX-License-Identifier: Apache-2.0 */
/* An application on SMs with fixed latencies: what it requests from its host, and in which cycle. */
#include "app_bench.h"

#define LOG 64u

enum step { MAP, UNMAP, COMPLETED, FAILED, PREPARE };

static struct host {
    struct mp_app app;
    struct gwt_reader *reader;
    struct {
        enum step step;
        uint64_t when, va, bytes;
    } log[LOG];
    uint32_t logged, runs;              /* runs: how often the application has yet to complete */
    uint64_t mapped;                    /* number of the buffer that was mapped last */
    const struct mp_colours_part *part; /* of each frame; NULL: whole frames */
    bool map_fails;
    bool scans; /* before a kernel, each mapped page takes a cycle */
    char why[256];
} h;

/* --- the host ------------------------------------------------------------------------------------- */

static void note(enum step step, uint64_t va, uint64_t bytes)
{
    assert_true(h.logged < LOG);
    h.log[h.logged].step = step;
    h.log[h.logged].when = b.wheel.now;
    h.log[h.logged].va = va;
    h.log[h.logged++].bytes = bytes;
}

static int host_map(void *self, uint32_t tenant, uint64_t number, uint64_t va, uint64_t bytes,
                    struct mp_error *err)
{
    assert_ptr_equal(self, &h);
    assert_int_equal(tenant, 2);
    h.mapped = number;
    note(MAP, va, bytes);
    return h.map_fails ? mp_fail(err, "no memory") : 0;
}

static void host_unmap(void *self, uint32_t tenant, uint64_t va, uint64_t bytes)
{
    assert_ptr_equal(self, &h);
    assert_int_equal(tenant, 2);
    note(UNMAP, va, bytes);
}

static void host_completed(void *self, uint32_t tenant)
{
    struct mp_error err;
    assert_ptr_equal(self, &h);
    assert_int_equal(tenant, 2);
    note(COMPLETED, 0, 0);
    if (--h.runs == 0)
        return;
    assert_int_equal(gwt_rewind(h.reader, &err), 0);
    mp_app_start(&h.app);
}

static void host_failed(void *self, uint32_t tenant, const char *why)
{
    assert_ptr_equal(self, &h);
    assert_int_equal(tenant, 2);
    note(FAILED, 0, 0);
    snprintf(h.why, sizeof h.why, "%s", why);
}

/* The toy of a driver that scans its page tables. */
static uint32_t host_prepare(void *self, uint32_t tenant)
{
    uint64_t bytes = 0;
    assert_ptr_equal(self, &h);
    assert_int_equal(tenant, 2);
    for (uint32_t i = 0; i < h.app.buffers; i++)
        bytes += h.app.buffer[i].bytes;
    note(PREPARE, 0, bytes);
    return (uint32_t)(bytes / PAGE);
}

/* Whether the address is mapped, according to the log. */
static bool mapped(uint64_t va)
{
    bool is = false;
    for (uint32_t i = 0; i < h.logged; i++)
        if (va - h.log[i].va < h.log[i].bytes)
            is = h.log[i].step == MAP;
    return is;
}

static void translate(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    assert_int_equal(req->tenant, 2);
    assert_int_equal(req->asid, 5);
    req->pa = req->va - HEAP;
    req->fault = !mapped(req->va);
}

/* --- set-up --------------------------------------------------------------------------------------- */

/* SMs with room for that many work-groups each, and a trace that is still empty. */
static void set_up(uint32_t ctas)
{
    h = (struct host){.runs = 1};
    set_up_sms(ctas, translate);
    begin_trace();
}

/* The trace is complete; the application starts. */
static void start_by(const struct mp_dispatch_policy *policy)
{
    h.reader = end_trace();
    const struct mp_app_params p = {
        .tenant = 2,
        .asid = 5,
        .clock_mhz = 1500,
        .launch_latency = LAUNCH,
        .reader = h.reader,
        .sm = b.sms,
        .sms = SMS,
        .dispatch = policy,
        .part = h.part,
        .host = {&h, host_map, host_unmap, NULL, host_completed, host_failed, NULL,
                 h.scans ? host_prepare : NULL},
    };
    assert_int_equal(mp_app_init(&h.app, &b.wheel, &p), 0);
    mp_app_start(&h.app);
}

static void start(void)
{
    start_by(NULL);
}

static void run(void)
{
    start();
    run_dry(&b.wheel);
}

static int tear_down(void **state)
{
    (void)state;
    mp_app_free(&h.app);
    gwt_close(h.reader);
    tear_down_sms();
    return 0;
}

static void logged(uint32_t i, enum step step, uint64_t when, uint64_t va)
{
    assert_true(i < h.logged);
    assert_int_equal(h.log[i].step, step);
    assert_int_equal(h.log[i].when, when);
    assert_int_equal(h.log[i].va, va);
}

static uint32_t cta_in(uint32_t sm, uint32_t slot)
{
    assert_non_null(b.sm[sm].cta[slot].work);
    return ((const struct gwt_cta *)b.sm[sm].cta[slot].work)->id;
}

/* --- kernels one after the other ------------------------------------------------------------------ */

static void kernels_follow_each_other(void **state)
{
    (void)state;
    set_up(4);
    gwt_write_alloc(b.writer, 1, HEAP, PAGE);
    gwt_write_host(b.writer, GWT_HOST_WRITE, HEAP, PAGE); /* copies take no time */
    idle_kernel(10);
    kernel(1, 1, 0);
    gwt_write_cta(b.writer, 0, 1);
    gwt_write_warp(b.writer, 0, 32);
    load(5, HEAP);
    leave(1);
    gwt_write_kernel_end(b.writer);
    run();
    const uint64_t second = 10 + LAUNCH, end = second + 5 + TLB + CACHE;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < SMS; i++)
        if (b.tlb[i].seen)
            seen = b.tlb[i].log[0].when;
    assert_int_equal(seen, second + 5);
    assert_int_equal(h.app.stats.kernels, 2);
    assert_int_equal(h.app.stats.accesses, 1);
    assert_int_equal(h.app.stats.completions, 1);
    assert_int_equal(h.app.stats.cycles,
                     end + LAUNCH); /* the host learns of the end after the launch latency, too */
    assert_int_equal(h.logged, 3);
    logged(2, COMPLETED, end + LAUNCH, 0);
}

static void a_kernel_ends_with_its_last_work_group(void **state)
{
    (void)state;
    set_up(4);
    gwt_write_alloc(b.writer, 1, HEAP, PAGE);
    kernel(3, 1, 0);
    idle_cta(0, 1, 30);
    idle_cta(1, 1, 70);
    idle_cta(2, 1, 20);
    gwt_write_kernel_end(b.writer);
    gwt_write_alloc(b.writer, 2, HEAP + PAGE, PAGE);
    run();
    logged(1, MAP, 70 + LAUNCH, HEAP + PAGE);
}

/* --- where work-groups go ------------------------------------------------------------------------- */

static void work_groups_go_breadth_first(void **state)
{
    static const uint32_t gap[8] = {50, 10, 60, 70, 80, 90, 40, 5};
    (void)state;
    set_up(2);
    kernel(8, 1, 0);
    for (uint32_t c = 0; c < 8; c++)
        idle_cta(c, 1, gap[c]);
    gwt_write_kernel_end(b.writer);
    start();
    run_until(&b.wheel, 0);
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(cta_in(i, 0), i);
        assert_int_equal(cta_in(i, 1), SMS + i);
    }
    run_until(&b.wheel, 9);
    assert_int_equal(cta_in(1, 0), 1);
    run_until(&b.wheel, 10); /* the first that ends makes room for the seventh */
    assert_int_equal(cta_in(1, 0), 6);
    run_until(&b.wheel, 49);
    assert_int_equal(cta_in(0, 0), 0);
    run_dry(&b.wheel); /* two end in cycle 50: one makes room for the eighth, the last */
    assert_int_equal(b.sm[0].stats[2].ctas + b.sm[1].stats[2].ctas + b.sm[2].stats[2].ctas, 8);
    assert_int_equal(b.sm[2].stats[2].ctas, 2);
    assert_int_equal(h.app.stats.cycles, 90 + LAUNCH);
}

/* One in a cycle while there is room, then one for each that ends. */
static void round_robin_starts_one_in_a_cycle(void **state)
{
    (void)state;
    set_up(2);
    kernel(8, 1, 0);
    for (uint32_t c = 0; c < 8; c++)
        idle_cta(c, 1, 50);
    gwt_write_kernel_end(b.writer);
    start_by(mp_dispatch_policy_find("round_robin"));
    for (uint32_t cycle = 0; cycle < 6; cycle++) {
        run_until(&b.wheel, cycle);
        assert_int_equal(cta_in(cycle % SMS, cycle / SMS), cycle);
        if (cycle < 5)
            assert_null(b.sm[(cycle + 1) % SMS].cta[(cycle + 1) / SMS].work);
    }
    run_until(&b.wheel, 50); /* the first ends */
    assert_int_equal(cta_in(0, 0), 6);
    run_until(&b.wheel, 51);
    assert_int_equal(cta_in(1, 0), 7);
    run_dry(&b.wheel);
    assert_int_equal(h.app.stats.cycles, 101 + LAUNCH);
}

static void local_memory_limits_placement(void **state)
{
    (void)state;
    set_up(4);
    kernel(5, 1, 600); /* one an SM: 1000 bytes */
    for (uint32_t c = 0; c < 5; c++)
        idle_cta(c, 1, 10);
    gwt_write_kernel_end(b.writer);
    start();
    run_until(&b.wheel, 0);
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(cta_in(i, 0), i);
        assert_null(b.sm[i].cta[1].work);
    }
    run_dry(&b.wheel);
    assert_int_equal(h.app.stats.cycles, 20 + LAUNCH);
}

/* --- buffers -------------------------------------------------------------------------------------- */

static void buffers_come_and_go(void **state)
{
    (void)state;
    set_up(4);
    gwt_write_alloc(b.writer, 7, HEAP, 3 * PAGE);
    gwt_write_alloc(b.writer, 8, HEAP + 4 * PAGE, 5);
    idle_kernel(10);
    gwt_write_free(b.writer, 7);
    idle_kernel(20);
    gwt_write_alloc(b.writer, 9, HEAP, PAGE);
    run();
    const uint64_t first = 10 + LAUNCH, second = first + 20 + LAUNCH;
    assert_int_equal(h.logged, 7);
    logged(0, MAP, 0, HEAP);
    logged(1, MAP, 0, HEAP + 4 * PAGE);
    logged(2, UNMAP, first, HEAP);
    logged(3, MAP, second, HEAP);
    assert_int_equal(h.mapped, 9);
    assert_int_equal(h.log[2].bytes, 3 * PAGE);
    assert_int_equal(h.log[1].bytes, 5);
    assert_int_equal(h.log[3].bytes, PAGE);
    /* the two that the program did not free are unmapped before the end is reported */
    assert_int_equal(h.log[4].step, UNMAP);
    assert_int_equal(h.log[5].step, UNMAP);
    assert_int_equal(h.log[4].va + h.log[5].va, 2 * HEAP + 4 * PAGE);
    assert_int_equal(h.log[4].va == HEAP ? h.log[4].bytes : h.log[5].bytes, PAGE);
    logged(6, COMPLETED, second, 0);
    assert_int_equal(h.app.buffers, 0);
}

/* What is mapped goes by parts, and what is left of it when the run ends. */
static void ranges_come_and_go(void **state)
{
    (void)state;
    set_up(4);
    gwt_write_mapping(b.writer, GWT_MAP, HEAP, 4 * PAGE);
    gwt_write_mapping(b.writer, GWT_MAP, HEAP + 4 * PAGE, PAGE);
    idle_kernel(10);
    gwt_write_mapping(b.writer, GWT_UNMAP, HEAP + 3 * PAGE,
                      2 * PAGE); /* a part of the first one, and the other */
    idle_kernel(20);
    gwt_write_mapping(b.writer, GWT_UNMAP, HEAP + PAGE, PAGE);
    run();
    const uint64_t first = 10 + LAUNCH, second = first + 20 + LAUNCH;
    assert_int_equal(h.logged, 7);
    logged(0, MAP, 0, HEAP);
    logged(1, MAP, 0, HEAP + 4 * PAGE);
    assert_int_equal(h.mapped, MP_APP_NO_BUFFER);
    logged(2, UNMAP, first, HEAP + 3 * PAGE);
    assert_int_equal(h.log[2].bytes, 2 * PAGE);
    logged(3, UNMAP, second, HEAP + PAGE);
    assert_int_equal(h.log[4].step, UNMAP); /* the pages before and after the one that was unmapped last */
    assert_int_equal(h.log[5].step, UNMAP);
    assert_int_equal(h.log[4].va + h.log[5].va, 2 * HEAP + 2 * PAGE);
    assert_int_equal(h.log[4].bytes + h.log[5].bytes, 2 * PAGE);
    logged(6, COMPLETED, second, 0);
    assert_int_equal(h.app.buffers, 0);
}

/* 1500 cycles are a microsecond. A time that has passed does nothing, and each run begins anew. */
static void nothing_happens_before_its_time(void **state)
{
    (void)state;
    set_up(4);
    h.runs = 2;
    gwt_write_time(b.writer, 0);
    gwt_write_mapping(b.writer, GWT_MAP, HEAP, PAGE);
    gwt_write_time(b.writer, 1);
    idle_kernel(10);
    gwt_write_time(b.writer, 2);
    gwt_write_mapping(b.writer, GWT_MAP, HEAP + PAGE, PAGE);
    gwt_write_time(b.writer, 1000);
    gwt_write_time(b.writer, 1000);
    gwt_write_mapping(b.writer, GWT_UNMAP, HEAP, PAGE);
    idle_kernel(10);
    gwt_write_time(b.writer, 1001);
    run();
    const uint64_t first = 2 + 10 + LAUNCH, end = 1500 + 10 + LAUNCH; /* a nanosecond is two cycles at most */
    logged(0, MAP, 0, HEAP);
    logged(1, MAP, first, HEAP + PAGE);
    logged(2, UNMAP, 1500, HEAP);
    logged(3, UNMAP, end, HEAP + PAGE);
    logged(4, COMPLETED, end, 0);
    logged(5, MAP, end, HEAP);
    logged(6, MAP, end + first, HEAP + PAGE);
    logged(7, UNMAP, end + 1500, HEAP);
    logged(9, COMPLETED, 2 * end, 0);
    assert_int_equal(h.app.stats.kernels, 4);
}

/* The host sees the address space before the first kernel after an allocation, and before no other. */
static void the_host_prepares_an_address_space(void **state)
{
    (void)state;
    set_up(4);
    h.scans = true;
    h.runs = 2;
    gwt_write_alloc(b.writer, 7, HEAP, 3 * PAGE);
    gwt_write_alloc(b.writer, 8, HEAP + 4 * PAGE, 2 * PAGE);
    idle_kernel(10);
    idle_kernel(10);
    gwt_write_free(b.writer, 7);
    idle_kernel(10);
    gwt_write_alloc(b.writer, 9, HEAP, PAGE);
    idle_kernel(10);
    run();
    const uint64_t each = 10 + LAUNCH, fourth = 5 + 3 * each, end = fourth + 3 + each;
    assert_int_equal(h.app.stats.kernels, 8);
    logged(2, PREPARE, 0, 0);
    assert_int_equal(h.log[2].bytes, 5 * PAGE);
    logged(3, UNMAP, 5 + 2 * each, HEAP);
    logged(5, PREPARE, fourth, 0);
    assert_int_equal(h.log[5].bytes, 3 * PAGE);
    logged(8, COMPLETED, end, 0);
    logged(11, PREPARE, end, 0); /* the second run allocates again */
    assert_int_equal(h.log[h.logged - 1].when, 2 * end);
    assert_int_equal(h.logged, 18);
}

static void many_buffers(void **state)
{
    (void)state;
    set_up(4);
    for (uint32_t i = 0; i < 20; i++)
        gwt_write_alloc(b.writer, i, HEAP + i * PAGE, PAGE);
    idle_kernel(1);
    run();
    assert_int_equal(h.logged, 41);
    for (uint32_t i = 0; i < 20; i++)
        assert_false(mapped(HEAP + i * PAGE));
}

/* --- failures ------------------------------------------------------------------------------------- */

static void failed_with(const char *why, uint64_t when)
{
    assert_string_equal(h.why, why);
    logged(h.logged - 1, FAILED, when, 0);
    for (uint32_t i = 0; i + 1 < h.logged; i++)
        assert_int_equal(h.log[i].step, MAP); /* one report, and no completion */
    assert_int_equal(h.app.stats.completions, 0);
}

static void a_work_group_larger_than_an_sm(void **state)
{
    static const char why[] = "a work-group is larger than an SM; sm.warps and sm.local_bytes limit it";
    set_up(4);
    kernel(2, 9, 0);
    idle_cta(0, 9, 1);
    idle_cta(1, 9, 1);
    gwt_write_kernel_end(b.writer);
    run();
    failed_with(why, 0);
    tear_down(state);
    set_up(4);
    idle_kernel(10);
    kernel(1, 1, 1001);
    idle_cta(0, 1, 1);
    gwt_write_kernel_end(b.writer);
    run();
    failed_with(why, 10 + LAUNCH);
}

static void a_buffer_without_memory(void **state)
{
    (void)state;
    set_up(4);
    h.map_fails = true;
    gwt_write_alloc(b.writer, 1, HEAP, PAGE);
    idle_kernel(10);
    run();
    failed_with("no memory", 0);
    assert_int_equal(h.app.stats.kernels, 0);
}

static void an_access_to_no_buffer(void **state)
{
    (void)state;
    set_up(4);
    gwt_write_alloc(b.writer, 1, HEAP, PAGE);
    kernel(12, 1, 0);
    for (uint32_t c = 0; c < 12; c++) {
        gwt_write_cta(b.writer, c, 1);
        gwt_write_warp(b.writer, 0, 32);
        load(2, HEAP + LINE);
        load(2, HEAP + (2 + c) * PAGE);
        leave(1);
    }
    gwt_write_kernel_end(b.writer);
    idle_kernel(10);
    run();
    /* each SM has four: their first pages are translated in cycles 2 to 5, their second ones afterwards */
    failed_with("kernel walk reads or writes 0x100020000, which no buffer holds; a trace allocates what it "
                "touches",
                2 + 4 + TLB);
    assert_int_equal(h.app.stats.kernels, 1); /* the next one was not launched */
}

/* With half of each 2 MB, a buffer needs twice the addresses, an access six instructions more, and a message
 * has the address of the trace. */
static void a_part_of_each_frame(void **state)
{
    enum { MB = 1 << 20 };
    const struct mp_colours colours = {.colours = 2, .functions = 1, .function = {1 << 13}};
    const struct mp_colours_part part = {.colours = &colours, .colour = 1, .shift = 20, .instructions = 6};
    (void)state;
    set_up(4);
    h.part = &part;
    b.coalescer.page_shift = part.shift;
    for (uint32_t i = 0; i < SMS; i++)
        b.sm[i].p.parts = true;
    gwt_write_alloc(b.writer, 1, HEAP + MB / 2, 2 * MB);
    kernel(1, 1, 0);
    gwt_write_cta(b.writer, 0, 1);
    gwt_write_warp(b.writer, 0, 32);
    load(2, HEAP + MB / 2);
    load(2, HEAP + 5 * MB / 2);
    leave(1);
    gwt_write_kernel_end(b.writer);
    run();
    assert_int_equal(h.log[0].va, 2 * HEAP + MB / 2);
    assert_int_equal(h.log[0].bytes, 4 * MB);
    failed_with("kernel walk reads or writes 0x100280000, which no buffer holds; a trace allocates what it "
                "touches",
                2 * (2 + 6) + TLB);
}

/* --- again ---------------------------------------------------------------------------------------- */

static void random_kernel(uint32_t pages)
{
    uint32_t ctas = rng_between(&b.rng, 1, 20), warps = rng_between(&b.rng, 1, 8);
    kernel(ctas, warps, rng_below(&b.rng, 700));
    for (uint32_t c = 0; c < ctas; c++) {
        gwt_write_cta(b.writer, c, warps);
        for (uint32_t w = 0; w < warps; w++) {
            gwt_write_warp(b.writer, w, 32);
            for (uint32_t n = rng_below(&b.rng, 6); n; n--)
                load(rng_below(&b.rng, 50), HEAP + rng_below(&b.rng, pages * (uint32_t)PAGE - 8) / 4 * 4);
            leave(rng_below(&b.rng, 30));
        }
    }
    gwt_write_kernel_end(b.writer);
}

static void random_run(void)
{
    set_up(rng_between(&b.rng, 1, 6));
    h.runs = 3;
    uint32_t pages = rng_between(&b.rng, 1, 9), kernels = rng_between(&b.rng, 1, 4);
    gwt_write_alloc(b.writer, 1, HEAP, pages * PAGE);
    for (uint32_t k = 0; k < kernels; k++)
        random_kernel(pages);
    if (rng_percent(&b.rng, 50))
        gwt_write_free(b.writer, 1);
    run();
    assert_string_equal(h.why, "");
    assert_int_equal(h.logged, 9);
    uint64_t cycles = h.log[2].when;
    for (uint32_t i = 0; i < 3;
         i++) { /* each run begins when the one before it has ended, and takes as long */
        logged(3 * i, MAP, i * cycles, HEAP);
        logged(3 * i + 1, UNMAP, (i + 1) * cycles, HEAP);
        logged(3 * i + 2, COMPLETED, (i + 1) * cycles, 0);
    }
    const struct gwt_totals *t = gwt_totals(h.reader);
    struct mp_sm_stats sum = {0};
    for (uint32_t i = 0; i < SMS; i++) {
        sum.ctas += b.sm[i].stats[2].ctas;
        sum.issued += b.sm[i].stats[2].issued;
        assert_int_equal(b.sm[i].used, 0);
        assert_int_equal(b.sm[i].room.local_used, 0);
    }
    assert_int_equal(h.app.stats.cycles, 3 * cycles);
    assert_int_equal(h.app.stats.completions, 3);
    assert_int_equal(h.app.stats.kernels, 3 * kernels);
    assert_int_equal(h.app.stats.accesses, 3 * t->accesses);
    assert_int_equal(sum.ctas, 3 * t->ctas);
    assert_int_equal(sum.issued, 3 * t->instructions);
}

static void a_run_again_takes_the_same_cycles(void **state)
{
    b.rng = rng_start("app", 17);
    for (uint32_t i = 0; i < 40; i++) {
        random_run();
        tear_down(state);
    }
    random_run();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(kernels_follow_each_other, tear_down),
        cmocka_unit_test_teardown(a_kernel_ends_with_its_last_work_group, tear_down),
        cmocka_unit_test_teardown(work_groups_go_breadth_first, tear_down),
        cmocka_unit_test_teardown(round_robin_starts_one_in_a_cycle, tear_down),
        cmocka_unit_test_teardown(local_memory_limits_placement, tear_down),
        cmocka_unit_test_teardown(buffers_come_and_go, tear_down),
        cmocka_unit_test_teardown(ranges_come_and_go, tear_down),
        cmocka_unit_test_teardown(nothing_happens_before_its_time, tear_down),
        cmocka_unit_test_teardown(the_host_prepares_an_address_space, tear_down),
        cmocka_unit_test_teardown(many_buffers, tear_down),
        cmocka_unit_test_teardown(a_work_group_larger_than_an_sm, tear_down),
        cmocka_unit_test_teardown(a_buffer_without_memory, tear_down),
        cmocka_unit_test_teardown(an_access_to_no_buffer, tear_down),
        cmocka_unit_test_teardown(a_part_of_each_frame, tear_down),
        cmocka_unit_test_teardown(a_run_again_takes_the_same_cycles, tear_down),
    };
    return cmocka_run_group_tests_name("app", tests, NULL, NULL);
}
