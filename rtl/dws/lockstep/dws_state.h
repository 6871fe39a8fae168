/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a DWS scheduler in one form, for the C model and the RTL. */
#ifndef MP_RTL_DWS_STATE_H
#define MP_RTL_DWS_STATE_H

#include <stdio.h>

#include "rtl/dws/lockstep/dws_rtl.h"
#include "walk/scheduler/partition.h"

/* Returns a number of walks: more than x percent of `most` walks are more walks than this number. */
uint16_t dws_state_walks(uint32_t percent, uint32_t walks);

void dws_state_of_model(struct dws_state *s, const struct mp_partition *model,
                        const struct mp_walk_scheduler *scheduler);

bool dws_state_equal(const struct mp_walk_geometry *g, const struct dws_state *a, const struct dws_state *b);

/* Prints the fields that differ: their value before (in both), in the model and in the RTL. all: also the
 * others; lines of fields that differ begin with '*'. */
void dws_state_print(FILE *out, const struct mp_walk_geometry *g, const struct dws_state *before,
                     const struct dws_state *model, const struct dws_state *rtl, bool all);

#endif
