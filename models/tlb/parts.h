/* SPDX-License-Identifier: Apache-2.0 */
/* What tlb.c and the prefetch buffer have in common. */
#ifndef MP_TLB_PARTS_H
#define MP_TLB_PARTS_H

#include "tlb/tlb.h"

/* Of a miss, in the MSHRs. */
static inline uint64_t mp_tlb_key(uint16_t asid, uint64_t vpn)
{
    return (uint64_t)asid << 48 | vpn;
}

/* The link on which a request to the next level leaves. */
static inline struct mp_out *mp_tlb_link(const struct mp_tlb *t, const struct mp_req *down)
{
    return &t->next[t->next_of[down->tenant]];
}

/* Stores a translation in the array for a request that is answered with it. */
void mp_tlb_store(struct mp_tlb *t, const struct mp_req *req, struct mp_translation to);
/* Answers the requests that wait for a miss with the result in `with`. The miss goes on. */
void mp_tlb_answer_waiting(struct mp_tlb *t, struct mp_mshr *m, const struct mp_req *with);
/* Serves held requests as far as there is room, or their translations have come. */
void mp_tlb_serve_held(struct mp_tlb *t);

#endif
