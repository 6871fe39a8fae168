/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the library share. */
#ifndef MP_DB_INTERNAL_H
#define MP_DB_INTERNAL_H

#include <sqlite3.h>
#include <stddef.h>

#include "db/db.h"

struct mp_db_migration {
    const char *name, *sql;
};
extern const struct mp_db_migration mp_db_migrations[]; /* the n-th brings user_version to n */
extern const unsigned mp_db_nmigrations;

/* "mpth": tells our databases from other programs'. */
#define MP_DB_APPLICATION_ID 0x6d707468

struct mp_db_component {
    char *path, *kind;
    int parent; /* -1: none */
};

struct mp_db_metric {
    char *component_kind, *name, *unit, *description;
    enum mp_db_metric_kind kind;
    int64_t id; /* in the file; 0: not yet known */
};

struct mp_db_row {
    uint64_t cycle; /* of epochs */
    int component, tenant, metric;
    int64_t value;
};

struct mp_db_rows {
    struct mp_db_row *row;
    size_t count, room;
};

struct mp_db_hist {
    int component, tenant, metric;
    unsigned nbins;
    uint64_t *bins;
};

struct mp_db {
    sqlite3 *sqlite;
    char *path;
    bool writable;
    int64_t run; /* the open one, 0: none */
    unsigned ntenants;
    struct mp_db_component *component;
    size_t ncomponents, components_room, components_written;
    size_t *component_hash; /* open addressing, index + 1 */
    size_t component_hash_size;
    struct mp_db_metric *metric;
    size_t nmetrics, metrics_room;
    struct mp_db_rows values, epochs;
    struct mp_db_hist *hist;
    size_t nhists, hists_room;
    sqlite3_stmt *insert_value, *insert_epoch;
};

/* "PATH: what SQLite says; what to do about it" for the error in db->sqlite; returns -1. */
int mp_db_fail_sqlite(const struct mp_db *db, struct mp_error *err);

/* Statements without rows; 0 or -1. */
int mp_db_exec(struct mp_db *db, const char *sql, struct mp_error *err);
int mp_db_prepare(struct mp_db *db, sqlite3_stmt **statement, const char *sql, struct mp_error *err);
/* text stays until the statement was stepped; NULL is NULL. */
static inline void mp_db_bind_text(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

/* Steps a statement that yields no row and resets it. */
int mp_db_step(struct mp_db *db, sqlite3_stmt *statement, struct mp_error *err);
/* First column of the first row as a number; none if there is no row. */
int mp_db_number(struct mp_db *db, const char *sql, int64_t none, int64_t *number, struct mp_error *err);

int mp_db_begin(struct mp_db *db, struct mp_error *err);
/* Commits if result is 0, else rolls back; the failure's line stays in err. */
int mp_db_finish(struct mp_db *db, int result, struct mp_error *err);

int mp_db_migrate(struct mp_db *db, struct mp_error *err);
/* Marks runs 'killed' whose process is gone: in the file, or, where nothing may be written, in what this
 * connection sees of it. */
int mp_db_mark_killed(struct mp_db *db, struct mp_error *err);
uint64_t mp_db_file_inode(const struct mp_db *db); /* 0: unknown */
/* Empties the recording buffers and forgets the open run. */
void mp_db_forget(struct mp_db *db);

/* Makes room for one more element of `size` bytes; 0, or -1 out of memory. */
int mp_db_grow(void **array, size_t count, size_t *room, size_t size, struct mp_error *err);
int mp_db_out_of_memory(struct mp_error *err);

struct mp_db_host {
    char name[256], cpu[128];
    int cores;
    char boot[256];       /* machine, boot, pid namespace */
    int64_t pid, started; /* this process */
};
void mp_db_host(struct mp_db_host *host);
/* What a run's row says after the host's boot: the inode of the file into which its process records. */
#define MP_DB_FILE_MARK "/file:"
enum mp_db_alive { MP_DB_ALIVE, MP_DB_DEAD, MP_DB_UNKNOWN };
/* Of the process that a row names, in the database that is the inode `file`. */
enum mp_db_alive mp_db_alive(const struct mp_db_host *here, uint64_t file, const char *recorded, int64_t pid,
                             int64_t started);

/* UTC, "2026-01-31T12:00:00.000Z". */
void mp_db_now(char text[25]);
void mp_db_hash_text(const uint64_t hash[2], char text[33]);

/* Writes the rows of a statement. */
int mp_db_write_rows(struct mp_db *db, sqlite3_stmt *statement, enum mp_db_format format, FILE *out,
                     struct mp_error *err);

#endif
