/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of runs on the host: instructions and cache misses. */
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
