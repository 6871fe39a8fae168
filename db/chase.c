/* SPDX-License-Identifier: Apache-2.0 */
/* The points of pointer chases. */
#include <math.h>

#include "db/sql.h"

static int insert(struct mp_db *db, const struct mp_db_chase_point *point, unsigned n, struct mp_error *err)
{
    sqlite3_stmt *s;
    int result = 0;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO chase_point (run, stride, page_bytes, sm, footprint, cycles, measured)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                      err))
        return -1;
    for (unsigned i = 0; !result && i < n; i++) {
        const struct mp_db_chase_point *p = &point[i];
        const int64_t number[] = {db->run, (int64_t)p->stride, (int64_t)p->page_bytes, p->sm,
                                  (int64_t)p->footprint};
        for (int k = 0; k < (int)(sizeof number / sizeof *number); k++)
            sqlite3_bind_int64(s, 1 + k, number[k]);
        sqlite3_bind_double(s, 6, p->cycles);
        if (isnan(p->measured))
            sqlite3_bind_null(s, 7);
        else
            sqlite3_bind_double(s, 7, p->measured);
        result = mp_db_step(db, s, err);
    }
    sqlite3_finalize(s);
    return result;
}

int mp_db_chase(struct mp_db *db, const struct mp_db_chase_point *point, unsigned n, struct mp_error *err)
{
    if (!db->run)
        return mp_db_fail_no_run(db, err);
    if (mp_db_begin(db, err))
        return -1;
    return mp_db_finish(db, insert(db, point, n, err), err) ? -1 : 0;
}
