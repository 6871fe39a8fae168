/* SPDX-License-Identifier: Apache-2.0 */
/* A run that finds address functions: what it found, and the times of its pairs of loads. */
#include "db/sql.h"

static int insert_summary(struct mp_db *db, const struct mp_db_reveal *r, struct mp_error *err)
{
    const int64_t number[] = {r->jitter,     r->line_bytes, r->row_bytes,        r->ways,
                              r->pair_limit, r->hit_limit,  (int64_t)r->readings};
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO reveal (run, machine, hidden_seed, jitter, line_bytes, row_bytes, ways,"
                      " pair_limit, hit_limit, readings, neighbours, gap)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, db->run);
    mp_db_bind_text(s, 2, r->machine);
    mp_db_bind_optional(s, 3, r->hidden, (int64_t)r->seed);
    for (int i = 0; i < (int)(sizeof number / sizeof *number); i++)
        sqlite3_bind_int64(s, 4 + i, number[i]);
    sqlite3_bind_int64(s, 11, r->neighbours);
    mp_db_bind_optional(s, 12, r->neighbours, r->gap);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}

static int insert_functions(struct mp_db *db, const struct mp_db_reveal *r, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO reveal_function (run, resource, number, bits, equal)"
                      " VALUES (?1, ?2, ?3, ?4, ?5)",
                      err))
        return -1;
    for (unsigned i = 0; !result && i < r->nfunctions; i++) {
        sqlite3_bind_int64(s, 1, db->run);
        mp_db_bind_text(s, 2, r->function[i].resource);
        sqlite3_bind_int64(s, 3, r->function[i].number);
        mp_db_bind_text(s, 4, r->function[i].bits);
        sqlite3_bind_int(s, 5, r->function[i].equal);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

static int insert_pairs(struct mp_db *db, const struct mp_db_reveal *r, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s, "INSERT INTO reveal_pair (run, cycles, readings) VALUES (?1, ?2, ?3)", err))
        return -1;
    for (unsigned c = 0; !result && c < r->npairs; c++) {
        if (!r->pairs[c])
            continue;
        sqlite3_bind_int64(s, 1, db->run);
        sqlite3_bind_int64(s, 2, c);
        sqlite3_bind_int64(s, 3, (int64_t)r->pairs[c]);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

int mp_db_reveal(struct mp_db *db, const struct mp_db_reveal *r, struct mp_error *err)
{
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    if (mp_db_begin(db, err))
        return -1;
    int failed = insert_summary(db, r, err) || insert_functions(db, r, err) || insert_pairs(db, r, err);
    return mp_db_finish(db, failed, err) ? -1 : 0;
}
