/* SPDX-License-Identifier: Apache-2.0 */
/* STAR's policies under random work, compared with the reference action by action, and with a plain map. */
#include "star_fixture.h"
#include "star_reference.h"

static const struct mp_tlb_policy *const policies[] = {&mp_tlb_star, &mp_tlb_star_sequential,
                                                       &mp_tlb_star_stride, &mp_tlb_star4};
enum { POLICIES = sizeof policies / sizeof *policies, ASIDS = 3 };

/* Every action of every policy has to occur. */
static const char *const actions[] = {"update",       "replace", "revert", "vacant", "share-sequential",
                                      "share-stride", "evict",   "share4", "revert4"};
enum { ACTIONS = sizeof actions / sizeof *actions };

static void tally(uint32_t *seen, const char *action)
{
    for (uint32_t a = 0; a < ACTIONS; a++)
        if (!strcmp(actions[a], action)) {
            seen[a]++;
            return;
        }
    fail_msg("unknown action %s", action);
}

static void all_occurred(const uint32_t *seen, const struct mp_tlb_policy *policy)
{
    for (uint32_t a = 0; a < ACTIONS; a++) {
        bool foreign = (strstr(actions[a], "4") && policy != &mp_tlb_star4) ||
                       (!strcmp(actions[a], "share-stride") && policy == &mp_tlb_star_sequential) ||
                       (!strcmp(actions[a], "share-sequential") && policy == &mp_tlb_star_stride);
        if (foreign ? seen[a] != 0 : seen[a] < 100)
            fail_msg("%s: %s occurred %u times", policy->design.name, actions[a], seen[a]);
    }
}

/* Pages of a set of skewed popularity: some bases fill up, others keep a page or two, many come once. */
struct traffic {
    uint32_t bases, dense; /* percent of bases that are asked for in runs */
    uint64_t high;
};

static struct traffic traffic_make(struct rng *rng, const struct mp_tlb_geometry *g)
{
    return (struct traffic){.bases = g->sets * g->ways * rng_between(rng, 1, 5) + 1,
                            .dense = rng_below(rng, 101),
                            .high = (rng_next(rng) >> 28) & ~0xffffull};
}

static uint64_t draw(const struct traffic *traffic, struct rng *rng)
{
    uint32_t base = rng_below(rng, rng_below(rng, rng_below(rng, traffic->bases) + 1) + 1);
    bool dense = base * 37 % 101 < traffic->dense;
    uint32_t index = dense ? rng_below(rng, 16) : rng_below(rng, 4) * (1 + base % 5);
    return traffic->high + page(base, index);
}

static void same_insertion(const struct inserted *a, const struct inserted *b)
{
    assert_string_equal(a->in.action, b->in.action);
    assert_int_equal(a->in.way, b->in.way);
    assert_int_equal(a->in.entry_evicted, b->in.entry_evicted);
    assert_int_equal(a->in.evicted_asid, b->in.evicted_asid);
    assert_int_equal(a->in.evicted_used, b->in.evicted_used);
    same_left(&a->left, &b->left);
}

static void same_way(const struct mp_star_way *a, const struct mp_star_way *b)
{
    assert_int_equal(a->layout, b->layout);
    for (uint32_t p = 0; p < MP_STAR_BASES; p++) {
        assert_int_equal(a->base[p].valid, b->base[p].valid);
        assert_int_equal(a->base[p].asid, b->base[p].asid);
        assert_int_equal(a->base[p].base, b->base[p].base);
    }
    for (uint32_t s = 0; s < MP_STAR_SUB_ENTRIES; s++) {
        assert_int_equal(a->sub[s].valid, b->sub[s].valid);
        assert_int_equal(a->sub[s].aib, b->sub[s].aib);
        assert_int_equal(a->sub[s].pfn, b->sub[s].pfn);
    }
}

static void same_set(const struct fixture *f, const struct reference *r, uint32_t set)
{
    struct views is;
    view_set(f, set, &is);
    for (uint32_t way = 0; way < f->g.ways; way++) {
        struct mp_star_way should = ref_view(r, set, way);
        same_way(&is.way[way], &should);
    }
}

static void compare_step(struct fixture *f, struct reference *r, const struct traffic *traffic,
                         struct rng *rng, uint32_t *seen)
{
    uint16_t asid = (uint16_t)rng_below(rng, ASIDS);
    uint64_t vpn = draw(traffic, rng);
    uint32_t what = rng_below(rng, 10000);
    if (what < 3000) {
        struct mp_tlb_hit seen = f->policy->peek(f->state, asid, vpn);
        struct mp_tlb_hit is = f->policy->lookup(f->state, asid, vpn), should = ref_lookup(r, asid, vpn);
        assert_int_equal(seen.found, should.found);
        assert_int_equal(seen.cycles, should.cycles);
        assert_int_equal(is.found, should.found);
        assert_int_equal(is.cycles, should.cycles);
        assert_int_equal(is.pfn, should.pfn);
    } else if (what < 9700) {
        uint64_t pfn = rng_next(rng) >> 12;
        struct inserted is = insert_page(f->policy, f->state, asid, vpn, pfn);
        struct inserted should = ref_insert(r, asid, vpn, pfn);
        same_insertion(&is, &should);
        tally(seen, is.in.action);
    } else if (what < 9990) {
        struct mp_tlb_left left = {0};
        uint32_t gone = ref_invalidate(r, REF_PAGE, asid, vpn);
        assert_int_equal(f->policy->invalidate_page(f->state, asid, vpn, &left), gone);
        assert_int_equal(left.pages, gone);
        assert_int_equal(has_left(&left, asid, vpn), gone);
    } else if (what < 9999) {
        assert_int_equal(f->policy->invalidate_asid(f->state, asid), ref_invalidate(r, REF_ASID, asid, 0));
        for (uint32_t set = 0; set < f->g.sets; set++)
            same_set(f, r, set);
    } else {
        assert_int_equal(f->policy->invalidate_all(f->state), ref_invalidate(r, REF_ALL, 0, 0));
    }
    same_set(f, r, (uint32_t)(vpn / 16 % f->g.sets));
}

static void compare(const struct mp_tlb_policy *policy, struct rng *rng, uint32_t sets, uint32_t ways,
                    uint32_t stride, uint32_t steps, uint32_t *seen)
{
    struct fixture f = fixture_make(policy, sets, ways, stride, rng_below(rng, 2));
    struct reference r = {
        .g = f.g, .policy = policy->design.name, .entry = calloc((size_t)sets * ways, sizeof *r.entry)};
    assert_non_null(r.entry);
    struct traffic traffic = traffic_make(rng, &f.g);
    for (uint32_t i = 0; i < sets * ways; i++)
        r.entry[i].mode = 1;
    for (uint32_t step = 0; step < steps; step++) {
        compare_step(&f, &r, &traffic, rng, seen);
        if (step % 64 == 0)
            for (uint16_t asid = 0; asid < ASIDS; asid++)
                assert_int_equal(policy->occupancy(f.state, asid), ref_occupancy(&r, asid));
    }
    free(r.entry);
    free(f.state);
}

static void the_reference_agrees(void **state)
{
    (void)state;
    struct rng rng = rng_start("star against its reference", 51);
    for (uint32_t p = 0; p < POLICIES; p++) {
        uint32_t seen[ACTIONS] = {0};
        for (uint32_t stride = 1; stride <= 4; stride *= 2) {
            for (uint32_t i = 0; i < 14; i++)
                compare(policies[p], &rng, rng_between(&rng, 1, 5),
                        rng_between(&rng, 1, rng_percent(&rng, 10) ? 64 : 8), stride, 4000, seen);
            compare(policies[p], &rng, 128, 8, stride, 8000, seen);
        }
        all_occurred(seen, policies[p]);
    }
}

/* --- a map of the TLB's contents
 * ---------------------------------------------------------------------------------
 */

/* The index that a slot holds, from the layout, the slot and its AIB alone. */
static uint32_t index_in(const struct mp_star_way *v, uint32_t slot, uint32_t stride)
{
    uint32_t aib = v->sub[slot].aib, k = (uint32_t)__builtin_ctz(stride);
    switch (v->layout) {
    case MP_STAR_NOT_SHARED:
        return slot;
    case MP_STAR_SEQUENTIAL:
        return slot % 8 + 8 * aib;
    case MP_STAR_STRIDE:
        return (slot & ~(1u << k)) | aib << k;
    case MP_STAR_FOUR | MP_STAR_SEQUENTIAL:
        return slot % 4 + 4 * aib;
    default:
        return slot / 4 * 4 + aib;
    }
}

static uint32_t position_in(const struct mp_star_way *v, uint32_t slot, uint32_t stride)
{
    static const uint32_t divisor[MP_STAR_LAYOUTS] = {16, 8, 0, 0, 0, 4, 1};
    if (v->layout == MP_STAR_STRIDE)
        return slot / stride % 2;
    return slot / divisor[v->layout] % 4;
}

enum { MAP = 1 << 13 };

struct map {
    uint64_t pfn[ASIDS][MAP]; /* last inserted; 0: never, or invalidated since */
    uint64_t present[ASIDS][MAP];
    uint32_t held[ASIDS];
    uint32_t vacant; /* ways of the set looked at last */
    uint64_t time;
};

/* Reads a whole set as the hardware would and checks the invariants. Then the pages of the set are marked in
 * the map as present at this time. */
static void read_set(const struct fixture *f, struct map *m, uint32_t set, uint32_t stride)
{
    struct views is;
    view_set(f, set, &is);
    m->time++;
    m->vacant = 0;
    memset(m->held, 0, sizeof m->held);
    for (uint32_t way = 0; way < f->g.ways; way++) {
        struct mp_star_way v = is.way[way];
        uint32_t valid[MP_STAR_BASES] = {0}, bases = 0;
        for (uint32_t slot = 0; slot < MP_STAR_SUB_ENTRIES; slot++) {
            if (!v.sub[slot].valid)
                continue;
            uint32_t position = position_in(&v, slot, stride);
            assert_true(v.base[position].valid); /* no translation without its base */
            uint16_t asid = v.base[position].asid;
            uint64_t vpn = page(v.base[position].base, index_in(&v, slot, stride));
            assert_int_equal(vpn / 16 % f->g.sets, set);
            assert_true(m->present[asid][vpn] != m->time); /* present once */
            m->present[asid][vpn] = m->time;
            assert_int_equal(v.sub[slot].pfn, m->pfn[asid][vpn]);
            m->held[asid]++;
            valid[position]++;
        }
        for (uint32_t p = 0; p < MP_STAR_BASES; p++) {
            assert_int_equal(v.base[p].valid, valid[p] > 0); /* no base without a translation */
            bases += v.base[p].valid;
        }
        m->vacant += !bases;
        assert_int_equal(v.layout != MP_STAR_NOT_SHARED, bases > 1);
        if (bases == 1)
            assert_true(v.base[0].valid);
        if (!(v.layout & MP_STAR_FOUR))
            assert_false(v.base[2].valid || v.base[3].valid);
    }
}

static void insert_beside_map(struct fixture *f, struct map *m, uint16_t asid, uint64_t vpn, uint64_t pfn,
                              uint32_t stride)
{
    uint32_t set = (uint32_t)(vpn / 16 % f->g.sets), before[ASIDS], lost = 0;
    read_set(f, m, set, stride);
    bool there = m->present[asid][vpn] == m->time, full = !m->vacant;
    memcpy(before, m->held, sizeof before);
    m->pfn[asid][vpn] = pfn;
    struct inserted done = insert_page(f->policy, f->state, asid, vpn, pfn);
    read_set(f, m, set, stride);
    assert_int_equal(m->present[asid][vpn], m->time);
    before[asid] += !there;
    for (uint16_t a = 0; a < ASIDS; a++) {
        before[a] -= left_of(&done.left, a);
        lost += left_of(&done.left, a);
    }
    assert_int_equal(lost, done.left.pages);
    assert_memory_equal(before, m->held, sizeof before);
    if (strstr(done.in.action, "share") || done.in.entry_evicted)
        assert_true(full);
    if (done.in.entry_evicted)
        assert_int_equal(done.in.evicted_used, done.left.pages);
}

static void beside_map(const struct mp_tlb_policy *policy, struct rng *rng, struct map *m, uint32_t stride)
{
    struct fixture f =
        fixture_make(policy, rng_between(rng, 1, 5), rng_between(rng, 1, 9), stride, rng_below(rng, 2));
    struct traffic traffic = traffic_make(rng, &f.g);
    traffic.high = 0;
    memset(m, 0, sizeof *m);
    assert_true(page(traffic.bases, 20) < MAP);
    uint32_t used = policy == &mp_tlb_star4 ? 1 : stride; /* four bases have stride 1 */
    uint32_t hits = 0;
    for (uint32_t step = 0; step < 4000; step++) {
        uint16_t asid = (uint16_t)rng_below(rng, ASIDS);
        uint64_t vpn = draw(&traffic, rng);
        if (rng_percent(rng, 3)) {
            read_set(&f, m, (uint32_t)(vpn / 16 % f.g.sets), used);
            bool there = m->present[asid][vpn] == m->time;
            assert_int_equal(policy->invalidate_page(f.state, asid, vpn, NULL), there);
            assert_false(policy->lookup(f.state, asid, vpn).found);
        } else if (is_there(policy, f.state, asid, vpn, m->pfn[asid][vpn])) {
            hits++;
        } else {
            insert_beside_map(&f, m, asid, vpn, rng_next(rng) >> 12, used);
        }
    }
    assert_true(hits > 0);
    free(f.state);
}

static void a_plain_map_agrees(void **state)
{
    (void)state;
    struct rng rng = rng_start("star compared with a map", 52);
    struct map *m = malloc(sizeof *m);
    assert_non_null(m);
    for (uint32_t p = 0; p < POLICIES; p++)
        for (uint32_t stride = 1; stride <= 4; stride *= 2)
            for (uint32_t i = 0; i < 8; i++)
                beside_map(policies[p], &rng, m, stride);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_agrees),
        cmocka_unit_test(a_plain_map_agrees),
    };
    return cmocka_run_group_tests_name("star, random", tests, NULL, NULL);
}
