/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unified memory: pages of managed ranges are on the host until the GPU accesses them. They share a pool of
 * an instance's memory. Its faults enter a ring; a service takes them in batches, and models/uvm decides
 * which pages come and which leave. The copy engines (ce.h) move their data.
 *
 * A migration policy may leave pages on the host, where the GPU accesses them. What hardware has counted of
 * that comes as notices, by which more pages move (uvm_notices.h).
 *
 * A frame is not used again before the invalidation of its pages is confirmed and its copy out has ended; nor
 * is the host's memory of a block used before the copies to it have ended. An entry becomes valid when its
 * copy in has ended; one that leads to the host's memory, when the page's copy out has. A batch is served
 * before the next is taken.
 */
#ifndef FW_UVM_H
#define FW_UVM_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    UVM_RANGES = 64,
    UVM_BLOCKS = 1024
}; /* at most: managed ranges, and the 2 MB of addresses that they have */

struct uvm_counts {
    uint64_t entries, merged, duplicates, dropped; /* faults taken from the ring, and what became of them */
    uint64_t batches, blocks, replays;
    uint64_t faulted, prefetched, zeroed, copied; /* pages that came */
    uint64_t evictions, written_back,
        refetched;             /* units that left; pages copied to the host, and back after that */
    uint64_t ahead;            /* units that left ahead of need */
    uint64_t remote;           /* pages that the GPU was let access on the host */
    uint64_t notices, noticed; /* notices of access counters; pages that came by them, with prefetched ones */
    uint64_t held, naps; /* pages that stayed faulted because they thrash; accesses of the host that waited */
    uint64_t unpinned;   /* pages that the GPU could access on the host until their pin ended */
    uint64_t absent;     /* pages that did not arrive, as their copy has failed twice */
    uint64_t cancelled;  /* pages whose accesses were given up */
    uint64_t host_moves; /* pages that went to the host because it accessed them */
    uint64_t idle;       /* batches that changed nothing */
    uint64_t instructions; /* of services */
    uint64_t storms;       /* services that found the ring full */
};

void uvm_init(void);

/* Pages that both processors want (models/uvm/thrash.c). epoch, nap and pin are in lapses. */
struct uvm_thrashing {
    unsigned events;    /* migrations of a page that thrashes, 1 to 7; 0: no page does */
    unsigned throttles; /* holds before it is pinned, 1 to 255 */
    uint64_t lapse;     /* ns, between two of the migrations */
    unsigned nap;       /* of a hold, 1 to 100, and at most 10 ms */
    unsigned epoch;     /* after which a block without thrashing pages forgets all */
    unsigned pin;       /* of a pin; 0: without an end */
    unsigned resets;    /* how often a block forgets all, at most 255 */
    bool coherent;      /* the host accesses pages on the GPU, too, so that they may be pinned there */
};
/* The driver's: 3 events, 10 throttles, 500 us, 1, 2000, 300, 4 resets. */
#define UVM_THRASHING_USUAL ((struct uvm_thrashing){3, 10, 500000, 1, 2000, 300, 4, false})

struct uvm_setup {
    unsigned chunks;                   /* of 2 MB, in the pool; 0: there is no pool any more */
    uint64_t page_bytes;               /* of spaces that may have managed ranges: 4096 or 65536 */
    unsigned prefetch, evict, migrate; /* numbers of designs, as the functions below name them */
    uint32_t counter;       /* remote accesses of a notice, for migration policies with counters; 0: 256 */
    uint32_t granule_bytes; /* of a counter, 65536 or 2097152; 0: 2097152 */
    unsigned replay;        /* number of the policy that says when accesses try again */
    unsigned ahead; /* chunks that are kept free, by evictions while nothing waits; fewer than the pool has */
    bool overlaps;  /* one unit more, so that copies in do not wait for the copies out of their victims */
    struct uvm_thrashing thrashing;
};
/* Takes the pool and a ring for faults from the instance's memory. Each instance may have one; they share the
 * copy engines, and the numbers of ranges and blocks above. Returns FW_EBUSY while it has managed ranges, or
 * if a copy engine hangs; FW_EINVAL for a wrong setup, FW_ENOMEM if there is no room (the pool is as it was
 * then), FW_EUNSUPPORTED for a policy, or thrashing pages, that may stay on the host if the GPU does not
 * access its memory. */
enum fw_error uvm_pool(unsigned instance, const struct uvm_setup *setup);
/* What its pool was taken with; NULL: it has none. */
const struct uvm_setup *uvm_setup_of(unsigned instance);
/* The name of a design, or NULL: there is none of this number. */
const char *uvm_prefetch_name(unsigned number);
const char *uvm_evict_name(unsigned number);
const char *uvm_migrate_name(unsigned number);
const char *uvm_replay_name(unsigned number);

/* The range's pages are nowhere. Addresses as for gmmu_map. Returns FW_ENOENT if the space's instance has no
 * pool, FW_EUNSUPPORTED if its pages have another size, what gmmu_manage does, and the error of an engine or
 * an invalidation that has not ended: other ranges must end first, and then the pool begins anew. */
enum fw_error uvm_manage(unsigned asid, uint64_t va, uint64_t bytes, bool read_only);
/* Ends the range that begins at va; its data is lost. Returns FW_EBUSY while a launch is in the space. */
enum fw_error uvm_unmanage(unsigned asid, uint64_t va);
/* Ends all ranges of the space, which has no launch. */
enum fw_error uvm_forget(unsigned asid);
/* The host accesses these pages: those that are on the GPU move to it, unless they are pinned there, and
 * those that are nowhere are zero. While a page that thrashes is held, all events of the GPU are served
 * (runner.h). Returns FW_ENOENT at a page that is not managed, FW_EDATA at one whose copy has failed, so that
 * its data is lost; those before it have moved. */
enum fw_error uvm_host(unsigned asid, uint64_t va, uint64_t bytes);
/* The GPU's address at which the host accesses a page: of its own memory, or of the GPU's, if the page is on
 * the GPU and the link is coherent; 0: it is not managed. */
uint64_t uvm_host_address(unsigned asid, uint64_t va);

/* Serves the faults in the ring, and those that arrive meanwhile; and pins that have ended. */
void uvm_service(void);
/* Whether a pin has ended since the last service. */
bool uvm_due(void);

/* From now on, prints what decisions depend on, as `mempath replay uvm` reads it, and after "= " its answers.
 */
void uvm_trace(void);
/* Prints the pools, their ranges and their counters. */
void uvm_print(void);
/* The pages of the range's 2 MB at this address that are on the GPU, as the tree of prefetch design `tree`
 * has them. FW_ENOENT: no range has it. */
enum fw_error uvm_print_tree(unsigned asid, uint64_t va);
/* Of the instance's pool, also if it has ended. */
const struct uvm_counts *uvm_counts(unsigned instance);

#ifdef __cplusplus
}
#endif
#endif
