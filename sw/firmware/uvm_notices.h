/* SPDX-License-Identifier: Apache-2.0 */
/* Notices of hardware's access counters, for the library of decisions. */
#ifndef FW_UVM_NOTICES_H
#define FW_UVM_NOTICES_H

#include "rings.h"
#include "uvm/uvm.h"

/* Takes the notices that ring_look has found, and clears their counters. The library, whose time is `at`,
 * gets what they report of each managed range. After a notice that was lost, all counters begin anew. Returns
 * the number. */
unsigned uvm_notices_take(struct ring *r, struct mp_uvm *library, uint64_t at);
/* Clears the counters of these addresses. */
void uvm_notices_forget(unsigned asid, uint64_t va, uint64_t bytes, uint32_t granule_bytes);

#endif
