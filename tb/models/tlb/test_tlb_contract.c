/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a TLB promises to its links, its policy and its hooks: whole translations in both directions, probes,
 * fills, the pages that leave, and neighbours that a miss asks first. The policy here is the test's own: an
 * entry is a run of pages as long as the span of its translation.
 */
#include "../engine/fakes.h"

#include "tlb/tlb.h"

#define PAGE    0x1000ull
#define LATENCY 3u
#define NEXT    40u
#define WAYS    4u

/* ---- a policy whose entries are runs ---- */

struct run {
    uint64_t first, pages, pfn, used; /* pages: 0 if vacant */
    struct mp_span span;
    uint16_t asid;
};

struct runs {
    uint64_t time;
    struct run way[WAYS];
};

static size_t runs_bytes(const struct mp_tlb_geometry *g)
{
    (void)g;
    return sizeof(struct runs);
}

static void runs_init(void *state, const struct mp_tlb_geometry *g)
{
    (void)state;
    (void)g;
}

static struct run *run_of(const void *state, uint16_t asid, uint64_t vpn)
{
    const struct runs *r = state;
    for (uint32_t w = 0; w < WAYS; w++)
        if (r->way[w].pages && r->way[w].asid == asid && vpn - r->way[w].first < r->way[w].pages)
            return (struct run *)&r->way[w];
    return NULL;
}

/* The span of the run, seen from a page: units of one page. */
static struct mp_span seen_from(const struct run *r, uint64_t vpn)
{
    struct mp_span span = r->span;
    span.unit = 0;
    span.before = (vpn - r->first) & 31;
    span.after = (r->pages - 1 - (vpn - r->first)) & 31;
    return span;
}

static struct mp_tlb_hit runs_peek(const void *state, uint16_t asid, uint64_t vpn)
{
    const struct run *r = run_of(state, asid, vpn);
    if (!r)
        return (struct mp_tlb_hit){.cycles = LATENCY};
    return (struct mp_tlb_hit){
        .pfn = r->pfn + (vpn - r->first), .cycles = LATENCY, .span = seen_from(r, vpn), .found = true};
}

static struct mp_tlb_hit runs_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    struct runs *r = state;
    struct run *run = run_of(state, asid, vpn);
    if (run)
        run->used = ++r->time;
    return runs_peek(state, asid, vpn);
}

static void leave(struct run *r, struct mp_tlb_left *left)
{
    mp_tlb_leave(left, r->asid, r->first, 0, (1u << r->pages) - 1);
    r->pages = 0;
}

static struct mp_tlb_insertion runs_insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                           struct mp_tlb_left *left)
{
    struct runs *r = state;
    uint64_t unit = 1ull << to.span.unit, first = (vpn & ~(unit - 1)) - to.span.before * unit;
    uint64_t pages = (to.span.before + to.span.after + 1) * unit;
    struct run *victim = &r->way[0];
    for (uint32_t w = 0; w < WAYS; w++) {
        struct run *old = &r->way[w];
        if (old->pages && old->asid == asid && old->first < first + pages && first < old->first + old->pages)
            leave(old, left); /* overlaps the new run */
    }
    for (uint32_t w = WAYS; w-- > 0;)
        if (!r->way[w].pages || (victim->pages && r->way[w].used < victim->used))
            victim = &r->way[w];
    struct mp_tlb_insertion done = {.action = "run", .way = (uint32_t)(victim - r->way)};
    if (victim->pages)
        leave(victim, left);
    *victim = (struct run){.first = first,
                           .pages = pages,
                           .pfn = to.pfn - (vpn - first),
                           .used = ++r->time,
                           .span = to.span,
                           .asid = asid};
    return done;
}

static uint32_t runs_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    struct run *r = run_of(state, asid, vpn);
    uint32_t pages = r ? (uint32_t)r->pages : 0;
    if (r)
        leave(r, left);
    return pages;
}

static uint64_t runs_occupancy(const void *state, uint16_t asid)
{
    const struct runs *r = state;
    uint64_t pages = 0;
    for (uint32_t w = 0; w < WAYS; w++)
        pages += r->way[w].asid == asid ? r->way[w].pages : 0;
    return pages;
}

static uint32_t runs_invalidate_asid(void *state, uint16_t asid)
{
    struct runs *r = state;
    uint32_t pages = (uint32_t)runs_occupancy(state, asid);
    for (uint32_t w = 0; w < WAYS; w++)
        if (r->way[w].asid == asid)
            r->way[w].pages = 0;
    return pages;
}

static uint32_t runs_invalidate_all(void *state)
{
    return runs_invalidate_asid(state, 0) + runs_invalidate_asid(state, 1) + runs_invalidate_asid(state, 5);
}

static const struct mp_tlb_policy runs = {.bytes = runs_bytes,
                                          .init = runs_init,
                                          .lookup = runs_lookup,
                                          .peek = runs_peek,
                                          .insert = runs_insert,
                                          .invalidate_page = runs_invalidate_page,
                                          .invalidate_asid = runs_invalidate_asid,
                                          .invalidate_all = runs_invalidate_all,
                                          .occupancy = runs_occupancy};

/* ---- the bench ---- */

struct bench {
    struct mp_wheel wheel;
    struct mp_tlb tlb;
    struct fake_initiator port;
    struct fake_target next;
    struct mp_span span; /* what the next level answers, with pa = va + 16 MB */
    uint8_t fault;
};

static struct bench b;

static uint64_t frame_of(uint64_t va)
{
    return va + (16u << 20);
}

static void next_answers(struct fake_target *next, struct mp_req *req)
{
    (void)next;
    req->pa = b.fault ? 0x1230 : frame_of(req->va);
    req->span = b.span;
    req->fault = b.fault;
    req->source = MP_FROM_WALK;
}

static void set_up_policy(const struct mp_tlb_policy *policy)
{
    const struct mp_tlb_params p = {.policy = policy,
                                    .geometry = {.sets = 1,
                                                 .ways = WAYS,
                                                 .sub_entries = 1,
                                                 .latency = LATENCY,
                                                 .own = mp_design_defaults(&policy->design)},
                                    .page_shift = 12,
                                    .mshrs = 8,
                                    .merges = 4,
                                    .ports = 1,
                                    .tenants = 2};
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_tlb_init(&b.tlb, &b.wheel, &p), 0);
    fake_initiator_join(&b.port, &b.wheel, (struct mp_target){mp_tlb_request, &b.tlb, 0}, &b.tlb.ports.up[0]);
    b.next = fake_target_make(&b.wheel, NULL, NEXT, NEXT);
    b.next.answer = next_answers;
    b.next.up = (struct mp_initiator){mp_tlb_response, mp_tlb_resume, &b.tlb, 0};
    mp_tlb_join(&b.tlb, 0, fake_target_end(&b.next));
}

static int set_up(void **state)
{
    (void)state;
    set_up_policy(&runs);
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

static struct fake_request *send(uint16_t asid, uint8_t tenant, uint64_t page, enum mp_op op)
{
    struct fake_request *r = fake_initiator_send(
        &b.port,
        (struct mp_req){.va = page * PAGE + 8, .asid = asid, .tenant = tenant, .op = (uint8_t)op & 15});
    run_dry(&b.wheel);
    return r;
}

static const struct mp_req *ask(uint64_t page)
{
    return &send(0, 0, page, MP_TRANSLATE)->req;
}

static void span_is(const struct mp_req *r, unsigned unit, unsigned before, unsigned after,
                    unsigned read_only)
{
    assert_int_equal(r->span.unit, unit);
    assert_int_equal(r->span.before, before);
    assert_int_equal(r->span.after, after);
    assert_int_equal(r->span.read_only, read_only);
}

/* ---- translations ---- */

/* A miss gets the span from below as it is; a hit in the entry that was made of it gets what the policy
 * stored. */
static void a_span_goes_up_and_is_stored(void **state)
{
    (void)state;
    b.span = (struct mp_span){.unit = 2, .before = 1, .after = 1, .read_only = 1}; /* of page 21: 16 to 27 */
    const struct mp_req *r = ask(21);
    assert_int_equal(r->source, MP_FROM_WALK);
    assert_int_equal(r->pa, frame_of(21 * PAGE + 8));
    span_is(r, 2, 1, 1, 1);
    assert_int_equal(b.tlb.stats[0].fills, 1);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 12);
    for (uint64_t page = 16; page < 28; page++) {
        r = ask(page);
        assert_int_equal(r->source, MP_FROM_TLB);
        assert_int_equal(r->pa, frame_of(page * PAGE + 8));
        span_is(r, 0, (unsigned)page - 16, 27 - (unsigned)page, 1);
    }
    assert_int_equal(b.next.seen, 1);
    ask(15);
    ask(28);
    assert_int_equal(b.next.seen, 3);
}

static void all_that_wait_get_the_same_answer(void **state)
{
    (void)state;
    b.span = (struct mp_span){.after = 3};
    const struct fake_request *one = fake_initiator_send(&b.port, (struct mp_req){.va = 8 * PAGE}),
                              *two = fake_initiator_send(&b.port, (struct mp_req){.va = 8 * PAGE + 16});
    run_dry(&b.wheel);
    assert_int_equal(two->req.pa, frame_of(8 * PAGE + 16));
    span_is(&one->req, 0, 0, 3, 0);
    span_is(&two->req, 0, 0, 3, 0);
    assert_int_equal(one->req.source, MP_FROM_WALK);
    assert_int_equal(two->req.source, MP_FROM_WALK);
}

/* Today's policies store pages one by one, with their permission. */
static void policies_of_pages_drop_the_span_and_keep_the_permission(void **state)
{
    static const struct mp_tlb_policy *const policies[] = {&mp_tlb_subentry, &mp_tlb_star, &mp_tlb_star4};
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++) {
        tear_down(state);
        set_up_policy(policies[i]);
        for (unsigned read_only = 0; read_only < 2; read_only++) {
            b.span = (struct mp_span){.unit = 6, .before = 2, .after = 1, .read_only = read_only & 1};
            uint64_t page = 100 + read_only;
            span_is(ask(page), 6, 2, 1, read_only);
            const struct mp_req *hit = ask(page);
            assert_int_equal(hit->source, MP_FROM_TLB);
            assert_int_equal(hit->pa, frame_of(page * PAGE + 8));
            span_is(hit, 0, 0, 0, read_only);
        }
        assert_int_equal(b.next.seen, 2);
    }
}

static void a_fault_keeps_its_cause_and_its_entry(void **state)
{
    (void)state;
    b.fault = MP_FAULT_RESERVED | 2 << MP_FAULT_LEVEL_SHIFT;
    const struct mp_req *r = ask(5);
    assert_int_equal(r->fault, b.fault);
    assert_int_equal(r->pa, 0x1230);
    assert_int_equal(b.tlb.stats[0].fills, 0);
}

/* ---- walks that respond twice ---- */

static struct mp_req *walk; /* in the next level's hands */

static enum mp_answer slow_request(void *self, unsigned port, struct mp_req *req, uint32_t *delay)
{
    (void)self;
    (void)port;
    (void)delay;
    assert_null(walk);
    walk = req;
    return MP_TAKEN;
}

static void slow_response(enum mp_answerer source, struct mp_span span)
{
    struct mp_req *req = walk;
    if (source != MP_FROM_WALK_EARLY)
        walk = NULL;
    req->pa = frame_of(req->va);
    req->span = span;
    req->fault = MP_FAULT_NONE;
    req->source = source & 15;
    mp_tlb_response(&b.tlb, req);
    run_dry(&b.wheel);
}

static struct fake_request *begin(uint64_t page)
{
    struct fake_request *r = fake_initiator_send(&b.port, (struct mp_req){.va = page * PAGE});
    run_dry(&b.wheel);
    return r;
}

/* The first response answers, the second is stored; a request between the two waits for the second. */
static void an_early_answer_is_not_stored(void **state)
{
    (void)state;
    const struct mp_span run = {.before = 1, .after = 2};
    walk = NULL;
    mp_tlb_join(&b.tlb, 0, (struct mp_target){slow_request, NULL, 0});
    struct fake_request *first = begin(5);
    slow_response(MP_FROM_WALK_EARLY, (struct mp_span){0});
    assert_int_equal(first->req.source, MP_FROM_WALK);
    assert_int_equal(first->req.pa, frame_of(5 * PAGE));
    span_is(&first->req, 0, 0, 0, 0);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 0);
    assert_int_equal(b.tlb.mshr.used, 1);
    struct fake_request *between = begin(5);
    assert_int_equal(b.tlb.stats[0].mshr_merges, 1);
    slow_response(MP_FROM_WALK, run);
    span_is(&between->req, 0, 1, 2, 0);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 4);
    assert_int_equal(b.tlb.stats[0].fills, 1);
    assert_int_equal(b.tlb.mshr.used, 0);
}

/* Invalidated after the answer: the second response is not stored, and a request between the two asks again.
 */
static void an_early_answer_that_is_invalidated(void **state)
{
    (void)state;
    const struct mp_scope page = {.va = 5 * PAGE};
    for (int between = 0; between < 2; between++)
        for (int told = 0; told < 2; told++) { /* by the walk, too */
            walk = NULL;
            mp_tlb_join(&b.tlb, 0, (struct mp_target){slow_request, NULL, 0});
            begin(5);
            slow_response(MP_FROM_WALK_EARLY, (struct mp_span){0});
            mp_tlb_invalidate(&b.tlb, &page);
            struct fake_request *late = between ? begin(5) : NULL;
            slow_response(told ? MP_FROM_NOTHING : MP_FROM_WALK, (struct mp_span){0});
            assert_int_equal(mp_tlb_held(&b.tlb, 0), 0);
            assert_int_equal(b.tlb.mshr.used, between);
            if (!between)
                continue;
            assert_int_equal(late->answered, MP_NEVER);
            slow_response(MP_FROM_WALK, (struct mp_span){0});
            assert_int_equal(late->req.pa, frame_of(5 * PAGE));
            assert_int_equal(mp_tlb_held(&b.tlb, 0), 1);
            mp_tlb_invalidate(&b.tlb, &page);
        }
}

/* Invalidated before the answer: it may be from before, so that nothing is answered until the walk is done
 * again. */
static void a_stale_early_answer_is_not_used(void **state)
{
    (void)state;
    const struct mp_scope page = {.va = 5 * PAGE};
    walk = NULL;
    mp_tlb_join(&b.tlb, 0, (struct mp_target){slow_request, NULL, 0});
    struct fake_request *r = begin(5);
    mp_tlb_invalidate(&b.tlb, &page);
    slow_response(MP_FROM_WALK_EARLY, (struct mp_span){0});
    assert_int_equal(r->answered, MP_NEVER);
    slow_response(MP_FROM_WALK, (struct mp_span){0});
    assert_int_equal(r->answered, MP_NEVER);
    slow_response(MP_FROM_WALK, (struct mp_span){0});
    assert_int_not_equal(r->answered, MP_NEVER);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 1);
}

/* ---- probes ---- */

static void a_probe_makes_no_demand(void **state)
{
    (void)state;
    b.span = (struct mp_span){.after = 1};
    ask(8);
    const struct mp_tlb_stats before = b.tlb.stats[0];
    uint64_t now = b.wheel.now;
    const struct fake_request *found = send(0, 0, 9, MP_PROBE), *not = send(0, 0, 10, MP_PROBE);
    assert_int_equal(found->answered, now + LATENCY);
    assert_int_equal(found->req.source, MP_FROM_TLB);
    assert_int_equal(found->req.pa, frame_of(9 * PAGE + 8));
    span_is(&found->req, 0, 1, 0, 0);
    assert_int_equal(not ->req.source, MP_FROM_NOTHING);
    assert_int_equal(not ->req.fault, MP_FAULT_NONE);
    assert_int_equal(not ->answered, now + 2 * LATENCY);
    assert_int_equal(b.next.seen, 1);
    assert_int_equal(b.tlb.mshr.used, 0);
    assert_memory_equal(&before, &b.tlb.stats[0], sizeof before);
}

/* For the policy, a probe that finds the page is a use of it; a peek is not. */
static void a_probe_is_a_use(void **state)
{
    (void)state;
    for (int probe = 0; probe < 2; probe++) {
        for (uint64_t page = 10; page < 10 + 2 * WAYS; page += 2)
            ask(page);
        if (probe)
            send(0, 0, 10, MP_PROBE);
        else
            assert_true(mp_tlb_peek(&b.tlb, 0, 10 * PAGE).found);
        ask(100); /* evicts the least recently used */
        assert_int_equal(mp_tlb_peek(&b.tlb, 0, 10 * PAGE).found, probe);
        assert_int_equal(mp_tlb_peek(&b.tlb, 0, 12 * PAGE).found, !probe);
    }
}

/* ---- address spaces and tenants ---- */

/* Losses count for the tenant of the address space, whatever its number. */
static void an_address_space_need_not_have_its_tenants_number(void **state)
{
    (void)state;
    for (uint64_t page = 0; page < 2 * WAYS; page += 2)
        send(5, 1, page, MP_TRANSLATE);
    assert_int_equal(mp_tlb_held(&b.tlb, 1), WAYS);
    send(1, 0, 100, MP_TRANSLATE);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 1);
    assert_int_equal(mp_tlb_held(&b.tlb, 1), WAYS - 1);
    assert_int_equal(b.tlb.stats[1].translations_lost, 1);
    assert_int_equal(b.tlb.stats[0].translations_lost, 0);
    const struct mp_scope space = {.asid = 5, .every_page = true},
                          page = {.every_asid = true, .va = 100 * PAGE};
    assert_int_equal(mp_tlb_invalidate(&b.tlb, &space), WAYS - 1);
    assert_int_equal(mp_tlb_invalidate(&b.tlb, &page), 1);
}

/* ---- hooks: a directory ---- */

enum { PAGES = 64 };

struct directory {
    bool has[2][PAGES];
    uint32_t changes, fills, removals, emptied, asked, hits;
};

static void take_out(struct directory *d, const struct mp_tlb_left *left)
{
    assert_true(d->changes > 0);
    for (uint32_t i = 0; i < left->count; i++)
        for (uint32_t k = 0; k < 16; k++)
            if (left->run[i].blocks >> k & 1) {
                bool *has = &d->has[left->run[i].asid][left->run[i].vpn + k];
                assert_true(*has); /* only what is there leaves */
                *has = false;
            }
}

static void directory_asked(void *self, const struct mp_req *req, bool hit)
{
    struct directory *d = self;
    (void)req;
    d->asked++;
    d->hits += hit;
}

static void directory_changes(void *self)
{
    ((struct directory *)self)->changes++;
}

static void directory_filled(void *self, uint16_t asid, uint64_t vpn, struct mp_translation to,
                             const struct mp_tlb_left *left)
{
    struct directory *d = self;
    take_out(d, left);
    assert_int_equal(to.pfn * PAGE, frame_of(vpn * PAGE));
    for (uint64_t page = vpn - to.span.before; page <= vpn + to.span.after; page++)
        d->has[asid][page] = true;
    d->fills++;
}

static void directory_left(void *self, const struct mp_tlb_left *left)
{
    take_out(self, left);
    ((struct directory *)self)->removals++;
}

static void directory_emptied(void *self, const struct mp_scope *scope)
{
    struct directory *d = self;
    for (uint16_t asid = 0; asid < 2; asid++)
        if (scope->every_asid || scope->asid == asid)
            memset(d->has[asid], 0, sizeof d->has[asid]);
    d->emptied++;
}

/* Whatever is asked, filled and invalidated, the directory has the pages that the array has. */
static void a_directory_follows_the_array(void **state)
{
    (void)state;
    struct rng rng = rng_start("directory", 91);
    static struct directory d;
    memset(&d, 0, sizeof d);
    const struct mp_tlb_hooks hooks = {.self = &d,
                                       .asked = directory_asked,
                                       .changes = directory_changes,
                                       .filled = directory_filled,
                                       .left = directory_left,
                                       .emptied = directory_emptied};
    mp_tlb_hook(&b.tlb, &hooks);
    for (uint32_t step = 0; step < 5000; step++) {
        uint16_t asid = (uint16_t)rng_below(&rng, 2);
        uint64_t page = 4 + rng_below(&rng, PAGES - 8);
        const struct mp_scope scope = {.every_asid = !rng_below(&rng, 8),
                                       .every_page = !rng_below(&rng, 8),
                                       .asid = asid,
                                       .va = page * PAGE};
        b.span = (struct mp_span){.before = rng_below(&rng, 4) & 31, .after = rng_below(&rng, 4) & 31};
        if (rng_percent(&rng, 90))
            send(asid, (uint8_t)asid, page, MP_TRANSLATE);
        else
            mp_tlb_invalidate(&b.tlb, &scope);
        for (uint32_t p = 0; p < PAGES; p++)
            for (uint16_t a = 0; a < 2; a++)
                assert_int_equal(d.has[a][p], mp_tlb_peek(&b.tlb, a, p * PAGE).found);
    }
    assert_int_equal(d.fills, b.tlb.stats[0].fills + b.tlb.stats[1].fills);
    assert_int_equal(d.asked, b.tlb.stats[0].lookups + b.tlb.stats[1].lookups);
    assert_int_equal(d.hits, b.tlb.stats[0].hits + b.tlb.stats[1].hits);
    assert_true(d.removals > 50 && d.emptied > 20);
}

/* ---- hooks: a neighbour that is asked first ---- */

struct neighbour {
    struct mp_tlb tlb; /* another TLB, which is probed */
    struct mp_mshr *miss;
    bool stores;
    uint32_t probes, found;
};

static struct neighbour n;

static void neighbour_answered(void *self, void *unused)
{
    (void)self;
    (void)unused;
    struct mp_req *down = &n.miss->down;
    struct mp_req probe = {.va = down->va, .asid = down->asid, .op = MP_PROBE};
    uint32_t delay;
    n.probes++;
    assert_int_equal(mp_tlb_request(&n.tlb, 0, &probe, &delay), MP_DONE);
    if (probe.source == MP_FROM_NOTHING) {
        mp_tlb_ask_below(&b.tlb, n.miss);
        return;
    }
    n.found++;
    down->pa = probe.pa;
    down->span = probe.span;
    down->fault = MP_FAULT_NONE;
    down->source = MP_FROM_NEIGHBOUR;
    mp_tlb_response(&b.tlb, down);
}

static bool neighbour_miss(void *self, struct mp_mshr *m, uint32_t cycles)
{
    (void)self;
    if (m->down.va == 7 * PAGE)
        return false; /* the directory names no TLB */
    n.miss = m;
    mp_at(&b.wheel, cycles + 2, neighbour_answered, &n, NULL);
    return true;
}

static bool neighbour_stores(void *self, const struct mp_mshr *m)
{
    (void)self;
    return m->down.source != MP_FROM_NEIGHBOUR || n.stores || m->waiting.length > 1;
}

static void a_neighbour_is_asked_before_the_next_level(void **state)
{
    (void)state;
    const struct mp_tlb_params p = {.policy = &runs,
                                    .geometry = {.sets = 1, .ways = WAYS, .sub_entries = 1},
                                    .page_shift = 12,
                                    .mshrs = 1,
                                    .merges = 1,
                                    .ports = 1,
                                    .tenants = 1};
    const struct mp_tlb_hooks hooks = {.self = &n, .miss = neighbour_miss, .stores = neighbour_stores};
    memset(&n, 0, sizeof n);
    assert_int_equal(mp_tlb_init(&n.tlb, &b.wheel, &p), 0);
    runs.insert(n.tlb.state, 0, 9, (struct mp_translation){.pfn = frame_of(9 * PAGE) / PAGE}, NULL);
    mp_tlb_hook(&b.tlb, &hooks);

    uint64_t now = b.wheel.now;
    struct fake_request *r = send(0, 0, 9, MP_TRANSLATE); /* found there, not stored here */
    assert_int_equal(r->answered, now + LATENCY + 2);
    assert_int_equal(r->req.source, MP_FROM_NEIGHBOUR);
    assert_int_equal(r->req.pa, frame_of(9 * PAGE + 8));
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 0);

    now = b.wheel.now;
    r = send(0, 0, 8, MP_TRANSLATE); /* in vain */
    assert_int_equal(r->answered, now + LATENCY + 2 + NEXT);
    assert_int_equal(r->req.source, MP_FROM_WALK);
    now = b.wheel.now;
    r = send(0, 0, 7, MP_TRANSLATE); /* no neighbour is asked */
    assert_int_equal(r->answered, now + LATENCY + NEXT);
    assert_int_equal(n.probes, 2);
    assert_int_equal(n.found, 1);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 2);

    n.stores = true;
    send(0, 0, 9, MP_TRANSLATE);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 3);
    assert_int_equal(n.tlb.stats[0].lookups, 0);

    /* Invalidated while the neighbour is asked: its answer is not used, and the next level is asked. */
    const struct mp_scope page = {.va = 9 * PAGE};
    mp_tlb_invalidate(&b.tlb, &page);
    now = b.wheel.now;
    r = fake_initiator_send(&b.port, (struct mp_req){.va = 9 * PAGE});
    mp_tlb_invalidate(&b.tlb, &page);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, now + LATENCY + 2 + NEXT);
    assert_int_equal(r->req.source, MP_FROM_WALK);
    mp_tlb_free(&n.tlb);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_span_goes_up_and_is_stored),
        TEST(all_that_wait_get_the_same_answer),
        TEST(policies_of_pages_drop_the_span_and_keep_the_permission),
        TEST(a_fault_keeps_its_cause_and_its_entry),
        TEST(an_early_answer_is_not_stored),
        TEST(an_early_answer_that_is_invalidated),
        TEST(a_stale_early_answer_is_not_used),
        TEST(a_probe_makes_no_demand),
        TEST(a_probe_is_a_use),
        TEST(an_address_space_need_not_have_its_tenants_number),
        TEST(a_directory_follows_the_array),
        TEST(a_neighbour_is_asked_before_the_next_level),
    };
    return cmocka_run_group_tests_name("tlb, contract", tests, NULL, NULL);
}
