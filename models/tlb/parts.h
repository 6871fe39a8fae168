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

/* Stores the result of a request in the array. Changes the size of its page and its span to what is kept. */
void mp_tlb_store(struct mp_tlb *t, struct mp_req *answer);
/* Answers the requests that wait for a miss with the result in `with`. The miss goes on. */
void mp_tlb_answer_waiting(struct mp_tlb *t, struct mp_mshr *m, const struct mp_req *with);
/* Log2 of the bytes of the smallest page which, as the answer to this request, the scope would concern. 0: it
 * concerns none. */
uint32_t mp_tlb_stale_from(const struct mp_tlb *t, const struct mp_req *down, const struct mp_scope *s);
/* Serves held requests as far as there is room, or their translations have come. */
void mp_tlb_serve_held(struct mp_tlb *t);

#endif
