/* SPDX-License-Identifier: Apache-2.0 */
/* The page walks in a window of cycles. */
#include "db/sql.h"

static int insert_window(struct mp_db *db, const struct mp_db_walk_window *w, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO walk_window (run, component, first, last, walkers) VALUES (?, ?, ?, ?, ?)",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, db->run);
    sqlite3_bind_int64(s, 2, w->component);
    sqlite3_bind_int64(s, 3, (int64_t)w->first);
    sqlite3_bind_int64(s, 4, (int64_t)w->last);
    sqlite3_bind_int64(s, 5, w->walkers);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int insert_walks(struct mp_db *db, const struct mp_db_walk_window *w, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO walk (run, component, walker, started, arrived, ended, tenant, asid, page,"
                      " levels, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                      err))
        return -1;
    for (size_t i = 0; !result && i < w->nwalks; i++) {
        const struct mp_db_walk *k = &w->walk[i];
        sqlite3_bind_int64(s, 1, db->run);
        sqlite3_bind_int64(s, 2, w->component);
        sqlite3_bind_int64(s, 3, k->walker);
        sqlite3_bind_int64(s, 4, (int64_t)k->started);
        sqlite3_bind_int64(s, 5, (int64_t)k->arrived);
        mp_db_bind_optional(s, 6, k->ended != MP_DB_NOT_ENDED, (int64_t)k->ended);
        sqlite3_bind_int64(s, 7, k->tenant);
        sqlite3_bind_int64(s, 8, k->asid);
        sqlite3_bind_int64(s, 9, (int64_t)k->page);
        sqlite3_bind_int64(s, 10, k->levels);
        mp_db_bind_optional(s, 11, k->owner != MP_DB_NO_TENANT, k->owner);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

/* Inserts run, component, cycle, of, is. */
static int insert_changes(struct mp_db *db, int component, const char *sql, size_t n,
                          const struct mp_db_walk_change *change, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s, sql, err))
        return -1;
    for (size_t i = 0; !result && i < n; i++) {
        sqlite3_bind_int64(s, 1, db->run);
        sqlite3_bind_int64(s, 2, component);
        sqlite3_bind_int64(s, 3, (int64_t)change[i].cycle);
        sqlite3_bind_int64(s, 4, change[i].of);
        sqlite3_bind_int64(s, 5, change[i].is);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_all(struct mp_db *db, const struct mp_db_walk_window *w, struct mp_error *err)
{
    static const char waiting[] =
        "INSERT INTO walk_waiting (run, component, cycle, tenant, walks) VALUES (?, ?, ?, ?, ?)";
    static const char owners[] =
        "INSERT INTO walker_owner (run, component, cycle, walker, tenant) VALUES (?, ?, ?, ?, ?)";
    return insert_window(db, w, err) || insert_walks(db, w, err) ||
                   insert_changes(db, w->component, waiting, w->nwaiting, w->waiting, err) ||
                   insert_changes(db, w->component, owners, w->nowners, w->owner, err)
               ? -1
               : 0;
}

int mp_db_walk_window(struct mp_db *db, const struct mp_db_walk_window *w, struct mp_error *err)
{
    if (mp_db_flush(db, err) || mp_db_begin(db, err)) /* writes the component, to which the rows refer */
        return -1;
    return mp_db_finish(db, insert_all(db, w, err), err);
}
