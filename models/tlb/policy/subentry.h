/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline's array (subentry.c), for policies that use it with another geometry or as a part. The
 * functions are those of struct mp_tlb_policy. */
#ifndef MP_TLB_SUBENTRY_H
#define MP_TLB_SUBENTRY_H

#include "tlb/policy.h"

/* Flat arrays, indexed by set * ways + way. Tags are in a separate array, so that the comparison of a set
 * reads one or two cache lines. A lookup reads the first cache line of the structure only. */
struct mp_subentry {
    uint64_t *tag;
    uint8_t *order;  /* recency of each set's ways */
    uint16_t *valid; /* a bit per sub-entry */
    uint64_t *frame; /* mp_tlb_word(), sub_entries per way */
    /* 16 B for each set: of each way a byte that follows from its tag, 0 if it is vacant. NULL if a set has
     * more than 16 ways. */
    uint8_t *sign;
    uint32_t shift; /* log2 of sub_entries */
    uint32_t order_bytes;
    struct mp_tlb_geometry g;
};

size_t mp_subentry_bytes(const struct mp_tlb_geometry *g);
void mp_subentry_init(void *state, const struct mp_tlb_geometry *g);
struct mp_tlb_hit mp_subentry_lookup(void *state, uint16_t asid, uint64_t vpn);
struct mp_tlb_hit mp_subentry_peek(const void *state, uint16_t asid, uint64_t vpn);
struct mp_tlb_insertion mp_subentry_insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                           struct mp_tlb_left *left);
uint32_t mp_subentry_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left);
uint32_t mp_subentry_invalidate_asid(void *state, uint16_t asid);
uint32_t mp_subentry_invalidate_all(void *state);
uint64_t mp_subentry_occupancy(const void *state, uint16_t asid);
uint32_t mp_subentry_ways(const void *state, uint32_t set);
void mp_subentry_each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context);
uint32_t mp_subentry_rank(const void *state, uint32_t set, uint32_t way);

/* The way whose tag matches, even if the page's sub-entry is not valid; -1 if none. */
int mp_subentry_way(const struct mp_subentry *t, uint16_t asid, uint64_t vpn);

#endif
