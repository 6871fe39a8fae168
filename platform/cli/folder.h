/* SPDX-License-Identifier: Apache-2.0 */
/* Folders for the files of other programs. */
#ifndef MP_CLI_FOLDER_H
#define MP_CLI_FOLDER_H

#include <stddef.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a folder mempath-NAME-XXXXXX in TMPDIR or /tmp. */
int folder_temporary(char *path, size_t size, const char *name, struct mp_error *err);

/* Removes a folder and all that is in it. */
void folder_remove(const char *path);

#ifdef __cplusplus
}
#endif
#endif
