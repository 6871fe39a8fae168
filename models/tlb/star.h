/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in a STAR TLB, one way at a time, in the terms of the paper's Figures 7 and 8: for those who
 * compare it with hardware. Whatever the policies keep for speed is not seen here.
 */
#ifndef MP_TLB_STAR_H
#define MP_TLB_STAR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_STAR_SUB_ENTRIES 16u
#define MP_STAR_BASES       4u

/* The paper's layout code: its two layout bits (Sec. V-A) and, above them, the bit that tells four bases from
 * two (Sec. VI-B). */
enum mp_star_layout {
    MP_STAR_NOT_SHARED = 0,
    MP_STAR_SEQUENTIAL = 1,
    MP_STAR_STRIDE = 2,
    MP_STAR_FOUR = 4, /* with one of the two above */
    MP_STAR_LAYOUTS = 7
};

/* A way is vacant when no base is valid. The dirty bits of a hardware entry are not modelled: nothing is
 * written through a TLB. */
struct mp_star_way {
    uint8_t layout; /* enum mp_star_layout */
    struct {
        bool valid;
        uint16_t asid; /* this and base: 0 when not valid */
        uint64_t base; /* vpn >> 4 */
    } base[MP_STAR_BASES];
    struct {
        bool valid;
        uint8_t aib; /* index bits that the slot does not tell: 0 not shared, 1 bit of two bases, 2 of four */
        uint64_t pfn;           /* this and aib: 0 when not valid */
    } sub[MP_STAR_SUB_ENTRIES]; /* by slot */
};

/* Reads a way of a state of one of STAR's policies. Positions 2 and 3 of base[] are used by star4 alone. */
struct mp_star_way mp_star_view(const void *state, uint32_t set, uint32_t way);

#ifdef __cplusplus
}
#endif
#endif
