/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/uvm_tree/cosim.h"

#include <inttypes.h>
#include <string.h>

#include "cli/words.h"
#include "config/config.h"
#include "uvm/uvm.h"

/* In the order of the designs (rtl/CMakeLists.txt). */
static const struct cosim_mode modes[] = {
    [COSIM_UVM_TREE] = {.name = "2mb", .title = "512 pages, rows of 16"},
    [COSIM_UVM_TREE_SMALL] = {.name = "small", .title = "16 pages, rows of 4"},
    {0},
};

static const struct cosim_corner corners[] = {
    {.name = "2mb", .mode = COSIM_UVM_TREE},
    {.name = "small", .mode = COSIM_UVM_TREE_SMALL},
    {0},
};

/* ---- stimuli ---- */

_Static_assert(sizeof(struct mp_uvm_unit_request) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

static const char *const forms[] = {
    "B FIRST LAST THRESHOLD", "L PAGE MARKS", "M PAGE", "G PAGE", "Q PAGE", NULL};

static int parse_page(struct cli_words *words, const char *name, const char *form, unsigned mode,
                      uint32_t *page, struct mp_error *err)
{
    uint64_t value = 0;
    if (cli_word_number(words, name, form, COSIM_UVM_TREE_PAGES(mode) - 1, &value, err))
        return -1;
    *page = (uint32_t)value;
    return 0;
}

static int parse_begin(struct cli_words *words, const char *form, unsigned mode,
                       struct mp_uvm_unit_request *r, struct mp_error *err)
{
    uint64_t first = 0, threshold = 0;
    if (cli_word_number(words, "FIRST", form, COSIM_UVM_TREE_ROW(mode) - 1, &first, err) ||
        parse_page(words, "LAST", form, mode, &r->page, err) ||
        cli_word_number(words, "THRESHOLD", form, COSIM_UVM_TREE_MOST_THRESHOLD, &threshold, err))
        return -1;
    r->first = (uint32_t)first;
    r->threshold = (uint32_t)threshold;
    return 0;
}

static int parse_operands(struct cli_words *words, const char *form, unsigned mode,
                          struct mp_uvm_unit_request *r, struct mp_error *err)
{
    if (*form == 'B')
        return parse_begin(words, form, mode, r, err);
    if (parse_page(words, "PAGE", form, mode, &r->page, err))
        return -1;
    r->op = *form == 'L' ? MP_UVM_UNIT_LOAD : *form == 'Q' ? MP_UVM_UNIT_QUERY : MP_UVM_UNIT_MARK;
    r->grow = *form == 'G';
    return *form != 'L' ? 0
                        : cli_word_number(words, "MARKS", form, (UINT64_C(1) << COSIM_UVM_TREE_ROW(mode)) - 1,
                                          &r->marks, err);
}

static int parse(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err)
{
    struct mp_uvm_unit_request r = {.op = MP_UVM_UNIT_BEGIN};
    struct cli_words words = cli_words(line, length);
    if (!cli_word(&words))
        return 0;
    const char *form = cli_word_form(&words, forms, err);
    if (!form || parse_operands(&words, form, setup->mode, &r, err) || cli_word_end(&words, form, err))
        return -1;
    memcpy(stimulus, &r, sizeof r);
    return 1;
}

/* ---- in a run ---- */

static bool any_managed(const struct mp_config *config)
{
    for (unsigned t = 0; t < config->ntenants; t++)
        if (config->tenant[t].managed)
            return true;
    return false;
}

static int check(const struct mp_config *config, struct mp_error *err)
{
    if (!any_managed(config))
        return mp_fail(err, "no tenant has managed memory; mempath run, tenants.N.managed=true");
    return mp_config_is(config, "uvm.prefetch", "tree") || mp_config_is(config, "uvm.prefetch_full", "tree")
               ? 0
               : mp_fail(err, "uvm.prefetch: %s has no tree in hardware; tree",
                         mp_config_word(config, "uvm.prefetch"));
}

static unsigned design_of_run(const struct mp_config *config, const char *level)
{
    (void)config;
    (void)level;
    return COSIM_UVM_TREE;
}

/* Writes a request; the answer does not matter. */
static struct mp_uvm_pages write_request(void *out, const struct mp_uvm_unit_request *r)
{
    switch (r->op) {
    case MP_UVM_UNIT_BEGIN:
        fprintf(out, "B %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", r->first, r->page, r->threshold);
        break;
    case MP_UVM_UNIT_LOAD:
        fprintf(out, "L %" PRIu32 " 0x%" PRIx64 "\n", r->page, r->marks);
        break;
    default:
        fprintf(out, "%c %" PRIu32 "\n", r->op == MP_UVM_UNIT_QUERY ? 'Q' : r->grow ? 'G' : 'M', r->page);
    }
    return (struct mp_uvm_pages){r->page, r->page + 1};
}

static void write_service(FILE *out, const struct mp_uvm_look *block)
{
    struct mp_uvm_mask none = {{0}};
    mp_uvm_unit_pages(block, write_request, out, &none);
}

static const struct mp_rtl_writer writer = {.prefetch = write_service};

static const struct cosim_place place = {
    .symbol = "mempath_rtl_uvm_tree", .check = check, .writer = &writer, .design = design_of_run};

const struct cosim_block cosim_uvm_tree = {
    .name = "uvm-tree",
    .summary = "the prefetch tree of a 2 MB block (rtl/uvm_tree/mp_uvm_tree.sv), two sizes",
    .symbol = "mempath_cosim_uvm_tree",
    .place = &place,
    .mutants = true,
    .formats = "  B FIRST LAST THRESHOLD  a block of these pages begins, without marks; at most THRESHOLD "
               "percent of "
               "a node is not enough\n"
               "  L PAGE MARKS     the marks of the row of this page, 16 bits (--mode small: 4)\n"
               "  M PAGE           the page is marked\n"
               "  G PAGE           its whole row is marked\n"
               "  Q PAGE           which region comes with the page\n"
               "\n"
               "Pages are 0 to 511 (small: 15), FIRST is in the first row. Each line is a transaction.\n",
    .modes = modes,
    .usual = COSIM_UVM_TREE,
    .choices = COSIM_MODE,
    .designs = COSIM_MODE,
    .corners = corners,
    .session = 1000,
    .parse = parse,
};
