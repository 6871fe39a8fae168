/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of DWS as `mempath cosim dws` loads it. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cosim.h"
#include "cli/replay.h"
#include "rtl/dws_lockstep.h"
#include "rtl/dws_walks.h"

_Static_assert((int)DWS_POINT_NAME == (int)COSIM_POINT_NAME, "names of points fit");

struct cosim_dws {
    struct dws_lockstep *lockstep;
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
    static const char *const thresholds[] = {[COSIM_DWS] = "default",
                                             [COSIM_DWSPP] = "default",
                                             [COSIM_DWSPP_CONSERVATIVE] = "conservative",
                                             [COSIM_DWSPP_AGGRESSIVE] = "aggressive"};
    const struct mp_walk_rules rules = {.epoch = 200,
                                        .thresholds = *mp_walk_thresholds_find(thresholds[setup->mode])};
    struct cosim_dws *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->lockstep = dws_lockstep_new(setup->lines ? &dws_rtl_16_12_2_lines : &dws_rtl_16_12_2,
                                   setup->mode != COSIM_DWS, &rules);
    if (c->lockstep)
        dws_lockstep_window(c->lockstep, &setup->waves);
    if (c->lockstep)
        c->walks = dws_walks_new(c->lockstep, setup->latency);
    if (c->walks)
        return c;
    close_dws(c);
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

static bool random_dws(void *cosim, uint64_t seed, uint64_t transactions, const volatile sig_atomic_t *stop)
{
    return dws_lockstep_random(((struct cosim_dws *)cosim)->lockstep, seed, transactions, stop);
}

static uint64_t transactions(const void *cosim)
{
    return dws_lockstep_events(((const struct cosim_dws *)cosim)->lockstep);
}

static uint64_t clocks(const void *cosim)
{
    return dws_lockstep_clocks(((const struct cosim_dws *)cosim)->lockstep);
}

static const char *difference(const void *cosim)
{
    return dws_lockstep_difference(((const struct cosim_dws *)cosim)->lockstep);
}

static void report(const void *cosim, FILE *out)
{
    const struct cosim_dws *c = cosim;
    dws_lockstep_report(c->lockstep, out);
    if (dws_walks_cycle(c->walks))
        fprintf(out, "cycle %" PRIu64 " of the stimuli\n", dws_walks_cycle(c->walks));
}

static bool point(const void *cosim, unsigned number, char name[COSIM_POINT_NAME], uint64_t *taken)
{
    return dws_cover_point(dws_lockstep_cover(((const struct cosim_dws *)cosim)->lockstep), number, name,
                           taken);
}

static bool lines(const void *cosim, rtl_each_line *each, void *to)
{
    return dws_lockstep_lines(((const struct cosim_dws *)cosim)->lockstep, each, to);
}

#ifdef COSIM_MUTANTS
static const char *const mutants[] = {COSIM_MUTANTS "dws_mutants"};

static void mutate(void *cosim, unsigned mutant)
{
    dws_lockstep_mutate(((struct cosim_dws *)cosim)->lockstep, mutant);
}
#endif

extern const struct cosim_rtl mempath_cosim_dws;
const struct cosim_rtl mempath_cosim_dws = {.interface = MP_RTL_INTERFACE,
                                            .tools = VERILATOR_VERSION,
                                            .open = open_dws,
                                            .close = close_dws,
                                            .step = step,
                                            .finish = finish,
                                            .random = random_dws,
                                            .transactions = transactions,
                                            .clocks = clocks,
                                            .difference = difference,
                                            .report = report,
                                            .point = point,
                                            .lines = lines,
#ifdef COSIM_MUTANTS
                                            .mutants = mutants,
                                            .mutate = mutate
#endif
};
