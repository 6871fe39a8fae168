/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a configuration: a shipped one by its name, or a user's file by its path. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/internal.h"

#define LARGEST_FILE ((size_t)1 << 20) /* far above any configuration; stops the reading of /dev/zero */

int mp_fail_line(struct mp_error *err, const char *where, unsigned line, const char *format, ...)
{
    char what[600];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return line ? mp_fail(err, "%.200s:%u: %s", where, line, what) : mp_fail(err, "%.200s: %s", where, what);
}

static const struct mp_shipped *find_shipped(const char *name)
{
    for (unsigned i = 0; i < mp_nshipped; i++)
        if (strcmp(mp_shipped[i].name, name) == 0)
            return &mp_shipped[i];
    return NULL;
}

const char *mp_config_name(unsigned i)
{
    return i < mp_nshipped ? mp_shipped[i].name : NULL;
}

/* A list of "star/w1" to "star/w11" would fill the line, so a group is named by its first and last member. */
static void list_names(char *buffer, size_t size)
{
    FILE *f = fmemopen(buffer, size, "w");
    if (!f)
        return;
    for (unsigned i = 0; i < mp_nshipped; i++) {
        const char *name = mp_shipped[i].name, *slash = strchr(name, '/');
        unsigned last = i;
        while (slash && last + 1 < mp_nshipped &&
               strncmp(mp_shipped[last + 1].name, name, (size_t)(slash - name) + 1) == 0)
            last++;
        fprintf(f, "%s%s", i ? ", " : "", name);
        if (last > i)
            fprintf(f, " to %s", mp_shipped[last].name);
        i = last;
    }
    fclose(f);
}

static int fail_unknown(const char *name, const char *where, struct mp_error *err)
{
    char list[256] = "";
    list_names(list, sizeof list);
    const char *best = NULL;
    unsigned least = ~0u;
    for (unsigned i = 0; i < mp_nshipped; i++) {
        unsigned d = mp_edit_distance(name, mp_shipped[i].name);
        if (d < least) {
            least = d;
            best = mp_shipped[i].name;
        }
    }
    if (!where)
        return mp_fail(
            err, "%.80s: no such preset or experiment; nearest is %s, of %s, or the path of a YAML file",
            name, best, list);
    return mp_fail(err,
                   "%s: no preset or experiment '%.80s'; nearest is %s, of %s, or the path of a YAML file",
                   where, name, best, list);
}

static int fail_file(const char *path, const char *where, const char *why, struct mp_error *err)
{
    return mp_fail(err, "%s%s%.200s: cannot be read (%s); a YAML file", where ? where : "", where ? ": " : "",
                   path, why);
}

static int read_file(struct mp_source *source, const char *path, const char *where, struct mp_error *err)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return fail_file(path, where, strerror(errno), err);
    source->read = malloc(LARGEST_FILE + 1);
    if (source->read)
        source->size = fread(source->read, 1, LARGEST_FILE + 1, f);
    int failed = !source->read || ferror(f);
    const char *why = failed ? strerror(errno) : "";
    fclose(f);
    if (failed)
        return fail_file(path, where, why, err);
    if (source->size > LARGEST_FILE)
        return fail_file(path, where, "larger than 1 MiB", err);
    source->text = source->read;
    return 0;
}

static bool looks_like_file(const char *name)
{
    size_t n = strlen(name);
    return (n > 5 && strcmp(name + n - 5, ".yaml") == 0) || (n > 4 && strcmp(name + n - 4, ".yml") == 0);
}

/* The last part of a path, without its extension. */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return dot && dot != base ? strndup(base, (size_t)(dot - base)) : strdup(base);
}

static char *join(const char *from, const char *name)
{
    const char *slash = from && name[0] != '/' ? strrchr(from, '/') : NULL;
    char *path = NULL;
    if (asprintf(&path, "%.*s%s", slash ? (int)(slash - from) + 1 : 0, from ? from : "", name) < 0)
        return NULL;
    return path;
}

int mp_source_open(struct mp_source *source, const char *name, const char *from, const char *where,
                   struct mp_error *err)
{
    *source = (struct mp_source){0};
    const struct mp_shipped *shipped = find_shipped(name);
    if (shipped) {
        source->text = shipped->text;
        source->size = shipped->size;
        source->name = strdup(shipped->name);
        source->where = strdup(shipped->path);
        source->id = strdup(shipped->name);
    } else {
        char *path = join(from, name);
        if (!path)
            return mp_fail(err, "%s: out of memory; a smaller file is needed", name);
        source->id = realpath(path, NULL);
        int status = 0;
        if (!source->id && !looks_like_file(name))
            status = fail_unknown(name, where, err);
        else
            status = read_file(source, path, where, err);
        source->where = path;
        source->name = name_of(path);
        if (!source->id)
            source->id = strdup(path);
        if (status)
            goto failed;
    }
    if (source->name && source->where && source->id)
        return 0;
    mp_fail(err, "%s: out of memory; a smaller file is needed", name);
failed:
    mp_source_close(source);
    return -1;
}

char *mp_source_folder(const struct mp_source *source)
{
    const char *slash = source->read ? strrchr(source->id, '/') : NULL;
    return slash ? strndup(source->id, (size_t)(slash - source->id)) : NULL;
}

void mp_source_close(struct mp_source *source)
{
    free(source->read);
    free(source->name);
    free(source->where);
    free(source->id);
    *source = (struct mp_source){0};
}
