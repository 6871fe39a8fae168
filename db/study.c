/* SPDX-License-Identifier: Apache-2.0 */
/* Studies: their axes and points, the runs of points, and who runs them. */
#include <stdlib.h>
#include <string.h>

#include "db/host.h"
#include "db/sql.h"
#include "db/text.h"

/* A run on another host whose process has not reported for this long is taken for dead. */
#define SILENCE "-5 minutes"

/* ---- what a study is ---- */

/* Of the axes and all values: files that say the same are one study. */
static int hash_study(const struct mp_db_study *s, char hash[33], struct mp_error *err)
{
    const struct mp_db_run_info no_plugins = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return mp_db_out_of_memory(err);
    for (unsigned a = 0; a < s->naxes; a++)
        fprintf(f, "%u %s\n", s->axis[a].position, s->axis[a].path);
    for (unsigned i = 0; i < s->npoints * s->naxes; i++)
        fprintf(f, "%s\n", s->value[i]);
    if (fclose(f)) {
        free(text);
        return mp_db_out_of_memory(err);
    }
    mp_db_hash_of(text, &no_plugins, hash);
    free(text);
    return 0;
}

static int insert_study(struct mp_db *db, const struct mp_db_study *study, const char *hash,
                        struct mp_error *err)
{
    sqlite3_stmt *s;
    char now[25];
    if (mp_db_prepare(db, &s,
                      "INSERT INTO study (hash, name, description, started) VALUES (?, ?, ?, ?)"
                      " ON CONFLICT (hash) DO UPDATE SET name = excluded.name,"
                      " description = excluded.description",
                      err))
        return -1;
    mp_db_now(now);
    mp_db_bind_text(s, 1, hash);
    mp_db_bind_text(s, 2, study->name);
    mp_db_bind_text(s, 3, study->description ? study->description : "");
    mp_db_bind_text(s, 4, now);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int insert_axes(struct mp_db *db, const struct mp_db_study *study, int64_t id, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s,
                      "INSERT OR IGNORE INTO axis (study, position, path, varies) VALUES (?, ?, ?, ?)", err))
        return -1;
    for (unsigned a = 0; !result && a < study->naxes; a++) {
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, study->axis[a].position);
        mp_db_bind_text(s, 3, study->axis[a].path);
        sqlite3_bind_int64(s, 4, study->axis[a].varies);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_point(const struct mp_db_study *study, int64_t id, unsigned p, struct mp_db *db,
                        sqlite3_stmt *point, sqlite3_stmt *value, struct mp_error *err)
{
    sqlite3_bind_int64(point, 1, id);
    sqlite3_bind_int64(point, 2, p + 1);
    mp_db_bind_text(point, 3, study->label[p]);
    int result = mp_db_step(db, point, err);
    for (unsigned a = 0; !result && a < study->naxes; a++) {
        sqlite3_bind_int64(value, 1, id);
        sqlite3_bind_int64(value, 2, p + 1);
        mp_db_bind_text(value, 3, study->axis[a].path);
        mp_db_bind_text(value, 4, study->value[p * study->naxes + a]);
        result = mp_db_step(db, value, err);
    }
    return result;
}

static int insert_points(struct mp_db *db, const struct mp_db_study *study, int64_t id, struct mp_error *err)
{
    sqlite3_stmt *point, *value = NULL;
    int result = mp_db_prepare(db, &point,
                               "INSERT OR IGNORE INTO point (study, number, label) VALUES (?, ?, ?)", err) ||
                         mp_db_prepare(db, &value,
                                       "INSERT OR IGNORE INTO point_value (study, number, path, value)"
                                       " VALUES (?, ?, ?, ?)",
                                       err)
                     ? -1
                     : 0;
    for (unsigned p = 0; !result && p < study->npoints; p++)
        result = insert_point(study, id, p, db, point, value, err);
    sqlite3_finalize(point);
    sqlite3_finalize(value);
    return result;
}

static int64_t find_study(struct mp_db *db, const char *hash, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s, "SELECT id FROM study WHERE hash = ?", err))
        return -1;
    mp_db_bind_text(s, 1, hash);
    int64_t id = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : mp_db_fail_sqlite(db, err);
    sqlite3_finalize(s);
    return id;
}

int64_t mp_db_study(struct mp_db *db, const struct mp_db_study *study, struct mp_error *err)
{
    char hash[33];
    int64_t id = -1;
    if (hash_study(study, hash, err) || mp_db_begin(db, err))
        return -1;
    int result = insert_study(db, study, hash, err);
    if (!result)
        result = (id = find_study(db, hash, err)) < 0 ? -1 : 0;
    if (!result)
        result = insert_axes(db, study, id, err) || insert_points(db, study, id, err) ? -1 : 0;
    return mp_db_finish(db, result, err) ? -1 : id;
}

/* ---- runs of points ---- */

int mp_db_point_run(struct mp_db *db, const struct mp_db_at *at, int64_t run, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s, "INSERT OR IGNORE INTO point_run (study, number, run) VALUES (?, ?, ?)", err))
        return -1;
    sqlite3_bind_int64(s, 1, at->study);
    sqlite3_bind_int64(s, 2, at->number);
    sqlite3_bind_int64(s, 3, run);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int request(struct mp_db *db, int64_t run, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s, "UPDATE run SET role = 'requested' WHERE id = ? AND role = 'alone'", err))
        return -1;
    sqlite3_bind_int64(s, 1, run);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

int mp_db_found(struct mp_db *db, const struct mp_db_found *found, unsigned n, struct mp_error *err)
{
    int result = 0;
    if (mp_db_begin(db, err))
        return -1;
    for (unsigned i = 0; !result && i < n; i++) {
        const struct mp_db_found *f = &found[i];
        if (f->role == MP_DB_REQUESTED)
            result = request(db, f->run, err);
        if (!result && f->at.study)
            result = mp_db_point_run(db, &f->at, f->run, err);
    }
    return mp_db_finish(db, result, err);
}

static int insert_reference(struct mp_db *db, const struct mp_db_reference *r, struct mp_error *err)
{
    static const char *const sql[] = {
        "INSERT OR REPLACE INTO reference (run, tenant, alone, settings) VALUES (?1, ?2, ?3, ?4)",
        "UPDATE run SET parent = ?1 WHERE id = ?3 AND role = 'alone' AND parent IS NULL"};
    int result = 0;
    for (unsigned i = 0; !result && i < sizeof sql / sizeof *sql; i++) {
        sqlite3_stmt *s;
        if (mp_db_prepare(db, &s, sql[i], err))
            return -1;
        sqlite3_bind_int64(s, 1, r->run);
        sqlite3_bind_int64(s, 2, r->tenant);
        sqlite3_bind_int64(s, 3, r->alone);
        mp_db_bind_text(s, 4, r->settings);
        result = mp_db_step(db, s, err);
        sqlite3_finalize(s);
    }
    return result;
}

int mp_db_references(struct mp_db *db, const struct mp_db_reference *reference, unsigned n,
                     struct mp_error *err)
{
    int result = 0;
    if (mp_db_begin(db, err))
        return -1;
    for (unsigned i = 0; !result && i < n; i++)
        result = insert_reference(db, &reference[i], err);
    return mp_db_finish(db, result, err);
}

/* ---- who runs them ---- */

int mp_db_run_beat(struct mp_db *db, int64_t run, struct mp_error *err)
{
    sqlite3_stmt *s;
    char now[25];
    if (mp_db_prepare(db, &s, "UPDATE run SET beat = ? WHERE id = ?", err))
        return -1;
    mp_db_now(now);
    mp_db_bind_text(s, 1, now);
    sqlite3_bind_int64(s, 2, run);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

int64_t mp_db_run_claimed(struct mp_db *db, const struct mp_db_run_info *info, struct mp_error *err)
{
    struct mp_db_host here;
    char config[33];
    sqlite3_stmt *s;
    int64_t claimed = 0;
    mp_db_host(&here);
    const uint64_t file = mp_db_file_inode(db);
    mp_db_hash_of(info->config_text, info, config);
    if (mp_db_prepare(db, &s,
                      "SELECT id, boot, pid, pid_started, coalesce(beat, started) > strftime("
                      "'%Y-%m-%dT%H:%M:%fZ', 'now', '" SILENCE "') FROM run WHERE status = 'running'"
                      " AND config_hash = ? AND revision = ? AND seed = ?",
                      err))
        return -1;
    mp_db_bind_text(s, 1, config);
    mp_db_bind_text(s, 2, info->revision ? info->revision : "");
    sqlite3_bind_int64(s, 3, (int64_t)info->seed);
    while (!claimed && sqlite3_step(s) == SQLITE_ROW) {
        enum mp_db_alive alive = mp_db_alive(&here, file, (const char *)sqlite3_column_text(s, 1),
                                             sqlite3_column_int64(s, 2), sqlite3_column_int64(s, 3));
        if (alive == MP_DB_ALIVE || (alive == MP_DB_UNKNOWN && sqlite3_column_int(s, 4)))
            claimed = sqlite3_column_int64(s, 0);
    }
    sqlite3_finalize(s);
    return claimed;
}
