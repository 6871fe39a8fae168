/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unified memory: the decisions of a driver that serves page faults of a GPU. Managed ranges of up to eight
 * address spaces share a pool of GPU memory. A page is nowhere, on the host or on the GPU. Faults of the GPU
 * are served in batches: pages move to the GPU, with those that a prefetch design adds; units of memory for
 * which there is no room are taken from others by an eviction design; pages for which both processors compete
 * are held or pinned; a migration policy may leave pages on the host and map them remotely.
 *
 * These are decisions alone. Time is an input, in ns, and never goes back. Costs, copies and page tables are
 * the caller's, who learns of them in the order in which they are to happen (struct mp_uvm_report). Nothing
 * is allocated after mp_uvm_init(), so that firmware can use the library.
 *
 * Rules come from NVIDIA's open kernel modules (595.45.04, kernel-open/nvidia-uvm), called "the driver", and
 * from gpgpu-sim_UVMSmart (ISCA 2019, IPDPS 2020, DATE 2021); README.md says where this departs from them.
 */
#ifndef MP_UVM_H
#define MP_UVM_H

#include <stddef.h>

#include "engine/error.h"
#include "uvm/evict.h"
#include "uvm/migrate.h"
#include "uvm/prefetch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_UVM_SPACES      8u
#define MP_UVM_BLOCK_BYTES (UINT64_C(1) << 21)
#define MP_UVM_BIG_BYTES   65536u
#define MP_UVM_VA_BITS     57u

/* How a fault accesses its page, by intrusiveness. */
enum mp_uvm_access { MP_UVM_PREFETCH, MP_UVM_READ, MP_UVM_WRITE, MP_UVM_ATOMIC };

enum mp_uvm_replay { /* when the GPU tries again (the driver's uvm_perf_fault_replay_policy) */
                     MP_UVM_REPLAY_BATCH_FLUSH, /* after a batch, with the buffer emptied */
                     MP_UVM_REPLAY_BATCH,
                     MP_UVM_REPLAY_BLOCK, /* after each block */
                     MP_UVM_REPLAY_ONCE   /* when the buffer is empty */
};

struct mp_uvm_params {
    const struct mp_uvm_prefetch *prefetch;
    const struct mp_uvm_prefetch *prefetch_full; /* after the pool's first eviction; NULL: the same */
    const struct mp_uvm_evict *evict;
    const struct mp_uvm_migrate *migrate;
    bool c2c; /* a coherent link: the host maps the GPU's memory, too */
    bool thrashing;
    bool write_back_dirty; /* only dirty pages are written back, and clean ones are mapped read only */
    enum mp_uvm_replay replay;
    uint32_t page_bytes;                      /* 4096 or 65536 */
    uint32_t chunks;                          /* of 2 MB, in the pool */
    uint32_t batch, entries;                  /* faults of a batch; of the buffer, and notices of theirs */
    uint32_t threshold, min_faults;           /* of prefetch design tree */
    uint32_t counter, granule_bytes, penalty; /* of migration policies with counters */
    uint32_t events, throttles, nap, epoch, pin, resets; /* of thrashing; nap, epoch, pin in lapses */
    uint64_t lapse;                                      /* ns */
    uint64_t seed;                                       /* of draws, not 0 */
    /* Room: ranges, 2 MB blocks of ranges, SMs that fault, 64 KB whose pages may thrash. */
    uint32_t ranges, blocks, sms, thrash;
};

/* An initialiser with the driver's values, and room for 4096 ranges and blocks. */
#define MP_UVM_USUAL                                                                                         \
    {                                                                                                        \
        .prefetch = &mp_uvm_prefetch_tree, .evict = &mp_uvm_evict_driver,                                    \
        .migrate = &mp_uvm_migrate_first_touch, .thrashing = true, .page_bytes = 4096, .chunks = 16,         \
        .batch = 256, .entries = 4096, .threshold = 51, .min_faults = 1, .counter = 256,                     \
        .granule_bytes = MP_UVM_BLOCK_BYTES, .penalty = 2, .events = 3, .throttles = 10, .nap = 1,           \
        .epoch = 2000, .pin = 300, .resets = 4, .lapse = 500000, .seed = 1, .ranges = 4096, .blocks = 4096,  \
        .sms = 256, .thrash = 4096,                                                                          \
    }

/* A unit leaves the GPU: its pages that are copied to the host, and those that are dropped. `block` is the
 * address of the aligned 2 MB divided by 2 MB; masks have a bit per page, counted from there. */
struct mp_uvm_victim {
    uint8_t asid;
    uint64_t block;
    struct mp_uvm_mask back, drop;
};

/* What was done for a block. A page is in one of fault, remote, held, done, cancel and ignore, or in cancel
 * (of its stores) and one of the first four. fault and prefetch are zero and copy. */
struct mp_uvm_service {
    uint8_t asid;
    uint64_t block;
    struct mp_uvm_mask fault, prefetch; /* got GPU memory */
    struct mp_uvm_mask zero, copy;      /* came from nowhere, from the host */
    struct mp_uvm_mask remote;          /* mapped to the host's memory */
    struct mp_uvm_mask held;            /* stay faulted, because the page thrashes */
    struct mp_uvm_mask done;            /* were mapped already */
    struct mp_uvm_mask cancel, ignore;  /* outside ranges, or stores to read-only pages */
};

/* Is called in the order of decisions: the victims before the block for which they leave. */
struct mp_uvm_report {
    void (*evicted)(void *context, const struct mp_uvm_victim *victim);
    void (*served)(void *context, const struct mp_uvm_service *service);
    void *context;
};

struct mp_uvm;

/* Returns -1, and err is "NAME: ..." with what is allowed. */
int mp_uvm_check(const struct mp_uvm_params *p, struct mp_error *err);
/* Bytes of the state; p was checked. */
size_t mp_uvm_bytes(const struct mp_uvm_params *p);
/* state: mp_uvm_bytes() bytes, zeroed, aligned to 64 bytes. */
struct mp_uvm *mp_uvm_init(void *state, const struct mp_uvm_params *p);

/* What decides in place of prefetch design `tree`, as mp_uvm_prefetch.pages; NULL: the design itself. */
struct mp_uvm_prefetcher {
    void (*pages)(void *self, const struct mp_uvm_look *block, struct mp_uvm_mask *out);
    void *self;
};
/* Returns what has decided before. */
struct mp_uvm_prefetcher mp_uvm_stand_in(struct mp_uvm *u, struct mp_uvm_prefetcher tree);

/* Sets the time, in ns from 1, which never goes back, and ends pins whose time is over. */
void mp_uvm_at(struct mp_uvm *u, uint64_t now);
/* The time at which the next pin ends; 0: none does. mp_uvm_at() then ends it, and the GPU does not map its
 * page to the host's memory any more (mp_uvm_mapped()). */
uint64_t mp_uvm_deadline(const struct mp_uvm *u);

/* ---- ranges and quotas ---- */

/* Manages a range. Returns its blocks, or 0 with "NAME: ..." in err: it overlaps another, is not of whole
 * pages, or there is no room; nothing has changed then. */
uint32_t mp_uvm_open(struct mp_uvm *u, uint8_t asid, uint64_t va, uint64_t bytes, bool read_only,
                     struct mp_error *err);

struct mp_uvm_freed {
    uint32_t pages, units; /* of the GPU */
};

/* Ends the range that begins at va; what it has is lost. Faults and notices in the buffers stay. -1 with err
 * if no range begins there. */
int mp_uvm_close(struct mp_uvm *u, uint8_t asid, uint64_t va, struct mp_uvm_freed *freed,
                 struct mp_error *err);

/* Sets a space's reserve and limit in chunks, while it has no GPU memory. -1 with err. */
int mp_uvm_quota(struct mp_uvm *u, uint8_t asid, uint32_t reserve, uint32_t limit, struct mp_error *err);

/* ---- faults ---- */

/* Enters a fault. Returns the entries in the buffer now, or 0: it is full, and the fault is not entered. */
uint32_t mp_uvm_fault(struct mp_uvm *u, uint32_t sm, uint8_t asid, uint64_t va, enum mp_uvm_access access);

struct mp_uvm_batch {
    uint32_t entries, merged, duplicates, dropped, left, replays;
};

/* Serves a batch of faults. */
struct mp_uvm_batch mp_uvm_serve(struct mp_uvm *u, const struct mp_uvm_report *report);

/* ---- accesses ---- */

struct mp_uvm_hit {
    enum { MP_UVM_FAULTS, MP_UVM_HITS, MP_UVM_REMOTE } what; /* MP_UVM_FAULTS: not mapped, or not so */
    uint32_t count; /* remote accesses of the granule; 0: nothing counts them */
    bool notice;    /* one entered the buffer of notices */
};

/* An access of the GPU, which is no prefetch. */
struct mp_uvm_hit mp_uvm_gpu(struct mp_uvm *u, uint8_t asid, uint64_t va, enum mp_uvm_access access);

/* Hardware has counted n remote accesses in a granule, at most 65535: of these big pages of the aligned 2 MB
 * (a bit each), all of the block that has va. As n calls of mp_uvm_gpu. MP_UVM_FAULTS: no range has va,
 * or nothing was counted. */
struct mp_uvm_hit mp_uvm_counted(struct mp_uvm *u, uint8_t asid, uint64_t va, uint32_t bigs, uint32_t n);

struct mp_uvm_moved {
    enum {
        MP_UVM_REFUSED, /* outside ranges */
        MP_UVM_ZEROED,  /* was nowhere, is on the host */
        MP_UVM_HOST,    /* was there */
        MP_UVM_MAPPED,  /* the host maps the GPU's memory */
        MP_UVM_HELD,    /* until `end` */
        MP_UVM_MOVED    /* `pages` moved to the host */
    } what;
    bool pinned;  /* to the host, and mapped remotely by the GPU */
    uint64_t end; /* ns */
    struct mp_uvm_mask pages;
    struct mp_uvm_mask copied; /* of these; the others were nowhere */
};

struct mp_uvm_moved mp_uvm_host(struct mp_uvm *u, uint8_t asid, uint64_t va, enum mp_uvm_access access);

struct mp_uvm_noticed {
    uint32_t notices, left;
};

/* Serves up to 256 notices of access counters. */
struct mp_uvm_noticed mp_uvm_notices(struct mp_uvm *u, const struct mp_uvm_report *report);

/* ---- memory ---- */

/* The units that no space has. */
uint32_t mp_uvm_spare_units(const struct mp_uvm *u);

/* Evicts ahead of need: one choice of the eviction design, from spaces that have more than their reserve.
 * Returns the units that have left, or 0: no space has that many. */
uint32_t mp_uvm_evict_ahead(struct mp_uvm *u, const struct mp_uvm_report *report);

/* ---- what there is ---- */

uint32_t mp_uvm_units(const struct mp_uvm *u, uint8_t asid);

/* How the GPU maps the block that has this address, now: pages that are mapped to the host's memory, and, of
 * all that are mapped, those to which stores do not fault. Empty outside ranges. */
struct mp_uvm_mapped {
    struct mp_uvm_mask remote, writable;
};
struct mp_uvm_mapped mp_uvm_mapped(const struct mp_uvm *u, uint8_t asid, uint64_t va);

/* Pages of the block that has this address which are pinned, now. Empty outside ranges. */
struct mp_uvm_mask mp_uvm_pins(const struct mp_uvm *u, uint8_t asid, uint64_t va);

/* A block of a space; masks as in mp_uvm_service. */
struct mp_uvm_state {
    uint64_t block;
    struct mp_uvm_mask gpu, remote, thrashing, pinned;
};

/* Reports the blocks of a space that have any of these pages, in the order of addresses. */
void mp_uvm_dump(const struct mp_uvm *u, uint8_t asid,
                 void (*block)(void *context, const struct mp_uvm_state *state), void *context);

/* What was given up because there was no room: 64 KB whose pages are taken for ones that do not thrash. */
uint64_t mp_uvm_untracked(const struct mp_uvm *u);

#ifdef __cplusplus
}
#endif
#endif
