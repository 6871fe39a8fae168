/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorded stream of page walks through the lockstep of DWS, as `mempath replay walks` has it: every walk
 * takes as long; in a cycle come completions in walker order, then walks that wait for room, then arrivals.
 */
#ifndef MP_TB_DWS_WALKS_H
#define MP_TB_DWS_WALKS_H

#include "rtl/dws_lockstep.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dws_walks;

/* latency: of every walk, cycles, 1 at least; manner: without resets. NULL: out of memory. */
struct dws_walks *dws_walks_new(struct dws_lockstep *lockstep, uint64_t latency, struct rtl_manner manner);
void dws_walks_free(struct dws_walks *w);

/* A walk of this tenant arrives in a cycle, not before that of the last. False: model and RTL differ, or out
 * of memory; the lockstep tells which. */
bool dws_walks_arrive(struct dws_walks *w, uint64_t cycle, uint8_t tenant);
/* All that arrived are walked to their end. False: they differ. */
bool dws_walks_finish(struct dws_walks *w);

uint64_t dws_walks_cycle(const struct dws_walks *w); /* of the last event */

#ifdef __cplusplus
}
#endif
#endif
