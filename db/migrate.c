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

/* Views are not migrated: mempath's are dropped before the steps, which change tables that they read, and
 * those of views.sql are created after the steps. A view that a user has added stays. */
static int migrate_from(struct mp_db *db, struct mp_error *err)
{
    int64_t version;
    char pragma[96];
    if (check_schema(db, &version, err) || mp_db_exec(db, mp_db_drop_views, err))
        return -1;
    for (; version < (int64_t)mp_db_nmigrations; version++)
        if (mp_db_exec(db, mp_db_migrations[version].sql, err))
            return -1;
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %u; PRAGMA application_id = %d", mp_db_nmigrations,
             MP_DB_APPLICATION_ID);
    return mp_db_exec(db, mp_db_views, err) || mp_db_exec(db, mp_db_mark_views, err) ||
                   mp_db_exec(db, pragma, err)
               ? -1
               : 0;
}

int mp_db_migrate(struct mp_db *db, struct mp_error *err)
{
    int64_t version, same;
    if (check_schema(db, &version, err) || mp_db_number(db, mp_db_has_views, 0, &same, err))
        return -1;
    if (version == (int64_t)mp_db_nmigrations && same)
        return 0;
    if (!db->writable)
        return mp_fail(
            err,
            "%s: schema version %lld is not this mempath's %u, or has other views, and the file cannot be "
            "written; make it writable once, so that it can be updated",
            db->path, (long long)version, mp_db_nmigrations);
    return mp_db_begin(db, err) || mp_db_finish(db, migrate_from(db, err), err) ? -1 : 0;
}
