/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replayable faults. An access to a page without a valid entry waits in the GPU and is reported in a buffer
 * with few entries. If the page is in a promised region, the driver maps it, and then the GPU replays all
 * waiting accesses of the address space. Otherwise the driver gives the access up, and its launch fails. It
 * also gives up an access whose entry the GPU cannot use, because no replay would change that. An access
 * whose report does not fit the buffer waits as well, and reports again when it is replayed.
 */
#ifndef FW_FAULT_H
#define FW_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "soc/mgmt.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fault_counts {
    uint64_t reported; /* reports taken from the buffer */
    uint64_t mapped;   /* pages mapped */
    uint64_t repeated; /* reports of a page that was mapped in the meantime */
    uint64_t
        refused; /* outside every region, guarded, a store where only loads are allowed, or no memory left */
    uint64_t flawed; /* refused because the GPU cannot use the entry (MP_MGMT_CAUSE_RESERVED and above) */
    uint64_t replays;
};

void fault_init(void);
/* Pages of [va, va + bytes) are mapped when they are first accessed. Returns FW_ENOMEM if the table of
 * regions is full. */
enum fw_error fault_promise(unsigned asid, uint64_t va, uint64_t bytes);
/* Removes all regions of the address space. */
void fault_forget(unsigned asid);
bool fault_is_promised(unsigned asid, uint64_t va);
/* Serves a fault that is not from the buffer, without a replay. Returns whether a replay would get on. */
bool fault_serve(const struct mp_mgmt_fault *fault);
/* Serves all reports in the buffer, and those that arrive meanwhile. */
void fault_service(void);
/* Number of calls of the service that found reports waiting for room in the buffer. */
uint64_t fault_storms(void);
const struct fault_counts *fault_counts(unsigned asid);

#ifdef __cplusplus
}
#endif
#endif
