/* SPDX-License-Identifier: Apache-2.0 */
/* The prefetch buffer of a TLB, with a prefetcher that names what the test wants: one TLB between fakes. */
#include "../../engine/fakes.h"

#include "tlb/tlb.h"

#define PAGE    0x1000ull
#define LATENCY 3u
#define NEXT    40u
#define ENTRIES 4u
#define MSHRS   4u

/* ---- the prefetcher ---- */

static struct {
    uint64_t page[MP_PREFETCH_MOST];
    uint32_t n, asked, buffered, forgotten;
    uint64_t vpn;
} want;

static size_t want_bytes(const struct mp_design_values *own)
{
    (void)own;
    return 1;
}

static void want_init(void *state, const struct mp_design_values *own)
{
    (void)state;
    (void)own;
}

static uint32_t want_miss(void *state, const struct mp_prefetch_miss *m, uint64_t page[MP_PREFETCH_MOST])
{
    (void)state;
    want.asked++;
    want.buffered += m->buffered;
    want.vpn = m->vpn;
    memcpy(page, want.page, want.n * sizeof *page);
    return want.n;
}

static void want_forget(void *state, uint16_t asid)
{
    (void)state;
    want.forgotten |= 1u << asid;
}

static const struct mp_prefetcher wanting = {.design = {.name = "want"},
                                             .bytes = want_bytes,
                                             .init = want_init,
                                             .miss = want_miss,
                                             .forget = want_forget};

/* ---- the bench ---- */

struct bench {
    struct mp_wheel wheel;
    struct mp_tlb tlb;
    struct fake_initiator port;
    struct fake_target next;
    bool nothing, fault; /* what hints get */
    struct mp_span span;
    uint64_t offset; /* frame of a page less the page */
};

static struct bench b;

static void next_answers(struct fake_target *next, struct mp_req *req)
{
    bool hint = req->op == MP_HINT;
    (void)next;
    req->pa = req->va + b.offset;
    req->span = b.span;
    req->fault = hint && b.fault ? MP_FAULT_NOT_VALID : MP_FAULT_NONE;
    req->source = hint && b.nothing ? MP_FROM_NOTHING : MP_FROM_WALK;
}

static int set_up(void **state)
{
    const struct mp_tlb_params p = {
        .policy = &mp_tlb_subentry,
        .geometry = {.sets = 1, .ways = 4, .sub_entries = 1, .latency = LATENCY},
        .page_shift = 12,
        .mshrs = MSHRS,
        .merges = 2,
        .ports = 1,
        .tenants = 2,
        .prefetch = {.design = &wanting, .entries = ENTRIES},
    };
    (void)state;
    memset(&b, 0, sizeof b);
    memset(&want, 0, sizeof want);
    b.offset = 16 << 20;
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_tlb_init(&b.tlb, &b.wheel, &p), 0);
    fake_initiator_join(&b.port, &b.wheel, mp_target_of(mp_tlb_request, &b.tlb, 0), &b.tlb.ports.up[0]);
    b.next = fake_target_make(&b.wheel, NULL, NEXT, NEXT);
    b.next.answer = next_answers;
    b.next.up = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &b.tlb, 0);
    mp_tlb_join(&b.tlb, 0, fake_target_end(&b.next));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_initiator_free(&b.port);
    free(b.next.log);
    mp_tlb_free(&b.tlb);
    mp_wheel_free(&b.wheel);
    return 0;
}

static const struct mp_prefetch_stats *counts(uint8_t tenant)
{
    const struct mp_prefetch_stats *s = mp_prefetch_design(b.tlb.prefetch).stats;
    return &s[tenant];
}

static struct fake_request *send(uint64_t page)
{
    return fake_initiator_send(&b.port, (struct mp_req){.va = page * PAGE + 8, .op = MP_TRANSLATE});
}

/* The prefetcher names these pages for the request. */
static struct fake_request *ask(uint64_t page, uint32_t n, const uint64_t *pages)
{
    want.n = n;
    memcpy(want.page, pages, n * sizeof *pages);
    struct fake_request *r = send(page);
    run_dry(&b.wheel);
    want.n = 0;
    return r;
}

#define ASK(page, ...)                                                                                       \
    ask(page, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (const uint64_t[]){__VA_ARGS__})

static bool buffered(uint64_t page)
{
    return mp_prefetch_peek(b.tlb.prefetch, 0, page << 12).found;
}

/* ---- rules ---- */

static void a_prefetched_page_is_a_hit_and_moves(void **state)
{
    (void)state;
    struct fake_request *r = ASK(1, 5);
    assert_int_equal(r->answered, LATENCY + NEXT);
    assert_int_equal(b.next.seen, 2);
    assert_int_equal(b.next.log[0].op, MP_TRANSLATE);
    assert_int_equal(b.next.log[1].op, MP_HINT);
    assert_int_equal(b.next.log[1].when, LATENCY); /* with the miss */
    assert_true(buffered(5));
    assert_false(mp_tlb_peek(&b.tlb, 0, 5 * PAGE).found); /* not in the array */
    assert_int_equal(b.tlb.stats[0].fills, 1);

    uint64_t now = b.wheel.now;
    r = send(5);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, now + LATENCY);
    assert_int_equal(r->req.source, MP_FROM_TLB);
    assert_int_equal(r->req.pa, 5 * PAGE + 8 + b.offset);
    assert_false(buffered(5));
    assert_true(mp_tlb_peek(&b.tlb, 0, 5 * PAGE).found);
    assert_int_equal(b.next.seen, 2);
    assert_int_equal(b.tlb.stats[0].hits, 1);
    assert_int_equal(b.tlb.stats[0].misses, 1);
    assert_int_equal(b.tlb.stats[0].fills, 2);
    assert_int_equal(counts(0)->useful, 1);
    assert_int_equal(want.asked, 2); /* the use, too */
    assert_int_equal(want.buffered, 1);
    assert_int_equal(want.vpn, 5);
    send(5); /* a hit of the array */
    run_dry(&b.wheel);
    assert_int_equal(want.asked, 2);
}

static void the_oldest_entry_leaves_a_full_buffer(void **state)
{
    (void)state;
    ASK(1, 10, 11, 12, 13);
    ASK(2, 14);
    assert_false(buffered(10));
    for (uint64_t page = 11; page <= 14; page++)
        assert_true(buffered(page));
    assert_int_equal(counts(0)->useless, 1);
}

static void pages_that_are_known_are_not_sent(void **state)
{
    (void)state;
    ASK(1, 10);
    ASK(2, 1, 2, 10, 20, 20); /* in the array, being fetched, buffered; the second of two */
    assert_int_equal(counts(0)->named, 6);
    assert_int_equal(counts(0)->known, 4);
    assert_int_equal(counts(0)->issued, 2);
    ASK(3, UINT64_MAX, 1ull << (MP_PREFETCH_VA_BITS - 12), (1ull << (MP_PREFETCH_VA_BITS - 12)) - 1);
    assert_int_equal(counts(0)->outside, 2);
    assert_int_equal(counts(0)->issued, 3);
}

static void as_many_hints_as_entries_are_on_their_way(void **state)
{
    (void)state;
    ASK(1, 10, 11, 12, 13, 14, 15);
    assert_int_equal(counts(0)->issued, ENTRIES);
    assert_int_equal(counts(0)->no_room, 2);
}

static void a_hint_without_an_answer_keeps_what_is_there(void **state)
{
    (void)state;
    ASK(1, 10, 11, 12, 13);
    b.nothing = true;
    ASK(2, 20, 21);
    b.nothing = false;
    b.fault = true;
    ASK(3, 22);
    assert_int_equal(counts(0)->dropped, 2);
    assert_int_equal(counts(0)->faults, 1);
    assert_int_equal(counts(0)->useless, 0);
    assert_true(buffered(10));
    assert_false(buffered(20));
    assert_false(buffered(22));
}

/* The hint was sent before, so that its answer comes first: the request gets it, and its own is stored. */
static void a_late_hint_answers_the_request_that_waits(void **state)
{
    (void)state;
    want.n = 1;
    want.page[0] = 5;
    send(1);
    run_until(&b.wheel, 10);
    mp_wheel_advance(&b.wheel, 20);
    want.n = 0;
    struct fake_request *r = send(5), *second = send(5);
    run_until(&b.wheel, LATENCY + NEXT);
    assert_int_equal(r->answered, LATENCY + NEXT);
    assert_int_equal(second->answered, LATENCY + NEXT);
    assert_int_equal(r->req.pa, 5 * PAGE + 8 + b.offset);
    assert_false(buffered(5));
    assert_int_equal(b.tlb.mshr.used, 1);
    run_dry(&b.wheel);
    assert_int_equal(b.wheel.now, 20 + LATENCY + NEXT);
    assert_true(mp_tlb_peek(&b.tlb, 0, 5 * PAGE).found);
    assert_int_equal(b.tlb.mshr.used, 0);
    assert_int_equal(counts(0)->late, 1);
    assert_int_equal(b.tlb.stats[0].misses, 3);
    assert_int_equal(b.next.seen, 3);
}

static void a_held_request_finds_what_comes_into_the_buffer(void **state)
{
    (void)state;
    ASK(9, 8);
    uint64_t now = b.wheel.now;
    want.n = 1;
    want.page[0] = 5;
    send(8); /* a hit, for which page 5 is prefetched */
    want.n = 0;
    mp_wheel_advance(&b.wheel, now + 1);
    for (uint64_t page = 10; page < 10 + MSHRS; page++)
        send(page);
    struct fake_request *r = send(5); /* no MSHR is free */
    assert_true(b.port.out.held);
    run_until(&b.wheel, now + LATENCY + NEXT);
    assert_false(b.port.out.held);
    run_dry(&b.wheel);
    assert_int_equal(b.next.seen, 2 + 1 + MSHRS); /* page 5 as a hint only */
    assert_int_equal(r->answered, now + LATENCY + NEXT + LATENCY);
    assert_int_equal(counts(0)->useful, 2);
    assert_int_equal(b.tlb.stats[0].hits, 1); /* counted as a miss when it came */
}

/* ---- invalidation ---- */

static void what_is_invalidated_leaves_the_buffer(void **state)
{
    const struct mp_scope page = {.va = 10 * PAGE}, other = {.asid = 1, .every_page = true},
                          range = {.va = 11 * PAGE, .bytes = 2 * PAGE}, all = {.asid = 0, .every_page = true};
    (void)state;
    ASK(1, 10, 11, 12, 13);
    assert_int_equal(mp_tlb_invalidate(&b.tlb, &other), 0);
    assert_int_equal(mp_tlb_invalidate(&b.tlb, &page), 1);
    assert_int_equal(mp_tlb_invalidate(&b.tlb, &range), 2);
    assert_false(buffered(10) || buffered(11) || buffered(12));
    assert_true(buffered(13));
    assert_int_equal(want.forgotten, 1u << 1); /* an address space as a whole */
    assert_int_equal(mp_tlb_invalidate(&b.tlb, &all), 2);
    assert_int_equal(want.forgotten, 1u << 1 | 1u);
    assert_int_equal(counts(0)->stale, 4);
}

static void what_is_invalidated_on_its_way_is_not_stored(void **state)
{
    const struct mp_scope page = {.va = 5 * PAGE};
    (void)state;
    want.n = 2;
    want.page[0] = 5;
    want.page[1] = 6;
    send(1);
    run_until(&b.wheel, 10);
    want.n = 0;
    mp_tlb_invalidate(&b.tlb, &page);
    mp_wheel_advance(&b.wheel, 20);
    b.offset += PAGE; /* mapped to another frame */
    struct fake_request *r = send(5);
    run_until(&b.wheel, 2 * LATENCY + NEXT);
    assert_int_equal(r->answered, MP_NEVER); /* not with the hint's answer */
    run_dry(&b.wheel);
    assert_int_equal(r->answered, 20 + LATENCY + NEXT);
    assert_false(buffered(5));
    assert_true(buffered(6));
    assert_int_equal(counts(0)->stale, 1);
}

/* The answer of a page says something about its neighbours. A policy that stores pages would not notice that
 * one of them was invalidated on the way, so that the buffer keeps the page alone. */
static void a_span_is_kept_only_by_policies_that_keep_spans(void **state)
{
    (void)state;
    b.span = (struct mp_span){.before = 1, .after = 2, .read_only = 1};
    ASK(1, 10);
    struct mp_tlb_hit hit = mp_prefetch_peek(b.tlb.prefetch, 0, 10 << 12);
    assert_int_equal(hit.span.before + hit.span.after, 0);
    assert_int_equal(hit.span.read_only, 1);
}

static void a_new_policy_begins_with_an_empty_buffer(void **state)
{
    const struct mp_tlb_geometry g = {.sets = 1, .ways = 4, .sub_entries = 1, .latency = LATENCY};
    (void)state;
    ASK(1, 10);
    assert_int_equal(mp_tlb_set_policy(&b.tlb, &mp_tlb_subentry, &g), 0);
    assert_false(buffered(10));
}

/* ---- at random ---- */

/* Each hint that was sent is in one of the counters in the end, no answer is of a page's frame before an
 * invalidation, and all requests are answered. */
static void nothing_is_lost(void **state)
{
    struct rng rng = rng_start("prefetch buffer", 22);
    (void)state;
    b.next.rng = &rng;
    b.next.least = 1;
    b.next.most = 60;
    b.next.done = 30;
    b.next.hold = 10;
    for (uint32_t step = 0; step < 20000; step++) {
        want.n = rng_below(&rng, 5);
        for (uint32_t i = 0; i < want.n; i++)
            want.page[i] = rng_below(&rng, 64);
        b.nothing = rng_percent(&rng, 20);
        b.fault = rng_percent(&rng, 10);
        if (rng_percent(&rng, 2)) {
            const struct mp_scope scope = {.every_page = rng_percent(&rng, 30),
                                           .va = rng_below(&rng, 64) * PAGE};
            mp_tlb_invalidate(&b.tlb, &scope);
        }
        fake_initiator_send(&b.port, (struct mp_req){.va = rng_below(&rng, 64) * PAGE,
                                                     .op = MP_TRANSLATE,
                                                     .tenant = rng_below(&rng, 2) & 1});
        uint64_t next = b.wheel.now + rng_between(&rng, 1, 60);
        run_until(&b.wheel, next - 1);
        mp_wheel_advance(&b.wheel, next);
    }
    run_dry(&b.wheel);
    assert_int_equal(b.port.answered, b.port.asked);
    uint64_t useful = 0, late = 0, left = 0;
    for (uint64_t page = 0; page < 64; page++)
        left += buffered(page);
    for (uint8_t t = 0; t < 2; t++) {
        const struct mp_prefetch_stats *s = counts(t);
        assert_int_equal(s->named, s->known + s->outside + s->no_room + s->issued);
        uint64_t ended = s->dropped + s->faults + s->stale + s->late + s->useful + s->useless;
        assert_true(ended <= s->issued && s->issued - ended <= ENTRIES);
        left -= s->issued - ended;
        useful += s->useful;
        late += s->late;
        assert_true(s->dropped > 100 && s->faults > 100 && s->stale > 100 && s->useless > 100);
    }
    assert_int_equal(left, 0);
    assert_true(useful > 100 && late > 100);
    assert_int_equal(b.tlb.stats[0].hits + b.tlb.stats[0].misses, b.tlb.stats[0].lookups);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_prefetched_page_is_a_hit_and_moves),
        TEST(the_oldest_entry_leaves_a_full_buffer),
        TEST(pages_that_are_known_are_not_sent),
        TEST(as_many_hints_as_entries_are_on_their_way),
        TEST(a_hint_without_an_answer_keeps_what_is_there),
        TEST(a_late_hint_answers_the_request_that_waits),
        TEST(a_held_request_finds_what_comes_into_the_buffer),
        TEST(what_is_invalidated_leaves_the_buffer),
        TEST(what_is_invalidated_on_its_way_is_not_stored),
        TEST(a_span_is_kept_only_by_policies_that_keep_spans),
        TEST(a_new_policy_begins_with_an_empty_buffer),
        TEST(nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
