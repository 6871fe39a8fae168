/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of MESC's unified TLB as `mempath cosim mesc-tlb` loads it. */
#include "rtl/lockstep/cosim_block.h"
#include "rtl/mesc_tlb/cosim.h"
#include "rtl/mesc_tlb/lockstep/mesc_tlb_lockstep.h"

_Static_assert(COSIM_MESC_TLB_VPN_BITS == MESC_TLB_VPN_W, "pages are the same");
_Static_assert(COSIM_MESC_TLB_PFN_BITS == MESC_TLB_PFN_W, "frames are the same");
_Static_assert((int)COSIM_MESC_TLB_SUBREGIONS == (int)MESC_SUBREGIONS, "subregions are the same");

COSIM_BLOCK(mesc_tlb)

static void *open_tlb(const struct cosim_setup *setup)
{
    return open_block(mesc_tlb_lockstep_new(built(setup), setup->seed), setup);
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

#ifdef COSIM_MUTANTS
static const char permuted[] = "each set is emptied and swept once, in another order";
static const char again[] = "a row is read again while it is the same, or when nothing looks at it";
static const char lowest_way[] =
    "of a page's regular entries there is one, and way 8 is the lowest that subregion entries use";
static const char outside[] =
    "only if a way outside of the partition was used last, and a lookup then hits two subregion entries, of "
    "which the one in the higher way was used before it";

static const char no_way[] = "a response without a hit or an insertion has no way, so nothing looks at it";
static const char no_find[] = "an invalidation does not look at what was found";
static const char both_sweeps[] = "both operations that sweep have this bit set";

static const struct cosim_blind blind[] = {
    {"always_ff @(posedge clk_i or negedge rst_ni)", "Q", 1, 4, permuted},
    {") u_entries (", "en_i", 0, 0, again},
    {") u_order (", "en_i", 0, 0, again},
    {") u_opposite (", "oldest_o", 0, 8, lowest_way},
    {") u_opposite (", "order_i", 0, 91, outside},
    {".order_i (~order_i),", "A", 0, 91, outside},
    {"assign hit_way = (found_q & newest)", "Y", 0, 8, lowest_way},
    {"assign way = ~order_we_o ? ", "A", 0, 15, no_way},
    {"assign found_d = lookup ? ", "A", 0, 15, no_find},
    {"always_ff @(posedge clk_i) if (state_q == Page)", "Q", 10, 10, both_sweeps}, /* of the operation */
    {NULL, NULL, 0, 0, NULL},
};
#endif

COSIM_EXPORT(.open = open_tlb, .step = step);
