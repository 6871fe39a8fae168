/* SPDX-License-Identifier: Apache-2.0 */
/* The prefetch tree of a 2 MB block as `mempath cosim uvm-tree` compares it: modes and stimuli. */
#ifndef MP_RTL_UVM_TREE_COSIM_H
#define MP_RTL_UVM_TREE_COSIM_H

#include "cli/cosim/cosim.h"
#include "uvm/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cosim_block cosim_uvm_tree;

enum cosim_uvm_tree_mode { COSIM_UVM_TREE, COSIM_UVM_TREE_SMALL };

/* Pages of the block, of a row, and the highest threshold of the port. */
#define COSIM_UVM_TREE_PAGES(mode)    ((mode) == COSIM_UVM_TREE_SMALL ? 16u : MP_UVM_PAGES)
#define COSIM_UVM_TREE_ROW(mode)      ((mode) == COSIM_UVM_TREE_SMALL ? 4u : MP_UVM_UNIT_ROW)
#define COSIM_UVM_TREE_MOST_THRESHOLD 127u

/* A stimulus is a struct mp_uvm_unit_request. */

#ifdef __cplusplus
}
#endif
#endif
