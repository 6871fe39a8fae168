/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of a STAR TLB and its C model, one request at a time: after each request, the response, the cycles,
 * the way, the lost translations, and every field of the set (dirty bits, too) must be equal. All sets are
 * compared after an invalidation of more than a page and after a reset. Transitions of entries are counted by
 * the arrows of the state machine. */
#ifndef MP_RTL_STAR_LOCKSTEP_H
#define MP_RTL_STAR_LOCKSTEP_H

#include <signal.h>
#include <stdio.h>

#include "rtl/lockstep/lockstep.h"
#include "rtl/star/lockstep/star_cover.h"
#include "rtl/star/lockstep/star_rtl.h"
#include "rtl_run.h"
#include "tlb/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

struct star_lockstep;

/* rtl: the design; stride: 1, 2 or 4. policy and stride matter only in mode 1. seed: for the RTL's state
 * before its first reset. Returns NULL if memory runs out. */
struct star_lockstep *star_lockstep_new(const struct star_rtl *rtl, enum star_rtl_policy policy,
                                        unsigned stride, uint64_t seed);
void star_lockstep_free(struct star_lockstep *l);
struct rtl_lockstep *star_lockstep_base(struct star_lockstep *l); /* transactions are requests */

/* Turns the design into its mutant of this number, or into itself again (0), resets RTL and model, and clears
 * the counts. Only for designs with mutants, and only while RTL and model have not differed. */
void star_lockstep_mutate(struct star_lockstep *l, unsigned mutant);
/* Sends one request to both. Returns false if RTL and model differ; star_lockstep_report() prints where.
 * asid, vpn and frame must fit into STAR_RTL_ASID_W, _VPN_W and _FRAME_W bits. */
bool star_lockstep_step(struct star_lockstep *l, const struct star_rtl_request *q);

/* The model's answer to the last request, and the whole result of the last insertion. The pages that the
 * insertion removed are added to `left`. */
struct star_rtl_response star_lockstep_answer(const struct star_lockstep *l);
struct mp_tlb_insertion star_lockstep_insertion(const struct star_lockstep *l, struct mp_tlb_left *left);
/* Returns the model's name of the RTL's action on an insertion. */
const char *star_lockstep_inserted(uint8_t action);
/* Returns the number of valid translations of an address space in the model. */
uint64_t star_lockstep_occupancy(const struct star_lockstep *l, uint16_t asid);

/* Runs constrained-random requests from the seed, driven calmly and roughly in turn (manner.h), with resets,
 * until this number is reached, RTL and model differ (false), or *stop is set (NULL: never). */
bool star_lockstep_random(struct star_lockstep *l, uint64_t seed, uint64_t requests,
                          const volatile sig_atomic_t *stop);

/* Draws a point that the run has not met (lockstep.h). Returns its group and sets *n, its number in the
 * group; STAR_GROUPS with *n = 0 if all are met, with 1 if it is an arrow. */
enum star_group star_lockstep_aim(const struct star_lockstep *l, uint64_t random, unsigned *n);

uint32_t star_lockstep_sets(const struct star_lockstep *l);

/* Prints the first difference: request, responses, and the fields of the set that differ, with their values
 * before the request, in the model and in the RTL. full: all fields. */
void star_lockstep_report(const struct star_lockstep *l, FILE *out, bool full);
/* ---- coverage ---- */

#define STAR_ARROW_NAME 64u

/* Reads a point by number, from 0: the arrows of the mode's state machine, then those of star_cover.h.
 * Returns false after the last. Any other arrow is a difference. */
bool star_lockstep_point(const struct star_lockstep *l, unsigned number, char name[STAR_ARROW_NAME],
                         struct mp_rtl_point *point);

/* Reports the RTL's lines (lines.h). */
extern const struct rtl_unreached star_unreached[];
bool star_lockstep_lines(const struct star_lockstep *l, rtl_each_line *each, void *to);

#ifdef __cplusplus
}
#endif
#endif
