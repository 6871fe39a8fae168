/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of a NeiDty directory: each kind of change by side and by what it finds, what an
 * allocation replaces, how the two messages of a clock meet, and each number of valid entries. */
#ifndef MP_TB_NEIDTY_COVER_H
#define MP_TB_NEIDTY_COVER_H

#include "rtl/neidty_rtl.h"
#include "rtl_run.h"
#include "tlb/neighbour/neighbour.h"

#ifdef __cplusplus
extern "C" {
#endif

enum neidty_point {
    /* lookups, by the bits left and right */
    NEIDTY_ASK_NOBODY,
    NEIDTY_ASK_RIGHT,
    NEIDTY_ASK_LEFT,
    NEIDTY_ASK_LEFT_OF_BOTH,
    /* own changes */
    NEIDTY_OWN_EVICTED_UNKNOWN,
    NEIDTY_OWN_EVICTED,
    NEIDTY_OWN_INSERTED_UNKNOWN,
    NEIDTY_OWN_INSERTED,
    /* messages, one for each side */
    NEIDTY_EVICTED_UNKNOWN,
    NEIDTY_EVICTED_NOT_ITS = NEIDTY_EVICTED_UNKNOWN + 2,
    NEIDTY_EVICTED_SHARED = NEIDTY_EVICTED_NOT_ITS + 2,
    NEIDTY_EVICTED_FREES = NEIDTY_EVICTED_SHARED + 2,
    NEIDTY_INSERTED_SHARED = NEIDTY_EVICTED_FREES + 2,
    NEIDTY_INSERTED_AGAIN = NEIDTY_INSERTED_SHARED + 2,
    NEIDTY_INSERTED_UNKNOWN = NEIDTY_INSERTED_AGAIN + 2,
    NEIDTY_BOTH_OF_A_TAG = NEIDTY_INSERTED_UNKNOWN + 2,
    /* a clock's allocations, by victims */
    NEIDTY_ALLOCATES_FREE = NEIDTY_BOTH_OF_A_TAG + 2,
    NEIDTY_ALLOCATES_LOCAL,
    NEIDTY_ALLOCATES_OLDEST,
    NEIDTY_ALLOCATES_FREE_TWICE,
    NEIDTY_ALLOCATES_FREE_AND_LOCAL,
    NEIDTY_ALLOCATES_FREE_AND_OLDEST,
    NEIDTY_ALLOCATES_LOCAL_TWICE,
    NEIDTY_ALLOCATES_LOCAL_AND_OLDEST,
    NEIDTY_ALLOCATES_OLDEST_TWICE,
    /* two messages in a clock */
    NEIDTY_SAME_TAG_ALLOCATED,
    NEIDTY_NEW_ENTRY_EVICTED,
    NEIDTY_EVICTED_IN_BETWEEN,
    NEIDTY_TWO_FREED,
    NEIDTY_FREED_AND_ALLOCATED,
    NEIDTY_TWO_LEAVE,
    NEIDTY_NEITHER_AT_THE_TOP,
    /* invalidation */
    NEIDTY_EMPTIED,
    NEIDTY_DROPPED,
    NEIDTY_DROPPED_UNKNOWN,
    NEIDTY_POINTS
};

struct neidty_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    uint32_t entries;
    struct mp_rtl_point taken[NEIDTY_POINTS];
    struct mp_rtl_point
        valid[NEIDTY_RTL_MOST_ENTRIES + 1]; /* clocks after which this number of entries was valid */
};

void neidty_cover_init(struct neidty_cover *c, uint32_t entries);
/* Counts a clock. before: the entries before it; allocated: in this clock, by what was replaced. */
void neidty_cover_clock(struct neidty_cover *c, const struct neidty_rtl_clock *in,
                        const struct mp_directory *before, const struct mp_directory *after,
                        const uint64_t allocated[MP_VICTIMS]);
/* Reads a point by number, from 0; false after the last. */
bool neidty_cover_point(const struct neidty_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                        struct mp_rtl_point *point);

/* The tag of a page with its flags. */
static inline uint64_t neidty_tag_of(uint32_t tag_bits, uint64_t page)
{
    return mp_directory_tag(tag_bits, (uint16_t)((page & NEIDTY_RTL_PAGE) >> NEIDTY_RTL_VPN_W),
                            page & ((UINT64_C(1) << NEIDTY_RTL_VPN_W) - 1));
}

#ifdef __cplusplus
}
#endif
#endif
