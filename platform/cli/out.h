/* SPDX-License-Identifier: Apache-2.0 */
/* Output to stdout: tables for people, JSON for programs. */
#ifndef MP_CLI_OUT_H
#define MP_CLI_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A table is filled cell by cell, row by row. Columns with numbers only are aligned right. */
struct out_table;
struct out_table *out_table_new(unsigned columns, const char *const *heads);
__attribute__((format(printf, 2, 3))) void out_cell(struct out_table *t, const char *format, ...);
void out_count(struct out_table *t, uint64_t value); /* prints 1234567 as 1,234,567 */
void out_table_print(struct out_table *t, FILE *f);  /* prints and frees the table */

/* Prints a table of names and titles, or a JSON list of objects with the keys `kind` and "title". */
struct out_entry {
    const char *name, *title;
};
void out_list(bool json, const char *kind, const struct out_entry *entries, unsigned n);

/* Writes JSON with commas and escapes. name is NULL inside arrays and at the top. */
struct out_json {
    FILE *f;
    unsigned depth;
    bool some[32]; /* the object or array at this depth has a member */
};
void json_quote(FILE *f, const char *text); /* one value alone */
void json_object(struct out_json *j, const char *name);
void json_array(struct out_json *j, const char *name);
void json_end_object(struct out_json *j);
void json_end_array(struct out_json *j); /* the outermost one also ends the line */
void json_text(struct out_json *j, const char *name, const char *value); /* NULL prints null */
void json_count(struct out_json *j, const char *name, uint64_t value);
void json_real(struct out_json *j, const char *name, double value); /* prints null if not finite */
void json_flag(struct out_json *j, const char *name, bool value);

#ifdef __cplusplus
}
#endif
#endif
