/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The baseline of STAR (Sec. II-B): a set-associative array with LRU replacement. An entry maps an aligned
 * run of sub_entries neighbouring pages, each with its own valid bit, and is evicted as a whole. With one
 * sub-entry it is the ordinary TLB of the other papers. Pages are stored one by one: spans are dropped.
 *
 * Set = base mod sets and tag = (asid, base), where base = vpn / sub_entries; sub-entry = vpn mod
 * sub_entries.
 */
#include <string.h>

#include "engine/lru.h"
#include "engine/match.h"
#include "engine/mshr.h"
#include "tlb/policy/subentry.h"

#define NO_TAG UINT64_MAX
#define SIGNS  16u /* of a set */

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

size_t mp_subentry_bytes(const struct mp_tlb_geometry *g)
{
    size_t entries = (size_t)g->sets * g->ways;
    return round_up(sizeof(struct mp_subentry)) + round_up(entries * sizeof(uint64_t)) +
           round_up((size_t)g->sets * mp_lru_bytes(g->ways)) + round_up(entries * sizeof(uint16_t)) +
           round_up(entries * g->sub_entries * sizeof(uint64_t)) + round_up((size_t)g->sets * SIGNS);
}

void mp_subentry_init(void *state, const struct mp_tlb_geometry *g)
{
    struct mp_subentry *t = state;
    size_t entries = (size_t)g->sets * g->ways;
    char *at = (char *)state + round_up(sizeof *t);
    t->g = *g;
    t->shift = (uint32_t)__builtin_ctz(g->sub_entries);
    t->tag = (uint64_t *)at;
    at += round_up(entries * sizeof *t->tag);
    t->order = (uint8_t *)at;
    t->order_bytes = mp_lru_bytes(g->ways);
    at += round_up((size_t)g->sets * t->order_bytes);
    t->valid = (uint16_t *)at;
    at += round_up(entries * sizeof *t->valid);
    t->frame = (uint64_t *)at;
    at += round_up(entries * g->sub_entries * sizeof *t->frame);
    t->sign = g->ways <= SIGNS ? (uint8_t *)at : NULL; /* the state is zeroed */
    memset(t->tag, 0xff, entries * sizeof *t->tag);
    for (uint32_t set = 0; set < g->sets; set++)
        mp_lru_init(t->order + set * t->order_bytes, g->ways);
}

/* A base has at most 45 bits (57-bit addresses, 4 KB pages), so the asid fits above it. */
static uint64_t tag_of(uint16_t asid, uint64_t base)
{
    return (uint64_t)asid << 48 | base;
}

static uint64_t base_of(uint64_t tag)
{
    return tag & UINT64_MAX >> 16;
}

static uint32_t set_of(const struct mp_subentry *t, uint64_t base)
{
    return mp_tlb_set(&t->g, base);
}

static void *order_of(const struct mp_subentry *t, uint32_t set)
{
    return t->order + set * t->order_bytes;
}

static uint8_t sign_of(uint64_t tag)
{
    return (uint8_t)(mp_mix(tag) >> 57 | 128);
}

static void set_sign(struct mp_subentry *t, uint32_t set, uint32_t way, uint8_t sign)
{
    if (t->sign)
        t->sign[(size_t)set * SIGNS + way] = sign;
}

/* The ways of a set. narrow: the set has signs; the paths that requests take are compiled for such sets, so
 * that they call nothing and save no registers. */
static inline uint32_t ways_of(const struct mp_subentry *t, bool narrow)
{
    if (narrow && t->g.ways > SIGNS)
        __builtin_unreachable();
    return t->g.ways;
}

/* The way of the set that has the tag, or -1. Most look-ups find nothing, which the signs of all ways show at
 * once. In a set with more ways, the most recent one is tried first, since most hits are there. */
static inline __attribute__((always_inline)) int find_way(const struct mp_subentry *t, uint32_t set,
                                                          uint64_t tag, bool narrow)
{
    const uint32_t ways = ways_of(t, narrow);
    const uint64_t *tags = t->tag + (size_t)set * ways;
    if (narrow) {
        uint32_t may = mp_match8(t->sign + (size_t)set * SIGNS, sign_of(tag));
        while (may && tags[__builtin_ctz(may)] != tag)
            may &= may - 1;
        return may ? __builtin_ctz(may) : -1;
    }
    uint32_t recent = mp_lru_newest(order_of(t, set), ways);
    if (tags[recent] == tag)
        return (int)recent;
    uint64_t found = mp_match64(tags, ways, tag);
    return found ? __builtin_ctzll(found) : -1;
}

int mp_subentry_way(const struct mp_subentry *t, uint16_t asid, uint64_t vpn)
{
    uint64_t base = vpn >> t->shift;
    return find_way(t, set_of(t, base), tag_of(asid, base), t->sign);
}

/* The hit, and the way it is in; the caller decides whether it counts as a use. */
static inline __attribute__((always_inline)) struct mp_tlb_hit
find_page(const struct mp_subentry *t, uint16_t asid, uint64_t vpn, uint32_t *set, int *way, bool narrow)
{
    uint64_t base = vpn >> t->shift;
    uint32_t sub = (uint32_t)vpn & (t->g.sub_entries - 1);
    *set = set_of(t, base);
    *way = find_way(t, *set, tag_of(asid, base), narrow);
    uint32_t entry = *set * t->g.ways + (uint32_t)*way;
    if (*way < 0 || !(t->valid[entry] >> sub & 1))
        return (struct mp_tlb_hit){.cycles = t->g.latency};
    return mp_tlb_found(t->frame[(size_t)entry * t->g.sub_entries + sub], t->g.latency);
}

static inline __attribute__((always_inline)) struct mp_tlb_hit look_up(struct mp_subentry *t, uint16_t asid,
                                                                       uint64_t vpn, bool narrow)
{
    uint32_t set;
    int way;
    struct mp_tlb_hit hit = find_page(t, asid, vpn, &set, &way, narrow);
    if (hit.found)
        mp_lru_touch(order_of(t, set), ways_of(t, narrow), (uint32_t)way);
    return hit;
}

static __attribute__((noinline)) struct mp_tlb_hit look_up_wide(struct mp_subentry *t, uint16_t asid,
                                                                uint64_t vpn)
{
    return look_up(t, asid, vpn, false);
}

struct mp_tlb_hit mp_subentry_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    struct mp_subentry *t = state;
    return __builtin_expect(t->sign != NULL, 1) ? look_up(t, asid, vpn, true) : look_up_wide(t, asid, vpn);
}

struct mp_tlb_hit mp_subentry_peek(const void *state, uint16_t asid, uint64_t vpn)
{
    uint32_t set;
    int way;
    const struct mp_subentry *t = state;
    return find_page(t, asid, vpn, &set, &way, t->sign);
}

/* The lowest vacant way, else the least recently used one; it becomes the most recent one. Vacated ways go to
 * the end of the order, so there is a vacant way if the least recent one is vacant. */
static inline __attribute__((always_inline)) uint32_t take_victim(struct mp_subentry *t, uint32_t set,
                                                                  uint32_t ways)
{
    const uint64_t *tags = t->tag + (size_t)set * ways;
    void *order = order_of(t, set);
    if (tags[mp_lru_oldest(order, ways)] != NO_TAG)
        return mp_lru_renew(order, ways);
    uint32_t way = 0;
    while (tags[way] != NO_TAG)
        way++;
    mp_lru_touch(order, ways, way);
    return way;
}

static inline __attribute__((always_inline)) struct mp_tlb_insertion
insert(struct mp_subentry *t, uint16_t asid, uint64_t vpn, struct mp_translation to, struct mp_tlb_left *left,
       bool narrow)
{
    const uint32_t ways = ways_of(t, narrow);
    uint64_t base = vpn >> t->shift;
    uint32_t sub = (uint32_t)vpn & (t->g.sub_entries - 1);
    uint32_t set = set_of(t, base);
    uint64_t tag = tag_of(asid, base);
    int found = find_way(t, set, tag, narrow);
    struct mp_tlb_insertion result = {.action = "update"};
    if (found >= 0) {
        result.way = (uint32_t)found;
        mp_lru_touch(order_of(t, set), ways, result.way);
    } else {
        result.way = take_victim(t, set, ways);
        uint32_t entry = set * ways + result.way;
        uint64_t old = t->tag[entry];
        result.action = "vacant";
        if (old != NO_TAG) {
            result.action = "evict";
            result.entry_evicted = true;
            result.evicted_asid = (uint16_t)(old >> 48);
            result.evicted_used = (uint32_t)__builtin_popcount(t->valid[entry]);
            mp_tlb_leave(left, result.evicted_asid, base_of(old) << t->shift, 0, t->valid[entry]);
        }
        t->tag[entry] = tag;
        set_sign(t, set, result.way, sign_of(tag));
        t->valid[entry] = 0;
    }
    uint32_t entry = set * ways + result.way;
    t->valid[entry] |= (uint16_t)(1u << sub);
    t->frame[(size_t)entry * t->g.sub_entries + sub] = mp_tlb_word(to);
    return result;
}

static __attribute__((noinline)) struct mp_tlb_insertion insert_wide(struct mp_subentry *t, uint16_t asid,
                                                                     uint64_t vpn, struct mp_translation to,
                                                                     struct mp_tlb_left *left)
{
    return insert(t, asid, vpn, to, left, false);
}

struct mp_tlb_insertion mp_subentry_insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                           struct mp_tlb_left *left)
{
    struct mp_subentry *t = state;
    return __builtin_expect(t->sign != NULL, 1) ? insert(t, asid, vpn, to, left, true)
                                                : insert_wide(t, asid, vpn, to, left);
}

/* An entry without a valid sub-entry is vacant. */
static void vacate(struct mp_subentry *t, uint32_t entry)
{
    t->tag[entry] = NO_TAG;
    set_sign(t, entry / t->g.ways, entry % t->g.ways, 0);
    t->valid[entry] = 0;
    mp_lru_forget(order_of(t, entry / t->g.ways), t->g.ways, entry % t->g.ways);
}

uint32_t mp_subentry_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    struct mp_subentry *t = state;
    uint32_t set, sub = (uint32_t)vpn & (t->g.sub_entries - 1);
    int way;
    if (!find_page(t, asid, vpn, &set, &way, t->sign).found)
        return 0;
    uint32_t entry = set * t->g.ways + (uint32_t)way;
    t->valid[entry] &= (uint16_t) ~(1u << sub);
    if (!t->valid[entry])
        vacate(t, entry);
    mp_tlb_leave(left, asid, vpn, 0, 1);
    return 1;
}

static uint32_t invalidate_where(struct mp_subentry *t, bool all, uint16_t asid)
{
    uint32_t gone = 0;
    for (uint32_t entry = 0; entry < t->g.sets * t->g.ways; entry++) {
        if (t->tag[entry] == NO_TAG || (!all && t->tag[entry] >> 48 != asid))
            continue;
        gone += (uint32_t)__builtin_popcount(t->valid[entry]);
        vacate(t, entry);
    }
    return gone;
}

uint32_t mp_subentry_invalidate_asid(void *state, uint16_t asid)
{
    return invalidate_where(state, false, asid);
}

uint32_t mp_subentry_invalidate_all(void *state)
{
    return invalidate_where(state, true, 0);
}

uint64_t mp_subentry_occupancy(const void *state, uint16_t asid)
{
    const struct mp_subentry *t = state;
    uint64_t valid = 0;
    for (uint32_t entry = 0; entry < t->g.sets * t->g.ways; entry++)
        if (t->tag[entry] != NO_TAG && t->tag[entry] >> 48 == asid)
            valid += (uint32_t)__builtin_popcount(t->valid[entry]);
    return valid;
}

uint32_t mp_subentry_ways(const void *state, uint32_t set)
{
    const struct mp_subentry *t = state;
    return set < t->g.sets ? t->g.ways : 0;
}

void mp_subentry_each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context)
{
    const struct mp_subentry *t = state;
    for (uint32_t way = 0; way < t->g.ways; way++) {
        size_t entry = (size_t)set * t->g.ways + way;
        struct mp_tlb_entry e = {
            .way = way, .asid = (uint16_t)(t->tag[entry] >> 48), .tag = base_of(t->tag[entry])};
        for (uint32_t valid = t->valid[entry]; valid; valid &= valid - 1) {
            e.slot = (uint32_t)__builtin_ctz(valid);
            e.vpn = e.tag << t->shift | e.slot;
            struct mp_tlb_hit hit = mp_tlb_found(t->frame[entry * t->g.sub_entries + e.slot], 0);
            e.to = (struct mp_translation){hit.pfn, hit.span};
            show(context, &e);
        }
    }
}

uint32_t mp_subentry_rank(const void *state, uint32_t set, uint32_t way)
{
    const struct mp_subentry *t = state;
    return mp_lru_rank(order_of(t, set), t->g.ways, way);
}

const struct mp_tlb_policy mp_tlb_subentry = {
    .design = {.name = "subentry", .title = "set-associative with sub-entries and LRU, the baseline"},
    .misses_repeat = true,
    .bytes = mp_subentry_bytes,
    .init = mp_subentry_init,
    .lookup = mp_subentry_lookup,
    .peek = mp_subentry_peek,
    .insert = mp_subentry_insert,
    .invalidate_page = mp_subentry_invalidate_page,
    .invalidate_asid = mp_subentry_invalidate_asid,
    .invalidate_all = mp_subentry_invalidate_all,
    .occupancy = mp_subentry_occupancy,
    .ways = mp_subentry_ways,
    .each_entry = mp_subentry_each_entry,
    .rank = mp_subentry_rank,
};
