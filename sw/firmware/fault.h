/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replayable faults. An access to a page without a valid entry waits in the GPU and is reported in a buffer
 * of few places. What lies in a region that was promised gets a page, then all accesses of the address space
 * that wait are tried again; anything else is given up, and its launch fails. So is an access whose entry the
 * GPU cannot use, which no replay would change. Accesses whose report found the
 * buffer full wait as well and report again when they are tried again.
 */
#ifndef FW_FAULT_H
#define FW_FAULT_H

#include <stdint.h>

#include "error.h"

struct fault_counts {
    uint64_t reported; /* taken from the buffer */
    uint64_t mapped;   /* pages */
    uint64_t repeated; /* of a page that was there by then */
    uint64_t
        refused; /* outside every region, guarded, a store where only loads are allowed, or no memory left */
    uint64_t flawed; /* of the refused: the GPU cannot use the entry (MP_MGMT_CAUSE_RESERVED and above) */
    uint64_t replays;
};

void fault_init(void);
/* Pages of [va, va + bytes) come when they are first accessed. FW_ENOMEM: the table of regions is full. */
enum fw_error fault_promise(unsigned asid, uint64_t va, uint64_t bytes);
/* All its regions. */
void fault_forget(unsigned asid);
/* Everything in the buffer, and what came while that was served. */
void fault_service(void);
/* Services that found reports waiting behind a full buffer. */
uint64_t fault_storms(void);
const struct fault_counts *fault_counts(unsigned asid);

#endif
