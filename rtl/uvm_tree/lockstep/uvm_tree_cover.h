/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of the prefetch tree: which node a query finds, how dense the nodes above it are,
 * where the block begins and ends, and what changes the marks. */
#ifndef MP_RTL_UVM_TREE_COVER_H
#define MP_RTL_UVM_TREE_COVER_H

#include "rtl/uvm_tree/lockstep/uvm_tree_lockstep.h"

#ifdef __cplusplus
extern "C" {
#endif

#define UVM_TREE_LEVELS 10u /* nodes of 1 to 512 pages */
#define UVM_TREE_BITS   9u  /* of a page */
#define UVM_TREE_ROWS   32u
#define UVM_TREE_RATES  7u /* bits of the threshold */

enum uvm_tree_point {
    UVM_TREE_OUTSIDE_BEFORE,
    UVM_TREE_OUTSIDE_AFTER,
    UVM_TREE_OUTSIDE_MARKS,
    UVM_TREE_CUT_AT_BEGIN,
    UVM_TREE_CUT_AT_END,
    UVM_TREE_CUT_AT_BOTH,
    UVM_TREE_ONE_PAGE,
    UVM_TREE_ALL_MARKED,
    UVM_TREE_NONE_MARKED,
    UVM_TREE_ONLY_LARGER,
    UVM_TREE_THRESHOLD_0,
    UVM_TREE_THRESHOLD_100,
    UVM_TREE_BEGIN_CLEARS,
    UVM_TREE_LOAD_CLEARS,
    UVM_TREE_LOAD_NOTHING,
    UVM_TREE_MARK_AGAIN,
    UVM_TREE_MARK_FIRST_OF_ROW,
    UVM_TREE_MARK_OUTSIDE,
    UVM_TREE_GROW_EMPTY,
    UVM_TREE_GROW_PART,
    UVM_TREE_RESET_WITH_MARKS,
    UVM_TREE_RESET_IN_QUERY,
    UVM_TREE_RESET_AT_END,
    UVM_TREE_ALONE,
    /* By level: the region is a node of this size, exactly the threshold is not enough, and one mark more is.
     */
    UVM_TREE_NODE = UVM_TREE_ALONE,
    UVM_TREE_EQUAL = UVM_TREE_NODE + UVM_TREE_LEVELS,
    UVM_TREE_JUST = UVM_TREE_EQUAL + UVM_TREE_LEVELS,
    /* A node is dense and the next one above it, which is not, has this bit of the page set or not. */
    UVM_TREE_BIT_SET = UVM_TREE_JUST + UVM_TREE_LEVELS,
    UVM_TREE_BIT_CLEAR = UVM_TREE_BIT_SET + UVM_TREE_BITS,
    /* By row: of the page, the last of the block, and marked alone where that decides. */
    UVM_TREE_PAGE_ROW = UVM_TREE_BIT_CLEAR + UVM_TREE_BITS,
    UVM_TREE_LAST_ROW = UVM_TREE_PAGE_ROW + UVM_TREE_ROWS,
    UVM_TREE_MARK_ROW = UVM_TREE_LAST_ROW + UVM_TREE_ROWS,
    /* By the block's first page. */
    UVM_TREE_FIRST = UVM_TREE_MARK_ROW + UVM_TREE_ROWS,
    /* A bit of the threshold decides about the region. */
    UVM_TREE_RATE = UVM_TREE_FIRST + MP_UVM_UNIT_ROW,
    UVM_TREE_POINTS = UVM_TREE_RATE + UVM_TREE_RATES
};

struct uvm_tree_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    uint32_t pages, row; /* of the block, of a row */
    struct mp_rtl_point point[UVM_TREE_POINTS];
};

/* Counts a request in this state of the model; a query has found this region. */
void uvm_tree_cover_request(struct uvm_tree_cover *c, const struct uvm_tree_state *before,
                            const struct mp_uvm_unit_request *r, struct mp_uvm_pages region);
/* Counts a reset during a request, this number of clocks after its acceptance of those that it takes. */
void uvm_tree_cover_reset(struct uvm_tree_cover *c, const struct uvm_tree_state *before,
                          const struct mp_uvm_unit_request *r, uint32_t clocks, uint32_t of);
/* Reads a point by number, from 0; false after the last. Some do not exist in small blocks. */
bool uvm_tree_cover_point(const struct uvm_tree_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                          struct mp_rtl_point *point);

/* The region of a page in this state. */
struct mp_uvm_pages uvm_tree_region(const struct uvm_tree_state *s, uint32_t row, uint32_t page);

#ifdef __cplusplus
}
#endif
#endif
