/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The RTL of a STAR TLB and its C model, one request at a time: the response, the cycles, the way, what is
 * lost, and every field of the set (dirty bits too) must be equal after each. All sets are compared after an
 * invalidation of more than a page and after a reset. What an entry went through is counted, arrow by arrow
 * of the state machine.
 */
#ifndef MP_TB_STAR_LOCKSTEP_H
#define MP_TB_STAR_LOCKSTEP_H

#include <signal.h>
#include <stdio.h>

#include "rtl/lockstep.h"
#include "rtl/star_rtl.h"
#include "rtl_run.h"
#include "tlb/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

struct star_lockstep;

/* rtl: of which design; stride: 1, 2 or 4. policy and stride are heeded in mode 1 only. seed: of what the RTL
 * holds before its first reset. NULL: out of memory. */
struct star_lockstep *star_lockstep_new(const struct star_rtl *rtl, enum star_rtl_policy policy,
                                        unsigned stride, uint64_t seed);
void star_lockstep_free(struct star_lockstep *l);
struct rtl_lockstep *star_lockstep_base(struct star_lockstep *l); /* transactions are requests */

/* The design becomes its mutant of this number, or itself again (0); both are as after a reset, and nothing
 * was requested yet. For designs that carry mutants, as long as they did not differ. */
void star_lockstep_mutate(struct star_lockstep *l, unsigned mutant);
/* One request to both. False: they differ; star_lockstep_report tells where. The designs have bits for a part
 * of the numbers only: asid, vpn and frame within STAR_RTL_ASID_W, _VPN_W and _FRAME_W. */
bool star_lockstep_step(struct star_lockstep *l, const struct star_rtl_request *q);

/* The model's answer to the last request, and the whole result of the last insertion: the pages that left are
 * added to `left`. */
struct star_rtl_response star_lockstep_answer(const struct star_lockstep *l);
struct mp_tlb_insertion star_lockstep_insertion(const struct star_lockstep *l, struct mp_tlb_left *left);
/* The model's name of what the RTL did on an insertion. */
const char *star_lockstep_inserted(uint8_t action);
/* Valid translations of an address space in the model. */
uint64_t star_lockstep_occupancy(const struct star_lockstep *l, uint16_t asid);

/* Constrained-random requests from the seed, driven calmly and roughly by turns (manner.h), with resets,
 * until there were this many, they differ (false), or *stop is set (NULL: never). */
bool star_lockstep_random(struct star_lockstep *l, uint64_t seed, uint64_t requests,
                          const volatile sig_atomic_t *stop);

uint32_t star_lockstep_sets(const struct star_lockstep *l);

/* The first difference: request, responses, and the fields of the set that differ, before the request, in the
 * model and in the RTL. full: all fields. */
void star_lockstep_report(const struct star_lockstep *l, FILE *out, bool full);
/* ---- coverage ---- */

#define STAR_ARROW_NAME 64u

/* The arrows of the mode's state machine by number, from 0: name, and how often it was taken. False behind
 * the last. An arrow that is not among them is a difference. */
bool star_lockstep_arrow(const struct star_lockstep *l, unsigned number, char name[STAR_ARROW_NAME],
                         uint64_t *taken);

/* The RTL's lines (lines.h). */
bool star_lockstep_lines(const struct star_lockstep *l, rtl_each_line *each, void *to);

#ifdef __cplusplus
}
#endif
#endif
