/* SPDX-License-Identifier: Apache-2.0 */
/* What servers of page faults do in a window of cycles. */
#include "db/sql.h"

static int insert_window(struct mp_db *db, const struct mp_db_managed_window *w, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO managed_window (run, component, first, last, page_bytes)"
                      " VALUES (?, ?, ?, ?, ?)",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, db->run);
    sqlite3_bind_int64(s, 2, w->component);
    sqlite3_bind_int64(s, 3, (int64_t)w->first);
    sqlite3_bind_int64(s, 4, (int64_t)w->last);
    sqlite3_bind_int64(s, 5, w->page_bytes);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int insert_actions(struct mp_db *db, const struct mp_db_managed_window *w, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO managed_action (run, component, number, kind, tenant, began, ended, page,"
                      " pages) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                      err))
        return -1;
    for (size_t i = 0; !result && i < w->nactions; i++) {
        const struct mp_db_managed_action *a = &w->action[i];
        sqlite3_bind_int64(s, 1, db->run);
        sqlite3_bind_int64(s, 2, w->component);
        sqlite3_bind_int64(s, 3, (int64_t)i);
        mp_db_bind_text(s, 4, a->kind);
        sqlite3_bind_int64(s, 5, a->tenant);
        sqlite3_bind_int64(s, 6, (int64_t)a->began);
        sqlite3_bind_int64(s, 7, (int64_t)a->ended);
        mp_db_bind_optional(s, 8, a->page != 0, (int64_t)a->page);
        sqlite3_bind_int64(s, 9, a->pages);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_resident(struct mp_db *db, const struct mp_db_managed_window *w, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s,
                      "INSERT OR REPLACE INTO managed_resident (run, component, tenant, block, cycle, pages)"
                      " VALUES (?, ?, ?, ?, ?, ?)",
                      err))
        return -1;
    for (size_t i = 0; !result && i < w->nresident; i++) {
        const struct mp_db_managed_resident *r = &w->resident[i];
        sqlite3_bind_int64(s, 1, db->run);
        sqlite3_bind_int64(s, 2, w->component);
        sqlite3_bind_int64(s, 3, r->tenant);
        sqlite3_bind_int64(s, 4, (int64_t)r->block);
        sqlite3_bind_int64(s, 5, (int64_t)r->cycle);
        sqlite3_bind_int64(s, 6, r->pages);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

int mp_db_managed_window(struct mp_db *db, const struct mp_db_managed_window *w, struct mp_error *err)
{
    if (mp_db_flush(db, err) || mp_db_begin(db, err)) /* writes the component, to which the rows refer */
        return -1;
    return mp_db_finish(
        db, insert_window(db, w, err) || insert_actions(db, w, err) || insert_resident(db, w, err) ? -1 : 0,
        err);
}
