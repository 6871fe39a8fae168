/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of a STAR TLB, one way at a time, in the terms of the paper's Figures 7 and 8, for comparison
 * with hardware. Arrays whose entries are not shared (subentry.c) look like STAR's entries that are not
 * shared.
 */
#ifndef MP_TLB_STAR_H
#define MP_TLB_STAR_H

#include <stdbool.h>
#include <stdint.h>

#include "tlb/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_STAR_SUB_ENTRIES 16u
#define MP_STAR_BASES       4u

/* The paper's layout code: its two layout bits (Sec. V-A) and, above them, the bit that distinguishes four
 * bases from two (Sec. VI-B). */
enum mp_star_layout {
    MP_STAR_NOT_SHARED = 0,
    MP_STAR_SEQUENTIAL = 1,
    MP_STAR_STRIDE = 2,
    MP_STAR_FOUR = 4, /* with one of the two above */
    MP_STAR_LAYOUTS = 7
};

/* Positions of the parameters of STAR's policies among mp_tlb_geometry.own. */
enum { MP_STAR_BASE_LATENCY, MP_STAR_STRIDE_LENGTH, MP_STAR_LONE };

/* Values of MP_STAR_LONE: the layout of an entry with a single sub-entry. */
enum { MP_STAR_LONE_STRIDE, MP_STAR_LONE_SEQUENTIAL };

/* The stride of a policy's stride layout; 1 for policies that have none. */
static inline uint32_t mp_star_stride(const struct mp_tlb_policy *policy, const struct mp_tlb_geometry *g)
{
    int i = mp_design_param_find(&policy->design, "stride", 6);
    return i < 0 ? 1 : (uint32_t)g->own.v[i];
}

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
        uint8_t aib;  /* index bits that do not follow from the slot: none if not shared, 1 of two bases, 2 of
                         four */
        uint64_t pfn; /* this and aib: 0 when not valid */
    } sub[MP_STAR_SUB_ENTRIES]; /* by slot */
};

/* The index bits that select the slot of a layout, as a mask; stride: 1, 2 or 4. */
uint32_t mp_star_keep(uint32_t layout, uint32_t stride);

/* Adds a frame that each_entry shows to the picture of its way. */
void mp_star_draw(struct mp_star_way *way, const struct mp_tlb_entry *entry, uint32_t stride);

/* Reads a way of an array whose entries have up to 16 sub-entries. Only star4 uses positions 2 and 3 of
 * base[].
 */
struct mp_star_way mp_star_view(const struct mp_tlb_policy *policy, const void *state, uint32_t set,
                                uint32_t way, uint32_t stride);

#ifdef __cplusplus
}
#endif
#endif
