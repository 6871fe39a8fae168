/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/cosim/cosim.h"
#include "cli/replay/replay.h"

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

static unsigned design(const struct cosim_setup *s)
{
    return s->mode;
}

static void describe(const struct cosim_setup *s, char text[COSIM_DESCRIPTION])
{
    snprintf(text, COSIM_DESCRIPTION, "--mode %s", modes[s->mode].name);
}

/* ---- stimuli ---- */

_Static_assert(sizeof(struct cosim_mesc_tlb_stimulus) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

#define MOST(bits) ((UINT64_C(1) << (bits)) - 1)

static const struct form {
    const char *text; /* its first character is the operation */
    unsigned words;   /* after the operation */
} forms[] = {{"L ASID VPN", 2},
             {"I ASID VPN PFN PERM", 4},
             {"S ASID VPN PFN PERM FIRST LAST", 6},
             {"V ASID VPN", 2},
             {"A ASID", 1},
             {"F", 0},
             {0}};

static int parse_page(struct replay_words *words, const struct form *f, struct cosim_mesc_tlb_stimulus *s,
                      struct mp_error *err)
{
    uint64_t asid = 0;
    if ((f->words > 0 && replay_number(words, "ASID", f->text, COSIM_MESC_TLB_ASIDS - 1, &asid, err)) ||
        (f->words > 1 && replay_number(words, "VPN", f->text, MOST(COSIM_MESC_TLB_VPN_BITS), &s->vpn, err)) ||
        (f->words > 2 && replay_number(words, "PFN", f->text, MOST(COSIM_MESC_TLB_PFN_BITS), &s->pfn, err)) ||
        (f->words > 3 && replay_permission(words, f->text, &s->read_only, err)))
        return -1;
    s->asid = (uint16_t)asid;
    return 0;
}

static int parse_run(struct replay_words *words, const struct form *f, struct cosim_mesc_tlb_stimulus *s,
                     struct mp_error *err)
{
    uint64_t first, last, at = s->vpn / COSIM_MESC_TLB_SUBREGION % COSIM_MESC_TLB_SUBREGIONS;
    if (replay_number(words, "FIRST", f->text, COSIM_MESC_TLB_SUBREGIONS - 1, &first, err) ||
        replay_number(words, "LAST", f->text, COSIM_MESC_TLB_SUBREGIONS - 1, &last, err))
        return -1;
    if (first > at || last < at)
        return mp_fail(err, "the page is in subregion %u, not in %u to %u; FIRST and LAST around it",
                       (unsigned)at, (unsigned)first, (unsigned)last);
    uint64_t page = s->vpn % (COSIM_MESC_TLB_SUBREGIONS * COSIM_MESC_TLB_SUBREGION);
    uint64_t before = page - first * COSIM_MESC_TLB_SUBREGION;
    uint64_t after = (last + 1) * COSIM_MESC_TLB_SUBREGION - 1 - page;
    if (s->pfn < before || s->pfn + after > MOST(COSIM_MESC_TLB_PFN_BITS))
        return mp_fail(err, "the subregions need frames below 0 or above 0x%llx; another PFN",
                       (unsigned long long)MOST(COSIM_MESC_TLB_PFN_BITS));
    s->first = (uint8_t)first;
    s->last = (uint8_t)last;
    return 0;
}

static int parse(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err)
{
    struct cosim_mesc_tlb_stimulus s = {0};
    struct replay_words words = replay_words(line, length);
    char shown[REPLAY_WORD_SHOWN + 1];
    const struct form *f = forms;
    size_t n = replay_word(&words);
    if (!n)
        return 0;
    while (f->text && (n != 1 || *f->text != *words.at))
        f++;
    if (!f->text)
        return mp_fail(err, "'%s' is not an operation; L, I, S, V, A or F", replay_show(words.at, n, shown));
    words.at += n;
    s.op = *f->text;
    if (s.op == 'S' && setup->mode == COSIM_MESC_TLB_PAGE)
        return mp_fail(err, "the mode page has no subregion entries; L, I, V, A or F");
    if (parse_page(&words, f, &s, err) || (s.op == 'S' && parse_run(&words, f, &s, err)))
        return -1;
    if ((n = replay_word(&words)))
        return mp_fail(err, "'%s' is too much; %s", replay_show(words.at, n, shown), f->text);
    memcpy(stimulus, &s, sizeof s);
    return 1;
}

const struct cosim_block cosim_mesc_tlb = {
    .name = "mesc-tlb",
    .summary = "the unified TLB of MESC (rtl/mesc_tlb.sv), and its baseline",
    .symbol = "mempath_cosim_mesc_tlb",
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
    .design = design,
    .describe = describe,
    .parse = parse,
};
