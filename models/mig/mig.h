/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole GPU whose MIG instances come and go while it runs, as its management block (soc/mgmt.h) commands.
 * The GPU maps nothing itself: firmware writes page tables into the GPU's memory.
 *
 * Address spaces have the numbers of tenants: asid a counts as tenant a in every block. An instance takes the
 * lowest neighbouring GPC slices that are free, and the memory of those slices. The plan (gpu/plan.h) has the
 * blocks of every run of slices. A run's blocks are built when an instance first needs them and stay, so that
 * counters and requests in flight outlive an instance.
 */
#ifndef MP_MIG_MIG_H
#define MP_MIG_MIG_H

#include "gpu/direct.h"
#include "sm/app.h"
#include "soc/mgmt.h"
#include "vm/physmem.h"
#include "vm/shootdown.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MIG_SLICES 7u /* at most */
#define MP_MIG_SPACES MP_MGMT_SPACES

/* Where recorded workloads come from. */
struct mp_mig_host {
    void *self;
    unsigned workloads;
    /* As mp_mgmt_gpu.buffer. */
    bool (*buffer)(void *self, unsigned workload, unsigned number, struct mp_mgmt_memory *buffer);
    /* A reader at the beginning of the trace; NULL: there is no such workload. */
    struct gwt_reader *(*open)(void *self, unsigned workload);
    void (*close)(void *self, unsigned workload, struct gwt_reader *reader);
    void (*failed)(void *self, const char *why); /* why a launch ended as UNSUPPORTED, for the user */
};

struct mp_mig;

struct mp_mig_instance {
    struct mp_mig *gpu;
    unsigned number, first, slices; /* slices: 0 if the instance does not exist */
    unsigned run;                   /* the plan's instance with these slices */
    struct mp_walk *walk;
    bool owners_given; /* firmware has divided the walkers */
    /* The launch that runs on the instance. */
    bool runs, given_up;
    struct mp_mgmt_launch launch;
    enum mp_mgmt_status status; /* how it will end */
    struct gwt_reader *reader;
    struct mp_app app;
};

/* Receives a livelock, once: a page has faulted again after each of `limit` replays, and meanwhile no faulted
 * page of its address space got a translation and no access was completed. */
struct mp_mig_watch {
    uint32_t limit; /* 0: never */
    void *self;
    void (*livelock)(void *self, const struct mp_mgmt_fault *fault);
};

struct mp_mig {
    struct mp_wheel *wheel;
    struct mp_machine machine;
    struct mp_mig_host host;
    struct mp_mgmt *mgmt; /* receives events */
    struct mp_physmem memory;
    struct mp_map map; /* all zero: the default */
    struct mp_coalescer *coalescer;
    struct mp_plan plan;
    struct mp_direct direct;
    bool *joined;       /* by link: it has been joined, and stays so */
    uint32_t *sm_block; /* by SM */
    struct mp_mig_instance instance[MP_MGMT_INSTANCES];
    struct mp_mgmt_space space[MP_MIG_SPACES];
    struct mp_app_stats runs[MP_MIG_SPACES]; /* of launches that have ended */
    uint32_t used;                           /* address spaces that were ever valid, a bit each */
    /* Pages that faulted: those that are recorded, by address space, and those whose record waits for room.
     */
    struct mp_req_queue recorded[MP_MIG_SPACES], unrecorded;
    struct mp_mig_watch watch; /* the owner may fill it in */
    struct {                   /* of each address space: replays in a row without progress */
        uint64_t replays, progress;
    } idle[MP_MIG_SPACES];
    struct mp_listeners listeners; /* of the last invalidation; room for every block */
    struct {                       /* the invalidation in progress */
        struct mp_scope scope;
        uint64_t removed, since;
    } invalidation;
};

/* The machine's instances vary, however they were divided before. -1: out of memory, or a machine that has no
 * plan. */
int mp_mig_init(struct mp_mig *g, struct mp_wheel *wheel, const struct mp_machine *machine,
                const struct mp_mig_host *host);
void mp_mig_free(struct mp_mig *g);
/* The management block's operations. Its owner sets mp_mig.mgmt before the first command. */
struct mp_mgmt_gpu mp_mig_operations(struct mp_mig *g);

/* Every block that was built; its counters are per address space. */
struct mp_mig_visitor {
    void *self;
    void (*block)(void *self, const struct mp_plan_block *block, void *model);
};
void mp_mig_visit(const struct mp_mig *g, const struct mp_mig_visitor *visitor);
/* What the launches of the address space have done until now. */
struct mp_app_stats mp_mig_runs(const struct mp_mig *g, unsigned asid);

/* SM `number` of the machine; NULL if it has not been built. */
static inline struct mp_sm *mp_mig_sm(const struct mp_mig *g, unsigned number)
{
    return (struct mp_sm *)g->direct.model[g->sm_block[number]];
}

#ifdef __cplusplus
}
#endif
#endif
