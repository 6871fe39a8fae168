/* SPDX-License-Identifier: Apache-2.0 */
/* The schema's version is PRAGMA user_version. Each migration raises it by one, in a separate transaction. */
#ifndef MP_DB_MIGRATE_H
#define MP_DB_MIGRATE_H

#include "db/handle.h"

struct mp_db_migration {
    const char *name, *sql;
};
extern const struct mp_db_migration mp_db_migrations[]; /* the n-th leads to version n */
extern const unsigned mp_db_nmigrations;
/* views.sql; the view that holds its hash; whether a file has that view; what drops all of them, of any
 * version. */
extern const char mp_db_views[], mp_db_mark_views[], mp_db_has_views[], mp_db_drop_views[];

/* "mpth": the application_id of mempath's databases. */
#define MP_DB_APPLICATION_ID 0x6d707468

/* Brings the schema up to date; refuses files of other programs and of newer versions. */
int mp_db_migrate(struct mp_db *db, struct mp_error *err);

#endif
