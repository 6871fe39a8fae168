/* SPDX-License-Identifier: Apache-2.0 */
/* Warp schedulers: which ready warp issues next, and for how long it keeps the issue slot. One scheduler is
 * one line in schedulers.c. */
#ifndef MP_SM_SCHEDULER_H
#define MP_SM_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/design.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_warp_scheduler {
    struct mp_design design;
    /* ready: a bit per warp slot, not 0. age[slot]: smaller is older. last: slot that issued last; same_warp:
     * the warp that issued then is still the one there. */
    unsigned (*pick)(uint64_t ready, const uint64_t *age, unsigned last, bool same_warp);
    /* After each instruction the next one in turn issues, or else the picked warp goes on up to its next
     * memory instruction. */
    bool takes_turns;
};

extern const struct mp_warp_scheduler mp_warp_gto, mp_warp_lrr;
extern const struct mp_warp_scheduler *const mp_warp_schedulers[]; /* NULL-terminated */
extern const struct mp_design *const mp_warp_scheduler_designs[];
const struct mp_warp_scheduler *mp_warp_scheduler_find(const char *name);

/* The oldest ready warp. */
unsigned mp_oldest_warp(uint64_t ready, const uint64_t *age);
/* The ready warp whose turn comes after that of slot `last`. */
unsigned mp_next_warp(uint64_t ready, unsigned last);

#ifdef __cplusplus
}
#endif
#endif
