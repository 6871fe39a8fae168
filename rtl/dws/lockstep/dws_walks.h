/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a recorded stream of page walks through the lockstep of DWS, as in `mempath replay walks`. All walks
 * have the same latency. Order in a cycle: completions in walker order, then walks that wait for room, then
 * arrivals. */
#ifndef MP_RTL_DWS_WALKS_H
#define MP_RTL_DWS_WALKS_H

#include "rtl/dws/lockstep/dws_lockstep.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dws_walks;

/* latency: cycles of every walk, at least 1; manner: without resets. Returns NULL if memory runs out. */
struct dws_walks *dws_walks_new(struct dws_lockstep *lockstep, uint64_t latency, struct rtl_manner manner);
void dws_walks_free(struct dws_walks *w);

/* Lets a walk of this tenant arrive in a cycle, which is not before the previous walk's. Returns false if RTL
 * and model differ, or if memory runs out; see the lockstep. */
bool dws_walks_arrive(struct dws_walks *w, uint64_t cycle, uint8_t tenant);
/* Completes all walks. Returns false if RTL and model differ. */
bool dws_walks_finish(struct dws_walks *w);

uint64_t dws_walks_cycle(const struct dws_walks *w); /* cycle of the last event */

#ifdef __cplusplus
}
#endif
#endif
