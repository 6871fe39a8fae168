/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TLB in a machine with pages of 4 KB, 64 KB and 2 MB. At random: every policy, with every prefetcher, and
 * with hints of another TLB, against a map of two address spaces, whose pages change their frames, sizes and
 * permissions. Each answer, and all that the array and the prefetch buffer hold, must be what the map has.
 */
#include "../engine/fakes.h"

#include "tlb/tlb.h"

enum { ASIDS = 2, CHUNKS = 12, PAGES = CHUNKS * 512, STEPS = 3000, LATENCY = 3, LONGEST = 50 };

#define KB   1024ull
#define MB   (1024 * KB)
#define PAGE (4 * KB)

/* ---- the map: what each page of 4 KB is a part of ---- */

struct place {
    uint64_t frame; /* address of the 4 KB */
    uint8_t page;   /* log2 of the bytes of the page that maps it; 0: none does */
    bool read_only;
};

struct map {
    struct place of[ASIDS][PAGES];
};

static struct bench {
    struct mp_wheel wheel;
    struct mp_tlb tlb;
    struct fake_initiator port;
    struct fake_target next;
    struct rng rng;
    struct map now, before; /* the last change */
    uint64_t changed;       /* its cycle */
} b;

/* Prefetchers name pages after the last one, too. */
static const struct place *place_of(const struct map *m, uint16_t asid, uint64_t va)
{
    static const struct place none = {0};
    return va / PAGE < PAGES ? &m->of[asid][va / PAGE] : &none;
}

/* Maps aligned memory by pages of one size, to frames that follow each other or not. */
static void map_pages(uint16_t asid, uint64_t va, uint64_t bytes, uint8_t page)
{
    uint64_t size = 1ull << page, frame = (1 + rng_below(&b.rng, 4000)) * 2 * MB;
    bool apart = rng_percent(&b.rng, 30), read_only = rng_percent(&b.rng, 20);
    for (uint64_t at = 0; at < bytes; at += PAGE) {
        if (apart && at % size == 0)
            frame += rng_percent(&b.rng, 20) ? 4 * size : 0;
        b.now.of[asid][(va + at) / PAGE] = (struct place){frame + at, page, read_only};
    }
}

static void map_chunk(uint16_t asid, uint64_t chunk)
{
    uint64_t va = chunk * 2 * MB;
    uint32_t kind = rng_below(&b.rng, 6);
    if (kind == 0)
        memset(&b.now.of[asid][va / PAGE], 0, 512 * sizeof(struct place));
    else if (kind < 3)
        map_pages(asid, va, 2 * MB, kind == 1 ? 21 : 12);
    else
        for (uint64_t at = 0; at < 2 * MB; at += 256 * KB)
            map_pages(asid, va + at, 256 * KB, rng_percent(&b.rng, 50) ? 16 : 12);
}

/* Whether the page of 2^page bytes that is d pages from va's continues it. */
static bool continues(const struct map *m, uint16_t asid, uint64_t va, int64_t d)
{
    const struct place *p = place_of(m, asid, va);
    uint64_t other = va + (uint64_t)(d * (int64_t)(1ull << p->page));
    if (other >= PAGES * PAGE)
        return false;
    const struct place *q = place_of(m, asid, other);
    return q->page == p->page && q->read_only == p->read_only &&
           q->frame - p->frame == (uint64_t)(d * (int64_t)(1ull << p->page));
}

/* The run around va's page in its aligned group of 4 pages of its size, or its subregion if it is contiguous.
 */
static struct mp_span span_of(const struct map *m, uint16_t asid, uint64_t va)
{
    const struct place *p = place_of(m, asid, va);
    int64_t in = (int64_t)(va >> p->page & 3), before = 0, after = 0, whole = 64;
    for (int64_t i = 0; p->page == 12 && i < 64; i++)
        whole -= continues(m, asid, va, i - (int64_t)(va >> 12 & 63));
    if (!whole)
        return (struct mp_span){.unit = 6, .read_only = p->read_only};
    while (before < in && continues(m, asid, va, -before - 1))
        before++;
    while (in + after < 3 && continues(m, asid, va, after + 1))
        after++;
    return (struct mp_span){.before = before & 31, .after = after & 31, .read_only = p->read_only};
}

/* ---- the levels around the TLB ---- */

/* A walk that has begun before the last change may have read what was there before. */
static void walk(struct fake_target *next, struct mp_req *req)
{
    (void)next;
    const struct map *m = req->sent < b.changed && rng_percent(&b.rng, 50) ? &b.before : &b.now;
    const struct place *p = place_of(m, req->asid, req->va);
    assert_int_equal(req->va % PAGE, 0);
    req->source = MP_FROM_WALK;
    req->fault = p->page ? MP_FAULT_NONE : MP_FAULT_NOT_VALID;
    req->pa = p->frame;
    req->page = p->page;
    req->span = p->page ? span_of(m, req->asid, req->va) : (struct mp_span){0};
}

static bool is_right(const struct map *m, uint16_t asid, uint64_t va, uint64_t pa, uint8_t page,
                     struct mp_span span)
{
    const struct place *p = place_of(m, asid, va);
    bool right = p->page == page && pa == p->frame + va % PAGE && span.read_only == p->read_only;
    int64_t in = (int64_t)(va >> page & ((1u << span.unit) - 1)), unit = 1 << span.unit;
    for (int64_t d = -in - span.before * unit; right && d < unit - in + span.after * unit; d++)
        right = continues(m, asid, va, d);
    return right;
}

/* A hit is given when the page is looked up, and comes some cycles later. A TLB that sends hints forgets what
 * was invalidated on the way; one that only passes them on does not look. */
static void check_answer(struct fake_initiator *port, struct fake_request *r)
{
    const struct mp_req *q = &r->req;
    bool late = q->source == MP_FROM_TLB && port->wheel->now < b.changed + LONGEST;
    bool passed = q->op == MP_HINT && r->asked < b.changed;
    if (passed || q->source == MP_FROM_NOTHING)
        return;
    if (q->fault)
        assert_int_equal(place_of(&b.now, q->asid, q->va)->page, 0);
    else
        assert_true(is_right(&b.now, q->asid, q->va, q->pa, q->page, q->span) ||
                    (late && is_right(&b.before, q->asid, q->va, q->pa, q->page, q->span)));
}

static void check_entry(void *context, const struct mp_tlb_entry *e)
{
    uint64_t *pages = context;
    uint32_t page;
    uint64_t va = mp_tlb_first(&b.tlb.size, e->vpn, &page);
    assert_true(is_right(&b.now, e->asid, va, e->to.pfn << page, (uint8_t)page, e->to.span));
    *pages += (e->to.span.before + e->to.span.after + 1ull) << e->to.span.unit;
}

static void check_page(uint16_t asid, uint64_t va, struct mp_tlb_hit hit)
{
    uint64_t offset = va & ((1ull << hit.page) - 1);
    assert_true(!hit.found || is_right(&b.now, asid, va, hit.pfn << hit.page | offset, hit.page, hit.span));
}

static struct mp_tlb_hit peek_buffer(uint16_t asid, uint64_t va)
{
    return b.tlb.prefetch ? mp_prefetch_peek(b.tlb.prefetch, asid, va) : (struct mp_tlb_hit){0};
}

static void check_contents(void)
{
    const struct mp_tlb *t = &b.tlb;
    uint64_t pages = 0;
    for (uint32_t set = 0; t->policy->ways(t->state, set); set++)
        t->policy->each_entry(t->state, set, check_entry, &pages);
    assert_int_equal(pages, mp_tlb_held(t, 0) + mp_tlb_held(t, 1));
    for (uint16_t asid = 0; asid < ASIDS; asid++)
        for (uint64_t va = 0; va < PAGES * PAGE; va += 16 * PAGE) {
            check_page(asid, va, mp_tlb_peek(t, asid, va));
            check_page(asid, va, peek_buffer(asid, va));
        }
}

/* ---- what happens ---- */

static void set_up_with(const struct mp_tlb_policy *policy, const struct mp_prefetcher *prefetcher,
                        uint64_t sizes, uint32_t mshrs, uint32_t lookups)
{
    const struct mp_tlb_params p = {
        .policy = policy,
        .geometry = {.sets = 4,
                     .ways = 8,
                     .sub_entries = 16,
                     .latency = LATENCY,
                     .tenants = ASIDS,
                     .tenant_ways = {4, 4},
                     .sms = 1,
                     .warps = 1,
                     .own = mp_design_defaults(&policy->design)},
        .page_shift = 12,
        .page_sizes = sizes,
        .mshrs = mshrs,
        .merges = 4,
        .lookups = lookups,
        .prefetch = {.design = prefetcher, .own = mp_design_defaults(&prefetcher->design), .entries = 16},
        .ports = 1,
        .tenants = ASIDS};
    struct rng rng = b.rng;
    memset(&b, 0, sizeof b);
    b.rng = rng;
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_tlb_init(&b.tlb, &b.wheel, &p), 0);
    fake_initiator_join(&b.port, &b.wheel, mp_tlb_kind.target(&b.tlb, 0), mp_tlb_kind.up(&b.tlb, 0));
    b.port.check = check_answer;
    b.next = fake_target_make(&b.wheel, &b.rng, 1, 60);
    b.next.answer = walk;
    b.next.up = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &b.tlb, 0);
    mp_tlb_join(&b.tlb, 0, fake_target_end(&b.next));
}

static void set_up(const struct mp_tlb_policy *policy, uint64_t sizes, uint32_t mshrs, uint32_t lookups)
{
    set_up_with(policy, &mp_prefetcher_none, sizes, mshrs, lookups);
}

static void tear_down(void)
{
    fake_initiator_free(&b.port);
    free(b.next.log);
    mp_tlb_free(&b.tlb);
    mp_wheel_free(&b.wheel);
}

#define ALL_SIZES (4 * KB | 64 * KB | 2 * MB)

static struct fake_request *send(uint16_t asid, uint64_t va, enum mp_op op)
{
    return fake_initiator_send(
        &b.port, (struct mp_req){.va = va, .asid = (uint8_t)asid & 7, .tenant = (uint8_t)asid, .op = op});
}

static struct fake_request *ask(uint16_t asid, uint64_t va)
{
    return send(asid, va, MP_TRANSLATE);
}

/* A driver gives memory other pages, and has all blocks forget the old ones. */
static void change(void)
{
    uint16_t asid = (uint16_t)rng_below(&b.rng, ASIDS);
    uint64_t chunk = rng_below(&b.rng, CHUNKS);
    const struct mp_scope scope = {.asid = asid, .va = chunk * 2 * MB, .bytes = 2 * MB};
    b.before = b.now;
    b.changed = b.wheel.now;
    map_chunk(asid, chunk);
    mp_tlb_invalidate(&b.tlb, &scope);
    for (uint64_t va = scope.va; va <= mp_scope_last(&scope); va += PAGE)
        assert_false(mp_tlb_peek(&b.tlb, asid, va).found || peek_buffer(asid, va).found);
}

/* One address in a page removes the page, and what the buffer has of a page that it continues. */
static void forget_one(void)
{
    uint16_t asid = (uint16_t)rng_below(&b.rng, ASIDS);
    const struct mp_scope scope = {.asid = asid, .va = rng_next(&b.rng) % (PAGES * PAGE)};
    bool found = mp_tlb_peek(&b.tlb, asid, scope.va).found || peek_buffer(asid, scope.va).found;
    uint32_t gone = mp_tlb_invalidate(&b.tlb, &scope);
    assert_true(gone ? found || b.tlb.prefetch : !found);
    assert_false(mp_tlb_peek(&b.tlb, asid, scope.va).found || peek_buffer(asid, scope.va).found);
}

/* Of a request or, of a TLB that prefetches, a hint; some of the addresses follow each other. */
static void step(uint64_t *near, uint32_t hints)
{
    uint16_t asid = (uint16_t)rng_below(&b.rng, ASIDS);
    if (rng_percent(&b.rng, 30))
        *near = rng_next(&b.rng) % (PAGES * PAGE);
    else if (rng_percent(&b.rng, 50))
        *near += 3 * PAGE;
    uint64_t va = (*near + rng_below(&b.rng, 64) * PAGE) % (PAGES * PAGE);
    send(asid, va, rng_percent(&b.rng, hints) ? MP_HINT : MP_TRANSLATE);
}

static void run_policy(const struct mp_tlb_policy *policy, const struct mp_prefetcher *prefetcher,
                       uint32_t hints)
{
    uint64_t near = 0;
    set_up_with(policy, prefetcher, ALL_SIZES, 1 + rng_below(&b.rng, 16), rng_below(&b.rng, 3));
    b.next.done = 20;
    b.next.hold = 5;
    for (uint16_t asid = 0; asid < ASIDS; asid++)
        for (uint64_t chunk = 0; chunk < CHUNKS; chunk++)
            map_chunk(asid, chunk);
    for (uint32_t i = 0; i < STEPS; i++) {
        step(&near, hints);
        if (rng_percent(&b.rng, 60))
            run_until(&b.wheel, b.wheel.now + rng_below(&b.rng, 80));
        if (rng_percent(&b.rng, 4) && b.wheel.now > b.changed + LONGEST)
            change();
        if (rng_percent(&b.rng, 4))
            forget_one();
        if (rng_percent(&b.rng, 2))
            check_contents();
    }
    run_dry(&b.wheel);
    check_contents();
    assert_int_equal(b.port.answered, STEPS);
    assert_true(b.tlb.stats[0].hits + b.tlb.stats[1].hits > STEPS / 50);
    tear_down();
}

static void every_policy_keeps_pages_of_all_sizes(void **state)
{
    (void)state;
    b.rng = rng_start(__func__, 1);
    for (unsigned i = 0; mp_tlb_policies[i]; i++) {
        print_message("%s\n", mp_tlb_policies[i]->design.name);
        for (unsigned n = 0; mp_prefetchers[n]; n++)
            for (uint32_t hints = 0; hints <= 20; hints += 20)
                run_policy(mp_tlb_policies[i], mp_prefetchers[n], hints);
    }
}

/* A translation takes one place, whatever its size, and its set follows from the number of its own page. */
static void a_large_page_is_one_translation(void **state)
{
    (void)state;
    set_up(&mp_tlb_subentry, ALL_SIZES, 4, 0);
    map_pages(0, 0, 4 * MB, 21);
    map_pages(0, 4 * MB, 2 * MB, 16);
    for (uint64_t va = 0; va < 6 * MB; va += 16 * KB) {
        ask(0, va);
        run_dry(&b.wheel);
    }
    assert_int_equal(b.next.seen, 2 + 32);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 2 + 32);
    const struct mp_subentry_at {
        uint64_t va, set;
    } at[] = {{0, 0}, {4 * MB, 4 * MB / (16 * 64 * KB) % 4}, {5 * MB, 5 * MB / (16 * 64 * KB) % 4}};
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
        uint64_t pages[4] = {0};
        for (uint32_t set = 0; set < 4; set++)
            mp_tlb_subentry.each_entry(b.tlb.state, set, check_entry, &pages[set]);
        assert_int_equal(pages[at[i].set] != 0, 1);
    }
    tear_down();
}

/* The answer to a miss of another granule of the page serves it: it does not wait for an MSHR. */
static void a_held_request_finds_its_page(void **state)
{
    (void)state;
    set_up(&mp_tlb_subentry, ALL_SIZES, 1, 0);
    map_pages(0, 0, 2 * MB, 21);
    struct fake_request *first = ask(0, 0), *second = ask(0, 77 * PAGE);
    run_dry(&b.wheel);
    assert_int_equal(first->req.page, 21);
    assert_int_equal(second->req.page, 21);
    assert_int_equal(b.next.seen, 1);
    tear_down();
}

/* A request that was starved before is, too: the first large page comes while it waits. */
static void the_first_large_page_serves_what_was_starved(void **state)
{
    (void)state;
    set_up(&mp_tlb_subentry, ALL_SIZES, 1, 0);
    map_pages(0, 0, 2 * MB, 21);
    map_pages(0, 2 * MB, 2 * MB, 12);
    ask(0, 2 * MB);
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.size.used, 1);
    struct fake_request *first = ask(0, 0), *second = ask(0, 77 * PAGE);
    run_dry(&b.wheel);
    assert_int_equal(b.tlb.size.used, 1 | 4);
    assert_int_equal(first->req.page, 21);
    assert_int_equal(second->req.page, 21);
    assert_int_equal(b.next.seen, 2);
    tear_down();
}

/* The answer to a miss may be the page that the scope names by another of its addresses. */
static void a_miss_in_flight_is_stale_by_the_size_of_its_page(void **state)
{
    (void)state;
    static const struct {
        uint8_t page;
        uint64_t forgotten;
        uint32_t stale;
    } cases[] = {{21, 2 * MB + 77 * PAGE, 1}, {21, 4 * MB, 0},
                 {16, 2 * MB + 77 * PAGE, 0}, {16, 2 * MB + 15 * PAGE, 1},
                 {12, 2 * MB + 15 * PAGE, 0}, {12, 2 * MB + PAGE, 1}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t stale = cases[i].stale;
        const struct mp_scope scope = {.va = cases[i].forgotten};
        set_up(&mp_tlb_page, ALL_SIZES, 4, 0);
        map_pages(0, 2 * MB, 2 * MB, cases[i].page);
        ask(0, 2 * MB + PAGE);
        run_until(&b.wheel, LATENCY);
        assert_int_equal(mp_tlb_invalidate(&b.tlb, &scope), 0);
        run_dry(&b.wheel);
        assert_int_equal(b.port.answered, 1);
        assert_int_equal(b.next.seen, 1 + stale);
        tear_down();
    }
}

static void answer_larger(struct fake_target *next, struct mp_req *req)
{
    (void)next;
    req->pa = req->va + 64 * MB;
    req->page = 21;
    req->span = (struct mp_span){.after = 1, .read_only = 1};
}

static void answer_unknown(struct fake_target *next, struct mp_req *req)
{
    (void)next;
    req->pa = req->va + 64 * MB;
    req->page = 0;
}

/* A page that is larger than all of the machine is kept as one of the largest, without its neighbours; one of
 * which nothing is known, as a granule. */
static void a_size_that_the_machine_does_not_have(void **state)
{
    (void)state;
    set_up(&mp_tlb_page, 4 * KB | 64 * KB, 4, 0);
    b.port.check = NULL;
    b.next.answer = answer_larger;
    const struct fake_request *r = ask(0, 5 * PAGE + 8);
    run_dry(&b.wheel);
    assert_int_equal(r->req.pa, 5 * PAGE + 8 + 64 * MB);
    assert_int_equal(r->req.page, 16);
    assert_int_equal(r->req.span.after, 0);
    assert_true(r->req.span.read_only);
    assert_true(mp_tlb_peek(&b.tlb, 0, 15 * PAGE).found);
    assert_false(mp_tlb_peek(&b.tlb, 0, 16 * PAGE).found);
    b.next.answer = answer_unknown;
    r = ask(0, 100 * PAGE);
    run_dry(&b.wheel);
    assert_int_equal(r->req.pa, 100 * PAGE + 64 * MB);
    assert_int_equal(mp_tlb_peek(&b.tlb, 0, 100 * PAGE).page, 12);
    assert_false(mp_tlb_peek(&b.tlb, 0, 101 * PAGE).found);
    tear_down();
}

/* STAR compares the bases of a set's entries one after another. So a look-up that misses takes longer in the
 * sets that have shared entries, here half of them: a miss is known when the slowest size has missed. */
static void a_miss_takes_as_long_as_its_slowest_size(void **state)
{
    (void)state;
    b.rng = rng_start(__func__, 2);
    set_up(&mp_tlb_star, ALL_SIZES, 4, 0);
    const struct mp_tlb *t = &b.tlb;
    uint32_t longer = 0;
    b.tlb.size.used = 7;
    for (uint64_t i = 0; i < 4000; i++) {
        uint64_t number = mp_tlb_number(&t->size, rng_next(&b.rng) % (512 * MB), rng_below(&b.rng, 3));
        if (!(number >> 4 & 1))
            t->policy->insert(t->state, 0, number, (struct mp_translation){.pfn = i}, NULL);
    }
    for (uint64_t i = 0; i < 4000; i++) {
        uint64_t va = (1ull << 40) + rng_next(&b.rng) % (512 * MB);
        uint32_t most = 0;
        for (uint32_t s = 0; s < 3; s++) {
            struct mp_tlb_hit one = t->policy->peek(t->state, 0, mp_tlb_number(&t->size, va, s));
            most = one.cycles > most ? one.cycles : most;
            longer += one.cycles != most;
        }
        assert_int_equal(mp_tlb_lookup_sizes(&b.tlb, 0, va).cycles, most);
    }
    assert_true(longer > 0);
    tear_down();
}

static void numbers_of_57_bit_addresses(void **state)
{
    (void)state;
    b.rng = rng_start(__func__, 3);
    const struct mp_tlb_sizes sizes = mp_tlb_sizes_of(ALL_SIZES);
    assert_int_equal(sizes.count, 3);
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t va = rng_next(&b.rng) >> 7;
        for (uint32_t s = 0; s < sizes.count; s++) {
            uint32_t page;
            uint64_t number = mp_tlb_number(&sizes, va, s);
            assert_true(number >> 48 == 0);
            assert_false(number >> 45 & 1); /* of the kinds of ranges */
            assert_int_equal(mp_tlb_first(&sizes, number, &page), va >> sizes.shift[s] << sizes.shift[s]);
            assert_int_equal(page, sizes.shift[s]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_keeps_pages_of_all_sizes),
        cmocka_unit_test(a_large_page_is_one_translation),
        cmocka_unit_test(a_held_request_finds_its_page),
        cmocka_unit_test(the_first_large_page_serves_what_was_starved),
        cmocka_unit_test(a_miss_in_flight_is_stale_by_the_size_of_its_page),
        cmocka_unit_test(a_size_that_the_machine_does_not_have),
        cmocka_unit_test(a_miss_takes_as_long_as_its_slowest_size),
        cmocka_unit_test(numbers_of_57_bit_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
