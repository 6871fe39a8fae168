/* SPDX-License-Identifier: Apache-2.0 */
/* Words and numbers in the lines of a recording. */
#ifndef MP_TRACE_IMPORT_WORDS_H
#define MP_TRACE_IMPORT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the next word of the line at *at, 0-terminated, or NULL at the end of the line. */
char *import_word(char **at);

/* These return false if the text is NULL or no such number. */
bool import_hex(const char *text, uint64_t *value);
bool import_decimal(const char *text, int64_t *value);
bool import_count(const char *text, uint64_t most, uint64_t *value);
bool import_triple(char *text, uint32_t value[3]); /* "(x,y,z)" or "x,y,z" */

/* Yields the product of the sizes. Returns false if it is 0 or more than `most`. */
bool import_volume(const uint32_t size[3], uint64_t most, uint64_t *product);

/* Returns the value of a line "key = value", or NULL if the line has another key. */
char *import_value(char *line, const char *key);

#endif
