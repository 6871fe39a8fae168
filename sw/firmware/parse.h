/* SPDX-License-Identifier: Apache-2.0 */
/* Words and numbers of a command line. */
#ifndef FW_PARSE_H
#define FW_PARSE_H

#include <stdbool.h>
#include <stdint.h>

enum { PARSE_WORDS = 12 };

/* Splits the line at blanks, in place. Returns the number of words, or -1 if there are more than PARSE_WORDS.
 */
int parse_words(char *line, char *word[PARSE_WORDS]);

/* Reads a decimal or 0x hexadecimal number with an optional suffix K, M or G (powers of 1024). Returns false
 * for other text, and for numbers beyond 64 bits. */
bool parse_number(const char *word, uint64_t *value);

#endif
