/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of NeiDty's directory as `mempath cosim neidty` loads it. */
#include <string.h>

#include "rtl/lockstep/cosim_block.h"
#include "rtl/neidty/cosim.h"
#include "rtl/neidty/lockstep/neidty_lockstep.h"

_Static_assert(COSIM_NEIDTY_ASID_BITS == NEIDTY_RTL_ASID_W && COSIM_NEIDTY_VPN_BITS == NEIDTY_RTL_VPN_W &&
                   COSIM_NEIDTY_VALID == NEIDTY_RTL_VALID && COSIM_NEIDTY_LOCAL == NEIDTY_RTL_LOCAL &&
                   (int)COSIM_NEIDTY_SIDES == (int)NEIDTY_SIDES,
               "pages and sides are the same");

COSIM_BLOCK(neidty)

static void *open_neidty(const struct cosim_setup *setup)
{
    return open_block(neidty_lockstep_new(built(setup), setup->seed), setup);
}

static bool step(void *cosim, const void *stimulus)
{
    struct cosim_neidty *c = cosim;
    const struct cosim_neidty_clock *s = stimulus;
    struct neidty_rtl_clock in = {.lookup = s->lookup, .empty = s->empty, .drop = s->drop};
    memcpy(in.evicted, s->evicted, sizeof in.evicted);
    memcpy(in.inserted, s->inserted, sizeof in.inserted);
    rtl_manner_draw(&c->manner);
    return neidty_lockstep_step(c->lockstep, &in, c->manner);
}

#ifdef COSIM_MUTANTS
static const char lower[] = "entry 13 counts as freed only if left frees entry 3, and the lowest decides";

static const struct cosim_blind blind[] = {
    {"assign left_freed  = valid & ~alive;", "A", 13, 13, lower},
    {NULL, NULL, 0, 0, NULL},
};
#endif

COSIM_EXPORT(.open = open_neidty, .step = step);
