/* SPDX-License-Identifier: Apache-2.0 */
/* Runs whose process ended without closing them. */
#ifndef MP_DB_KILLED_H
#define MP_DB_KILLED_H

#include "db/handle.h"

/* Marks runs 'killed' whose process is gone: in the file, or, where nothing may be written, in what this
 * connection sees of it. */
int mp_db_mark_killed(struct mp_db *db, struct mp_error *err);

#endif
