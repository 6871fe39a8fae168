/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The description of a machine from which a plan (plan.h) is made: GPC slices with their TPCs and SMs, the
 * instances and tenants that they are divided among, and levels. A level is a row: a kind of block, how many
 * of it there are, and which level its links lead to.
 */
#ifndef MP_GPU_MACHINE_H
#define MP_GPU_MACHINE_H

#include "cache/cache.h"
#include "cache/virtual.h"
#include "dram/dram.h"
#include "engine/block.h"
#include "engine/tenant.h"
#include "host/copy.h"
#include "host/host.h"
#include "sm/dispatch/dispatch.h"
#include "sm/sm.h"
#include "tlb/tlb.h"
#include "vm/frames/allocator.h"
#include "vm/page_choice.h"
#include "walk/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MACHINE_INSTANCES 36u
#define MP_MACHINE_LEVELS    16u
#define MP_MACHINE_MORE      4u  /* levels that a configuration adds */
#define MP_MACHINE_PATH      64u /* bytes of a block's path: "gpu.gpc0.tpc1.l1_tlb" */
#define MP_MACHINE_DESIGNS   32u /* of a kind, that registers can name */

/* There is one block of the level per ... */
enum mp_per {
    MP_PER_NONE, /* no block: links to the level lead to where its own links lead */
    MP_PER_SM,
    MP_PER_TPC,
    MP_PER_SLICE,
    MP_PER_INSTANCE,
    MP_PER_TENANT, /* one for each tenant, at each place where the level is at home */
    MP_PER_MACHINE
};

extern const char *const mp_per_names[]; /* by enum mp_per */

/* How a group of out links meets several blocks of the next level. */
enum mp_fan {
    MP_FAN_TARGET, /* one link to each block, used by the tenants whose requests it answers */
    MP_FAN_TENANT, /* one link for each tenant, so that no tenant holds up another */
    MP_FAN_PEERS   /* one link to each of its peers in a ring of blocks of its level */
};

struct mp_level {
    char name[MP_LEVEL_NAME]; /* kind of the blocks in results, and last word of their paths */
    const struct mp_block_kind *kind;
    enum mp_per per, home; /* home: where MP_PER_TENANT applies */
    /* Parameters of one GPC slice: `params`, or if that is NULL, those at this offset of struct mp_machine.
     */
    size_t params_at;
    const void *params;
    struct {
        char to[MP_LEVEL_NAME]; /* name of a level; empty if there are no links */
        enum mp_fan fan;
    } out[MP_BLOCK_GROUPS];
    /* For configurations: what `per` may be, by names; NULL: it is fixed. */
    const char *per_choices, *per_source, *per_text;
    unsigned place;        /* of its designs, for mp_design_fits() */
    const uint64_t *usual; /* values of the kind's first parameters, instead of the kind's; their number */
    unsigned usuals;
};

/* A run of GPC slices that belongs together: a MIG instance, or the whole machine. */
struct mp_machine_instance {
    char name[32]; /* in paths; empty: blocks of the instance are directly below "gpu" */
    uint32_t first_slice, slices;
};

struct mp_machine_tenant {
    uint32_t instance;
    uint32_t first_sm, sms;      /* tenants may overlap: an SM then serves all of them */
    struct mp_page_choice pages; /* of its buffers */
    bool managed;                /* they get memory when it accesses them */
};

struct mp_machine {
    uint32_t slices, tpcs, sms_per_tpc; /* TPCs of a slice, SMs of a TPC */
    uint32_t short_slices;              /* less than slices; the last ones, which have a TPC less */
    uint32_t memory_slices;             /* of the L2 data cache and the DRAM of all slices; 0: slices */
    uint32_t clock_mhz;
    uint32_t launch_latency, host_sync; /* cycles */
    uint64_t memory_per_slice;
    uint64_t page_bytes; /* of the least pages, for which blocks ask each other */
    uint64_t page_sizes; /* of all pages that the machine takes, or'ed */
    uint32_t line_bytes;

    unsigned tenants, instances;
    struct mp_machine_tenant tenant[MP_TENANTS];
    struct mp_machine_instance instance[MP_MACHINE_INSTANCES];
    bool instances_vary; /* instances come and go: they may overlap, and each serves any tenant */
    uint32_t most_warps; /* of an application that are resident at a time; 0: no limit */
    bool takes_turns;    /* kernels of two applications do not overlap */
    enum mp_per ring;    /* the blocks of a level are in one ring for each of these: machine or slice */

    unsigned levels;
    struct mp_level level[MP_MACHINE_LEVELS];

    /* Parameters of each level for one slice. A plan fills in those that depend on the place of a block:
     * numbers of SMs, tenants, ports and links. */
    struct mp_sm_params sm;
    struct mp_tlb_params l1_tlb, l2_tlb, l3_tlb;
    struct mp_walk_params walk;
    struct mp_cache_params l1d, l2d;
    struct mp_dram_params dram;
    struct mp_host_params host;
    struct mp_copies_params copy;
    unsigned mores;
    union {
        struct mp_tlb_params tlb;
        struct mp_cache_params cache;
    } more[MP_MACHINE_MORE];
    /* The designs that registers can name, by the numbers there, with the parameters that the configuration
     * gives them. The pointer is NULL if no design has the number. */
    struct {
        const struct mp_tlb_policy *policy;
        struct mp_design_values own;
    } tlb_policy[MP_MACHINE_DESIGNS];
    struct {
        const struct mp_walk_scheduler *scheduler;
        struct mp_design_values own;
    } walk_scheduler[MP_MACHINE_DESIGNS];
    struct { /* of every application, with the parameters that the configuration gives it */
        const struct mp_dispatch_policy *policy;
        struct mp_design_values own;
    } dispatch;
    struct {
        const struct mp_address_map *kind; /* NULL: mp_map_spread */
        struct mp_design_values own;
    } map;
    struct {
        const struct mp_frame_allocator *allocator; /* of the driver; NULL: firmware manages memory */
        struct mp_design_values own;
        uint8_t colours[MP_TENANTS]; /* mp_frames_params.colours */
    } frames;
    struct mp_design_values table; /* of walk.table, the design of page tables */
};

/* The level of that name as every machine has it, or NULL. */
const struct mp_level *mp_machine_usual(const char *name);
/* The last level of TLBs of every machine, whose misses are walked. */
const struct mp_level *mp_machine_last_tlb(void);
/* Fills the levels with those of every machine (machine.c lists them), each with its usual `per`. */
void mp_machine_set_levels(struct mp_machine *m);
/* Levels that a configuration may add, by the names of their kinds; ends with an empty name. */
extern const struct mp_level mp_machine_more[];
/* Adds a level like one of these between a level and those whose links lead to it, except its own: TLBs go on
 * asking their peers. Returns where its parameters are. name: less than MP_LEVEL_NAME characters; of
 * MP_MACHINE_MORE levels at most. */
void *mp_machine_add_level(struct mp_machine *m, const struct mp_level *like, const char *name,
                           const char *to, enum mp_per per);
/* The first group of links of the level `from` leads to the level `to`. */
void mp_machine_lead(struct mp_machine *m, const char *from, const char *to);
/* SMs send virtual addresses to their data caches, which have the misses translated. After
 * mp_machine_set_levels. */
void mp_machine_translate_late(struct mp_machine *m);
/* The SMs also access the host's memory, through the L2 data caches and a link. After
 * mp_machine_set_levels. */
void mp_machine_add_host(struct mp_machine *m, const struct mp_host_params *host);
/* Copies between the host and the GPU's memory access it through the L2 data caches; past them, if an
 * instance has several. After mp_machine_set_levels. */
void mp_machine_add_copies(struct mp_machine *m);
/* Page walks use contiguity bits, which software must keep right (vm/page_format.h). */
bool mp_machine_uses_contiguity(const struct mp_machine *m);
/* The format of a tenant's page table: that of walks, or mempath's with all sizes if it has others. */
const struct mp_page_format *mp_machine_format(const struct mp_machine *m, unsigned tenant);
/* The blocks between which addresses are divided use the map, which must outlive them. */
void mp_machine_set_map(struct mp_machine *m, struct mp_map map);
/* The level of that name, or NULL. */
struct mp_level *mp_machine_level(struct mp_machine *m, const char *name);

/* The parameters of a level that has no `params`. */
static inline void *mp_machine_params(struct mp_machine *m, const struct mp_level *level)
{
    return (char *)m + level->params_at;
}

/* Divides the machine: instance i, "mig<i>", has slices[i] GPC slices and only tenant i. */
void mp_machine_divide_slices(struct mp_machine *m, unsigned tenants, const uint32_t *slices);
/* One instance has all slices; tenant i has sms[i] separate SMs. */
void mp_machine_divide_sms(struct mp_machine *m, unsigned tenants, const uint32_t *sms);
/* One instance has all slices, and every tenant all SMs. Each has an equal share of the resident warps at
 * most; or, if they take turns, all of them while one of its kernels runs. */
void mp_machine_share_sms(struct mp_machine *m, unsigned tenants, bool take_turns);
/* The path of what is counted for a tenant as a whole: its instance's, or "gpu.tenantN" if several tenants
 * share one. */
void mp_machine_tenant_path(const struct mp_machine *m, uint32_t tenant, char path[MP_MACHINE_PATH]);
/* Instances come and go: there is one for each run of slices ("gpc0", "gpc0to2"), and every SM serves any of
 * the tenants. */
void mp_machine_let_instances_vary(struct mp_machine *m, unsigned tenants);

/* Slices of the memory that belong to this number of GPC slices. */
static inline uint32_t mp_machine_memory_slices(const struct mp_machine *m, uint32_t slices)
{
    return m->memory_slices && slices == m->slices ? m->memory_slices : slices;
}

/* Bytes of memory that belong to this number of GPC slices. */
static inline uint64_t mp_machine_memory(const struct mp_machine *m, uint32_t slices)
{
    return mp_machine_memory_slices(m, slices) * m->memory_per_slice;
}

/* SMs of a slice that is not short. */
static inline uint32_t mp_machine_slice_sms(const struct mp_machine *m)
{
    return m->tpcs * m->sms_per_tpc;
}

/* The number of a slice's first TPC and first SM; of the slice after the last one: TPCs and SMs of the
 * machine. */
static inline uint32_t mp_machine_first_tpc(const struct mp_machine *m, uint32_t slice)
{
    const uint32_t whole = m->slices - m->short_slices;
    return slice * m->tpcs - (slice > whole ? slice - whole : 0);
}

static inline uint32_t mp_machine_first_sm(const struct mp_machine *m, uint32_t slice)
{
    return mp_machine_first_tpc(m, slice) * m->sms_per_tpc;
}

static inline uint32_t mp_machine_sms(const struct mp_machine *m)
{
    return mp_machine_first_sm(m, m->slices);
}

static inline uint32_t mp_machine_slice_of(const struct mp_machine *m, uint32_t sm)
{
    uint32_t slice = 0;
    while (sm >= mp_machine_first_sm(m, slice + 1))
        slice++;
    return slice;
}

#ifdef __cplusplus
}
#endif
#endif
