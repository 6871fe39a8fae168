/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/toy/cosim.h"

#include <string.h>

#include "cli/words.h"

/* In the order of the designs (rtl/CMakeLists.txt). */
static const struct cosim_mode modes[] = {
    {.name = "8", .title = "8 entries"}, {.name = "5", .title = "5 entries"}, {0}};

static const struct cosim_corner corners[] = {{.name = "8", .mode = 0}, {.name = "5", .mode = 1}, {0}};

_Static_assert(sizeof(struct cosim_toy_clock) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

static int parse(const struct cosim_setup *setup, const char *line, size_t length, void *stimulus,
                 struct mp_error *err)
{
    static const char *const forms[] = {"T", "G ENTRY", "B ENTRY", "I", NULL};
    static const struct cli_operand operands[] = {{.name = "ENTRY", .most = 7}, {0}};
    uint64_t entry;
    (void)setup;
    int form = cli_words_parse(line, length, forms, operands, &entry, err);
    if (form <= 0)
        return form;
    struct cosim_toy_clock s = {
        .take = form == 'T' || form == 'B', .give = form == 'G' || form == 'B', .given = (uint32_t)entry};
    memcpy(stimulus, &s, sizeof s);
    return 1;
}

const struct cosim_block cosim_toy = {
    .name = "toy",
    .summary = "a list of free entries (rtl/toy/mp_toy.sv), two sizes",
    .symbol = "mempath_cosim_toy",
    .mutants = true,
    .formats = "  T            an entry is taken\n"
               "  G ENTRY      an entry is given back\n"
               "  B ENTRY      both\n"
               "  I            neither\n"
               "\n"
               "A line is a clock.\n",
    .modes = modes,
    .choices = COSIM_MODE,
    .designs = COSIM_MODE,
    .corners = corners,
    .session = 1000,
    .parse = parse,
};
