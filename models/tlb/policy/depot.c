/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protection of entries that were thrown out too early: the baseline's array, and a small Bloom filter as a
 * depot of what has left. It is a design of this project, not of a paper.
 *
 * - An entry that leaves to make room is put into the filter. The filter is emptied when half of its bits may
 *   be set, that is after bits / (2 * hashes) entries, so that it remembers the last of them only.
 * - A page that is inserted into a new entry while the filter has this entry was walked again soon: the entry
 *   is protected. An entry that the filter has by mistake is, too.
 * - An insertion takes the lowest vacant way, else the least recently used one of those that are not
 *   protected. If all are, all protection in the set ends first.
 * - The protection of an entry also ends after `depot.length` evictions in its set.
 *
 * An entry is an aligned run of sub_entries pages of one address space. Lookups and invalidations are those
 * of the baseline; what is invalidated is not put into the filter. Hash i of an entry, from 0, is a + i * b
 * modulo bits, where a is the low and b the high half of mp_mix(asid << 48 | vpn / sub_entries), b with its
 * lowest bit set.
 */
#include "engine/lru.h"
#include "engine/mshr.h"
#include "tlb/policy/subentry.h"

enum { BITS, HASHES, LENGTH };

static const struct mp_design_param params[] = {
    [BITS] = {"bits", "bits", NULL, 1024, 64, 1u << 20, "mempath",
              "of the filter of entries that have left, a power of two", MP_DESIGN_POWER_OF_TWO},
    [HASHES] = {"hashes", "bits", NULL, 2, 1, 8, "mempath", "of the filter that an entry sets", 0},
    [LENGTH] = {"length", "evictions", NULL, 8, 1, 65535, "mempath",
                "in a set, after which the protection of an entry ends", 0},
    {0},
};

struct depot_stats {
    uint64_t again, spared, given_up;
};

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct depot_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(again, "entries", "inserted with protection, for they had left not long before"),
    COUNTER(spared, "entries", "that would have left as the least recently used, but were protected"),
    COUNTER(given_up, "insertions", "that ended all protection in their set"),
};
static const struct mp_metric_table counters = {"tlb.depot", sizeof(struct depot_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

struct depot {
    struct mp_subentry *array;
    uint64_t *filter;
    uint16_t *protection; /* of each entry: evictions until it ends, or 0 */
    uint32_t bits, hashes, length;
    uint32_t remembered; /* entries put into the filter since it was empty */
    struct depot_stats stats[MP_TENANTS];
};

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static size_t entries_bytes(const struct mp_tlb_geometry *g)
{
    return round_up((size_t)g->sets * g->ways * sizeof(uint16_t));
}

static size_t depot_bytes(const struct mp_tlb_geometry *g)
{
    return round_up(sizeof(struct depot)) + round_up(mp_subentry_bytes(g)) + entries_bytes(g) +
           g->own.v[BITS] / 8;
}

static void depot_init(void *state, const struct mp_tlb_geometry *g)
{
    struct depot *d = state;
    char *at = (char *)state + round_up(sizeof *d);
    d->bits = (uint32_t)g->own.v[BITS];
    d->hashes = (uint32_t)g->own.v[HASHES];
    d->length = (uint32_t)g->own.v[LENGTH];
    d->array = (struct mp_subentry *)(void *)at;
    mp_subentry_init(at, g);
    at += round_up(mp_subentry_bytes(g));
    d->protection = (uint16_t *)(void *)at;
    d->filter = (uint64_t *)(void *)(at + entries_bytes(g));
}

/* ---- the filter ---- */

static uint32_t bit_of(const struct depot *d, uint64_t key, uint32_t i)
{
    return ((uint32_t)key + i * ((uint32_t)(key >> 32) | 1)) & (d->bits - 1);
}

static bool remembers(const struct depot *d, uint64_t key)
{
    for (uint32_t i = 0; i < d->hashes; i++) {
        uint32_t bit = bit_of(d, key, i);
        if (!(d->filter[bit / 64] >> bit % 64 & 1))
            return false;
    }
    return true;
}

static void remember(struct depot *d, uint64_t key)
{
    for (uint32_t i = 0; i < d->hashes; i++) {
        uint32_t bit = bit_of(d, key, i);
        d->filter[bit / 64] |= 1ull << bit % 64;
    }
    if (++d->remembered < d->bits / (2 * d->hashes))
        return;
    d->remembered = 0;
    for (uint32_t i = 0; i < d->bits / 64; i++)
        d->filter[i] = 0;
}

/* ---- insertion ---- */

static uint32_t oldest_of(const struct mp_subentry *t, uint32_t set)
{
    return mp_lru_oldest(t->order + (size_t)set * t->order_bytes, t->g.ways);
}

/* The set's least recently used way without protection; the number of ways if all have it. */
static uint32_t unprotected(const struct depot *d, uint32_t set)
{
    uint32_t ways = d->array->g.ways, best = ways, rank = 0;
    const uint16_t *protection = d->protection + (size_t)set * ways;
    for (uint32_t way = 0; way < ways; way++) {
        uint32_t r = protection[way] ? 0 : 1 + mp_subentry_rank(d->array, set, way);
        if (r > rank) {
            rank = r;
            best = way;
        }
    }
    return best;
}

/* The set is full: makes the entry that has to leave the least recently used one, which leaves next. The
 * order of the others stays. */
static void choose_victim(struct depot *d, uint32_t set, struct depot_stats *s)
{
    struct mp_subentry *t = d->array;
    uint16_t *protection = d->protection + (size_t)set * t->g.ways;
    uint32_t ways = t->g.ways, way = unprotected(d, set);
    if (way == ways) {
        s->given_up++;
        for (uint32_t w = 0; w < ways; w++)
            protection[w] = 0;
        way = oldest_of(t, set);
    }
    s->spared += way != oldest_of(t, set);
    mp_lru_forget(t->order + (size_t)set * t->order_bytes, ways, way);
    for (uint32_t w = 0; w < ways; w++)
        if (protection[w])
            protection[w]--;
}

static struct mp_tlb_insertion depot_insert(void *state, uint16_t asid, uint64_t vpn,
                                            struct mp_translation to, struct mp_tlb_left *left)
{
    struct depot *d = state;
    struct mp_subentry *t = d->array;
    if (mp_subentry_way(t, asid, vpn) >= 0)
        return mp_subentry_insert(t, asid, vpn, to, left);
    uint32_t set = mp_tlb_set(&t->g, vpn >> t->shift);
    struct depot_stats *s = &d->stats[asid % MP_TENANTS];
    size_t first = (size_t)set * t->g.ways;
    bool again = remembers(d, mp_mix((uint64_t)asid << 48 | vpn >> t->shift));
    if (t->valid[first + oldest_of(t, set)]) { /* vacant ways would be at the end of the order */
        choose_victim(d, set, s);
        remember(d, mp_mix(t->tag[first + oldest_of(t, set)]));
    }
    struct mp_tlb_insertion done = mp_subentry_insert(t, asid, vpn, to, left);
    d->protection[first + done.way] = again ? (uint16_t)d->length : 0;
    s->again += again;
    return done;
}

/* ---- the rest is the array's ---- */

static struct mp_tlb_hit depot_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    return mp_subentry_lookup(((struct depot *)state)->array, asid, vpn);
}

static struct mp_tlb_hit depot_peek(const void *state, uint16_t asid, uint64_t vpn)
{
    return mp_subentry_peek(((const struct depot *)state)->array, asid, vpn);
}

static uint32_t depot_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    return mp_subentry_invalidate_page(((struct depot *)state)->array, asid, vpn, left);
}

static uint32_t depot_invalidate_asid(void *state, uint16_t asid)
{
    return mp_subentry_invalidate_asid(((struct depot *)state)->array, asid);
}

static uint32_t depot_invalidate_all(void *state)
{
    return mp_subentry_invalidate_all(((struct depot *)state)->array);
}

static uint64_t depot_occupancy(const void *state, uint16_t asid)
{
    return mp_subentry_occupancy(((const struct depot *)state)->array, asid);
}

static uint32_t depot_ways(const void *state, uint32_t set)
{
    return mp_subentry_ways(((const struct depot *)state)->array, set);
}

static void depot_each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context)
{
    mp_subentry_each_entry(((const struct depot *)state)->array, set, show, context);
}

static uint32_t depot_rank(const void *state, uint32_t set, uint32_t way)
{
    return mp_subentry_rank(((const struct depot *)state)->array, set, way);
}

static void *depot_counters(void *state)
{
    return ((struct depot *)state)->stats;
}

const struct mp_tlb_policy mp_tlb_depot = {
    .design = {.name = "depot",
               .title =
                   "the baseline, which protects entries that were walked again soon after they had left",
               .params = params,
               .counters = &counters},
    .misses_repeat = true,
    .counters = depot_counters,
    .bytes = depot_bytes,
    .init = depot_init,
    .lookup = depot_lookup,
    .peek = depot_peek,
    .insert = depot_insert,
    .invalidate_page = depot_invalidate_page,
    .invalidate_asid = depot_invalidate_asid,
    .invalidate_all = depot_invalidate_all,
    .occupancy = depot_occupancy,
    .ways = depot_ways,
    .each_entry = depot_each_entry,
    .rank = depot_rank,
};
