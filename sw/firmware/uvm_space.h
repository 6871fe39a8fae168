/* SPDX-License-Identifier: Apache-2.0 */
/* Managed ranges, the frames of their units, and the host's memory for them. */
#ifndef FW_UVM_SPACE_H
#define FW_UVM_SPACE_H

#include "error.h"
#include "uvm.h"
#include "uvm/mask.h"

#define UVM_BLOCK_BYTES 2097152u

struct uvm_range {
    unsigned asid, instance;
    uint64_t va, bytes;
    bool read_only;
    uint32_t first; /* of its blocks, in the tables and in the host's memory */
};

struct uvm_block {             /* what a range has in an aligned 2 MB */
    struct mp_uvm_mask here;   /* pages on the GPU */
    struct mp_uvm_mask left;   /* pages that were copied to the host */
    struct mp_uvm_mask remote; /* pages whose entries lead to the host's memory */
    struct mp_uvm_mask absent; /* pages of `here` that did not arrive: only the host has their data */
    uint64_t out;              /* fence of the latest copy of its pages to the host; 0: there was none */
    bool lost;                 /* one of these copies has failed */
    bool pending;              /* pages of `here` or `remote` have no valid entries yet */
};

void uvm_space_init(void); /* there is nothing; frames are not given back */
/* Takes frames for the pool from the instance, as units of these bytes; one that overlaps has one more, for
 * which a chunk is taken. */
enum fw_error uvm_space_begin(unsigned instance, const struct uvm_setup *setup, uint32_t unit_bytes);
void uvm_space_end(unsigned instance);
uint32_t uvm_spare_frames(unsigned instance); /* without that one */

enum fw_error uvm_range_open(unsigned asid, uint64_t va, uint64_t bytes, bool read_only,
                             struct uvm_range **range);
/* Gives its frames back. */
void uvm_range_close(struct uvm_range *r);
/* NULL: none has this address. Range i of all pools, in any order; NULL: there are no more. */
struct uvm_range *uvm_range_at(unsigned asid, uint64_t va);
struct uvm_range *uvm_range(unsigned i);
bool uvm_has_ranges(unsigned instance);

struct uvm_block *uvm_block_of(const struct uvm_range *r, uint64_t va);
/* Addresses of the GPU. */
uint64_t uvm_host_of(const struct uvm_range *r, uint64_t va);
uint64_t uvm_frame_of(const struct uvm_range *r, uint64_t va); /* of a page whose unit has a frame */

/* The unit of this address gets a frame if it has none: *fence of MP_CE_OUT is to be awaited before it is
 * written. Returns FW_ENOMEM if there is none. */
enum fw_error uvm_frame_take(const struct uvm_range *r, uint64_t va, uint64_t *fence);
/* The unit's frame is free when MP_CE_OUT has this fence. */
void uvm_frame_give(const struct uvm_range *r, uint64_t va, uint64_t fence);

#endif
