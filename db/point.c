/* SPDX-License-Identifier: Apache-2.0 */
/* Points of figures and tables in papers, and the values measured for them. */
#include "db/sql.h"
#include "db/text.h"

/* Parameters 1 to 4 are the key of the point in every statement of this file. */
static int prepare_point(struct mp_db *db, sqlite3_stmt **s, const char *sql, const struct mp_db_point *point,
                         struct mp_error *err)
{
    if (mp_db_prepare(db, s, sql, err))
        return -1;
    mp_db_bind_text(*s, 1, point->paper);
    mp_db_bind_text(*s, 2, point->figure);
    mp_db_bind_text(*s, 3, point->series);
    mp_db_bind_text(*s, 4, point->x);
    return 0;
}

int mp_db_paper_point(struct mp_db *db, const struct mp_db_point *point, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (prepare_point(
            db, &s,
            "INSERT INTO paper_point (paper, figure, series, x, value, unit, note, position)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
            "  (SELECT count(*) FROM paper_point WHERE paper = ?1 AND figure = ?2))"
            " ON CONFLICT DO UPDATE SET value = excluded.value, unit = excluded.unit, note = excluded.note"
            " WHERE value IS NOT excluded.value OR unit <> excluded.unit OR note <> excluded.note",
            point, err))
        return -1;
    if (point->has_value)
        sqlite3_bind_double(s, 5, point->value);
    mp_db_bind_text(s, 6, point->unit ? point->unit : "");
    mp_db_bind_text(s, 7, point->note ? point->note : "");
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int insert_measured(struct mp_db *db, const struct mp_db_point *point, const char *revision,
                           unsigned nruns, const int64_t *runs, struct mp_error *err)
{
    sqlite3_stmt *s;
    char now[25];
    if (prepare_point(
            db, &s,
            "INSERT INTO measured_point (paper, figure, series, x, value, revision, measured, derived)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            point, err))
        return -1;
    mp_db_now(now);
    sqlite3_bind_double(s, 5, point->value);
    mp_db_bind_text(s, 6, revision ? revision : "");
    mp_db_bind_text(s, 7, now);
    sqlite3_bind_int(s, 8, point->derived);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    int64_t id = sqlite3_last_insert_rowid(db->sqlite);
    if (result || !nruns)
        return result;
    if (mp_db_prepare(db, &s, "INSERT OR IGNORE INTO measured_run (point, run) VALUES (?, ?)", err))
        return -1;
    for (unsigned i = 0; !result && i < nruns; i++) {
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, runs[i]);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

int mp_db_measured_point(struct mp_db *db, const struct mp_db_point *point, const char *revision,
                         unsigned nruns, const int64_t *runs, struct mp_error *err)
{
    if (mp_db_begin(db, err))
        return -1;
    return mp_db_finish(db, insert_measured(db, point, revision, nruns, runs, err), err);
}
