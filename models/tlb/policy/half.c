/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STAR's alternatives of the same capacity (Sec. VI-C): the baseline's array with half the sub-entries per
 * entry and twice the sets or twice the ways. The geometry given is the baseline's. With twice the ways,
 * either all are compared in parallel, with more comparators, or in two batches with the comparators of the
 * baseline, the lower half first. Then a lookup takes base_latency more if the tag is not in the lower half.
 */
#include "tlb/policy/subentry.h"

/* The parameters of the policy that compares its ways in two batches. */
enum { BASE_LATENCY };
static const struct mp_design_param seq_params[] = {[BASE_LATENCY] = MP_TLB_BASE_LATENCY, {0}};

static struct mp_tlb_geometry double_sets(const struct mp_tlb_geometry *g)
{
    struct mp_tlb_geometry half = *g;
    half.sub_entries /= 2;
    half.sets *= 2;
    return half;
}

static struct mp_tlb_geometry double_ways(const struct mp_tlb_geometry *g)
{
    struct mp_tlb_geometry half = *g;
    half.sub_entries /= 2;
    half.ways *= 2;
    return half;
}

static size_t set_bytes(const struct mp_tlb_geometry *g)
{
    struct mp_tlb_geometry half = double_sets(g);
    return mp_subentry_bytes(&half);
}

static void set_init(void *state, const struct mp_tlb_geometry *g)
{
    struct mp_tlb_geometry half = double_sets(g);
    mp_subentry_init(state, &half);
}

static size_t way_bytes(const struct mp_tlb_geometry *g)
{
    struct mp_tlb_geometry half = double_ways(g);
    return mp_subentry_bytes(&half);
}

static void way_init(void *state, const struct mp_tlb_geometry *g)
{
    struct mp_tlb_geometry half = double_ways(g);
    mp_subentry_init(state, &half);
}

static uint32_t second_batch(const struct mp_subentry *t, uint16_t asid, uint64_t vpn)
{
    int way = mp_subentry_way(t, asid, vpn);
    return way < 0 || (uint32_t)way >= t->g.ways / 2 ? (uint32_t)t->g.own.v[BASE_LATENCY] : 0;
}

static struct mp_tlb_hit seq_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    uint32_t more = second_batch(state, asid, vpn);
    struct mp_tlb_hit hit = mp_subentry_lookup(state, asid, vpn);
    hit.cycles += more;
    return hit;
}

static struct mp_tlb_hit seq_peek(const void *state, uint16_t asid, uint64_t vpn)
{
    struct mp_tlb_hit hit = mp_subentry_peek(state, asid, vpn);
    hit.cycles += second_batch(state, asid, vpn);
    return hit;
}

#define HALF(name_, title_, params_, most_ways_, bytes_, init_, lookup_, peek_)                              \
    {                                                                                                        \
        .design = {.name = name_, .title = title_, .params = params_, .places = MP_TLB_LEVEL(3)},            \
        .least_sub_entries = 2, .most_ways = most_ways_, .bytes = bytes_, .init = init_, .lookup = lookup_,  \
        .peek = peek_, .insert = mp_subentry_insert, .invalidate_page = mp_subentry_invalidate_page,         \
        .invalidate_asid = mp_subentry_invalidate_asid, .invalidate_all = mp_subentry_invalidate_all,        \
        .occupancy = mp_subentry_occupancy, .ways = mp_subentry_ways, .each_entry = mp_subentry_each_entry,  \
        .rank = mp_subentry_rank,                                                                            \
    }

const struct mp_tlb_policy mp_tlb_half_double_set =
    HALF("half-double-set", "half the sub-entries, twice the sets", NULL, 0, set_bytes, set_init,
         mp_subentry_lookup, mp_subentry_peek);
const struct mp_tlb_policy mp_tlb_half_double_way =
    HALF("half-double-way", "half the sub-entries, twice the ways", NULL, 32, way_bytes, way_init,
         mp_subentry_lookup, mp_subentry_peek);
const struct mp_tlb_policy mp_tlb_half_double_way_seq =
    HALF("half-double-way-seq", "half the sub-entries, twice the ways in two batches", seq_params, 32,
         way_bytes, way_init, seq_lookup, seq_peek);
