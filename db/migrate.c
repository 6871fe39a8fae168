/* SPDX-License-Identifier: Apache-2.0 */
#include "db/migrate.h"

#include <string.h>

#include "db/sql.h"

/* Reads the version; refuses files of other programs and of newer versions. */
static int check_schema(struct mp_db *db, int64_t *version, struct mp_error *err)
{
    int64_t id, objects;
    if (mp_db_number(db, "PRAGMA user_version", 0, version, err) ||
        mp_db_number(db, "PRAGMA application_id", 0, &id, err) ||
        mp_db_number(db, "SELECT count(*) FROM sqlite_schema", 0, &objects, err))
        return -1;
    if (id != MP_DB_APPLICATION_ID && (objects || *version || id))
        return mp_fail(
            err, "%s: the database belongs to another program; name a database of mempath, or a new file",
            db->path);
    if (*version < 0)
        return mp_fail(err, "%s: schema version %lld; the database is damaged, versions are 1 to %u",
                       db->path, (long long)*version, mp_db_nmigrations);
    if (*version > (int64_t)mp_db_nmigrations)
        return mp_fail(err,
                       "%s: schema version %lld is from a newer mempath; this one knows versions up to %u",
                       db->path, (long long)*version, mp_db_nmigrations);
    return 0;
}

/* ---- a new file ---- */

/* A new file takes all steps at once, and then gets the views that no step drops. ALTER TABLE parses all
 * views that are there, and took two thirds of the time. */

static const char *skip_blanks(const char *sql)
{
    for (;;) {
        sql += strspn(sql, " \n");
        if (strncmp(sql, "--", 2) != 0)
            return sql;
        sql += strcspn(sql, "\n");
    }
}

/* The end of a statement that is no trigger. */
static const char *end_of(const char *sql)
{
    while (*sql && *sql != ';') {
        if (!strncmp(sql, "--", 2)) {
            sql += strcspn(sql, "\n");
        } else if (*sql == '\'') {
            sql += 1 + strcspn(sql + 1, "'");
            sql += *sql != '\0';
        } else {
            sql++;
        }
    }
    return *sql ? sql + 1 : sql;
}

static bool begins(const char *sql, const char *words)
{
    return !strncmp(sql, words, strlen(words));
}

/* Executes one statement. *end: where it ends. */
static int execute(struct mp_db *db, const char *sql, const char **end, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db->sqlite, sql, -1, &s, end) != SQLITE_OK)
        return mp_db_fail_sqlite(db, err);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int create_without_views(struct mp_db *db, const char *sql, struct mp_error *err)
{
    while (*(sql = skip_blanks(sql))) {
        if (begins(sql, "CREATE VIEW ") || begins(sql, "DROP VIEW "))
            sql = end_of(sql);
        else if (execute(db, sql, &sql, err))
            return -1;
    }
    return 0;
}

/* Whether a step drops the view of that name; `rest` is what follows its creation in step `step`. */
static bool dropped(const char *name, size_t length, const char *rest, unsigned step)
{
    char drop[96];
    snprintf(drop, sizeof drop, "DROP VIEW %.*s;", (int)length, name);
    bool found = strstr(rest, drop);
    while (!found && ++step < mp_db_nmigrations)
        found = strstr(mp_db_migrations[step].sql, drop);
    return found;
}

static int create_views(struct mp_db *db, unsigned step, struct mp_error *err)
{
    static const char create[] = "CREATE VIEW ";
    const char *sql = mp_db_migrations[step].sql, *end;
    for (; *(sql = skip_blanks(sql)); sql = end) {
        const char *name = sql + sizeof create - 1;
        end = end_of(sql);
        if (begins(sql, create) && !dropped(name, strcspn(name, " "), end, step) &&
            execute(db, sql, &end, err))
            return -1;
    }
    return 0;
}

static int create_all(struct mp_db *db, struct mp_error *err)
{
    for (unsigned i = 0; i < mp_db_nmigrations; i++)
        if (create_without_views(db, mp_db_migrations[i].sql, err))
            return -1;
    for (unsigned i = 0; i < mp_db_nmigrations; i++)
        if (create_views(db, i, err))
            return -1;
    return 0;
}

/* ---- all files ---- */

/* Takes all steps that are missing; none if another process took them while this one waited for the lock. */
static int migrate_from(struct mp_db *db, struct mp_error *err)
{
    int64_t version;
    char pragma[96];
    if (check_schema(db, &version, err))
        return -1;
    if (!version && create_all(db, err))
        return -1;
    for (; version && version < (int64_t)mp_db_nmigrations; version++) {
        if (mp_db_exec(db, mp_db_migrations[version].sql, err))
            return -1;
    }
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %u; PRAGMA application_id = %d", mp_db_nmigrations,
             MP_DB_APPLICATION_ID);
    return mp_db_exec(db, pragma, err);
}

int mp_db_migrate(struct mp_db *db, struct mp_error *err)
{
    int64_t version;
    if (check_schema(db, &version, err))
        return -1;
    if (version == (int64_t)mp_db_nmigrations)
        return 0;
    if (!db->writable)
        return mp_fail(
            err,
            "%s: schema version %lld is older than this mempath's %u and the file cannot be written; "
            "make it writable once, so that it can be updated",
            db->path, (long long)version, mp_db_nmigrations);
    return mp_db_begin(db, err) || mp_db_finish(db, migrate_from(db, err), err) ? -1 : 0;
}
