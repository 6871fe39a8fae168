/* SPDX-License-Identifier: Apache-2.0 */
/* One set of a STAR TLB in the same form for the C model and for the RTL. */
#ifndef MP_RTL_STAR_STATE_H
#define MP_RTL_STAR_STATE_H

#include <stdio.h>

#include "rtl/star/lockstep/star_rtl.h"
#include "tlb/policy/star.h"

struct star_state {
    struct mp_star_way way[STAR_RTL_WAYS];
    uint8_t dirty[STAR_RTL_WAYS]; /* a bit per base; all are 0, because nothing is written through this TLB */
    uint32_t order;               /* as in mp_lru_order.sv: a bit per pair of ways */
};

void star_state_of_model(struct star_state *s, const struct mp_tlb_policy *policy, const void *model,
                         uint32_t set, uint32_t stride);
void star_state_of_rtl(struct star_state *s, const struct star_rtl *rtl, const void *block, uint32_t set);

/* Decodes a way from the bits of its entry, bit 0 first. */
void star_state_way_of_rtl(struct mp_star_way *view, const struct star_rtl *rtl, const uint32_t *words,
                           uint32_t set);

bool star_state_equal(const struct star_state *a, const struct star_state *b);

/* Prints the fields that differ: their value before (in both), in the model and in the RTL. all: also the
 * others, except those that are 0 in all three; lines of fields that differ begin with '*'. */
void star_state_print(FILE *out, const struct star_state *before, const struct star_state *model,
                      const struct star_state *rtl, bool all);

static inline bool star_way_vacant(const struct mp_star_way *w)
{
    return !(w->base[0].valid | w->base[1].valid | w->base[2].valid | w->base[3].valid);
}

#endif
