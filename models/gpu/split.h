/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The groups (engine/groups.h) into which a machine's blocks are divided. A GPC slice's SMs and their caches
 * and TLBs are one group; so that several slices can run ahead of what they share, links between groups have
 * a lookahead: an L2 TLB knows for the cycles of its look-up that it will send a miss, an L1 data cache too.
 * Blocks that a link without lookahead joins are in the same group. The applications are a group in a stage
 * before all others.
 *
 * A machine whose SMs would be in one group is one group as a whole: it has one GPC slice, or an L2 TLB that
 * all slices share, or its owners of work-groups learn of their ends at once, or it has managed memory.
 */
#ifndef MP_GPU_SPLIT_H
#define MP_GPU_SPLIT_H

#include "gpu/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_SPLIT_APPS 0u /* the group of the applications */

struct mp_split {
    uint32_t groups;
    uint32_t *group;    /* of each block of the plan */
    uint32_t *stage;    /* of each group, ascending */
    uint32_t lookahead; /* of all links between groups, at least, and of the news of a work-group's end */
};

/* Returns -1 if memory runs out. */
int mp_split_init(struct mp_split *s, const struct mp_plan *plan, const struct mp_machine *machine);
void mp_split_free(struct mp_split *s);

/* Numbers of senders (struct mp_sender), different from each other and from 0: of changes in page tables for
 * a block, of what goes to an SM and comes from it (three), of a link. */
static inline uint32_t mp_split_order_of_block(uint32_t block)
{
    return 1 + block;
}

static inline uint32_t mp_split_order_of_sm(const struct mp_plan *plan, uint32_t block)
{
    return 1 + plan->blocks + 3 * block;
}

static inline uint32_t mp_split_order_of_link(const struct mp_plan *plan, uint32_t link)
{
    return 1 + 4 * plan->blocks + link;
}

#ifdef __cplusplus
}
#endif
#endif
