/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of an L1 TLB's array: each kind of lookup and change by the place of its page in the
 * order of uses, how the two meet in a clock, what follows a change in the next clock, pages that differ in
 * one bit from one that is there, and each number of valid entries. */
#ifndef MP_RTL_L1_TLB_COVER_H
#define MP_RTL_L1_TLB_COVER_H

#include "rtl/l1_tlb/lockstep/l1_tlb_rtl.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum l1_tlb_point {
    /* lookups */
    L1_TLB_MISS,
    L1_TLB_HIT_NEWEST,
    L1_TLB_HIT_OLDEST,
    L1_TLB_SHOWN,
    /* insertions */
    L1_TLB_INSERT_FREE,
    L1_TLB_INSERT_REPLACES,
    L1_TLB_INSERT_NEWEST,
    L1_TLB_INSERT_OLDEST,
    L1_TLB_INSERT_REMAPS,
    /* a page is invalidated */
    L1_TLB_DROP_NEWEST,
    L1_TLB_DROP_OLDEST,
    L1_TLB_DROP_ONLY,
    L1_TLB_DROP_ABSENT,
    L1_TLB_DROP_ABSENT_FULL,
    /* the array is emptied */
    L1_TLB_EMPTY_ALONE,
    L1_TLB_EMPTY_AGAIN,
    L1_TLB_EMPTY_HIT,
    L1_TLB_EMPTY_INSERT,
    L1_TLB_EMPTY_REPLACE,
    L1_TLB_EMPTY_DROP,
    /* a hit and a change in one clock */
    L1_TLB_HIT_AND_FREE,
    L1_TLB_HIT_AND_REPLACED,
    L1_TLB_HIT_AND_OTHER_REPLACED,
    L1_TLB_HIT_AND_INSERTED,
    L1_TLB_HIT_OLDEST_AND_THERE,
    L1_TLB_HIT_AND_DROPPED,
    L1_TLB_HIT_AND_OTHER_DROPPED,
    L1_TLB_HIT_AND_ABSENT_DROPPED,
    L1_TLB_HIT_OLDEST_AND_ABSENT_DROPPED,
    L1_TLB_MISS_AND_INSERTED,
    /* the page of the change in the clock before */
    L1_TLB_AFTER_INSERT_LOOKUP,
    L1_TLB_AFTER_DROP_LOOKUP,
    L1_TLB_AFTER_REPLACE_LOOKUP,
    L1_TLB_AFTER_DROP_INSERT,
    L1_TLB_AFTER_REPLACE_INSERT,
    L1_TLB_AFTER_INSERT_DROP,
    /* an entry that is neither the most nor the least recent; not with two entries */
    L1_TLB_HIT_BETWEEN,
    L1_TLB_INSERT_BETWEEN,
    L1_TLB_DROP_BETWEEN,
    L1_TLB_POINTS
};

struct l1_tlb_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    uint32_t entries;
    /* the clock before; pages are NO_PAGE if there is none */
    uint64_t inserted, dropped, replaced;
    struct mp_rtl_point taken[L1_TLB_POINTS];
    struct mp_rtl_point lookup_near[L1_TLB_PAGE_W], change_near[L1_TLB_PAGE_W]; /* by the bit that differs */
    struct mp_rtl_point valid[L1_TLB_MOST_ENTRIES + 1]; /* clocks after which this number was valid */
};

void l1_tlb_cover_init(struct l1_tlb_cover *c, uint32_t entries);
/* A reset came. */
void l1_tlb_cover_reset(struct l1_tlb_cover *c);
/* Counts a clock. */
void l1_tlb_cover_clock(struct l1_tlb_cover *c, const struct l1_tlb_rtl_clock *in,
                        const struct l1_tlb_rtl_answer *answer, const struct l1_tlb_state *before,
                        const struct l1_tlb_state *after);
/* Reads a point by number, from 0; false after the last. */
bool l1_tlb_cover_point(const struct l1_tlb_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                        struct mp_rtl_point *point);

/* The number of valid entries. They are the most recent ones. */
static inline uint32_t l1_tlb_count(const struct l1_tlb_state *s, uint32_t entries)
{
    uint32_t n = 0;
    while (n < entries && s->entry[n].valid)
        n++;
    return n;
}

#ifdef __cplusplus
}
#endif
#endif
