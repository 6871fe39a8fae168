/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes a database file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "db/killed.h"
#include "db/migrate.h"
#include "db/sql.h"

/* Jobs of a sweep wait for each other's transactions, each of which takes milliseconds. */
#define BUSY_MS 60000

/* Network file systems by their magic number (statfs(2), linux/magic.h, the file systems' sources). Processes
 * of several hosts can share a file there, but not the shared memory that a write-ahead log needs. */
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

/* SQLite tries to open a file that it may not create for reading as well, so it reports that it is missing.
 */
static int check_folder(const struct mp_db *db, struct mp_error *err)
{
    const char *slash = strrchr(db->path, '/');
    char *folder = !slash              ? strdup(".")
                   : slash == db->path ? strdup("/")
                                       : strndup(db->path, (size_t)(slash - db->path));
    if (!folder)
        return mp_db_out_of_memory(err);
    int wrong = access(folder, W_OK | X_OK) ? errno : 0;
    free(folder);
    return wrong ? mp_fail(err,
                           "%s: it cannot be created (%s); a file in a directory that exists and is writable",
                           db->path, strerror(wrong))
                 : 0;
}

/* Refuses what SQLite would report too late or not clearly. */
static int check_file(struct mp_db *db, enum mp_db_mode mode, struct mp_error *err)
{
    struct stat st;
    if (stat(db->path, &st)) {
        if (errno == ENOENT && mode == MP_DB_WRITE)
            return check_folder(db, err);
        return mp_fail(err, "%s: %s; %s", db->path, errno == ENOENT ? "no such database" : strerror(errno),
                       errno == ENOENT ? "a file that a run has written" : "a readable file");
    }
    if (!S_ISREG(st.st_mode))
        return mp_fail(err, "%s: not a regular file; name a database of mempath, or a new file", db->path);
    return 0;
}

static int set_up(struct mp_db *db, enum mp_db_mode mode, struct mp_error *err)
{
    int64_t ignored;
    sqlite3_busy_timeout(db->sqlite, BUSY_MS);
    /* The first read shows whether the file is a database. */
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
        /* Where a write-ahead log is impossible, SQLite keeps the rollback journal. */
        mp_db_exec(db, on_network(db->path) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL",
                   NULL);
        if (mp_db_exec(db, "PRAGMA synchronous = NORMAL", err))
            return -1;
    }
    if (mp_db_mark_killed(db, err) && mode == MP_DB_WRITE)
        return -1;
    return mode == MP_DB_READ ? mp_db_exec(db, "PRAGMA query_only = ON", err) : 0;
}

/* A file on a read-only medium that last had a write-ahead log opens only as "immutable", which ignores the
 * log; nothing is lost if the log is missing or empty. */
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
        result = mp_fail(
            err, "%s: it was not closed properly and cannot be written; its directory must be writable once",
            db->path);
    else if (sqlite3_open_v2(uri, &db->sqlite, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
                             NULL) != SQLITE_OK)
        result = mp_db_fail_sqlite(db, err);
    free(uri);
    return result ? result : set_up(db, MP_DB_READ, err);
}

static int open_and_set_up(struct mp_db *db, enum mp_db_mode mode, struct mp_error *err)
{
    /* Readers open for writing if they may: after a kill, the next process has to replay the write-ahead log.
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
    /* Statistics of memory that nothing reads cost a lock for each allocation. Later calls have no effect. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
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

static void close_file(struct mp_db *db)
{
    sqlite3_finalize(db->insert_value);
    sqlite3_finalize(db->insert_epoch);
    sqlite3_close_v2(db->sqlite);
    db->insert_value = db->insert_epoch = NULL;
    db->sqlite = NULL;
}

void mp_db_pause(struct mp_db *db)
{
    close_file(db);
}

int mp_db_resume(struct mp_db *db, const char *path, struct mp_error *err)
{
    char *other = path ? strdup(path) : NULL;
    if (path && !other)
        return mp_db_out_of_memory(err);
    if (other) {
        free(db->path);
        db->path = other;
    }
    return open_and_set_up(db, MP_DB_WRITE, err);
}

void mp_db_close(struct mp_db *db)
{
    if (!db)
        return;
    close_file(db);
    mp_db_buffer_free(&db->buffer);
    free(db->path);
    free(db);
}
