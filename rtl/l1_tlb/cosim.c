/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli/words.h"
#include "config/config.h"
#include "rtl/l1_tlb/cosim.h"
#include "tlb/tlb.h"

static const struct cosim_mode modes[] = {
    [COSIM_L1_TLB_32] = {.name = "32", .title = "32 entries, as the paper"},
    [COSIM_L1_TLB_8] = {.name = "8", .title = "8 entries"},
    [COSIM_L1_TLB_5] = {.name = "5", .title = "5 entries"},
    [COSIM_L1_TLB_2] = {.name = "2", .title = "2 entries"},
    {0},
};

static const struct cosim_corner corners[] = {
    {.name = "32", .mode = COSIM_L1_TLB_32},
    {.name = "8", .mode = COSIM_L1_TLB_8},
    {.name = "5", .mode = COSIM_L1_TLB_5},
    {.name = "2", .mode = COSIM_L1_TLB_2},
    {0},
};

/* ---- stimuli ---- */

_Static_assert(sizeof(struct cosim_l1_tlb_clock) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

#define MOST(bits) ((UINT64_C(1) << (bits)) - 1)

enum kind { LOOKUP, CHANGE, EMPTY }; /* a clock has at most one of each */

static const struct event {
    const char *word, *form;
    enum kind kind;
    bool used, inserts; /* of a lookup, of a change */
} events[] = {
    {"lookup", "lookup ASID VPN", LOOKUP, true, false},
    {"show", "show ASID VPN", LOOKUP, false, false},
    {"insert", "insert ASID VPN PFN", CHANGE, false, true},
    {"drop", "drop ASID VPN", CHANGE, false, false},
    {"empty", "empty", EMPTY, false, false},
    {0},
};

static const struct event *find(const char *word, size_t length)
{
    for (const struct event *e = events; e->word; e++)
        if (strlen(e->word) == length && !memcmp(e->word, word, length))
            return e;
    return NULL;
}

static int parse_page(struct cli_words *words, const struct event *e, uint64_t *page, struct mp_error *err)
{
    uint64_t asid, vpn;
    if (cli_word_number(words, "ASID", e->form, MOST(COSIM_L1_TLB_ASID_BITS), &asid, err) ||
        cli_word_number(words, "VPN", e->form, MOST(COSIM_L1_TLB_VPN_BITS), &vpn, err))
        return -1;
    *page = asid << COSIM_L1_TLB_VPN_BITS | vpn;
    return 0;
}

static int add(struct cosim_l1_tlb_clock *s, const struct event *e, struct cli_words *words,
               struct mp_error *err)
{
    switch (e->kind) {
    case LOOKUP:
        s->use = e->used;
        return parse_page(words, e, &s->lookup, err);
    case CHANGE:
        s->insert = e->inserts;
        s->drop = !e->inserts;
        return parse_page(words, e, &s->page, err) ||
                       (e->inserts &&
                        cli_word_number(words, "PFN", e->form, MOST(COSIM_L1_TLB_PFN_BITS), &s->pfn, err))
                   ? -1
                   : 0;
    default:
        s->empty = true;
        return 0;
    }
}

static int parse(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err)
{
    struct cosim_l1_tlb_clock s = {0};
    struct cli_words words = cli_words(line, length);
    char shown[CLI_WORD_SHOWN + 1];
    unsigned found = 0;
    size_t n;
    (void)setup;
    while ((n = cli_word(&words))) {
        const struct event *e = find(words.at, n);
        if (!e)
            return mp_fail(err, "'%s' is not an event; lookup, show, insert, drop or empty",
                           cli_word_shown(words.at, n, shown));
        if (found >> e->kind & 1)
            return mp_fail(err,
                           "'%s' is the second of its kind in this clock; "
                           "one lookup or show, one insert or drop, and one empty",
                           e->word);
        words.at += n;
        found |= 1u << e->kind;
        if (add(&s, e, &words, err))
            return -1;
    }
    memcpy(stimulus, &s, sizeof s);
    return found > 0;
}

/* ---- in a run ---- */

static bool fits(const struct mp_tlb_params *tlb)
{
    return tlb->policy == &mp_tlb_subentry && tlb->geometry.sub_entries == 1 &&
           tlb->entries == tlb->geometry.ways;
}

/* That of the level's entries; the usual one if the RTL has no such size. */
static unsigned design_of_run(const struct mp_config *config, const char *level)
{
    struct mp_tlb_params tlb;
    mp_config_level(config, level, &tlb);
    return tlb.entries == 8   ? COSIM_L1_TLB_8
           : tlb.entries == 5 ? COSIM_L1_TLB_5
           : tlb.entries == 2 ? COSIM_L1_TLB_2
                              : COSIM_L1_TLB_32;
}

static void write_lookup(FILE *out, uint16_t asid, uint64_t vpn)
{
    fprintf(out, "lookup %u 0x%" PRIx64 "\n", asid, vpn);
}

/* The permission is the frame's highest bit, as in a run. */
static void write_insert(FILE *out, const struct mp_tlb_policy *policy, uint16_t asid, uint64_t vpn,
                         struct mp_translation to)
{
    (void)policy;
    fprintf(out, "insert %u 0x%" PRIx64 " 0x%" PRIx64 "\n", asid, vpn,
            to.pfn | (uint64_t)to.span.read_only << (COSIM_L1_TLB_PFN_BITS - 1));
}

static void write_page(FILE *out, uint16_t asid, uint64_t vpn)
{
    fprintf(out, "drop %u 0x%" PRIx64 "\n", asid, vpn);
}

struct dropped {
    FILE *out;
    uint16_t asid;
};

static void drop_entry(void *dropped, const struct mp_tlb_entry *e)
{
    const struct dropped *d = dropped;
    if (e->asid == d->asid)
        write_page(d->out, e->asid, e->vpn);
}

/* The RTL has no address spaces, so their pages are invalidated one by one. */
static void write_asid(FILE *out, const struct mp_tlb_policy *policy, const void *state, uint16_t asid)
{
    struct dropped d = {out, asid};
    policy->each_entry(state, 0, drop_entry, &d);
}

static void write_all(FILE *out)
{
    fputs("empty\n", out);
}

static const struct mp_rtl_array_writer array_writer = {.lookup = write_lookup,
                                                        .insert = write_insert,
                                                        .invalidate_page = write_page,
                                                        .invalidate_asid = write_asid,
                                                        .invalidate_all = write_all};
static const struct mp_rtl_writer writer = {.array = &array_writer};

static const struct cosim_place place = {.symbol = "mempath_rtl_l1_tlb",
                                         .fits = fits,
                                         .level = "l1_tlb",
                                         .writer = &writer,
                                         .design = design_of_run};

const struct cosim_block cosim_l1_tlb = {
    .name = "l1-tlb",
    .summary = "the array of an L1 TLB (rtl/l1_tlb/mp_l1_tlb.sv), four sizes",
    .symbol = "mempath_cosim_l1_tlb",
    .place = &place,
    .mutants = true,
    .formats =
        "  lookup ASID VPN      a page is looked up; a hit makes its entry the most recent\n"
        "  show ASID VPN        it is only asked whether the page is there\n"
        "  insert ASID VPN PFN  a page is inserted, or its frame changes\n"
        "  drop ASID VPN        a page is invalidated\n"
        "  empty                everything is invalidated; nothing is inserted in this clock\n"
        "\n"
        "A line is a clock and has at most one lookup or show, one insert or drop, and one empty, with an "
        "ASID of 8 bits, a VPN and a PFN of 36. A lookup sees the entries before the clock's change, and "
        "the change takes effect before the use.\n",
    .modes = modes,
    .usual = COSIM_L1_TLB_32,
    .choices = COSIM_MODE,
    .designs = COSIM_MODE,
    .corners = corners,
    .session = 1000,
    .parse = parse,
};
