/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of MESC's scan: what frames it met, by what cause alone a page does not continue the one before
 * it, and where resets came. */
#ifndef MP_RTL_MESC_SCAN_COVER_H
#define MP_RTL_MESC_SCAN_COVER_H

#include "rtl/mesc_scan/lockstep/mesc_scan_table.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Near misses: how the entry of a page differs from the one that would continue the page before it. The first
 * 64 are bits. */
enum scan_miss { SCAN_FRAME_AFTER = 64, SCAN_FRAME_AGAIN, SCAN_CLEARED, SCAN_MISSES };

/* The entry with this near miss. */
uint64_t scan_near(uint64_t wanted, enum scan_miss miss);

#define SCAN_BORDERS     (MP_SUBREGIONS - 1)
#define SCAN_FIRST_CARRY 18u /* Up to lower bits, each subregion that is not aligned has a carry. */

/* What a border of two subregions is broken by. */
enum scan_cause {
    SCAN_BY_PERMISSION,
    SCAN_BY_FLAG,
    SCAN_BY_LOW_ADDRESS,
    SCAN_BY_HIGH_ADDRESS,
    SCAN_BY_UPPER_BIT,
    SCAN_BY_FRAME_AFTER,
    SCAN_BY_FRAME_AGAIN,
    SCAN_CAUSES
};

/* Numbers of points; those from SCAN_ALONE on are the first ones of a row. */
enum mesc_scan_point {
    SCAN_NO_TABLE,
    SCAN_NO_TABLE_WITH_BITS,
    SCAN_NO_SUBREGION,
    SCAN_SOME_SUBREGIONS,
    SCAN_ALL_BUT_NOT_FRAME,
    SCAN_FRAME,
    SCAN_BITS_STAY,
    SCAN_FRAME_BIT_GOES_ALONE_OF_ALL,
    SCAN_HEAD_UNMAPPED,
    SCAN_FRAME_0,
    SCAN_JOINS_BROKEN,
    SCAN_OVERFLOWS,
    SCAN_WRAPS,
    SCAN_ENTRY_AT_0,
    SCAN_ENTRY_AT_LAST,
    SCAN_TABLE_AT_0,
    SCAN_TABLE_AT_LAST,
    SCAN_ENTRY_IS_LEAF,
    SCAN_CHANGES_BEFORE,
    SCAN_CHANGES_AFTER,
    SCAN_RESET_AT_ENTRY,
    SCAN_RESET_READING_ENTRY,
    SCAN_RESET_AT_LEAF,
    SCAN_RESET_READING_LEAF,
    SCAN_RESET_AT_WRITE,
    SCAN_RESET_AT_END,
    SCAN_RESET_AFTER_WRITE,
    SCAN_ALONE,                                                         /* of each subregion */
    SCAN_COMES = SCAN_ALONE + MP_SUBREGIONS,                            /* of each bit, AC last */
    SCAN_GOES = SCAN_COMES + MP_SUBREGIONS + 1,                         /* of each bit, AC last */
    SCAN_ALL_BUT = SCAN_GOES + MP_SUBREGIONS + 1,                       /* of each subregion */
    SCAN_LAST_PAGE = SCAN_ALL_BUT + MP_SUBREGIONS,                      /* of each border */
    SCAN_BORDER_BIT = SCAN_LAST_PAGE + SCAN_BORDERS,                    /* of each bit but valid */
    SCAN_BORDER_CAUSE = SCAN_BORDER_BIT + 63,                           /* of each cause, at each border */
    SCAN_BORDER_CARRY = SCAN_BORDER_CAUSE + SCAN_CAUSES * SCAN_BORDERS, /* up to each bit */
    SCAN_PAGE_MISS = SCAN_BORDER_CARRY + 64 - SCAN_FIRST_CARRY,         /* of each near miss */
    SCAN_PAGE_AT = SCAN_PAGE_MISS + SCAN_MISSES,                        /* of each page but the first */
    SCAN_PAGE_CARRY = SCAN_PAGE_AT + MP_SUBREGION_PAGES - 1,            /* up to each bit */
    SCAN_RESET_PAGE_BIT = SCAN_PAGE_CARRY + 64 - SCAN_FIRST_CARRY, /* of the page's number in the frame */
    SCAN_POINTS = SCAN_RESET_PAGE_BIT + 9
};

struct mesc_scan_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    struct mp_rtl_point point[SCAN_POINTS];
};

/* begin, end: the table before and after the scan, end with its accesses; result: of the scan. */
void mesc_scan_cover_scan(struct mesc_scan_cover *c, const struct scan_table *begin,
                          const struct scan_table *end, const struct scan_result *result, bool heads_first);
/* A reset after these accesses, while the block waited for this. */
void mesc_scan_cover_reset(struct mesc_scan_cover *c, const struct scan_table *got,
                           enum mesc_scan_waits waits, bool heads_first);
bool mesc_scan_cover_point(const struct mesc_scan_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                           struct mp_rtl_point *point);

#ifdef __cplusplus
}
#endif
#endif
