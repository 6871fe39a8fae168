/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of a NeiDty directory and its C model, clock by clock: the answer to the lookup, and then all
 * entries with their order must be equal. The model is an L1 TLB's struct mp_neighbour with a hop of one
 * cycle, so that its own mail decides the order of a clock's messages. */
#ifndef MP_RTL_NEIDTY_LOCKSTEP_H
#define MP_RTL_NEIDTY_LOCKSTEP_H

#include <stdio.h>

#include "rtl/lockstep/lockstep.h"
#include "rtl/neidty/lockstep/neidty_cover.h"
#include "rtl/neidty/lockstep/neidty_rtl.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct neidty_lockstep;

/* seed: for the RTL's state before its first reset. Returns NULL if memory runs out. */
struct neidty_lockstep *neidty_lockstep_new(const struct neidty_rtl *rtl, uint64_t seed);
/* Turns the RTL into its mutant of this number, from 1 (mutate.cmake), and resets RTL and model. */
void neidty_lockstep_mutate(struct neidty_lockstep *l, unsigned mutant);
void neidty_lockstep_free(struct neidty_lockstep *l);
struct rtl_lockstep *neidty_lockstep_base(struct neidty_lockstep *l); /* transactions are clocks */

/* One clock of both. If left and right insert the same page, left's flag says whether the TLB holds it.
 * Returns false if RTL and model differ; make no more calls then. With manner.reset a reset comes before the
 * clock's edge. */
bool neidty_lockstep_step(struct neidty_lockstep *l, const struct neidty_rtl_clock *clock,
                          struct rtl_manner manner);

/* Of the last clock: the model's answer, and its entries after it. */
struct neidty_rtl_answer neidty_lockstep_answer(const struct neidty_lockstep *l);
const struct neidty_state *neidty_lockstep_state(const struct neidty_lockstep *l);

/* Runs constrained-random clocks from the seed, driven calmly and roughly in turn (manner.h), with resets,
 * until this number is reached, RTL and model differ (false), or *stop is set. */
bool neidty_lockstep_random(struct neidty_lockstep *l, uint64_t seed, uint64_t clocks,
                            const volatile int *stop);

const struct neidty_rtl *neidty_lockstep_rtl(const struct neidty_lockstep *l);
const struct mp_directory *neidty_lockstep_model(const struct neidty_lockstep *l);
const struct neidty_cover *neidty_lockstep_cover(const struct neidty_lockstep *l);
/* Coverage by number, from 0; false after the last. */
bool neidty_lockstep_point(const struct neidty_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                           struct mp_rtl_point *point);
/* Reports the RTL's lines (lines.h). */
bool neidty_lockstep_lines(const struct neidty_lockstep *l, rtl_each_line *each, void *to);

/* Prints the first difference: the clock's inputs, answers, and the entries that differ, with their values
 * before the clock, in the model and in the RTL. full: all entries. */
void neidty_lockstep_report(const struct neidty_lockstep *l, FILE *out, bool full);

#ifdef __cplusplus
}
#endif
#endif
