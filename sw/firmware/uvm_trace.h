/* SPDX-License-Identifier: Apache-2.0 */
/* What unified memory decides, as text: the lines that `mempath replay uvm` reads, each answer after "= ".
 * Without uvm_trace_begin nothing is printed. */
#ifndef FW_UVM_TRACE_H
#define FW_UVM_TRACE_H

#include "rings.h"
#include "soc/mgmt.h"
#include "uvm/uvm.h"
#include "uvm_space.h"

void uvm_trace_begin(void);
/* What follows is of this instance's pool: `@ INSTANCE`, if it was another's before. */
void uvm_trace_pool(unsigned instance);
/* The options of the replay, as a comment. */
void uvm_trace_options(const struct mp_uvm_params *p);
void uvm_trace_open(const struct uvm_range *r);
/* at: the time in ns, here and below. */
void uvm_trace_close(uint64_t at, const struct uvm_range *r, const struct mp_uvm_freed *freed);
void uvm_trace_fault(uint64_t at, const struct mp_mgmt_fault *f, unsigned access);
void uvm_trace_entry(uint32_t entries);
void uvm_trace_host(uint64_t at, unsigned asid, uint64_t va, const struct mp_uvm_moved *m);
/* The library has counted what a notice reports of these big pages of the 2 MB around va. */
void uvm_trace_count(uint64_t at, unsigned asid, uint64_t va, uint32_t bigs, uint32_t count,
                     const struct mp_uvm_hit *hit);
/* Units are to leave ahead of need; after the victims, how many have left. */
void uvm_trace_ahead(uint64_t at);
void uvm_trace_ahead_end(uint32_t units, uint32_t spare);
/* A batch begins; its victims and services; its end. */
void uvm_trace_batch(uint64_t at);
void uvm_trace_victim(const struct mp_uvm_victim *v);
void uvm_trace_service(const struct mp_uvm_service *s);
void uvm_trace_batch_end(const struct mp_uvm_batch *b);
/* Notices are served; their victims; their services; their end. */
void uvm_trace_notices(uint64_t at);
void uvm_trace_noticed(const struct mp_uvm_service *s);
void uvm_trace_notices_end(const struct mp_uvm_noticed *n);

/* Prints a pool, its ranges and its counters. */
void uvm_print_state(const struct mp_uvm_params *p, unsigned instance, const struct ring *ring,
                     const struct uvm_counts *counts);

#endif
