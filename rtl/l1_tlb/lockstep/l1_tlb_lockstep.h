/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of an L1 TLB's array and its C model, clock by clock: the answer, and then all entries with their
 * order of uses must be equal. The model is that of NeiDty's L1 TLB: models/tlb/policy/subentry.c with one
 * set and one sub-entry. */
#ifndef MP_RTL_L1_TLB_LOCKSTEP_H
#define MP_RTL_L1_TLB_LOCKSTEP_H

#include <stdio.h>

#include "rtl/l1_tlb/lockstep/l1_tlb_rtl.h"
#include "rtl/lockstep/lockstep.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct l1_tlb_lockstep;

/* seed: for the RTL's state before its first reset. Returns NULL if memory runs out. */
struct l1_tlb_lockstep *l1_tlb_lockstep_new(const struct l1_tlb_rtl *rtl, uint64_t seed);
/* Turns the RTL into its mutant of this number, from 1 (mutate.cmake), and resets RTL and model. */
void l1_tlb_lockstep_mutate(struct l1_tlb_lockstep *l, unsigned mutant);
void l1_tlb_lockstep_free(struct l1_tlb_lockstep *l);
struct rtl_lockstep *l1_tlb_lockstep_base(struct l1_tlb_lockstep *l); /* transactions are clocks */

/* One clock of both. Returns false if RTL and model differ; make no more calls then. With manner.reset a
 * reset comes before the clock's edge. */
bool l1_tlb_lockstep_step(struct l1_tlb_lockstep *l, const struct l1_tlb_rtl_clock *clock,
                          struct rtl_manner manner);

/* The model's answer in the last clock. */
struct l1_tlb_rtl_answer l1_tlb_lockstep_answer(const struct l1_tlb_lockstep *l);

/* Runs constrained-random clocks from the seed, driven calmly and roughly in turn (manner.h), with resets,
 * until this number is reached, RTL and model differ (false), or *stop is set. */
bool l1_tlb_lockstep_random(struct l1_tlb_lockstep *l, uint64_t seed, uint64_t clocks,
                            const volatile int *stop);

const struct l1_tlb_rtl *l1_tlb_lockstep_rtl(const struct l1_tlb_lockstep *l);
const struct l1_tlb_state *l1_tlb_lockstep_state(const struct l1_tlb_lockstep *l); /* of the model */
/* Coverage by number, from 0; false after the last. */
bool l1_tlb_lockstep_point(const struct l1_tlb_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                           struct mp_rtl_point *point);
/* Reports the RTL's lines (lines.h). */
bool l1_tlb_lockstep_lines(const struct l1_tlb_lockstep *l, rtl_each_line *each, void *to);

/* Prints the first difference: the clock's inputs, answers, and the entries that differ, with their values
 * before the clock, in the model and in the RTL. full: all entries. */
void l1_tlb_lockstep_report(const struct l1_tlb_lockstep *l, FILE *out, bool full);

#ifdef __cplusplus
}
#endif
#endif
