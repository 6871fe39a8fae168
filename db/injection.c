/* SPDX-License-Identifier: Apache-2.0 */
/* Faults on purpose in a run of firmware. */
#include "db/sql.h"
#include "db/text.h"

static int insert(struct mp_db *db, const struct mp_db_injection *f, unsigned number, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO injection (run, number, fault, place, planned, seed, cycle, outcome)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, db->run);
    sqlite3_bind_int64(s, 2, number);
    mp_db_bind_text(s, 3, f->fault);
    mp_db_bind_text(s, 4, f->place);
    mp_db_bind_text(s, 5, f->planned);
    if (f->drawn)
        sqlite3_bind_int64(s, 6, (int64_t)f->seed);
    if (f->happened)
        sqlite3_bind_int64(s, 7, (int64_t)f->cycle);
    mp_db_bind_text(s, 8, f->outcome);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int insert_all(struct mp_db *db, const struct mp_db_injection *fault, unsigned n, struct mp_error *err)
{
    int result = 0;
    for (unsigned i = 0; !result && i < n; i++)
        result = insert(db, &fault[i], i + 1, err);
    return result;
}

int mp_db_injections(struct mp_db *db, const struct mp_db_injection *fault, unsigned n, struct mp_error *err)
{
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    return mp_db_begin(db, err) || mp_db_finish(db, insert_all(db, fault, n, err), err) ? -1 : 0;
}
