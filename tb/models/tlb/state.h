/* SPDX-License-Identifier: Apache-2.0 */
/* A policy's state for tests of one policy alone. */
#ifndef MP_TB_TLB_STATE_H
#define MP_TB_TLB_STATE_H

#include "../engine/fakes.h"

#include "tlb/policy.h"

/* free() it. It takes exactly the bytes that the policy asked for, so that sanitizers see one too many. */
static inline void *new_state(const struct mp_tlb_policy *policy, const struct mp_tlb_geometry *g)
{
    size_t bytes = policy->bytes(g);
    void *state = NULL;
    assert_int_equal(posix_memalign(&state, 64, bytes), 0);
    memset(state, 0, bytes);
    policy->init(state, g);
    return state;
}

/* Whether a page is there, and under which frame. */
static inline bool is_there(const struct mp_tlb_policy *policy, void *state, uint16_t asid, uint64_t vpn,
                            uint64_t pfn)
{
    struct mp_tlb_hit hit = {0};
    bool found = policy->lookup(state, asid, vpn, &hit);
    if (found)
        assert_int_equal(hit.pfn, pfn);
    return found;
}

#endif
