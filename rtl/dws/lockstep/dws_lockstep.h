/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of a DWS walk scheduler and its C model, event by event: after each event, the response with its
 * walk, its clocks, and every field of FWA, TWM, WTM and the registers must be equal. A walk that starts is
 * in flight until its walker completes. Decisions and boundaries are counted (dws_cover.h). */
#ifndef MP_RTL_DWS_LOCKSTEP_H
#define MP_RTL_DWS_LOCKSTEP_H

#include <stdio.h>

#include "rtl/dws/lockstep/dws_cover.h"
#include "rtl/dws/lockstep/dws_rtl.h"
#include "rtl/lockstep/lockstep.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dws_lockstep;

/* Converts the rules to the RTL's parameters. */
struct dws_rtl_setup dws_lockstep_setup(const struct mp_walk_geometry *g, bool plus,
                                        const struct mp_walk_rules *rules);

/* plus: DWS++. rules: compat is MP_WALK_PAPER, and an epoch has at most 255 arrivals. seed: for the RTL's
 * state before its first reset. Returns NULL if memory runs out. */
struct dws_lockstep *dws_lockstep_new(const struct dws_rtl *rtl, bool plus, const struct mp_walk_rules *rules,
                                      uint64_t seed);
/* From now on random events come with other epochs and thresholds, too. Call before the first event. */
void dws_lockstep_vary(struct dws_lockstep *l);
bool dws_lockstep_varies(const struct dws_lockstep *l);
/* Sets epoch and thresholds of the next events, in RTL and model. */
void dws_lockstep_rules(struct dws_lockstep *l, uint32_t epoch, const struct mp_walk_thresholds *thresholds);
void dws_lockstep_free(struct dws_lockstep *l);
struct rtl_lockstep *dws_lockstep_base(struct dws_lockstep *l); /* transactions are events */

/* Turns the design into its mutant of this number, or into itself again (0), resets RTL and model, and clears
 * the counts. Only for designs with mutants, and only while RTL and model have not differed. */
void dws_lockstep_mutate(struct dws_lockstep *l, unsigned mutant);
/* Sends events to both in one clock, at most one of each kind, sorted by kind; sets `id`. A walker that
 * completes must not be idle. Returns false if RTL and model differ; make no more calls then. After a reset
 * (manner.h) both are in their initial state. */
bool dws_lockstep_step(struct dws_lockstep *l, struct dws_rtl_event *events, unsigned n,
                       struct rtl_manner manner);
/* Returns the model's answer to an event of the last step, by its index. */
struct dws_rtl_response dws_lockstep_answer(const struct dws_lockstep *l, unsigned number);

/* Runs constrained-random events from the seed, driven calmly and roughly in turn (manner.h), with resets,
 * until this number is reached, RTL and model differ (false), or *stop is set. */
bool dws_lockstep_random(struct dws_lockstep *l, uint64_t seed, uint64_t events, const volatile int *stop);

const struct mp_partition *dws_lockstep_model(const struct dws_lockstep *l);
const struct dws_cover *dws_lockstep_cover(const struct dws_lockstep *l);
/* Coverage by number, from 0; false after the last. */
bool dws_lockstep_point(const struct dws_lockstep *l, unsigned number, char name[DWS_POINT_NAME],
                        struct mp_rtl_point *point);
/* Reports the RTL's lines (lines.h). */
extern const struct rtl_unreached dws_unreached[];
bool dws_lockstep_lines(const struct dws_lockstep *l, rtl_each_line *each, void *to);

/* Prints the first difference: events, responses, and the fields that differ, with their values before the
 * events, in the model and in the RTL. full: all fields. */
void dws_lockstep_report(const struct dws_lockstep *l, FILE *out, bool full);
#ifdef __cplusplus
}
#endif
#endif
