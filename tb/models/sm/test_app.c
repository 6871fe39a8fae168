/* SPDX-License-Identifier: Apache-2.0 */
/* An application on SMs whose translations and lines take a fixed time: what it asks of its host, and when.
 */
#include "../engine/fakes.h"

#include <unistd.h>

#include "sm/app.h"

#define HEAP   (1ull << 32)
#define PAGE   0x10000ull
#define LINE   128ull
#define TLB    3u  /* cycles of a translation */
#define CACHE  20u /* of a line */
#define LAUNCH 100u
#define SMS    3u
#define LOG    64u

enum step { MAP, UNMAP, COMPLETED, FAILED };

struct bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct mp_coalescer coalescer;
    struct mp_sm sm[SMS];
    struct fake_target tlb[SMS], cache[SMS];
    char path[64];
    struct gwt_writer *writer;
    struct gwt_reader *reader;
    struct mp_app app;
    struct {
        enum step step;
        uint64_t when, va, bytes;
    } log[LOG];
    uint32_t logged, runs; /* runs: of the application, before it ends for good */
    bool map_fails;
    char why[256];
};

static struct bench b;

/* --- the host ---------------------------------------------------------------------------------------------
 */

static void note(enum step step, uint64_t va, uint64_t bytes)
{
    assert_true(b.logged < LOG);
    b.log[b.logged].step = step;
    b.log[b.logged].when = b.wheel.now;
    b.log[b.logged].va = va;
    b.log[b.logged++].bytes = bytes;
}

static int host_map(void *self, uint32_t tenant, uint64_t va, uint64_t bytes, struct mp_error *err)
{
    assert_ptr_equal(self, &b);
    assert_int_equal(tenant, 2);
    note(MAP, va, bytes);
    return b.map_fails ? mp_fail(err, "no memory") : 0;
}

static void host_unmap(void *self, uint32_t tenant, uint64_t va, uint64_t bytes)
{
    assert_ptr_equal(self, &b);
    assert_int_equal(tenant, 2);
    note(UNMAP, va, bytes);
}

static void host_completed(void *self, uint32_t tenant)
{
    struct mp_error err;
    assert_ptr_equal(self, &b);
    assert_int_equal(tenant, 2);
    note(COMPLETED, 0, 0);
    if (--b.runs == 0)
        return;
    assert_int_equal(gwt_rewind(b.reader, &err), 0);
    mp_app_start(&b.app);
}

static void host_failed(void *self, uint32_t tenant, const char *why)
{
    assert_ptr_equal(self, &b);
    assert_int_equal(tenant, 2);
    note(FAILED, 0, 0);
    snprintf(b.why, sizeof b.why, "%s", why);
}

/* What the log says is mapped. */
static bool mapped(uint64_t va)
{
    bool is = false;
    for (uint32_t i = 0; i < b.logged; i++)
        if (va - b.log[i].va < b.log[i].bytes)
            is = b.log[i].step == MAP;
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

/* --- set-up -----------------------------------------------------------------------------------------------
 */

static void set_up_sm(uint32_t i, uint32_t ctas)
{
    const struct mp_sm_params p = {.id = i,
                                   .warps = 8,
                                   .ctas = ctas,
                                   .local_bytes = 1000,
                                   .schedulers = 8, /* a warp each: what one remembers changes nothing */
                                   .outstanding = 2,
                                   .lsu_queue = 4,
                                   .scheduler = mp_warp_scheduler_find("gto"),
                                   .coalescer = &b.coalescer,
                                   .tenants = 3};
    assert_int_equal(mp_sm_init(&b.sm[i], &b.wheel, &p), 0);
    b.tlb[i] = fake_target_make(&b.wheel, NULL, TLB, TLB);
    b.tlb[i].answer = translate;
    b.tlb[i].up = (struct mp_initiator){mp_sm_translated, mp_sm_translate_resume, &b.sm[i], 0};
    mp_sm_join(&b.sm[i], MP_SM_TRANSLATE, fake_target_end(&b.tlb[i]));
    b.cache[i] = fake_target_make(&b.wheel, NULL, CACHE, CACHE);
    b.cache[i].up = (struct mp_initiator){mp_sm_loaded, mp_sm_data_resume, &b.sm[i], 0};
    mp_sm_join(&b.sm[i], MP_SM_DATA, fake_target_end(&b.cache[i]));
}

/* SMs with room for so many work-groups each, and a trace to be written. */
static void set_up(uint32_t ctas)
{
    struct mp_error err;
    memset(&b, 0, sizeof b);
    b.runs = 1;
    b.coalescer.page_shift = 16;
    b.coalescer.line_shift = 7;
    mp_wheel_init(&b.wheel);
    for (uint32_t i = 0; i < SMS; i++)
        set_up_sm(i, ctas);
    snprintf(b.path, sizeof b.path, "test_app_%ld.gwt", (long)getpid());
    if (gwt_writer_open(&b.writer, b.path, &err))
        fail_msg("%s", err.text);
}

/* The trace is complete; the application starts. */
static void start(void)
{
    struct mp_error err;
    struct mp_sm *sms[SMS] = {&b.sm[0], &b.sm[1], &b.sm[2]};
    if (gwt_writer_close(b.writer, &err) || gwt_open(&b.reader, b.path, &err))
        fail_msg("%s", err.text);
    unlink(b.path);
    const struct mp_app_params p = {
        .tenant = 2,
        .asid = 5,
        .launch_latency = LAUNCH,
        .reader = b.reader,
        .sm = sms,
        .sms = SMS,
        .host = {&b, host_map, host_unmap, host_completed, host_failed, NULL},
    };
    assert_int_equal(mp_app_init(&b.app, &b.wheel, &p), 0);
    mp_app_start(&b.app);
}

static void run(void)
{
    start();
    run_dry(&b.wheel);
}

static int tear_down(void **state)
{
    (void)state;
    mp_app_free(&b.app);
    gwt_close(b.reader);
    for (uint32_t i = 0; i < SMS; i++) {
        free(b.tlb[i].log);
        free(b.cache[i].log);
        mp_sm_free(&b.sm[i]);
    }
    mp_wheel_free(&b.wheel);
    return 0;
}

static void kernel(uint32_t ctas, uint32_t warps, uint32_t local_bytes)
{
    char name[] = "walk";
    struct gwt_pc pc = {.pc = 0x10, .kind = 'L', .space = GWT_GLOBAL};
    const struct gwt_kernel k = {.name = name,
                                 .grid = {ctas, 1, 1},
                                 .block = {32 * warps, 1, 1},
                                 .local_bytes = local_bytes,
                                 .npcs = 1,
                                 .pcs = &pc};
    gwt_write_kernel(b.writer, &k);
}

static void load(uint32_t gap, uint64_t va)
{
    const struct gwt_event e = {
        .kind = GWT_ACCESS, .op = GWT_LOAD, .gap = gap, .bytes = 4, .active = 1, .mask = 1, .lane = {va}};
    gwt_write_event(b.writer, &e);
}

static void leave(uint32_t gap)
{
    const struct gwt_event e = {.kind = GWT_EXIT, .gap = gap};
    gwt_write_event(b.writer, &e);
}

/* A work-group whose warps all issue `gap` instructions and end. */
static void idle_cta(uint32_t id, uint32_t warps, uint32_t gap)
{
    gwt_write_cta(b.writer, id, warps);
    for (uint32_t w = 0; w < warps; w++) {
        gwt_write_warp(b.writer, w, 32);
        leave(gap);
    }
}

static void idle_kernel(uint32_t gap)
{
    kernel(1, 1, 0);
    idle_cta(0, 1, gap);
    gwt_write_kernel_end(b.writer);
}

static void logged(uint32_t i, enum step step, uint64_t when, uint64_t va)
{
    assert_true(i < b.logged);
    assert_int_equal(b.log[i].step, step);
    assert_int_equal(b.log[i].when, when);
    assert_int_equal(b.log[i].va, va);
}

static uint32_t cta_in(uint32_t sm, uint32_t slot)
{
    assert_non_null(b.sm[sm].cta[slot].work);
    return ((const struct gwt_cta *)b.sm[sm].cta[slot].work)->id;
}

/* --- kernels one after the other --------------------------------------------------------------------------
 */

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
    assert_int_equal(b.app.stats.kernels, 2);
    assert_int_equal(b.app.stats.accesses, 1);
    assert_int_equal(b.app.stats.completions, 1);
    assert_int_equal(b.app.stats.cycles, end + LAUNCH); /* the host learns of a kernel's end as late */
    assert_int_equal(b.logged, 3);
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

/* --- where work-groups go ---------------------------------------------------------------------------------
 */

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
    run_until(&b.wheel, 10); /* the first to end makes room for the seventh, on whichever SM it was */
    assert_int_equal(cta_in(1, 0), 6);
    run_until(&b.wheel, 49);
    assert_int_equal(cta_in(0, 0), 0);
    run_dry(&b.wheel); /* in cycle 50 two end: the eighth is placed then, and there is nothing more */
    assert_int_equal(b.sm[0].stats[2].ctas + b.sm[1].stats[2].ctas + b.sm[2].stats[2].ctas, 8);
    assert_int_equal(b.sm[2].stats[2].ctas, 2);
    assert_int_equal(b.app.stats.cycles, 90 + LAUNCH);
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
    assert_int_equal(b.app.stats.cycles, 20 + LAUNCH);
}

/* --- buffers ----------------------------------------------------------------------------------------------
 */

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
    assert_int_equal(b.logged, 7);
    logged(0, MAP, 0, HEAP);
    logged(1, MAP, 0, HEAP + 4 * PAGE);
    logged(2, UNMAP, first, HEAP);
    logged(3, MAP, second, HEAP);
    assert_int_equal(b.log[2].bytes, 3 * PAGE);
    assert_int_equal(b.log[1].bytes, 5);
    assert_int_equal(b.log[3].bytes, PAGE);
    /* the two that the program never freed go before the end is told */
    assert_int_equal(b.log[4].step, UNMAP);
    assert_int_equal(b.log[5].step, UNMAP);
    assert_int_equal(b.log[4].va + b.log[5].va, 2 * HEAP + 4 * PAGE);
    assert_int_equal(b.log[4].va == HEAP ? b.log[4].bytes : b.log[5].bytes, PAGE);
    logged(6, COMPLETED, second, 0);
    assert_int_equal(b.app.buffers, 0);
}

static void many_buffers(void **state)
{
    (void)state;
    set_up(4);
    for (uint32_t i = 0; i < 20; i++)
        gwt_write_alloc(b.writer, i, HEAP + i * PAGE, PAGE);
    idle_kernel(1);
    run();
    assert_int_equal(b.logged, 41);
    for (uint32_t i = 0; i < 20; i++)
        assert_false(mapped(HEAP + i * PAGE));
}

/* --- failures ---------------------------------------------------------------------------------------------
 */

static void failed_with(const char *why, uint64_t when)
{
    assert_string_equal(b.why, why);
    logged(b.logged - 1, FAILED, when, 0);
    for (uint32_t i = 0; i + 1 < b.logged; i++)
        assert_int_equal(b.log[i].step, MAP); /* told once, and nothing was completed */
    assert_int_equal(b.app.stats.completions, 0);
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
    b.map_fails = true;
    gwt_write_alloc(b.writer, 1, HEAP, PAGE);
    idle_kernel(10);
    run();
    failed_with("no memory", 0);
    assert_int_equal(b.app.stats.kernels, 0);
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
    /* an SM has four: their first pages take cycles 2 to 5, their second ones come after */
    failed_with("kernel walk reads or writes 0x100020000, which no buffer holds; a trace allocates what it "
                "touches",
                2 + 4 + TLB);
    assert_int_equal(b.app.stats.kernels, 1); /* the next one was not launched */
}

/* --- again ------------------------------------------------------------------------------------------------
 */

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
    struct rng rng = b.rng;
    set_up(rng_between(&rng, 1, 6));
    b.rng = rng;
    b.runs = 3;
    uint32_t pages = rng_between(&b.rng, 1, 9), kernels = rng_between(&b.rng, 1, 4);
    gwt_write_alloc(b.writer, 1, HEAP, pages * PAGE);
    for (uint32_t k = 0; k < kernels; k++)
        random_kernel(pages);
    if (rng_percent(&b.rng, 50))
        gwt_write_free(b.writer, 1);
    run();
    assert_string_equal(b.why, "");
    assert_int_equal(b.logged, 9);
    uint64_t cycles = b.log[2].when;
    for (uint32_t i = 0; i < 3; i++) { /* each run begins where the last one ended and takes as long */
        logged(3 * i, MAP, i * cycles, HEAP);
        logged(3 * i + 1, UNMAP, (i + 1) * cycles, HEAP);
        logged(3 * i + 2, COMPLETED, (i + 1) * cycles, 0);
    }
    const struct gwt_totals *t = gwt_totals(b.reader);
    struct mp_sm_stats sum = {0};
    for (uint32_t i = 0; i < SMS; i++) {
        sum.ctas += b.sm[i].stats[2].ctas;
        sum.issued += b.sm[i].stats[2].issued;
        assert_int_equal(b.sm[i].used, 0);
        assert_int_equal(b.sm[i].local_used, 0);
    }
    assert_int_equal(b.app.stats.cycles, 3 * cycles);
    assert_int_equal(b.app.stats.completions, 3);
    assert_int_equal(b.app.stats.kernels, 3 * kernels);
    assert_int_equal(b.app.stats.accesses, 3 * t->accesses);
    assert_int_equal(sum.ctas, 3 * t->ctas);
    assert_int_equal(sum.issued, 3 * t->instructions);
}

static void a_run_again_takes_the_same_cycles(void **state)
{
    struct rng rng = rng_start("app", 17);
    for (uint32_t i = 0; i < 40; i++) {
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
        cmocka_unit_test_teardown(kernels_follow_each_other, tear_down),
        cmocka_unit_test_teardown(a_kernel_ends_with_its_last_work_group, tear_down),
        cmocka_unit_test_teardown(work_groups_go_breadth_first, tear_down),
        cmocka_unit_test_teardown(local_memory_limits_placement, tear_down),
        cmocka_unit_test_teardown(buffers_come_and_go, tear_down),
        cmocka_unit_test_teardown(many_buffers, tear_down),
        cmocka_unit_test_teardown(a_work_group_larger_than_an_sm, tear_down),
        cmocka_unit_test_teardown(a_buffer_without_memory, tear_down),
        cmocka_unit_test_teardown(an_access_to_no_buffer, tear_down),
        cmocka_unit_test_teardown(a_run_again_takes_the_same_cycles, tear_down),
    };
    return cmocka_run_group_tests_name("app", tests, NULL, NULL);
}
