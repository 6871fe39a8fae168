/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli/words.h"
#include "config/config.h"
#include "rtl/neidty/cosim.h"
#include "tlb/neighbour/neighbour.h"

static const struct cosim_mode modes[] = {
    [COSIM_NEIDTY_32_18] = {.name = "32x18", .title = "32 entries with tags of 18 bits, as the paper"},
    [COSIM_NEIDTY_8_8] = {.name = "8x8", .title = "8 entries with tags of 8 bits"},
    [COSIM_NEIDTY_128_12] = {.name = "128x12", .title = "128 entries with tags of 12 bits"},
    [COSIM_NEIDTY_3_5] = {.name = "3x5", .title = "3 entries with tags of 5 bits"},
    {0},
};

static const struct cosim_corner corners[] = {
    {.name = "32x18", .mode = COSIM_NEIDTY_32_18},
    {.name = "8x8", .mode = COSIM_NEIDTY_8_8},
    {.name = "3x5", .mode = COSIM_NEIDTY_3_5},
    {.name = "128x12", .mode = COSIM_NEIDTY_128_12},
    {0},
};

/* ---- stimuli ---- */

_Static_assert(sizeof(struct cosim_neidty_clock) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

enum kind { LOOKUP, EVICT, INSERT, DROP, EMPTY };

static const struct event {
    const char *word;
    enum kind kind;
    enum cosim_neidty_side side;
    uint64_t flags;
} events[] = {
    {"lookup", LOOKUP, COSIM_NEIDTY_OWN, 0},
    {"own-", EVICT, COSIM_NEIDTY_OWN, COSIM_NEIDTY_VALID},
    {"own+", INSERT, COSIM_NEIDTY_OWN, COSIM_NEIDTY_VALID},
    {"left-", EVICT, COSIM_NEIDTY_LEFT, COSIM_NEIDTY_VALID},
    {"left+", INSERT, COSIM_NEIDTY_LEFT, COSIM_NEIDTY_VALID},
    {"left*", INSERT, COSIM_NEIDTY_LEFT, COSIM_NEIDTY_VALID | COSIM_NEIDTY_LOCAL},
    {"right-", EVICT, COSIM_NEIDTY_RIGHT, COSIM_NEIDTY_VALID},
    {"right+", INSERT, COSIM_NEIDTY_RIGHT, COSIM_NEIDTY_VALID},
    {"right*", INSERT, COSIM_NEIDTY_RIGHT, COSIM_NEIDTY_VALID | COSIM_NEIDTY_LOCAL},
    {"drop", DROP, COSIM_NEIDTY_LEFT, COSIM_NEIDTY_VALID},
    {"empty", EMPTY, COSIM_NEIDTY_OWN, 0},
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
    char form[32];
    snprintf(form, sizeof form, "%s ASID VPN", e->word);
    if (cli_word_number(words, "ASID", form, (1u << COSIM_NEIDTY_ASID_BITS) - 1, &asid, err) ||
        cli_word_number(words, "VPN", form, (UINT64_C(1) << COSIM_NEIDTY_VPN_BITS) - 1, &vpn, err))
        return -1;
    *page = asid << COSIM_NEIDTY_VPN_BITS | vpn | e->flags;
    return 0;
}

/* Of an event that a clock has at most once. */
static int set_page(uint64_t *at, uint64_t page, const struct event *e, struct mp_error *err)
{
    if (*at & COSIM_NEIDTY_VALID)
        return mp_fail(err, "'%s' is the second of its kind in this clock; one", e->word);
    *at = page;
    return 0;
}

static int add(struct cosim_neidty_clock *s, const struct event *e, struct cli_words *words,
               struct mp_error *err)
{
    uint64_t page = 0;
    if (e->kind != EMPTY && parse_page(words, e, &page, err))
        return -1;
    switch (e->kind) {
    case LOOKUP:
        s->lookup = page;
        return 0;
    case EVICT:
        return set_page(&s->evicted[e->side], page, e, err);
    case INSERT:
        return set_page(&s->inserted[e->side], page, e, err);
    case DROP:
        s->drop = true;
        return set_page(&s->evicted[e->side], page, e, err);
    default:
        s->empty = true;
        return 0;
    }
}

static int parse(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err)
{
    struct cosim_neidty_clock s = {0};
    struct cli_words words = cli_words(line, length);
    char shown[CLI_WORD_SHOWN + 1];
    unsigned found = 0, changes = 0;
    size_t n;
    (void)setup;
    while ((n = cli_word(&words))) {
        const struct event *e = find(words.at, n);
        if (!e)
            return mp_fail(err,
                           "'%s' is not an event; lookup, own-, own+, left-, left+, left*, "
                           "right-, right+, right*, drop or empty",
                           cli_word_shown(words.at, n, shown));
        words.at += n;
        found++;
        changes += e->kind != LOOKUP;
        if (add(&s, e, &words, err))
            return -1;
    }
    if (s.drop && changes > 1)
        return mp_fail(err, "a page is invalidated, and something else changes; drop and lookup only");
    memcpy(stimulus, &s, sizeof s);
    return found > 0;
}

/* ---- in a run ---- */

static int check(const struct mp_config *config, struct mp_error *err)
{
    struct mp_design_values values;
    const struct mp_neighbour_policy *policy = mp_config_neighbours(config, &values);
    return policy->has_directory
               ? 0
               : mp_fail(err, "neighbours.policy: %s has no directory; neidty", policy->design.name);
}

/* That of the directory's entries; the usual one if the RTL has no such size. */
static unsigned design_of_run(const struct mp_config *config, const char *level)
{
    static const struct {
        unsigned entries, design;
    } sizes[] = {{8, COSIM_NEIDTY_8_8}, {128, COSIM_NEIDTY_128_12}, {3, COSIM_NEIDTY_3_5}};
    struct mp_design_values values;
    mp_config_neighbours(config, &values);
    (void)level;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].entries == values.v[MP_NEIGHBOUR_DIRECTORY])
            return sizes[i].design;
    return COSIM_NEIDTY_32_18;
}

static void write_lookup(FILE *out, struct mp_neighbour_page page)
{
    fprintf(out, "lookup %u 0x%" PRIx64 "\n", page.asid, page.vpn);
}

static void write_change(FILE *out, uint8_t side, struct mp_neighbour_page page, bool inserted, bool local)
{
    const char *who = !side ? "own" : side == MP_DIRECTORY_LEFT ? "left" : "right";
    fprintf(out, "%s%c %u 0x%" PRIx64 "\n", who, !inserted ? '-' : local ? '*' : '+', page.asid, page.vpn);
}

static void write_drop(FILE *out, struct mp_neighbour_page page)
{
    fprintf(out, "drop %u 0x%" PRIx64 "\n", page.asid, page.vpn);
}

static void write_empty(FILE *out)
{
    fputs("empty\n", out);
}

static const struct mp_rtl_directory_writer directory_writer = {
    .lookup = write_lookup, .change = write_change, .drop = write_drop, .empty = write_empty};
static const struct mp_rtl_writer writer = {.directory = &directory_writer};

static const struct cosim_place place = {.symbol = "mempath_rtl_neidty",
                                         .level = "l1_tlb",
                                         .writer = &writer,
                                         .check = check,
                                         .design = design_of_run};

const struct cosim_block cosim_neidty = {
    .name = "neidty",
    .summary = "the directory of NeiDty (rtl/neidty/mp_neidty_directory.sv), four sizes",
    .symbol = "mempath_cosim_neidty",
    .place = &place,
    .mutants = true,
    .formats =
        "  lookup ASID VPN  the page that the TLB looks up\n"
        "  own- ASID VPN    the TLB itself evicts a page; own+ inserts one\n"
        "  left- ASID VPN   the left neighbour evicts a page; right- is the right one\n"
        "  left+ ASID VPN   the left neighbour inserts a page; right+\n"
        "  left* ASID VPN   the same, and the TLB itself holds the page; right*\n"
        "  drop ASID VPN    a page is invalidated; no other change\n"
        "  empty            an address space, or everything, is invalidated\n"
        "\n"
        "A line is a clock and has any of these events, each at most once, with an ASID of 8 bits and a "
        "VPN of 36. A lookup sees the directory before the clock's changes. These come in the order own, "
        "left, right, each eviction before its insertion.\n",
    .modes = modes,
    .usual = COSIM_NEIDTY_32_18,
    .choices = COSIM_MODE,
    .designs = COSIM_MODE,
    .corners = corners,
    .session = 1000,
    .parse = parse,
};
