/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of MESC's unified TLB, or of its baseline, and the C model, one request at a time: after each
 * request, the response, its clocks, and every field of the sets that it uses must be equal. All sets are
 * compared after an invalidation of more than a page and after a reset. */
#ifndef MP_RTL_MESC_TLB_LOCKSTEP_H
#define MP_RTL_MESC_TLB_LOCKSTEP_H

#include <signal.h>
#include <stdio.h>

#include "rtl/lockstep/lockstep.h"
#include "rtl/mesc_tlb/lockstep/mesc_tlb_rtl.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mesc_tlb_lockstep;

/* seed: for the RTL's state before its first reset. Returns NULL if memory runs out. */
struct mesc_tlb_lockstep *mesc_tlb_lockstep_new(const struct mesc_tlb_rtl *rtl, uint64_t seed);
void mesc_tlb_lockstep_free(struct mesc_tlb_lockstep *l);
struct rtl_lockstep *mesc_tlb_lockstep_base(struct mesc_tlb_lockstep *l); /* transactions are requests */
/* Turns the RTL into its mutant of this number, and resets RTL and model. */
void mesc_tlb_lockstep_mutate(struct mesc_tlb_lockstep *l, unsigned mutant);
const struct mesc_tlb_rtl *mesc_tlb_lockstep_rtl(const struct mesc_tlb_lockstep *l);

/* The model has MP_ASIDS address spaces, the RTL more. Draws the numbers that the model's have in the RTL,
 * which differ in three bits at most, often with 0 or 255 among them; before the first call they are the
 * same. The TLB must be empty. */
void mesc_tlb_lockstep_draw_asids(struct mesc_tlb_lockstep *l, uint64_t random);

/* Sends one request to both. Returns false if RTL and model differ; make no more calls then. The frames of
 * all pages that are inserted must be numbers of MESC_TLB_PFN_W bits. */
bool mesc_tlb_lockstep_step(struct mesc_tlb_lockstep *l, const struct mesc_tlb_rtl_request *q);

/* The model's answer to the last request. */
struct mesc_tlb_rtl_response mesc_tlb_lockstep_answer(const struct mesc_tlb_lockstep *l);

/* Runs constrained-random requests from the seed, driven calmly and roughly in turn (manner.h), with resets,
 * until this number is reached, RTL and model differ (false), or *stop is set (NULL: never). */
bool mesc_tlb_lockstep_random(struct mesc_tlb_lockstep *l, uint64_t seed, uint64_t requests,
                              const volatile sig_atomic_t *stop);

/* Coverage by number, from 0; false after the last. */
bool mesc_tlb_lockstep_point(const struct mesc_tlb_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                             struct mp_rtl_point *point);
/* Writes the points, enum mesc_point, that neither this session nor an earlier one of the run has met to
 * open[MESC_POINTS]. Returns their number. */
unsigned mesc_tlb_lockstep_open(const struct mesc_tlb_lockstep *l, uint16_t *open);
/* What the set holds, with the model's address spaces. */
const struct mesc_set *mesc_tlb_lockstep_set(const struct mesc_tlb_lockstep *l, uint32_t set);
/* The RTL's numbers of the model's MP_ASIDS address spaces. */
const uint8_t *mesc_tlb_lockstep_asids(const struct mesc_tlb_lockstep *l);
/* Reports the RTL's lines (lines.h). */
bool mesc_tlb_lockstep_lines(const struct mesc_tlb_lockstep *l, rtl_each_line *each, void *to);

/* Prints the first difference: request, responses, and the ways of the set that differ, with their values
 * before the request, in the model and in the RTL. full: all ways. */
void mesc_tlb_lockstep_report(const struct mesc_tlb_lockstep *l, FILE *out, bool full);

#ifdef __cplusplus
}
#endif
#endif
