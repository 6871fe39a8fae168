/* SPDX-License-Identifier: Apache-2.0 */
/* A co-simulation of RTL and its model: one row, and its coverage. */
#include "db/host.h"
#include "db/sql.h"
#include "db/text.h"

static int insert_points(struct mp_db *db, int64_t id, const struct mp_db_cosim *c, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s, "INSERT INTO cosim_point (cosim, position, name, taken) VALUES (?, ?, ?, ?)",
                      err))
        return -1;
    for (unsigned i = 0; !result && i < c->npoints; i++) {
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, i);
        mp_db_bind_text(s, 3, c->point[i].name);
        sqlite3_bind_int64(s, 4, (int64_t)c->point[i].taken);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_lines(struct mp_db *db, int64_t id, const struct mp_db_cosim *c, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(
            db, &s,
            "INSERT INTO cosim_line (cosim, file, line, taken, text, reason) VALUES (?, ?, ?, ?, ?, ?)", err))
        return -1;
    for (unsigned i = 0; !result && i < c->nlines; i++) {
        sqlite3_bind_int64(s, 1, id);
        mp_db_bind_text(s, 2, c->line[i].file);
        sqlite3_bind_int64(s, 3, c->line[i].line);
        sqlite3_bind_int64(s, 4, (int64_t)c->line[i].taken);
        mp_db_bind_text(s, 5, c->line[i].text);
        mp_db_bind_text(s, 6, c->line[i].reason);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_cosim(struct mp_db *db, const struct mp_db_cosim *c, int64_t *id, struct mp_error *err)
{
    static const char *const status[] = {"equal", "different", "broken", "hung", "crashed", "interrupted"};
    struct mp_db_host host;
    sqlite3_stmt *s;
    char now[25];
    unsigned taken = 0;
    if (mp_db_prepare(
            db, &s,
            "INSERT INTO cosim (block, mode, options, seed, stimuli, status, transactions, clocks, seconds,"
            " points, points_taken, difference, report, replay, tools, revision, host, started, resets)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
            err))
        return -1;
    for (unsigned i = 0; i < c->npoints; i++)
        taken += c->point[i].taken != 0;
    mp_db_host(&host);
    mp_db_now(now);
    mp_db_bind_text(s, 1, c->block);
    mp_db_bind_text(s, 2, c->mode);
    mp_db_bind_text(s, 3, c->options);
    if (c->seeded)
        sqlite3_bind_int64(s, 4, (int64_t)c->seed);
    mp_db_bind_text(s, 5, c->stimuli);
    mp_db_bind_text(s, 6, status[c->status]);
    sqlite3_bind_int64(s, 7, (int64_t)c->transactions);
    sqlite3_bind_int64(s, 8, (int64_t)c->clocks);
    sqlite3_bind_double(s, 9, c->seconds);
    sqlite3_bind_int64(s, 10, c->npoints);
    sqlite3_bind_int64(s, 11, taken);
    mp_db_bind_text(s, 12, c->difference);
    mp_db_bind_text(s, 13, c->report);
    mp_db_bind_text(s, 14, c->replay);
    mp_db_bind_text(s, 15, c->tools);
    mp_db_bind_text(s, 16, c->revision);
    mp_db_bind_text(s, 17, host.name);
    mp_db_bind_text(s, 18, now);
    sqlite3_bind_int64(s, 19, (int64_t)c->resets);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return result || insert_points(db, *id, c, err) || insert_lines(db, *id, c, err) ? -1 : 0;
}

int64_t mp_db_cosim(struct mp_db *db, const struct mp_db_cosim *c, struct mp_error *err)
{
    int64_t id = -1;
    if (mp_db_begin(db, err))
        return -1;
    return mp_db_finish(db, insert_cosim(db, c, &id, err), err) ? -1 : id;
}
