/* SPDX-License-Identifier: Apache-2.0 */

#include "sm/scheduler.h"

unsigned mp_oldest_warp(uint64_t ready, const uint64_t *age)
{
    unsigned best = (unsigned)__builtin_ctzll(ready);
    for (uint64_t rest = ready & (ready - 1); rest; rest &= rest - 1) {
        unsigned slot = (unsigned)__builtin_ctzll(rest);
        if (age[slot] < age[best])
            best = slot;
    }
    return best;
}

/* Greedy then oldest (Rogers et al., MICRO 2012): the same warp until it stalls, then the oldest. */
static unsigned gto_pick(uint64_t ready, const uint64_t *age, unsigned last, bool same_warp)
{
    return same_warp && ready >> last & 1 ? last : mp_oldest_warp(ready, age);
}

/* Loose round robin: the next ready one. */
static unsigned lrr_pick(uint64_t ready, const uint64_t *age, unsigned last, bool same_warp)
{
    (void)age;
    (void)same_warp;
    return mp_next_warp(ready, last);
}

const struct mp_warp_scheduler mp_warp_gto = {.design = {.name = "gto", .title = "greedy then oldest"},
                                              .pick = gto_pick};
const struct mp_warp_scheduler mp_warp_lrr = {
    .design = {.name = "lrr", .title = "loose round robin"}, .pick = lrr_pick, .takes_turns = true};
