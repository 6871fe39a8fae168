/* SPDX-License-Identifier: Apache-2.0 */
/* A TLB that changes its policy keeps its translations, and the order in which they were used. */
#include "contract.h"

enum { PAGES = 1024, ASIDS = 2, STEPS = 400, ROUNDS = 20 };

static const struct mp_tlb_geometry geometry = {.sets = 4,
                                                .ways = 8,
                                                .sub_entries = 16,
                                                .latency = 1,
                                                .tenants = 2,
                                                .tenant_ways = {4, 4},
                                                .sms = 1,
                                                .warps = 1};

struct page {
    uint16_t asid;
    uint64_t vpn;
};

static struct mp_tlb_geometry geometry_of(const struct mp_tlb_policy *policy)
{
    struct mp_tlb_geometry g = geometry;
    g.own = mp_design_defaults(&policy->design);
    return g;
}

static void make(struct mp_tlb *t, struct mp_wheel *wheel, const struct mp_tlb_policy *policy)
{
    const struct mp_tlb_params p = {.policy = policy,
                                    .geometry = geometry_of(policy),
                                    .page_shift = 12,
                                    .mshrs = 4,
                                    .merges = 4,
                                    .ports = 1,
                                    .tenants = 2,
                                    .links = 1};
    assert_int_equal(mp_tlb_init(t, wheel, &p), 0);
}

static int change(struct mp_tlb *t, const struct mp_tlb_policy *policy)
{
    const struct mp_tlb_geometry g = geometry_of(policy);
    return mp_tlb_change_policy(t, policy, &g);
}

static uint64_t frame(struct page p)
{
    return 5 * p.vpn + 3 + 100000ull * p.asid;
}

/* Looks the page up, and inserts it if it is not there. Returns whether it was. */
static bool use(struct mp_tlb *t, struct page p)
{
    bool found = t->policy->lookup(t->state, p.asid, p.vpn).found;
    if (!found)
        t->policy->insert(t->state, p.asid, p.vpn, (struct mp_translation){.pfn = frame(p)}, NULL);
    return found;
}

/* Of more entries than the array has, with 4 pages each. */
static struct page draw(struct rng *r)
{
    uint16_t asid = (uint16_t)rng_below(r, ASIDS);
    uint64_t entry = rng_below(r, PAGES / 16);
    return (struct page){asid, 16 * entry + rng_below(r, 4)};
}

static struct mp_tlb_hit peek(const struct mp_tlb *t, struct page p)
{
    return t->policy->peek(t->state, p.asid, p.vpn);
}

/* Two equal TLBs, of which one has changed to the policy that it has, answer alike from then on. */
static void the_same_policy_changes_nothing(void **state)
{
    static const struct mp_tlb_policy *const policies[] = {&mp_tlb_subentry, &mp_tlb_static};
    struct mp_wheel wheel;
    struct rng r = rng_start("same", 1);
    (void)state;
    mp_wheel_init(&wheel);
    for (unsigned i = 0; i < ROUNDS * sizeof policies / sizeof *policies; i++) {
        struct mp_tlb changed, other;
        const struct mp_tlb_policy *policy = policies[i % 2];
        make(&changed, &wheel, policy);
        make(&other, &wheel, policy);
        uint32_t hits = 0;
        for (uint32_t step = 0; step < 2 * STEPS; step++) {
            struct page p = draw(&r);
            if (step == STEPS)
                assert_int_equal(change(&changed, policy), 0);
            bool hit = use(&changed, p);
            assert_int_equal(hit, use(&other, p));
            hits += hit;
        }
        assert_true(hits > 20);
        mp_tlb_free(&changed);
        mp_tlb_free(&other);
    }
    mp_wheel_free(&wheel);
}

/* Each page of the new array was in the old one, with its frame. The page that was used last is there, unless
 * bases of one entry, which were all used last, cannot share another. */
static void check_change(struct rng *r, struct mp_wheel *wheel, const struct mp_tlb_policy *from,
                         const struct mp_tlb_policy *to)
{
    struct mp_tlb old, t;
    struct rng same = *r;
    uint32_t before = 0, after = 0;
    struct page p = {0, 0};
    make(&old, wheel, from);
    make(&t, wheel, from);
    for (uint32_t step = 0; step < STEPS; step++)
        use(&old, draw(r));
    for (uint32_t step = 0; step < STEPS; step++)
        use(&t, p = draw(&same));
    assert_int_equal(change(&t, to), 0);
    assert_ptr_equal(t.policy, to);
    if ((from == &mp_tlb_subentry || from == &mp_tlb_static) && !peek(&t, p).found)
        fail_msg("%s to %s: the page that was used last is lost", from->design.name, to->design.name);
    for (p.asid = 0; p.asid < ASIDS; p.asid++)
        for (p.vpn = 0; p.vpn < PAGES; p.vpn++) {
            struct mp_tlb_hit was = peek(&old, p), is = peek(&t, p);
            before += was.found;
            after += is.found;
            if (is.found && !was.found)
                fail_msg("%s to %s: page %u of %u is new", from->design.name, to->design.name,
                         (unsigned)p.vpn, p.asid);
            if (is.found)
                assert_int_equal(is.pfn, frame(p));
        }
    if (after < before / 8) /* partitions, and entries of one base, have less room */
        fail_msg("%s to %s: %u of %u pages", from->design.name, to->design.name, after, before);
    mp_tlb_free(&old);
    mp_tlb_free(&t);
}

static void every_policy_takes_over_from_every_other(void **state)
{
    struct mp_wheel wheel;
    struct rng r = rng_start("change", 2);
    unsigned pairs = 0;
    (void)state;
    mp_wheel_init(&wheel);
    for (unsigned i = 0; mp_tlb_policies[i]; i++)
        for (unsigned k = 0; mp_tlb_policies[k]; k++) {
            const struct mp_tlb_policy *from = mp_tlb_policies[i], *to = mp_tlb_policies[k];
            if (from->counters || to->counters)
                continue;
            check_change(&r, &wheel, from, to);
            pairs++;
        }
    assert_true(pairs >= 100);
    mp_wheel_free(&wheel);
}

/* A directory hears that the array is empty, and then of each page that it has again. */
static uint32_t emptied, filled;

static void hear_empty(void *self, const struct mp_scope *scope)
{
    (void)self;
    assert_true(scope->every_asid && scope->every_page);
    assert_int_equal(filled, 0);
    emptied++;
}

static void hear_page(void *self, uint16_t asid, uint64_t vpn, struct mp_translation to,
                      const struct mp_tlb_left *left)
{
    (void)self;
    assert_int_equal(left->count, 0);
    assert_int_equal(to.pfn, frame((struct page){asid, vpn}));
    filled++;
}

static void hooks_follow(void **state)
{
    static const struct mp_tlb_hooks hooks = {.invalidates = hear_empty, .filled = hear_page};
    struct mp_wheel wheel;
    struct mp_tlb t;
    (void)state;
    mp_wheel_init(&wheel);
    make(&t, &wheel, &mp_tlb_subentry);
    for (uint16_t i = 0; i < 20; i++)
        use(&t, (struct page){i % 2, i * 7u});
    mp_tlb_hook(&t, &hooks);
    assert_int_equal(change(&t, &mp_tlb_star), 0);
    assert_int_equal(emptied, 1);
    assert_int_equal(filled, 20);
    mp_tlb_free(&t);
    mp_wheel_free(&wheel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_policy_changes_nothing),
        cmocka_unit_test(every_policy_takes_over_from_every_other),
        cmocka_unit_test(hooks_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
