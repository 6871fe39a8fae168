/* SPDX-License-Identifier: Apache-2.0 */
/* STAR's TLB as `mempath cosim star` compares it: modes and stimuli. */
#ifndef MP_RTL_STAR_COSIM_H
#define MP_RTL_STAR_COSIM_H

#include "cli/cosim/cosim.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cosim_block cosim_star, cosim_star_set;

enum cosim_star_mode {
    COSIM_SUBENTRY,
    COSIM_STAR,
    COSIM_STAR_SEQUENTIAL,
    COSIM_STAR_STRIDE,
    COSIM_STAR4,
    COSIM_STAR_LONE, /* these two with lone=sequential */
    COSIM_STAR4_LONE
};

/* Widths of the RTL that was Verilated. A stimulus is a struct replay_tlb_stimulus within them. */
#define COSIM_STAR_ASID_BITS    8u
#define COSIM_STAR_VPN_BITS     33u
#define COSIM_STAR_SET_VPN_BITS 26u

#ifdef __cplusplus
}
#endif
#endif
