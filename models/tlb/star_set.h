/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The array under STAR's policies (star.c, star4.c): sets of ways whose 16 sub-entries several bases share.
 * It knows where translations stand and how an entry changes from one layout to another; when that happens is
 * for the policies to decide.
 *
 * Set = base mod sets and tag = (asid, base), where base = vpn / 16; the sub-entry index is vpn mod 16. In
 * every layout base b keeps index i in
 *     slot = (i & keep) | b << shift
 * and the index bits outside `keep` are the AIB. A base without a valid sub-entry is gone; an entry with one
 * base is not shared and has it at position 0.
 */
#ifndef MP_TLB_STAR_SET_H
#define MP_TLB_STAR_SET_H

#include <string.h>

#include "engine/lru.h"
#include "tlb/policy.h"
#include "tlb/star.h"

#define MP_STAR_NO_TAG UINT64_MAX

struct mp_star_place {
    uint16_t slots; /* of base 0, a bit each */
    uint8_t keep, shift;
};

struct mp_star {
    struct mp_tlb_geometry g;
    struct mp_star_place place[MP_STAR_LAYOUTS];
    uint32_t bases;     /* that may share an entry */
    uint32_t row_shift; /* log2 of a row: ways rounded up to a power of two, so that nothing is divided */
    uint32_t set_bytes, order_at, valid_at, layout_at;
    char *sets;     /* a block per set: tags, a row per base position; recency; valid; layout */
    uint64_t *word; /* 16 per way of a row */
};

/* A set, spread out. Ways beyond the geometry's never match and are never written. */
struct mp_star_set {
    uint64_t *tag;   /* position << row_shift | way */
    void *order;     /* recency */
    uint16_t *valid; /* per way: a bit per slot */
    uint8_t *layout; /* per way */
    uint64_t *word;  /* way * 16 + slot: index << 60 | pfn */
};

/* The translation that is inserted. */
struct mp_star_new {
    uint64_t tag, word;
    uint32_t index;
};

/* Where a tag stands. */
struct mp_star_at {
    uint32_t way, base; /* base: its position */
};

static inline struct mp_star_set mp_star_set(const struct mp_star *t, uint32_t set)
{
    char *block = t->sets + (size_t)set * t->set_bytes;
    return (struct mp_star_set){.tag = (uint64_t *)block,
                                .order = block + t->order_at,
                                .valid = (uint16_t *)(block + t->valid_at),
                                .layout = (uint8_t *)(block + t->layout_at),
                                .word = t->word + ((size_t)set << t->row_shift) * MP_STAR_SUB_ENTRIES};
}

static inline struct mp_star_set mp_star_set_of(const struct mp_star *t, uint64_t vpn)
{
    return mp_star_set(t, (uint32_t)(vpn / MP_STAR_SUB_ENTRIES & (t->g.sets - 1)));
}

/* Virtual page numbers have at most 52 bits, so a base and an asid fit a word. */
static inline uint64_t mp_star_tag(uint16_t asid, uint64_t vpn)
{
    return (uint64_t)asid << 48 | vpn / MP_STAR_SUB_ENTRIES;
}

static inline uint32_t mp_star_index_of(uint64_t word)
{
    return (uint32_t)(word >> 60);
}

static inline uint64_t *mp_star_tag_at(const struct mp_star *t, const struct mp_star_set *s, uint32_t base,
                                       uint32_t way)
{
    return &s->tag[base << t->row_shift | way];
}

static inline uint32_t mp_star_slot(const struct mp_star *t, uint32_t layout, uint32_t base, uint32_t index)
{
    const struct mp_star_place *p = &t->place[layout];
    return (index & p->keep) | base << p->shift;
}

/* The slots of one base of a way. */
static inline uint32_t mp_star_slots(const struct mp_star *t, uint32_t layout, uint32_t base)
{
    const struct mp_star_place *p = &t->place[layout];
    return (uint32_t)p->slots << (base << p->shift);
}

/* The valid sub-entries of one base of a way. */
static inline uint32_t mp_star_valid(const struct mp_star *t, const struct mp_star_set *s, uint32_t way,
                                     uint32_t base)
{
    return s->valid[way] & mp_star_slots(t, s->layout[way], base);
}

/* Four tags at a time, as the compiler's vectors do it on any machine. */
typedef uint64_t mp_star_four __attribute__((vector_size(32)));

static inline uint64_t mp_star_any(const mp_star_four *v)
{
    return (*v)[0] | (*v)[1] | (*v)[2] | (*v)[3];
}

/* Compares all tags of a set without a branch: a tag stands once, so its position is the OR of all that
 * match. bases is the state's, given apart as a constant so that the loop unrolls. */
static inline bool mp_star_find(const struct mp_star *t, const struct mp_star_set *s, uint32_t bases,
                                uint64_t tag, struct mp_star_at *at)
{
    const mp_star_four wanted = {tag, tag, tag, tag};
    mp_star_four found = {0}, place = {1, 2, 3, 4}, some;
    for (uint32_t i = 0; i < bases << t->row_shift; i += 4, place += 4) {
        memcpy(&some, s->tag + i, sizeof some);
        found |= (mp_star_four)(some == wanted) & place;
    }
    uint32_t position = (uint32_t)mp_star_any(&found);
    at->way = (position - 1) & ((1u << t->row_shift) - 1);
    at->base = (position - 1) >> t->row_shift;
    return position;
}

/* The highest base position in use in the set; 0 for an empty set. */
static inline uint32_t mp_star_highest(const struct mp_star *t, const struct mp_star_set *s, uint32_t bases)
{
    for (uint32_t base = bases - 1; base; base--) {
        const uint64_t *row = s->tag + (base << t->row_shift);
        mp_star_four used = {0}, some;
        for (uint32_t i = 0; i < 1u << t->row_shift; i += 4) {
            memcpy(&some, row + i, sizeof some);
            used |= ~some;
        }
        if (mp_star_any(&used))
            return base;
    }
    return 0;
}

/* Bases of an entry are compared one after another, ways at once (Sec. V-B). */
static inline bool mp_star_lookup(struct mp_star *t, uint32_t bases, uint16_t asid, uint64_t vpn,
                                  struct mp_tlb_hit *hit)
{
    struct mp_star_set s = mp_star_set_of(t, vpn);
    uint32_t index = (uint32_t)vpn % MP_STAR_SUB_ENTRIES;
    struct mp_star_at at;
    if (!mp_star_find(t, &s, bases, mp_star_tag(asid, vpn), &at)) {
        hit->cycles = t->g.latency + t->g.base_latency * mp_star_highest(t, &s, bases);
        return false;
    }
    hit->cycles = t->g.latency + t->g.base_latency * at.base;
    uint32_t slot = mp_star_slot(t, s.layout[at.way], at.base, index);
    uint64_t word = s.word[at.way * MP_STAR_SUB_ENTRIES + slot];
    if (!(s.valid[at.way] >> slot & 1) || mp_star_index_of(word) != index)
        return false;
    mp_lru_touch(s.order, t->g.ways, at.way);
    hit->pfn = word & UINT64_MAX >> 4;
    return true;
}

static inline struct mp_star_new mp_star_new(uint16_t asid, uint64_t vpn, uint64_t pfn)
{
    uint32_t index = (uint32_t)vpn % MP_STAR_SUB_ENTRIES;
    return (struct mp_star_new){mp_star_tag(asid, vpn), (uint64_t)index << 60 | pfn, index};
}

/* bases: 2 or 4; stride: 1, 2 or 4. */
size_t mp_star_bytes(const struct mp_tlb_geometry *g, uint32_t bases);
void mp_star_init(void *state, const struct mp_tlb_geometry *g, uint32_t bases, uint32_t stride);

/* All slots of the base are valid, and none holds the index. */
bool mp_star_full(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at, uint32_t index);

/* Writes into the base's slot for the index. true: another index of the base stood there and is lost. */
bool mp_star_put(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at,
                 const struct mp_star_new *n, struct mp_tlb_insertion *done);

/* Gives an entry another layout and only the bases keep[0..n-1], in this order, as its bases 0..n-1. Their
 * translations are placed anew, indices ascending; what finds its slot taken, and the other bases, are lost.
 */
void mp_star_reform(const struct mp_star *t, const struct mp_star_set *s, uint32_t way, uint32_t layout,
                    const uint32_t *keep, uint32_t n, struct mp_tlb_insertion *done);

/* The entry to share among those of the set that `may` be: those of the same address space first, then the
 * fewest valid sub-entries, then the lowest way (Sec. V-B). false: there is none. */
static inline bool mp_star_candidate(const struct mp_star *t, const struct mp_star_set *s, uint16_t asid,
                                     bool (*may)(const struct mp_star *t, const struct mp_star_set *s,
                                                 uint32_t way),
                                     uint32_t *chosen)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t way = 0; way < t->g.ways; way++) {
        if (!may(t, s, way))
            continue;
        uint32_t foreign = 1;
        for (uint32_t base = 0; base < t->bases; base++) {
            uint64_t tag = *mp_star_tag_at(t, s, base, way);
            if (tag != MP_STAR_NO_TAG && tag >> 48 == asid)
                foreign = 0;
        }
        uint32_t key = foreign << 16 | (uint32_t)__builtin_popcount(s->valid[way]) << 8 | way;
        best = key < best ? key : best;
    }
    *chosen = best & 0xff;
    return best != UINT32_MAX;
}

/* A new entry in the lowest vacant way, if there is one. */
bool mp_star_take_vacant(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                         struct mp_tlb_insertion *done);
/* A new entry in the way of the least recently used one. */
void mp_star_evict(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                   struct mp_tlb_insertion *done);

/* As in struct mp_tlb_policy. */
uint32_t mp_star_invalidate_page(void *state, uint16_t asid, uint64_t vpn);
uint32_t mp_star_invalidate_asid(void *state, uint16_t asid);
uint32_t mp_star_invalidate_all(void *state);
uint64_t mp_star_occupancy(const void *state, uint16_t asid);
uint32_t mp_star_ways(const void *state, uint32_t set);
uint32_t mp_star_rank(const void *state, uint32_t set, uint32_t way);

/* Two bases (star.c): a base joins an entry that is not shared and uses less than half of its sub-entries.
 * forced: the layout, or MP_STAR_NOT_SHARED to take it from the entry's pattern. false: there is none. */
bool mp_star_share(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                   enum mp_star_layout forced, struct mp_tlb_insertion *done);

/* One base of two has outgrown its slots: it has the entry alone. */
void mp_star_revert(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at,
                    const struct mp_star_new *n, struct mp_tlb_insertion *done);

#endif
