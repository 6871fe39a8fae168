/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the line of each key of a YAML file. libcyaml does not store the positions of the values that it
 * loads, and range errors are found only after loading. So libyaml, which libcyaml uses, reads the file once
 * for its lines.
 */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/config_internal.h"

#define DEEPEST   8u    /* tenants.0.app has 3 */
#define MOST_KEYS 4096u /* far above every valid file; bounds the search for duplicates */

struct level {
    size_t path; /* length of the path to this level */
    bool sequence;
    bool dotted;
    bool value_next; /* in a mapping: a key has been read */
    unsigned entries;
};

struct reader {
    struct mp_yaml_index *index;
    const char *where;
    struct mp_error *err;
    struct level level[DEEPEST];
    unsigned depth; /* number of open levels */
    char *path;
    bool dotted;
    unsigned line; /* line of the key whose value is next */
};

static int fail(struct reader *r, size_t line, const char *what)
{
    return mp_fail(r->err, "%s:%zu: %s", r->where, line + 1, what);
}

static int add_key(struct reader *r, enum mp_node node)
{
    struct mp_yaml_index *x = r->index;
    for (unsigned i = 0; i < x->n; i++)
        if (strcmp(x->key[i].path, r->path) == 0 && !x->key[i].dotted && !r->dotted)
            return mp_fail(r->err, "%s:%u: %.80s is repeated; each key once (first in line %u)", r->where,
                           r->line, r->path, x->key[i].line);
    if (x->n == MOST_KEYS)
        return mp_fail(r->err, "%s:%u: more than %u keys; a smaller file", r->where, r->line, MOST_KEYS);
    if (x->n == x->room) {
        unsigned room = x->room ? 2 * x->room : 64;
        struct mp_yaml_key *key = realloc(x->key, room * sizeof *key);
        if (!key)
            return mp_fail(r->err, "%s: out of memory; a smaller file is needed", r->where);
        x->key = key;
        x->room = room;
    }
    char *path = strdup(r->path);
    if (!path)
        return mp_fail(r->err, "%s: out of memory; a smaller file is needed", r->where);
    x->key[x->n++] = (struct mp_yaml_key){path, r->line, r->depth, r->dotted, node};
    return 0;
}

/* Sets the reader's path to that of an entry of the innermost level. */
static int set_path(struct reader *r, const char *entry)
{
    const struct level *l = &r->level[r->depth - 1];
    char *path = NULL;
    if (asprintf(&path, "%.*s%s%s", (int)l->path, r->path, l->path ? "." : "", entry) < 0)
        return mp_fail(r->err, "%s: out of memory; a smaller file is needed", r->where);
    free(r->path);
    r->path = path;
    r->dotted = l->dotted || strchr(entry, '.') || !*entry;
    return 0;
}

/* A value of any kind begins. It gets the name of its key, or else its position. */
static int begin_value(struct reader *r, const yaml_event_t *event, enum mp_node node)
{
    if (r->depth == 0) {
        r->line = (unsigned)event->start_mark.line + 1;
        return add_key(r, node);
    }
    struct level *l = &r->level[r->depth - 1];
    if (l->sequence) {
        char position[16];
        snprintf(position, sizeof position, "%u", l->entries++);
        r->line = (unsigned)event->start_mark.line + 1;
        return set_path(r, position) || add_key(r, node) ? -1 : 0;
    }
    if (!l->value_next)
        return fail(r, event->start_mark.line, "a key that is a list or a mapping; keys are names");
    l->value_next = false;
    return add_key(r, node);
}

static int scalar(struct reader *r, const yaml_event_t *event)
{
    struct level *l = r->depth ? &r->level[r->depth - 1] : NULL;
    const char *key = (const char *)event->data.scalar.value;
    if (strlen(key) != event->data.scalar.length)
        return fail(r, event->start_mark.line, "a zero byte (\\0); text without zero bytes is allowed");
    if (!l || l->sequence || l->value_next)
        return begin_value(r, event, MP_SCALAR);
    r->line = (unsigned)event->start_mark.line + 1;
    l->value_next = true;
    return set_path(r, key);
}

static int open_level(struct reader *r, const yaml_event_t *event, enum mp_node node)
{
    if (begin_value(r, event, node))
        return -1;
    if (r->depth == DEEPEST)
        return fail(r, event->start_mark.line, "nested too deeply; sections and tenants are two levels deep");
    r->level[r->depth++] = (struct level){strlen(r->path), node == MP_SEQUENCE, r->dotted, false, 0};
    return 0;
}

static int take(struct reader *r, const yaml_event_t *event, unsigned *documents)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return ++*documents == 1
                   ? 0
                   : fail(r, event->start_mark.line, "a second document; one document is allowed");
    case YAML_ALIAS_EVENT:
        return fail(r, event->start_mark.line, "an alias (*name); write the value");
    case YAML_SCALAR_EVENT:
        return scalar(r, event);
    case YAML_MAPPING_START_EVENT:
        return open_level(r, event, MP_MAPPING);
    case YAML_SEQUENCE_START_EVENT:
        return open_level(r, event, MP_SEQUENCE);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        r->path[r->level[--r->depth].path] = 0;
        return 0;
    default:
        return 0;
    }
}

int mp_yaml_read(struct mp_yaml_index *index, const struct mp_source *source, struct mp_error *err)
{
    *index = (struct mp_yaml_index){0};
    struct reader r = {.index = index, .where = source->where, .err = err, .path = strdup("")};
    yaml_parser_t parser;
    if (!r.path || !yaml_parser_initialize(&parser)) {
        free(r.path);
        return mp_fail(err, "%s: out of memory; a smaller file is needed", source->where);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)source->text, source->size);
    unsigned documents = 0;
    int status = 0;
    bool end = false;
    while (!status && !end) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status =
                mp_fail(err, "%s:%zu: not YAML (%s); 'key: value' lines, sections indented", source->where,
                        parser.problem_mark.line + 1, parser.problem ? parser.problem : "unreadable");
            break;
        }
        end = event.type == YAML_STREAM_END_EVENT;
        status = take(&r, &event, &documents);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    free(r.path);
    if (status)
        mp_yaml_free(index);
    return status;
}

void mp_yaml_free(struct mp_yaml_index *index)
{
    for (unsigned i = 0; i < index->n; i++)
        free(index->key[i].path);
    free(index->key);
    *index = (struct mp_yaml_index){0};
}

unsigned mp_yaml_line(const struct mp_yaml_index *index, const char *path)
{
    for (unsigned i = 0; i < index->n; i++)
        if (!index->key[i].dotted && strcmp(index->key[i].path, path) == 0)
            return index->key[i].line;
    return 0;
}
