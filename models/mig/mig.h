/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole GPU whose MIG instances are created and destroyed while it runs, by commands to its management
 * block (soc/mgmt.h). The GPU itself maps no memory: firmware writes page tables into the GPU's memory.
 *
 * Address spaces have the numbers of tenants: asid a counts as tenant a in every block. An instance takes
 * the lowest run of free GPC slices, and the memory of those slices. The plan (gpu/plan.h) contains the
 * blocks of every possible run of slices. The blocks of a run count from when an instance first needs them,
 * and are kept, so that counters and requests in flight outlive an instance.
 */
#ifndef MP_MIG_MIG_H
#define MP_MIG_MIG_H

#include "gpu/direct.h"
#include "host/copy.h"
#include "sm/app.h"
#include "sm/prober.h"
#include "soc/access_counters.h"
#include "soc/mgmt.h"
#include "vm/frame_check.h"
#include "vm/page_table.h"
#include "vm/physmem.h"
#include "vm/shootdown.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MIG_SLICES 7u /* maximum number */

/* The source of recorded workloads. */
struct mp_mig_host {
    void *self;
    unsigned workloads;
    /* See mp_mgmt_gpu.buffer. */
    bool (*buffer)(void *self, unsigned workload, unsigned number, struct mp_mgmt_memory *buffer);
    /* Returns a reader at the beginning of the trace, or NULL if there is no such workload. */
    struct gwt_reader *(*open)(void *self, unsigned workload);
    void (*close)(void *self, unsigned workload, struct gwt_reader *reader);
    /* Why a command ended as BAD_VALUE or UNSUPPORTED, or a launch as UNSUPPORTED, in one line for the user.
     */
    void (*refused)(void *self, const char *why);
    bool accesses; /* launches ask for what the traces' host reads and writes, if firmware wants that */
};

/* Builds and joins the blocks of the plan; may let other code decide in place of a model. */
struct mp_mig_assembly {
    void *self;
    /* Called first. The plan and the wheel outlive the assembly. Returns -1 if the plan cannot be assembled.
     */
    int (*begin)(void *self, const struct mp_plan *plan, struct mp_wheel *wheel);
    /* The model of a block that is needed from now on, or NULL if memory runs out. */
    void *(*build)(void *self, uint32_t block);
    /* The model of a block, needed or not; NULL if it does not exist yet. */
    void *(*model)(void *self, uint32_t block);
    /* Joins both ends of a link. Another link that began at the same out link is no longer in use. */
    void (*join)(void *self, uint32_t link);
    /* Called before a TLB gets another policy or a page-walk system another scheduler. It may change the
     * parameters. Returns -1 if the block cannot work with them. */
    int (*change)(void *self, uint32_t block, void *params);
    void (*changed)(void *self, uint32_t block); /* called after the change */
};

struct mp_mig;

/* Faults on purpose: asked at each event of their kind. */
struct mp_mig_faults {
    void *self;
    /* An invalidation has ended: returns the cycles after which the GPU says so; MP_NEVER: never. */
    uint64_t (*late)(void *self);
    /* A fault is recorded: returns the cycles for which the buffer has no room, or 0; MP_NEVER: for ever. */
    uint64_t (*full)(void *self);
    /* A launch starts: returns whether it begins no work-group. */
    bool (*hangs)(void *self);
    /* Accesses are to be replayed: returns whether nothing happens. */
    bool (*replay_lost)(void *self);
    /* An entry of a ring is to become valid: returns after how many cycles; 0: now, MP_NEVER: never. */
    uint64_t (*invalid)(void *self);
    struct mp_walk_faults walk; /* of every page-walk system */
};

struct mp_mig_instance {
    struct mp_mig *gpu;
    unsigned number, first, slices; /* slices: number of slices, 0 if the instance does not exist */
    unsigned run;                   /* the plan's instance with these slices */
    struct mp_walk *walk;
    uint32_t walk_block;                       /* its number in the plan */
    struct mp_copies *copies;                  /* NULL: copies access no lines */
    const struct mp_walk_scheduler *scheduler; /* that was commanded; RTL may decide in its place */
    bool owners_given;                         /* firmware has divided the walkers */
    struct mp_mig_context *runs;               /* the launch that is running on the instance, or NULL */
    unsigned saves_as;                         /* number of its context, if it is preempted */
};

/* A launch with its state: it is running, or saved. Events that are planned may find one that has ended. */
struct mp_mig_context {
    struct mp_mig *gpu;
    bool used, given_up;
    struct mp_mgmt_launch launch;
    enum mp_mgmt_status status; /* the status with which it will end */
    struct gwt_reader *reader;
    struct mp_app app;
};

/* Called once for a livelock: a page has faulted again after each of `limit` replays, and meanwhile no
 * faulted page of its address space got a translation and no access was completed. */
struct mp_mig_watch {
    uint32_t limit; /* 0 for never */
    void *self;
    void (*livelock)(void *self, const struct mp_mgmt_fault *fault);
};

/* The last word of a ring's entry, which comes late. */
struct mp_mig_late {
    uint64_t address, word, since_ns; /* word: 0 if a later one has its place */
    bool waits;
};

struct mp_mig {
    struct mp_wheel *wheel;
    struct mp_machine machine;
    struct mp_mig_host host;
    struct mp_mgmt *mgmt; /* receives events */
    struct mp_physmem memory;
    struct mp_map map; /* all zero for the default */
    struct mp_coalescer *coalescer;
    struct mp_plan plan;
    struct mp_mig_assembly assembly;
    struct mp_direct direct; /* unless the owner gave another assembly */
    void **model;            /* by block: NULL until it is needed */
    bool *joined;            /* by link: it has been joined, and remains joined */
    uint32_t *sm_block;      /* by SM */
    struct mp_mig_instance instance[MP_MGMT_INSTANCES];
    struct mp_mig_context context[MP_MGMT_INSTANCES + MP_MGMT_CONTEXTS]; /* in any order */
    struct mp_mig_context *saved[MP_MGMT_CONTEXTS];                      /* by number; NULL: none */
    struct mp_mgmt_space space[MP_MGMT_SPACES];
    /* The tables that walks read. The root of an address space that is not valid is outside the memory. */
    struct mp_page_table table[MP_MGMT_SPACES];
    struct mp_frame_check *check; /* sees what firmware commands; NULL: no check. The owner may set it */
    const struct mp_mig_faults *faults;       /* NULL: there are none. The owner may set it */
    struct mp_app_stats runs[MP_MGMT_SPACES]; /* counts of the launches that have ended */
    uint64_t *dispatched;                     /* counters of the dispatch policy for them, by address space */
    uint32_t used;                            /* bit mask of the address spaces that have ever been valid */
    /* Pages that faulted: those that are recorded, by address space, and those whose record waits for
     * room, by mp_mgmt_fault_queue(). */
    struct mp_req_queue recorded[MP_MGMT_SPACES], unrecorded[1 + MP_MGMT_INSTANCES];
    uint64_t full_until; /* no fault is recorded before this cycle: a fault on purpose */
    struct mp_mig_late late[16];
    struct mp_mig_watch watch; /* the owner may fill it in */
    struct {                   /* by address space: number of consecutive replays without progress */
        uint64_t replays, progress;
    } idle[MP_MGMT_SPACES];
    struct { /* the latest probe; the arrays have room for the most loads, from the first probe on */
        struct mp_mgmt_probe probe;
        struct mp_prober prober;
        uint64_t *address, *cycles;
    } probing;
    struct mp_access_counters counters; /* of accesses to the host's memory */
    struct mp_host_link link;           /* over which they go, and copies: the owner's */
    struct mp_listeners listeners;      /* blocks of the last invalidation; room for every block */
    struct {                            /* the invalidation in progress */
        struct mp_scope scope;
        uint64_t removed, since;
    } invalidation;
};

/* Makes the machine's instances vary, whatever its division was. assembly is NULL for models that call each
 * other directly. Returns -1 if memory runs out, if the machine cannot be assembled, or if it has no plan;
 * err (which may be NULL) then says why. */
int mp_mig_init(struct mp_mig *g, struct mp_wheel *wheel, const struct mp_machine *machine,
                const struct mp_mig_host *host, const struct mp_mig_assembly *assembly, struct mp_error *err);
void mp_mig_free(struct mp_mig *g);
/* The management block's operations. The owner sets mp_mig.mgmt before the first command. */
struct mp_mgmt_gpu mp_mig_operations(struct mp_mig *g);

/* What accesses the lines of copies of this memory, and the address space for which they count, the first of
 * the memory's instance. NULL: no instance has the memory, or the machine has no block for it. */
struct mp_copies *mp_mig_copies(const struct mp_mig *g, uint64_t pa, uint8_t *asid);

/* Every block that was needed; its counters are per address space. */
struct mp_mig_visitor {
    void *self;
    void (*block)(void *self, const struct mp_plan_block *block, void *model);
};
void mp_mig_visit(const struct mp_mig *g, const struct mp_mig_visitor *visitor);
/* Returns the counts of the address space's launches up to now. */
struct mp_app_stats mp_mig_runs(const struct mp_mig *g, unsigned asid);
/* The same for the counters that the dispatch policy brings, if its design has any. */
void mp_mig_dispatched(const struct mp_mig *g, unsigned asid, uint64_t *words);

/* SM `number` of the machine; NULL if it has not been needed. */
static inline struct mp_sm *mp_mig_sm(const struct mp_mig *g, unsigned number)
{
    return (struct mp_sm *)g->model[g->sm_block[number]];
}

#ifdef __cplusplus
}
#endif
#endif
