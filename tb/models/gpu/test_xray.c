/* SPDX-License-Identifier: Apache-2.0 */
/* X-rays follow a request through real models, from its look-up to DRAM, and through blocks whose requests
 * the test has written down. */
#include "direct_bench.h"

#include <unistd.h>

#include "gpu/xray.h"

/* ---- a request on its way through real models ---- */

static void take(const struct bench *b, struct mp_xray_report *r)
{
    assert_int_equal(mp_xray_init(r, &b->plan, b->wheel.now, b->m.page_bytes, b->m.line_bytes), 0);
    for (uint32_t i = 0; i < b->plan.blocks; i++)
        mp_xray_show(r, b->d.model[i]);
    assert_int_equal(mp_xray_finish(r), 0);
}

/* "gpu.a MSHR > gpu.b walker 0": the chain of the oldest item. */
static const char *chain(const struct mp_xray_report *r, char text[512])
{
    char place[MP_XRAY_TEXT];
    size_t n = 0;
    text[0] = 0;
    for (uint32_t i = r->items ? r->oldest[0] : MP_XRAY_NONE; i != MP_XRAY_NONE; i = r->item[i].next)
        n += (size_t)snprintf(text + n, 512 - n, "%s%s %s", n ? " > " : "",
                              r->plan->block[r->item[i].block].path, mp_xray_place(r, i, place));
    return text;
}

static void go_to(struct bench *b, uint64_t cycle)
{
    run_until(&b->wheel, cycle);
    mp_wheel_advance(&b->wheel, cycle);
}

static void assert_chain(struct bench *b, uint64_t cycle, const char *expected)
{
    struct mp_xray_report r;
    char text[512];
    go_to(b, cycle);
    take(b, &r);
    assert_string_equal(chain(&r, text), expected);
    mp_xray_free(&r);
}

#define TLBS "gpu.gpc1.tpc0.l1_tlb MSHR > gpu.gpc1.l2_tlb MSHR > gpu.l3_tlb MSHR"

static void test_a_request_is_followed_through_the_machine(void **state)
{
    struct bench b;
    (void)state;
    set_up(&b, false);
    build_and_map(&b, 0x10000);
    begin_probe(&b, "gpu.gpc1.tpc0.sm0", 0x10000);
    assert_chain(&b, 0, "gpu.gpc1.tpc0.l1_tlb MSHR");
    assert_chain(&b, 5, "gpu.gpc1.tpc0.l1_tlb MSHR > gpu.gpc1.l2_tlb MSHR");
    assert_chain(&b, 30, TLBS);
    assert_chain(&b, 60, TLBS " > gpu.mig1.walk walker 0");
    const struct prober *p = model_at(&b, "gpu.gpc1.tpc0.sm0");
    run_dry(&b.wheel);
    assert_true(p->loaded > p->translated);
    assert_chain(&b, b.wheel.now, "");
    tear_down(&b);
}

static void test_a_line_is_followed_to_dram(void **state)
{
    struct bench b;
    (void)state;
    set_up(&b, false);
    build_and_map(&b, 0x10000);
    begin_probe(&b, "gpu.gpc1.tpc0.sm0", 0x10000);
    const struct prober *p = model_at(&b, "gpu.gpc1.tpc0.sm0");
    while (!p->translated)
        go_to(&b, b.wheel.now + 1);
    /* The caches do not know how old their misses are. */
    struct mp_xray_report r;
    char text[512];
    go_to(&b, p->translated + 20 + 60);
    take(&b, &r);
    assert_int_equal(r.items, 3);
    assert_string_equal(chain(&r, text), "gpu.mig1.dram queue of channel 3");
    uint32_t l1d = 0;
    while (r.item[l1d].block != mp_plan_find(&b.plan, "gpu.gpc1.tpc0.sm0.l1d"))
        l1d++;
    assert_int_equal(mp_xray_end(&r, l1d), r.oldest[0]);
    assert_int_equal(r.item[l1d].wait.pa >> 7, p->line.pa >> 7);
    mp_xray_free(&r);
    tear_down(&b);
}

static void test_reads_of_page_tables_are_followed(void **state)
{
    struct bench b;
    (void)state;
    set_up(&b, true);
    build_and_map(&b, 0x10000);
    begin_probe(&b, "gpu.gpc1.tpc0.sm0", 0x10000);
    const struct mp_walk *walk = model_at(&b, "gpu.mig1.walk");
    while (!walk->walker[0].walk || !walk->stats[1].levels_read)
        go_to(&b, b.wheel.now + 1);
    struct mp_xray_report r;
    char text[512];
    take(&b, &r);
    const char *found = chain(&r, text);
    assert_int_equal(strncmp(found, TLBS " > gpu.mig1.walk walker 0 > gpu.mig1.dram queue of channel ",
                             strlen(TLBS " > gpu.mig1.walk walker 0 > gpu.mig1.dram queue of channel ")),
                     0);
    mp_xray_free(&r);
    tear_down(&b);
}

/* The chain of the first item that is in such a place. */
static const char *chain_from(struct bench *b, uint64_t cycle, const char *where, char text[512])
{
    struct mp_xray_report r;
    uint32_t i = 0;
    run_until(&b->wheel, cycle);
    take(b, &r);
    while (i < r.items && strcmp(r.item[i].wait.where, where) != 0)
        i++;
    assert_true(i < r.items);
    r.oldest[0] = i;
    chain(&r, text);
    mp_xray_free(&r);
    return text;
}

static void test_what_is_held_waits_for_what_has_the_room(void **state)
{
    struct bench b;
    char text[512];
    (void)state;
    set_up(&b, false);
    struct mp_tlb_params *tlb = b.plan.block[mp_plan_find(&b.plan, "gpu.gpc1.tpc0.l1_tlb")].params;
    tlb->mshrs = 1;
    build_and_map(&b, 0x10000);
    begin_probe(&b, "gpu.gpc1.tpc0.sm0", 0x10000);
    begin_probe(&b, "gpu.gpc1.tpc0.sm1", 0x20000);
    assert_string_equal(chain_from(&b, 30, "held, no MSHR", text),
                        "gpu.gpc1.tpc0.l1_tlb held, no MSHR > " TLBS);
    tear_down(&b);
}

static void test_a_queued_walk_waits_for_a_walker(void **state)
{
    struct bench b;
    char text[512];
    (void)state;
    set_up(&b, false);
    struct mp_walk_params *walk = b.plan.block[mp_plan_find(&b.plan, "gpu.mig1.walk")].params;
    walk->geometry.walkers = 1;
    build_and_map(&b, 0x10000);
    begin_probe(&b, "gpu.gpc1.tpc0.sm0", 0x10000);
    begin_probe(&b, "gpu.gpc1.tpc1.sm1", 0x20000);
    assert_string_equal(chain_from(&b, 60, "queue", text), "gpu.mig1.walk queue > gpu.mig1.walk walker 0");
    tear_down(&b);
}

/* ---- blocks that the test writes down ---- */

struct fake {
    unsigned n;
    struct mp_xray_wait wait[4];
};

static void show(const void *model, const struct mp_xray *x)
{
    const struct fake *f = model;
    mp_xray_room(x, "slots", f->n, 4);
    for (unsigned i = 0; i < f->n; i++)
        x->wait(x->self, &f->wait[i]);
}

static const struct mp_block_kind top_kind = {.name = "top", .xray = show},
                                  tlb_kind = {.name = "tlb", .in = MP_LINK_TRANSLATION, .xray = show},
                                  cache_kind = {.name = "cache", .in = MP_LINK_MEMORY, .xray = show};

enum { TOP, TLB, NEXT, CACHE, DRAM, BLOCKS };

/* TOP asks a TLB, which asks NEXT, and a cache, which asks DRAM. */
struct written {
    struct mp_plan_block block[BLOCKS];
    struct mp_plan_link link[4];
    struct mp_plan plan;
    struct fake fake[BLOCKS];
    struct mp_xray_report r;
};

static void write_down(struct written *w)
{
    *w = (struct written){
        .block = {[TOP] = {.path = "top", .kind = &top_kind, .links = 2, .sms = 1},
                  [TLB] = {.path = "tlb", .kind = &tlb_kind, .first_link = 2, .links = 1, .sms = 2},
                  [NEXT] = {.path = "next", .kind = &tlb_kind, .sms = 2},
                  [CACHE] = {.path = "cache", .kind = &cache_kind, .first_link = 3, .links = 1, .sms = 1},
                  [DRAM] = {.path = "dram", .kind = &cache_kind, .sms = 2}},
        .link = {{.from = TOP, .out = 0, .to = TLB, .kind = MP_LINK_TRANSLATION},
                 {.from = TOP, .out = 1, .to = CACHE, .kind = MP_LINK_MEMORY},
                 {.from = TLB, .out = 0, .to = NEXT, .kind = MP_LINK_TRANSLATION},
                 {.from = CACHE, .out = 0, .to = DRAM, .kind = MP_LINK_MEMORY}},
    };
    w->plan = (struct mp_plan){BLOCKS, 4, w->block, w->link};
}

static struct mp_xray_wait *add(struct written *w, unsigned block, const char *where, uint64_t since,
                                uint64_t va)
{
    const struct mp_req req = {.va = va, .sent = since, .asid = 1, .tenant = 1, .sm = 0, .warp = 3};
    struct mp_xray_wait *wait = &w->fake[block].wait[w->fake[block].n++];
    *wait = mp_xray_wait_of(where, &req);
    return wait;
}

static struct mp_xray_wait *asks(struct mp_xray_wait *wait, uint32_t out, uint64_t address)
{
    wait->out = out;
    wait->asks = address;
    return wait;
}

static void look(struct written *w)
{
    assert_int_equal(mp_xray_init(&w->r, &w->plan, 1000, 4096, 128), 0);
    for (unsigned i = 0; i < BLOCKS; i++)
        mp_xray_show(&w->r, &w->fake[i]);
    assert_int_equal(mp_xray_finish(&w->r), 0);
}

static void test_pages_are_joined_by_page_and_address_space(void **state)
{
    struct written w;
    (void)state;
    write_down(&w);
    asks(add(&w, TLB, "MSHR", 10, 0x5008), 0, 0x5000);
    add(&w, NEXT, "MSHR", 30, 0x4000);
    add(&w, NEXT, "MSHR", 5, 0x5000)->asid = 2;
    add(&w, NEXT, "MSHR", 20, 0x5fff);
    look(&w);
    assert_int_equal(w.r.items, 4);
    assert_int_equal(w.r.item[0].next, 3);
    assert_int_equal(w.r.item[0].link, 2);
    assert_int_equal(w.r.edge[2].items, 1);
    assert_int_equal(w.r.edge[2].since, 10);
    assert_int_equal(w.r.oldest[0], 2);
    assert_int_equal(w.r.oldest[1], 0);
    mp_xray_free(&w.r);
}

static void test_a_request_outside_waits_for_the_oldest_inside(void **state)
{
    struct written w;
    (void)state;
    write_down(&w);
    add(&w, TLB, "held", 1, 0x9000)->outside = true;
    asks(add(&w, TLB, "MSHR", 10, 0x5000), 0, 0x5000);
    asks(add(&w, TLB, "MSHR", 8, 0x6000), 0, 0x6000);
    add(&w, NEXT, "MSHR", 20, 0x6000);
    look(&w);
    assert_int_equal(w.r.item[0].next, 2);
    assert_int_equal(mp_xray_end(&w.r, 0), 3);
    mp_xray_free(&w.r);
}

static void test_what_no_block_has_is_lost(void **state)
{
    struct written w;
    char text[MP_XRAY_LINE];
    (void)state;
    write_down(&w);
    asks(add(&w, TLB, "MSHR", 10, 0x5000), 0, 0x5000);
    look(&w);
    assert_string_equal(mp_xray_why(&w.r, 0, true, text),
                        "next does not have it: the request or its answer is lost");
    assert_string_equal(mp_xray_why(&w.r, 0, false, text), "on its way to or from next");
    assert_string_equal(
        mp_xray_oldest(&w.r, 1, true, text),
        "the oldest request, load of SM 0 since cycle 10, is in tlb (MSHR): next does not have it: "
        "the request or its answer is lost");
    assert_string_equal(mp_xray_oldest(&w.r, 0, true, text), "no block has a request of this tenant");
    mp_xray_free(&w.r);
}

static void test_a_cache_without_a_record_is_skipped(void **state)
{
    struct written w;
    (void)state;
    write_down(&w);
    asks(add(&w, TOP, "access", 10, 0), MP_XRAY_ANY, MP_XRAY_UNKNOWN);
    add(&w, DRAM, "queue", 40, 0x70)->warp = 2;
    add(&w, DRAM, "queue", 50, 0x70);
    look(&w);
    assert_int_equal(w.r.item[0].next, 2);
    assert_int_equal(w.r.item[0].link, 1);
    mp_xray_free(&w.r);
}

static void test_an_sms_own_cache_is_taken_without_a_warp(void **state)
{
    struct written w;
    (void)state;
    write_down(&w);
    asks(add(&w, TOP, "access", 10, 0), MP_XRAY_ANY, MP_XRAY_UNKNOWN);
    struct mp_xray_wait *line = asks(add(&w, CACHE, "MSHR", MP_XRAY_UNKNOWN, 0), 0, 0x1000);
    line->from = false;
    add(&w, DRAM, "queue", 50, 0)->pa = 0x1040;
    look(&w);
    assert_int_equal(w.r.item[0].next, 1);
    assert_int_equal(w.r.item[1].next, 2);
    assert_int_equal(w.r.oldest[2], 1); /* its age is unknown */
    w.block[CACHE].sms = 2;
    w.fake[DRAM].n = 0;
    mp_xray_free(&w.r);
    look(&w);
    assert_int_equal(w.r.item[0].next, MP_XRAY_NONE);
    mp_xray_free(&w.r);
}

static void test_a_foreign_block_shows_what_was_sent_to_it(void **state)
{
    struct written w;
    char text[MP_XRAY_TEXT];
    (void)state;
    write_down(&w);
    asks(add(&w, TLB, "MSHR", 10, 0x5000), 0, 0x5000);
    const struct mp_xray_wait *sent = add(&w, NEXT, "sent, no answer", 11, 0x5000);
    assert_int_equal(mp_xray_init(&w.r, &w.plan, 1000, 4096, 128), 0);
    for (unsigned i = 0; i < BLOCKS; i++) {
        const struct mp_xray sink = mp_xray_sink(&w.r);
        mp_xray_show(&w.r, i == NEXT ? NULL : &w.fake[i]);
        if (i == NEXT)
            sink.wait(sink.self, sent);
    }
    assert_int_equal(mp_xray_finish(&w.r), 0);
    assert_true(w.r.block[NEXT].foreign);
    assert_string_equal(mp_xray_why(&w.r, w.r.item[0].next, true, text),
                        "a foreign module, which has not answered");
    mp_xray_free(&w.r);
}

static void test_structures_that_are_empty_are_left_out(void **state)
{
    struct written w;
    (void)state;
    write_down(&w);
    add(&w, TLB, "MSHR", 10, 0x5000);
    look(&w);
    assert_int_equal(w.r.rooms, 1);
    assert_int_equal(w.r.block[TLB].rooms, 1);
    assert_int_equal(w.r.room[0].used, 1);
    assert_int_equal(w.r.room[0].most, 4);
    mp_xray_free(&w.r);
}

/* ---- many requests ---- */

#define MANY 200000u

/* The upper TLB lists them from the last page to the first. */
static void show_many(const void *model, const struct mp_xray *x)
{
    const bool *upper = model;
    for (uint64_t i = 0; i < MANY; i++) {
        const struct mp_req req = {.va = (*upper ? MANY - 1 - i : i) * 4096, .sent = 10};
        struct mp_xray_wait wait = mp_xray_wait_of("MSHR", &req);
        if (*upper)
            asks(&wait, 0, req.va);
        x->wait(x->self, &wait);
    }
}

/* Comparing each request with all of the next block takes minutes; the index takes some milliseconds. */
static void test_many_requests_are_joined_in_linear_time(void **state)
{
    static const struct mp_block_kind kind = {.name = "tlb", .in = MP_LINK_TRANSLATION, .xray = show_many};
    struct mp_plan_block block[2] = {{.path = "upper", .kind = &kind, .links = 1},
                                     {.path = "lower", .kind = &kind}};
    struct mp_plan_link link = {.from = 0, .out = 0, .to = 1, .kind = MP_LINK_TRANSLATION};
    const struct mp_plan plan = {2, 1, block, &link};
    const bool upper[2] = {true, false};
    struct mp_xray_report r;
    (void)state;
    alarm(20);
    assert_int_equal(mp_xray_init(&r, &plan, 1000, 4096, 128), 0);
    for (unsigned i = 0; i < 2; i++)
        mp_xray_show(&r, &upper[i]);
    assert_int_equal(mp_xray_finish(&r), 0);
    alarm(0);
    assert_int_equal(r.edge[0].items, MANY);
    for (uint32_t i = 0; i < MANY; i += MANY / 8)
        assert_int_equal(r.item[i].next, 2 * MANY - 1 - i);
    mp_xray_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_request_is_followed_through_the_machine),
        cmocka_unit_test(test_a_line_is_followed_to_dram),
        cmocka_unit_test(test_reads_of_page_tables_are_followed),
        cmocka_unit_test(test_what_is_held_waits_for_what_has_the_room),
        cmocka_unit_test(test_a_queued_walk_waits_for_a_walker),
        cmocka_unit_test(test_pages_are_joined_by_page_and_address_space),
        cmocka_unit_test(test_a_request_outside_waits_for_the_oldest_inside),
        cmocka_unit_test(test_what_no_block_has_is_lost),
        cmocka_unit_test(test_a_cache_without_a_record_is_skipped),
        cmocka_unit_test(test_an_sms_own_cache_is_taken_without_a_warp),
        cmocka_unit_test(test_a_foreign_block_shows_what_was_sent_to_it),
        cmocka_unit_test(test_structures_that_are_empty_are_left_out),
        cmocka_unit_test(test_many_requests_are_joined_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
