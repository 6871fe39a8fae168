/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of MESC's TLB: each kind of request by what it finds, and each length of a run. */
#ifndef MP_TB_MESC_TLB_COVER_H
#define MP_TB_MESC_TLB_COVER_H

#include "rtl/mesc_tlb_rtl.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mesc_point {
    /* without subregion entries, too */
    MESC_SEES_NONE,
    MESC_SEES_PAGE,
    MESC_PAGE_AGAIN,
    MESC_PAGE_MOVED,
    MESC_PAGE_VACANT,
    MESC_PAGE_EVICTS_PAGE,
    MESC_PAGE_GOES,
    MESC_NOTHING_GOES,
    MESC_ASID_GOES,
    MESC_ALL_GO,
    /* with them */
    MESC_SUBREGION_POINTS,
    MESC_SEES_FIRST_PAGE = MESC_SUBREGION_POINTS,
    MESC_SEES_LAST_PAGE,
    MESC_SEES_PAGE_BEFORE,
    MESC_SEES_PAGE_AFTER,
    MESC_SEES_BOTH_TYPES,
    MESC_SEES_TWO_NEWEST,
    MESC_SEES_TWO_LOWEST,
    MESC_PAGE_IN_PARTITION,
    MESC_PAGE_EVICTS_RUN,
    MESC_RUN_AGAIN,
    MESC_RUN_COVERED,
    MESC_RUN_COVERED_TWICE,
    MESC_RUN_GROWS,
    MESC_RUN_JOINS,
    MESC_RUN_MOVED,
    MESC_RUN_OVERLAPS,
    MESC_RUN_VACANT,
    MESC_RUN_EVICTS_RUN,
    MESC_RUN_EVICTS_PAGE,
    MESC_RUN_GOES,
    MESC_RUNS_GO,
    MESC_BOTH_GO,
    MESC_FRAME_BELOW_0,
    MESC_POINTS
};

struct mesc_tlb_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    bool subregions;
    struct mp_rtl_point taken[MESC_POINTS];
    struct mp_rtl_point run[MESC_SUBREGIONS]; /* new entries of this many subregions, less one */
};

/* Counts a request that both answered alike. before: the sets of its subregion entry and of its regular one,
 * which may be the same, with `ways` ways. */
void mesc_tlb_cover_request(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                            const struct mesc_tlb_rtl_response *r, const struct mesc_set *subregions,
                            const struct mesc_set *pages, uint32_t ways, uint32_t sub_ways);
/* Reads a point by number, from 0; false after the last. */
bool mesc_tlb_cover_point(const struct mesc_tlb_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                          struct mp_rtl_point *point);

#ifdef __cplusplus
}
#endif
#endif
