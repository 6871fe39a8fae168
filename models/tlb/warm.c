/* SPDX-License-Identifier: Apache-2.0 */
/* Functional warming of a TLB: a look-up, and on a miss the next level and a fill, in one call. */
#include "tlb/tlb.h"

static void keep(struct mp_tlb *t, const struct mp_req *req, uint64_t vpn)
{
    const struct mp_tlb_policy *p = t->policy;
    struct mp_translation to = {req->pa >> t->page_shift, req->span};
    bool into_array = !p->may_fill || p->may_fill(t->state, req->asid, req->sm, req->warp);
    t->tenant_of[req->asid] = req->tenant;
    t->asids |= (uint8_t)(1u << req->asid);
    (into_array ? p->insert : p->bypass)(t->state, req->asid, vpn, to, NULL);
}

void mp_tlb_warm(void *tlb, struct mp_req *req)
{
    struct mp_tlb *t = tlb;
    uint64_t vpn = req->va >> t->page_shift;
    struct mp_tlb_hit hit = t->policy->lookup(t->state, req->asid, vpn);
    if (t->policy->asked)
        t->policy->asked(t->state, req->asid, req->sm, req->warp, hit.found);
    if (hit.found) {
        req->pa = hit.pfn << t->page_shift | (req->va & ((1ull << t->page_shift) - 1));
        req->fault = MP_FAULT_NONE;
        req->span = hit.span;
        return;
    }
    const struct mp_target *next = &t->next[t->next_of[req->tenant]].target;
    next->warm(next->self, req);
    if (!req->fault)
        keep(t, req, vpn);
}
