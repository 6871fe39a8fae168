/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli/words.h"
#include "config/config.h"
#include "rtl/mesc_tlb/cosim.h"
#include "tlb/tlb.h"

static const struct cosim_mode modes[] = {
    [COSIM_MESC_TLB] = {.name = "mesc",
                        .title = "32 sets of 16 ways, 8 of them for subregions, as the paper"},
    [COSIM_MESC_TLB_PAGE] = {.name = "page", .title = "the same without subregion entries: the baseline"},
    [COSIM_MESC_TLB_SMALL] = {.name = "small", .title = "2 sets of 4 ways, 2 of them for subregions"},
    [COSIM_MESC_TLB_ODD] = {.name = "odd", .title = "8 sets of 5 ways, 4 of them for subregions"},
    {0},
};

static const struct cosim_corner corners[] = {
    {.name = "mesc", .mode = COSIM_MESC_TLB},
    {.name = "page", .mode = COSIM_MESC_TLB_PAGE},
    {.name = "small", .mode = COSIM_MESC_TLB_SMALL},
    {.name = "odd", .mode = COSIM_MESC_TLB_ODD},
    {0},
};

/* ---- stimuli ---- */

_Static_assert(sizeof(struct cosim_mesc_tlb_stimulus) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

#define MOST(bits) ((UINT64_C(1) << (bits)) - 1)

enum { ASID, VPN, PFN, PERM, FIRST, LAST, OPERANDS };

static int check_run(const struct cosim_mesc_tlb_stimulus *s, struct mp_error *err)
{
    uint64_t at = s->vpn / COSIM_MESC_TLB_SUBREGION % COSIM_MESC_TLB_SUBREGIONS;
    if (s->first > at || s->last < at)
        return mp_fail(err, "the page is in subregion %u, not in %u to %u; FIRST and LAST around it",
                       (unsigned)at, s->first, s->last);
    uint64_t page = s->vpn % (COSIM_MESC_TLB_SUBREGIONS * COSIM_MESC_TLB_SUBREGION);
    uint64_t before = page - s->first * (uint64_t)COSIM_MESC_TLB_SUBREGION;
    uint64_t after = (s->last + UINT64_C(1)) * COSIM_MESC_TLB_SUBREGION - 1 - page;
    if (s->pfn < before || s->pfn + after > MOST(COSIM_MESC_TLB_PFN_BITS))
        return mp_fail(err, "the subregions need frames below 0 or above 0x%llx; another PFN",
                       (unsigned long long)MOST(COSIM_MESC_TLB_PFN_BITS));
    return 0;
}

static int parse(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err)
{
    static const char *const forms[] = {
        "L ASID VPN", "I ASID VPN PFN PERM", "S ASID VPN PFN PERM FIRST LAST", "V ASID VPN", "A ASID", "F",
        NULL};
    static const struct cli_operand operands[] = {[ASID] = {"ASID", COSIM_MESC_TLB_ASIDS - 1},
                                                  [VPN] = {"VPN", MOST(COSIM_MESC_TLB_VPN_BITS)},
                                                  [PFN] = {"PFN", MOST(COSIM_MESC_TLB_PFN_BITS)},
                                                  [PERM] = {"PERM", .permission = true},
                                                  [FIRST] = {"FIRST", COSIM_MESC_TLB_SUBREGIONS - 1},
                                                  [LAST] = {"LAST", COSIM_MESC_TLB_SUBREGIONS - 1},
                                                  {0}};
    uint64_t value[OPERANDS];
    int op = cli_words_parse(line, length, forms, operands, value, err);
    if (op <= 0)
        return op;
    if (op == 'S' && setup->mode == COSIM_MESC_TLB_PAGE)
        return mp_fail(err, "the mode page has no subregion entries; L, I, V, A or F");
    const struct cosim_mesc_tlb_stimulus s = {.op = (char)op,
                                              .read_only = value[PERM],
                                              .asid = (uint16_t)value[ASID],
                                              .vpn = value[VPN],
                                              .pfn = value[PFN],
                                              .first = (uint8_t)value[FIRST],
                                              .last = (uint8_t)value[LAST]};
    if (op == 'S' && check_run(&s, err))
        return -1;
    memcpy(stimulus, &s, sizeof s);
    return 1;
}

/* ---- in a run ---- */

/* A baseline with a single set is that of an L1 TLB. */
static bool fits(const struct mp_tlb_params *tlb)
{
    return tlb->policy == &mp_tlb_mesc || (tlb->policy == &mp_tlb_page && tlb->entries > tlb->geometry.ways);
}

/* That of the policy with the level's entries; the policy's usual one if the RTL has no such size. */
static unsigned design_of_run(const struct mp_config *config, const char *level)
{
    struct mp_tlb_params tlb;
    mp_config_level(config, level, &tlb);
    if (tlb.policy == &mp_tlb_page)
        return COSIM_MESC_TLB_PAGE;
    return tlb.entries == 8 ? COSIM_MESC_TLB_SMALL : tlb.entries == 40 ? COSIM_MESC_TLB_ODD : COSIM_MESC_TLB;
}

static void write_lookup(FILE *out, uint16_t asid, uint64_t vpn)
{
    fprintf(out, "L %u 0x%" PRIx64 "\n", asid, vpn);
}

static void write_insert(FILE *out, const struct mp_tlb_policy *policy, uint16_t asid, uint64_t vpn,
                         struct mp_translation to)
{
    const char *permission = to.span.read_only ? "r" : "rw";
    uint8_t first, last;
    if (policy != &mp_tlb_page && cosim_mesc_tlb_run(vpn, to, &first, &last))
        fprintf(out, "S %u 0x%" PRIx64 " 0x%" PRIx64 " %s %u %u\n", asid, vpn, to.pfn, permission, first,
                last);
    else
        fprintf(out, "I %u 0x%" PRIx64 " 0x%" PRIx64 " %s\n", asid, vpn, to.pfn, permission);
}

static void write_page(FILE *out, uint16_t asid, uint64_t vpn)
{
    fprintf(out, "V %u 0x%" PRIx64 "\n", asid, vpn);
}

static void write_asid(FILE *out, const struct mp_tlb_policy *policy, const void *state, uint16_t asid)
{
    (void)policy;
    (void)state;
    fprintf(out, "A %u\n", asid);
}

static void write_all(FILE *out)
{
    fputs("F\n", out);
}

static const struct mp_rtl_array_writer array_writer = {.lookup = write_lookup,
                                                        .insert = write_insert,
                                                        .invalidate_page = write_page,
                                                        .invalidate_asid = write_asid,
                                                        .invalidate_all = write_all};
static const struct mp_rtl_writer writer = {.array = &array_writer};

static const struct cosim_place place = {
    .symbol = "mempath_rtl_mesc_tlb", .fits = fits, .writer = &writer, .design = design_of_run};

const struct cosim_block cosim_mesc_tlb = {
    .name = "mesc-tlb",
    .summary = "the unified TLB of MESC (rtl/mesc_tlb/mp_mesc_tlb.sv), and its baseline",
    .symbol = "mempath_cosim_mesc_tlb",
    .place = &place,
    .mutants = true,
    .formats =
        "  L ASID VPN       a lookup\n"
        "  I ASID VPN PFN PERM  a page is inserted; PERM is rw or r\n"
        "  S ASID VPN PFN PERM FIRST LAST\n"
        "                   subregions FIRST to LAST, 0 to 7, of the page's 2 MB are inserted; "
        "PFN is the page's\n"
        "  V ASID VPN       a page is invalidated\n"
        "  A ASID           an address space\n"
        "  F                everything\n"
        "\n"
        "An ASID is 0 to 7, as in a run; VPN and PFN have 36 bits. Random runs give the address spaces "
        "other numbers of 8 bits in the RTL.\n",
    .modes = modes,
    .usual = COSIM_MESC_TLB,
    .choices = COSIM_MODE,
    .designs = COSIM_MODE,
    .corners = corners,
    .session = 1000,
    .parse = parse,
};
