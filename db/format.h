/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_DB_FORMAT_H
#define MP_DB_FORMAT_H

#include "db/handle.h"

/* Steps a statement to its end and writes its rows. */
int mp_db_write_rows(struct mp_db *db, sqlite3_stmt *statement, enum mp_db_format format, FILE *out,
                     struct mp_error *err);

#endif
