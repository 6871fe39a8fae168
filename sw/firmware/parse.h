/* SPDX-License-Identifier: Apache-2.0 */
/* Words and numbers of a command line. */
#ifndef FW_PARSE_H
#define FW_PARSE_H

#include <stdbool.h>
#include <stdint.h>

enum { PARSE_WORDS = 8 };

/* Splits the line at blanks, in place. The number of words, -1 when there are more than PARSE_WORDS. */
int parse_words(char *line, char *word[PARSE_WORDS]);

/* Decimal or 0x hexadecimal, with a suffix K, M or G for powers of 1024; false for anything else or beyond 64
 * bits. */
bool parse_number(const char *word, uint64_t *value);

#endif
