/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The RTL of a DWS walk scheduler and its C model, event by event: the response with its walk, the clocks it
 * took, and every field of FWA, TWM, WTM and the registers must be equal after each. A walk that starts is
 * under way until its walker completes. What was decided and at which boundaries is counted (dws_cover.h).
 */
#ifndef MP_TB_DWS_LOCKSTEP_H
#define MP_TB_DWS_LOCKSTEP_H

#include <stdio.h>

#include "rtl/dws_cover.h"
#include "rtl/dws_rtl.h"
#include "rtl/lockstep.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dws_lockstep;

/* The rules in the RTL's terms. */
struct dws_rtl_setup dws_lockstep_setup(const struct mp_walk_geometry *g, bool plus,
                                        const struct mp_walk_rules *rules);

/* plus: DWS++. Of the rules, compat is MP_WALK_PAPER and an epoch is of at most 255 arrivals. seed: of what
 * the RTL holds before its first reset. NULL: out of memory. */
struct dws_lockstep *dws_lockstep_new(const struct dws_rtl *rtl, bool plus, const struct mp_walk_rules *rules,
                                      uint64_t seed);
void dws_lockstep_free(struct dws_lockstep *l);
struct rtl_lockstep *dws_lockstep_base(struct dws_lockstep *l); /* transactions are events */

/* The design becomes its mutant of this number, or itself again (0); both are as after a reset, and nothing
 * has happened yet. For designs that carry mutants, as long as they did not differ. */
void dws_lockstep_mutate(struct dws_lockstep *l, unsigned mutant);
/* Events that come in one clock, at most one of a kind and by kind, to both; `id` is chosen here. A walker
 * that completes is not idle. False: they differ, and nothing more may come. After a reset (manner.h) both
 * are as in the beginning. */
bool dws_lockstep_step(struct dws_lockstep *l, struct dws_rtl_event *events, unsigned n,
                       struct rtl_manner manner);
/* What the model answered to the event of that number in the last step. */
struct dws_rtl_response dws_lockstep_answer(const struct dws_lockstep *l, unsigned number);

/* Constrained-random events from the seed, driven calmly and roughly by turns (manner.h), with resets, until
 * there were this many, they differ (false), or *stop is set. */
bool dws_lockstep_random(struct dws_lockstep *l, uint64_t seed, uint64_t events, const volatile int *stop);

const struct mp_partition *dws_lockstep_model(const struct dws_lockstep *l);
const struct dws_cover *dws_lockstep_cover(const struct dws_lockstep *l);
/* The RTL's lines (lines.h). */
bool dws_lockstep_lines(const struct dws_lockstep *l, rtl_each_line *each, void *to);

/* The first difference: events, responses, and the fields that differ, before the events, in the model and in
 * the RTL. full: all fields. */
void dws_lockstep_report(const struct dws_lockstep *l, FILE *out, bool full);
#ifdef __cplusplus
}
#endif
#endif
