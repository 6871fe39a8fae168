/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of the prefetch tree and the C model (models/uvm/prefetch/tree.c), request by request: the region
 * of each query, the clocks, and the state after each request must be those of the model. */
#ifndef MP_RTL_UVM_TREE_LOCKSTEP_H
#define MP_RTL_UVM_TREE_LOCKSTEP_H

#include <signal.h>
#include <stdio.h>

#include "rtl/lockstep/lockstep.h"
#include "rtl/uvm_tree/lockstep/uvm_tree_rtl.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uvm_tree_lockstep;

/* seed: for the RTL's state before its first reset. Returns NULL if memory runs out. */
struct uvm_tree_lockstep *uvm_tree_lockstep_new(const struct uvm_tree_rtl *rtl, uint64_t seed);
/* Turns the RTL into its mutant of this number, from 1 (mutate.cmake), and resets RTL and model. */
void uvm_tree_lockstep_mutate(struct uvm_tree_lockstep *l, unsigned mutant);
void uvm_tree_lockstep_free(struct uvm_tree_lockstep *l);
struct rtl_lockstep *uvm_tree_lockstep_base(struct uvm_tree_lockstep *l); /* transactions are requests */
const struct uvm_tree_rtl *uvm_tree_lockstep_rtl(const struct uvm_tree_lockstep *l);
const struct uvm_tree_state *uvm_tree_lockstep_state(const struct uvm_tree_lockstep *l);
/* The region of the last query. */
struct mp_uvm_pages uvm_tree_lockstep_region(const struct uvm_tree_lockstep *l);

/* A request to both. Returns false if RTL and model differ; make no more calls then. */
bool uvm_tree_lockstep_step(struct uvm_tree_lockstep *l, const struct mp_uvm_unit_request *request,
                            struct rtl_manner manner);

/* Makes constrained-random requests from the seed until this number is reached, RTL and model differ (false),
 * or *stop is set (NULL: never). */
bool uvm_tree_lockstep_random(struct uvm_tree_lockstep *l, uint64_t seed, uint64_t requests,
                              const volatile sig_atomic_t *stop);

/* Coverage by number, from 0; false after the last. */
bool uvm_tree_lockstep_point(const struct uvm_tree_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                             struct mp_rtl_point *point);
/* Whether neither this session nor an earlier one of the run has met the point. */
bool uvm_tree_lockstep_open(const struct uvm_tree_lockstep *l, unsigned number);
/* Reports the RTL's lines (lines.h). */
bool uvm_tree_lockstep_lines(const struct uvm_tree_lockstep *l, rtl_each_line *each, void *to);

/* Prints the first difference; full: also the marks of all rows. */
void uvm_tree_lockstep_report(const struct uvm_tree_lockstep *l, FILE *out, bool full);

#ifdef __cplusplus
}
#endif
#endif
