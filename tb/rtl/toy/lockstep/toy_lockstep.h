/* SPDX-License-Identifier: Apache-2.0 */
/* RTL and model of a list of free entries, clock by clock: the answer, and then all entries must be equal. */
#ifndef MP_TB_TOY_LOCKSTEP_H
#define MP_TB_TOY_LOCKSTEP_H

#include <stdio.h>

#include "rtl/lockstep/lockstep.h"
#include "rtl/toy/lockstep/toy_rtl.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct toy_lockstep;

/* seed: for the RTL's state before its first reset. Returns NULL if memory runs out. */
struct toy_lockstep *toy_lockstep_new(const struct toy_rtl *rtl, uint64_t seed);
/* Turns the RTL into its mutant of this number, from 1 (mutate.cmake), and resets RTL and model. */
void toy_lockstep_mutate(struct toy_lockstep *l, unsigned mutant);
void toy_lockstep_free(struct toy_lockstep *l);
struct rtl_lockstep *toy_lockstep_base(struct toy_lockstep *l); /* transactions are clocks */

/* One clock of both. Returns false if RTL and model differ; make no more calls then. With manner.reset a
 * reset comes before the clock's edge. */
bool toy_lockstep_step(struct toy_lockstep *l, const struct toy_rtl_clock *clock, struct rtl_manner manner);

/* Runs random clocks from the seed until this number is reached, RTL and model differ (false), or *stop is
 * set. */
bool toy_lockstep_random(struct toy_lockstep *l, uint64_t seed, uint64_t clocks, const volatile int *stop);

uint32_t toy_lockstep_entries(const struct toy_lockstep *l);
const struct toy_state *toy_lockstep_state(const struct toy_lockstep *l); /* of the model */
/* The entry that the model takes next; 0 if none is free. */
uint32_t toy_lockstep_next(const struct toy_lockstep *l);
/* Coverage by number, from 0; false after the last. */
bool toy_lockstep_point(const struct toy_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                        struct mp_rtl_point *point);
/* Reports the RTL's lines (lines.h). */
bool toy_lockstep_lines(const struct toy_lockstep *l, rtl_each_line *each, void *to);

/* Prints the first difference. full: also the fields that do not differ. */
void toy_lockstep_report(const struct toy_lockstep *l, FILE *out, bool full);

#ifdef __cplusplus
}
#endif
#endif
