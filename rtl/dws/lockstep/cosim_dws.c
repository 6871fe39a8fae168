/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of DWS as `mempath cosim dws` loads it. */
#include <inttypes.h>

#include "cli/replay/replay.h"
#include "rtl/dws/cosim.h"
#include "rtl/dws/lockstep/dws_lockstep.h"
#include "rtl/dws/lockstep/dws_walks.h"
#include "rtl/lockstep/cosim_block.h"

_Static_assert((int)DWS_POINT_NAME == (int)MP_RTL_POINT_NAME, "names of points fit");

struct cosim_dws {
    struct dws_lockstep *lockstep; /* first, for rtl_view_*() */
    struct dws_walks *walks;
};

COSIM_LOCKSTEP(dws)

static void close_block(void *cosim)
{
    struct cosim_dws *c = cosim;
    dws_walks_free(c->walks);
    dws_lockstep_free(c->lockstep);
    free(c);
}

static void *open_dws(const struct cosim_setup *setup)
{
    struct cosim_dws *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->lockstep = dws_lockstep_new(built(setup), setup->mode != COSIM_DWS, &setup->rules, setup->seed);
    if (c->lockstep) {
        if (setup->varies)
            dws_lockstep_vary(c->lockstep);
        rtl_lockstep_session(dws_lockstep_base(c->lockstep), setup->first, &setup->waves, setup->pulse);
        c->walks = dws_walks_new(c->lockstep, setup->latency, rtl_manner_of(setup->seed));
    }
    if (c->walks)
        return c;
    close_block(c);
    return NULL;
}

static bool step(void *cosim, const void *stimulus)
{
    const struct replay_walk *s = stimulus;
    return dws_walks_arrive(((struct cosim_dws *)cosim)->walks, s->arrive, s->tenant);
}

static bool finish(void *cosim)
{
    return dws_walks_finish(((struct cosim_dws *)cosim)->walks);
}

static void report(const void *cosim, FILE *out, bool full)
{
    const struct cosim_dws *c = cosim;
    dws_lockstep_report(c->lockstep, out, full);
    if (dws_walks_cycle(c->walks))
        fprintf(out, "cycle %" PRIu64 " of the stimuli\n", dws_walks_cycle(c->walks));
}

#ifdef COSIM_MUTANTS
static const char no_owner[] =
    "only if 128 walks or more of a tenant wait while a walker without an owner completes";
static const char itself[] =
    "the owner never has more waiting than itself; the other tenant's number is not read then";
static const char places[] = "queues change places in the memory, for all readers, too";
static const char states[] = "no state has this code";
static const char sum[] = "if 128 walks or more of the owner wait, 64 or fewer of the other do";
static const char full[] = "the counter is never 255, because an epoch of any length has ended by then";
static const char shares[] =
    "64 arrivals of one tenant and more than 3 times as many of the other are more than an epoch has";

static const struct cosim_blind blind[] = {
    {"assign other_may[t] = owner != WTM_W'(t);", "A", 0, 1, itself},
    {") u_other (", "may_i", 0, 1, itself},
    {") u_other (", "key_i", 7, 7, no_owner},
    {") u_other (", "key_i", 19, 19, no_owner},
    {") u_arbiter (", "queue_o", 0, 3, places},
    {"state_q == Epoch ? '0 : twm_enq_epoch_q", "A", 0, 1, states},
    {"if (owner == WTM_W'(t)) own_pend", "Y", 0, 6, sum},
    {"assign last = {1'b0, epoch_q} + 1'b1", "Y", 8, 8, full},
    {"else if (twice <= {least, 3'b000})", "B", 9, 9, shares},
    {NULL, NULL, 0, 0, NULL},
};
#endif

COSIM_EXPORT(.open = open_dws, .step = step, .finish = finish);
