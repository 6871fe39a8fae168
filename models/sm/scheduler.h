/* SPDX-License-Identifier: Apache-2.0 */
/* Warp schedulers: which ready warp issues next, and for how long it keeps the issue slot. A scheduler is a
 * file, or one of several in a file, and a word in the list of CMakeLists.txt. */
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
    /* Returns a slot of `ready`, which has a bit per warp slot and is not 0. age[slot]: smaller is older.
     * last: the slot that issued last; same_warp: it still holds the warp that issued then. */
    unsigned (*pick)(uint64_t ready, const uint64_t *age, unsigned last, bool same_warp);
    /* Each instruction gives the turn to the next warp, in the order of the slots; pick() is asked only which
     * of the warps that wait for the load-store queue gets room. Otherwise the picked warp issues up to its
     * next memory instruction. */
    bool takes_turns;
};

#define MP_WARP_SCHEDULER_NEEDS(EACH, WITH) EACH(pick)

extern const struct mp_warp_scheduler mp_warp_gto, mp_warp_lrr;
extern const struct mp_warp_scheduler *mp_warp_schedulers[]; /* NULL-terminated */
extern const struct mp_design *mp_warp_scheduler_designs[];
const struct mp_warp_scheduler *mp_warp_scheduler_find(const char *name);

/* The oldest ready warp. */
unsigned mp_oldest_warp(uint64_t ready, const uint64_t *age);
/* The ready warp whose turn comes after that of slot `last`. */
static inline unsigned mp_next_warp(uint64_t ready, unsigned last)
{
    uint64_t behind = ready & ~1ull << last;
    return (unsigned)__builtin_ctzll(behind ? behind : ready);
}

#ifdef __cplusplus
}
#endif
#endif
