/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of DWS as `mempath cosim dws` loads it. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cosim/cosim.h"
#include "cli/replay/replay.h"
#include "rtl/dws_lockstep.h"
#include "rtl/dws_walks.h"

_Static_assert((int)DWS_POINT_NAME == (int)MP_RTL_POINT_NAME, "names of points fit");

struct cosim_dws {
    struct dws_lockstep *lockstep; /* first, for rtl_view_*() */
    struct dws_walks *walks;
};

static void close_dws(void *cosim)
{
    struct cosim_dws *c = cosim;
    dws_walks_free(c->walks);
    dws_lockstep_free(c->lockstep);
    free(c);
}

static void *open_dws(const struct cosim_setup *setup)
{
    const struct dws_rtl *rtl = setup->lines          ? &dws_rtl_16_12_2_lines
                                : setup->tenants == 4 ? &dws_rtl_16_12_4
                                                      : &dws_rtl_16_12_2;
    struct cosim_dws *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->lockstep = dws_lockstep_new(rtl, setup->mode != COSIM_DWS, &setup->rules, setup->seed);
    if (c->lockstep) {
        rtl_lockstep_session(dws_lockstep_base(c->lockstep), setup->first, &setup->waves, setup->pulse);
        c->walks = dws_walks_new(c->lockstep, setup->latency, rtl_manner_of(setup->seed));
    }
    if (c->walks)
        return c;
    close_dws(c);
    return NULL;
}

static struct dws_lockstep *lockstep(const void *cosim)
{
    return ((const struct cosim_dws *)cosim)->lockstep;
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

static bool random_dws(void *cosim, uint64_t seed, uint64_t transactions, const volatile sig_atomic_t *stop)
{
    return dws_lockstep_random(lockstep(cosim), seed, transactions, stop);
}

static void report(const void *cosim, FILE *out, bool full)
{
    const struct cosim_dws *c = cosim;
    dws_lockstep_report(c->lockstep, out, full);
    if (dws_walks_cycle(c->walks))
        fprintf(out, "cycle %" PRIu64 " of the stimuli\n", dws_walks_cycle(c->walks));
}

static bool point(const void *cosim, unsigned number, char name[MP_RTL_POINT_NAME], uint64_t *taken)
{
    return dws_cover_point(dws_lockstep_cover(lockstep(cosim)), number, name, taken);
}

static bool lines(const void *cosim, rtl_each_line *each, void *to)
{
    return dws_lockstep_lines(lockstep(cosim), each, to);
}

#ifdef COSIM_MUTANTS
static const char no_owner[] =
    "only if 128 walks or more of a tenant wait while a walker without an owner completes";
static const char itself[] =
    "the owner never has more waiting than itself; the other tenant's number is not read then";
static const char places[] = "queues change places in the memory, for all readers, too";
static const char states[] = "no state has this code";
static const char sum[] = "if 128 walks or more of the owner wait, 64 or fewer of the other do";

static const struct cosim_blind blind[] = {
    {"assign other_may[t] = owner != WTM_W'(t);", "A", 0, 1, itself},
    {") u_other (", "may_i", 0, 1, itself},
    {") u_other (", "key_i", 7, 7, no_owner},
    {") u_other (", "key_i", 19, 19, no_owner},
    {") u_arbiter (", "queue_o", 0, 3, places},
    {"state_q == Epoch ? '0 : twm_enq_epoch_q", "A", 0, 1, states},
    {"if (owner == WTM_W'(t)) own_pend", "Y", 0, 6, sum},
    {NULL, NULL, 0, 0, NULL},
};

static void mutate(void *cosim, unsigned mutant)
{
    dws_lockstep_mutate(lockstep(cosim), mutant);
}
#endif

extern const struct cosim_rtl mempath_cosim_dws;
const struct cosim_rtl mempath_cosim_dws = {.interface = MP_RTL_INTERFACE,
                                            .tools = VERILATOR_VERSION,
                                            .view = {.close = close_dws,
                                                     .transactions = rtl_view_transactions,
                                                     .clocks = rtl_view_clocks,
                                                     .difference = rtl_view_difference,
                                                     .report = report,
                                                     .point = point,
                                                     .resets = rtl_view_resets,
                                                     .broken = rtl_view_broken,
                                                     .lines = lines},
                                            .open = open_dws,
                                            .step = step,
                                            .finish = finish,
                                            .random = random_dws,
#ifdef COSIM_MUTANTS
                                            .mutants = COSIM_MUTANTS "dws_mutants",
                                            .design = 2,
                                            .blind = blind,
                                            .mutate = mutate
#endif
};
