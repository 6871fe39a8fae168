/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of an L1 TLB's array as `mempath cosim l1-tlb` loads it. */
#include "rtl/l1_tlb/cosim.h"
#include "rtl/l1_tlb/lockstep/l1_tlb_lockstep.h"
#include "rtl/lockstep/cosim_block.h"

_Static_assert(COSIM_L1_TLB_ASID_BITS == L1_TLB_ASID_W && COSIM_L1_TLB_VPN_BITS == L1_TLB_VPN_W &&
                   COSIM_L1_TLB_PFN_BITS == L1_TLB_FRAME_W,
               "pages and frames are the same");

COSIM_BLOCK(l1_tlb)

static void *open_l1_tlb(const struct cosim_setup *setup)
{
    return open_block(l1_tlb_lockstep_new(built(setup), setup->seed), setup);
}

static bool step(void *cosim, const void *stimulus)
{
    struct cosim_l1_tlb *c = cosim;
    const struct cosim_l1_tlb_clock *s = stimulus;
    const struct l1_tlb_rtl_clock in = {.lookup = s->lookup,
                                        .use = s->use,
                                        .empty = s->empty,
                                        .change = s->insert ? L1_TLB_INSERT
                                                  : s->drop ? L1_TLB_DROP
                                                            : L1_TLB_NONE,
                                        .page = s->page,
                                        .frame = s->pfn};
    rtl_manner_draw(&c->manner);
    return l1_tlb_lockstep_step(c->lockstep, &in, c->manner);
}

#ifdef COSIM_MUTANTS
static const struct cosim_blind blind[] = {
    {NULL, NULL, 0, 0, NULL},
};
#endif

COSIM_EXPORT(.open = open_l1_tlb, .step = step);
