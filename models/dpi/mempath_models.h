/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mempath's reference models, for checking hardware against them from C or, through DPI-C (mempath_dpi.svh),
 * from SystemVerilog: the array of a TLB under a policy, a page-walk scheduler, the directory of NeiDty, and
 * the scan of MESC. The models have no time. A call is an event, and it returns the model's reaction.
 *
 * The types are those that DPI-C uses, so that this header agrees with one that a simulator generates.
 *
 * A model's handle is a number that is never used again. A call is refused if the model was destroyed, is
 * of the other kind, or never existed. A call that is refused, for this or any other error, returns
 * MEMPATH_ERROR, NULL or "" and leaves the model and all outputs unchanged; mempath_error() returns the
 * reason. Any output may be NULL. Threads may use different models at the same time.
 */
#ifndef MEMPATH_MODELS_H
#define MEMPATH_MODELS_H

#ifdef __cplusplus
extern "C" {
#endif

#define MEMPATH_QUEUED  (-1)
#define MEMPATH_NO_ROOM (-2)
#define MEMPATH_ERROR   (-3)

/* Sides of a directory's neighbours. */
#define MEMPATH_LEFT  1
#define MEMPATH_RIGHT 2

/* Returns this thread's last error as "WHERE: WHAT; WHAT IS ALLOWED", or "" if there was none. The text is
 * valid until the next error. */
const char *mempath_error(void);

/* Destroys a model of either kind. Returns 0. */
int mempath_destroy(void *model);

/* Returns the contents of a model as lines of text. The text is valid until the next call for this model. */
const char *mempath_state(void *model);

/* ---- a TLB's array ---- */

/*
 * Creates a TLB. policy is a name (star, subentry, ...; the error for an unknown name lists all policies).
 * parameters have the form "sets=64 ways=4", separated by blanks; models/dpi/README.md lists them. NULL or
 * "" means none.
 */
void *mempath_tlb_new(const char *policy, const char *parameters);

/* Returns 1 for a hit, with the physical page number, or 0 for a miss. `cycles` is the latency of the
 * lookup in both cases. A vpn has 45 bits. */
int mempath_tlb_lookup(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long *pfn,
                       unsigned *cycles);

/* Returns 0. action: "update", "vacant", "evict", ... ; lost: number of translations that were removed. A
 * pfn has 60 bits. */
int mempath_tlb_insert(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long pfn,
                       const char **action, unsigned *way, unsigned *lost);

/*
 * The same, for a translation with a permission, and with neighbours that are mapped to consecutive frames,
 * as colt, mesc and mesc-full-colt store them: `before` units before the page's own and `after` units after
 * it. A unit is a page (unit 0), or a subregion of 64 pages (unit 6), aligned to its size, and units of 64
 * pages are in the page's 2 MB.
 */
int mempath_tlb_insert_span(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long pfn,
                            unsigned unit, unsigned before, unsigned after, unsigned read_only,
                            const char **action, unsigned *way, unsigned *lost);

/* Returns 1 with what the array has stored around a page and its permission, or 0 for a miss. Changes
 * nothing. */
int mempath_tlb_span(void *tlb, unsigned asid, unsigned long long vpn, unsigned *unit, unsigned *before,
                     unsigned *after, unsigned *read_only);

/* Reads a frame that a set holds, by number: ways ascending, slots of a way ascending. pages: those of the
 * entry, from vpn on, which begins at pfn. Returns 1, or 0 after the last. */
int mempath_tlb_entry(void *tlb, unsigned set, unsigned number, unsigned *way, unsigned *slot, unsigned *asid,
                      unsigned long long *vpn, unsigned long long *pfn, unsigned *pages, unsigned *read_only);

/* Each returns the number of translations that were removed. */
int mempath_tlb_invalidate_page(void *tlb, unsigned asid, unsigned long long vpn);
int mempath_tlb_invalidate_asid(void *tlb, unsigned asid);
int mempath_tlb_invalidate_all(void *tlb);

/* Returns the number of valid translations of an address space. */
int mempath_tlb_occupancy(void *tlb, unsigned asid);

/*
 * MASK distinguishes warps. mempath_tlb_asked reports a request once, after its first lookup, and returns
 * 0. The translation from a walk is inserted if one of the warps that wait for it may fill the array
 * (may_fill returns 1); if none may (0), it bypasses the array.
 */
int mempath_tlb_asked(void *tlb, unsigned asid, unsigned sm, unsigned warp, unsigned hit);
int mempath_tlb_may_fill(void *tlb, unsigned asid, unsigned sm, unsigned warp);
int mempath_tlb_bypass(void *tlb, unsigned asid, unsigned long long vpn, unsigned long long pfn,
                       const char **action, unsigned *way, unsigned *lost);

/* Returns the number of ways of a set, or 0 if there is no such set. MASK's bypass cache is the set after
 * the last set of the array. */
int mempath_tlb_ways(void *tlb, unsigned set);

/*
 * Reads the state of a way and returns 0. layout: 0 not shared, 1 sequential, 2 stride, plus 4 for four
 * bases (STAR Figs. 7 and 8); bases, subs: bit masks of the valid ones; rank: number of ways of the set
 * that were used more recently.
 */
int mempath_tlb_way(void *tlb, unsigned set, unsigned way, unsigned *layout, unsigned *bases, unsigned *subs,
                    unsigned *rank);

/* Reads one of a way's bases, at positions 0 to 3. Returns 1 with its address space and vpn / sub_entries,
 * or 0 if it is not valid. */
int mempath_tlb_base(void *tlb, unsigned set, unsigned way, unsigned position, unsigned *asid,
                     unsigned long long *base);

/* Reads one of a way's sub-entries, in slots 0 to 15. Returns 1 with its address identify bits and its
 * physical page number, or 0 if it is not valid. */
int mempath_tlb_sub(void *tlb, unsigned set, unsigned way, unsigned slot, unsigned *aib,
                    unsigned long long *pfn);

/* ---- a page-walk scheduler ---- */

/* Creates a scheduler; see mempath_tlb_new. At first, all tenants are active. */
void *mempath_walks_new(const char *policy, const char *parameters);

/* A walk arrives. Returns the walker that starts it now, MEMPATH_QUEUED, or MEMPATH_NO_ROOM. In the last
 * case the walk was not stored and must arrive again. The caller chooses the id. */
int mempath_walks_arrive(void *walks, unsigned tenant, unsigned long long id);

/* Returns 1 if a walk of this tenant would be accepted, else 0. */
int mempath_walks_room(void *walks, unsigned tenant);

/* A busy walker completes its walk. Returns 1 with the walk that it starts at once, or 0 if it is idle. */
int mempath_walks_complete(void *walks, unsigned walker, unsigned long long *id);

/* Divides the walkers among the tenants of the mask (bit t for tenant t, at least one bit). Returns 0. */
int mempath_walks_set_tenants(void *walks, unsigned tenants);

/* Gives a walker to a tenant, as hardware with a port for each walker's owner does; `tenants` of the
 * parameters means no tenant. Not under fcfs. Returns 0. */
int mempath_walks_set_owner(void *walks, unsigned walker, unsigned tenant);

/* To be called after either: returns 1 with the walk that an idle walker may start now, or 0 if there is
 * none. */
int mempath_walks_wake(void *walks, unsigned walker, unsigned long long *id);

/*
 * Reads the tables of the walkers. Returns 1 with the walker's current walk, or 0 if it is idle. owner:
 * its tenant; free: free places in its queue; stolen: is_stolen of the Free Walker Array. Under fcfs,
 * walkers have no owner: owner is -1, and there is one queue for all walkers.
 */
int mempath_walks_walker(void *walks, unsigned walker, unsigned long long *id, int *owner, unsigned *free,
                         unsigned *stolen);

/* Reads the walk at this position (0 is the head) of a walker's queue; under fcfs, of the queue for all
 * walkers. Returns 1 with its id and tenant, or 0 if there is none. */
int mempath_walks_waiting(void *walks, unsigned walker, unsigned position, unsigned long long *id,
                          unsigned *tenant);

/* Reads the Tenant to Walker Mapping (not under fcfs): bit mask of walkers; number of walks in queues;
 * arrivals in this epoch. Returns 0. */
int mempath_walks_tenant(void *walks, unsigned tenant, unsigned long long *walkers, unsigned *pending,
                         unsigned *arrivals);

/* Reads the registers of DWS++ (not under fcfs): arrivals in this epoch; DIFF_THRES in percent, where 127
 * means never. Returns 0. */
int mempath_walks_epoch(void *walks, unsigned *arrivals, unsigned *diff_thres);

/* ---- NeiDty's directory ---- */

/* Creates a directory, of the parameters entries and tag_bits. */
void *mempath_directory_new(const char *parameters);

/* Returns the neighbour that a miss asks: MEMPATH_LEFT, MEMPATH_RIGHT, or 0. */
int mempath_directory_ask(void *directory, unsigned asid, unsigned long long vpn);

/* The TLB itself has inserted the page, or evicted it (0). Returns 0. */
int mempath_directory_own(void *directory, unsigned inserted, unsigned asid, unsigned long long vpn);

/* A neighbour has inserted the page, or evicted it (0). local: the TLB itself holds the inserted page.
 * Changes of a clock take effect in the order: own, left's, right's; each eviction before its insertion.
 * Returns 0. */
int mempath_directory_message(void *directory, unsigned side, unsigned inserted, unsigned local,
                              unsigned asid, unsigned long long vpn);

/* A page, or everything, is invalidated. Return 0. */
int mempath_directory_drop(void *directory, unsigned asid, unsigned long long vpn);
int mempath_directory_empty(void *directory);

/* Reads an entry by number, the oldest first. Returns 1, or 0 if it is free. */
int mempath_directory_entry(void *directory, unsigned number, unsigned long long *tag, unsigned *left,
                            unsigned *local, unsigned *right);

/* ---- MESC's scan ---- */

/* Creates the table of a frame of 2 MB: an entry of the level above, which is valid, and 512 leaf entries,
 * all 0. The parameter leaves is in-order, or heads-first. */
void *mempath_scan_new(const char *parameters);

/* Write the entry of the level above, and the leaf entry of a page. Return 0. */
int mempath_scan_entry(void *scan, unsigned long long entry);
int mempath_scan_leaf(void *scan, unsigned page, unsigned long long leaf);

/* Scans the frame. Returns whether the entry of the level above has changed; entry: as it is now; reads: leaf
 * entries that were read. */
int mempath_scan_frame(void *scan, unsigned long long *entry, unsigned *reads);

#ifdef __cplusplus
}
#endif
#endif
