/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a DWS scheduler in one form, for the C model and the RTL. */
#ifndef MP_TB_DWS_STATE_H
#define MP_TB_DWS_STATE_H

#include <stdio.h>

#include "rtl/dws_rtl.h"
#include "walk/scheduler/partition.h"

/* Converts a percentage of `most` walks to walks: more than x percent is more than this number. */
uint16_t dws_state_walks(uint32_t percent, uint32_t walks);

void dws_state_of_model(struct dws_state *s, const struct mp_partition *model,
                        const struct mp_walk_scheduler *scheduler);

bool dws_state_equal(const struct mp_walk_geometry *g, const struct dws_state *a, const struct dws_state *b);

/* Prints the fields that differ: before (of both), model and RTL. all: the others, too; lines of fields that
 * differ begin with '*'. */
void dws_state_print(FILE *out, const struct mp_walk_geometry *g, const struct dws_state *before,
                     const struct dws_state *model, const struct dws_state *rtl, bool all);

#endif
