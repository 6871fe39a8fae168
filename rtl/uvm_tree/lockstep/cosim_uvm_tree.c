/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of the prefetch tree as `mempath cosim uvm-tree` loads it. */
#include "rtl/lockstep/cosim_block.h"
#include "rtl/uvm_tree/cosim.h"
#include "rtl/uvm_tree/lockstep/uvm_tree_lockstep.h"

COSIM_BLOCK(uvm_tree)

static void *open_tree(const struct cosim_setup *setup)
{
    return open_block(uvm_tree_lockstep_new(built(setup), setup->seed), setup);
}

static bool step(void *cosim, const void *stimulus)
{
    struct cosim_uvm_tree *c = cosim;
    rtl_manner_draw(&c->manner);
    return uvm_tree_lockstep_step(c->lockstep, stimulus, c->manner);
}

#ifdef COSIM_MUTANTS
static const struct cosim_blind blind[] = {
    {NULL, NULL, 0, 0, NULL},
};
#endif

COSIM_EXPORT(.open = open_tree, .step = step);
