/* SPDX-License-Identifier: Apache-2.0 */
/* Files as the database identifies them. */
#ifndef MP_CLI_HASH_H
#define MP_CLI_HASH_H

#include "db/db.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes XXH3-128 and size of a file. -1 with "PATH: WHY; ALLOWED" if it cannot be read or is empty. */
int hash_file(const char *path, const char *allowed, struct mp_db_file *file, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
