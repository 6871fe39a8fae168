/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of a list of free entries: what a clock takes and gives back, and each entry. */
#ifndef MP_TB_TOY_COVER_H
#define MP_TB_TOY_COVER_H

#include "rtl/toy/lockstep/toy_rtl.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum toy_point {
    TOY_TAKE_FIRST,
    TOY_TAKE_LAST,
    TOY_TAKE_FULL,
    TOY_GIVE_ONLY,
    TOY_GIVE_FREE,
    TOY_BOTH,
    TOY_BOTH_FULL,
    TOY_BOTH_SAME,
    TOY_NEITHER,
    TOY_RESET_FULL,
    TOY_POINTS
};

struct toy_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    uint32_t entries;
    struct mp_rtl_point met[TOY_POINTS];
    struct mp_rtl_point taken[TOY_MOST_ENTRIES], given[TOY_MOST_ENTRIES]; /* by the entry */
    struct mp_rtl_point used[TOY_MOST_ENTRIES + 1];                       /* by the number before a clock */
};

/* Counts a clock, which ends with a reset or not. */
void toy_cover_clock(struct toy_cover *c, const struct toy_rtl_clock *in, const struct toy_rtl_answer *answer,
                     const struct toy_state *before, bool reset);
/* Reads a point by number, from 0; false after the last. */
bool toy_cover_point(const struct toy_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                     struct mp_rtl_point *point);

#ifdef __cplusplus
}
#endif
#endif
