/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prefetch buffer of a TLB: it fetches the pages that a prefetcher names, and keeps their translations
 * apart from the array until a request needs them. So a page that was prefetched in vain evicts nothing from
 * the array. The buffer beside the array, looked up with it, and the move of an entry that is used into the
 * array are those of Kandiraju and Sivasubramaniam (ISCA 2002), as far as they are remembered here.
 *
 * - A miss is looked up in the buffer, in no additional time. An entry that it finds leaves the buffer for
 * the array, and the request is a hit.
 * - Then the prefetcher is asked. A page that it names is sent to the next level as a hint (MP_HINT) when the
 *   look-up of the request is over, if neither array nor buffer has it and nothing fetches it. As many hints
 * may be on their way as the buffer has entries; more are not sent.
 * - The answer to a hint comes into the buffer. If it is full, the entry that came first leaves.
 * - A request never waits for a hint. If a request for the page is being fetched when its hint is answered,
 * the requests that wait get this answer at once, and the TLB stores what the request's own answer brings. If
 * the array has the page by then, the answer is of no use.
 * - What is invalidated leaves the buffer, and hints for it on their way store nothing.
 *
 * Where pages have several sizes, a prefetcher sees and names pages of the smallest one, the granule, and the
 * buffer keeps what comes as a page of its size, which is hit by any address in it.
 *
 * Other TLBs of the level do not see the buffer, and it does not count as held by the array.
 */
#ifndef MP_TLB_PREFETCH_BUFFER_H
#define MP_TLB_PREFETCH_BUFFER_H

#include "engine/block.h"
#include "tlb/policy.h"
#include "tlb/prefetch/prefetcher.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_tlb;
struct mp_tlb_params;
struct mp_mshr;
struct mp_prefetch;

#define MP_PREFETCH_ENTRIES 256u /* of a buffer, at most */
/* Bits of a virtual address. Pages above are not prefetched. */
#define MP_PREFETCH_VA_BITS 48u

/* Of the hints that were sent, each is in one of dropped, faults, stale, late, useful, useless, or it is on
 * its way or in the buffer; those that left the buffer by an invalidation are in `stale`. */
struct mp_prefetch_stats {
    uint64_t named, known, outside, no_room, issued;
    uint64_t dropped, faults, stale, late, useful, useless;
};

extern const struct mp_metric_table mp_prefetch_metrics;

struct mp_prefetch_params {
    const struct mp_prefetcher *design; /* NULL, or without `miss`: nothing is prefetched */
    struct mp_design_values own;        /* of its parameters */
    uint32_t entries;                   /* of the buffer, 1 to MP_PREFETCH_ENTRIES */
};

static inline bool mp_prefetch_needed(const struct mp_prefetch_params *p)
{
    return p->design && p->design->miss;
}

/* p: those of the TLB. Returns NULL if memory runs out. */
struct mp_prefetch *mp_prefetch_new(struct mp_tlb *t, const struct mp_tlb_params *p);
void mp_prefetch_delete(struct mp_prefetch *p); /* p may be NULL */

/* A request has missed in the array, in `missed.cycles`. Returns the hit if the buffer has its page, which is
 * then in the array, or `missed`. */
struct mp_tlb_hit mp_prefetch_look_up(struct mp_prefetch *p, const struct mp_req *req,
                                      struct mp_tlb_hit missed);
/* After that, for a request that was looked up for the first time, and whose page no MSHR fetched: asks the
 * prefetcher and sends the hints. */
void mp_prefetch_ask(struct mp_prefetch *p, const struct mp_req *req, struct mp_tlb_hit found);
/* The translation of the page that has this address, if the buffer has it. Changes nothing. */
struct mp_tlb_hit mp_prefetch_peek(const struct mp_prefetch *p, uint16_t asid, uint64_t va);
/* A hint of this buffer is answered; m: its owner. */
void mp_prefetch_response(struct mp_prefetch *p, struct mp_mshr *m, struct mp_req *hint);
/* Returns the number of translations that have left. */
uint32_t mp_prefetch_invalidate(struct mp_prefetch *p, const struct mp_scope *scope);
struct mp_block_design mp_prefetch_design(struct mp_prefetch *p);
void mp_prefetch_xray(const struct mp_prefetch *p, const struct mp_xray *x);

#ifdef __cplusplus
}
#endif
#endif
