/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine as two tables: blocks and links. The builder of the machine, with SystemC modules or without
 * (direct.h), makes a model of each block and joins the two ends of each link.
 *
 * The order of the blocks is part of a run's digest. It is: each instance with what belongs to it as a whole,
 * then its slices, each with its TPCs and their SMs; last, what belongs to the whole machine. If instances
 * vary, all slices come before all instances.
 *
 * If instances vary, several links may begin at the same out link of a block: exactly one of them is in use
 * at a time, as a crossbar would have it. Without that, each out link begins one link.
 */
#ifndef MP_GPU_PLAN_H
#define MP_GPU_PLAN_H

#include "engine/error.h"
#include "gpu/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_PLAN_NONE UINT32_MAX

struct mp_plan_block {
    char path[MP_MACHINE_PATH]; /* "gpu.mig0.l2d", "gpu.gpc0.tpc1.l1_tlb" */
    char level[MP_LEVEL_NAME];  /* name of its level */
    const struct mp_block_kind *kind;
    void *params;      /* of this block */
    uint32_t tenants;  /* whose requests reach it, a bit each */
    uint32_t hears;    /* likewise; and those of its peers, whose probes and invalidations reach it */
    enum mp_per per;   /* of the place: never MP_PER_TENANT */
    uint32_t instance; /* number of instances: of no one instance */
    uint32_t slices;   /* that it serves */
    uint32_t first_sm; /* SMs that it serves, by their numbers in the machine */
    uint32_t sms;
    uint32_t ins, outs;  /* in ports and out links */
    uint32_t first_link; /* links that begin at the block, in the order of out links */
    uint32_t links;
    uint32_t ring_place, ring;        /* of a block with peers: its place in a ring, and the ring's size */
    uint32_t peer_sm[MP_BLOCK_PEERS]; /* first SMs of the first of its peers */
};

struct mp_plan_link {
    uint32_t from, out; /* block, its out link */
    uint32_t to, port;  /* block, its in port */
    uint32_t tenants;   /* whose requests take this link, a bit each */
    enum mp_link_kind kind;
};

struct mp_plan {
    uint32_t blocks, links;
    struct mp_plan_block *block;
    struct mp_plan_link *link;
};

/* 0, or -1 with a reason: out of memory, or levels that do not fit together. */
int mp_plan_init(struct mp_plan *plan, const struct mp_machine *machine, struct mp_error *err);
void mp_plan_free(struct mp_plan *plan);

/* The block with that path, or MP_PLAN_NONE. */
uint32_t mp_plan_find(const struct mp_plan *plan, const char *path);
/* The first block of that kind in an instance; MP_PLAN_NONE if there is none. */
uint32_t mp_plan_find_kind(const struct mp_plan *plan, const struct mp_block_kind *kind, uint32_t instance);
/* The first block of a level, from block `from` on, that serves the SM; MP_PLAN_NONE if there is none. */
uint32_t mp_plan_find_level(const struct mp_plan *plan, const char *level, uint32_t sm, uint32_t from);

#ifdef __cplusplus
}
#endif
#endif
