/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STAR's rules written a second time, for comparison: an entry is a list of bases, each a map from the 4-bit
 * index to a frame. Slots are not stored: whether two indices share one is computed when it matters.
 */
#ifndef MP_TB_STAR_REFERENCE_H
#define MP_TB_STAR_REFERENCE_H

#include "state.h"
#include "tlb/policy/star.h"

struct ref_base {
    bool present;
    uint16_t asid;
    uint64_t base;
    bool has[16];
    uint64_t pfn[16];
};

struct ref_entry {
    uint32_t mode;           /* bases that fit: 1, 2 or 4 */
    bool stride;             /* layout while mode is not 1 */
    struct ref_base base[4]; /* by position */
    uint64_t used;           /* time of the last use */
};

struct reference {
    struct mp_tlb_geometry g;
    const char *policy; /* its name */
    uint64_t time;
    struct ref_entry *entry; /* set * ways + way */
};

struct mp_tlb_hit ref_lookup(struct reference *r, uint16_t asid, uint64_t vpn);
struct inserted ref_insert(struct reference *r, uint16_t asid, uint64_t vpn, uint64_t pfn);

enum ref_what { REF_PAGE, REF_ASID, REF_ALL };
uint32_t ref_invalidate(struct reference *r, enum ref_what what, uint16_t asid, uint64_t vpn);
uint64_t ref_occupancy(const struct reference *r, uint16_t asid);

/* Returns the view that mp_star_view should return. */
struct mp_star_way ref_view(const struct reference *r, uint32_t set, uint32_t way);

#endif
