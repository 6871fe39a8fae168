/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of statements whose author is not trusted to be patient. */
#include <time.h>

#include "db/sql.h"

#define STEPS     10000 /* of SQLite's machine between two looks at the clock */
#define MOST_TEXT (64 << 10)

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int late(void *self)
{
    const struct mp_db *db = self;
    return now_ms() > db->deadline;
}

void mp_db_guard(struct mp_db *db, unsigned milliseconds, uint64_t rows)
{
    db->most_rows = rows;
    db->deadline = now_ms() + milliseconds;
    sqlite3_progress_handler(db->sqlite, STEPS, late, db);
    sqlite3_limit(db->sqlite, SQLITE_LIMIT_LENGTH, MOST_TEXT);
}
