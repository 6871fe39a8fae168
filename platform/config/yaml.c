/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a YAML file as a tree of texts with their lines. libyaml's own documents resolve aliases, so the tree
 * is made from its events. */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/source.h"

#define DEEPEST    8u    /* tenants.0.app has 3 */
#define MOST_NODES 4096u /* far above every valid file; bounds the search for duplicates */

struct reader {
    const char *where;
    struct mp_error *err;
    struct mp_yaml *document;
    struct mp_yaml *open; /* innermost mapping or list whose end has not been read */
    char *key;            /* in a mapping: the key whose value is next */
    unsigned key_line, depth, nodes;
};

static int fail(struct reader *r, size_t line, const char *what)
{
    return mp_fail(r->err, "%s:%zu: %s", r->where, line + 1, what);
}

static int no_memory(struct reader *r)
{
    return mp_fail(r->err, "%s: out of memory; a smaller file is needed", r->where);
}

void mp_yaml_path(const struct mp_yaml *node, char *path, size_t size)
{
    *path = 0;
    if (!node->above)
        return;
    mp_yaml_path(node->above, path, size);
    size_t used = strlen(path);
    snprintf(path + used, size - used, "%s%s", used ? "." : "", node->key);
}

/* A key with a '.' is no part of a path, and only some files may have it: they search for duplicates. */
static int check_new(struct reader *r, const struct mp_yaml *node)
{
    if (r->nodes++ == MOST_NODES)
        return mp_fail(r->err, "%s:%u: more than %u keys; a smaller file", r->where, node->line, MOST_NODES);
    if (!r->open || r->open->kind == MP_SEQUENCE || strchr(node->key, '.'))
        return 0;
    for (const struct mp_yaml *n = r->open->first; n != node; n = n->next)
        if (!strcmp(n->key, node->key)) {
            char path[128];
            mp_yaml_path(node, path, sizeof path);
            return mp_fail(r->err, "%s:%u: %.80s is repeated; each key once (first in line %u)", r->where,
                           node->line, path, n->line);
        }
    return 0;
}

/* A value of any kind begins. It gets the name of its key, or else its position. */
static int add(struct reader *r, const yaml_event_t *event, enum mp_node kind, const char *text)
{
    if (!r->open && r->document)
        return fail(r, event->start_mark.line, "a second document; one document is allowed");
    struct mp_yaml *above = r->open, *node = calloc(1, sizeof *node);
    if (!node)
        return no_memory(r);
    char position[16] = "";
    bool mapped = above && above->kind == MP_MAPPING, keyed = r->key;
    if (above)
        snprintf(position, sizeof position, "%u", above->n);
    *node = (struct mp_yaml){.kind = kind,
                             .key = keyed ? r->key : strdup(position),
                             .text = text ? strdup(text) : NULL,
                             .value_line = (unsigned)event->start_mark.line + 1,
                             .above = above};
    node->line = keyed ? r->key_line : node->value_line;
    r->key = NULL;
    if (!above)
        r->document = node;
    else if (above->last)
        above->last->next = node;
    else
        above->first = node;
    if (above) {
        above->last = node;
        above->n++;
    }
    if (!node->key || (text && !node->text))
        return no_memory(r);
    if (mapped && !keyed)
        return fail(r, event->start_mark.line, "a key that is a list or a mapping; keys are names");
    return check_new(r, node);
}

static int scalar(struct reader *r, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    if (strlen(text) != event->data.scalar.length)
        return fail(r, event->start_mark.line, "a zero byte (\\0); text without zero bytes is allowed");
    if (!r->open || r->open->kind == MP_SEQUENCE || r->key)
        return add(r, event, MP_SCALAR, text);
    r->key_line = (unsigned)event->start_mark.line + 1;
    r->key = strdup(text);
    return r->key ? 0 : no_memory(r);
}

static int open_node(struct reader *r, const yaml_event_t *event, enum mp_node kind)
{
    if (add(r, event, kind, NULL))
        return -1;
    if (r->depth++ == DEEPEST)
        return fail(r, event->start_mark.line, "nested too deeply; sections and tenants are two levels deep");
    r->open = r->open ? r->open->last : r->document;
    return 0;
}

static int take(struct reader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return r->document ? fail(r, event->start_mark.line, "a second document; one document is allowed")
                           : 0;
    case YAML_ALIAS_EVENT:
        return fail(r, event->start_mark.line, "an alias (*name); write the value");
    case YAML_SCALAR_EVENT:
        return scalar(r, event);
    case YAML_MAPPING_START_EVENT:
        return open_node(r, event, MP_MAPPING);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(r, event, MP_SEQUENCE);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        if (r->open)
            r->open = r->open->above;
        r->depth--;
        return 0;
    default:
        return 0;
    }
}

int mp_yaml_read(struct mp_yaml **document, const struct mp_source *source, struct mp_error *err)
{
    struct reader r = {.where = source->where, .err = err};
    yaml_parser_t parser;
    *document = NULL;
    if (!yaml_parser_initialize(&parser))
        return no_memory(&r);
    yaml_parser_set_input_string(&parser, (const unsigned char *)source->text, source->size);
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
        status = take(&r, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    free(r.key);
    if (status)
        mp_yaml_free(r.document);
    else
        *document = r.document;
    return status;
}

void mp_yaml_free(struct mp_yaml *node)
{
    while (node) {
        struct mp_yaml *next = node->next;
        mp_yaml_free(node->first);
        free(node->key);
        free(node->text);
        free(node);
        node = next;
    }
}
