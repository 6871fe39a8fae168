/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a DWS scheduler in one form, whether the C model or the RTL holds them. */
#ifndef MP_TB_DWS_STATE_H
#define MP_TB_DWS_STATE_H

#include <stdio.h>

#include "rtl/dws_rtl.h"
#include "walk/scheduler/partition.h"

/* Percent of so many walks as a number of walks: more than x percent are more than this many. */
uint16_t dws_state_walks(uint32_t percent, uint32_t walks);

void dws_state_of_model(struct dws_state *s, const struct mp_partition *model,
                        const struct mp_walk_scheduler *scheduler);

bool dws_state_equal(const struct mp_walk_geometry *g, const struct dws_state *a, const struct dws_state *b);

/* The fields that differ: before (of both), model and RTL. all: the others too; the lines of those that
 * differ begin with '*'. */
void dws_state_print(FILE *out, const struct mp_walk_geometry *g, const struct dws_state *before,
                     const struct dws_state *model, const struct dws_state *rtl, bool all);

#endif
