/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing, and the small helpers over SQLite that say what went wrong in one line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "db/internal.h"

/* Jobs of a sweep wait for each other's transactions, which take milliseconds each. */
#define BUSY_MS 60000

/* Magic numbers of statfs(2), linux/magic.h and the file systems' sources: there processes of several hosts
 * can share a file but not the shared memory that WAL needs. */
static const unsigned long network_file_systems[] = {
    0x6969,     /* NFS */
    0x517b,     /* SMB */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB2 */
    0x01021997, /* 9P */
    0x00c36400, /* Ceph */
    0x65735546, /* FUSE: sshfs, GlusterFS, ... */
    0x0bd00bd0, /* Lustre */
    0x47504653, /* GPFS */
    0x19830326, /* BeeGFS */
    0x5346414f, /* AFS */
};

/* What to do about an SQLite result code. */
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

int mp_db_out_of_memory(struct mp_error *err)
{
    return mp_fail(err, "database: out of memory; free some");
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
    /* after some errors SQLite has rolled back by itself */
    if (result && !sqlite3_get_autocommit(db->sqlite))
        mp_db_exec(db, "ROLLBACK", NULL);
    return result;
}

int mp_db_grow(void **array, size_t count, size_t *room, size_t size, struct mp_error *err)
{
    if (count < *room)
        return 0;
    size_t more = *room ? 2 * *room : 64;
    void *moved = realloc(*array, more * size);
    if (!moved)
        return mp_db_out_of_memory(err);
    *array = moved;
    *room = more;
    return 0;
}

static bool on_network(const char *path)
{
    struct statfs fs;
    if (statfs(path, &fs))
        return false;
    for (size_t i = 0; i < sizeof network_file_systems / sizeof *network_file_systems; i++) {
        if (((unsigned long)fs.f_type & 0xffffffffu) == network_file_systems[i])
            return true;
    }
    return false;
}

/* What SQLite would say too late or not clearly. */
static int check_file(struct mp_db *db, enum mp_db_mode mode, struct mp_error *err)
{
    struct stat st;
    if (stat(db->path, &st)) {
        if (errno == ENOENT && mode == MP_DB_WRITE)
            return 0;
        return mp_fail(err, "%s: %s; %s", db->path, errno == ENOENT ? "no such database" : strerror(errno),
                       errno == ENOENT ? "a file that a run has written" : "a readable file");
    }
    if (!S_ISREG(st.st_mode))
        return mp_fail(err, "%s: it is not a regular file; name a database of mempath, or a new file",
                       db->path);
    return 0;
}

uint64_t mp_db_file_inode(const struct mp_db *db)
{
    struct stat st;
    return stat(db->path, &st) ? 0 : (uint64_t)st.st_ino;
}

static int set_up(struct mp_db *db, enum mp_db_mode mode, struct mp_error *err)
{
    int64_t ignored;
    sqlite3_busy_timeout(db->sqlite, BUSY_MS);
    /* the first read finds out what the file is */
    if (mp_db_number(db, "SELECT count(*) FROM sqlite_schema", 0, &ignored, err))
        return -1;
    db->writable = sqlite3_db_readonly(db->sqlite, "main") == 0;
    if (!db->writable && mode == MP_DB_WRITE)
        return mp_fail(err, "%s: it cannot be written; the file and its directory must be writable",
                       db->path);
    if (mp_db_exec(db, "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -16384;",
                   err))
        return -1;
    if (mp_db_migrate(db, err))
        return -1;
    if (db->writable) {
        /* Answers with the mode that resulted: where WAL is impossible, the rollback journal stays. */
        mp_db_exec(db, on_network(db->path) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL",
                   NULL);
        if (mp_db_exec(db, "PRAGMA synchronous = NORMAL", err))
            return -1;
    }
    if (mp_db_mark_killed(db, err) && mode == MP_DB_WRITE)
        return -1;
    return mode == MP_DB_READ ? mp_db_exec(db, "PRAGMA query_only = ON", err) : 0;
}

/* A file on a read-only medium that was last used with a write-ahead log opens only with the promise that
 * nobody writes; an empty or missing log says that nothing is lost by it. */
static int open_immutable(struct mp_db *db, struct mp_error *err)
{
    struct stat st;
    size_t length = strlen(db->path);
    char *uri = malloc(3 * length + sizeof "file:?immutable=1-wal");
    if (!uri)
        return mp_db_out_of_memory(err);
    memcpy(uri, db->path, length);
    memcpy(uri + length, "-wal", sizeof "-wal");
    bool log = stat(uri, &st) == 0 && st.st_size > 0;
    char *to = uri + sprintf(uri, "file:");
    for (size_t i = 0; i < length; i++)
        to += sprintf(to, strchr("%?#", db->path[i]) ? "%%%02x" : "%c", (unsigned char)db->path[i]);
    memcpy(to, "?immutable=1", sizeof "?immutable=1");
    sqlite3_close_v2(db->sqlite);
    db->sqlite = NULL;
    int result = 0;
    if (log)
        result =
            mp_fail(err, "%s: it was not closed and cannot be written; its directory must be writable once",
                    db->path);
    else if (sqlite3_open_v2(uri, &db->sqlite, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
                             NULL) != SQLITE_OK)
        result = mp_db_fail_sqlite(db, err);
    free(uri);
    return result ? result : set_up(db, MP_DB_READ, err);
}

static int open_and_set_up(struct mp_db *db, enum mp_db_mode mode, struct mp_error *err)
{
    /* Readers open for writing too where they may: after a kill, someone has to replay the write-ahead log.
     */
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == MP_DB_WRITE ? SQLITE_OPEN_CREATE : 0);
    if (check_file(db, mode, err))
        return -1;
    if (sqlite3_open_v2(db->path, &db->sqlite, flags, NULL) != SQLITE_OK)
        return mp_db_fail_sqlite(db, err);
    if (!set_up(db, mode, err))
        return 0;
    int code = sqlite3_errcode(db->sqlite) & 0xff;
    if (mode == MP_DB_READ && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY))
        return open_immutable(db, err);
    return -1;
}

int mp_db_open(struct mp_db **opened, const char *path, enum mp_db_mode mode, struct mp_error *err)
{
    *opened = NULL;
    struct mp_db *db = calloc(1, sizeof *db);
    if (!db || !(db->path = strdup(path))) {
        free(db);
        return mp_db_out_of_memory(err);
    }
    if (open_and_set_up(db, mode, err)) {
        mp_db_close(db);
        return -1;
    }
    *opened = db;
    return 0;
}

void mp_db_close(struct mp_db *db)
{
    if (!db)
        return;
    mp_db_forget(db);
    sqlite3_finalize(db->insert_value);
    sqlite3_finalize(db->insert_epoch);
    sqlite3_close_v2(db->sqlite);
    for (size_t i = 0; i < db->nmetrics; i++) {
        free(db->metric[i].component_kind);
        free(db->metric[i].name);
        free(db->metric[i].unit);
        free(db->metric[i].description);
    }
    free(db->metric);
    free(db->component);
    free(db->component_hash);
    free(db->values.row);
    free(db->epochs.row);
    free(db->hist);
    free(db->path);
    free(db);
}
