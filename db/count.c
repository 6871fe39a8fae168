/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of runs on the host: instructions and cache misses, and times of two revisions. */
#include "db/sql.h"

int mp_db_host_count(struct mp_db *db, const struct mp_db_host_count *count, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO host_count (run, instructions, l1_misses, l2_misses, caches, tool)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, count->run);
    sqlite3_bind_int64(s, 2, (int64_t)count->instructions);
    sqlite3_bind_int64(s, 3, (int64_t)count->l1_misses);
    sqlite3_bind_int64(s, 4, (int64_t)count->l2_misses);
    mp_db_bind_text(s, 5, count->caches);
    mp_db_bind_text(s, 6, count->tool);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

int mp_db_host_pair(struct mp_db *db, const struct mp_db_host_pair *pair, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO host_pair (\"case\", experiment, cut_at, pairs, ratio, lowest, highest, "
                      "same_results,"
                      " revision, seconds, event_ns, instructions, l1_misses, l2_misses,"
                      " against, seconds_against, event_ns_against, instructions_against, l1_misses_against,"
                      " l2_misses_against) VALUES (?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                      "?, ?, ?, ?, ?)",
                      err))
        return -1;
    mp_db_bind_text(s, 1, pair->what);
    mp_db_bind_text(s, 2, pair->experiment);
    sqlite3_bind_int64(s, 3, (int64_t)pair->cut_at);
    sqlite3_bind_int64(s, 4, pair->pairs);
    sqlite3_bind_double(s, 5, pair->ratio);
    sqlite3_bind_double(s, 6, pair->lowest);
    sqlite3_bind_double(s, 7, pair->highest);
    sqlite3_bind_int(s, 8, pair->same_results);
    for (int side = 0; side < 2; side++) { /* SQLite stores NaN, which was not measured, as NULL */
        const struct mp_db_host_side *of = &pair->side[side];
        int at = 9 + 6 * side;
        mp_db_bind_text(s, at, of->revision);
        sqlite3_bind_double(s, at + 1, of->seconds);
        sqlite3_bind_double(s, at + 2, of->event_ns);
        sqlite3_bind_double(s, at + 3, of->instructions);
        sqlite3_bind_double(s, at + 4, of->l1_misses);
        sqlite3_bind_double(s, at + 5, of->l2_misses);
    }
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}
