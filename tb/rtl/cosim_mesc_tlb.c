/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of MESC's unified TLB as `mempath cosim mesc-tlb` loads it. */
#include <stdlib.h>

#include "cli/cosim/cosim.h"
#include "rtl/mesc_tlb_lockstep.h"

_Static_assert(COSIM_MESC_TLB_VPN_BITS == MESC_TLB_VPN_W, "pages are the same");
_Static_assert(COSIM_MESC_TLB_PFN_BITS == MESC_TLB_PFN_W, "frames are the same");
_Static_assert((int)COSIM_MESC_TLB_SUBREGIONS == (int)MESC_SUBREGIONS, "subregions are the same");

struct cosim_mesc_tlb {
    struct mesc_tlb_lockstep *lockstep; /* first, for rtl_view_*() */
    struct rtl_manner manner;           /* how the next stimulus of a file is driven */
};

static void close_tlb(void *cosim)
{
    mesc_tlb_lockstep_free(((struct cosim_mesc_tlb *)cosim)->lockstep);
    free(cosim);
}

static void *open_tlb(const struct cosim_setup *setup)
{
    static const struct mesc_tlb_rtl *const designs[] = {[COSIM_MESC_TLB] = &mesc_tlb_rtl_mesc,
                                                         [COSIM_MESC_TLB_PAGE] = &mesc_tlb_rtl_page,
                                                         [COSIM_MESC_TLB_SMALL] = &mesc_tlb_rtl_small};
    bool lines = setup->lines && setup->mode == COSIM_MESC_TLB;
    struct cosim_mesc_tlb *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->manner = rtl_manner_of(setup->seed);
    c->lockstep = mesc_tlb_lockstep_new(lines ? &mesc_tlb_rtl_mesc_lines : designs[setup->mode], setup->seed);
    if (!c->lockstep) {
        free(c);
        return NULL;
    }
    rtl_lockstep_session(mesc_tlb_lockstep_base(c->lockstep), setup->first, &setup->waves, setup->pulse);
    return c;
}

static struct mesc_tlb_lockstep *lockstep(const void *cosim)
{
    return ((const struct cosim_mesc_tlb *)cosim)->lockstep;
}

static enum mesc_tlb_rtl_op op_of(char op)
{
    switch (op) {
    case 'L':
        return MESC_LOOKUP;
    case 'I':
        return MESC_INSERT_PAGE;
    case 'S':
        return MESC_INSERT_SUBREGIONS;
    case 'V':
        return MESC_INVALIDATE_PAGE;
    case 'A':
        return MESC_INVALIDATE_ASID;
    default:
        return MESC_INVALIDATE_ALL;
    }
}

static bool step(void *cosim, const void *stimulus)
{
    struct cosim_mesc_tlb *c = cosim;
    const struct cosim_mesc_tlb_stimulus *s = stimulus;
    const struct mesc_tlb_rtl_request q = {.op = op_of(s->op),
                                           .asid = s->asid,
                                           .vpn = s->vpn,
                                           .pfn = s->pfn,
                                           .read_only = s->read_only,
                                           .first = s->first,
                                           .last = s->last,
                                           .manner = c->manner};
    rtl_manner_draw(&c->manner);
    return mesc_tlb_lockstep_step(c->lockstep, &q);
}

static bool random_tlb(void *cosim, uint64_t seed, uint64_t transactions, const volatile sig_atomic_t *stop)
{
    return mesc_tlb_lockstep_random(lockstep(cosim), seed, transactions, stop);
}

static void report(const void *cosim, FILE *out, bool full)
{
    mesc_tlb_lockstep_report(lockstep(cosim), out, full);
}

static bool point(const void *cosim, unsigned number, char name[MP_RTL_POINT_NAME], uint64_t *taken)
{
    return mesc_tlb_lockstep_point(lockstep(cosim), number, name, taken);
}

static bool lines(const void *cosim, rtl_each_line *each, void *to)
{
    return mesc_tlb_lockstep_lines(lockstep(cosim), each, to);
}

extern const struct cosim_rtl mempath_cosim_mesc_tlb;
const struct cosim_rtl mempath_cosim_mesc_tlb = {.interface = MP_RTL_INTERFACE,
                                                 .tools = VERILATOR_VERSION,
                                                 .view = {.close = close_tlb,
                                                          .transactions = rtl_view_transactions,
                                                          .clocks = rtl_view_clocks,
                                                          .difference = rtl_view_difference,
                                                          .report = report,
                                                          .point = point,
                                                          .resets = rtl_view_resets,
                                                          .broken = rtl_view_broken,
                                                          .lines = lines},
                                                 .open = open_tlb,
                                                 .step = step,
                                                 .random = random_tlb};
