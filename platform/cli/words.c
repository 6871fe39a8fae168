/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/number.h"

struct cli_words cli_words(const char *line, size_t length)
{
    const char *comment = memchr(line, '#', length);
    return (struct cli_words){.at = line, .end = comment ? comment : line + length};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

size_t cli_word(struct cli_words *words)
{
    while (words->at < words->end && is_blank(*words->at))
        words->at++;
    const char *end = words->at;
    while (end < words->end && !is_blank(*end))
        end++;
    return (size_t)(end - words->at);
}

const char *cli_word_shown(const char *word, size_t length, char shown[CLI_WORD_SHOWN + 1])
{
    size_t n = length < CLI_WORD_SHOWN ? length : CLI_WORD_SHOWN;
    for (size_t i = 0; i < n; i++)
        shown[i] = word[i] >= ' ' && word[i] < 0x7f ? word[i] : '?';
    shown[n] = 0;
    return shown;
}

const char *cli_word_form(struct cli_words *words, const char *const *forms, struct mp_error *err)
{
    char shown[CLI_WORD_SHOWN + 1], allowed[64] = "";
    size_t length = cli_word(words), n = 0;
    for (const char *const *f = forms; *f; f++)
        if (length == 1 && **f == *words->at) {
            words->at++;
            return *f;
        }
    for (const char *const *f = forms; *f && n < sizeof allowed; f++)
        n += (size_t)snprintf(allowed + n, sizeof allowed - n, "%s%c",
                              f == forms ? "" : (f[1] ? ", " : " or "), **f);
    mp_fail(err, "'%s' is not a stimulus; %s", cli_word_shown(words->at, length, shown), allowed);
    return NULL;
}

int cli_word_end(struct cli_words *words, const char *form, struct mp_error *err)
{
    char shown[CLI_WORD_SHOWN + 1];
    size_t n = cli_word(words);
    return n ? mp_fail(err, "'%s' is unexpected; %s", cli_word_shown(words->at, n, shown), form) : 0;
}

int cli_word_permission(struct cli_words *words, const char *form, bool *read_only, struct mp_error *err)
{
    char shown[CLI_WORD_SHOWN + 1];
    size_t n = cli_word(words);
    if (!n)
        return mp_fail(err, "no PERM; %s", form);
    *read_only = n == 1 && *words->at == 'r';
    if (!*read_only && !(n == 2 && !memcmp(words->at, "rw", 2)))
        return mp_fail(err, "PERM '%s' is not a permission; %s, PERM is rw or r",
                       cli_word_shown(words->at, n, shown), form);
    words->at += n;
    return 0;
}

int cli_word_letter(struct cli_words *words, const char *name, const char *form, const char *letters,
                    uint64_t *out, struct mp_error *err)
{
    char shown[CLI_WORD_SHOWN + 1], allowed[64] = "";
    size_t length = cli_word(words), n = 0;
    const char *letter = length == 1 ? strchr(letters, *words->at) : NULL;
    for (const char *l = letters; *l && n < sizeof allowed; l++)
        n += (size_t)snprintf(allowed + n, sizeof allowed - n, "%s%c",
                              l == letters ? "" : (l[1] ? ", " : " or "), *l);
    if (!length)
        return mp_fail(err, "no %s; %s", name, form);
    if (!letter || !*letter)
        return mp_fail(err, "%s '%s' is unknown; %s, %s is %s", name,
                       cli_word_shown(words->at, length, shown), form, name, allowed);
    *out = (uint64_t)(letter - letters);
    words->at += length;
    return 0;
}

int cli_word_number_from(struct cli_words *words, const char *name, const char *form, uint64_t least,
                         uint64_t max, uint64_t *out, struct mp_error *err)
{
    size_t length = cli_word(words);
    char shown[CLI_WORD_SHOWN + 1];
    if (!length)
        return mp_fail(err, "no %s; %s", name, form);
    const char *wrong = mp_number(words->at, length, least, max, out);
    if (wrong)
        return mp_fail(err, "%s '%s' %s; %s, %s from %" PRIu64 " to 0x%" PRIx64, name,
                       cli_word_shown(words->at, length, shown), wrong, form, name, least, max);
    words->at += length;
    return 0;
}

int cli_word_number(struct cli_words *words, const char *name, const char *form, uint64_t max, uint64_t *out,
                    struct mp_error *err)
{
    return cli_word_number_from(words, name, form, 0, max, out, err);
}

/* The operand with this name. Forms name no others. */
static unsigned find(const struct cli_operand *operands, const char *name, size_t length)
{
    unsigned i = 0;
    while (operands[i].name && (strncmp(operands[i].name, name, length) != 0 || operands[i].name[length]))
        i++;
    return i;
}

int cli_words_operands(struct cli_words *words, const char *form, const char *first,
                       const struct cli_operand *operands, uint64_t *value, struct mp_error *err)
{
    for (const char *at = first; *at;) {
        size_t length = strcspn(at, " ");
        unsigned i = find(operands, at, length);
        const struct cli_operand *o = &operands[i];
        bool read_only = false;
        if (o->permission) {
            if (cli_word_permission(words, form, &read_only, err))
                return -1;
            value[i] = read_only;
        } else if (o->letters ? cli_word_letter(words, o->name, form, o->letters, &value[i], err)
                              : cli_word_number(words, o->name, form, o->most, &value[i], err)) {
            return -1;
        }
        at += length + (at[length] == ' ');
    }
    return cli_word_end(words, form, err);
}

int cli_words_parse(const char *line, size_t length, const char *const *forms,
                    const struct cli_operand *operands, uint64_t *value, struct mp_error *err)
{
    struct cli_words words = cli_words(line, length);
    if (!cli_word(&words))
        return 0;
    const char *form = cli_word_form(&words, forms, err);
    for (unsigned i = 0; operands[i].name; i++)
        value[i] = 0;
    if (!form || cli_words_operands(&words, form, form + (form[1] ? 2 : 1), operands, value, err))
        return -1;
    return *form;
}
