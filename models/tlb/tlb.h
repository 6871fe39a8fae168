/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TLB of any level: ports, the policy's array, MSHRs, and links to the targets that answer its misses. A
 * hit is answered in the call; a miss is sent on when the lookup's cycles are over. A request that finds no
 * MSHR, or no room on one, is held at its port, which stops that port only, or every port if the TLB blocks.
 *
 * A probe (MP_PROBE) is answered in the call: with the translation if the array has it, else with the source
 * MP_FROM_NOTHING. It is a lookup for the policy, and nothing else: it is not counted, takes no MSHR, and is
 * not sent on. MP_PEEK is the same without the lookup: it changes nothing.
 *
 * A hint (MP_HINT) is answered in the call if the array or the prefetch buffer has its page; this is no use
 * of the entry. It gets nothing if its page is being fetched, no MSHR is free, or a request is held.
 * Otherwise it takes an MSHR and goes to the next level, and its answer passes back without being stored. No
 * other request joins it, so that none waits for it.
 */
#ifndef MP_TLB_TLB_H
#define MP_TLB_TLB_H

#include "engine/block.h"
#include "engine/link.h"
#include "engine/metric.h"
#include "engine/mshr.h"
#include "engine/scope.h"
#include "tlb/neighbour/exchange.h"
#include "tlb/policy.h"
#include "tlb/prefetch/buffer.h"
#include "tlb/reuse.h"
#include "tlb/sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_tlb_stats {
    uint64_t lookups, hits, misses, mshr_merges, stalls, fills, bypasses, evictions, translations_lost,
        miss_cycles, held;
    uint64_t sub_entries_at_eviction[MP_MAX_SUB_ENTRIES + 1];
    uint64_t reuse_distance[MP_LOG2_BINS];
};

struct mp_tlb_hint_stats { /* of hints that come from the level above */
    uint64_t hits, passed, dropped;
};

/* Lines that requests are for: those of a page that a memory instruction accesses are one request. */
struct mp_tlb_line_stats {
    uint64_t lookups, misses;
};

extern const struct mp_metric_table mp_tlb_metrics, mp_tlb_hint_metrics, mp_tlb_line_metrics;
extern const struct mp_block_kind mp_tlb_kind;

/* What of a look-up is pipelined, so that the next one follows in the next cycle. The steps that a policy
 * takes after the first one, as STAR's for each further base, are the cycles beyond geometry.latency. */
enum mp_tlb_pipeline {
    MP_TLB_PIPELINE_ALL,
    MP_TLB_PIPELINE_FIRST, /* all but those steps */
    MP_TLB_PIPELINE_NONE
};

struct mp_tlb_params {
    const struct mp_tlb_policy *policy;
    struct mp_tlb_geometry geometry;
    uint32_t entries; /* as configured: geometry.sets follows from it */
    uint32_t page_shift;
    uint64_t
        page_sizes; /* of the machine in bytes, or'ed; the least is that of page_shift. 0: only this one */
    uint32_t mshrs, merges;
    uint32_t lookups;  /* at a time, in order of arrival; 0: no limit */
    uint32_t pipeline; /* enum mp_tlb_pipeline; with lookups of 0 there is no limit either */
    bool blocks;       /* a miss that finds no MSHR stops all ports, not only that of its request */
    uint32_t ports;    /* initiators above */
    uint32_t tenants;
    uint32_t reuse_sample; /* 0: reuse distances are not measured here */
    bool counts_lines;
    uint32_t links; /* of misses; of a block, links to peers follow them */
    struct mp_exchange_params exchange;
    struct mp_prefetch_params prefetch;
};

/*
 * Hooks for parts outside the TLB: a directory that follows the contents of its array,
 * neighbours that a miss asks before the next level, an observer. Each member may be NULL.
 */
struct mp_tlb_hooks {
    void *self;
    /* A request came and was looked up. */
    void (*asked)(void *self, const struct mp_req *req, bool hit);
    /* The request has its result, which is valid `cycles` from now; own: the array had it. */
    void (*answered)(void *self, const struct mp_req *req, bool own, uint32_t cycles);
    /* Another TLB has inserted or evicted a page: MP_INSERTED, MP_EVICTED. */
    void (*news)(void *self, const struct mp_req *req);
    /* A miss has taken its MSHR; its lookup ends `cycles` from now. true: the hook answers it, by one call of
     * mp_tlb_response() with the result in `down`, its request to the next level, or of mp_tlb_ask_below(),
     * not before the lookup has ended. A result MP_FROM_NOTHING asks the next level. */
    bool (*miss)(void *self, struct mp_req *down, uint32_t cycles);
    /* Whether the answer to a miss, in `down`, is stored. The m->length requests that wait get it in any
     * case. */
    bool (*stores)(void *self, const struct mp_mshr *m, const struct mp_req *down);
    void (*changes)(void *self); /* the array is about to change for a fill */
    /* A translation was stored, and the pages in `left` had to leave for it; page numbers are those that the
     * policy gets (sizes.h). */
    void (*filled)(void *self, uint16_t asid, uint64_t vpn, struct mp_translation to,
                   const struct mp_tlb_left *left);
    /* Pages were invalidated. */
    void (*left)(void *self, const struct mp_tlb_left *left);
    /* The scope is about to be invalidated. */
    void (*invalidates)(void *self, const struct mp_scope *scope);
};

#define MP_TLB_NO_KEY UINT64_MAX

struct mp_tlb {
    struct mp_wheel *wheel;
    const struct mp_tlb_policy *policy;
    void *state;
    uint32_t page_shift, tenants;
    struct mp_tlb_sizes size;
    struct mp_mshr_file mshr;
    struct mp_req *down; /* of each MSHR: the request to the next level; its owner is the MSHR */
    struct mp_ports ports;
    /* By port: the key of the held request, if nothing but a free MSHR can help it, or MP_TLB_NO_KEY. */
    uint64_t *starved;
    uint32_t miss_latency; /* of each miss, if the policy's misses repeat */
    struct mp_out *next;   /* one per tenant */
    uint32_t *next_of;     /* tenant -> index of next, so that tenants may share a link */
    struct mp_reuse *reuse;
    struct mp_tlb_stats *stats;         /* one per tenant */
    struct mp_tlb_hint_stats *hints;    /* likewise */
    const struct mp_tlb_hooks *hooks;   /* NULL: none */
    struct mp_exchange *exchange;       /* with peers; NULL: none */
    struct mp_prefetch *prefetch;       /* NULL: nothing is prefetched */
    uint32_t links;                     /* of misses, in a block */
    uint8_t tenant_of[MP_ASIDS], asids; /* of each address space that has filled; a bit for each of these */
    bool watched; /* reuse distances, prefetches, the policy or a hook look at each request; or pages have
                   * several sizes */
    bool misses_repeat; /* as the policy's, unless a prefetch may end them */
    bool serving_held;
    /* Of a TLB whose look-ups are limited, or that blocks. */
    bool blocks, intake_planned;
    uint32_t pipeline;
    /* At a time: at most, and those of looked_up_at, or that are in progress if not all is pipelined. */
    uint32_t lookups, looked_up;
    uint64_t looked_up_at;
    struct mp_req_queue intake;      /* requests that have not been looked up, in order of arrival */
    struct mp_tlb_line_stats *lines; /* one per tenant; NULL: they are not counted */
};

/* Returns -1 if memory runs out. */
int mp_tlb_init(struct mp_tlb *t, struct mp_wheel *wheel, const struct mp_tlb_params *params);
void mp_tlb_free(struct mp_tlb *t);

/* Target side (mp_target.request) and initiator side (mp_initiator) of the block. */
enum mp_answer mp_tlb_request(void *tlb, unsigned port, struct mp_req *req, uint32_t *delay);
/* The same of a TLB that looks up a limited number in a cycle, or blocks (akita's mem/vm/tlb). */
enum mp_answer mp_tlb_request_in_order(void *tlb, unsigned port, struct mp_req *req, uint32_t *delay);
void mp_tlb_response(void *tlb, struct mp_req *down);
void mp_tlb_resume(void *tlb, unsigned link);

void mp_tlb_xray(const void *tlb, const struct mp_xray *x); /* mp_block_kind.xray */

/* Removes all translations of the scope from the array and returns their number. Misses in flight are asked
 * for again when their answer comes, so that no request gets a translation from before the call. */
uint32_t mp_tlb_invalidate(struct mp_tlb *t, const struct mp_scope *scope);
/* Gives the TLB an empty array with another policy. Returns -1 if memory runs out; then nothing has changed.
 */
int mp_tlb_set_policy(struct mp_tlb *t, const struct mp_tlb_policy *policy,
                      const struct mp_tlb_geometry *geometry);
/* The same, but the translations stay: those of the old array enter the new one, the least recently used of
 * all sets first. Neither policy may have counters, which begin again. */
int mp_tlb_change_policy(struct mp_tlb *t, const struct mp_tlb_policy *policy,
                         const struct mp_tlb_geometry *geometry);
/* As in mp_tlb_init: an empty array. The caller frees the state before it, if there is one. */
int mp_tlb_new_array(struct mp_tlb *t, const struct mp_tlb_policy *policy,
                     const struct mp_tlb_geometry *geometry);
void mp_tlb_watch(struct mp_tlb *t); /* after the policy or the hooks have changed */

/* Joins link `link` of the misses to a target. Tenants without a separate link use link 0. */
void mp_tlb_join(struct mp_tlb *t, unsigned link, struct mp_target target);

/* Before the first request. The hooks must live as long as the TLB is used; NULL: none. */
void mp_tlb_hook(struct mp_tlb *t, const struct mp_tlb_hooks *hooks);
/* Sends a miss that a hook has taken to the next level, in this cycle. */
void mp_tlb_ask_below(struct mp_tlb *t, struct mp_req *down);
/* Valid translations in the array that count for the tenant. */
uint64_t mp_tlb_held(const struct mp_tlb *t, uint8_t tenant);

#ifdef __cplusplus
}
#endif
#endif
