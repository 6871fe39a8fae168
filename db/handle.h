/* SPDX-License-Identifier: Apache-2.0 */
/* An open database. */
#ifndef MP_DB_HANDLE_H
#define MP_DB_HANDLE_H

#include <sqlite3.h>

#include "db/buffer.h"

struct mp_db {
    sqlite3 *sqlite;
    char *path;
    bool writable;
    int64_t deadline; /* of mp_db_guard(), in milliseconds */
    uint64_t most_rows;
    int64_t run;   /* the open one, 0 if none */
    char uuid[37]; /* of the run that was opened last */
    unsigned ntenants;
    struct mp_db_buffer buffer;
    sqlite3_stmt *insert_value, *insert_epoch; /* NULL until the first use */
};

#endif
