/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of STAR's TLB as `mempath cosim star` loads it. */
#include <stdlib.h>

#include "cli/cosim/cosim.h"
#include "cli/replay/replay.h"
#include "rtl/star_lockstep.h"

_Static_assert(COSIM_STAR_ASID_BITS == STAR_RTL_ASID_W && COSIM_STAR_VPN_BITS == STAR_RTL_VPN_W, "widths");
_Static_assert(REPLAY_MAX_PFN <= (UINT64_C(1) << STAR_RTL_FRAME_W) - 1, "frames of stimuli fit");
_Static_assert((int)STAR_ARROW_NAME == (int)MP_RTL_POINT_NAME, "names of arrows fit");

struct cosim_star {
    struct star_lockstep *lockstep; /* first, for rtl_view_*() */
    struct rtl_manner manner;       /* how the next stimulus of a file is driven */
};

static void *open_with(const struct cosim_setup *setup, const struct star_rtl *const designs[])
{
    static const enum star_rtl_policy policies[] = {[COSIM_SUBENTRY] = STAR_RTL_DYNAMIC,
                                                    [COSIM_STAR] = STAR_RTL_DYNAMIC,
                                                    [COSIM_STAR_SEQUENTIAL] = STAR_RTL_SEQUENTIAL,
                                                    [COSIM_STAR_STRIDE] = STAR_RTL_STRIDE,
                                                    [COSIM_STAR4] = STAR_RTL_DYNAMIC};
    struct cosim_star *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->manner = rtl_manner_of(setup->seed);
    c->lockstep = star_lockstep_new(designs[setup->mode], policies[setup->mode], setup->stride, setup->seed);
    if (!c->lockstep) {
        free(c);
        return NULL;
    }
    rtl_lockstep_session(star_lockstep_base(c->lockstep), setup->first, &setup->waves, setup->pulse);
    return c;
}

static void *open_star(const struct cosim_setup *setup)
{
    static const struct star_rtl *const designs[2][5] = {
        {&star_rtl_mode0, &star_rtl_mode1, &star_rtl_mode1, &star_rtl_mode1, &star_rtl_mode2},
        {&star_rtl_mode0_lines, &star_rtl_mode1_lines, &star_rtl_mode1_lines, &star_rtl_mode1_lines,
         &star_rtl_mode2_lines},
    };
    return open_with(setup, designs[setup->lines]);
}

#ifndef COSIM_MUTANTS
/* The designs with one set count no lines. */
static void *open_set(const struct cosim_setup *setup)
{
    static const struct star_rtl *const designs[5] = {&star_rtl_set0, &star_rtl_set1, &star_rtl_set1,
                                                      &star_rtl_set1, &star_rtl_set2};
    return open_with(setup, designs);
}
#endif

static struct star_lockstep *lockstep(const void *cosim)
{
    return ((const struct cosim_star *)cosim)->lockstep;
}

static void close_star(void *cosim)
{
    star_lockstep_free(lockstep(cosim));
    free(cosim);
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

static bool random_star(void *cosim, uint64_t seed, uint64_t transactions, const volatile sig_atomic_t *stop)
{
    return star_lockstep_random(lockstep(cosim), seed, transactions, stop);
}

static void report(const void *cosim, FILE *out, bool full)
{
    star_lockstep_report(lockstep(cosim), out, full);
}

static bool point(const void *cosim, unsigned number, char name[MP_RTL_POINT_NAME], uint64_t *taken)
{
    return star_lockstep_arrow(lockstep(cosim), number, name, taken);
}

static bool lines(const void *cosim, rtl_each_line *each, void *to)
{
    return star_lockstep_lines(lockstep(cosim), each, to);
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
    {"assign free_base = ", "A", 0, 1, four},
    {"assign key = left ? gen_node", "Y", 3, 4, few},
    {"assign lower = ", "A", 0, 1, four},
    {"assign upper = ", "A", 0, 1, four},
    {NULL, NULL, 0, 0, NULL},
};

static void mutate(void *cosim, unsigned mutant)
{
    star_lockstep_mutate(lockstep(cosim), mutant);
}
#endif

#define VIEW                                                                                                 \
    {                                                                                                        \
        .close = close_star, .transactions = rtl_view_transactions, .clocks = rtl_view_clocks,               \
        .difference = rtl_view_difference, .report = report, .point = point, .resets = rtl_view_resets,      \
        .broken = rtl_view_broken, .lines = lines                                                            \
    }

extern const struct cosim_rtl mempath_cosim_star;
const struct cosim_rtl mempath_cosim_star = {.interface = MP_RTL_INTERFACE,
                                             .tools = VERILATOR_VERSION,
                                             .view = VIEW,
                                             .open = open_star,
                                             .step = step,
                                             .random = random_star,
#ifdef COSIM_MUTANTS
                                             .mutants = COSIM_MUTANTS "mutants_mode1",
                                             .design = 1,
                                             .blind = blind,
                                             .mutate = mutate
#endif
};

#ifndef COSIM_MUTANTS
extern const struct cosim_rtl mempath_cosim_star_set;
const struct cosim_rtl mempath_cosim_star_set = {.interface = MP_RTL_INTERFACE,
                                                 .tools = VERILATOR_VERSION,
                                                 .view = VIEW,
                                                 .open = open_set,
                                                 .step = step,
                                                 .random = random_star};
#endif
