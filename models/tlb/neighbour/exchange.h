/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between an L1 TLB and its peers, in time: probes for its misses, and news of its array. Both are
 * requests on ordinary links, which peers answer in the call. The exchange takes part in the TLB's work by
 * its hooks, and neighbour.h decides.
 *
 * With L the latency of a look-up and h the hop: a miss leaves after its look-up, a peer's look-up begins at
 * L + h after the request's arrival, and its answer is back at L + h + L + h. In a ring, the probe goes on to
 * the next TLB at L + h + L, and an answer goes on round the ring.
 */
#ifndef MP_TLB_NEIGHBOUR_EXCHANGE_H
#define MP_TLB_NEIGHBOUR_EXCHANGE_H

#include "engine/block.h"
#include "tlb/neighbour/neighbour.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_tlb;
struct mp_tlb_params;
struct mp_exchange;

struct mp_exchange_params {
    const struct mp_neighbour_policy *policy; /* NULL: nothing is exchanged */
    struct mp_design_values values;           /* of the policy's parameters */
    bool sharing; /* each request is counted by the TLBs that have its page; links lead to all of the ring */
    uint32_t place, ring;             /* place in the ring, and its size */
    uint32_t sm;                      /* first SM of the TLB */
    uint32_t peer_sm[MP_BLOCK_PEERS]; /* and of its first peers */
};

bool mp_exchange_needed(const struct mp_exchange_params *p);
void mp_exchange_place(struct mp_exchange_params *p, const struct mp_block_place *place);
/* The TLBs that links lead to: the policy's peers, and with p->sharing all others of the ring. As
 * mp_block_kind.peers. */
uint32_t mp_exchange_peers(const struct mp_exchange_params *p, uint32_t place, uint32_t ring, uint32_t *list);

/* Hooks the TLB. p: the TLB's. Returns NULL if memory runs out. */
struct mp_exchange *mp_exchange_new(struct mp_tlb *t, const struct mp_tlb_params *p);
void mp_exchange_delete(struct mp_exchange *x); /* x may be NULL */
void mp_exchange_join(struct mp_exchange *x, uint32_t peer, struct mp_target to);
struct mp_block_design mp_exchange_design(struct mp_exchange *x);
const struct mp_directory *mp_exchange_directory(const struct mp_exchange *x); /* NULL: the policy has none */
struct mp_neighbour *mp_exchange_neighbour(struct mp_exchange *x);             /* what decides in it */

#ifdef __cplusplus
}
#endif
#endif
