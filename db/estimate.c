/* SPDX-License-Identifier: Apache-2.0 */
/* Values of runs that are estimates. */
#include <math.h>

#include "db/handle.h"
#include "db/sql.h"

int mp_db_estimate(struct mp_db *db, const struct mp_db_estimate *e, struct mp_error *err)
{
    sqlite3_stmt *s;
    if (mp_db_prepare(db, &s,
                      "INSERT INTO estimate (run, tenant, name, unit, value, half_width, windows)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                      err))
        return -1;
    sqlite3_bind_int64(s, 1, db->run);
    sqlite3_bind_int64(s, 2, e->tenant);
    mp_db_bind_text(s, 3, e->name);
    mp_db_bind_text(s, 4, e->unit);
    sqlite3_bind_double(s, 5, e->value);
    if (isfinite(e->half_width))
        sqlite3_bind_double(s, 6, e->half_width);
    sqlite3_bind_int64(s, 7, (int64_t)e->windows);
    int result = mp_db_step(db, s, err);
    sqlite3_finalize(s);
    return result;
}
