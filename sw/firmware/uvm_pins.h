/* SPDX-License-Identifier: Apache-2.0 */
/* The time of decisions, and what time alone does: pins of pages that thrash end. Of managed memory's files
 * alone. */
#ifndef FW_UVM_PINS_H
#define FW_UVM_PINS_H

#include <stdbool.h>
#include <stdint.h>

/* The time is now: pins whose time is over end, and the GPU does not access their pages on the host any more.
 * Returns the time, in ns from 1. */
uint64_t uvm_advance(void);
/* uvm_alarm_rang() is true when the first pin of the pool ends, and uvm_due(). After anything that may have
 * pinned pages. */
void uvm_await_pins(void);
bool uvm_alarm_rang(void);
/* Serves until this time in ns, or later. Another pool may be selected afterwards. */
void uvm_nap(uint64_t end);

#endif
