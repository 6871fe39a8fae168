/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite calls whose failure is one line: "PATH: what SQLite reports; what to do about it". Functions return
 * 0, or -1 with that line in err. */
#ifndef MP_DB_SQL_H
#define MP_DB_SQL_H

#include "db/handle.h"

/* Reports the error in db->sqlite; returns -1. */
int mp_db_fail_sqlite(const struct mp_db *db, struct mp_error *err);

/* Reports that no run is open; returns -1. */
int mp_db_fail_no_run(const struct mp_db *db, struct mp_error *err);

/* Executes statements that yield no rows. */
int mp_db_exec(struct mp_db *db, const char *sql, struct mp_error *err);

/* *statement is NULL on failure. */
int mp_db_prepare(struct mp_db *db, sqlite3_stmt **statement, const char *sql, struct mp_error *err);

/* Steps a statement that yields no row, and resets it. */
int mp_db_step(struct mp_db *db, sqlite3_stmt *statement, struct mp_error *err);

/* Reads the first column of the first row as a number; `none` if there is no row. */
int mp_db_number(struct mp_db *db, const char *sql, int64_t none, int64_t *number, struct mp_error *err);

int mp_db_begin(struct mp_db *db, struct mp_error *err);

/* Commits if result is 0, else rolls back and leaves the failure's line in err. */
int mp_db_finish(struct mp_db *db, int result, struct mp_error *err);

/* Inode of the database file; 0 if it is not known. */
uint64_t mp_db_file_inode(const struct mp_db *db);

/* Binds a text that stays until the statement was stepped; NULL is NULL. */
static inline void mp_db_bind_text(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

/* Binds a number, or NULL unless it is there. */
static inline void mp_db_bind_optional(sqlite3_stmt *s, int at, bool there, int64_t value)
{
    if (there)
        sqlite3_bind_int64(s, at, value);
    else
        sqlite3_bind_null(s, at);
}

#endif
