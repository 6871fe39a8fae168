/* SPDX-License-Identifier: Apache-2.0 */
/* Walks of MESC, CoLT and THP in time: when they answer and when they end, what they answer, and what a
 * change of the frame does to a walk in flight. The rules of modes are tested by tb/platform/cli/replay. */
#include "walk_bench.h"

#include "vm/contiguity.h"

#define PAGE  4096ull
#define VA    (0x80000 * PAGE) /* a frame */
#define FRAME (2 * MB)

static struct {
    uint64_t when;
    struct mp_req req;
} seen[64];
static uint32_t responses;
static struct mp_req request[64];
static uint32_t requests;
static struct mp_contiguity scans;

static void responded(void *unused, struct mp_req *req)
{
    (void)unused;
    seen[responses].when = b.wheel.now;
    seen[responses++].req = *req;
}

static void resumed(void *unused, unsigned port)
{
    (void)unused;
    (void)port;
}

static void begin(const struct mp_walk_method *method, uint32_t walkers)
{
    struct mp_walk_params p = base();
    struct mp_error err = {""};
    p.method = method;
    p.values = mp_design_defaults(&method->design);
    p.format = mp_page_format(PAGE);
    p.geometry.walkers = walkers;
    if (method->check(&p, &err))
        fail_msg("%s", err.text);
    set_up(&p);
    b.walk.ports.up[0] = mp_initiator_of(responded, resumed, NULL, 0);
    responses = requests = 0;
    scans = (struct mp_contiguity){0};
}

static void map_pages(uint64_t vpn, uint64_t pfn, uint64_t pages)
{
    for (uint64_t i = 0; i < pages; i++)
        assert_int_equal(mp_page_table_map(&b.table[0], (vpn + i) * PAGE, (pfn + i) * PAGE, 0, NULL), 0);
}

static void figure_9(void)
{
    map_pages(0x80000, 0xf87, 256);
    map_pages(0x80100, 0x201d, 64);
    map_pages(0x801c0, 0x205d, 64);
    mp_contiguity_scan_frame(&scans, &b.table[0], VA);
}

static void send(uint64_t vpn)
{
    uint32_t delay;
    struct mp_req *req = &request[requests++];
    *req = (struct mp_req){.va = vpn * PAGE + 8, .op = MP_TRANSLATE};
    assert_int_equal(mp_walk_request(&b.walk, 0, req, &delay), MP_TAKEN);
}

static void came(uint32_t i, uint64_t when, enum mp_answerer source, uint64_t pfn, unsigned unit,
                 unsigned before, unsigned after)
{
    assert_true(responses > i);
    assert_int_equal(seen[i].when, when);
    assert_int_equal(seen[i].req.source, source);
    assert_int_equal(seen[i].req.fault, MP_FAULT_NONE);
    assert_int_equal(seen[i].req.pa, pfn * PAGE + 8);
    assert_int_equal(seen[i].req.span.unit, unit);
    assert_int_equal(seen[i].req.span.before, before);
    assert_int_equal(seen[i].req.span.after, after);
}

/* Fig. 9: the answer comes with the head; the walker then reads five others and ends. */
static void heads_are_read_after_the_answer(void **state)
{
    (void)state;
    begin(&mp_walk_mesc, 1);
    figure_9();
    send(0x80041);
    send(0x80041 + 64); /* the MSC is filled when the walk has ended */
    run_dry(&b.wheel);
    uint64_t answer = PWC + 4 * LEVEL, over = answer + 5 * LEVEL;
    assert_int_equal(responses, 3);
    came(0, answer, MP_FROM_WALK_EARLY, 0xf87 + 0x41, 6, 0, 0);
    came(1, over, MP_FROM_WALK, 0xf87 + 0x41, 6, 1, 2);
    came(2, over + PWC + LEVEL, MP_FROM_WALK, 0xf87 + 0x81, 6, 2, 1);
    assert_int_equal(b.walk.stats[0].walks, 2);
    assert_int_equal(b.walk.stats[0].levels_read, 4 + 5 + 1);
}

/* Concurrent walks of a frame do not know of each other: both miss in the MSC and read all heads. */
static void concurrent_walks_of_a_frame(void **state)
{
    (void)state;
    begin(&mp_walk_mesc, 2);
    figure_9();
    send(0x80041);
    send(0x80101);
    run_dry(&b.wheel);
    assert_int_equal(responses, 4);
    assert_int_equal(b.walk.stats[0].levels_read, 2 * (4 + 5));
    came(2, PWC + 9 * LEVEL, MP_FROM_WALK, 0xf87 + 0x41, 6, 1, 2);
    came(3, PWC + 9 * LEVEL, MP_FROM_WALK, 0x201e, 6, 0, 0);
}

static void modes_large_and_page_answer_once(void **state)
{
    (void)state;
    begin(&mp_walk_mesc, 1);
    map_pages(0x80000, 0x6000a, 512);
    map_pages(0x80200, 0x301, 7);
    mp_contiguity_scan_frame(&scans, &b.table[0], VA);
    send(0x801ff);
    send(0x80206);
    run_dry(&b.wheel);
    assert_int_equal(responses, 2);
    came(0, PWC + 4 * LEVEL, MP_FROM_WALK, 0x60209, 6, 7, 0);
    came(1, 2 * PWC + 6 * LEVEL, MP_FROM_WALK, 0x307, 0, 2, 0); /* with CoLT's run */
}

static void large_pages_and_runs(void **state)
{
    static const struct mp_walk_method *const methods[] = {&mp_walk_thp, &mp_walk_colt};
    for (unsigned i = 0; i < 2; i++) {
        begin(methods[i], 1);
        map_pages(0x80000, 0x600, 512);
        mp_contiguity_scan_frame(&scans, &b.table[0], VA);
        send(0x80005);
        run_dry(&b.wheel);
        if (i == 0)
            came(0, PWC + 3 * LEVEL, MP_FROM_WALK, 0x605, 9, 0, 0);
        else
            came(0, PWC + 4 * LEVEL, MP_FROM_WALK, 0x605, 0, 1, 2);
        tear_down(state);
    }
    begin(&mp_walk_colt, 1);
}

/* A page of the frame changes while the walk is in flight: before its answer it begins again at the root,
 * after it, it ends with the read in flight and nothing is kept. */
static void a_change_of_the_frame(void **state)
{
    for (unsigned read = 0; read < 9; read++) {
        const struct mp_scope scope = {.va = VA + 5 * PAGE};
        begin(&mp_walk_mesc, 1);
        figure_9();
        uint64_t when = PWC + read * LEVEL + LEVEL / 2;
        send(0x80101);
        at_cycle(when);
        mp_page_table_change(&b.table[0], scope.va, 0);
        mp_contiguity_scan_frame(&scans, &b.table[0], VA);
        mp_walk_invalidate(&b.walk, &scope);
        run_dry(&b.wheel);
        assert_int_equal(responses, 2);
        if (read < 4) { /* all is read again, with the read in flight as that of the root's entry */
            uint64_t answer = PWC + (read + 4) * LEVEL;
            came(0, answer, MP_FROM_WALK_EARLY, 0x201e, 6, 0, 0);
            came(1, answer + 4 * LEVEL, MP_FROM_WALK, 0x201e, 6, 0, 0);
        } else {
            came(0, PWC + 4 * LEVEL, MP_FROM_WALK_EARLY, 0x201e, 6, 0, 0);
            assert_int_equal(seen[1].when, PWC + (read + 1) * LEVEL);
            assert_int_equal(seen[1].req.source, MP_FROM_NOTHING);
        }
        uint64_t reads = b.walk.stats[0].levels_read;
        send(0x80041); /* finds a map only if the walk has stored one, of the new bits */
        run_dry(&b.wheel);
        assert_int_equal(b.walk.stats[0].levels_read - reads, read < 4 ? 1 : 1 + 3 + 1 + 3);
        tear_down(state);
    }
    begin(&mp_walk_mesc, 1);
}

/* The same for the other designs, whose walks answer once. */
static void a_change_of_the_frame_of_other_designs(void **state)
{
    static const struct mp_walk_method *const methods[] = {&mp_walk_thp, &mp_walk_colt};
    const struct mp_scope last = {.va = VA + 511 * PAGE}, beyond = {.va = VA + 512 * PAGE};
    for (unsigned i = 0; i < 2; i++) {
        begin(methods[i], 1);
        map_pages(0x80000, 0x301, 4);
        send(0x80003);
        at_cycle(PWC + 3 * LEVEL + 50);
        mp_walk_invalidate(&b.walk, &beyond);
        run_dry(&b.wheel);
        came(0, PWC + 4 * LEVEL, MP_FROM_WALK, 0x304, 0, i == 1 ? 3 : 0, 0);
        send(0x80003);
        uint64_t start = b.wheel.now;
        at_cycle(start + PWC + 50);
        mp_walk_invalidate(&b.walk, &last);
        run_dry(&b.wheel);
        came(1, start + PWC + 4 * LEVEL, MP_FROM_WALK, 0x304, 0, i == 1 ? 3 : 0, 0);
        tear_down(state);
    }
    begin(&mp_walk_colt, 1);
}

static void other_pages_are_refused(void **state)
{
    static const struct mp_walk_method *const methods[] = {&mp_walk_mesc, &mp_walk_thp, &mp_walk_colt};
    struct mp_walk_params p = base();
    struct mp_error err;
    (void)state;
    begin(&mp_walk_mesc, 1);
    for (unsigned i = 0; i < 3; i++) {
        p.method = methods[i];
        p.values = mp_design_defaults(&p.method->design);
        assert_int_equal(p.method->check(&p, &err), -1);
        assert_non_null(strstr(err.text, "is for pages of 4096 B, not of 65536 B; set machine.page_bytes"));
    }
    p.method = &mp_walk_mesc;
    p.values = mp_design_defaults(&p.method->design);
    p.format = mp_page_format(PAGE);
    p.values.v[0] = 24;
    assert_int_equal(p.method->check(&p, &err), -1);
    assert_string_equal(err.text,
                        "msc: 24 entries in 8 ways are not a power of two of sets; a multiple of the "
                        "ways");
}

/* --- random changes under walks in flight --------------------------------------------------------------- */

static void answers_are_right(void *unused, struct mp_req *req)
{
    (void)unused;
    struct mp_span s = req->span;
    uint64_t first = ((req->va / PAGE >> s.unit) - s.before) << s.unit;
    uint64_t pages = (uint64_t)(s.before + s.after + 1u) << s.unit, pa;
    responses++;
    if (req->source == MP_FROM_NOTHING)
        return;
    bool mapped = mp_page_table_find(&b.table[0], req->va, &pa);
    assert_int_equal(req->fault & MP_FAULT_CAUSE, mapped ? MP_FAULT_NONE : MP_FAULT_NOT_VALID);
    for (uint64_t vpn = first; mapped && vpn < first + pages; vpn++) {
        assert_true(mp_page_table_find(&b.table[0], vpn * PAGE, &pa));
        assert_int_equal(pa / PAGE - vpn, req->pa / PAGE - req->va / PAGE);
        assert_int_equal(mp_page_table_entry(&b.table[0], vpn * PAGE) / MP_PTE_READ_ONLY % 2, s.read_only);
    }
}

static void change_some_page(struct rng *rng)
{
    uint64_t vpn = 0x80000 + rng_below(rng, 1024), pfn = vpn - 0x80000 + 0x600 + rng_percent(rng, 20);
    uint64_t entry = pfn * PAGE | MP_PTE_VALID | MP_PTE_LEAF | (rng_percent(rng, 5) ? MP_PTE_READ_ONLY : 0);
    const struct mp_scope scope = {.va = vpn * PAGE};
    mp_page_table_change(&b.table[0], scope.va, rng_percent(rng, 5) ? 0 : entry);
    for (uint64_t v = vpn / 64 * 64; rng_percent(rng, 40) && v < vpn / 64 * 64 + 64; v++) {
        const struct mp_scope page = {.va = v * PAGE};
        entry = (v - 0x80000 + 0x600) * PAGE | MP_PTE_VALID | MP_PTE_LEAF;
        mp_page_table_change(&b.table[0], page.va, entry);
    }
    mp_contiguity_scan_frame(&scans, &b.table[0], scope.va);
    const struct mp_scope frame = {.va = scope.va / FRAME * FRAME, .bytes = FRAME};
    mp_walk_invalidate(&b.walk, &frame);
}

static void every_answer_is_the_tables(void **state)
{
    static const struct mp_walk_method *const methods[] = {&mp_walk_mesc, &mp_walk_thp, &mp_walk_colt};
    struct rng rng = rng_start("walks", 53);
    for (unsigned i = 0; i < 3; i++) {
        begin(methods[i], 2);
        b.walk.ports.up[0].response = answers_are_right;
        map_pages(0x80000, 0x600, 1024);
        for (unsigned step = 0; step < 4000; step++) {
            if (b.walk.walker[0].walk == NULL || b.walk.walker[1].walk == NULL) {
                requests = b.walk.walker[0].walk == &request[0] || b.walk.walker[1].walk == &request[0];
                send(0x80000 + rng_below(&rng, 1024));
            }
            if (rng_percent(&rng, 20))
                change_some_page(&rng);
            run_until(&b.wheel, b.wheel.now + rng_below(&rng, 300));
        }
        run_dry(&b.wheel);
        assert_true(responses > 1000);
        tear_down(state);
    }
    begin(&mp_walk_mesc, 1);
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(heads_are_read_after_the_answer),
        TEST(concurrent_walks_of_a_frame),
        TEST(modes_large_and_page_answer_once),
        TEST(large_pages_and_runs),
        TEST(a_change_of_the_frame),
        TEST(a_change_of_the_frame_of_other_designs),
        TEST(other_pages_are_refused),
        TEST(every_answer_is_the_tables),
    };
    return cmocka_run_group_tests_name("walks of MESC", tests, NULL, NULL);
}
