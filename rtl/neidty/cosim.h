/* SPDX-License-Identifier: Apache-2.0 */
/* NeiDty's directory as `mempath cosim neidty` compares it: modes and stimuli. */
#ifndef MP_RTL_NEIDTY_COSIM_H
#define MP_RTL_NEIDTY_COSIM_H

#include "cli/cosim/cosim.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cosim_block cosim_neidty;

enum cosim_neidty_mode { COSIM_NEIDTY_32_18, COSIM_NEIDTY_8_8, COSIM_NEIDTY_128_12, COSIM_NEIDTY_3_5 };

/* Widths of the RTL that was Verilated. */
#define COSIM_NEIDTY_ASID_BITS 8u
#define COSIM_NEIDTY_VPN_BITS  36u

/* A page is asid << COSIM_NEIDTY_VPN_BITS | vpn, with these flags. */
#define COSIM_NEIDTY_VALID (UINT64_C(1) << 63)
#define COSIM_NEIDTY_LOCAL (UINT64_C(1) << 62) /* of a neighbour's inserted page: the TLB itself holds it */

/* The TLB whose array changes, in the order in which the changes of a clock take effect. */
enum cosim_neidty_side { COSIM_NEIDTY_OWN, COSIM_NEIDTY_LEFT, COSIM_NEIDTY_RIGHT, COSIM_NEIDTY_SIDES };

/* A stimulus: the inputs of a clock. */
struct cosim_neidty_clock {
    uint64_t lookup;
    uint64_t evicted[COSIM_NEIDTY_SIDES], inserted[COSIM_NEIDTY_SIDES];
    bool empty; /* an address space, or everything, is invalidated */
    bool drop;  /* left's evicted page is invalidated, and nothing else changes */
};

#ifdef __cplusplus
}
#endif
#endif
