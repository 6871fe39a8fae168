/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TLB of any level: ports, the policy's array, MSHRs, and links to what answers its misses. A hit is
 * answered in the call; a miss goes on after the lookup's cycles. A request that finds no MSHR, or no room on
 * one, is held at its port and stops that port only.
 */
#ifndef MP_TLB_TLB_H
#define MP_TLB_TLB_H

#include "engine/block.h"
#include "engine/link.h"
#include "engine/metric.h"
#include "engine/mshr.h"
#include "engine/scope.h"
#include "tlb/policy.h"
#include "tlb/reuse.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_tlb_stats {
    uint64_t lookups, hits, misses, mshr_merges, stalls, fills, bypasses, evictions, translations_lost,
        miss_cycles, held;
    uint64_t sub_entries_at_eviction[MP_MAX_SUB_ENTRIES + 1];
    uint64_t reuse_distance[MP_LOG2_BINS];
};

extern const struct mp_metric_table mp_tlb_metrics;
extern const struct mp_block_kind mp_tlb_kind;

struct mp_tlb_params {
    const struct mp_tlb_policy *policy;
    struct mp_tlb_geometry geometry;
    uint32_t page_shift;
    uint32_t mshrs, merges;
    uint32_t ports; /* initiators above */
    uint32_t tenants;
    uint32_t reuse_sample; /* 0: reuse distances are not measured here */
};

struct mp_tlb {
    struct mp_wheel *wheel;
    const struct mp_tlb_policy *policy;
    void *state;
    uint32_t page_shift, tenants;
    struct mp_mshr_file mshr;
    struct mp_ports ports;
    struct mp_out *next; /* one per tenant */
    uint32_t *next_of;   /* tenant -> index of next, so that tenants may share a link */
    struct mp_reuse *reuse;
    struct mp_tlb_stats *stats; /* one per tenant */
    bool watched;               /* each request concerns the reuse distances or the policy's warps */
    bool serving_held;
};

/* -1 when memory runs out. */
int mp_tlb_init(struct mp_tlb *t, struct mp_wheel *wheel, const struct mp_tlb_params *params);
void mp_tlb_free(struct mp_tlb *t);

/* Target side (mp_target.request) and initiator side (mp_initiator) of the block. */
enum mp_answer mp_tlb_request(void *tlb, unsigned port, struct mp_req *req, uint32_t *delay);
void mp_tlb_response(void *tlb, struct mp_req *down);
void mp_tlb_resume(void *tlb, unsigned link);

/* Whatever the array has of the scope is gone: returns how many translations. Misses under way are asked for
 * again when their answer comes: nobody gets a translation from before. */
uint32_t mp_tlb_invalidate(struct mp_tlb *t, const struct mp_scope *scope);
/* The array is empty and has another policy. -1: out of memory, and nothing has changed. */
int mp_tlb_set_policy(struct mp_tlb *t, const struct mp_tlb_policy *policy,
                      const struct mp_tlb_geometry *geometry);

/* Joins link `link` of the misses to a target. Tenants without a line of their own use link 0. */
void mp_tlb_join(struct mp_tlb *t, unsigned link, struct mp_target target);

#ifdef __cplusplus
}
#endif
#endif
