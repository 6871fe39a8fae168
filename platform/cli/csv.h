/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing comma-separated values: RFC 4180, and lines that start with '#' are comments. */
#ifndef MP_CLI_CSV_H
#define MP_CLI_CSV_H

#include <stdio.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CSV_FIELDS 9u /* the most in a row */

struct csv {
    const char *name; /* of the file, for messages */
    char *text;       /* ends with 0; fields point into it */
    unsigned line;    /* of the row that was read last */
    unsigned nfields;
    char *field[CSV_FIELDS];
};

/* Starts with text, which csv_row() changes, and checks that its first row is head. -1 with err otherwise. */
int csv_open(struct csv *csv, const char *name, char *text, const char *head, struct mp_error *err);

/* Reads the next row into field[]. 1; 0 at the end; -1 with "FILE:LINE: WHAT; ALLOWED" in err. */
int csv_row(struct csv *csv, struct mp_error *err);

/* Reads a field of the last row as a finite number. -1 with err otherwise. */
int csv_number(const struct csv *csv, unsigned field, double *value, struct mp_error *err);

/* Writes one field, quoted where necessary, and the comma or newline after it. */
void csv_write(FILE *f, const char *text, char after);

#ifdef __cplusplus
}
#endif
#endif
