/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STAR's alternatives of the same capacity (Sec. VI-C): the baseline's array with half the sub-entries an
 * entry and twice the sets or twice the ways. The geometry given is the baseline's. With twice the ways,
 * either all are compared in parallel (more comparators), or in two batches with the comparators of the
 * baseline, the lower half first: base_latency more when the tag is in the upper half or nowhere.
 */
#include "tlb/subentry.h"

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

static bool seq_lookup(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_hit *hit)
{
    const struct mp_subentry *t = state;
    int way = mp_subentry_way(t, asid, vpn);
    bool found = mp_subentry_lookup(state, asid, vpn, hit);
    if (way < 0 || (uint32_t)way >= t->g.ways / 2)
        hit->cycles += t->g.base_latency;
    return found;
}

#define HALF(name_, title_, most_ways_, bytes_, init_, lookup_)                                              \
    {                                                                                                        \
        .design = {.name = name_, .title = title_}, .least_sub_entries = 2, .most_ways = most_ways_,         \
        .bytes = bytes_, .init = init_, .lookup = lookup_, .insert = mp_subentry_insert,                     \
        .invalidate_page = mp_subentry_invalidate_page, .invalidate_asid = mp_subentry_invalidate_asid,      \
        .invalidate_all = mp_subentry_invalidate_all, .occupancy = mp_subentry_occupancy,                    \
        .ways = mp_subentry_ways, .view = mp_subentry_view, .rank = mp_subentry_rank,                        \
    }

const struct mp_tlb_policy mp_tlb_half_double_set = HALF(
    "half-double-set", "half the sub-entries, twice the sets", 0, set_bytes, set_init, mp_subentry_lookup);
const struct mp_tlb_policy mp_tlb_half_double_way = HALF(
    "half-double-way", "half the sub-entries, twice the ways", 32, way_bytes, way_init, mp_subentry_lookup);
const struct mp_tlb_policy mp_tlb_half_double_way_seq =
    HALF("half-double-way-seq", "half the sub-entries, twice the ways in two batches", 32, way_bytes,
         way_init, seq_lookup);
