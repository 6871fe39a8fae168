/* SPDX-License-Identifier: Apache-2.0 */
/* A C interface to a Verilated rtl/uvm_tree/mp_uvm_tree.sv: requests in, responses out. */
#ifndef MP_RTL_UVM_TREE_RTL_H
#define MP_RTL_UVM_TREE_RTL_H

#include "rtl/lockstep/manner.h"
#include "rtl/lockstep/verilated.h"
#include "uvm/mask.h"
#include "uvm/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uvm_tree_rtl_request {
    struct mp_uvm_unit_request unit;
    struct rtl_manner manner;
};

struct uvm_tree_rtl_response {
    uint32_t first, count;
    bool reset;        /* a reset came before the response was accepted; first and count are not set */
    uint32_t clocks;   /* from the request's acceptance to the response */
    const char *wrong; /* as rtl_verilated.wrong */
};

/* The block and its marks. Pages are counted from the tree's base. */
struct uvm_tree_state {
    uint32_t first, last, threshold;
    struct mp_uvm_mask marked; /* also pages outside of the block */
};

struct uvm_tree_rtl {
    struct rtl_verilated verilated;
    uint32_t bigs, big;
    bool timed; /* its clocks are those of rtl/ */
    /* seed: for registers and memories before the first reset. Returns a block that is reset and ready for
     * requests, or NULL if memory runs out. */
    void *(*open)(uint64_t seed);
    void (*request)(void *rtl, const struct uvm_tree_rtl_request *request,
                    struct uvm_tree_rtl_response *response);
    void (*state)(const void *rtl, struct uvm_tree_state *state); /* NULL: it is not where ours is */
};

#ifdef __cplusplus
}
#endif
#endif
