/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of MESC's scan: what frames it met. */
#ifndef MP_TB_MESC_SCAN_COVER_H
#define MP_TB_MESC_SCAN_COVER_H

#include "rtl/mesc_scan_table.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mesc_scan_point {
    SCAN_NO_TABLE,
    SCAN_NO_SUBREGION,
    SCAN_SOME_SUBREGIONS,
    SCAN_ALL_BUT_NOT_FRAME,
    SCAN_FRAME,
    SCAN_BITS_STAY,
    SCAN_BITS_COME,
    SCAN_BITS_GO,
    SCAN_ONLY_FRAME_BIT,
    SCAN_HEAD_UNMAPPED,
    SCAN_ENDS_AT_SECOND,
    SCAN_ENDS_AT_LAST,
    SCAN_JOINS_BROKEN,
    SCAN_OTHER_PERMISSION,
    SCAN_OTHER_FRAME,
    SCAN_UNMAPPED_PAGE,
    SCAN_OVERFLOWS,
    SCAN_CHANGES_MEANWHILE,
    SCAN_RESET_AT_TABLE,
    SCAN_RESET_AT_LEAF,
    SCAN_RESET_AFTER_WRITE,
    SCAN_POINTS
};

struct mesc_scan_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    struct mp_rtl_point taken[SCAN_POINTS];
    struct mp_rtl_point subregion[MP_SUBREGIONS]; /* alone contiguous */
};

/* begin: before the scan; result: of it. */
void mesc_scan_cover_scan(struct mesc_scan_cover *c, const struct scan_table *begin,
                          const struct scan_result *result, bool heads_first);
/* A reset after these accesses. */
void mesc_scan_cover_reset(struct mesc_scan_cover *c, const struct scan_table *got);
bool mesc_scan_cover_point(const struct mesc_scan_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                           struct mp_rtl_point *point);

#ifdef __cplusplus
}
#endif
#endif
