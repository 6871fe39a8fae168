/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of MESC's TLB: each kind of request by what it finds, the entries that it misses by
 * one bit, how it lies to subregion entries, and where resets came. */
#ifndef MP_RTL_MESC_TLB_COVER_H
#define MP_RTL_MESC_TLB_COVER_H

#include "rtl/mesc_tlb/lockstep/mesc_tlb_rtl.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mesc_tlb_kind { MESC_OF_LOOKUP, MESC_OF_INSERTION, MESC_OF_INVALIDATION, MESC_KINDS };

/* How the run of an insertion lies to an entry that continues it. */
enum mesc_tlb_side {
    MESC_BEGINS_AFTER, /* right after the entry's last subregion */
    MESC_ENDS_BEFORE,  /* right before its first */
    MESC_SHARES_LAST,  /* begins with the entry's last subregion, and ends after it */
    MESC_SHARES_FIRST,
    MESC_BEGINS_ONE_BEFORE, /* one subregion before the entry, and ends inside */
    MESC_ENDS_ONE_AFTER,
    MESC_SIDES
};

/* What a way is used for. */
enum mesc_tlb_use {
    MESC_WAY_HITS_PAGE,
    MESC_WAY_HITS_RUN,
    MESC_WAY_LOSES_PAGE,
    MESC_WAY_LOSES_RUN,
    MESC_USES
};

#define MESC_FIRST_CARRY  9u /* Up to lower bits, most frames have a carry. */
#define MESC_CARRIES      (MESC_TLB_PFN_W - MESC_FIRST_CARRY)
#define MESC_RESET_CLOCKS 6u /* from the acceptance of a request for a page, at most */

/* Points. Those from MESC_RUN_OF on are the first ones of a row. Sizes do not have all of them. */
enum mesc_point {
    /* without subregion entries, too */
    MESC_SEES_NONE,
    MESC_SEES_PAGE,
    MESC_SEES_ASID_0,
    MESC_SEES_ASID_ONES,
    MESC_SEES_ZEROS,
    MESC_SEES_FRAME_0,
    MESC_SEES_FRAME_ONES,
    MESC_PAGE_AGAIN,
    MESC_PAGE_MOVED,
    MESC_PAGE_PERMISSION,
    MESC_PAGE_VACANT,
    MESC_PAGE_EVICTS_PAGE,
    MESC_PAGE_GOES,
    MESC_NOTHING_GOES,
    MESC_ASID_GOES,
    MESC_ASID_HAS_NONE,
    MESC_ASID_HAS_ONE,
    MESC_ASID_HAS_ALL,
    MESC_ALL_GO,
    MESC_ALL_ARE_FULL,
    /* with them */
    MESC_SUBREGION_POINTS,
    MESC_SEES_FIRST_PAGE = MESC_SUBREGION_POINTS,
    MESC_SEES_LAST_PAGE,
    MESC_SEES_BOTH_TYPES,
    MESC_SEES_TWO_NEWEST,
    MESC_SEES_TWO_LOWEST,
    MESC_SEES_TWO_NEWER_HIGHER,
    MESC_SEES_THREE, /* if the partition has three ways */
    MESC_PAGE_IN_PARTITION,
    MESC_PAGE_EVICTS_RUN,
    MESC_RUN_AGAIN,
    MESC_RUN_COVERED,
    MESC_RUN_COVERED_TWICE,
    MESC_RUN_GROWS,
    MESC_RUN_JOINS,
    MESC_RUN_MOVED,
    MESC_RUN_PERMISSION,
    MESC_RUN_OVERLAPS,
    MESC_RUN_VACANT,
    MESC_RUN_EVICTS_RUN,
    MESC_RUN_EVICTS_PAGE,
    MESC_RUN_GOES,
    MESC_RUNS_GO,
    MESC_THREE_GO, /* if the partition has three ways */
    MESC_BOTH_GO,
    MESC_FRAME_BELOW_0,
    MESC_RUN_OF,                                                         /* this many subregions, less one */
    MESC_OTHER_PAGE = MESC_RUN_OF + MESC_SUBREGIONS,                     /* [kind][type][bit] */
    MESC_OTHER_ASID = MESC_OTHER_PAGE + MESC_KINDS * 2 * MESC_TLB_VPN_W, /* [kind][type][bit] */
    MESC_OTHER_FRAME = MESC_OTHER_ASID + MESC_KINDS * 2 * MESC_TLB_ASID_W, /* [type][bit] */
    MESC_ASID_STAYS = MESC_OTHER_FRAME + 2 * MESC_TLB_PFN_W,               /* [bit] */
    MESC_CARRY = MESC_ASID_STAYS + MESC_TLB_ASID_W,                        /* [hit, insertion][bit] */
    MESC_WAY = MESC_CARRY + 2 * MESC_CARRIES,                              /* [use][way] */
    MESC_NEXT_TO = MESC_WAY + MESC_USES * MESC_TLB_MOST_WAYS,              /* [kind][before, after][border] */
    MESC_RUN_SIDE = MESC_NEXT_TO + MESC_KINDS * 2 * (MESC_SUBREGIONS - 1), /* [side][border] */
    MESC_RESET = MESC_RUN_SIDE + MESC_SIDES * (MESC_SUBREGIONS - 1),       /* [kind][clock] */
    MESC_RESET_SET = MESC_RESET + MESC_KINDS * MESC_RESET_CLOCKS,          /* [set], of a sweep */
    MESC_POINTS = MESC_RESET_SET + MESC_TLB_MOST_SETS
};

struct mesc_tlb_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    uint32_t sets, ways, sub_ways;
    const uint8_t *asid; /* the RTL's number of each address space of the model */
    struct mp_rtl_point point[MESC_POINTS];
    unsigned points;                /* that this size has */
    uint16_t numbered[MESC_POINTS]; /* the enum mesc_point of each, by its number */
};

/* Call when the members above `point` are set. */
void mesc_tlb_cover_begin(struct mesc_tlb_cover *c);
/* Counts a request that both answered alike. subregions, pages: the sets of its subregion entry and of its
 * regular one before it, which may be the same; of a sweep, the first of all sets. */
void mesc_tlb_cover_request(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                            const struct mesc_tlb_rtl_response *r, const struct mesc_set *subregions,
                            const struct mesc_set *pages);
/* Counts a reset in this clock of a request. */
void mesc_tlb_cover_reset(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q, uint32_t clocks);
/* Reads a point by number, from 0; false after the last. */
bool mesc_tlb_cover_point(const struct mesc_tlb_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                          struct mp_rtl_point *point);

#ifdef __cplusplus
}
#endif
#endif
