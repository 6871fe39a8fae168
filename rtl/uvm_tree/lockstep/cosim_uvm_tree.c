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
static const char first_clocks[] = "it decides only whether the first or the second clock counts a page, "
                                   "and the first sum can only select the page itself, which is the default";

static const char more_reads[] =
    "the memory is read in more clocks: the same row again, or one that nothing uses";

static const struct cosim_blind blind[] = {
    {"assign from = BIG_W'(p) ^ page_q[BIG_W-1:0];", "Y", 0, 0, first_clocks},
    {"assign access = write | marks", "A", 0, 0, more_reads},
    {NULL, NULL, 0, 0, NULL},
};
#endif

COSIM_EXPORT(.open = open_tree, .step = step);
