/* SPDX-License-Identifier: Apache-2.0 */
/* an L1 TLB as `mempath cosim l1-tlb` compares it: modes and stimuli. */
#ifndef MP_RTL_L1_TLB_COSIM_H
#define MP_RTL_L1_TLB_COSIM_H

#include "cli/cosim/cosim.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cosim_block cosim_l1_tlb;

enum cosim_l1_tlb_mode { COSIM_L1_TLB_32, COSIM_L1_TLB_8, COSIM_L1_TLB_5, COSIM_L1_TLB_2 };

/* Widths of the RTL that was Verilated. */
#define COSIM_L1_TLB_ASID_BITS 8u
#define COSIM_L1_TLB_VPN_BITS  36u
#define COSIM_L1_TLB_PFN_BITS  36u

/* A stimulus: the inputs of a clock. A page is asid << COSIM_L1_TLB_VPN_BITS | vpn. */
struct cosim_l1_tlb_clock {
    uint64_t lookup;    /* a page */
    uint64_t page, pfn; /* of the change */
    bool use;           /* the page is looked up */
    bool insert, drop;  /* the change; at most one */
    bool empty;
};

#ifdef __cplusplus
}
#endif
#endif
