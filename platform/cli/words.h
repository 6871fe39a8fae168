/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a line of stimuli. */
#ifndef MP_CLI_WORDS_H
#define MP_CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cli_words {
    const char *at, *end; /* a '#' starts a comment */
};

struct cli_words cli_words(const char *line, size_t length);

/* Returns the next word's length, 0 at the end of the line. words->at points to the word; the caller advances
 * it. */
size_t cli_word(struct cli_words *words);

/* Finds the form of a line by its first word, which is the form's first character, and skips that word. forms
 * ends with NULL. NULL with "'X' is not a stimulus; L, V or A" in err if there is none. */
const char *cli_word_form(struct cli_words *words, const char *const *forms, struct mp_error *err);
/* Refuses a word after the last one that the form has. */
int cli_word_end(struct cli_words *words, const char *form, struct mp_error *err);

/* Parses the next word as a whole number, decimal or 0x-hex, of at most max. -1 with "NAME: WHAT; WHAT IS
 * ALLOWED" in err; form is the format of the whole line. */
int cli_word_number(struct cli_words *words, const char *name, const char *form, uint64_t max, uint64_t *out,
                    struct mp_error *err);
/* The same, of at least `least`. */
int cli_word_number_from(struct cli_words *words, const char *name, const char *form, uint64_t least,
                         uint64_t max, uint64_t *out, struct mp_error *err);

/* Parses the next word as the permission of a page, rw or r. Errors as above. */
int cli_word_permission(struct cli_words *words, const char *form, bool *read_only, struct mp_error *err);

/* Parses the next word as one of these letters; *out is its position. Errors as above. */
int cli_word_letter(struct cli_words *words, const char *name, const char *form, const char *letters,
                    uint64_t *out, struct mp_error *err);

/* An operand by the name that forms have for it: a number of at most `most`; or a permission, 1 for read
 * only; or one of some letters, its position. */
struct cli_operand {
    const char *name;
    uint64_t most;
    bool permission;
    const char *letters;
};

/* Parses a line of the forms "L ASID VPN": a character, then the operands with these names. Returns the
 * character and stores each operand in the value of its index, 0 in the others; 0 for a line without words;
 * -1 with err. Arrays end with NULL. */
int cli_words_parse(const char *line, size_t length, const char *const *forms,
                    const struct cli_operand *operands, uint64_t *value, struct mp_error *err);
/* The operands of a form, from the first one on. */
int cli_words_operands(struct cli_words *words, const char *form, const char *first,
                       const struct cli_operand *operands, uint64_t *value, struct mp_error *err);

/* Writes a word for an error message: truncated, without characters that do not print. */
#define CLI_WORD_SHOWN 24u
const char *cli_word_shown(const char *word, size_t length, char shown[CLI_WORD_SHOWN + 1]);

#ifdef __cplusplus
}
#endif
#endif
