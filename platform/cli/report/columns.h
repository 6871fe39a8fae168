/* SPDX-License-Identifier: Apache-2.0 */
/* A table as columns of JSON, in which a value that repeats is written once. A column is
 *     {"name": NAME, "unit": UNIT, "v": [VALUES]}                 a value for each row,
 *     {..., "v": [DISTINCT VALUES], "i": [INDEX OF EACH ROW]}     or
 *     {..., "v": [DISTINCT VALUES], "r": [INDEX, ROWS, INDEX, ROWS, ...]}
 * whichever is shortest. */
#ifndef MP_CLI_COLUMNS_H
#define MP_CLI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "db/db.h"

struct columns; /* zero rows and columns at first */

struct columns *columns_new(void);
void columns_free(struct columns *c);

/* The index of a column, which is added if there is none of this name. unit: NULL for none. */
unsigned columns_find(struct columns *c, const char *name, const char *unit);

/* Appends a row of nulls, which columns_set changes; returns its index. */
unsigned columns_row(struct columns *c);
void columns_set(struct columns *c, unsigned row, unsigned column, const struct mp_db_cell *cell);
void columns_text(struct columns *c, unsigned row, const char *column, const char *text);
void columns_real(struct columns *c, unsigned row, const char *column, double value);

/* A row of mp_db_rows(), with the names of its columns; a column "NAME (UNIT)" has a unit. */
mp_db_row columns_add;

/* Removes the columns from index `from` on that have one value in all rows. */
void columns_drop_constant(struct columns *c, unsigned from);

/* Writes the member "name": {"rows": N, "columns": [...], "left_out": [NAMES]}. Columns that would exceed
 * `budget` bytes are left out. */
void columns_write(const struct columns *c, const char *name, size_t budget, FILE *f);

unsigned columns_rows(const struct columns *c);

#endif
