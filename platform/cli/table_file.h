/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are committed as text: a row in each line, and lines that begin with #. */
#ifndef MP_CLI_TABLE_FILE_H
#define MP_CLI_TABLE_FILE_H

#include <stdio.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls row() for each line, without its end. row() returns -1 and an error for a wrong one. Returns -1 and
 * in err "PATH: why; needed" or "PATH:LINE: ...". */
int table_read(const char *path, const char *needed,
               int (*row)(void *self, const char *line, struct mp_error *err), void *self,
               struct mp_error *err);

/* Makes the file of what rows() writes, whole or not at all. Returns -1 and in err "PATH: ...". */
int table_write(const char *path, void (*rows)(const void *self, FILE *f), const void *self,
                struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
