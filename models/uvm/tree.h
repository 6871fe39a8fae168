/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of prefetch design `tree` (prefetch/tree.c), and a unit of hardware that has it
 * (rtl/uvm_tree/mp_uvm_tree.sv): what a driver asks the unit for when it serves a block.
 */
#ifndef MP_UVM_TREE_H
#define MP_UVM_TREE_H

#include "uvm/prefetch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_uvm_pages { /* from first to before end */
    uint32_t first, end;
};

/* The page at which the leaves of the tree begin: the block's first, or that of its big page. */
uint32_t mp_uvm_tree_base(const struct mp_uvm_look *b);
/* The part of the block that is marked if this page of it faults: a big page, or what is before the first
 * whole one or after the last. */
struct mp_uvm_pages mp_uvm_tree_part(const struct mp_uvm_look *b, uint32_t page);
/* The largest node above the page of which enough is marked; only the page if none is. base: of the tree;
 * marks: the number of pages in `marked`. */
struct mp_uvm_pages mp_uvm_tree_node(const struct mp_uvm_look *b, uint32_t base, uint32_t page,
                                     const struct mp_uvm_mask *marked, uint32_t marks);

/* ---- the unit ---- */

#define MP_UVM_UNIT_ROW 16u /* pages that a request loads or marks at once */

enum mp_uvm_unit_op { MP_UVM_UNIT_BEGIN, MP_UVM_UNIT_LOAD, MP_UVM_UNIT_MARK, MP_UVM_UNIT_QUERY };

/* A request. Pages are counted from the tree's base. */
struct mp_uvm_unit_request {
    enum mp_uvm_unit_op op;
    uint32_t page;             /* BEGIN: the last of the block; LOAD: any of the row */
    uint32_t first, threshold; /* BEGIN: the first page of the block; percent */
    uint64_t marks;            /* LOAD: of the row */
    bool grow;                 /* MARK: the whole row */
};

/* Returns the region of a query; otherwise it means nothing. */
typedef struct mp_uvm_pages mp_uvm_unit(void *self, const struct mp_uvm_unit_request *request);

/* As mp_uvm_prefetch.pages, with a unit that finds the nodes; of these, pages before the block's first are
 * not in `out`. */
void mp_uvm_unit_pages(const struct mp_uvm_look *b, mp_uvm_unit *unit, void *self, struct mp_uvm_mask *out);

#ifdef __cplusplus
}
#endif
#endif
