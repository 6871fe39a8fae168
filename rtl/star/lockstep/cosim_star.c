/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of STAR's TLB as `mempath cosim star` loads it. */
#include "cli/replay/replay.h"
#include "rtl/lockstep/cosim_block.h"
#include "rtl/star/cosim.h"
#include "rtl/star/lockstep/star_lockstep.h"

_Static_assert(COSIM_STAR_ASID_BITS == STAR_RTL_ASID_W && COSIM_STAR_VPN_BITS == STAR_RTL_VPN_W, "widths");
_Static_assert(REPLAY_MAX_PFN <= (UINT64_C(1) << STAR_RTL_FRAME_W) - 1, "frames of stimuli fit");
_Static_assert((int)STAR_ARROW_NAME == (int)MP_RTL_POINT_NAME, "names of arrows fit");

COSIM_BLOCK(star)

static void *open_star(const struct cosim_setup *setup)
{
    static const enum star_rtl_policy policies[] = {[COSIM_SUBENTRY] = STAR_RTL_DYNAMIC,
                                                    [COSIM_STAR] = STAR_RTL_DYNAMIC,
                                                    [COSIM_STAR_SEQUENTIAL] = STAR_RTL_SEQUENTIAL,
                                                    [COSIM_STAR_STRIDE] = STAR_RTL_STRIDE,
                                                    [COSIM_STAR4] = STAR_RTL_DYNAMIC,
                                                    [COSIM_STAR_LONE] = STAR_RTL_LONE,
                                                    [COSIM_STAR4_LONE] = STAR_RTL_LONE};
    return open_block(star_lockstep_new(built(setup), policies[setup->mode], setup->stride, setup->seed),
                      setup);
}

static enum star_rtl_op op_of(char op)
{
    switch (op) {
    case 'L':
        return STAR_RTL_LOOKUP;
    case 'I':
        return STAR_RTL_INSERT;
    case 'V':
        return STAR_RTL_INVALIDATE_PAGE;
    case 'A':
        return STAR_RTL_INVALIDATE_ASID;
    default:
        return STAR_RTL_INVALIDATE_ALL;
    }
}

static bool step(void *cosim, const void *stimulus)
{
    const struct replay_tlb_stimulus *s = stimulus;
    struct cosim_star *c = cosim;
    const struct star_rtl_request q = {
        .op = op_of(s->op), .asid = s->asid, .vpn = s->vpn, .frame = s->pfn, .manner = c->manner};
    rtl_manner_draw(&c->manner);
    return star_lockstep_step(c->lockstep, &q);
}

#ifdef COSIM_MUTANTS
static const char four[] = "only for a third or fourth base, which MODE 1 does not have";

static const char few[] =
    "a way that may take a second base has fewer than 8 sub-entries, so that the bit is 0";

static const char sweep[] =
    "added for each of 128 sets it makes 2^15, or a multiple, which a count of 15 bits does not show";

static const char apart[] =
    "no layout has base 0 in both slots, and of one without a translation the bit is not read";

static const char second_bits[] =
    "MODE 1 has one identify bit; where entries move, the slot written to is empty";

static const struct cosim_blind blind[] = {
    {"gone_d = gone_q + COUNT_W'(set_gone);", "B", 8, 14, sweep},
    {"assign free_base = ", "Y", 0, 1, four},
    {"assign placed_aib1 = ", "B", 0, 15, second_bits},
    {") u_reform (", "aib0_o", 2, 2, apart},
    {") u_reform (", "aib1_o", 0, 15, second_bits},
    {"assign free_base = ", "A", 0, 1, four},
    {"assign key = left ? gen_node", "Y", 3, 4, few},
    {"assign lower = ", "A", 0, 1, four},
    {"assign upper = ", "A", 0, 1, four},
    {"assign upper = ", "Y", 1, 1, four},
    {NULL, NULL, 0, 0, NULL},
};

#endif

COSIM_EXPORT(.open = open_star, .step = step);
