/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of a TLB's array. */
#include "tlb/tlb.h"

uint64_t mp_tlb_held(const struct mp_tlb *t, uint8_t tenant)
{
    uint64_t held = 0;
    for (uint32_t asids = t->asids; asids; asids &= asids - 1) {
        uint16_t asid = (uint16_t)__builtin_ctz(asids);
        if (t->tenant_of[asid] == tenant)
            held += t->policy->occupancy(t->state, asid);
    }
    return held;
}
