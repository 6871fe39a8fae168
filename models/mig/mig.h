/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole GPU whose MIG instances come and go while it runs, as its management block (soc/mgmt.h) commands.
 * Nothing is mapped for anybody: page tables stand in the GPU's memory, where whoever manages it writes them.
 *
 * Address spaces have the numbers of tenants: asid a counts as tenant a in every block. An instance takes the
 * lowest GPC slices that are free side by side, and the memory of those slices. What several slices share
 * (walkers, L2 data cache, DRAM) is made for each such run of slices when it is first needed and stays, so
 * that counters, and what is still under way, outlive an instance.
 */
#ifndef MP_MIG_MIG_H
#define MP_MIG_MIG_H

#include "cache/cache.h"
#include "dram/dram.h"
#include "sm/app.h"
#include "soc/mgmt.h"
#include "tlb/tlb.h"
#include "vm/physmem.h"
#include "walk/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MIG_SLICES 7u /* at most */
#define MP_MIG_SPACES MP_MGMT_SPACES

/* The machine. Of the blocks' own parameters those are left open that the assembly decides: numbers of SMs,
 * tenants, ports and links. */
struct mp_mig_params {
    uint32_t slices, tpcs, sms_per_tpc; /* TPCs of a slice, SMs of a TPC */
    uint32_t tlb_levels;                /* 3: all slices share the last; 2: misses of the second are walked */
    uint32_t launch_latency;            /* cycles */
    uint64_t memory_per_slice, page_bytes;
    uint32_t line_bytes;
    struct mp_sm_params sm;
    struct mp_tlb_params l1_tlb, l2_tlb, l3_tlb;
    struct mp_walk_params walk;      /* walkers of one slice */
    struct mp_cache_params l1d, l2d; /* L2: banks of one slice */
    struct mp_dram_params dram;      /* channels of one slice */
    /* By their numbers in registers; NULL: there is none. */
    const struct mp_tlb_policy *(*tlb_policy)(unsigned level, unsigned number);
    const struct mp_walk_scheduler *(*walk_scheduler)(unsigned number);
};

/* Where recorded workloads come from. */
struct mp_mig_host {
    void *self;
    unsigned workloads;
    /* As mp_mgmt_gpu.buffer. */
    bool (*buffer)(void *self, unsigned workload, unsigned number, struct mp_mgmt_memory *buffer);
    /* A reader that stands at the trace's beginning; NULL: there is no such workload. */
    struct gwt_reader *(*open)(void *self, unsigned workload);
    void (*close)(void *self, unsigned workload, struct gwt_reader *reader);
    void (*failed)(void *self, const char *why); /* why a launch ended as UNSUPPORTED, for the user */
};

struct mp_mig_slice {
    bool built;
    struct mp_tlb l2_tlb;
    struct mp_tlb *l1_tlb; /* one per TPC */
    struct mp_sm *sm;      /* TPC by TPC */
    struct mp_cache *l1d;  /* one per SM */
};

struct mp_mig_backend { /* what a run of slices shares */
    bool built;
    struct mp_walk walk;
    struct mp_cache l2d;
    struct mp_dram dram;
};

struct mp_mig;

struct mp_mig_instance {
    struct mp_mig *gpu;
    unsigned number, first, slices; /* slices: 0 while there is none */
    struct mp_mig_backend *backend;
    bool owners_given; /* firmware has divided the walkers */
    /* The launch that runs on it. */
    bool runs, given_up;
    struct mp_mgmt_launch launch;
    enum mp_mgmt_status status; /* how it will end */
    struct gwt_reader *reader;
    struct mp_app app;
};

/* What receives a livelock: a page has faulted again after each of `limit` replays, and during them no page
 * of its address space that had faulted got a translation, and no access was completed. Called once. */
struct mp_mig_watch {
    uint32_t limit; /* 0: never */
    void *self;
    void (*livelock)(void *self, const struct mp_mgmt_fault *fault);
};

struct mp_mig {
    struct mp_wheel *wheel;
    struct mp_mig_params p;
    struct mp_mig_host host;
    struct mp_mgmt *mgmt; /* who is told */
    struct mp_physmem memory;
    struct mp_coalescer *coalescer;
    struct mp_mig_slice slice[MP_MIG_SLICES];
    struct mp_mig_backend backend[MP_MIG_SLICES][MP_MIG_SLICES]; /* first slice, number of slices - 1 */
    struct mp_tlb l3_tlb;
    struct mp_mig_instance instance[MP_MGMT_INSTANCES];
    struct mp_mgmt_space space[MP_MIG_SPACES];
    struct mp_app_stats runs[MP_MIG_SPACES]; /* of launches that have ended */
    uint32_t used;                           /* address spaces that were ever valid, a bit each */
    /* Accesses whose page faulted: recorded, by address space; and those whose record waits for room. */
    struct mp_req_queue recorded[MP_MIG_SPACES], unrecorded;
    struct mp_mig_watch watch; /* the owner's to fill in */
    struct {                   /* of each address space: replays in a row that brought nothing */
        uint64_t replays, progress;
    } idle[MP_MIG_SPACES];
    struct { /* the invalidation under way */
        struct mp_scope scope;
        uint64_t removed, since;
    } invalidation;
};

/* -1: out of memory. */
int mp_mig_init(struct mp_mig *g, struct mp_wheel *wheel, const struct mp_mig_params *params,
                const struct mp_mig_host *host);
void mp_mig_free(struct mp_mig *g);
/* What the management block calls. Its owner sets mp_mig.mgmt before the first command. */
struct mp_mgmt_gpu mp_mig_operations(struct mp_mig *g);

/* Every block that was built, with its counters per address space. `tlb` is NULL unless it is one. */
struct mp_mig_visitor {
    void *self;
    void (*block)(void *self, const char *path, const char *kind, const struct mp_metric_table *table,
                  void *stats, const struct mp_tlb *tlb);
};
void mp_mig_visit(const struct mp_mig *g, const struct mp_mig_visitor *visitor);
/* What the address space's launches did until now. */
struct mp_app_stats mp_mig_runs(const struct mp_mig *g, unsigned asid);

#ifdef __cplusplus
}
#endif
#endif
