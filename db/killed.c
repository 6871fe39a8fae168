/* SPDX-License-Identifier: Apache-2.0 */
#include "db/killed.h"

#include "db/host.h"
#include "db/sql.h"

#define KILLED_ERROR "'process ' || pid || ' ended without closing the run'"

static int mark_in_file(struct mp_db *db, const char *dead, struct mp_error *err)
{
    char *sql = sqlite3_mprintf("UPDATE run SET status = 'killed', error = " KILLED_ERROR
                                " WHERE id IN (%s) AND status = 'running'",
                                dead);
    int result = sql ? mp_db_exec(db, sql, err) : mp_db_out_of_memory(err);
    sqlite3_free(sql);
    return result;
}

/* Executes each row of a SELECT as a statement. */
static int exec_each(struct mp_db *db, const char *select, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = mp_db_prepare(db, &s, select, err);
    while (!result && sqlite3_step(s) == SQLITE_ROW)
        result = mp_db_exec(db, (const char *)sqlite3_column_text(s, 0), err);
    sqlite3_finalize(s);
    return result;
}

/* Temporary objects hide those of the file that have the same name: first a view `run` that marks the dead,
 * then a copy of each view of the file, which reads that one. */
static int mark_in_view(struct mp_db *db, const char *dead, struct mp_error *err)
{
    char *runs =
        sqlite3_mprintf("SELECT 'CREATE TEMP VIEW run AS SELECT ' || group_concat(CASE name"
                        " WHEN 'status' THEN 'CASE WHEN id IN (%s) THEN ''killed'' ELSE status END AS status'"
                        " WHEN 'error' THEN 'CASE WHEN id IN (%s) THEN %q ELSE error END AS error'"
                        " ELSE name END, ', ') || ' FROM main.run' FROM pragma_table_xinfo('run')",
                        dead, dead, KILLED_ERROR);
    int result = runs ? exec_each(db, runs, err) : mp_db_out_of_memory(err);
    sqlite3_free(runs);
    return result
               ? result
               : exec_each(db,
                           "SELECT 'CREATE TEMP' || substr(sql, length('CREATE') + 1) FROM main.sqlite_schema"
                           " WHERE type = 'view'",
                           err);
}

/* Few runs are running at a time; a transaction begins only if some are dead. */
int mp_db_mark_killed(struct mp_db *db, struct mp_error *err)
{
    struct mp_db_host here;
    char dead[4096] = "";
    size_t length = 0;
    sqlite3_stmt *s;
    mp_db_host(&here);
    uint64_t file = mp_db_file_inode(db);
    if (mp_db_prepare(db, &s, "SELECT id, boot, pid, pid_started FROM run WHERE status = 'running'", err))
        return -1;
    while (length + 24 < sizeof dead && sqlite3_step(s) == SQLITE_ROW) {
        if (mp_db_alive(&here, file, (const char *)sqlite3_column_text(s, 1), sqlite3_column_int64(s, 2),
                        sqlite3_column_int64(s, 3)) == MP_DB_DEAD)
            length += (size_t)snprintf(dead + length, sizeof dead - length, "%s%lld", length ? ", " : "",
                                       (long long)sqlite3_column_int64(s, 0));
    }
    sqlite3_finalize(s);
    if (!length)
        return 0;
    return db->writable ? mark_in_file(db, dead, err) : mark_in_view(db, dead, err);
}
