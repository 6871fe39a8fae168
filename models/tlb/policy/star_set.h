/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The array of STAR's policies (star.c, star4.c): sets of ways whose 16 sub-entries are shared by several
 * bases. It knows where a translation is stored and how an entry changes from one layout to another; the
 * policies decide when that happens.
 *
 * Set = base mod sets and tag = (asid, base), where base = vpn / 16; the sub-entry index is vpn mod 16. In
 * every layout, base b stores index i in
 *     slot = (i & keep) | b << shift
 * and the index bits outside `keep` are the AIB. A base without a valid sub-entry is removed; an entry with
 * one base is not shared and has it at position 0. Pages are stored one by one: spans are dropped.
 */
#ifndef MP_TLB_STAR_SET_H
#define MP_TLB_STAR_SET_H

#include <string.h>

#include "engine/lru.h"
#include "tlb/policy.h"
#include "tlb/policy/star.h"

#define MP_STAR_NO_TAG UINT64_MAX

extern const struct mp_design_param mp_star_params[]; /* of STAR's policies */

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
    char *sets;     /* a block per set: tags, one row per base position; recency; valid; layout */
    uint64_t *word; /* 16 per way of a row */
};

/* Pointers to the parts of a set. Ways beyond the geometry's never match and are never written. */
struct mp_star_set {
    uint64_t *tag;   /* position << row_shift | way */
    void *order;     /* recency */
    uint16_t *valid; /* per way: a bit per slot */
    uint8_t *layout; /* per way */
    uint64_t *word;  /* way * 16 + slot: index << 60 | mp_tlb_word() */
};

/* The translation that is inserted. */
struct mp_star_new {
    uint64_t tag, word;
    uint32_t index;
};

/* The place of a tag. */
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
    return mp_star_set(t, mp_tlb_set(&t->g, vpn / MP_STAR_SUB_ENTRIES));
}

/* A base has at most 48 bits, so that an asid fits above it. */
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

/* Four tags are compared at a time, with the compiler's vectors, which every machine has. */
typedef uint64_t mp_star_four __attribute__((vector_size(32)));

static inline uint64_t mp_star_any(const mp_star_four *v)
{
    return (*v)[0] | (*v)[1] | (*v)[2] | (*v)[3];
}

/* Compares all tags of a set without a branch: a tag is stored once at most, so its position is the OR of all
 * that match. `bases` is that of the state, passed as a constant so that the loop unrolls. */
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

/* A lookup that changes nothing. Bases of an entry are compared one after another, ways at once (Sec. V-B).
 */
static inline struct mp_tlb_hit mp_star_seek(const struct mp_star *t, const struct mp_star_set *s,
                                             uint32_t bases, uint16_t asid, uint64_t vpn,
                                             struct mp_star_at *at)
{
    uint32_t index = (uint32_t)vpn % MP_STAR_SUB_ENTRIES;
    uint32_t base_latency = (uint32_t)t->g.own.v[MP_STAR_BASE_LATENCY];
    if (!mp_star_find(t, s, bases, mp_star_tag(asid, vpn), at))
        return (struct mp_tlb_hit){.cycles = t->g.latency + base_latency * mp_star_highest(t, s, bases)};
    uint32_t cycles = t->g.latency + base_latency * at->base;
    uint32_t slot = mp_star_slot(t, s->layout[at->way], at->base, index);
    uint64_t word = s->word[at->way * MP_STAR_SUB_ENTRIES + slot];
    if (!(s->valid[at->way] >> slot & 1) || mp_star_index_of(word) != index)
        return (struct mp_tlb_hit){.cycles = cycles};
    return mp_tlb_found(word, cycles);
}

static inline struct mp_tlb_hit mp_star_lookup(struct mp_star *t, uint32_t bases, uint16_t asid, uint64_t vpn)
{
    struct mp_star_set s = mp_star_set_of(t, vpn);
    struct mp_star_at at;
    struct mp_tlb_hit hit = mp_star_seek(t, &s, bases, asid, vpn, &at);
    if (hit.found)
        mp_lru_touch(s.order, t->g.ways, at.way);
    return hit;
}

static inline struct mp_star_new mp_star_new(uint16_t asid, uint64_t vpn, struct mp_translation to)
{
    uint32_t index = (uint32_t)vpn % MP_STAR_SUB_ENTRIES;
    return (struct mp_star_new){mp_star_tag(asid, vpn), (uint64_t)index << 60 | mp_tlb_word(to), index};
}

/* bases: 2 or 4; stride: 1, 2 or 4. */
size_t mp_star_bytes(const struct mp_tlb_geometry *g, uint32_t bases);
void mp_star_init(void *state, const struct mp_tlb_geometry *g, uint32_t bases, uint32_t stride);

/* All slots of the base are valid, and none holds the index. */
bool mp_star_full(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at, uint32_t index);

/* The result of an insertion, and the list of the pages that leave, or NULL. */
struct mp_star_done {
    struct mp_tlb_insertion insertion;
    struct mp_tlb_left *left;
};

/* Writes into the base's slot for the index. true: it held another index of the base, which is lost. */
bool mp_star_put(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at,
                 const struct mp_star_new *n, struct mp_star_done *done);

/* Gives an entry another layout and only the bases keep[0..n-1], in this order, as its bases 0..n-1. Their
 * translations are placed again, indices ascending. Those that find their slot taken are lost, and so are the
 * other bases. */
void mp_star_reform(const struct mp_star *t, const struct mp_star_set *s, uint32_t way, uint32_t layout,
                    const uint32_t *keep, uint32_t n, struct mp_tlb_left *left);

/* Chooses the entry to share among those of the set for which may() holds: same address space first, then
 * fewest valid sub-entries, then lowest way (Sec. V-B). Returns false if there is none. */
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
                         struct mp_star_done *done);
/* A new entry in the way of the least recently used one. */
void mp_star_evict(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                   struct mp_star_done *done);

/* As in struct mp_tlb_policy. */
uint32_t mp_star_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left);
uint32_t mp_star_invalidate_asid(void *state, uint16_t asid);
uint32_t mp_star_invalidate_all(void *state);
uint64_t mp_star_occupancy(const void *state, uint16_t asid);
uint32_t mp_star_ways(const void *state, uint32_t set);
void mp_star_each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context);
uint32_t mp_star_rank(const void *state, uint32_t set, uint32_t way);

/* The members that all of STAR's policies share. */
#define MP_STAR_POLICY                                                                                       \
    .least_sub_entries = MP_STAR_SUB_ENTRIES, .invalidate_page = mp_star_invalidate_page,                    \
    .invalidate_asid = mp_star_invalidate_asid, .invalidate_all = mp_star_invalidate_all,                    \
    .occupancy = mp_star_occupancy, .ways = mp_star_ways, .each_entry = mp_star_each_entry,                  \
    .rank = mp_star_rank

/* Two bases (star.c): a base joins an entry that is not shared and uses less than half of its sub-entries.
 * forced: the layout, or MP_STAR_NOT_SHARED to choose it by the entry's pattern. Returns false if there is
 * no such entry. */
bool mp_star_share(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                   enum mp_star_layout forced, struct mp_star_done *done);

/* One base of two has outgrown its slots: it gets the whole entry. */
void mp_star_revert(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at,
                    const struct mp_star_new *n, struct mp_star_done *done);

#endif
