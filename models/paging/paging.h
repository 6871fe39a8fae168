/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demand paging: a server of page faults that takes the decisions of unified memory (uvm/uvm.h) and gives
 * them time. Managed ranges have no frames until the GPU accesses them. A fault enters the fault buffer;
 * after the time of an interrupt a batch of faults is served: victims leave, pages are zeroed or copied, and
 * last all accesses that wait try again.
 *
 * A migration policy may leave pages on the host: their entries lead to the host's memory (host/host.h), and
 * counters of the GPU's accesses there give notices, for which pages move, too.
 *
 * The host reads and writes managed memory between kernels: pages that the GPU has come back, a fault of the
 * host at a time. For pages that both want, the library may say that one of them waits, or that a page stays
 * in one place for a time, where the other accesses it over the link.
 *
 * A frame is not used again before the invalidation of its page is confirmed and its copy out has ended. An
 * entry is not valid before its copy in has ended. A batch is served before the next is fetched.
 */
#ifndef MP_PAGING_PAGING_H
#define MP_PAGING_PAGING_H

#include "engine/metric.h"
#include "engine/wheel.h"
#include "host/copy.h"
#include "host/link.h"
#include "sm/sm.h"
#include "trace/gwt.h"
#include "uvm/uvm.h"
#include "vm/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a driver and its link need, in ns unless said otherwise. */
struct mp_paging_costs {
    uint64_t interrupt; /* from the first fault to the fetch of the first batch */
    uint64_t batch, entry, block;
    uint64_t page;   /* that faulted and gets memory */
    uint64_t notice; /* that is served */
    uint64_t copy;   /* to launch one; overlaps with those in progress */
    uint64_t evict;  /* of a victim, besides its invalidation and copy */
    uint64_t replay;
    uint64_t host;         /* a fault of the host, besides `block`, its invalidation and its copies */
    uint64_t latency;      /* of a copy over the link */
    uint64_t gbps;         /* of the link, 10^9 B/s in each direction */
    uint64_t curve;        /* of its bandwidth by size, in 10^-5 / KB; 0: the same for all sizes */
    uint64_t zero_gbps;    /* at which pages are zeroed */
    uint64_t invalidation; /* cycles that an invalidation takes at least */
};

struct mp_paging_params {
    struct mp_uvm_params uvm;
    struct mp_paging_costs cost;
    uint64_t clock_mhz;
    bool from_host;        /* pages of a new range are on the host; false: nowhere */
    bool touched_by_walks; /* an access whose translation a walk has found is a touch of its page */
    bool overlaps; /* one unit more, so that copies in do not wait for the copies out of their victims */
    /* To the host, with its lines and the copies of other servers; outlives this one. */
    struct mp_host_link *link;
    /* Accesses the lines of copies; outlives this one. NULL: nothing does. */
    struct mp_copies *copies;
    uint32_t ahead; /* chunks that are kept free, by evictions while nothing waits; fewer than the pool has */
    /* The run cannot go on. */
    void *self;
    void (*failed)(void *self, unsigned asid, const char *why);
};

/* What the server's time goes to. */
enum mp_paging_part {
    MP_PAGING_INTERRUPT,
    MP_PAGING_FETCH,
    MP_PAGING_BLOCK,
    MP_PAGING_PAGE,
    MP_PAGING_COPY,
    MP_PAGING_EVICT,
    MP_PAGING_INVALIDATION,
    MP_PAGING_REPLAY,
    MP_PAGING_PARTS
};

/* Counters of an address space. Those of batches, and their cycles, count for each space that the batch has
 * served: batches are not divided among spaces. */
struct mp_paging_stats {
    uint64_t faults, repeated, entries, full, batches, merged, duplicates, dropped, replays;
    uint64_t blocks, done, faulted, prefetched, prefetch_used, prefetch_lost, zeroed, copied, refetched;
    uint64_t units; /* of the pool that the space has now */
    uint64_t evictions, evicted, written_back;
    uint64_t mapped, remote, notices, notice_batches, counted;
    uint64_t host_faults, host_moved, host_cycles, host_mapped, host_lines;
    uint64_t held, naps, pinned, unpinned;
    uint64_t bytes_in, bytes_out, busy_in, busy_out, fault_cycles, batch_cycles;
    /* Of batches that have ended: all but the interrupt are batch_cycles. */
    uint64_t part_cycles[MP_PAGING_PARTS];
    struct mp_latencies fault_latency; /* from the request for a translation to the replay */
    /* By powers of two; those of batches count for each space that the batch has served. */
    uint64_t batch_time[MP_LOG2_BINS], batch_entries[MP_LOG2_BINS], batch_blocks[MP_LOG2_BINS];
    uint64_t run_pages[MP_LOG2_BINS];
};

extern const struct mp_metric_table mp_paging_metrics;

/* Buffers that are allocated at a time, at most, and the 2 MB of addresses that each has a part of. */
struct mp_paging_buffers {
    uint32_t ranges, blocks;
};

/* Adds those of a trace, which is read to its end and rewound. -1 with one line in err. */
int mp_paging_add_buffers(struct mp_paging_buffers *sum, struct gwt_reader *reader, struct mp_error *err);

struct mp_paging;

/* Takes the pool's memory from the frames, in pages of 2 MB that tenant 0 wishes. NULL with one line in err:
 * it is used up, or the host's memory is. All arguments but params outlive the server. */
struct mp_paging *mp_paging_new(struct mp_wheel *wheel, struct mp_frames *frames,
                                const struct mp_paging_params *params, struct mp_error *err);
void mp_paging_free(struct mp_paging *p); /* NULL: nothing */

/* The SM of this number (mp_sm_params.id) may use managed memory. */
void mp_paging_add_sm(struct mp_paging *p, struct mp_sm *sm);
/* Manages a range of an address space, whose owner does not map it. -1 with one line in err, as mp_uvm_open
 * has it, or memory for page tables is used up. */
int mp_paging_open(struct mp_paging *p, struct mp_space *space, uint64_t va, uint64_t bytes,
                   struct mp_error *err);
/* Ends the range that begins at va: it is unmapped, and its contents are lost. No access to it may be under
 * way. Returns false if no range begins there. */
bool mp_paging_close(struct mp_paging *p, const struct mp_space *space, uint64_t va);
/* As mp_sm_owner.fault. Returns false if the page is in no range. */
bool mp_paging_fault(struct mp_paging *p, struct mp_sm *sm, struct mp_req *page);

/* The host reads or writes a range. Pages that are not managed are passed over. `done` is called in the cycle
 * in which the host has all of them, which is not this one. -1 with one line in err: out of memory. */
struct mp_paging_host_access {
    const struct mp_space *space;
    uint64_t va, bytes;
    bool write;
    void (*done)(void *self);
    void *self;
};
int mp_paging_host(struct mp_paging *p, const struct mp_paging_host_access *access, struct mp_error *err);

/* The GPU accesses a line of the host's memory, which this counts. Nothing happens if its range has ended. */
void mp_paging_remote(struct mp_paging *p, const struct mp_req *line);

struct mp_paging_stats *mp_paging_counters(struct mp_paging *p, unsigned asid);

/* A number that changes when pages get memory or lose it. */
uint64_t mp_paging_moves(const struct mp_paging *p);

/* The cycles that a copy of this number of pages takes, at most 2 MB, without the link's latency. */
uint64_t mp_paging_copy_cycles(const struct mp_paging_params *params, uint32_t pages);

/* What the server does, for those who watch it. */
enum mp_paging_kind {
    MP_PAGING_FAULTED,     /* a fault that has entered the buffer */
    MP_PAGING_BATCH,       /* from its fetch to its end; pages: its faults, or notices */
    MP_PAGING_SERVICE,     /* of a block, until its entries are valid; pages: those that get memory */
    MP_PAGING_VICTIM,      /* until its invalidation is confirmed; pages: those that lose memory */
    MP_PAGING_INVALIDATED, /* of these, from the removal of the entries on */
    MP_PAGING_COPIED_IN,   /* a run of pages */
    MP_PAGING_COPIED_OUT,
    MP_PAGING_ZEROED,
    MP_PAGING_REPLAYED,
    /* What is resident; at once. */
    MP_PAGING_MAPPED, /* entries that have become valid */
    MP_PAGING_UNMAPPED,
    MP_PAGING_KINDS
};

struct mp_paging_action {
    enum mp_paging_kind kind;
    unsigned asid;         /* of a batch and a replay: the first space that was served */
    uint64_t began, ended; /* cycles; equal if it happens at once. An end may be in the future */
    uint64_t va;           /* of the first page; 0: of no page */
    uint32_t pages;
};

/* From now on, action() is called for what the server does, in the order in which it becomes known. Nothing
 * else changes. Before the first range. */
void mp_paging_watch(struct mp_paging *p, void (*action)(void *self, const struct mp_paging_action *a),
                     void *self);
uint32_t mp_paging_page_bytes(const struct mp_paging *p);

/* As mp_uvm_stand_in(). */
struct mp_uvm_prefetcher mp_paging_stand_in(struct mp_paging *p, struct mp_uvm_prefetcher tree);

/* From now on, line() is called for what the decisions depend on, as `mempath replay uvm` reads it, and at
 * once for a comment with the options that it needs. Lines come without their ends. Before the first range.
 */
void mp_paging_trace(struct mp_paging *p, void (*line)(void *self, const char *text), void *self);

#ifdef __cplusplus
}
#endif
#endif
