/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli/words.h"
#include "config/config.h"
#include "rtl/mesc_scan/cosim.h"
#include "vm/page_format.h"
#include "walk/walk.h"

static const struct cosim_mode modes[] = {
    [COSIM_MESC_SCAN] = {.name = "standard", .title = "leaf entries in the order of their pages"},
    [COSIM_MESC_SCAN_HEAD] = {.name = "head", .title = "those of the subregions' first pages come first"},
    {0},
};

static const struct cosim_corner corners[] = {
    {.name = "standard", .mode = COSIM_MESC_SCAN},
    {.name = "head", .mode = COSIM_MESC_SCAN_HEAD},
    {0},
};

/* ---- stimuli ---- */

_Static_assert(sizeof(struct cosim_mesc_scan_stimulus) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

#define MOST_PFN ((UINT64_C(1) << COSIM_MESC_SCAN_PFN_BITS) - 1)
#define MOST_AT  ((UINT64_C(1) << COSIM_MESC_SCAN_AT_BITS) - 1)
#define TABLE    UINT64_C(0xfffffffff000) /* bits of an address that a table has */

static int parse_pages(struct cli_words *words, const char *form, struct cosim_mesc_scan_stimulus *s,
                       struct mp_error *err)
{
    uint64_t pages = 1;
    if (cli_word(words) &&
        cli_word_number_from(words, "N", form, 1, COSIM_MESC_SCAN_PAGES - s->page, &pages, err))
        return -1;
    s->pages = (uint16_t)pages;
    return 0;
}

static int parse_map(struct cli_words *words, const char *form, struct cosim_mesc_scan_stimulus *s,
                     struct mp_error *err)
{
    if (cli_word_number(words, "PFN", form, MOST_PFN, &s->value, err) ||
        cli_word_permission(words, form, &s->read_only, err) || parse_pages(words, form, s, err))
        return -1;
    if (s->value + s->pages - 1 > MOST_PFN)
        return mp_fail(err, "PFN: the last page's frame is above 0x%" PRIx64 "; another PFN or N", MOST_PFN);
    return 0;
}

static int parse_value(struct cli_words *words, const char *form, struct cosim_mesc_scan_stimulus *s,
                       struct mp_error *err)
{
    return cli_word_number(words, "VALUE", form, UINT64_MAX, &s->value, err);
}

static int parse_table(struct cli_words *words, const char *form, struct cosim_mesc_scan_stimulus *s,
                       struct mp_error *err)
{
    s->at = COSIM_MESC_SCAN_AT;
    if (parse_value(words, form, s, err) ||
        (cli_word(words) && cli_word_number(words, "AT", form, MOST_AT, &s->at, err)))
        return -1;
    if (s->at % 8)
        return mp_fail(err, "AT: 0x%" PRIx64 " is not the address of an entry; a multiple of 8", s->at);
    if (!((s->at ^ s->value) & TABLE))
        return mp_fail(err, "AT: 0x%" PRIx64 " is in the table of the leaf entries; another AT or VALUE",
                       s->at);
    return 0;
}

static const char *const forms[] = {"P PAGE PFN PERM [N]", "U PAGE [N]", "E PAGE VALUE",
                                    "T VALUE [AT]",        "S",          NULL};

static int parse_operands(struct cli_words *words, const char *form, struct cosim_mesc_scan_stimulus *s,
                          struct mp_error *err)
{
    uint64_t page = 0;
    if (strstr(form, "PAGE") && cli_word_number(words, "PAGE", form, COSIM_MESC_SCAN_PAGES - 1, &page, err))
        return -1;
    s->page = (uint16_t)page;
    switch (*form) {
    case 'P':
        return parse_map(words, form, s, err);
    case 'U':
        return parse_pages(words, form, s, err);
    case 'E':
        return parse_value(words, form, s, err);
    case 'T':
        return parse_table(words, form, s, err);
    default:
        return 0;
    }
}

static int parse(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err)
{
    struct cosim_mesc_scan_stimulus s = {.pages = 1};
    struct cli_words words = cli_words(line, length);
    (void)setup;
    if (!cli_word(&words))
        return 0;
    const char *form = cli_word_form(&words, forms, err);
    if (!form || parse_operands(&words, form, &s, err) || cli_word_end(&words, form, err))
        return -1;
    s.op = *form;
    memcpy(stimulus, &s, sizeof s);
    return 1;
}

/* ---- in a run ---- */

static int check(const struct mp_config *config, struct mp_error *err)
{
    struct mp_walk_params walk;
    mp_config_level(config, "walk", &walk);
    return walk.method && walk.method->reach >= MP_CONTIGUITY_SHIFT
               ? 0
               : mp_fail(err,
                         "walk.method: %s uses no contiguity bits, so nothing is scanned; mesc, colt or thp",
                         mp_config_word(config, "walk.method"));
}

static unsigned design_of_run(const struct mp_config *config, const char *level)
{
    (void)level;
    return mp_config_is(config, "vm.layout", "head") ? COSIM_MESC_SCAN_HEAD : COSIM_MESC_SCAN;
}

/* Bits of a leaf entry that P gives. */
#define MAPPED (MP_PTE_VALID | MP_PTE_LEAF)

/* The number of pages from `page` on that have changed alike, so that one line says them. */
static unsigned changed_alike(const uint64_t *before, const uint64_t *leaf, unsigned page)
{
    const uint64_t first = leaf[page], step = first ? 1u << 12 : 0;
    unsigned n = 1;
    if (first && (first & ~(uint64_t)(MP_PTE_ADDRESS | MP_PTE_READ_ONLY)) != MAPPED)
        return 1;
    while (page + n < COSIM_MESC_SCAN_PAGES && leaf[page + n] != before[page + n] &&
           leaf[page + n] == first + n * step)
        n++;
    return n;
}

static void write_changed(FILE *out, uint64_t leaf, unsigned page, unsigned n)
{
    if (!leaf)
        fprintf(out, "U %u %u\n", page, n);
    else if ((leaf & ~(uint64_t)(MP_PTE_ADDRESS | MP_PTE_READ_ONLY)) == MAPPED)
        fprintf(out, "P %u 0x%" PRIx64 " %s %u\n", page, (uint64_t)(leaf & MP_PTE_ADDRESS) >> 12,
                leaf & MP_PTE_READ_ONLY ? "r" : "rw", n);
    else
        fprintf(out, "E %u 0x%" PRIx64 "\n", page, leaf);
}

static void write_scan(FILE *out, uint64_t *before, const struct mp_page_table *t, uint64_t at)
{
    uint64_t leaf[COSIM_MESC_SCAN_PAGES], entry = mp_physmem_read64(t->memory, at);
    for (unsigned i = 0; i < COSIM_MESC_SCAN_PAGES; i++)
        leaf[i] = mp_physmem_read64(
            t->memory, mp_leaf_address(t->format, t->heads_first, entry & MP_PTE_ADDRESS, (uint64_t)i << 12));
    for (unsigned i = 0, n; i < COSIM_MESC_SCAN_PAGES; i += n) {
        n = 1;
        if (leaf[i] == before[i])
            continue;
        n = changed_alike(before, leaf, i);
        write_changed(out, leaf[i], i, n);
    }
    fprintf(out, "T 0x%" PRIx64 " 0x%" PRIx64 "\nS\n", entry, at);
    memcpy(before, leaf, sizeof leaf);
}

static const struct mp_rtl_writer writer = {.scan = write_scan};

static const struct cosim_place place = {
    .symbol = "mempath_rtl_mesc_scan", .check = check, .writer = &writer, .design = design_of_run};

const struct cosim_block cosim_mesc_scan = {
    .name = "mesc-scan",
    .summary = "MESC's scan of a frame for contiguous subregions (rtl/mesc_scan/mp_mesc_scan.sv)",
    .symbol = "mempath_cosim_mesc_scan",
    .place = &place,
    .mutants = true,
    .formats =
        "  P PAGE PFN PERM [N]  N pages (1) from PAGE on, 0 to 511 of the frame, are mapped to PFN and the "
        "frames after it; PERM is rw or r\n"
        "  U PAGE [N]       N pages are unmapped\n"
        "  E PAGE VALUE     the leaf entry of a page, 64 bits\n"
        "  T VALUE [AT]     "
        "the entry that points to the leaf entries, and its address (0x3000); at first 0x5001\n"
        "  S                the frame is scanned\n"
        "\n"
        "Only S is a transaction; it leaves the table with its new bits. A transaction takes up to 1030 "
        "clocks, so the numbers of transactions are 20 times smaller if no option gives them.\n",
    .modes = modes,
    .usual = COSIM_MESC_SCAN,
    .choices = COSIM_MODE,
    .designs = COSIM_MODE,
    .corners = corners,
    .session = 200,
    .slower = 20,
    .parse = parse,
};
