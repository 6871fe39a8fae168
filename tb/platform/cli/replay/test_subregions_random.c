/* SPDX-License-Identifier: Apache-2.0 */
/* Random stimuli under all designs of replay subregions, compared with a naive model. */
#include "subregions_fixture.h"
#include "subregions_oracle.h"

static struct replay_subregions_params random_params(struct rng *rng,
                                                     const struct replay_subregions_design *d)
{
    struct replay_subregions_params p = {.design = d,
                                         .l1 = rng_between(rng, 1, 12),
                                         .sets = 1u << rng_below(rng, 4),
                                         .ways = rng_between(rng, 1, 6),
                                         .msc_ways = rng_between(rng, 1, 3),
                                         .pwc = rng_below(rng, 8),
                                         .heads_first = rng_percent(rng, 30)};
    p.sub_ways = rng_between(rng, 1, p.ways);
    p.msc = rng_percent(rng, 20) ? 0 : p.msc_ways << rng_below(rng, 3);
    return p;
}

/* Frames of memory that often make runs of pages contiguous: a few distances between pages and frames. */
static uint64_t some_pfn(struct rng *rng, uint64_t vpn)
{
    static const uint64_t distance[] = {0, 0, 512, 1000, 64};
    return vpn - ORACLE_FIRST + 4096 + distance[rng_below(rng, 5)];
}

static struct replay_subregions_stimulus random_stimulus(struct rng *rng, const struct oracle *o)
{
    struct replay_subregions_stimulus s = {.vpn = ORACLE_FIRST + rng_below(rng, ORACLE_PAGES), .pages = 1};
    uint32_t kind = rng_below(rng, 1000), most = rng_percent(rng, 10) ? 700 : 40;
    bool mapped = oracle_maps(o, s.vpn);
    if (kind < 2) {
        s.op = 'F';
    } else if (kind < 8) {
        s.op = 'S';
    } else if (kind < 900) {
        s.op = 'T';
    } else {
        bool back = mapped && rng_percent(rng, 60); /* remaps to where it was: only shootdowns */
        s.op = !mapped ? 'P' : rng_percent(rng, 15) ? 'U' : 'R';
        s.pfn = back ? oracle_pfn(o, s.vpn) : some_pfn(rng, s.vpn);
        s.read_only = rng_percent(rng, 10) ? !oracle_read_only(o, s.vpn) : oracle_read_only(o, s.vpn);
        uint64_t pages = mapped ? rng_between(rng, 1, 4) : rng_between(rng, 1, most);
        while (s.pages < pages && s.vpn + s.pages < ORACLE_FIRST + ORACLE_PAGES &&
               oracle_maps(o, s.vpn + s.pages) == mapped)
            s.pages++;
    }
    return s;
}

/* Most pages lie in order in memory at first, so that all modes occur. */
static void map_most(struct rng *rng, struct oracle *o)
{
    for (uint64_t at = 0; at < ORACLE_PAGES;) {
        uint64_t vpn = ORACLE_FIRST + at;
        struct replay_subregions_stimulus s = {.op = 'P', .vpn = vpn, .pfn = some_pfn(rng, vpn)};
        s.pages = rng_percent(rng, 30) ? 1024 : rng_between(rng, 1, 1200);
        s.pages = at + s.pages > ORACLE_PAGES ? ORACLE_PAGES - at : s.pages;
        at += s.pages + (rng_percent(rng, 50) ? rng_below(rng, 64) : 0);
        struct mp_error err;
        assert_int_equal(replay_subregions_apply(m, &s, &r, &err), 0);
        oracle_apply(o, &s);
    }
}

static void same(const struct replay_subregions_response *a, const struct replay_subregions_response *b,
                 const struct replay_subregions_stimulus *s)
{
    assert_string_equal(a->where ? a->where : "", b->where ? b->where : "");
#define SAME(member)                                                                                         \
    if (a->member != b->member)                                                                              \
    fail_msg("%c 0x%jx: " #member " is %ju, the oracle has %ju", s->op, (uintmax_t)s->vpn,                   \
             (uintmax_t)a->member, (uintmax_t)b->member)
    SAME(walked);
    SAME(pfn);
    SAME(read_only);
    SAME(cycles);
    SAME(reads);
    SAME(heads);
    SAME(l1.first);
    SAME(l1.pages);
    SAME(iommu.first);
    SAME(iommu.pages);
    SAME(sub);
    SAME(mapped);
    SAME(scan.frames);
    SAME(scan.subregions);
    SAME(scan.whole);
    SAME(scan.huge);
    SAME(scan.changed);
    SAME(gone.l1);
    SAME(gone.iommu);
    SAME(gone.sub);
    SAME(gone.msc);
    SAME(gone.pwc);
    SAME(contiguous);
    SAME(whole);
#undef SAME
}

/* An inserted entry, and a translation, always agree with the table as it is now. */
static void right_by_the_table(const struct oracle *o, const struct replay_subregions_stimulus *s)
{
    const struct replay_subregions_entry *entries[] = {&r.l1, &r.iommu};
    bool fault = !strcmp(r.where, "fault");
    assert_int_equal(fault, !oracle_maps(o, s->vpn));
    if (fault)
        return;
    assert_int_equal(r.pfn, oracle_pfn(o, s->vpn));
    assert_int_equal(r.read_only, oracle_read_only(o, s->vpn));
    for (unsigned e = 0; e < 2; e++)
        for (uint64_t vpn = entries[e]->first; vpn < entries[e]->first + entries[e]->pages; vpn++) {
            assert_true(oracle_maps(o, vpn));
            assert_int_equal(oracle_pfn(o, vpn) - vpn, r.pfn - s->vpn);
            assert_int_equal(oracle_read_only(o, vpn), r.read_only);
        }
}

static const char *const where[] = {"l1", "iommu", "sub", "page", "subregion", "large", "huge", "fault"};

static void random_stream(struct rng *rng, const struct replay_subregions_design *d, uint32_t steps,
                          uint64_t seen[8])
{
    const struct replay_subregions_params p = random_params(rng, d);
    struct oracle *o = oracle_new(&p);
    begin_with(p);
    map_most(rng, o);
    for (uint32_t i = 0; i < steps; i++) {
        struct replay_subregions_stimulus s = random_stimulus(rng, o);
        const struct replay_subregions_response wanted = oracle_apply(o, &s);
        struct mp_error err = {""};
        if (replay_subregions_apply(m, &s, &r, &err))
            fail_msg("%s", err.text);
        same(&r, &wanted, &s);
        if (s.op != 'T')
            continue;
        right_by_the_table(o, &s);
        for (unsigned k = 0; k < 8; k++)
            seen[k] += !strcmp(r.where, where[k]);
    }
    oracle_free(o);
}

static void random_stimuli_under_all_designs(void **state)
{
    struct rng rng = rng_start("subregions", 16);
    uint64_t seen[8] = {0};
    (void)state;
    for (unsigned i = 0; replay_subregions_designs[i].name; i++)
        for (unsigned n = 0; n < 25; n++)
            random_stream(&rng, &replay_subregions_designs[i], 1500, seen);
    for (unsigned k = 0; k < 8; k++)
        if (seen[k] < 20)
            fail_msg("only %ju translations by %s", (uintmax_t)seen[k], where[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(random_stimuli_under_all_designs),
    };
    return cmocka_run_group_tests_name("replay subregions, random", tests, NULL, NULL);
}
