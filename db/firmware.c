/* SPDX-License-Identifier: Apache-2.0 */
/* A run of firmware: the image and the workloads at its start, the outcome at its end. */
#include "db/sql.h"
#include "db/text.h"

static void bind_file(sqlite3_stmt *s, int at, const struct mp_db_file *f)
{
    char hash[33];
    mp_db_hash_text(f->hash, hash);
    sqlite3_bind_text(s, at, f->path, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, at + 1, hash, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(s, at + 2, (int64_t)f->bytes);
}

static int insert_workload(struct mp_db *db, const struct mp_db_workload *w, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO workload (run, workload, app, size, trace, hash, bytes)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, db->run);
    sqlite3_bind_int64(s, 2, w->number);
    mp_db_bind_text(s, 3, w->app); /* NULL is NULL */
    mp_db_bind_text(s, 4, w->size);
    bind_file(s, 5, &w->trace);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int insert(struct mp_db *db, const struct mp_db_firmware *f, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s, "INSERT INTO firmware (run, image, hash, bytes) VALUES (?1, ?2, ?3, ?4)", err))
        return -1;
    sqlite3_bind_int64(s, 1, db->run);
    bind_file(s, 2, &f->image);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    for (unsigned i = 0; !result && i < f->nworkloads; i++)
        result = insert_workload(db, &f->workload[i], err);
    return result;
}

int mp_db_firmware_begin(struct mp_db *db, const struct mp_db_firmware *f, struct mp_error *err)
{
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    return mp_db_begin(db, err) || mp_db_finish(db, insert(db, f, err), err) ? -1 : 0;
}

static int update(struct mp_db *db, const struct mp_db_firmware_end *e, struct mp_error *err)
{
    static const char *const outcome[] = {"finished", "limit", "stuck", "interrupted"};
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "UPDATE firmware SET outcome = ?2, exit_code = ?3, instructions = ?4, exceptions = ?5,"
                      " interrupts = ?6, nanoseconds = ?7, console = ?8 WHERE run = ?1",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, db->run);
    mp_db_bind_text(s, 2, outcome[e->outcome]);
    if (e->outcome == MP_DB_FIRMWARE_FINISHED)
        sqlite3_bind_int(s, 3, e->exit_code);
    sqlite3_bind_int64(s, 4, (int64_t)e->instructions);
    sqlite3_bind_int64(s, 5, (int64_t)e->exceptions);
    sqlite3_bind_int64(s, 6, (int64_t)e->interrupts);
    sqlite3_bind_int64(s, 7, (int64_t)e->nanoseconds);
    mp_db_bind_text(s, 8, e->console);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

int mp_db_firmware_end(struct mp_db *db, const struct mp_db_firmware_end *e, struct mp_error *err)
{
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    return mp_db_begin(db, err) || mp_db_finish(db, update(db, e, err), err) ? -1 : 0;
}
