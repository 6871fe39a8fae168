/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/policy/range.h"

#include <string.h>

#include "engine/lru.h"

#define BIAS       (1ull << 63)
#define VACANT     INT64_MIN
#define KIND_SHIFT 45u /* above 57-bit addresses of 4 KB pages, below a page number's size (tlb/sizes.h) */
#define VPN_MASK   (((1ull << 48) - 1) & ~(1ull << KIND_SHIFT))

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_range_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(pages_written, "entries", "written for a page or a run of pages"),
    COUNTER(blocks_written, "entries", "written for subregions or a large page"),
    COUNTER(block_hits, "requests", "answered by entries of subregions, where they are looked up first"),
};

const struct mp_metric_table mp_range_metrics = {"tlb.range", sizeof(struct mp_range_stats),
                                                 sizeof metrics / sizeof *metrics, metrics};

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

size_t mp_range_bytes(const struct mp_tlb_geometry *g)
{
    size_t entries = (size_t)g->sets * g->ways;
    return round_up(sizeof(struct mp_range)) + 3 * round_up(entries * sizeof(uint64_t)) +
           round_up((size_t)g->sets * mp_lru_bytes(g->ways));
}

void mp_range_init(void *state, const struct mp_tlb_geometry *g, const struct mp_range_kind *kind,
                   uint32_t kinds, uint32_t partition)
{
    struct mp_range *t = state;
    size_t entries = (size_t)g->sets * g->ways, column = round_up(entries * sizeof(uint64_t));
    char *at = (char *)state + round_up(sizeof *t);
    *t = (struct mp_range){.g = *g, .kind = kind, .kinds = kinds, .misses = g->latency};
    t->first_way[1] = g->ways - partition;
    t->base = (uint64_t *)at;
    t->limit = (int64_t *)(at + column);
    t->word = (uint64_t *)(at + 2 * column);
    t->order = (uint8_t *)(at + 3 * column);
    t->order_bytes = mp_lru_bytes(g->ways);
    for (uint32_t k = 0; k < kinds; k++)
        t->misses += kind[k].later;
    for (size_t e = 0; e < entries; e++)
        t->limit[e] = VACANT;
    for (uint32_t set = 0; set < g->sets; set++)
        mp_lru_init(t->order + (size_t)set * t->order_bytes, g->ways);
}

static uint64_t key_of(uint16_t asid, uint32_t kind, uint64_t vpn)
{
    return (uint64_t)asid << 48 | (uint64_t)kind << KIND_SHIFT | vpn;
}

static uint32_t set_of(const struct mp_range *t, uint32_t kind, uint64_t vpn)
{
    return mp_tlb_set(&t->g, vpn >> t->kind[kind].group);
}

static void *order_of(const struct mp_range *t, size_t entry)
{
    return t->order + entry / t->g.ways * t->order_bytes;
}

static uint32_t way_of(const struct mp_range *t, size_t entry)
{
    return (uint32_t)(entry % t->g.ways);
}

static bool maps(const struct mp_range *t, size_t entry, uint64_t key)
{
    return (int64_t)(key - t->base[entry]) < t->limit[entry];
}

static uint32_t pages_of(const struct mp_range *t, size_t entry)
{
    return (uint32_t)((uint64_t)t->limit[entry] ^ BIAS);
}

static uint64_t first_of(const struct mp_range *t, size_t entry)
{
    return t->base[entry] & VPN_MASK;
}

static uint16_t asid_of(const struct mp_range *t, size_t entry)
{
    return (uint16_t)((t->base[entry] ^ BIAS) >> 48);
}

static uint32_t kind_of(const struct mp_range *t, size_t entry)
{
    return (uint32_t)(t->base[entry] >> KIND_SHIFT) % MP_RANGE_KINDS;
}

#define NO_ENTRY SIZE_MAX

/* The entry of this kind that maps the page. The most recent way of the set is tried first, since most hits
 * are there. The others are compared without branches, up to 64 at a time. */
static inline size_t find_kind(const struct mp_range *t, uint32_t kind, uint16_t asid, uint64_t vpn)
{
    uint64_t key = key_of(asid, kind, vpn);
    size_t first = (size_t)set_of(t, kind, vpn) * t->g.ways;
    size_t recent = first + mp_lru_newest(order_of(t, first), t->g.ways);
    if (maps(t, recent, key))
        return recent;
    for (uint32_t at = t->first_way[t->kind[kind].type]; at < t->g.ways; at += 64) {
        uint32_t count = t->g.ways - at < 64 ? t->g.ways - at : 64;
        uint64_t found = 0;
        for (uint32_t w = 0; w < count; w++)
            found |= (uint64_t)maps(t, first + at + w, key) << w;
        if (found)
            return first + at + (unsigned)__builtin_ctzll(found);
    }
    return NO_ENTRY;
}

/* The part of an entry on both sides of a page, in units of the entry's kind. */
static struct mp_span span_around(const struct mp_range *t, size_t entry, uint64_t vpn)
{
    unsigned unit = t->kind[kind_of(t, entry)].unit;
    uint64_t before = (vpn >> unit) - (first_of(t, entry) >> unit);
    uint64_t units = pages_of(t, entry) >> unit;
    return (struct mp_span){.unit = unit & 15, .before = before & 31, .after = (units - 1 - before) & 31};
}

static struct mp_tlb_hit hit_in(const struct mp_range *t, size_t entry, uint64_t vpn, uint32_t cycles)
{
    struct mp_tlb_hit hit = mp_tlb_found(t->word[entry] + (vpn - first_of(t, entry)), cycles);
    struct mp_span span = span_around(t, entry, vpn);
    span.read_only = hit.span.read_only;
    hit.span = span;
    return hit;
}

static inline struct mp_tlb_hit find(const struct mp_range *t, uint16_t asid, uint64_t vpn, size_t *entry)
{
    uint32_t cycles = t->g.latency;
    for (uint32_t k = 0; k < t->kinds; k++) {
        cycles += t->kind[k].later;
        *entry = find_kind(t, k, asid, vpn);
        if (*entry != NO_ENTRY)
            return hit_in(t, *entry, vpn, cycles);
    }
    return (struct mp_tlb_hit){.cycles = cycles};
}

struct mp_tlb_hit mp_range_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    const struct mp_range *t = state;
    size_t entry;
    struct mp_tlb_hit hit = find(t, asid, vpn, &entry);
    if (hit.found)
        mp_lru_touch(order_of(t, entry), t->g.ways, way_of(t, entry));
    return hit;
}

struct mp_tlb_hit mp_range_peek(const void *state, uint16_t asid, uint64_t vpn)
{
    size_t entry;
    return find(state, asid, vpn, &entry);
}

/* --- changes -------------------------------------------------------------------------------------------- */

/* Empties a way. Its place in the order does not matter: vacant ways are taken first. Returns its pages. */
static uint32_t vacate(struct mp_range *t, size_t entry, struct mp_tlb_left *left)
{
    uint32_t pages = pages_of(t, entry);
    unsigned unit = t->kind[kind_of(t, entry)].unit;
    mp_tlb_leave(left, asid_of(t, entry), first_of(t, entry), unit, (1u << (pages >> unit)) - 1);
    t->limit[entry] = VACANT;
    return pages;
}

struct range {
    uint32_t kind;
    uint64_t first, end; /* pages */
    uint64_t word;       /* of the first */
};

/* The pages of a translation that one entry can hold: its span within the group. */
static struct range range_of(const struct mp_range *t, uint64_t vpn, struct mp_translation to)
{
    struct range r = {.kind = 0};
    while (t->kind[r.kind].unit > to.span.unit)
        r.kind++;
    unsigned unit = to.span.unit, group = t->kind[r.kind].group;
    uint64_t first = ((vpn >> unit) - to.span.before) << unit;
    uint64_t end = ((vpn >> unit) + to.span.after + 1) << unit;
    uint64_t group_first = vpn >> group << group, group_end = group_first + (1ull << group);
    r.first = first > group_first ? first : group_first;
    r.end = end < group_end ? end : group_end;
    r.word = mp_tlb_word(to) - (vpn - r.first);
    return r;
}

/* Makes room for a range in its set. An entry that overlaps it and maps one of its pages elsewhere goes, too.
 * Returns an entry that covers the range, or NO_ENTRY. */
static size_t remove_covered(struct mp_range *t, uint16_t asid, const struct range *r, size_t set,
                             struct mp_tlb_left *left)
{
    size_t covers = NO_ENTRY;
    for (size_t e = set + t->first_way[t->kind[r->kind].type]; e < set + t->g.ways; e++) {
        uint64_t first = first_of(t, e), end = first + pages_of(t, e);
        if (t->limit[e] == VACANT || asid_of(t, e) != asid || first >= r->end || end <= r->first ||
            t->kind[kind_of(t, e)].type != t->kind[r->kind].type)
            continue;
        bool same = t->word[e] - first == r->word - r->first;
        if (same && first <= r->first && end >= r->end)
            covers = e;
        else if (!same || (first >= r->first && end <= r->end))
            vacate(t, e, left);
    }
    return covers;
}

/* The lowest vacant way of those from `first` on, else the least recently used of them. */
static uint32_t choose_way(const struct mp_range *t, size_t set, uint32_t first)
{
    const void *order = order_of(t, set);
    uint32_t oldest = first, rank = 0;
    for (uint32_t w = first; w < t->g.ways; w++) {
        if (t->limit[set + w] == VACANT)
            return w;
        uint32_t older = mp_lru_rank(order, t->g.ways, w);
        if (older < rank)
            continue;
        rank = older;
        oldest = w;
    }
    return oldest;
}

struct mp_tlb_insertion mp_range_insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                        struct mp_tlb_left *left)
{
    struct mp_range *t = state;
    const struct range r = range_of(t, vpn, to);
    size_t set = (size_t)set_of(t, r.kind, vpn) * t->g.ways;
    size_t entry = remove_covered(t, asid, &r, set, left);
    struct mp_tlb_insertion done = {.action = "update"};
    if (entry == NO_ENTRY) {
        entry = set + choose_way(t, set, t->first_way[t->kind[r.kind].type]);
        done.entry_evicted = t->limit[entry] != VACANT;
        done.action = done.entry_evicted ? "evict" : "vacant";
        if (done.entry_evicted) {
            done.evicted_asid = asid_of(t, entry);
            done.evicted_used = 1;
            vacate(t, entry, left);
        }
        t->base[entry] = key_of(asid, r.kind, r.first) ^ BIAS;
        t->limit[entry] = (int64_t)((r.end - r.first) ^ BIAS);
        t->word[entry] = r.word;
        *(t->kind[r.kind].unit ? &t->stats[asid].blocks_written : &t->stats[asid].pages_written) += 1;
    }
    done.way = way_of(t, entry);
    mp_lru_touch(order_of(t, entry), t->g.ways, done.way);
    return done;
}

uint32_t mp_range_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    struct mp_range *t = state;
    uint32_t gone = 0;
    for (uint32_t k = 0; k < t->kinds; k++)
        for (size_t e; (e = find_kind(t, k, asid, vpn)) != NO_ENTRY;)
            gone += vacate(t, e, left);
    return gone;
}

static uint32_t invalidate_where(struct mp_range *t, bool all, uint16_t asid)
{
    uint32_t gone = 0;
    for (size_t e = 0; e < (size_t)t->g.sets * t->g.ways; e++)
        if (t->limit[e] != VACANT && (all || asid_of(t, e) == asid))
            gone += vacate(t, e, NULL);
    return gone;
}

uint32_t mp_range_invalidate_asid(void *state, uint16_t asid)
{
    return invalidate_where(state, false, asid);
}

uint32_t mp_range_invalidate_all(void *state)
{
    return invalidate_where(state, true, 0);
}

/* --- the array as it is --------------------------------------------------------------------------------- */

uint64_t mp_range_occupancy(const void *state, uint16_t asid)
{
    const struct mp_range *t = state;
    uint64_t pages = 0;
    for (size_t e = 0; e < (size_t)t->g.sets * t->g.ways; e++)
        if (t->limit[e] != VACANT && asid_of(t, e) == asid)
            pages += pages_of(t, e);
    return pages;
}

uint32_t mp_range_ways(const void *state, uint32_t set)
{
    const struct mp_range *t = state;
    return set < t->g.sets ? t->g.ways : 0;
}

void mp_range_each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context)
{
    const struct mp_range *t = state;
    for (uint32_t way = 0; way < t->g.ways; way++) {
        size_t e = (size_t)set * t->g.ways + way;
        if (t->limit[e] == VACANT)
            continue;
        struct mp_tlb_hit hit = hit_in(t, e, first_of(t, e), 0);
        const struct mp_tlb_entry entry = {.way = way,
                                           .layout = (uint8_t)kind_of(t, e),
                                           .asid = asid_of(t, e),
                                           .tag = first_of(t, e) >> t->kind[kind_of(t, e)].unit,
                                           .vpn = first_of(t, e),
                                           .to = {hit.pfn, hit.span}};
        show(context, &entry);
    }
}

void *mp_range_counters(void *state)
{
    struct mp_range *t = state;
    return t->stats;
}

void mp_range_answered(void *state, uint16_t asid, struct mp_span span)
{
    struct mp_range *t = state;
    t->stats[asid].block_hits += span.unit != 0;
}

uint32_t mp_range_rank(const void *state, uint32_t set, uint32_t way)
{
    const struct mp_range *t = state;
    return mp_lru_rank(t->order + (size_t)set * t->order_bytes, t->g.ways, way);
}
