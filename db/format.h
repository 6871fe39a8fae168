/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_DB_FORMAT_H
#define MP_DB_FORMAT_H

#include "db/handle.h"

/* Returns the code of the next row's step: after the end for one run, the statement is run for the next one
 * of `runs`, ",7,9", or NULL. */
int mp_db_next_row(sqlite3_stmt *statement, const char **runs);

/* Steps a statement to its end, for all runs, and writes its rows. */
int mp_db_write_rows(struct mp_db *db, sqlite3_stmt *statement, const char *runs, enum mp_db_format format,
                     FILE *out, struct mp_error *err);

#endif
