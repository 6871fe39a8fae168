/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int folder_temporary(char *path, size_t size, const char *name, struct mp_error *err)
{
    const char *temporary = getenv("TMPDIR");
    int used =
        snprintf(path, size, "%s/mempath-%s-XXXXXX", temporary && *temporary ? temporary : "/tmp", name);
    if (used < 0 || (size_t)used >= size || !mkdtemp(path))
        return mp_fail(err, "%s: %s; TMPDIR names another folder for the tools' files", path,
                       strerror(errno));
    return 0;
}

static int remove_one(const char *path, const struct stat *s, int what, struct FTW *ftw)
{
    (void)s, (void)what, (void)ftw;
    return remove(path);
}

void folder_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
