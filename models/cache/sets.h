/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that the files of a cache share: its sets, the place of a line, and the order of recency of a
 * set's ways; ports and links. */
#ifndef MP_CACHE_SETS_H
#define MP_CACHE_SETS_H

#include "cache/cache.h"
#include "engine/match.h"

#define ALWAYS static inline __attribute__((always_inline))

/* What the sets of a cache look like. Functions take it as an argument, so that they are compiled for
 * frequent shapes with constants. */
struct shape {
    uint32_t ways, line_shift;
    bool write_back;
    bool one_bank; /* for certain */
};

ALWAYS struct shape shape_of(const struct mp_cache *c)
{
    return (struct shape){c->p.ways, c->p.line_shift, c->p.write_back, false};
}

/* Words of a set before those of its dirty bits, and in all: a set lies in one line of the host's cache if it
 * fits. */
ALWAYS uint32_t dirty_at(struct shape s)
{
    return (s.ways + 1) & ~1u;
}

ALWAYS uint32_t set_words(struct shape s)
{
    uint32_t used = dirty_at(s) + (s.write_back ? 2 : 0);
    return used <= 2 ? 2 : used <= 4 ? 4 : used <= 8 ? 8 : (used + 15) & ~15u;
}

struct place { /* fits two registers */
    uint32_t bank, tag;
    uint32_t *set;
};

ALWAYS struct place place_at(const struct mp_cache *c, struct shape s, uint32_t line, struct mp_map_place at)
{
    return (struct place){at.bank, line + 1, c->set + (size_t)at.set * set_words(s)};
}

ALWAYS struct place place_of(const struct mp_cache *c, struct shape s, uint64_t pa)
{
    uint32_t line = (uint32_t)(pa >> s.line_shift);
    return place_at(c, s, line, mp_map_place(&c->p.map, line, c->p.banks, c->p.sets));
}

/* A way is a place in the order of recency: 0 is the most recent. An empty one has tag 0. */
#define NO_WAY UINT32_MAX

ALWAYS uint32_t find_way(struct shape s, struct place at)
{
    if (at.set[0] == at.tag)
        return 0;
    if (s.ways == 2) /* an SM's, most of the look-ups */
        return at.set[1] == at.tag ? 1 : NO_WAY;
    uint64_t found = mp_match32(at.set, s.ways, at.tag);
    return found ? (uint32_t)__builtin_ctzll(found) : NO_WAY;
}

ALWAYS uint64_t *dirty_of(struct shape s, uint32_t *set)
{
    return (uint64_t *)(set + dirty_at(s));
}

/* Makes a way the most recent one. */
ALWAYS void touch(struct shape s, uint32_t *set, uint32_t way)
{
    mp_to_front32(set, s.ways, way);
    if (!s.write_back)
        return;
    uint32_t bit = way % 64; /* there are 64 ways at most */
    uint64_t *dirty = dirty_of(s, set), upto = ~0ull >> (63 - bit);
    *dirty = (*dirty & ~upto) | (*dirty << 1 & upto) | (*dirty >> bit & 1);
}

/* A bank's port takes one request in a cycle: cycles until it takes the next one, which is this. */
static inline uint32_t mp_cache_port_wait(const struct mp_cache *c, struct mp_cache_bank *bank)
{
    uint64_t now = c->wheel->now, at = bank->free_at > now ? bank->free_at : now;
    bank->free_at = at + 1;
    return (uint32_t)(at - now);
}

/* The same in a cache that has another clock. A request that is taken within a cycle goes on with the next
 * one. */
static inline uint32_t mp_cache_port_wait_clocked(const struct mp_cache *c, struct mp_cache_bank *bank)
{
    uint64_t now = c->wheel->now << 16, at = bank->free_at > now ? bank->free_at : now;
    bank->free_at = at + c->p.period;
    return (uint32_t)((at - now + 0xffff) >> 16);
}

/* The link to the level below; cache.c has a faster one for the usual map. */
static inline struct mp_out *mp_cache_link(struct mp_cache *c, uint64_t pa)
{
    return &c->below[mp_map_channel(&c->p.below, pa, c->p.links)];
}

/* Empties a way of a write-through cache, as if it had never been used. */
ALWAYS void drop(struct shape s, uint32_t *set, uint32_t way)
{
    for (; way + 1 < s.ways; way++)
        set[way] = set[way + 1];
    set[way] = 0;
}

#endif
