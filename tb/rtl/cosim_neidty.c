/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of NeiDty's directory as `mempath cosim neidty` loads it. */
#include <stdlib.h>
#include <string.h>

#include "cli/cosim/cosim.h"
#include "rtl/neidty_lockstep.h"

_Static_assert(COSIM_NEIDTY_ASID_BITS == NEIDTY_RTL_ASID_W && COSIM_NEIDTY_VPN_BITS == NEIDTY_RTL_VPN_W &&
                   COSIM_NEIDTY_VALID == NEIDTY_RTL_VALID && COSIM_NEIDTY_LOCAL == NEIDTY_RTL_LOCAL &&
                   (int)COSIM_NEIDTY_SIDES == (int)NEIDTY_SIDES,
               "pages and sides are the same");

struct cosim_neidty {
    struct neidty_lockstep *lockstep; /* first, for rtl_view_*() */
    struct rtl_manner manner;         /* for a FILE */
};

static void close_neidty(void *cosim)
{
    neidty_lockstep_free(((struct cosim_neidty *)cosim)->lockstep);
    free(cosim);
}

static void *open_neidty(const struct cosim_setup *setup)
{
    static const struct neidty_rtl *const designs[] = {[COSIM_NEIDTY_32_18] = &neidty_rtl_32_18,
                                                       [COSIM_NEIDTY_8_8] = &neidty_rtl_8_8,
                                                       [COSIM_NEIDTY_128_12] = &neidty_rtl_128_12};
    bool lines = setup->lines && setup->mode == COSIM_NEIDTY_32_18;
    struct cosim_neidty *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->manner = rtl_manner_of(setup->seed);
    c->lockstep = neidty_lockstep_new(lines ? &neidty_rtl_32_18_lines : designs[setup->mode], setup->seed);
    if (!c->lockstep) {
        free(c);
        return NULL;
    }
    rtl_lockstep_session(neidty_lockstep_base(c->lockstep), setup->first, &setup->waves, setup->pulse);
    return c;
}

static struct neidty_lockstep *lockstep(const void *cosim)
{
    return ((const struct cosim_neidty *)cosim)->lockstep;
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

static bool random_neidty(void *cosim, uint64_t seed, uint64_t transactions,
                          const volatile sig_atomic_t *stop)
{
    return neidty_lockstep_random(lockstep(cosim), seed, transactions, stop);
}

static void report(const void *cosim, FILE *out, bool full)
{
    neidty_lockstep_report(lockstep(cosim), out, full);
}

static bool point(const void *cosim, unsigned number, char name[MP_RTL_POINT_NAME], uint64_t *taken)
{
    return neidty_lockstep_point(lockstep(cosim), number, name, taken);
}

static bool lines(const void *cosim, rtl_each_line *each, void *to)
{
    return neidty_lockstep_lines(lockstep(cosim), each, to);
}

extern const struct cosim_rtl mempath_cosim_neidty;
const struct cosim_rtl mempath_cosim_neidty = {.interface = MP_RTL_INTERFACE,
                                               .tools = VERILATOR_VERSION,
                                               .view = {.close = close_neidty,
                                                        .transactions = rtl_view_transactions,
                                                        .clocks = rtl_view_clocks,
                                                        .difference = rtl_view_difference,
                                                        .report = report,
                                                        .point = point,
                                                        .resets = rtl_view_resets,
                                                        .broken = rtl_view_broken,
                                                        .lines = lines},
                                               .open = open_neidty,
                                               .step = step,
                                               .random = random_neidty};
