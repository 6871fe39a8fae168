/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of the RTL: one row for each measurement, and its figures. */
#include "db/host.h"
#include "db/sql.h"
#include "db/text.h"

const char *const mp_db_rtl_verdict_names[] = {[MP_DB_IN_BOUNDS] = "held",
                                               [MP_DB_GREW] = "grew",
                                               [MP_DB_SHRANK] = "shrank",
                                               [MP_DB_CHANGED] = "changed"};

const char *const mp_db_rtl_status_names[] = {[MP_DB_RTL_HELD] = "held",
                                              [MP_DB_RTL_OUTSIDE] = "outside",
                                              [MP_DB_RTL_UPDATED] = "updated",
                                              [MP_DB_RTL_FAILED] = "failed"};

static int insert_figures(struct mp_db *db, int64_t id, const struct mp_db_rtl *r, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(
            db, &s,
            "INSERT INTO rtl_figure (rtl, position, design, name, unit, value, bound, verdict, paper)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            err))
        return -1;
    for (unsigned i = 0; !result && i < r->nfigures; i++) {
        const struct mp_db_rtl_figure *f = &r->figure[i];
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, i);
        mp_db_bind_text(s, 3, f->design);
        mp_db_bind_text(s, 4, f->name);
        mp_db_bind_text(s, 5, f->unit);
        sqlite3_bind_double(s, 6, f->value);
        if (f->verdict)
            sqlite3_bind_double(s, 7, f->bound);
        mp_db_bind_text(s, 8, mp_db_rtl_verdict_names[f->verdict]);
        if (f->has_paper)
            sqlite3_bind_double(s, 9, f->paper);
        result = mp_db_step(db, s, err);
        sqlite3_clear_bindings(s);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_rtl(struct mp_db *db, const struct mp_db_rtl *r, int64_t *id, struct mp_error *err)
{
    struct mp_db_host host;
    sqlite3_stmt *s;
    char now[25];
    if (mp_db_prepare(db, &s,
                      "INSERT INTO rtl (status, technology, seconds, error, tools, revision, host, started)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                      err))
        return -1;
    mp_db_host(&host);
    mp_db_now(now);
    mp_db_bind_text(s, 1, mp_db_rtl_status_names[r->status]);
    mp_db_bind_text(s, 2, r->technology);
    sqlite3_bind_double(s, 3, r->seconds);
    mp_db_bind_text(s, 4, r->error);
    mp_db_bind_text(s, 5, r->tools);
    mp_db_bind_text(s, 6, r->revision);
    mp_db_bind_text(s, 7, host.name);
    mp_db_bind_text(s, 8, now);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return result ? -1 : insert_figures(db, *id, r, err);
}

int64_t mp_db_rtl(struct mp_db *db, const struct mp_db_rtl *r, struct mp_error *err)
{
    int64_t id = -1;
    if (mp_db_begin(db, err))
        return -1;
    return mp_db_finish(db, insert_rtl(db, r, &id, err), err) ? -1 : id;
}
