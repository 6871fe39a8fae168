/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/cosim.h"
#include "cli/replay.h"

static const struct cosim_mode modes[] = {
    [COSIM_SUBENTRY] = {.name = "subentry", .title = "the baseline: one base to an entry, 864 bits"},
    [COSIM_STAR] = {.name = "star",
                    .title = "up to two bases, the layout follows the pattern, 914 bits",
                    .design = 1,
                    .strides = true},
    [COSIM_STAR_SEQUENTIAL] = {.name = "star-sequential", .title = "the sequential layout only", .design = 1},
    [COSIM_STAR_STRIDE] = {.name = "star-stride",
                           .title = "the stride layout only",
                           .design = 1,
                           .strides = true},
    [COSIM_STAR4] = {.name = "star4", .title = "up to four bases, 995 bits", .design = 2},
    {0},
};

_Static_assert(sizeof(struct replay_tlb_stimulus) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

static int parse(const char *line, size_t length, void *stimulus, struct mp_error *err)
{
    struct replay_tlb_stimulus *s = stimulus;
    if (replay_tlb_parse(line, length, s, err))
        return -1;
    if (s->asid >> COSIM_STAR_ASID_BITS)
        return mp_fail(err, "ASID %u is too wide for the RTL; %u bits", s->asid, COSIM_STAR_ASID_BITS);
    if (s->vpn >> COSIM_STAR_VPN_BITS)
        return mp_fail(err, "VPN 0x%" PRIx64 " is too wide for the RTL; %u bits", s->vpn,
                       COSIM_STAR_VPN_BITS);
    return s->op != 0;
}

const struct cosim_block cosim_star = {
    .name = "star",
    .summary = "the TLB of STAR (rtl/star_tlb.sv), 128 sets of 8 ways, and its baseline",
    .symbol = "mempath_cosim_star",
    .formats = "  L ASID VPN       a lookup\n"
               "  I ASID VPN PFN   an insertion\n"
               "  V ASID VPN       a page is invalidated\n"
               "  A ASID           an address space\n"
               "  F                everything\n"
               "\n"
               "as mempath replay tlb takes them, with an ASID of 8 bits and a VPN of 33.\n",
    .modes = modes,
    .usual = COSIM_STAR,
    .parse = parse,
};
