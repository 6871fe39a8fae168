/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/replay/replay.h"

static const struct form {
    char op;
    bool vpn, to, pages; /* operands: VPN; PFN PERM; [N] */
    const char *text;
} forms[] = {{'P', true, true, true, "P VPN PFN PERM [N]"},
             {'S', false, false, false, "S"},
             {'U', true, false, true, "U VPN [N]"},
             {'R', true, true, true, "R VPN PFN PERM [N]"},
             {'F', false, false, false, "F"},
             {'T', true, false, false, "T VPN"}};

static const struct form *find_form(const char *word, size_t length)
{
    for (unsigned i = 0; length == 1 && i < sizeof forms / sizeof *forms; i++)
        if (forms[i].op == *word)
            return &forms[i];
    return NULL;
}

/* The number of pages, so that none is beyond the last one. */
static int parse_pages(struct replay_words *words, const char *form, struct replay_subregions_stimulus *s,
                       struct mp_error *err)
{
    uint64_t highest = s->vpn > s->pfn ? s->vpn : s->pfn;
    uint64_t most = REPLAY_MAX_PAGE - highest + 1;
    if (!replay_word(words))
        return 0;
    return replay_number_from(words, "N", form, 1, most < REPLAY_MAX_PAGES ? most : REPLAY_MAX_PAGES,
                              &s->pages, err);
}

static int parse_operands(struct replay_words *words, const struct form *f,
                          struct replay_subregions_stimulus *s, struct mp_error *err)
{
    char shown[REPLAY_WORD_SHOWN + 1];
    if (f->vpn && replay_number(words, "VPN", f->text, REPLAY_MAX_PAGE, &s->vpn, err))
        return -1;
    if (f->to && (replay_number(words, "PFN", f->text, REPLAY_MAX_PAGE, &s->pfn, err) ||
                  replay_permission(words, f->text, &s->read_only, err)))
        return -1;
    if (f->pages && parse_pages(words, f->text, s, err))
        return -1;
    size_t n = replay_word(words);
    return n ? mp_fail(err, "'%s' is unexpected; %s", replay_show(words->at, n, shown), f->text) : 0;
}

int replay_subregions_parse(const char *line, size_t length, struct replay_subregions_stimulus *s,
                            struct mp_error *err)
{
    char shown[REPLAY_WORD_SHOWN + 1];
    struct replay_words words = replay_words(line, length);
    struct replay_subregions_stimulus read = {.pages = 1};
    *s = (struct replay_subregions_stimulus){0};
    size_t n = replay_word(&words);
    if (!n)
        return 0;
    const struct form *form = find_form(words.at, n);
    if (!form)
        return mp_fail(err, "'%s' is not a stimulus; P, S, U, R, F or T", replay_show(words.at, n, shown));
    words.at += n;
    if (parse_operands(&words, form, &read, err))
        return -1;
    read.op = form->op;
    *s = read;
    return 0;
}
