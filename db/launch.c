/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels, and what was counted in each. */
#include "db/sql.h"

static int insert_launch(struct mp_db *db, const struct mp_db_launch *l, sqlite3_stmt *launch,
                         sqlite3_stmt *count, struct mp_error *err)
{
    sqlite3_bind_int64(launch, 1, db->run);
    sqlite3_bind_int64(launch, 2, l->tenant);
    sqlite3_bind_int64(launch, 3, l->number);
    mp_db_bind_text(launch, 4, l->kernel);
    sqlite3_bind_int64(launch, 5, (int64_t)l->began);
    sqlite3_bind_int64(launch, 6, (int64_t)l->ended);
    int result = mp_db_step(db, launch, err);
    for (unsigned i = 0; !result && i < l->ncounts; i++) {
        sqlite3_bind_int64(count, 1, db->run);
        sqlite3_bind_int64(count, 2, l->tenant);
        sqlite3_bind_int64(count, 3, l->number);
        sqlite3_bind_int64(count, 4, db->buffer.metric[l->metric[i]].id);
        sqlite3_bind_int64(count, 5, (int64_t)l->value[i]);
        result = mp_db_step(db, count, err);
    }
    return result;
}

int mp_db_launches(struct mp_db *db, const struct mp_db_launch *launch, unsigned n, struct mp_error *err)
{
    sqlite3_stmt *row = NULL, *count = NULL;
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    if (!n)
        return 0;
    if (mp_db_flush(db, err) || mp_db_begin(db, err)) /* metrics have their numbers after a flush */
        return -1;
    int result = mp_db_prepare(db, &row,
                               "INSERT INTO launch (run, tenant, number, kernel, began, ended)"
                               " VALUES (?, ?, ?, ?, ?, ?)",
                               err) ||
                         mp_db_prepare(db, &count,
                                       "INSERT INTO launch_count (run, tenant, number, metric, value)"
                                       " VALUES (?, ?, ?, ?, ?)",
                                       err)
                     ? -1
                     : 0;
    for (unsigned i = 0; !result && i < n; i++)
        result = insert_launch(db, &launch[i], row, count, err);
    sqlite3_finalize(row);
    sqlite3_finalize(count);
    return mp_db_finish(db, result, err);
}
