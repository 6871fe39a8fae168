/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/replay/replay.h"
#include "cli/words.h"

/* The number of pages, so that none is beyond the last one. */
static int parse_pages(struct cli_words *words, const char *form, struct replay_subregions_stimulus *s,
                       struct mp_error *err)
{
    uint64_t highest = s->vpn > s->pfn ? s->vpn : s->pfn;
    uint64_t most = REPLAY_MAX_PAGE - highest + 1;
    if (!cli_word(words))
        return 0;
    return cli_word_number_from(words, "N", form, 1, most < REPLAY_MAX_PAGES ? most : REPLAY_MAX_PAGES,
                                &s->pages, err);
}

static int parse_operands(struct cli_words *words, const char *form, struct replay_subregions_stimulus *s,
                          struct mp_error *err)
{
    if (strstr(form, "VPN") && cli_word_number(words, "VPN", form, REPLAY_MAX_PAGE, &s->vpn, err))
        return -1;
    if (strstr(form, "PFN") && (cli_word_number(words, "PFN", form, REPLAY_MAX_PAGE, &s->pfn, err) ||
                                cli_word_permission(words, form, &s->read_only, err)))
        return -1;
    if (strstr(form, "[N]") && parse_pages(words, form, s, err))
        return -1;
    return cli_word_end(words, form, err);
}

int replay_subregions_parse(const char *line, size_t length, struct replay_subregions_stimulus *s,
                            struct mp_error *err)
{
    static const char *const forms[] = {
        "P VPN PFN PERM [N]", "S", "U VPN [N]", "R VPN PFN PERM [N]", "F", "T VPN", NULL};
    struct cli_words words = cli_words(line, length);
    struct replay_subregions_stimulus read = {.pages = 1};
    *s = (struct replay_subregions_stimulus){0};
    if (!cli_word(&words))
        return 0;
    const char *form = cli_word_form(&words, forms, err);
    if (!form || parse_operands(&words, form, &read, err))
        return -1;
    read.op = *form;
    *s = read;
    return 0;
}
