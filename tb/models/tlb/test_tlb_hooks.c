/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between a TLB and its hooks: fills, pages that leave, neighbours that a miss asks first. */
#include "contract.h"

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

static void directory_invalidates(void *self, const struct mp_scope *scope)
{
    struct directory *d = self;
    if (!scope->every_page)
        return;
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
                                       .invalidates = directory_invalidates};
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
            ask_as(asid, (uint8_t)asid, page, MP_TRANSLATE);
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
    struct mp_req *miss;
    bool stores;
    uint32_t probes, found;
};

static struct neighbour n;

static void neighbour_answered(void *self, void *unused)
{
    (void)self;
    (void)unused;
    struct mp_req *down = n.miss;
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
    down->source = MP_FROM_LEFT;
    mp_tlb_response(&b.tlb, down);
}

static bool neighbour_miss(void *self, struct mp_req *down, uint32_t cycles)
{
    (void)self;
    if (down->va == 7 * PAGE)
        return false; /* the directory names no TLB */
    n.miss = down;
    mp_at(&b.wheel, cycles + 2, neighbour_answered, &n, NULL);
    return true;
}

static bool neighbour_stores(void *self, const struct mp_mshr *m, const struct mp_req *down)
{
    (void)self;
    return down->source != MP_FROM_LEFT || n.stores || m->length > 1;
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
    struct fake_request *r = ask_as(0, 0, 9, MP_TRANSLATE); /* found there, not stored here */
    assert_int_equal(r->answered, now + LATENCY + 2);
    assert_int_equal(r->req.source, MP_FROM_LEFT);
    assert_int_equal(r->req.pa, frame_of(9 * PAGE + 8));
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 0);

    now = b.wheel.now;
    r = ask_as(0, 0, 8, MP_TRANSLATE); /* in vain */
    assert_int_equal(r->answered, now + LATENCY + 2 + NEXT);
    assert_int_equal(r->req.source, MP_FROM_WALK);
    now = b.wheel.now;
    r = ask_as(0, 0, 7, MP_TRANSLATE); /* no neighbour is asked */
    assert_int_equal(r->answered, now + LATENCY + NEXT);
    assert_int_equal(n.probes, 2);
    assert_int_equal(n.found, 1);
    assert_int_equal(mp_tlb_held(&b.tlb, 0), 2);

    n.stores = true;
    ask_as(0, 0, 9, MP_TRANSLATE);
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
    const struct CMUnitTest tests[] = {
        TEST(a_directory_follows_the_array),
        TEST(a_neighbour_is_asked_before_the_next_level),
    };
    return cmocka_run_group_tests_name("tlb, hooks", tests, NULL, NULL);
}
