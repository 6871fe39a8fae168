/* SPDX-License-Identifier: Apache-2.0 */
#include "contract.h"

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

const struct mp_tlb_policy runs = {.bytes = runs_bytes,
                                   .init = runs_init,
                                   .lookup = runs_lookup,
                                   .peek = runs_peek,
                                   .insert = runs_insert,
                                   .invalidate_page = runs_invalidate_page,
                                   .invalidate_asid = runs_invalidate_asid,
                                   .invalidate_all = runs_invalidate_all,
                                   .occupancy = runs_occupancy};

/* ---- the bench ---- */

struct bench b;

uint64_t frame_of(uint64_t va)
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

void set_up_policy(const struct mp_tlb_policy *policy)
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
    fake_initiator_join(&b.port, &b.wheel, mp_target_of(mp_tlb_request, &b.tlb, 0), &b.tlb.ports.up[0]);
    b.next = fake_target_make(&b.wheel, NULL, NEXT, NEXT);
    b.next.answer = next_answers;
    b.next.up = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &b.tlb, 0);
    mp_tlb_join(&b.tlb, 0, fake_target_end(&b.next));
}

int set_up(void **state)
{
    (void)state;
    set_up_policy(&runs);
    return 0;
}

int tear_down(void **state)
{
    (void)state;
    fake_initiator_free(&b.port);
    free(b.next.log);
    mp_tlb_free(&b.tlb);
    mp_wheel_free(&b.wheel);
    return 0;
}

struct fake_request *ask_as(uint16_t asid, uint8_t tenant, uint64_t page, enum mp_op op)
{
    struct fake_request *r = fake_initiator_send(
        &b.port,
        (struct mp_req){.va = page * PAGE + 8, .asid = asid, .tenant = tenant, .op = (uint8_t)op & 15});
    run_dry(&b.wheel);
    return r;
}

const struct mp_req *ask(uint64_t page)
{
    return &ask_as(0, 0, page, MP_TRANSLATE)->req;
}

void span_is(const struct mp_req *r, unsigned unit, unsigned before, unsigned after, unsigned read_only)
{
    assert_int_equal(r->span.unit, unit);
    assert_int_equal(r->span.before, before);
    assert_int_equal(r->span.after, after);
    assert_int_equal(r->span.read_only, read_only);
}
