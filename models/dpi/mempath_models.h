/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mempath's reference models for those who check hardware against them, from C or, through DPI-C
 * (mempath_dpi.svh), from SystemVerilog: a TLB's array under a policy, and a page-walk scheduler. No time
 * passes in them; a call is an event, and what it returns is what the model does at it.
 *
 * The types are those that DPI-C gives its own, so that this header and one that a simulator generates agree.
 *
 * A model's handle is a number that is never given out again: a call with one that was destroyed, that names
 * a model of the other kind, or that never was one is refused like any other mistake. What is refused returns
 * MEMPATH_ERROR, NULL or "", leaves the model and all outputs as they were, and mempath_error() says what
 * was wrong. An output that is not wanted may be NULL. Threads may use different models at the same time.
 */
#ifndef MEMPATH_MODELS_H
#define MEMPATH_MODELS_H

#ifdef __cplusplus
extern "C" {
#endif

#define MEMPATH_QUEUED  (-1)
#define MEMPATH_NO_ROOM (-2)
#define MEMPATH_ERROR   (-3)

/* What was refused last in this thread, as "WHERE: WHAT; WHAT IS ALLOWED"; "" if nothing was. Valid until the
 * next call that is refused. */
const char *mempath_error(void);

/* Ends a model of either kind. 0. */
int mempath_destroy(void *model);

/* What a model holds, as lines of text. Valid until the next call for this model. */
const char *mempath_state(void *model);

/* ---- a TLB's array ---- */

/*
 * A policy by its name (star, subentry, ...; a wrong one is answered with all there are), and parameters as
 * "sets=64 ways=4", blanks between them; models/dpi/README.md lists them. NULL or "": none.
 */
void *mempath_tlb_new(const char *policy, const char *parameters);

/* 1: a hit, with the physical page number; 0: a miss. Either takes so many cycles. A vpn has 45 bits. */
int mempath_tlb_lookup(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long *pfn,
                       unsigned *cycles);

/* 0. action: "update", "vacant", "evict", ... ; lost: translations that are gone. A pfn has 60 bits. */
int mempath_tlb_insert(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long pfn,
                       const char **action, unsigned *way, unsigned *lost);

/* Each: the translations that are gone. */
int mempath_tlb_invalidate_page(void *tlb, unsigned asid, unsigned long long vpn);
int mempath_tlb_invalidate_asid(void *tlb, unsigned asid);
int mempath_tlb_invalidate_all(void *tlb);

/* Valid translations of an address space. */
int mempath_tlb_occupancy(void *tlb, unsigned asid);

/*
 * MASK tells warps apart. A request is told once (0), after its first lookup; what a walk brings is inserted
 * when one of the warps that wait for it may fill the array (1; 0: it may not), else it bypasses it.
 */
int mempath_tlb_asked(void *tlb, unsigned asid, unsigned sm, unsigned warp, unsigned hit);
int mempath_tlb_may_fill(void *tlb, unsigned asid, unsigned sm, unsigned warp);
int mempath_tlb_bypass(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long pfn,
                       const char **action, unsigned *way, unsigned *lost);

/* The ways of a set, 0 when there is no such set. MASK's bypass cache is a set behind the others. */
int mempath_tlb_ways(void *tlb, unsigned set);

/*
 * What stands in a way. 0. layout: 0 not shared, 1 sequential, 2 stride, and 4 more for four bases (STAR
 * Figs. 7 and 8); bases, subs: which of them are valid, a bit each; rank: how many ways of the set were used
 * more recently.
 */
int mempath_tlb_way(void *tlb, unsigned set, unsigned way, unsigned *layout, unsigned *bases, unsigned *subs,
                    unsigned *rank);

/* One of a way's bases, at positions 0 to 3: 1, with its address space and vpn / sub_entries; 0: not valid.
 */
int mempath_tlb_base(void *tlb, unsigned set, unsigned way, unsigned position, unsigned *asid,
                     unsigned long long *base);

/* One of its sub-entries, in slots 0 to 15: 1, with its address identify bits and its physical page number;
 * 0: not valid. */
int mempath_tlb_sub(void *tlb, unsigned set, unsigned way, unsigned slot, unsigned *aib,
                    unsigned long long *pfn);

/* ---- a page-walk scheduler ---- */

/* As mempath_tlb_new. All of the tenants are there at first. */
void *mempath_walks_new(const char *policy, const char *parameters);

/* A walk comes: the walker that starts it now, MEMPATH_QUEUED, or MEMPATH_NO_ROOM: it was not kept, and has
 * to come again. The id is the caller's. */
int mempath_walks_arrive(void *walks, unsigned tenant, unsigned long long id);

/* 1: a walk of this tenant would be kept; 0: it would not. */
int mempath_walks_room(void *walks, unsigned tenant);

/* A walker that works is done: 1, with the walk that it starts at once; 0: it is idle. */
int mempath_walks_complete(void *walks, unsigned walker, unsigned long long *id);

/* The walkers are divided anew among the tenants of the mask, bit t for tenant t, one at least. 0. */
int mempath_walks_set_tenants(void *walks, unsigned tenants);

/* After that: 1, with the walk that an idle walker may start now; 0: none. */
int mempath_walks_wake(void *walks, unsigned walker, unsigned long long *id);

/*
 * Tables of the walkers: 1, with the walk it works on; 0: it is idle. owner: whose it is; free: places left
 * in its queue; stolen: is_stolen of the Free Walker Array. Under fcfs, where nobody owns a walker, owner is
 * -1 and the queue is that of all.
 */
int mempath_walks_walker(void *walks, unsigned walker, unsigned long long *id, int *owner, unsigned *free,
                         unsigned *stolen);

/* The walk that waits at this position, 0 being the head, of a walker's queue (of all, under fcfs): 1, with
 * its id and tenant; 0: none. */
int mempath_walks_waiting(void *walks, unsigned walker, unsigned position, unsigned long long *id,
                          unsigned *tenant);

/* Tenant to Walker Mapping (not under fcfs): walkers, a bit each; walks in queues; arrivals in this epoch. 0.
 */
int mempath_walks_tenant(void *walks, unsigned tenant, unsigned long long *walkers, unsigned *pending,
                         unsigned *arrivals);

/* Registers of DWS++ (not under fcfs): arrivals in this epoch; DIFF_THRES in percent, 127 being never. 0. */
int mempath_walks_epoch(void *walks, unsigned *arrivals, unsigned *diff_thres);

#ifdef __cplusplus
}
#endif
#endif
