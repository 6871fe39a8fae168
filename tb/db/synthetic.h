/* SPDX-License-Identifier: Apache-2.0 */
/* A small database of made-up numbers that are easy to check by hand: run 1 is ATAX alone on 4 slices, run 2
 * is FIR alone on 3, run 3 is both together. What differs between hosts is overwritten, so that the README
 * can show it. */
#ifndef DB_SYNTHETIC_H
#define DB_SYNTHETIC_H

#include "db/db.h"

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        if ((call) < 0) {                                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, err.text);                                    \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* Removes path and SQLite's files next to it. */
void db_remove(const char *path);

/* Replaces the file with a new database. */
void db_synthetic(const char *path);

/* A run description with constant texts and these tenants. */
struct mp_db_run_info db_info(unsigned ntenants, const struct mp_db_tenant *tenant);

/* First column of the first row, as a number; aborts if there is none. */
double db_number(struct mp_db *db, const char *sql);

/* Returns the output of a query, for the caller to free. Aborts on failure. */
char *db_text(struct mp_db *db, const char *sql, enum mp_db_format format);
char *db_text_with(struct mp_db *db, const char *sql, unsigned nparameters,
                   const struct mp_db_parameter *parameter, enum mp_db_format format);

#endif
