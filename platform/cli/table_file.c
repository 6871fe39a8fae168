/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/table_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int table_read(const char *path, const char *needed,
               int (*row)(void *self, const char *line, struct mp_error *err), void *self,
               struct mp_error *err)
{
    char *line = NULL;
    size_t room = 0, at = 0;
    int found = 0;
    struct mp_error why;
    FILE *f = fopen(path, "re");
    if (!f)
        return mp_fail(err, "%s: %s; %s", path, strerror(errno), needed);
    while (found >= 0 && getline(&line, &room, f) > 0) {
        at++;
        line[strcspn(line, "\r\n")] = 0;
        found = row(self, line, &why);
        if (found < 0)
            mp_fail(err, "%s:%zu: %s", path, at, why.text);
    }
    free(line);
    fclose(f);
    return found < 0 ? -1 : 0;
}

int table_write(const char *path, void (*rows)(const void *self, FILE *f), const void *self,
                struct mp_error *err)
{
    char part[PATH_MAX];
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return mp_fail(err, "%s: the name is too long; at most %d characters", path, PATH_MAX - 6);
    FILE *f = fopen(part, "we");
    if (!f)
        return mp_fail(err, "%s: %s; a writable folder is needed", part, strerror(errno));
    rows(self, f);
    bool wrong = ferror(f) != 0;
    wrong |= fclose(f) != 0;
    if (!wrong && !rename(part, path))
        return 0;
    mp_fail(err, "%s: %s; a writable file is needed", path, strerror(errno));
    unlink(part);
    return -1;
}
