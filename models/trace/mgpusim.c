/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/mgpusim.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/gwt_format.h"
#include "trace/import_group.h"
#include "trace/import_source.h"
#include "trace/import_words.h"

enum { LOCATIONS = 4096, WORDS = 7 };
enum word { START, SECONDS, LOCATION, ID, WHAT, ADDRESS, BYTES };

struct trace {
    struct import_source from;
    char *location[LOCATIONS]; /* in the order of their first transactions */
    unsigned locations;
    char other[64]; /* a location that is not wanted */
    char *pattern;  /* of the wanted ones */
    uint64_t first; /* nanoseconds of the first transaction */
    bool some;
    struct gwt_event event;
};

struct transaction {
    const char *location;
    uint64_t nanoseconds, address, bytes;
    bool writes;
};

bool mgpusim_is(const char *line)
{
    return !strncmp(line, "start, ", 7) || !strncmp(line, "step, ", 6) || !strncmp(line, "end, ", 5);
}

/* Returns 1 for a line that starts no transaction. */
static int read_line(struct trace *t, char *line, struct transaction *x)
{
    char *word[WORDS], *end;
    if (strncmp(line, "start, ", 7) != 0)
        return mgpusim_is(line) ? 1
                                : import_source_fail(&t->from, "no line of a memory trace",
                                                     "lines begin with start, step or end");
    for (unsigned i = 0; i < WORDS; i++) {
        char *comma = strstr(line, ", ");
        if (!comma != (i == WORDS - 1))
            return import_source_fail(&t->from, "wrong number of fields",
                                      "start, SECONDS, LOCATION, ID, WHAT, 0xADDRESS, BYTES are expected");
        word[i] = line;
        if (comma) {
            *comma = 0;
            line = comma + 2;
        }
    }
    const double seconds = strtod(word[SECONDS], &end);
    if (*end || end == word[SECONDS] || !(seconds >= 0 && seconds < 1e9))
        return import_source_fail(&t->from, "wrong time", "it must be a number of seconds");
    *x = (struct transaction){.location = word[LOCATION],
                              .nanoseconds = (uint64_t)(seconds * 1e9 + 0.5),
                              .writes = strstr(word[WHAT], "rite") != NULL};
    if (!import_hex(word[ADDRESS], &x->address) || !import_count(word[BYTES], GWT_MAX_ACCESS, &x->bytes) ||
        !x->bytes)
        return import_source_fail(&t->from, "wrong address or size",
                                  "a hexadecimal address, and 1 to 1024 bytes");
    if (x->address > GWT_VA_LIMIT - x->bytes)
        return import_source_fail(&t->from, "address out of range", "an access must end at or below 2^48");
    return 0;
}

/* The location's number; LOCATIONS: there are too many. */
static unsigned number_of(struct trace *t, const char *location)
{
    unsigned i = 0;
    while (i < t->locations && strcmp(t->location[i], location) != 0)
        i++;
    if (i == t->locations && i < LOCATIONS && (t->location[i] = strdup(location)))
        t->locations++;
    return i < t->locations ? i : LOCATIONS;
}

static int collect(struct trace *t, struct import_group *g)
{
    char *line;
    int status;
    while (!(status = import_line(&t->from.lines, &line, t->from.err))) {
        struct transaction x = {.location = ""};
        t->from.line = t->from.lines.line;
        if (!*line)
            continue;
        char *copy = strdup(line);
        if (!copy)
            return import_source_fail(&t->from, "out of memory", "a line must fit");
        int kind = read_line(t, copy, &x);
        const bool wanted = !kind && !fnmatch(t->pattern, x.location, 0);
        unsigned place = wanted ? number_of(t, x.location) : 0;
        if (!kind && !wanted)
            snprintf(t->other, sizeof t->other, "%s", x.location);
        free(copy);
        if (kind < 0)
            return -1;
        if (place == LOCATIONS)
            return import_source_fail(&t->from, "more than 4096 locations", "--at chooses fewer");
        if (wanted && !t->some)
            t->first = x.nanoseconds;
        t->some = t->some || wanted;
        const struct import_keyed keyed = {place, t->from.line, line};
        if (wanted && import_group_add(g, &keyed, t->from.err))
            return -1;
    }
    if (status < 0 || t->some)
        return status < 0 ? -1 : import_group_sort(g, t->from.err);
    char what[100], allowed[100];
    snprintf(what, sizeof what, "no transaction at '%.60s'", t->from.how->at);
    snprintf(allowed, sizeof allowed, "there are some at '%s'", t->other);
    return import_source_fail(&t->from, what, *t->other ? allowed : "the trace has none at all");
}

static int end_group(struct trace *t)
{
    t->event.kind = GWT_EXIT;
    t->event.gap = 1;
    return import_source_send(&t->from, &(struct import_item){.kind = IMPORT_EVENT, .event = &t->event}) ||
                   import_source_send(&t->from, &(struct import_item){.kind = IMPORT_CTA_END})
               ? -1
               : 0;
}

static int begin_group(struct trace *t, uint32_t id)
{
    return import_source_send(&t->from, &(struct import_item){.kind = IMPORT_CTA, .id = id}) ||
                   import_source_send(&t->from, &(struct import_item){.kind = IMPORT_WARP})
               ? -1
               : 0;
}

static int send_transaction(struct trace *t, const struct transaction *x, uint64_t gap)
{
    struct gwt_event *e = &t->event;
    const struct gwt_pc pc = {.pc = x->writes, .kind = x->writes ? 'S' : 'L', .space = GWT_GLOBAL};
    e->kind = GWT_ACCESS;
    e->op = x->writes ? GWT_STORE : GWT_LOAD;
    e->gap = gap < UINT32_MAX ? (uint32_t)gap : UINT32_MAX - 1;
    e->bytes = (uint32_t)x->bytes;
    e->mask = 1;
    e->lane[0] = x->address;
    return import_source_send(&t->from, &(struct import_item){.kind = IMPORT_EVENT, .event = e, .pc = pc});
}

static int send_sorted(struct trace *t, struct import_group *g)
{
    static char name[] = "mgpusim";
    const struct gwt_kernel k = {
        .name = name, .grid = {t->locations, 1, 1}, .block = {t->from.how->lanes, 1, 1}};
    struct import_keyed line;
    struct transaction x = {.location = ""};
    uint64_t last = UINT64_MAX, issued = 0;
    int status;
    if (import_source_send(&t->from, &(struct import_item){.kind = IMPORT_KERNEL, .kernel = &k}))
        return -1;
    while (!(status = import_group_next(g, &line, t->from.err))) {
        t->from.line = line.number;
        if (read_line(t, line.text, &x))
            return -1;
        const uint64_t at = x.nanoseconds > t->first ? x.nanoseconds - t->first : 0;
        if (line.key != last) {
            if ((last != UINT64_MAX && end_group(t)) || begin_group(t, (uint32_t)line.key))
                return -1;
            issued = 0;
            last = line.key;
        }
        if (send_transaction(t, &x, at > issued ? at - issued : 0))
            return -1;
        issued = at > issued ? at : issued;
    }
    return status < 0 || end_group(t) ||
                   import_source_send(&t->from, &(struct import_item){.kind = IMPORT_KERNEL_END})
               ? -1
               : 0;
}

/* Brackets are of the names, as in GPU[1].SA[0].L1VCache[2]. */
static char *pattern_of(const char *at)
{
    char *pattern = malloc(2 * strlen(at) + 1), *to = pattern;
    for (; pattern && *at; at++) {
        if (*at == '[' || *at == '\\')
            *to++ = '\\';
        *to++ = *at;
    }
    if (pattern)
        *to = 0;
    return pattern;
}

int mgpusim_parse(const char *path, const struct import_parsing *how, struct mp_error *err)
{
    struct trace *t = calloc(1, sizeof *t);
    if (!t)
        return mp_fail(err, "%s: out of memory", path);
    t->pattern = pattern_of(how->at);
    struct import_group *g = import_group_new(how->memory);
    int bad = t->pattern && g ? import_source_open(&t->from, path, how, err)
                              : mp_fail(err, "%s: out of memory", path);
    if (!bad) {
        bad = collect(t, g) || send_sorted(t, g);
        import_lines_close(&t->from.lines);
    }
    import_group_free(g);
    free(t->pattern);
    for (unsigned i = 0; i < t->locations; i++)
        free(t->location[i]);
    free(t);
    return bad ? -1 : 0;
}
