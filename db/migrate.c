/* SPDX-License-Identifier: Apache-2.0 */
#include "db/migrate.h"

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

/* Takes all steps that are missing; none if another process took them while this one waited for the lock. */
static int migrate_from(struct mp_db *db, struct mp_error *err)
{
    int64_t version;
    char pragma[96];
    if (check_schema(db, &version, err))
        return -1;
    for (; version < (int64_t)mp_db_nmigrations; version++) {
        if (mp_db_exec(db, mp_db_migrations[version].sql, err))
            return -1;
    }
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %lld; PRAGMA application_id = %d",
             (long long)version, MP_DB_APPLICATION_ID);
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
            "make it writable once, to have it brought up to date",
            db->path, (long long)version, mp_db_nmigrations);
    return mp_db_begin(db, err) || mp_db_finish(db, migrate_from(db, err), err) ? -1 : 0;
}
