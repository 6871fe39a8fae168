/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/lockstep/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In Verilator's record a point of coverage is a line of "\1KEY\2VALUE" and a count:
 *   C '\1f\2rtl/star/mp_star_tlb.sv\1l\2106\1n\29\1page\2v_branch/mp_star_tlb\1o\2if\1S\2106-107\1h\2...' 5
 * S lists the lines of the point; an else that is not written has none. */
#define KEY   '\1'
#define VALUE '\2'

struct found {
    char *file; /* path as given to Verilator */
    uint32_t line;
    uint64_t taken;
};

struct record {
    struct found *found;
    size_t count, room;
    bool failed;
};

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns the value of a key of one letter, or NULL. It ends before the next control character or quote. */
static const char *value_of(const char *point, char key)
{
    const char wanted[] = {KEY, key, VALUE, 0};
    const char *at = strstr(point, wanted);
    return at ? at + 3 : NULL;
}

static void add(struct record *r, const char *file, size_t length, uint32_t line, uint64_t taken)
{
    for (size_t i = 0; i < r->count; i++) {
        struct found *f = &r->found[i];
        if (f->line != line || strncmp(f->file, file, length) != 0 || f->file[length])
            continue;
        f->taken = taken < f->taken ? taken : f->taken;
        return;
    }
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        void *more = realloc(r->found, room * sizeof *r->found);
        r->failed |= !more;
        if (!more)
            return;
        r->found = more;
        r->room = room;
    }
    char *name = strndup(file, length);
    r->failed |= !name;
    if (name)
        r->found[r->count++] = (struct found){name, line, taken};
}

static void read_point(struct record *r, const char *point)
{
    static const char ends[] = {KEY, '\'', 0};
    const char *file = value_of(point, 'f'), *lines = value_of(point, 'S'), *quote = strrchr(point, '\'');
    if (!file || !lines || !quote)
        return;
    uint64_t taken = strtoull(quote + 1, NULL, 10);
    for (char *end; *lines >= '0' && *lines <= '9'; lines = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(lines, &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long line = first; line <= last; line++)
            add(r, file, strcspn(file, ends), (uint32_t)line, taken);
    }
}

static int by_line(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int files = strcmp(name_of(x->file), name_of(y->file));
    return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

/* ---- the source text ---- */

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && !strcmp(text + n - m, with);
}

/* Whether the mode is one of the words of `modes`. */
static bool in_mode(const char *modes, const char *mode)
{
    for (size_t n; *modes; modes += n + (modes[n] == ' ')) {
        n = strcspn(modes, " ");
        if (n == strlen(mode) && !strncmp(modes, mode, n))
            return true;
    }
    return false;
}

static const struct rtl_unreached *unreached(const struct rtl_unreached *table, const char *file,
                                             const char *mode, const char *text)
{
    for (const struct rtl_unreached *u = table; u && u->file; u++)
        if (!strcmp(u->file, file) && in_mode(u->modes, mode) && strstr(text, u->text))
            return u;
    return NULL;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    text[n] = 0;
    return text;
}

/* A file that is read line by line. */
struct source {
    FILE *f;
    const char *file, *mode;
    uint32_t number;
    char buffer[512], *text;
    const struct rtl_unreached *table, *why; /* why: of this line */
};

static bool next_line(struct source *s)
{
    bool over = s->why && (!ends(s->why->text, "begin") || starts(s->text, "end"));
    if (!s->f || !fgets(s->buffer, sizeof s->buffer, s->f))
        return false;
    s->text = trim(s->buffer);
    s->number++;
    if (!s->why || over)
        s->why = unreached(s->table, s->file, s->mode, s->text);
    return true;
}

/* Reports one file's lines in ascending order, with their source text. */
static size_t tell_file(const struct record *r, size_t at, const char *mode,
                        const struct rtl_unreached *table, rtl_each_line *each, void *to)
{
    const char *path = r->found[at].file;
    struct source s = {.f = fopen(path, "r"), .file = name_of(path), .mode = mode, .table = table};
    for (; at < r->count && !strcmp(r->found[at].file, path); at++) {
        const struct found *f = &r->found[at];
        while (s.number < f->line && next_line(&s))
            ;
        bool there = s.number == f->line;
        each(to, &(struct rtl_line){s.file, f->line, f->taken, there ? s.text : "",
                                    there && s.why ? s.why->reason : NULL});
    }
    if (s.f)
        fclose(s.f);
    return at;
}

bool rtl_lines(void (*cover)(const void *rtl, const char *file), const void *rtl, const char *mode,
               const struct rtl_unreached *table, rtl_each_line *each, void *to)
{
    struct record r = {.failed = false};
    char path[32], *line = NULL;
    size_t size = 0;
    FILE *f = tmpfile();
    if (!f)
        return false;
    /* The open file has no name, so its name here is /proc/self/fd/N. */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(f));
    cover(rtl, path);
    while (getline(&line, &size, f) > 0)
        if (line[0] == 'C')
            read_point(&r, line);
    r.failed |= ferror(f) != 0;
    fclose(f);
    free(line);
    if (r.count)
        qsort(r.found, r.count, sizeof *r.found, by_line);
    for (size_t at = 0; !r.failed && at < r.count;)
        at = tell_file(&r, at, mode, table, each, to);
    for (size_t i = 0; i < r.count; i++)
        free(r.found[i].file);
    free(r.found);
    return !r.failed;
}
