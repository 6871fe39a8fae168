/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli/replay/replay.h"
#include "config/config.h"
#include "rtl/star/cosim.h"
#include "tlb/tlb.h"

static const struct cosim_mode modes[] = {
    [COSIM_SUBENTRY] = {.name = "subentry", .title = "the baseline: one base to an entry, 864 bits"},
    [COSIM_STAR] = {.name = "star",
                    .title = "up to two bases, the layout follows the pattern, 914 bits",
                    .strides = true},
    [COSIM_STAR_SEQUENTIAL] = {.name = "star-sequential", .title = "the sequential layout only"},
    [COSIM_STAR_STRIDE] = {.name = "star-stride", .title = "the stride layout only", .strides = true},
    [COSIM_STAR4] = {.name = "star4", .title = "up to four bases, 995 bits"},
    [COSIM_STAR_LONE] = {.name = "star-lone",
                         .title = "star with lone=sequential: one sub-entry is a run",
                         .strides = true},
    [COSIM_STAR4_LONE] = {.name = "star4-lone", .title = "star4 with lone=sequential"},
    {0},
};

static const struct cosim_corner corners[] = {
    {.name = "subentry", .mode = COSIM_SUBENTRY, .stride = 1},
    {.name = "star, stride 1", .mode = COSIM_STAR, .stride = 1},
    {.name = "star, stride 4", .mode = COSIM_STAR, .stride = 4},
    {.name = "star4", .mode = COSIM_STAR4, .stride = 1},
    {.name = "star-stride, stride 2", .mode = COSIM_STAR_STRIDE, .stride = 2},
    {.name = "star-sequential", .mode = COSIM_STAR_SEQUENTIAL, .stride = 1},
    {.name = "star, stride 2", .mode = COSIM_STAR, .stride = 2},
    {.name = "star-stride, stride 1", .mode = COSIM_STAR_STRIDE, .stride = 1},
    {.name = "star-stride, stride 4", .mode = COSIM_STAR_STRIDE, .stride = 4},
    {.name = "star-lone", .mode = COSIM_STAR_LONE, .stride = 1},
    {.name = "star4-lone", .mode = COSIM_STAR4_LONE, .stride = 1},
    {0},
};

_Static_assert(sizeof(struct replay_tlb_stimulus) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

static int parse(const char *line, size_t length, void *stimulus, unsigned vpn_bits, struct mp_error *err)
{
    struct replay_tlb_stimulus *s = stimulus;
    if (replay_tlb_parse(line, length, s, err))
        return -1;
    if (s->asid >> COSIM_STAR_ASID_BITS)
        return mp_fail(err, "ASID %u is too wide for the RTL; %u bits", s->asid, COSIM_STAR_ASID_BITS);
    if (s->vpn >> vpn_bits)
        return mp_fail(err, "VPN 0x%" PRIx64 " is too wide for the RTL; %u bits", s->vpn, vpn_bits);
    return s->op != 0;
}

static int parse_tlb(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                     struct mp_error *err)
{
    (void)setup;
    return parse(line, length, stimulus, COSIM_STAR_VPN_BITS, err);
}

static int parse_set(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                     struct mp_error *err)
{
    (void)setup;
    return parse(line, length, stimulus, COSIM_STAR_SET_VPN_BITS, err);
}

/* The parameter MODE of the RTL. */
static unsigned design(const struct cosim_setup *s)
{
    return s->mode == COSIM_SUBENTRY ? 0 : s->mode == COSIM_STAR4 || s->mode == COSIM_STAR4_LONE ? 2 : 1;
}

static void describe(const struct cosim_setup *s, char text[COSIM_DESCRIPTION])
{
    int n = snprintf(text, COSIM_DESCRIPTION, "--mode %s", modes[s->mode].name);
    if (modes[s->mode].strides)
        snprintf(text + n, COSIM_DESCRIPTION - (size_t)n, " --stride %u", s->stride);
}

#define STAR_FORMATS                                                                                         \
    "  L ASID VPN       a lookup\n"                                                                          \
    "  I ASID VPN PFN   an insertion\n"                                                                      \
    "  V ASID VPN       a page is invalidated\n"                                                             \
    "  A ASID           an address space\n"                                                                  \
    "  F                everything\n"                                                                        \
    "\n"

/* ---- in a run ---- */

/* The mode of a policy, or -1. */
static int mode_of(const struct mp_tlb_policy *policy)
{
    for (int i = 0; modes[i].name; i++)
        if (!strcmp(modes[i].name, policy->design.name))
            return i;
    return -1;
}

/* With one sub-entry it is an ordinary TLB. */
static bool fits(const struct mp_tlb_params *tlb)
{
    return mode_of(tlb->policy) >= 0 && tlb->geometry.sub_entries > 1;
}

static unsigned design_of_run(const struct mp_config *config, const char *level)
{
    struct mp_tlb_params tlb;
    mp_config_level(config, level, &tlb);
    int mode = mode_of(tlb.policy);
    const struct cosim_setup setup = {.mode = mode < 0 ? COSIM_STAR : (unsigned)mode};
    return design(&setup);
}

static const struct cosim_place place = {
    .symbol = "mempath_rtl_star", .fits = fits, .level = "l3_tlb", .design = design_of_run};

/* Members with equal values for the whole TLB and for one set. */
#define STAR_BLOCK                                                                                           \
    .modes = modes, .usual = COSIM_STAR, .choices = COSIM_MODE | COSIM_STRIDE, .designs = COSIM_MODE,        \
    .corners = corners, .session = 500, .design = design, .describe = describe

const struct cosim_block cosim_star = {
    .name = "star",
    .summary = "the TLB of STAR (rtl/star/mp_star_tlb.sv), 128 sets of 8 ways, and its baseline",
    .symbol = "mempath_cosim_star",
    .place = &place,
    .mutants = true,
    .formats = STAR_FORMATS "as mempath replay tlb takes them, with an ASID of 8 bits and a VPN of 33.\n",
    .parse = parse_tlb,
    STAR_BLOCK,
};

const struct cosim_block cosim_star_set = {
    .name = "star-set",
    .summary = "one set of that TLB (rtl/star/mp_star_tlb_set.sv), 8 ways; the bench is its memory",
    .symbol = "mempath_cosim_star_set",
    .formats = STAR_FORMATS "as mempath replay tlb takes them, with an ASID of 8 bits and a VPN of 26.\n",
    .parse = parse_set,
    STAR_BLOCK,
};
