/* SPDX-License-Identifier: Apache-2.0 */
/* Protection of entries that were walked again soon: by hand, and compared with lists in which each set keeps
 * its entries from the least to the most recently used. */
#include "state.h"

#include "engine/mshr.h"

#define WAYS 64u

struct entry {
    uint16_t asid;
    uint64_t base, protection;
    uint32_t way, valid; /* valid: a bit per page */
    uint64_t pfn[MP_MAX_SUB_ENTRIES];
};

struct set { /* of entries, the least recently used one first */
    struct entry entry[WAYS];
    uint32_t n;
};

struct reference {
    struct mp_tlb_geometry g;
    struct set *set;
    bool *bit; /* of the filter */
    uint64_t evictions;
};

static void *take(struct set *s, uint32_t i, struct entry *out)
{
    *out = s->entry[i];
    memmove(s->entry + i, s->entry + i + 1, (--s->n - i) * sizeof *s->entry);
    return out;
}

static int find(const struct set *s, uint16_t asid, uint64_t base)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->entry[i].asid == asid && s->entry[i].base == base)
            return (int)i;
    return -1;
}

static struct set *set_of(struct reference *r, uint64_t vpn)
{
    return &r->set[vpn / r->g.sub_entries % r->g.sets];
}

/* Whether all bits of the entry are set; sets them. */
static bool filter(struct reference *r, uint16_t asid, uint64_t base, bool put)
{
    uint64_t mixed = mp_mix(base + ((uint64_t)asid << 48)), high = mixed >> 32;
    bool all = true;
    high += high % 2 == 0;
    for (uint64_t i = 0; i < r->g.own.v[1]; i++) {
        bool *bit = &r->bit[(mixed % (1ull << 32) + i * high) % r->g.own.v[0]];
        all &= *bit;
        *bit |= put;
    }
    return all;
}

static bool look_up(struct reference *r, uint16_t asid, uint64_t vpn, uint64_t *pfn)
{
    struct set *s = set_of(r, vpn);
    struct entry e;
    int i = find(s, asid, vpn / r->g.sub_entries);
    uint32_t sub = (uint32_t)(vpn % r->g.sub_entries);
    if (i < 0 || !(s->entry[i].valid & 1u << sub))
        return false;
    *pfn = s->entry[i].pfn[sub];
    take(s, (uint32_t)i, &e);
    s->entry[s->n++] = e;
    return true;
}

static uint32_t lowest_vacant(const struct set *s)
{
    for (uint32_t way = 0;; way++) {
        bool used = false;
        for (uint32_t i = 0; i < s->n; i++)
            used |= s->entry[i].way == way;
        if (!used)
            return way;
    }
}

static uint32_t kinds[3]; /* evictions: of an entry that was not the least recent; after all protection ended;
                             insertions with protection */

static void evict(struct reference *r, struct set *s, struct inserted *done)
{
    uint32_t i = 0;
    struct entry e;
    while (i < s->n && s->entry[i].protection)
        i++;
    kinds[i == s->n] += i > 0;
    for (uint32_t k = 0; k < s->n; k++)
        s->entry[k].protection = i == s->n || !s->entry[k].protection ? 0 : s->entry[k].protection - 1;
    take(s, i == s->n ? 0 : i, &e);
    done->in = (struct mp_tlb_insertion){"evict", e.way, true, e.asid, (uint32_t)__builtin_popcount(e.valid)};
    mp_tlb_leave(&done->left, e.asid, e.base * r->g.sub_entries, 0, e.valid);
    filter(r, e.asid, e.base, true);
    if (++r->evictions % (r->g.own.v[0] / (2 * r->g.own.v[1])) == 0)
        memset(r->bit, 0, r->g.own.v[0] * sizeof *r->bit);
}

static struct inserted insert(struct reference *r, uint16_t asid, uint64_t vpn, uint64_t pfn)
{
    uint64_t base = vpn / r->g.sub_entries;
    uint32_t sub = (uint32_t)(vpn % r->g.sub_entries);
    struct set *s = set_of(r, vpn);
    struct inserted done = {.in.action = "update"};
    struct entry e;
    int i = find(s, asid, base);
    if (i >= 0) {
        take(s, (uint32_t)i, &e);
        done.in.way = e.way;
    } else {
        e = (struct entry){.asid = asid, .base = base};
        e.protection = filter(r, asid, base, false) ? r->g.own.v[2] : 0;
        kinds[2] += e.protection > 0;
        if (s->n == r->g.ways)
            evict(r, s, &done);
        else
            done.in = (struct mp_tlb_insertion){.action = "vacant", .way = lowest_vacant(s)};
        e.way = done.in.way;
    }
    e.valid |= 1u << sub;
    e.pfn[sub] = pfn;
    s->entry[s->n++] = e;
    return done;
}

static uint32_t invalidate(struct reference *r, uint16_t asid, uint64_t vpn)
{
    struct set *s = set_of(r, vpn);
    struct entry e;
    int i = find(s, asid, vpn / r->g.sub_entries);
    uint32_t bit = 1u << vpn % r->g.sub_entries;
    if (i < 0 || !(s->entry[i].valid & bit))
        return 0;
    s->entry[i].valid &= ~bit;
    if (!s->entry[i].valid)
        take(s, (uint32_t)i, &e);
    return 1;
}

static uint32_t invalidate_asid(struct reference *r, uint16_t asid)
{
    uint32_t gone = 0;
    struct entry e;
    for (uint32_t s = 0; s < r->g.sets; s++)
        for (uint32_t i = r->set[s].n; i-- > 0;)
            if (r->set[s].entry[i].asid == asid) {
                gone += (uint32_t)__builtin_popcount(r->set[s].entry[i].valid);
                take(&r->set[s], i, &e);
            }
    return gone;
}

static void same_ranks(void *state, const struct reference *r)
{
    for (uint32_t s = 0; s < r->g.sets; s++)
        for (uint32_t i = 0; i < r->set[s].n; i++)
            assert_int_equal(mp_tlb_depot.rank(state, s, r->set[s].entry[i].way), r->set[s].n - 1 - i);
}

static void compare(const struct mp_tlb_geometry *g, struct rng *rng, uint32_t steps)
{
    const struct mp_tlb_policy *p = &mp_tlb_depot;
    struct reference r = {
        .g = *g, .set = calloc(g->sets, sizeof *r.set), .bit = calloc(g->own.v[0], sizeof *r.bit)};
    void *state = new_state(p, g);
    uint32_t pages = 2 * g->sets * g->ways * g->sub_entries + 3;
    uint64_t high = rng_next(rng) >> 28 & ~(uint64_t)0xffff;
    for (uint32_t step = 0; step < steps; step++) {
        uint16_t asid = (uint16_t)rng_below(rng, 3);
        uint64_t vpn = high + rng_below(rng, pages), pfn = 0;
        uint32_t what = rng_below(rng, 1000);
        if (what < 400) {
            bool expected = look_up(&r, asid, vpn, &pfn);
            assert_int_equal(is_there(p, state, asid, vpn, pfn), expected);
        } else if (what < 950) {
            pfn = rng_next(rng) >> 28;
            struct inserted should = insert(&r, asid, vpn, pfn);
            struct inserted is = insert_page(p, state, asid, vpn, pfn);
            assert_string_equal(is.in.action, should.in.action);
            assert_int_equal(is.in.way, should.in.way);
            assert_int_equal(is.in.entry_evicted, should.in.entry_evicted);
            assert_int_equal(is.in.evicted_used, should.in.evicted_used);
            same_left(&is.left, &should.left);
        } else if (what < 998) {
            assert_int_equal(p->invalidate_page(state, asid, vpn, NULL), invalidate(&r, asid, vpn));
        } else {
            assert_int_equal(p->invalidate_asid(state, asid), invalidate_asid(&r, asid));
        }
        if (step % 128 == 0)
            same_ranks(state, &r);
    }
    free(state);
    free(r.set);
    free(r.bit);
}

static void random_geometries(void **state)
{
    (void)state;
    struct rng rng = rng_start("depot", 131);
    for (uint32_t i = 0; i < 60; i++) {
        const struct mp_tlb_geometry g = {
            .sets = rng_between(&rng, 1, 17),
            .ways = rng_between(&rng, 1, rng_percent(&rng, 20) ? WAYS : 8),
            .sub_entries = 1u << rng_below(&rng, 5),
            .latency = rng_below(&rng, 50),
            .own = {{64u << rng_below(&rng, 6), rng_between(&rng, 1, 8), rng_between(&rng, 1, 30)}}};
        compare(&g, &rng, 4000);
    }
    for (unsigned i = 0; i < 3; i++)
        assert_true(kinds[i] > 1000);
}

/* ---- by hand: one set of two ways ---- */

static void *two_ways(uint64_t length)
{
    const struct mp_tlb_geometry g = {
        .sets = 1, .ways = 2, .sub_entries = 1, .latency = 1, .own = {{1024, 2, length}}};
    return new_state(&mp_tlb_depot, &g);
}

/* The page that leaves when this one is inserted, or 0. */
static uint64_t leaves(void *tlb, uint64_t vpn)
{
    struct inserted done = insert_page(&mp_tlb_depot, tlb, 0, vpn, vpn);
    return done.left.count ? done.left.run[0].vpn : 0;
}

static void a_page_that_returns_soon_is_protected(void **state)
{
    (void)state;
    void *tlb = two_ways(2);
    assert_int_equal(leaves(tlb, 1), 0);
    assert_int_equal(leaves(tlb, 2), 0);
    assert_int_equal(leaves(tlb, 3), 1);
    assert_int_equal(leaves(tlb, 1), 2); /* returns: protected */
    assert_int_equal(leaves(tlb, 4), 3);
    assert_int_equal(leaves(tlb, 5), 4); /* spares 1, and is the second eviction: the protection ends */
    assert_int_equal(leaves(tlb, 6), 1);
    free(tlb);
}

static void a_set_of_protected_entries_starts_again(void **state)
{
    (void)state;
    void *tlb = two_ways(100);
    for (uint64_t vpn = 1; vpn <= 4; vpn++)
        leaves(tlb, vpn);
    assert_int_equal(leaves(tlb, 1), 3); /* protected */
    assert_int_equal(leaves(tlb, 2), 4); /* protected */
    assert_int_equal(leaves(tlb, 5), 1); /* the least recent one */
    assert_int_equal(leaves(tlb, 6), 2); /* is not protected any more */
    free(tlb);
}

static void counts(void **state)
{
    (void)state;
    void *tlb = two_ways(100);
    for (uint64_t vpn = 1; vpn <= 4; vpn++)
        leaves(tlb, vpn);
    leaves(tlb, 1);
    leaves(tlb, 7); /* 4 leaves, which is the least recent */
    leaves(tlb, 8); /* 7 leaves, 1 is spared */
    leaves(tlb, 7);
    leaves(tlb, 9); /* 1 and 7 are protected */
    const uint64_t *n = mp_tlb_depot.counters(tlb);
    assert_int_equal(n[0], 2);
    assert_int_equal(n[1], 2);
    assert_int_equal(n[2], 1);
    free(tlb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_geometries),
        cmocka_unit_test(a_page_that_returns_soon_is_protected),
        cmocka_unit_test(a_set_of_protected_entries_starts_again),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests_name("depot", tests, NULL, NULL);
}
