/* SPDX-License-Identifier: Apache-2.0 */
/* Functional warming of a TLB: a look-up, and on a miss its peers, the next level and a fill, in one call. */
#include "tlb/tlb.h"

static void keep(struct mp_tlb *t, const struct mp_req *req, uint64_t vpn)
{
    const struct mp_tlb_policy *p = t->policy;
    const struct mp_tlb_hooks *hooks = t->hooks;
    struct mp_translation to = {req->pa >> t->page_shift, req->span};
    struct mp_tlb_left left;
    left.count = left.pages = 0;
    if (hooks && hooks->changes)
        hooks->changes(hooks->self);
    bool into_array = !p->may_fill || p->may_fill(t->state, req->asid, req->sm, req->warp);
    t->tenant_of[req->asid] = req->tenant;
    t->asids |= (uint8_t)(1u << req->asid);
    (into_array ? p->insert : p->bypass)(t->state, req->asid, vpn, to, &left);
    if (hooks && hooks->filled)
        hooks->filled(hooks->self, req->asid, vpn, to, &left);
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
    bool stored = true;
    if (!t->exchange || !mp_exchange_warm(t->exchange, req, &stored)) {
        const struct mp_target *next = &t->next[t->next_of[req->tenant]].target;
        next->warm(next->self, req);
    }
    if (!req->fault && stored)
        keep(t, req, vpn);
}
