/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set-associative array whose entries map ranges of pages: base, length, first frame, permission. A policy
 * describes the kinds of entries that it has in a table; the rest is the same for all of them.
 *
 * Of a translation's span an entry keeps the part in its aligned group of pages, whose number selects the
 * set. A lookup compares the kinds in the order of the table. An insertion first removes entries of the same
 * type in the set that the new one covers. Then it takes the lowest vacant way that its kind may use, else
 * the least recently used of these ways. An old entry that covers the new one is kept and becomes the most
 * recent one.
 */
#ifndef MP_TLB_RANGE_H
#define MP_TLB_RANGE_H

#include "tlb/policy.h"

struct mp_range_kind {
    uint8_t unit;  /* log2 of pages: translations whose span has at least this unit make such entries */
    uint8_t group; /* log2 of pages of the aligned group that an entry does not leave */
    uint8_t type;  /* 0, or 1: only in the partition. Entries of different types do not remove each other */
    uint8_t later; /* cycles by which a lookup of this kind, and of the kinds below, ends later */
};

#define MP_RANGE_KINDS     2u
#define MP_RANGE_MOST_WAYS 128u

/* Counters of an address space; policies show them as counters of the tenant with its number. */
struct mp_range_stats {
    uint64_t pages_written, blocks_written; /* entries, of kinds with unit 0 and of the others */
    uint64_t block_hits; /* requests that entries of the latter answered; policies that look them up first */
};

extern const struct mp_metric_table mp_range_metrics;

/* Of an entry: base holds the asid, the kind's position in the table and the first page, and limit the number
 * of pages, both biased so that one signed comparison tests a page: key - base < limit. */
struct mp_range {
    struct mp_tlb_geometry g;
    const struct mp_range_kind *kind;
    uint32_t kinds, misses; /* cycles of a miss */
    uint32_t first_way[2];  /* of the ways of each type */
    uint32_t order_bytes;
    struct mp_range_stats stats[MP_ASIDS];
    uint64_t *base;
    int64_t *limit;
    uint64_t *word; /* the first page's frame and its permission */
    uint8_t *order; /* recency, by set */
};

size_t mp_range_bytes(const struct mp_tlb_geometry *g);
/* kinds: of the table, which must live as long as the state; the last has unit 0. partition: the last ways of
 * a set, in which entries of type 1 may be. */
void mp_range_init(void *state, const struct mp_tlb_geometry *g, const struct mp_range_kind *kind,
                   uint32_t kinds, uint32_t partition);
struct mp_tlb_hit mp_range_lookup(void *state, uint16_t asid, uint64_t vpn);
struct mp_tlb_hit mp_range_peek(const void *state, uint16_t asid, uint64_t vpn);
struct mp_tlb_insertion mp_range_insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                        struct mp_tlb_left *left);
uint32_t mp_range_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left);
uint32_t mp_range_invalidate_asid(void *state, uint16_t asid);
uint32_t mp_range_invalidate_all(void *state);
uint64_t mp_range_occupancy(const void *state, uint16_t asid);
uint32_t mp_range_ways(const void *state, uint32_t set);
/* Shows each entry once: its first page, with a span over the others; layout is the position of its kind. */
void mp_range_each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context);
void *mp_range_counters(void *state);
void mp_range_answered(void *state, uint16_t asid, struct mp_span span);
uint32_t mp_range_rank(const void *state, uint32_t set, uint32_t way);

/* The members that all policies of this array share. */
#define MP_RANGE_POLICY                                                                                      \
    .most_ways = MP_RANGE_MOST_WAYS, .counters = mp_range_counters, .bytes = mp_range_bytes,                 \
    .lookup = mp_range_lookup, .peek = mp_range_peek, .insert = mp_range_insert,                             \
    .invalidate_page = mp_range_invalidate_page, .invalidate_asid = mp_range_invalidate_asid,                \
    .invalidate_all = mp_range_invalidate_all, .occupancy = mp_range_occupancy, .ways = mp_range_ways,       \
    .each_entry = mp_range_each_entry, .rank = mp_range_rank

#endif
