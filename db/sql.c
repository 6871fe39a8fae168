/* SPDX-License-Identifier: Apache-2.0 */
#include "db/sql.h"

#include <string.h>
#include <sys/stat.h>

/* The cause and the remedy that a message gives for an SQLite result code. */
static const struct advice {
    int code;
    const char *what, *allowed;
} advice[] = {
    {SQLITE_FULL, "the disk is full", "free some space or name another file"},
    {SQLITE_READONLY, "it cannot be written", "the file and its directory must be writable"},
    {SQLITE_CANTOPEN, "it cannot be opened", "a file in a directory that exists and is writable"},
    {SQLITE_NOTADB, "it is not an SQLite database", "name a database of mempath, or a new file"},
    {SQLITE_CORRUPT, "the database is damaged", "salvage it with sqlite3's .recover, or name a new file"},
    {SQLITE_PERM, "access is denied", "the file and its directory must be accessible"},
    {SQLITE_BUSY, "another process holds the database", "wait for it to end and try again"},
    {SQLITE_LOCKED, "another process holds the database", "wait for it to end and try again"},
    {SQLITE_IOERR, "reading or writing failed", "a working disk with room, within the file size limit"},
    {SQLITE_INTERRUPT, "the query takes too long", "one that ends sooner; mempath query waits for it"},
    {SQLITE_TOOBIG, "a text is too long", "shorter ones; mempath query has no limit"},
    {SQLITE_NOMEM, "out of memory", "free some memory"},
};

int mp_db_fail_sqlite(const struct mp_db *db, struct mp_error *err)
{
    int code = sqlite3_errcode(db->sqlite);
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        if (advice[i].code == (code & 0xff)) {
            int os = sqlite3_system_errno(db->sqlite);
            bool tell = os && (advice[i].code == SQLITE_IOERR || advice[i].code == SQLITE_CANTOPEN);
            return mp_fail(err, "%s: %s%s%s%s; %s", db->path, advice[i].what, tell ? " (" : "",
                           tell ? strerror(os) : "", tell ? ")" : "", advice[i].allowed);
        }
    }
    return mp_fail(err, "%s: %s; a database that mempath wrote, and values that fit its schema", db->path,
                   sqlite3_errmsg(db->sqlite));
}

int mp_db_fail_no_run(const struct mp_db *db, struct mp_error *err)
{
    return mp_fail(err, "%s: no run is open; mp_db_run_begin comes first", db->path);
}

int mp_db_exec(struct mp_db *db, const char *sql, struct mp_error *err)
{
    return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : mp_db_fail_sqlite(db, err);
}

int mp_db_prepare(struct mp_db *db, sqlite3_stmt **statement, const char *sql, struct mp_error *err)
{
    *statement = NULL;
    return sqlite3_prepare_v2(db->sqlite, sql, -1, statement, NULL) == SQLITE_OK ? 0
                                                                                 : mp_db_fail_sqlite(db, err);
}

int mp_db_step(struct mp_db *db, sqlite3_stmt *statement, struct mp_error *err)
{
    int code = sqlite3_step(statement);
    int result = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : mp_db_fail_sqlite(db, err);
    sqlite3_reset(statement);
    return result;
}

int mp_db_number(struct mp_db *db, const char *sql, int64_t none, int64_t *number, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s, sql, err))
        return -1;
    int code = sqlite3_step(s);
    *number = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : none;
    int result = code == SQLITE_ROW || code == SQLITE_DONE ? 0 : mp_db_fail_sqlite(db, err);
    sqlite3_finalize(s);
    return result;
}

int mp_db_begin(struct mp_db *db, struct mp_error *err)
{
    return mp_db_exec(db, "BEGIN IMMEDIATE", err);
}

int mp_db_finish(struct mp_db *db, int result, struct mp_error *err)
{
    if (!result)
        result = mp_db_exec(db, "COMMIT", err);
    /* After some errors SQLite has rolled back already. */
    if (result && !sqlite3_get_autocommit(db->sqlite))
        mp_db_exec(db, "ROLLBACK", NULL);
    return result;
}

uint64_t mp_db_file_inode(const struct mp_db *db)
{
    struct stat st;
    return stat(db->path, &st) ? 0 : (uint64_t)st.st_ino;
}
