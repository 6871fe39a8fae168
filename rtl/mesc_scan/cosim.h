/* SPDX-License-Identifier: Apache-2.0 */
/* MESC's scan as `mempath cosim mesc-scan` compares it: modes and stimuli. */
#ifndef MP_RTL_MESC_SCAN_COSIM_H
#define MP_RTL_MESC_SCAN_COSIM_H

#include "cli/cosim/cosim.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cosim_block cosim_mesc_scan;

enum cosim_mesc_scan_mode { COSIM_MESC_SCAN, COSIM_MESC_SCAN_HEAD };

/* Widths of the RTL that was Verilated. */
#define COSIM_MESC_SCAN_PAGES    512u /* of a frame */
#define COSIM_MESC_SCAN_PFN_BITS 36u
#define COSIM_MESC_SCAN_AT_BITS  48u
#define COSIM_MESC_SCAN_AT       0x3000u /* where the entry of the table is if nothing says it */

struct cosim_mesc_scan_stimulus {
    char op; /* 'P', 'U', 'E', 'T' or 'S' */
    uint16_t page, pages;
    uint64_t value; /* frame, or entry */
    uint64_t at;    /* of the entry of the table */
    bool read_only;
};

#ifdef __cplusplus
}
#endif
#endif
