/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of a list of free entries as `mempath cosim toy` loads it. */
#include "rtl/lockstep/cosim_block.h"
#include "rtl/toy/cosim.h"
#include "rtl/toy/lockstep/toy_lockstep.h"

COSIM_BLOCK(toy)

static void *open_toy(const struct cosim_setup *setup)
{
    return open_block(toy_lockstep_new(built(setup), setup->seed), setup);
}

static bool step(void *cosim, const void *stimulus)
{
    struct cosim_toy *c = cosim;
    const struct cosim_toy_clock *s = stimulus;
    const struct toy_rtl_clock in = {.take = s->take, .give = s->give, .given = s->given};
    rtl_manner_draw(&c->manner);
    return toy_lockstep_step(c->lockstep, &in, c->manner);
}

#ifdef COSIM_MUTANTS
static const struct cosim_blind blind[] = {
    {NULL, NULL, 0, 0, NULL},
};
#endif

COSIM_EXPORT(.open = open_toy, .step = step);
