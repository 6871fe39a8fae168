/* SPDX-License-Identifier: Apache-2.0 */
/* The array with sub-entries, compared with a plain list of entries per way. */
#include "state.h"

struct entry {
    bool present;
    uint16_t asid;
    uint64_t base, used; /* used: time of the last use */
    bool valid[MP_MAX_SUB_ENTRIES];
    uint64_t pfn[MP_MAX_SUB_ENTRIES];
};

struct reference {
    struct mp_tlb_geometry g;
    uint64_t time;
    struct entry *entry; /* set * ways + way */
};

static uint32_t count_valid(const struct entry *e, const struct mp_tlb_geometry *g)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < g->sub_entries; s++)
        n += e->present && e->valid[s];
    return n;
}

static struct entry *set_of(struct reference *r, uint64_t vpn)
{
    return &r->entry[vpn / r->g.sub_entries % r->g.sets * r->g.ways];
}

static struct entry *find(struct reference *r, uint16_t asid, uint64_t vpn)
{
    struct entry *set = set_of(r, vpn), *found = NULL;
    for (uint32_t w = 0; w < r->g.ways; w++)
        if (set[w].present && set[w].asid == asid && set[w].base == vpn / r->g.sub_entries) {
            assert_null(found);
            found = &set[w];
        }
    return found;
}

static bool look_up(struct reference *r, uint16_t asid, uint64_t vpn, uint64_t *pfn)
{
    struct entry *e = find(r, asid, vpn);
    uint64_t sub = vpn % r->g.sub_entries;
    if (!e || !e->valid[sub])
        return false;
    e->used = ++r->time;
    *pfn = e->pfn[sub];
    return true;
}

static struct inserted insert(struct reference *r, uint16_t asid, uint64_t vpn, uint64_t pfn)
{
    struct inserted done = {.in.action = "update"};
    struct entry *set = set_of(r, vpn), *e = find(r, asid, vpn);
    if (!e) {
        done.in.action = "vacant";
        for (uint32_t w = r->g.ways; w-- > 0;)
            if (!set[w].present)
                e = &set[w];
    }
    if (!e) {
        e = set;
        for (uint32_t w = 1; w < r->g.ways; w++)
            if (set[w].used < e->used)
                e = &set[w];
        done.in.action = "evict";
        done.in.entry_evicted = true;
        done.in.evicted_asid = e->asid;
        done.in.evicted_used = count_valid(e, &r->g);
        for (uint32_t s = 0; s < r->g.sub_entries; s++)
            mp_tlb_leave(&done.left, e->asid, e->base * r->g.sub_entries + s, 0, e->valid[s]);
    }
    if (strcmp(done.in.action, "update"))
        *e = (struct entry){.present = true, .asid = asid, .base = vpn / r->g.sub_entries};
    done.in.way = (uint32_t)(e - set);
    e->valid[vpn % r->g.sub_entries] = true;
    e->pfn[vpn % r->g.sub_entries] = pfn;
    e->used = ++r->time;
    return done;
}

/* what: 0 one page, 1 an address space, 2 everything */
static uint32_t invalidate(struct reference *r, int what, uint16_t asid, uint64_t vpn)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < r->g.sets * r->g.ways; i++) {
        struct entry *e = &r->entry[i];
        if (!e->present || (what < 2 && e->asid != asid))
            continue;
        for (uint32_t s = 0; s < r->g.sub_entries; s++)
            if (e->valid[s] && (what || e->base * r->g.sub_entries + s == vpn)) {
                e->valid[s] = false;
                gone++;
            }
        e->present = count_valid(e, &r->g) > 0;
    }
    return gone;
}

static uint64_t occupancy(const struct reference *r, uint16_t asid)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->g.sets * r->g.ways; i++)
        if (r->entry[i].asid == asid)
            n += count_valid(&r->entry[i], &r->g);
    return n;
}

static void same_insertion(const struct inserted *a, const struct inserted *b)
{
    assert_string_equal(a->in.action, b->in.action);
    assert_int_equal(a->in.way, b->in.way);
    assert_int_equal(a->in.entry_evicted, b->in.entry_evicted);
    if (b->in.entry_evicted) {
        assert_int_equal(a->in.evicted_asid, b->in.evicted_asid);
        assert_int_equal(a->in.evicted_used, b->in.evicted_used);
    }
    same_left(&a->left, &b->left);
}

struct shown { /* what each_entry shows of a set */
    struct reference *r;
    uint32_t set, frames;
};

static void same_entry(void *context, const struct mp_tlb_entry *e)
{
    struct shown *s = context;
    const struct entry *should = &s->r->entry[s->set * s->r->g.ways + e->way];
    assert_true(should->present && should->valid[e->slot]);
    assert_int_equal(e->asid, should->asid);
    assert_int_equal(e->tag, should->base);
    assert_int_equal(e->vpn, should->base * s->r->g.sub_entries + e->slot);
    assert_int_equal(e->to.pfn, should->pfn[e->slot]);
    s->frames++;
}

static void same_contents(const void *state, struct reference *r)
{
    struct shown s = {.r = r};
    uint32_t frames = 0;
    for (; s.set < r->g.sets; s.set++)
        mp_tlb_subentry.each_entry(state, s.set, same_entry, &s);
    for (uint32_t i = 0; i < r->g.sets * r->g.ways; i++)
        frames += count_valid(&r->entry[i], &r->g);
    assert_int_equal(s.frames, frames);
}

static uint32_t hits, evictions; /* of all comparisons: each must occur */

static void compare(const struct mp_tlb_geometry *g, struct rng *rng, uint32_t steps)
{
    const struct mp_tlb_policy *policy = &mp_tlb_subentry;
    struct reference r = {.g = *g, .entry = calloc((size_t)g->sets * g->ways, sizeof *r.entry)};
    size_t bytes = policy->bytes(g);
    void *state = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(r.entry);
    assert_non_null(state);
    memset(state, 0, bytes);
    policy->init(state, g);
    uint32_t pages = 3 * g->sets * g->ways * g->sub_entries;
    uint64_t high = rng_next(rng) >> 28 & ~(uint64_t)0xffff; /* 36-bit page numbers of 48-bit addresses */
    for (uint32_t step = 0; step < steps; step++) {
        uint16_t asid = (uint16_t)rng_below(rng, 3);
        uint64_t vpn = high + rng_below(rng, rng_percent(rng, 50) ? pages / 4 + 1 : pages), pfn = 0;
        uint32_t what = rng_below(rng, 1000);
        if (what < 500) {
            bool expected = look_up(&r, asid, vpn, &pfn);
            assert_int_equal(policy->peek(state, asid, vpn).found, expected);
            struct mp_tlb_hit hit = policy->lookup(state, asid, vpn);
            assert_int_equal(hit.found, expected);
            assert_int_equal(hit.cycles, g->latency);
            if (expected)
                assert_int_equal(hit.pfn, pfn);
            hits += expected;
        } else if (what < 940) {
            pfn = rng_next(rng) >> 28;
            struct inserted expected = insert(&r, asid, vpn, pfn);
            struct inserted done = insert_page(policy, state, asid, vpn, pfn);
            same_insertion(&done, &expected);
            evictions += done.in.entry_evicted;
        } else if (what < 995) {
            struct mp_tlb_left left = {0};
            uint32_t gone = invalidate(&r, 0, asid, vpn);
            assert_int_equal(policy->invalidate_page(state, asid, vpn, &left), gone);
            assert_int_equal(left.pages, gone);
            assert_int_equal(has_left(&left, asid, vpn), gone);
        } else if (what < 999) {
            assert_int_equal(policy->invalidate_asid(state, asid), invalidate(&r, 1, asid, 0));
        } else {
            assert_int_equal(policy->invalidate_all(state), invalidate(&r, 2, 0, 0));
        }
        if (step % 16 == 0)
            for (uint16_t a = 0; a < 3; a++)
                assert_int_equal(policy->occupancy(state, a), occupancy(&r, a));
        if (step % 256 == 0)
            same_contents(state, &r);
    }
    free(state);
    free(r.entry);
}

static void random_geometries(void **state)
{
    (void)state;
    struct rng rng = rng_start("subentry", 31);
    for (uint32_t i = 0; i < 60; i++) {
        struct mp_tlb_geometry g = {.sets = rng_between(&rng, 1, 17),
                                    .ways = rng_between(&rng, 1, rng_percent(&rng, 20) ? 64 : 8),
                                    .sub_entries = 1u << rng_below(&rng, 5),
                                    .latency = rng_below(&rng, 50)};
        compare(&g, &rng, 6000);
    }
    assert_true(hits > 10000);
    assert_true(evictions > 10000);
}

static void the_papers_geometries(void **state)
{
    (void)state;
    struct rng rng = rng_start("subentry of the paper", 32);
    static const uint32_t table[][4] = {{1, 16, 16, 1}, {16, 8, 16, 10}, {128, 8, 16, 40}, {1, 64, 1, 1}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        compare(
            &(struct mp_tlb_geometry){
                .sets = table[i][0], .ways = table[i][1], .sub_entries = table[i][2], .latency = table[i][3]},
            &rng, 30000);
}

/* Highest and lowest page number of a 48-bit address, highest asid: no tag may look vacant. */
static void extreme_tags(void **state)
{
    (void)state;
    const struct mp_tlb_geometry g = {.sets = 1, .ways = 4, .sub_entries = 1, .latency = 1};
    void *tlb = aligned_alloc(64, (mp_tlb_subentry.bytes(&g) + 63) / 64 * 64);
    assert_non_null(tlb);
    memset(tlb, 0, mp_tlb_subentry.bytes(&g));
    mp_tlb_subentry.init(tlb, &g);
    const uint64_t top = (1ull << 36) - 1;
    assert_false(is_there(&mp_tlb_subentry, tlb, 0xffff, top, 0));
    assert_false(is_there(&mp_tlb_subentry, tlb, 0, 0, 0));
    insert_page(&mp_tlb_subentry, tlb, 0xffff, top, 7);
    insert_page(&mp_tlb_subentry, tlb, 0, 0, 8);
    assert_true(is_there(&mp_tlb_subentry, tlb, 0xffff, top, 7));
    assert_true(is_there(&mp_tlb_subentry, tlb, 0, 0, 8));
    assert_int_equal(mp_tlb_subentry.occupancy(tlb, 0xffff), 1);
    free(tlb);
}

/* A look leaves the recency as it is; a lookup that hits makes its entry the most recent. */
static void a_look_changes_nothing(void **state)
{
    (void)state;
    const struct mp_tlb_geometry g = {.sets = 1, .ways = 2, .sub_entries = 1, .latency = 1};
    for (int use = 0; use < 2; use++) {
        void *tlb = new_state(&mp_tlb_subentry, &g);
        insert_page(&mp_tlb_subentry, tlb, 0, 1, 10);
        insert_page(&mp_tlb_subentry, tlb, 0, 2, 20);
        assert_true((use ? mp_tlb_subentry.lookup(tlb, 0, 1) : mp_tlb_subentry.peek(tlb, 0, 1)).found);
        struct inserted done = insert_page(&mp_tlb_subentry, tlb, 0, 3, 30);
        assert_true(has_left(&done.left, 0, use ? 2 : 1));
        free(tlb);
    }
}

static void policies_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(mp_tlb_policy_find("subentry"), &mp_tlb_subentry);
    assert_null(mp_tlb_policy_find("sub"));
    assert_null(mp_tlb_policy_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_geometries),
        cmocka_unit_test(the_papers_geometries),
        cmocka_unit_test(extreme_tags),
        cmocka_unit_test(a_look_changes_nothing),
        cmocka_unit_test(policies_are_found_by_name),
    };
    return cmocka_run_group_tests_name("subentry", tests, NULL, NULL);
}
