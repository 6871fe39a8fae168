/* SPDX-License-Identifier: Apache-2.0 */
/* A pool, and what its library has decided, carried out: pages move, and their entries become valid or
 * invalid. Of managed memory's files alone. */
#ifndef FW_UVM_CARRY_H
#define FW_UVM_CARRY_H

#include "ce.h"
#include "clint.h"
#include "rings.h"
#include "uvm.h"
#include "uvm/uvm.h"
#include "uvm_space.h"

enum {
    UVM_BATCH = 256,        /* faults */
    UVM_RING = 4096,        /* entries of the ring of faults */
    UVM_PENDING = UVM_BATCH /* at most, before they are awaited */
};

/* Pages of a block whose copies are in progress, or may be: then their entries become valid. */
struct uvm_pending {
    struct uvm_range *range;
    struct uvm_block *block;
    uint64_t va; /* of the aligned 2 MB */
    struct mp_uvm_mask pages;
    uint32_t count; /* of pages */
    bool remote;    /* entries lead to the host's memory */
    bool read_only; /* stores fault */
    bool lost;      /* a copy has failed, or the zeroing of some of the pages: */
    struct mp_uvm_mask zeroed;
    uint64_t fence; /* of MP_CE_IN; remote pages await their block's copies to the host */
};

struct uvm_pool_state {
    bool on;        /* there is a pool */
    bool maps_host; /* pages may stay there, where the GPU accesses them */
    uint32_t unit_pages;
    unsigned instance;
    struct uvm_setup setup;
    struct mp_uvm_params p;
    struct mp_uvm *library;
    void *memory; /* of the library */
    struct ring ring, notices;
    unsigned buffered; /* faults that the library has, and has not served */
    unsigned faulted;  /* address spaces that are to be replayed, a bit each */
    unsigned replayed; /* those that the batch has replayed */
    uint64_t lost;     /* entries of the ring that had not come before the latest replay */
    bool changed;      /* the batch has changed something */
    bool held;         /* a page of the batch is held */
    unsigned holds;    /* batches of the service with such a page */
    uint64_t deadline; /* at which the alarm is set, in ns; 0: it is not */
    struct clint_timer alarm;
    unsigned idle;        /* batches that have not, one after the other */
    enum fw_error failed; /* the hardware has; nothing is decided any more */
    struct uvm_counts counts;
};

/* Of each instance; and the one that functions of managed memory are about. */
extern struct uvm_pool_state uvm_states[MP_MGMT_INSTANCES];
extern struct uvm_pool_state *uvm_current;
#define uvm_state (*uvm_current)
/* From now on. Returns whether there is a pool. */
bool uvm_select(unsigned instance);
bool uvm_select_space(unsigned asid); /* that of its instance */

/* As of struct mp_uvm_report: a unit leaves; a block is served because of faults, or of notices. */
void uvm_evicted(void *context, const struct mp_uvm_victim *v);
void uvm_served(void *context, const struct mp_uvm_service *s);
void uvm_noticed(void *context, const struct mp_uvm_service *s);
/* The accesses of the space try again, or are given up. */
void uvm_replay(unsigned asid, bool give_up);
/* Waits for the copies of all blocks, whose entries then become valid. */
void uvm_settle(void);
/* Waits for the copies of va's aligned 2 MB to the host. Returns FW_EBUS if one has failed, and so has lost
 * data; no further call says so. An engine that hangs ends everything. */
enum fw_error uvm_await_out(const struct uvm_range *r, uint64_t va);
/* Of these pages of an aligned 2 MB, the GPU does not access any on the host any more. */
enum fw_error uvm_leave_host(const struct uvm_range *r, uint64_t block, const struct mp_uvm_mask *pages);
/* Pages of va's aligned 2 MB go to the host; those that are nowhere are zero there. va's page, if it is
 * pinned, stays the GPU's to access. Returns FW_EBUS if a copy has failed. */
enum fw_error uvm_move_to_host(struct uvm_range *r, uint64_t va, const struct mp_uvm_moved *moved);

#endif
