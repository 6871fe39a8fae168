/* SPDX-License-Identifier: Apache-2.0 */
/* MESC's unified TLB as `mempath cosim mesc-tlb` compares it: modes and stimuli. */
#ifndef MP_RTL_MESC_TLB_COSIM_H
#define MP_RTL_MESC_TLB_COSIM_H

#include "cli/cosim/cosim.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cosim_block cosim_mesc_tlb;

enum cosim_mesc_tlb_mode { COSIM_MESC_TLB, COSIM_MESC_TLB_PAGE, COSIM_MESC_TLB_SMALL, COSIM_MESC_TLB_ODD };

/* Widths of the RTL that was Verilated, and address spaces of the model. */
#define COSIM_MESC_TLB_ASIDS      8u
#define COSIM_MESC_TLB_VPN_BITS   36u
#define COSIM_MESC_TLB_PFN_BITS   36u
#define COSIM_MESC_TLB_SUBREGION  64u /* pages */
#define COSIM_MESC_TLB_SUBREGIONS 8u  /* of a frame of 2 MB */

/* Of a translation: the subregions FIRST to LAST of the page's frame that one entry can hold. Returns false
 * if it is an entry of the page alone. */
static inline bool cosim_mesc_tlb_run(uint64_t vpn, struct mp_translation to, uint8_t *first, uint8_t *last)
{
    const uint64_t unit = to.span.unit, pages = COSIM_MESC_TLB_SUBREGIONS * COSIM_MESC_TLB_SUBREGION;
    const uint64_t frame = vpn / pages * pages;
    uint64_t begin = ((vpn >> unit) - to.span.before) << unit;
    uint64_t end = ((vpn >> unit) + to.span.after + 1) << unit;
    if (1u << unit < COSIM_MESC_TLB_SUBREGION)
        return false;
    begin = begin > frame ? begin : frame;
    end = end < frame + pages ? end : frame + pages;
    *first = (uint8_t)((begin - frame) / COSIM_MESC_TLB_SUBREGION);
    *last = (uint8_t)((end - 1 - frame) / COSIM_MESC_TLB_SUBREGION);
    return true;
}

struct cosim_mesc_tlb_stimulus {
    char op; /* 'L', 'I', 'S', 'V', 'A' or 'F' */
    uint16_t asid;
    uint64_t vpn, pfn; /* pfn: of the page */
    bool read_only;
    uint8_t first, last; /* subregions; the page's is one of them */
};

#ifdef __cplusplus
}
#endif
#endif
