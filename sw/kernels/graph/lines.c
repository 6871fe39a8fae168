/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 4096 };

/* fgets would hide NUL bytes, and getline would read a line of any length into memory, so this reads
 * characters. */
int lines_next(struct lines *l)
{
    if (!l->text && !(l->text = malloc(LONGEST_LINE + 1)))
        return mp_fail(l->err, "%s: out of memory; %d bytes are needed", l->name, LONGEST_LINE);
    size_t n = 0;
    int c;
    l->number++;
    while ((c = getc_unlocked(l->file)) != EOF && c != '\n') {
        if (c == '\0')
            return mp_fail(l->err, "%s:%lu: a NUL byte; only text is allowed", l->name, l->number);
        if (n == LONGEST_LINE)
            return mp_fail(l->err, "%s:%lu: a line of over %d bytes; shorter lines are allowed", l->name,
                           l->number, LONGEST_LINE);
        l->text[n++] = (char)c;
    }
    if (c == EOF && ferror(l->file))
        return mp_fail(l->err, "%s:%lu: cannot be read: %s; a readable file is needed", l->name, l->number,
                       strerror(errno));
    if (n > 0 && l->text[n - 1] == '\r')
        n--;
    l->text[n] = '\0';
    return c != EOF || n > 0;
}

void lines_free(struct lines *l)
{
    free(l->text);
    l->text = NULL;
}

const char *lines_skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

int lines_number(struct lines *l, const char **at, const char *what, uint64_t low, uint64_t high,
                 uint64_t *value)
{
    const char *p = lines_skip_blanks(*at);
    uint64_t v = 0;
    bool ok = *p >= '0' && *p <= '9';
    for (; *p >= '0' && *p <= '9'; p++) {
        ok = ok && v <= (UINT64_MAX - 9) / 10;
        v = v * 10 + (uint64_t)(*p - '0');
    }
    ok = ok && (*p == '\0' || *p == ' ' || *p == '\t') && v >= low && v <= high;
    if (!ok)
        return mp_fail(l->err,
                       "%s:%lu: the %s is missing, not a number or out of range; an integer from %" PRIu64
                       " to %" PRIu64 " is allowed",
                       l->name, l->number, what, low, high);
    *at = p;
    *value = v;
    return 0;
}

int lines_end(struct lines *l, const char *at, const char *allowed)
{
    at = lines_skip_blanks(at);
    if (*at)
        return mp_fail(l->err, "%s:%lu: \"%.20s\" after the last field; \"%s\" is allowed", l->name,
                       l->number, at, allowed);
    return 0;
}

static int grow(struct arcs *a)
{
    const size_t room = a->room ? 2 * a->room : 1024;
    uint32_t *source = realloc(a->source, room * sizeof *source);
    if (source)
        a->source = source;
    uint32_t *target = source ? realloc(a->target, room * sizeof *target) : NULL;
    if (!target)
        return -1;
    a->target = target;
    a->room = room;
    return 0;
}

int arcs_add(struct arcs *a, struct lines *l, uint64_t from, uint64_t to)
{
    if (a->count == GRAPH_MAX_ARCS)
        return mp_fail(l->err, "%s:%lu: too many arcs; up to %u are allowed", l->name, l->number,
                       GRAPH_MAX_ARCS);
    if (a->count == a->room && grow(a))
        return mp_fail(l->err, "%s:%lu: out of memory after %zu arcs; a smaller graph is needed", l->name,
                       l->number, a->count);
    a->source[a->count] = (uint32_t)(from - 1);
    a->target[a->count++] = (uint32_t)(to - 1);
    return 0;
}

void arcs_free(struct arcs *a)
{
    free(a->source);
    free(a->target);
    *a = (struct arcs){0};
}
